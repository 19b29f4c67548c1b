// docs/algorithms.md is what the table says today. WEFT_WRITE_GOLDEN=1 writes it anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "cli/algorithms_page.hpp"
#include "tests/sanitizer.hpp"

namespace weft::cli {
namespace {

const std::string source_folder = WEFT_SOURCE_DIR;

TEST(AlgorithmsPage, is_current) {
  if (under_sanitizer) GTEST_SKIP() << "a minute of simulations, held to the file in release";
  const auto machine = simulate::load_machine(source_folder + "/perf/machines/h100.json");
  ASSERT_TRUE(machine) << machine.error().text;
  const auto page = algorithms_page(*machine);
  ASSERT_TRUE(page) << page.error().text;
  const std::string path = source_folder + "/docs/algorithms.md";
  if (std::getenv("WEFT_WRITE_GOLDEN")) std::ofstream(path) << *page;
  std::ostringstream kept;
  kept << std::ifstream(path).rdbuf();
  EXPECT_EQ(kept.str(), *page) << "the table has changed: WEFT_WRITE_GOLDEN=1 writes the page anew";
}

}  // namespace
}  // namespace weft::cli
