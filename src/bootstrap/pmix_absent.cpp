// For builds without pmix.h (see CMakeLists.txt).
#include "bootstrap/pmix.hpp"

namespace weft::bootstrap {

std::string pmix_missing() {
  return "this Weft was built without PMIx (install libpmix-dev and build again)";
}

Result<std::unique_ptr<Bootstrap>> join_by_pmix() {
  return fail(Code::unsupported, "{}", pmix_missing());
}

}  // namespace weft::bootstrap
