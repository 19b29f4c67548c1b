// Log lines on stderr, `weft: rank R: text`, at the level of WEFT_LOG (error, warn, info, debug;
// default warn).
//
// spdlog does the work and stays behind this header. Never call it on the data path: it locks and
// writes. Threads: any.
#pragma once
#include <fmt/format.h>

#include <string_view>
#include <utility>

namespace weft::log {

enum class Level { error, warn, info, debug };

bool enabled(Level level);
void line(Level level, std::string_view text);

template <class... Args>
void error(fmt::format_string<Args...> text, Args&&... args) {
  line(Level::error, fmt::format(text, std::forward<Args>(args)...));
}
template <class... Args>
void warn(fmt::format_string<Args...> text, Args&&... args) {
  if (enabled(Level::warn)) line(Level::warn, fmt::format(text, std::forward<Args>(args)...));
}
template <class... Args>
void info(fmt::format_string<Args...> text, Args&&... args) {
  if (enabled(Level::info)) line(Level::info, fmt::format(text, std::forward<Args>(args)...));
}
template <class... Args>
void debug(fmt::format_string<Args...> text, Args&&... args) {
  if (enabled(Level::debug)) line(Level::debug, fmt::format(text, std::forward<Args>(args)...));
}

}  // namespace weft::log
