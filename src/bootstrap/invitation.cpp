#include "bootstrap/invitation.hpp"

#include <unistd.h>

#include <algorithm>
#include <list>
#include <mutex>

#include "bootstrap/wire.hpp"

namespace weft::bootstrap {
namespace {

constexpr std::string_view magic = "WEFT";
constexpr u8 version = 1;
constexpr std::size_t checksum_bytes = 8;
static_assert(4 + 1 + 1 + Secret::size + Contact::size + checksum_bytes == UniqueId::size);

// Against a text that was cut or mistyped, not against forgery: the key is no secret.
std::string checksum(std::string_view bytes) {
  const auto mac = Secret(Secret::Bytes{}).mac(as_bytes(bytes));
  return std::string(reinterpret_cast<const char*>(mac.data()), checksum_bytes);
}

std::string_view view(const UniqueId& id) { return {id.bytes.data(), id.bytes.size()}; }

UniqueId id_of(std::string_view bytes) {
  WEFT_ASSERT(bytes.size() == UniqueId::size);
  UniqueId id;
  std::copy(bytes.begin(), bytes.end(), id.bytes.begin());
  return id;
}

struct Held {
  UniqueId id;
  pid_t maker;
  Listener listener;
};
struct AllHeld {
  std::mutex mutex;
  std::list<Held> listeners;
};
AllHeld& held() {
  static AllHeld instance;
  return instance;
}

}  // namespace

UniqueId encode(const Invitation& invitation) {
  Writer writer;
  writer.bytes(magic).number(version).number(static_cast<u8>(invitation.listener_is_open));
  writer.bytes(invitation.secret.bytes());
  invitation.root.write(writer);
  const std::string sum = checksum(writer.get());
  return id_of(writer.bytes(sum).get());
}

Result<Invitation> decode(const UniqueId& id) {
  Reader reader(view(id));
  if (reader.bytes(magic.size()) != magic)
    return fail(Code::invalid_argument,
                "this is no unique id of Weft: it does not start with WEFT (was it initialised?)");
  const u8 its_version = reader.number<u8>();
  if (its_version != version)
    return fail(Code::invalid_argument, "the unique id has version {}, this build reads version {}",
                its_version, version);
  const bool open = reader.number<u8>() != 0;
  const Secret secret(reader.array<Secret::Bytes>());
  Contact root = Contact::read(reader);
  if (reader.rest() != checksum(view(id).substr(0, UniqueId::size - checksum_bytes)))
    return fail(Code::invalid_argument, "the unique id is damaged: its checksum does not match");
  return Invitation{secret, std::move(root), open};
}

std::string UniqueId::text() const { return to_base64(as_bytes(view(*this))); }

Result<UniqueId> UniqueId::from_text(const std::string& text) {
  const auto bytes = from_base64(text);
  if (!bytes || bytes->size() != UniqueId::size)
    return fail(Code::invalid_argument,
                "a unique id is {} base64 characters; this text has {}{}: was it cut when copied?",
                (UniqueId::size * 8 + 5) / 6, text.size(), bytes ? "" : " and is not base64");
  const UniqueId id = id_of(*bytes);
  WEFT_TRY(decode(id));
  return id;
}

Result<UniqueId> create_unique_id() {
  WEFT_ASSIGN(const auto ports, allowed_ports());
  WEFT_ASSIGN(Listener listener, Listener::open(ports));
  const UniqueId id = encode({Secret::random(), listener.contact(), true});
  const std::lock_guard lock(held().mutex);
  held().listeners.push_back({id, ::getpid(), std::move(listener)});
  return id;
}

Result<UniqueId> reserve_unique_id(const std::string& host, u16 port) {
  if (port == 0) return fail(Code::invalid_argument, "a reserved id needs a port from 1 to 65535");
  WEFT_ASSIGN(auto ips, resolve(host));
  return encode({Secret::random(), Contact{port, std::move(ips)}, false});
}

std::optional<Listener> take_held_listener(const UniqueId& id, u32 rank) {
  const std::lock_guard lock(held().mutex);
  auto& all = held().listeners;
  const auto found = std::find_if(all.begin(), all.end(), [&](auto& h) { return h.id == id; });
  if (found == all.end()) return std::nullopt;
  const bool copy_of_another = found->maker != ::getpid() && rank != 0;
  Listener listener = std::move(found->listener);
  all.erase(found);
  if (copy_of_another) return std::nullopt;
  return listener;
}

}  // namespace weft::bootstrap
