// A program of the build: writes a digest of what the generators yield into the file it is given,
// as the definition of schedules_digest().
//
// At build time, since it takes a process longer than all else that it does to join a job.
#define XXH_INLINE_ALL
#include <fmt/format.h>
#include <xxhash.h>

#include <fstream>
#include <string>
#include <vector>

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

// Their roots, and with one rail or two.
template <class Use>
void each_place(const schedule::Shape& flat, Use use) {
  for (u32 rails = 1; rails <= 2; ++rails)
    for (u32 root = 0; root < flat.ranks(); ++root) {
      schedule::Shape shape = flat;
      shape.rails = rails;
      use(shape, root);
    }
}

}  // namespace

int main(int count, char** words) {
  if (count != 2) return 2;
  std::string all;
  const auto add = [&](const schedule::Shape& cut) {
    each_place(cut, [&](const schedule::Shape& shape, u32 root) {
      for (const schedule::Kind kind : schedule::all_kinds)
        for (const std::string& name : algorithms::names(kind, shape))
          if (root == 0 || schedule::has_root(kind))
            if (const auto made = algorithms::emit_all(name, kind, shape, root))
              all += name + schedule::digest(*made).hex();
    });
  };
  for (u32 ranks = 1; ranks <= 5; ++ranks) each_shape(ranks, add);
  // Three rounds of what doubles, alone and in nodes of one size, and one rank more than those.
  const std::vector<u32> even[] = {{8}, {4, 4}, {2, 2, 2, 2}, {1, 1, 1, 1, 1, 1, 1, 1}, {9}};
  for (const std::vector<u32>& size : even) add({.size = size});
  std::ofstream file(words[1]);
  file << fmt::format(
      "#include \"runtime/version.hpp\"\n"
      "const char* weft::runtime::schedules_digest() {{ return \"{:016x}\"; }}\n",
      XXH3_64bits(all.data(), all.size()));
  return file.flush() ? 0 : 1;
}
