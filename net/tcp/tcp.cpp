#include "net/tcp/tcp.hpp"

#include <charconv>
#include <sstream>

#include "base/config.hpp"
#include "net/tcp/endpoint.hpp"

namespace weft::tcp {
namespace {

struct PortRange {
  u16 first = 0, last = 0;
};

Result<PortRange> port_range(const std::string& text) {
  PortRange range;
  const char* const end = text.data() + text.size();
  auto [rest, error] = std::from_chars(text.data(), end, range.first);
  range.last = range.first;
  if (error == std::errc() && rest != end && *rest == '-') {
    const auto last = std::from_chars(rest + 1, end, range.last);
    rest = last.ptr;
    error = last.ec;
  }
  const bool any = text == "0";
  if (error != std::errc() || rest != end || range.first > range.last || (!any && !range.first))
    return fail(Code::invalid_argument, "{}={}: write FIRST-LAST, as in 20000-20100, or 0: {}",
                config::port_range.name, text, config::port_range.help);
  return range;
}

}  // namespace

Result<Options> Options::from_environment() {
  Options options;
  std::istringstream names(config::text(config::interface));
  for (std::string name; std::getline(names, name, ',');)
    if (!name.empty()) options.interfaces.push_back(name);
  WEFT_ASSIGN(const PortRange range, port_range(config::text(config::port_range)));
  options.first_port = range.first;
  options.last_port = range.last;
  WEFT_ASSIGN(const u64 sockets, config::number(config::tcp_sockets, 1, 64));
  options.sockets = static_cast<transport::Rail>(sockets);
  return options;
}

Result<std::unique_ptr<transport::Transport>> create(const Identity& identity,
                                                     const Options& options) {
  if (identity.rank >= identity.ranks || options.sockets == 0 ||
      options.first_port > options.last_port)
    return fail(Code::invalid_argument, "tcp: rank {} of {}, {} sockets a peer, ports {}-{}",
                identity.rank, identity.ranks, options.sockets, options.first_port,
                options.last_port);
  return Endpoint::make(identity, options);
}

}  // namespace weft::tcp
