#include "simulate/machine.hpp"

#include <cmath>
#include <fstream>
#include <istream>
#include <map>
#include <nlohmann/json.hpp>

namespace weft::simulate {
namespace {

using Json = nlohmann::json;

// One number of the file: where it goes, and what it may be.
struct Field {
  const char* key;  // the unit is its last word
  enum class Unit : u8 { nanoseconds, gigabytes, bytes, count } unit;
  u64* to;
  u64 least;
};

using Unit = Field::Unit;

// How much of the target's unit one unit of the file is.
double scale(Unit unit) {
  switch (unit) {
    case Unit::nanoseconds: return 1e3;
    case Unit::gigabytes: return 1e9;
    case Unit::bytes:
    case Unit::count: return 1;
  }
  return 1;
}

class Reader {
 public:
  explicit Reader(const std::string& where) : where_(where) {}

  Status read(const Json& json, Machine& machine) {
    if (!json.is_object()) return wrong("", "is no JSON object");
    WEFT_TRY(text(json, "", "name", machine.name));
    WEFT_TRY(text(json, "", "about", machine.about));
    u64 ranks = 0, rails = 0;
    const std::map<std::string, std::vector<Field>> sections{
        {"node",
         {{"ranks_count", Unit::count, &ranks, 1}, {"rails_count", Unit::count, &rails, 1}}},
        {"intra", link(machine.intra)},
        {"inter", link(machine.inter)},
        {"rank",
         {{"issue_ns", Unit::nanoseconds, &machine.issue, 0},
          {"kernel_launch_ns", Unit::nanoseconds, &machine.kernel_launch, 0},
          {"kernel_finish_ns", Unit::nanoseconds, &machine.kernel_finish, 0},
          {"reduction_GBps", Unit::gigabytes, &machine.reduction.bytes_per_second, 1},
          {"copy_GBps", Unit::gigabytes, &machine.copy.bytes_per_second, 1}}},
        {"call",
         {{"launch_ns", Unit::nanoseconds, &machine.call, 0},
          {"frame_ns", Unit::nanoseconds, &machine.frame, 0}}}};
    for (const auto& [key, value] : json.items())
      if (key != "name" && key != "about" && !sections.contains(key))
        return wrong(key, "is no section; there are name, about, node, intra, inter, rank, call");
    for (const auto& [key, fields] : sections) WEFT_TRY(section(json, key, fields));
    if (ranks > 65536 || rails > 256)
      return wrong("node", "has more than 65536 ranks or 256 rails");
    machine.ranks = u32(ranks), machine.rails = u32(rails);
    return {};
  }

 private:
  static std::vector<Field> link(Link& link) {
    return {{"bandwidth_GBps", Unit::gigabytes, &link.bandwidth.bytes_per_second, 1},
            // Above zero: what happens on two ranks at one instant is then independent.
            {"latency_ns", Unit::nanoseconds, &link.latency, 1},
            {"send_overhead_ns", Unit::nanoseconds, &link.send_overhead, 0},
            {"receive_overhead_ns", Unit::nanoseconds, &link.receive_overhead, 0},
            {"gap_ns", Unit::nanoseconds, &link.gap, 0},
            {"doorbell_ns", Unit::nanoseconds, &link.doorbell, 0},
            {"launch_ns", Unit::nanoseconds, &link.launch, 0},
            {"signal_ns", Unit::nanoseconds, &link.signal, 0},
            {"eager_bytes", Unit::bytes, &link.eager_bytes, 0}};
  }

  tl::unexpected<Error> wrong(const std::string& key, const std::string& why) const {
    return fail(Code::invalid_argument, "machine {}: {} {}", where_,
                key.empty() ? "the file" : "'" + key + "'", why);
  }

  Status text(const Json& json, const std::string& path, const char* key, std::string& to) const {
    const auto found = json.find(key);
    if (found == json.end() || !found->is_string() || found->get<std::string>().empty())
      return wrong(path + key, "must be there, a text that is not empty");
    to = found->get<std::string>();
    return {};
  }

  Status section(const Json& json, const std::string& name, const std::vector<Field>& fields) {
    const auto found = json.find(name);
    if (found == json.end() || !found->is_object())
      return wrong(name, "must be there, an object of constants");
    for (const auto& [key, value] : found->items()) {
      std::string known;
      for (const Field& field : fields)
        known += (known.empty() ? "" : ", ") + std::string(field.key);
      if (std::none_of(fields.begin(), fields.end(), [&, &k = key](auto& f) { return f.key == k; }))
        return wrong(name + "." + key, "is no constant of this section; there are " + known);
    }
    for (const Field& field : fields) WEFT_TRY(number(*found, name + ".", field));
    return {};
  }

  // {"value": 450, "source": "..."}
  Status number(const Json& json, const std::string& path, const Field& field) {
    const auto found = json.find(field.key);
    const std::string name = path + field.key;
    if (found == json.end()) return wrong(name, "is missing");
    if (!found->is_object() || found->size() != 2 || !found->contains("value"))
      return wrong(name, R"(must be {"value": NUMBER, "source": "where the number is from"})");
    std::string source;
    WEFT_TRY(text(*found, name + ".", "source", source));
    const Json& value = (*found)["value"];
    if (!value.is_number()) return wrong(name + ".value", "must be a number");
    const double scaled = value.get<double>() * scale(field.unit);
    if (!(scaled >= double(field.least)) || scaled > 1e18)
      return wrong(name + ".value",
                   fmt::format("must be {} or more, and finite, not {}",
                               double(field.least) / scale(field.unit), value.dump()));
    if (std::abs(scaled - std::round(scaled)) > 1e-6 * std::max(1.0, scaled * 1e-9))
      return wrong(name + ".value", fmt::format("must be a whole number of {}, not {}",
                                                whole(field.unit), value.dump()));
    *field.to = u64(std::llround(scaled));
    return {};
  }

  static const char* whole(Unit unit) {
    switch (unit) {
      case Unit::nanoseconds: return "picoseconds";
      case Unit::gigabytes: return "bytes a second";
      case Unit::bytes: return "bytes";
      case Unit::count: return "things";
    }
    return "?";
  }

  const std::string& where_;
};

}  // namespace

Result<Machine> read_machine(std::istream& from, const std::string& where) {
  const Json json = Json::parse(from, nullptr, false);
  if (json.is_discarded())
    return fail(Code::invalid_argument, "machine {}: the file is no JSON", where);
  Machine machine;
  WEFT_TRY(Reader(where).read(json, machine));
  return machine;
}

Result<Machine> load_machine(const std::string& path) {
  std::ifstream file(path);
  if (!file)
    return fail_errno(errno, fmt::format("reading machine {} (perf/machines has some)", path));
  return read_machine(file, path);
}

}  // namespace weft::simulate
