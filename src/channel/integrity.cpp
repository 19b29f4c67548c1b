// Checksums of messages, when they are asked for: one travels behind each notice.
//
// It covers the notice as well, so bytes that are whole but of another message are found too. No
// message is then inlined or lent: each is a put, checked when it has come and before anyone uses
// it.
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "channel/fabric.hpp"

namespace weft::channel {
namespace {

struct Checked {
  Data data;
  std::byte sum[sizeof(u64)];
};
static_assert(sizeof(Checked) == sizeof(Data) + sizeof(u64), "the sum follows the data");

class Sum {
 public:
  explicit Sum(const Data& data) {
    XXH3_64bits_reset(&state_);
    XXH3_64bits_update(&state_, &data, sizeof data);
  }
  void add(transport::Piece piece) { XXH3_64bits_update(&state_, piece.data(), piece.size()); }
  u64 value() const { return XXH3_64bits_digest(&state_); }

 private:
  XXH3_state_t state_;
};

}  // namespace

transport::Posted Fabric::put_checked(const SendChannel& channel, transport::RemoteAddress slot,
                                      std::span<const transport::Piece> pieces, const Data& data,
                                      transport::Cookie cookie) {
  Checked notice{.data = data, .sum = {}};
  Sum sum(data);
  for (const transport::Piece& piece : pieces) sum.add(piece);
  const u64 value = sum.value();
  std::memcpy(notice.sum, &value, sizeof value);
  return transport_of(channel.peer)
      .put(channel.peer, channel.rail, slot, pieces, as_notice(notice), cookie);
}

// False: it is not, and that has been said.
bool Fabric::is_whole(const RecvChannel& channel, const Data& data, const std::byte* bytes,
                      transport::Notice notice) {
  Checked checked;
  if (!read_notice(notice, checked)) {
    protocol_error(channel.peer, "sent a message without its checksum");
    return false;
  }
  u64 sent = 0;
  std::memcpy(&sent, checked.sum, sizeof sent);
  Sum sum(data);
  sum.add({bytes, data.bytes});
  const u64 come = sum.value();
  if (sent == come) return true;
  listener_.failed(
      {Code::remote_error,
       fmt::format("a message from rank {} to rank {} over {} has changed on its way: {} bytes of "
                   "{}, checksum {:016x} when sent and {:016x} when it came (WEFT_INTEGRITY): "
                   "suspect memory and network cards of both hosts and what is between them",
                   channel.peer, rank_, describe(channel.peer), data.bytes,
                   listener_.describe_item(channel, data.call.call, data.bytes), sent, come)},
      rank_);
  return false;
}

}  // namespace weft::channel
