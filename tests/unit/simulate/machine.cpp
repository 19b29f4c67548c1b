// Machine files: those of the repository load, and every mistake is named.
#include "simulate/machine.hpp"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

namespace weft::simulate {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

Json h100() {
  std::ifstream file(WEFT_MACHINES "/h100.json");
  return Json::parse(file);
}

std::string error_of(const Json& json) {
  std::istringstream text(json.dump());
  const auto machine = read_machine(text, "it");
  return machine ? "" : machine.error().text;
}

TEST(MachineFile, all_of_the_repository_load) {
  u32 files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(WEFT_MACHINES)) {
    if (entry.path().extension() != ".json") continue;
    const auto machine = load_machine(entry.path());
    ASSERT_TRUE(machine) << machine.error().text;
    EXPECT_EQ(machine->name + ".json", entry.path().filename());
    ++files;
  }
  EXPECT_GE(files, 3u);
}

TEST(MachineFile, is_read_in_its_units) {
  const auto machine = load_machine(WEFT_MACHINES "/h100.json");
  ASSERT_TRUE(machine);
  EXPECT_EQ(machine->intra.bandwidth.bytes_per_second, 450'000'000'000u);
  EXPECT_EQ(machine->inter.latency, 2'700'000u);
  EXPECT_EQ(machine->rails, 8u);
}

TEST(MachineFile, mistakes_are_named) {
  Json json = h100();
  ASSERT_EQ(error_of(json), "");
  json["intra"]["latency_us"] = json["intra"]["latency_ns"];
  EXPECT_THAT(error_of(json), HasSubstr("'intra.latency_us' is no constant of this section; there "
                                        "are bandwidth_GBps, latency_ns,"));
  json = h100(), json["inter"].erase("gap_ns");
  EXPECT_THAT(error_of(json), HasSubstr("'inter.gap_ns' is missing"));
  json = h100(), json["inter"]["gap_ns"] = 3;
  EXPECT_THAT(error_of(json), HasSubstr("'inter.gap_ns' must be {\"value\": NUMBER"));
  json = h100(), json["inter"]["gap_ns"]["source"] = "";
  EXPECT_THAT(error_of(json), HasSubstr("'inter.gap_ns.source' must be there"));
  json = h100(), json["inter"]["gap_ns"]["value"] = "fast";
  EXPECT_THAT(error_of(json), HasSubstr("'inter.gap_ns.value' must be a number"));
  json = h100(), json["inter"]["gap_ns"]["value"] = -1;
  EXPECT_THAT(error_of(json), HasSubstr("must be 0 or more"));
  json = h100(), json["inter"]["latency_ns"]["value"] = 0;
  EXPECT_THAT(error_of(json), HasSubstr("'inter.latency_ns.value' must be 0.001 or more"));
  json = h100(), json["inter"]["latency_ns"]["value"] = 1.00005;
  EXPECT_THAT(error_of(json), HasSubstr("must be a whole number of picoseconds"));
  json = h100(), json["switch"] = Json::object();
  EXPECT_THAT(error_of(json), HasSubstr("'switch' is no section"));
  json = h100(), json.erase("call");
  EXPECT_THAT(error_of(json), HasSubstr("'call' must be there"));
  json = h100(), json.erase("name");
  EXPECT_THAT(error_of(json), HasSubstr("'name' must be there"));
  json = h100(), json["node"]["rails_count"]["value"] = 257;
  EXPECT_THAT(error_of(json), HasSubstr("more than 65536 ranks or 256 rails"));
  EXPECT_THAT(error_of(Json(3)), HasSubstr("is no JSON object"));
}

TEST(MachineFile, that_is_no_json_or_not_there) {
  std::istringstream text("{");
  EXPECT_THAT(read_machine(text, "it").error().text, HasSubstr("is no JSON"));
  EXPECT_THAT(load_machine("/nowhere/m.json").error().text, HasSubstr("/nowhere/m.json"));
}

TEST(Rate, rounds_up_and_never_overflows) {
  EXPECT_EQ(Rate{3}.time(1), 333'333'333'334u);
  EXPECT_EQ(Rate{1'000'000'000'000}.time(7), 7u);
  EXPECT_EQ(Rate{450'000'000'000}.time(u64{1} << 50), 2'501'999'792'983'609u);
  EXPECT_EQ(Rate{5}.time(0), 0u);
}

}  // namespace
}  // namespace weft::simulate
