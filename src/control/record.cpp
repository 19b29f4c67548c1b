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

// Everything about one job stands in one file; one that cannot be read is begun anew.
class File {
 public:
  explicit File(const std::string& job)
      : path_(std::filesystem::path(config::text(config::verdict_dir)) /
              ("weft-" + job + ".json")) {
    std::ifstream file(path_);
    all_ = json::parse(file, nullptr, false);
    if (!all_.is_object() || !all_["verdicts"].is_array())
      all_ = {{"job", job}, {"verdicts", json::array()}};
  }
  json& operator[](const char* key) { return all_[key]; }
  // Written beside it and renamed: a reader finds the old one or the new one, whole.
  void write() const {
    std::error_code error;
    std::filesystem::create_directories(path_.parent_path(), error);
    const std::filesystem::path beside = path_.string() + ".new";
    std::ofstream file(beside);
    file << dump(all_) << '\n';
    file.close();
    if (file) std::filesystem::rename(beside, path_, error);
    if (!file || error) log::error("cannot write what became of the job to {}", path_.string());
  }

 private:
  const std::filesystem::path path_;
  json all_;
};

void record(const std::string& job, const Survey& survey) {
  File file(job);
  json verdict = as_json(survey);
  verdict["time"] = std::time(nullptr);
  file["verdicts"].push_back(std::move(verdict));
  file.write();
}

void begin(const std::string& job, const std::vector<Place>& processes) {
  File file(job);
  for (const Place& place : processes)
    file["processes"].push_back({{"pid", place.pid}, {"host", place.host}});
  file.write();
}

}  // namespace

void write(const Job::Note& note) {
  if (!note.line.empty()) log::error("{}", note.line);
  if (!config::is_set(config::verdict_dir)) return;
  if (note.ledgers) record(note.job, *note.ledgers);
  if (!note.processes.empty()) begin(note.job, note.processes);
}

}  // namespace weft::control
