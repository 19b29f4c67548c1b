#include "control/record.hpp"

#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/config.hpp"
#include "base/log.hpp"
#include "control/json.hpp"

namespace weft::control {
namespace {

using nlohmann::json;

// Verdicts of one job stand in one file; a file that cannot be read is begun anew.
json read(const std::filesystem::path& path) {
  std::ifstream file(path);
  json known = json::parse(file, nullptr, false);
  return known.is_object() && known.contains("verdicts") ? known
                                                         : json{{"verdicts", json::array()}};
}

void record(const std::string& job, const Survey& survey) {
  if (!config::is_set(config::verdict_dir)) return;
  const std::filesystem::path folder = config::text(config::verdict_dir);
  const std::filesystem::path path = folder / ("weft-" + job + ".json");
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  json all = read(path);
  json verdict = as_json(survey);
  verdict["time"] = std::time(nullptr);
  all["job"] = job;
  all["verdicts"].push_back(std::move(verdict));
  // Written beside it and renamed: a reader finds the old one or the new one, whole.
  const std::filesystem::path beside = path.string() + ".new";
  std::ofstream file(beside);
  file << dump(all) << '\n';
  file.close();
  if (file) std::filesystem::rename(beside, path, error);
  if (!file || error) log::error("cannot write the verdict to {}", path.string());
}

}  // namespace

void write(const Job::Note& note) {
  if (!note.line.empty()) log::error("{}", note.line);
  if (note.ledgers) record(note.job, *note.ledgers);
}

}  // namespace weft::control
