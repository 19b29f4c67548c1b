// Runs a fuzz target over the files of folders, one after the other: what libFuzzer found once, and
// every byte string that was put beside it, without libFuzzer.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

int main(int count, char** folders) {
  std::size_t files = 0;
  for (int i = 1; i < count; ++i)
    for (const auto& entry : std::filesystem::directory_iterator(folders[i])) {
      std::ifstream file(entry.path(), std::ios::binary);
      const std::vector<char> bytes((std::istreambuf_iterator<char>(file)), {});
      // Of exactly this size on the heap, so that a sanitizer sees a step over its end.
      std::vector<std::uint8_t> data(bytes.begin(), bytes.end());
      data.shrink_to_fit();
      LLVMFuzzerTestOneInput(data.data(), data.size());
      ++files;
    }
  std::printf("%zu inputs\n", files);
  return files ? 0 : 1;
}
