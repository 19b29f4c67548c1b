#include "runtime/version.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "algorithms/table.hpp"
#include "schedule/digest.hpp"
#include "weft/weft.h"

namespace weft::runtime {

const std::string& version_text() {
  static const std::string text = [] {
    std::string all;
    // Few and small, as every process does this once while others wait for it: flat and no power of
    // two, even nodes, uneven nodes.
    for (const schedule::Shape& shape :
         {schedule::Shape{.size = {5}}, schedule::Shape{.size = {2, 2}},
          schedule::Shape{.size = {2, 1}}})
      for (const schedule::Kind kind : schedule::all_kinds)
        for (const std::string& name : algorithms::names(kind, shape))
          if (const auto made = algorithms::emit_all(name, kind, shape, 0))
            all += name + schedule::digest(*made).hex();
    const u64 sum = XXH3_64bits(all.data(), all.size());
    return fmt::format("{}.{}.{}, schedules {:016x}", WEFT_VERSION_MAJOR, WEFT_VERSION_MINOR,
                       WEFT_VERSION_PATCH, sum);
  }();
  return text;
}

}  // namespace weft::runtime
