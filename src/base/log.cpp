#include "base/log.hpp"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include "base/config.hpp"

namespace weft::log {
namespace {

spdlog::level::level_enum spdlog_level(Level level) {
  switch (level) {
    case Level::error: return spdlog::level::err;
    case Level::warn: return spdlog::level::warn;
    case Level::info: return spdlog::level::info;
    case Level::debug: return spdlog::level::debug;
  }
  return spdlog::level::off;
}

spdlog::logger& logger() {
  // Not destroyed at exit: threads of the library may still log while static destructors run.
  static auto* const instance = [] {
    auto* made = new spdlog::logger("weft", std::make_shared<spdlog::sinks::stderr_sink_mt>());
    made->set_pattern("weft: %v");
    const std::string wanted = config::text(config::log);
    made->set_level(wanted == "error"   ? spdlog::level::err
                    : wanted == "info"  ? spdlog::level::info
                    : wanted == "debug" ? spdlog::level::debug
                                        : spdlog::level::warn);
    return made;
  }();
  return *instance;
}

}  // namespace

bool enabled(Level level) { return logger().should_log(spdlog_level(level)); }
void line(Level level, std::string_view text) { logger().log(spdlog_level(level), "{}", text); }

}  // namespace weft::log
