// Every rank's number on every rank, from C++20. Prints them on rank 0.
#include <weft/weft.h>

#include <cstdint>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <vector>

namespace {

void check(weft_result_t result) {
  if (result != weft_ok)
    throw std::runtime_error(std::string(weft_result_name(result)) + ": " + weft_last_error());
}

using Comm = std::unique_ptr<std::remove_pointer_t<weft_comm_t>, decltype(&weft_comm_destroy)>;

Comm join() {
  weft_comm_t comm = nullptr;
  check(weft_comm_create_from_environment(&comm, nullptr));
  return Comm(comm, &weft_comm_destroy);
}

}  // namespace

int main() try {
  const Comm comm = join();
  int rank = 0, ranks = 0;
  check(weft_comm_rank(comm.get(), &rank));
  check(weft_comm_size(comm.get(), &ranks));
  const std::int32_t mine = 10 * rank;
  std::vector<std::int32_t> all(static_cast<std::size_t>(ranks));
  check(weft_all_gather(&mine, all.data(), 1, weft_int32, comm.get(), nullptr));
  if (rank == 0) {
    std::cout << "gathered:";
    for (const std::int32_t one : all) std::cout << ' ' << one;
    std::cout << '\n';
  }
  return 0;
} catch (const std::exception& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
