#include "perf/tool.hpp"

int main(int count, char** words) {
  return weft::perf::run_tool(weft::perf::all_to_allv, count, words);
}
