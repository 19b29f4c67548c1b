#include "runtime/version.hpp"

#include <fmt/format.h>

#include "weft/weft.h"

namespace weft::runtime {

const std::string& version_text() {
  static const std::string text =
      fmt::format("{}.{}.{}, schedules {}", WEFT_VERSION_MAJOR, WEFT_VERSION_MINOR,
                  WEFT_VERSION_PATCH, schedules_digest());
  return text;
}

}  // namespace weft::runtime
