#include "runtime/version.hpp"

#include "algorithms/table.hpp"
#include "schedule/digest.hpp"
#include "weft/weft.h"

namespace weft::runtime {

const std::string& version_text() {
  static const std::string text = [] {
    schedule::Digest digest;
    for (const schedule::Shape& shape :
         {schedule::Shape{.size = {5}}, schedule::Shape{.size = {2, 2}},
          schedule::Shape{.size = {3, 2, 1}}})
      for (const schedule::Kind kind : schedule::all_kinds)
        for (const std::string& name : algorithms::names(kind, shape))
          if (const auto emitted = algorithms::emit_all(name, kind, shape, 0)) digest.add(*emitted);
    return fmt::format("{}.{}.{}, schedules {}", WEFT_VERSION_MAJOR, WEFT_VERSION_MINOR,
                       WEFT_VERSION_PATCH, digest.text());
  }();
  return text;
}

}  // namespace weft::runtime
