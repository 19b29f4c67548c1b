#include "intranode/shm/link.hpp"

#include <array>
#include <cstring>

#include "intranode/shm/socket.hpp"

namespace weft::shm {

using transport::RegionKey;

void Link::open(Fd socket, u32 slot) {
  socket_ = std::move(socket);
  process_ = process_of(socket_.get());
  slot_ = slot;
  in_ = own_.inbox.consumer(slot);
  stage_ = Stage::invited;
  send({Kind::invite, slot, own_.inbox.slots()});
  for (const RegionKey key : own_.regions.keys()) announce(key);
}

void Link::announce(RegionKey key) {
  const Segment* const segment = own_.regions.find(key);
  WEFT_ASSERT(segment);
  send({Kind::announce, key, segment->bytes});
}

void Link::withdraw(RegionKey key) { send({Kind::withdraw, key, 0}); }

void Link::send(const Packet& packet) {
  if (stage_ != Stage::invited && stage_ != Stage::up) return;
  if (!unsent_.empty() || !is_sent(packet)) unsent_.push_back(packet);
}

bool Link::flush() {
  while (!unsent_.empty() && is_sent(unsent_.front())) unsent_.pop_front();
  return unsent_.empty();
}

// False: the socket is full. A peer that is gone is found out by reading.
bool Link::is_sent(const Packet& packet) {
  int file = -1;
  if (packet.kind == Kind::invite) file = own_.inbox.file();
  if (packet.kind == Kind::announce) {
    const Segment* const segment = own_.regions.find(packet.name);
    if (!segment) return true;  // released while it waited
    file = segment->file.get();
  }
  return send_packet(socket_.get(), std::as_bytes(std::span(&packet, 1)), file) != Sent::full;
}

void Link::read_socket() {
  while (stage_ == Stage::invited || stage_ == Stage::up) {
    std::array<std::byte, sizeof(Packet)> buffer;
    const Received received = receive_packet(socket_.get(), buffer);
    if (received.kind == Received::nothing) return;
    if (received.kind == Received::closed)
      return fail(
          "it has closed its end of the connection: it ended or was killed, or it failed "
          "first and says why in its own log");
    if (received.bytes == 1) continue;  // a wake-up
    Packet packet;
    if (received.bytes != sizeof packet) return fail("it sent a packet of no known kind");
    std::memcpy(&packet, buffer.data(), sizeof packet);
    if (const Status taken = take(packet, received.file); !taken) return fail(taken.error().text);
  }
}

Status Link::take(const Packet& packet, const Fd& file) {
  switch (packet.kind) {
    case Kind::invite: {
      if (out_) return weft::fail(Code::remote_error, "it sent a second invitation");
      const u32 slots = packet.size > InboxView::max_slots ? 0 : static_cast<u32>(packet.size);
      WEFT_ASSIGN(out_, Outbox::open(file.get(), slots, packet.name));
      fences_ = own_.inbox.fences() && out_->owner_fences();
      stage_ = Stage::up;
      has_come_up_ = true;
      return {};
    }
    case Kind::announce: {
      WEFT_ASSIGN(Mapping pages, map_segment(file.get(), packet.size));
      return regions_.add(packet.name, std::move(pages));
    }
    case Kind::withdraw: regions_.remove(packet.name); return {};
  }
  return weft::fail(Code::remote_error, "it sent a packet of no known kind");
}

std::span<std::byte> Link::region(RegionKey key) {
  if (const auto found = regions_.find(key); !found.empty()) return found;
  read_socket();  // its announcement may be waiting there
  return regions_.find(key);
}

void Link::wake() {
  if (out_ && out_->claim_wake_up()) send_packet(socket_.get(), std::array{std::byte{1}});
}

// The peer's regions stay mapped: someone may still be reading them in place.
void Link::fail(std::string_view reason) {
  if (stage_ == Stage::breaking || stage_ == Stage::broken) return;
  stage_ = Stage::breaking;
  socket_ = Fd();
  unsent_.clear();
  why_ = {Code::remote_error, fmt::format("rank {}: lost rank {} (pid {}, shared memory): {}",
                                          self_, peer_, process_, reason)};
}

}  // namespace weft::shm
