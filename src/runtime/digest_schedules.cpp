// A program of the build: writes a digest of what the generators yield into the file it is given,
// as the definition of schedules_digest().
//
// At build time, since it takes a process longer than all else that it does to join a job.
#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <fstream>
#include <string>

#include "algorithms/table.hpp"
#include "schedule/digest.hpp"

using namespace weft;

namespace {

// Every shape of so many ranks: all ways to cut them into nodes.
template <class Use>
void each_shape(u32 ranks, Use use) {
  for (u32 cuts = 0; cuts < 1u << (ranks - 1); ++cuts) {
    schedule::Shape shape{.size = {1}};
    for (u32 rank = 1; rank < ranks; ++rank)
      if (cuts >> (rank - 1) & 1)
        shape.size.push_back(1);
      else
        ++shape.size.back();
    use(shape);
  }
}

}  // namespace

int main(int, char** words) {
  constexpr u32 most_ranks = 6;
  std::string all;
  for (u32 ranks = 1; ranks <= most_ranks; ++ranks)
    each_shape(ranks, [&](const schedule::Shape& shape) {
      for (const schedule::Kind kind : schedule::all_kinds)
        for (const std::string& name : algorithms::names(kind, shape))
          if (const auto made = algorithms::emit_all(name, kind, shape, 0))
            all += name + schedule::digest(*made).hex();
    });
  std::ofstream file(words[1]);
  file << fmt::format(
      "#include \"runtime/version.hpp\"\n"
      "const char* weft::runtime::schedules_digest() {{ return \"{:016x}\"; }}\n",
      XXH3_64bits(all.data(), all.size()));
  return file.flush() ? 0 : 1;
}
