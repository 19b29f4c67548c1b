#include "channel/fabric.hpp"

#include <algorithm>

#include "base/clock.hpp"
#include "base/log.hpp"

namespace weft::channel {

using transport::Posted;

Fabric::Fabric(u32 rank, Options options, std::vector<Route> routes, Listener& listener)
    : rank_(rank),
      options_(options),
      most_inline_(options.integrity ? 0 : max_inline_bytes),
      routes_(std::move(routes)),
      listener_(listener),
      peers_(routes_.size()) {
  WEFT_ASSERT(!options_.integrity || options_.slots > 0);
  WEFT_ASSERT(options_.frames > 0 && options_.frames < 256);
  WEFT_ASSERT(options_.slot_bytes > 0 && options_.slot_bytes % cache_line_bytes == 0);
  for (const Route& route : routes_)
    if (route.transport && pools_.try_emplace(route.transport, *route.transport).second)
      transports_.push_back(route.transport);
  std::copy_if(transports_.begin(), transports_.end(), std::back_inserter(keeping_back_),
               [](const transport::Transport* transport) { return !transport->departs_at_once(); });
}

// ---- opening

Status Fabric::connect(transport::Peer peer) {
  WEFT_ASSERT(peer < peers_.size() && peer != rank_ && routes_[peer].transport);
  Peer& state = peers_[peer];
  if (state.connecting) return {};
  WEFT_TRY(transport_of(peer).connect(peer, routes_[peer].address));
  state.connecting = true;
  talking_to_.push_back(peer);
  unflushed_.reserve(talking_to_.size());
  state.marks.resize(transport_of(peer).rails());
  state.departs_at_once = transport_of(peer).departs_at_once();
  return {};
}

std::vector<SendChannel*>& Fabric::send_ends(transport::Peer peer, u8 port) {
  auto& ends = send_ends_[{peer, port}];
  if (ends) return *ends;
  ends = std::make_unique<std::vector<SendChannel*>>();
  for (u32 frame = 0; frame < options_.frames; ++frame) {
    SendChannel& channel = *sends_.emplace_back(std::make_unique<SendChannel>());
    channel.peer = peer;
    channel.name = u32(sends_.size() - 1);
    channel.frame = u8(frame);
    channel.rail = rail_of(peer, channel.name);
    ends->push_back(&channel);
  }
  return *ends;
}

Result<SendChannel* const*> Fabric::open_send(transport::Peer peer, u8 port) {
  WEFT_TRY(connect(peer));
  return send_ends(peer, port).data();
}

Result<RecvChannel* const*> Fabric::open_recv(transport::Peer peer, u8 port) {
  WEFT_TRY(connect(peer));
  auto& ends = recv_ends_[{peer, port}];
  if (ends) return ends->data();
  // The same bytes in more slots where the transport would rather have shorter puts.
  const u32 slot_bytes =
      u32(std::min<u64>(options_.slot_bytes, transport_of(peer).best_put_bytes()));
  const u32 cut = (options_.slot_bytes + slot_bytes - 1) / slot_bytes;
  const u32 depth = std::max(options_.slots * cut, 1u);  // a loan takes an item too, but no memory
  Grant grant{.port = port,
              .frames = u16(options_.frames),
              .first_channel = u32(recvs_.size()),
              .depth = depth,
              .takes_loans = may_lend(peer)};
  SlotPool::Slots slots;
  if (options_.slots) {
    const std::size_t bytes = std::size_t{options_.frames} * depth * slot_bytes;
    WEFT_ASSIGN(slots, pools_.at(&transport_of(peer)).take(bytes));
    grant.key = slots.address.key;
    grant.offset = slots.address.offset;
    grant.slot_bytes = slot_bytes;
  }
  ends = std::make_unique<std::vector<RecvChannel*>>();
  for (u32 frame = 0; frame < options_.frames; ++frame) {
    RecvChannel& channel = *recvs_.emplace_back(std::make_unique<RecvChannel>());
    channel.peer = peer;
    channel.name = grant.first_channel + frame;
    channel.frame = u8(frame);
    channel.depth = depth;
    channel.slot_bytes = grant.slot_bytes;
    if (slots.memory) channel.slots = slots.memory + std::size_t{frame} * depth * slot_bytes;
    channel.items.resize(depth);
    channel.landings.resize(depth);
    ends->push_back(&channel);
  }
  due_.reserve(recvs_.size());
  control(peer, as_notice(grant));
  return ends->data();
}

void Fabric::on_grant(transport::Peer from, const Grant& grant) {
  if (grant.frames != options_.frames || grant.depth == 0)
    return protocol_error(from, "granted slots for another number of frames");
  const bool shares = transport_of(from).shares_address_space();
  if (!grant.slot_bytes && !shares)
    return protocol_error(from, "granted no slots, but its memory is not shared");
  if (Status status = connect(from); !status) return listener_.failed(status.error(), rank_);
  const bool lend = may_lend(from) && grant.takes_loans;
  auto& ends = send_ends(from, grant.port);
  for (u32 frame = 0; frame < options_.frames; ++frame) {
    SendChannel& channel = *ends[frame];
    if (channel.depth) return protocol_error(from, "granted the same channel twice");
    channel.remote_name = grant.first_channel + frame;
    channel.depth = grant.depth;
    channel.slot_bytes = grant.slot_bytes;
    channel.slots = {grant.key, grant.offset + u64{frame} * grant.depth * grant.slot_bytes};
    channel.lends = shares && (lend || !grant.slot_bytes);
    channel.maps = transport_of(from).maps_regions() && lend;
    listener_.can_send(channel);
  }
}

// ---- sending

Posted Fabric::post(SendChannel& channel, std::span<const transport::Piece> pieces, u64 bytes,
                    CallMark call, u32 issue, transport::Cookie cookie) {
  struct Inlined {
    Data data;
    std::byte bytes[max_inline_bytes];
  };
  Inlined notice;
  notice.data = {.sequence = u16(channel.sent),
                 .channel = channel.remote_name,
                 .sender = channel.name,
                 .call = call,
                 .bytes = u32(bytes),
                 .issue = issue};
  add_credit(channel.peer, notice.data);
  if (bytes <= most_inline_) {
    notice.data.inlined = 1;
    std::byte* to = notice.bytes;
    for (const transport::Piece& piece : pieces) {
      std::memcpy(to, piece.data(), piece.size());
      to += piece.size();
    }
    Posted posted = notify(channel.peer, channel.rail, as_notice(notice, sizeof(Data) + bytes));
    if (posted == Posted::pending) posted = Posted::done;  // the bytes have been copied
    return data_posted(channel, notice.data, posted);
  }
  const transport::RemoteAddress slot{
      channel.slots.key, channel.slots.offset + channel.sent % channel.depth * channel.slot_bytes};
  const Posted posted = noted(
      channel.peer, options_.integrity ? put_checked(channel, slot, pieces, notice.data, cookie)
                                       : transport_of(channel.peer)
                                             .put(channel.peer, channel.rail, slot, pieces,
                                                  as_notice(notice.data), cookie));
  return data_posted(channel, notice.data, posted);
}

Posted Fabric::lend(SendChannel& channel, const Loan& loan, CallMark call, u32 issue) {
  Offer offer;
  offer.data = {.tag = Tag::offer,
                .sequence = u16(channel.sent),
                .channel = channel.remote_name,
                .sender = channel.name,
                .call = call,
                .issue = issue};
  add_credit(channel.peer, offer.data);
  offer.region = loan.region;
  offer.base = loan.base;
  if (!loan.region) {
    offer.gate = reinterpret_cast<u64>(&gate_);
  } else if (loan.answer.wanted) {
    offer.gate_region = peers_[channel.peer].gate_address.key;
    offer.gate = peers_[channel.peer].gate_address.offset;
  }
  offer.bytes = loan.bytes;
  offer.layout = u8(loan.layout);
  offer.answerable = loan.answer.wanted;
  offer.answer_region = loan.answer.region;
  offer.answer_base = loan.answer.base;
  offer.answer_number = loan.answer.number;
  return data_posted(channel, offer.data, notify(channel.peer, channel.rail, as_notice(offer)));
}

void Fabric::add_credit(transport::Peer peer, Data& data) const {
  const RecvChannel* const owed = peers_[peer].owed;
  if (!owed) return;
  data.credit_channel = owed->remote_name;
  data.consumed = u32(owed->consumed);
}

Posted Fabric::data_posted(SendChannel& channel, const Data& data, Posted posted) {
  if (posted != Posted::done && posted != Posted::pending) return posted;
  ++channel.sent;
  if (data.credit_channel != no_channel) {
    RecvChannel* const owed = std::exchange(peers_[channel.peer].owed, nullptr);
    owed->credited = owed->consumed;
    if (std::exchange(owed->credit_due, false)) std::erase(due_, owed);
  }
  return posted;
}

bool Fabric::can_be_answered(transport::Peer peer) {
  Peer& state = peers_[peer];
  if (state.gate) return true;
  auto taken = pools_.at(&transport_of(peer)).take(sizeof(LoanGate));
  if (!taken) return false;  // no memory: answers take the usual way
  state.gate = new (taken->memory) LoanGate;
  state.gate_address = taken->address;
  return true;
}

// Nobody may write to what callers get back. A peer that is stopped in the middle of it cannot be
// waited for for ever.
void Fabric::withdraw_loans() {
  for (const auto& channel : recvs_) channel->destination.withdraw();
  gate_.close();
  for (Peer& peer : peers_)
    if (peer.gate) peer.gate->shut();
  const Deadline deadline = Deadline::after(std::chrono::seconds(10));
  for (transport::Peer peer = 0; peer < peers_.size(); ++peer) {
    if (!peers_[peer].gate) continue;
    while (!peers_[peer].gate->is_empty() && !peers_[peer].broken && !deadline.passed()) poll();
    if (!peers_[peer].gate->is_empty() && !peers_[peer].broken)
      log::warn("rank {}: rank {} has not stopped writing to buffers of a call that failed", rank_,
                peer);
  }
}

Posted Fabric::announce_placed(SendChannel& channel, CallMark call, u32 issue) {
  Data data{.tag = Tag::placed,
            .sequence = u16(channel.sent),
            .channel = channel.remote_name,
            .sender = channel.name,
            .call = call,
            .issue = issue};
  add_credit(channel.peer, data);
  return data_posted(channel, data, notify(channel.peer, channel.rail, as_notice(data)));
}

Posted Fabric::noted(transport::Peer peer, Posted posted) {
  if (posted != Posted::done && posted != Posted::pending) return posted;
  if (peers_[peer].unflushed || peers_[peer].departs_at_once) return posted;
  peers_[peer].unflushed = true;
  unflushed_.push_back(peer);
  return posted;
}

Posted Fabric::notify(transport::Peer peer, transport::Rail rail, transport::Notice notice) {
  return noted(peer, transport_of(peer).notify(peer, rail, notice));
}

bool Fabric::is_flushed(transport::Peer peer) const {
  const Peer& state = peers_[peer];
  transport::Transport& transport = *routes_[peer].transport;
  if (state.broken || !transport.connected(peer)) return true;
  return state.outbox.empty() && transport.fence(peer);
}

bool Fabric::flushed() {
  std::erase_if(unflushed_, [this](transport::Peer peer) {
    if (!is_flushed(peer)) return false;
    peers_[peer].unflushed = false;
    return true;
  });
  return unflushed_.empty() && due_.empty();
}

void Fabric::mark() {
  for (const transport::Peer peer : unflushed_)
    for (u32 rail = 0; rail < peers_[peer].marks.size(); ++rail)
      peers_[peer].marks[rail] = transport_of(peer).posted(peer, transport::Rail(rail));
}

bool Fabric::have_departed() {
  if (flushed()) return true;
  return due_.empty() &&
         std::all_of(unflushed_.begin(), unflushed_.end(), [this](transport::Peer peer) {
           const Peer& state = peers_[peer];
           for (u32 rail = 0; rail < state.marks.size() && !state.broken; ++rail)
             if (transport_of(peer).departed(peer, transport::Rail(rail)) < state.marks[rail])
               return false;
           return true;
         });
}

void Fabric::control(transport::Peer peer, transport::Notice notice) {
  Peer& state = peers_[peer];
  if (state.outbox.empty()) {
    const Posted posted = notify(peer, 0, notice);
    if (posted != Posted::busy) return;
    ++outboxes_;
  }
  Letter letter;
  letter.size = notice.size();
  std::copy(notice.begin(), notice.end(), letter.bytes.begin());
  state.outbox.push_back(letter);
}

void Fabric::flush_outboxes() {
  for (const transport::Peer peer : talking_to_) {
    auto& outbox = peers_[peer].outbox;
    if (outbox.empty()) continue;
    while (!outbox.empty()) {
      const transport::Notice notice(outbox.front().bytes.data(), outbox.front().size);
      if (notify(peer, 0, notice) == Posted::busy) break;
      outbox.pop_front();
    }
    if (outbox.empty()) --outboxes_;
  }
}

// ---- receiving

void Fabric::arrived(transport::Peer from, transport::Notice notice) {
  peers_[from].heard = true;
  if (notice.empty()) return protocol_error(from, "sent an empty notice");
  const auto read = [&](auto message, auto&& then) {
    read_notice(notice, message) ? then(message)
                                 : protocol_error(from, "sent a notice that is too short");
  };
  switch (Tag(notice[0])) {
    case Tag::data:
    case Tag::placed:
    case Tag::offer: return read(Data{}, [&](const Data& data) { on_data(from, data, notice); });
    case Tag::credit:
      return read(Credit{},
                  [&](const Credit& credit) { on_credit(from, credit.channel, credit.consumed); });
    case Tag::grant: return read(Grant{}, [&](const Grant& grant) { on_grant(from, grant); });
    case Tag::explain:
      return read(Explain{}, [&](const Explain& explain) { listener_.explained(from, explain); });
    case Tag::abort: return on_abort(from, notice);
    case Tag::bye: peers_[from].left = true; return;
  }
  protocol_error(from, "sent a notice of a kind that does not exist");
}

// False: it cannot be, and that has been said.
bool Fabric::take_offer(transport::Peer from, transport::Notice notice, Item& item,
                        Landing& landing) {
  Offer offer;
  const bool whole = read_notice(notice, offer);
  if (whole && offer.region) {
    item.room = transport_of(from).map(from, offer.region);
    item.base = reinterpret_cast<const std::byte*>(
        reinterpret_cast<std::uintptr_t>(item.room.data()) + offer.base);
  } else if (whole && transport_of(from).shares_address_space()) {
    item.base = reinterpret_cast<const std::byte*>(offer.base);
    item.gate = reinterpret_cast<LoanGate*>(offer.gate);
  }
  if (!item.gate && item.room.empty()) {
    protocol_error(from, "lent memory that cannot be read");
    return false;
  }
  item.layout = Layout(offer.layout & 3);
  item.bytes = offer.bytes;
  landing = {.open = offer.answerable != 0, .number = offer.answer_number};
  if (!landing.open) return true;
  if (offer.region) {
    landing.room = transport_of(from).map(from, offer.answer_region);
    const std::span<std::byte> gates = transport_of(from).map(from, offer.gate_region);
    const bool sound = !landing.room.empty() && offer.gate % alignof(LoanGate) == 0 &&
                       offer.gate < gates.size() && sizeof(LoanGate) <= gates.size() - offer.gate;
    if (!sound) {
      protocol_error(from, "wants an answer in memory that cannot be written");
      return false;
    }
    item.gate = reinterpret_cast<LoanGate*>(gates.data() + offer.gate);
  }
  landing.base = reinterpret_cast<std::byte*>(
      reinterpret_cast<std::uintptr_t>(landing.room.data()) + offer.answer_base);
  return true;
}

// A put whose notice promises nothing sound goes to the place it names; on_data will complain.
std::byte* Fabric::place(transport::Peer from, transport::Notice notice, u64 bytes) {
  Data data;
  if (!read_notice(notice, data) || data.tag != Tag::data || data.inlined || data.bytes != bytes)
    return nullptr;
  if (data.channel >= recvs_.size() || recvs_[data.channel]->peer != from) return nullptr;
  RecvChannel& channel = *recvs_[data.channel];
  return u16(channel.arrived) == data.sequence ? channel.destination.place(bytes) : nullptr;
}

void Fabric::on_data(transport::Peer from, const Data& data, transport::Notice notice) {
  if (data.channel >= recvs_.size() || recvs_[data.channel]->peer != from)
    return protocol_error(from, "wrote to a channel that is not its own");
  RecvChannel& channel = *recvs_[data.channel];
  if (u16(channel.arrived) != data.sequence || channel.arrived - channel.consumed >= channel.depth)
    return protocol_error(from, "lost the order of a channel, or overran its slots");
  Item item{.call = data.call, .issue = data.issue};
  std::byte* direct = nullptr;
  if (data.tag == Tag::data && !data.inlined)
    direct = channel.destination.arrived(data.bytes);
  else
    channel.destination.withdraw();  // what follows this item belongs elsewhere
  if (data.tag == Tag::offer) {
    if (!take_offer(from, notice, item, channel.landings[channel.next_place])) return;
  } else if (data.tag == Tag::placed) {
    item.placed = true;
  } else {
    if (data.bytes > channel.slot_bytes) return protocol_error(from, "filled more than a slot");
    std::byte* const slot = channel.slots + u64{channel.next_place} * channel.slot_bytes;
    if (data.inlined) {
      if (notice.size() != sizeof(Data) + data.bytes)
        return protocol_error(from, "sent a notice of another length than it says");
      std::memcpy(slot, notice.data() + sizeof(Data), data.bytes);
    }
    item.data = direct ? direct : slot;
    item.bytes = data.bytes;
    if (options_.integrity && !is_whole(channel, data, item.data, notice)) return;
  }
  channel.items[channel.next_place] = item;
  if (++channel.next_place == channel.depth) channel.next_place = 0;
  channel.remote_name = data.sender;
  ++channel.arrived;
  listener_.saw_call(from, data.call);
  listener_.can_receive(channel);
  if (data.credit_channel == no_channel) return;
  if (data.credit_channel >= sends_.size())
    return on_credit(from, data.credit_channel, 0);  // which says what is wrong
  // The counter's low bits are enough: no more than `depth` items are ever under way.
  const u64 sent = sends_[data.credit_channel]->sent;
  on_credit(from, data.credit_channel, sent - u32(u32(sent) - data.consumed));
}

void Fabric::on_credit(transport::Peer from, u32 name, u64 consumed) {
  if (name >= sends_.size() || sends_[name]->peer != from)
    return protocol_error(from, "returned credit for a channel that is not its own");
  SendChannel& channel = *sends_[name];
  if (consumed > channel.sent)
    return protocol_error(from, "returned credit for what was never sent");
  channel.credited = std::max(channel.credited, consumed);
  listener_.can_send(channel);
}

void Fabric::on_abort(transport::Peer from, transport::Notice notice) {
  Abort abort;
  std::memcpy(static_cast<void*>(&abort), notice.data(), std::min(notice.size(), sizeof abort));
  const std::size_t size = std::min<std::size_t>(abort.bytes, sizeof abort.text);
  log::debug("rank {}: rank {} passes on an error of rank {}", rank_, from, abort.origin);
  listener_.failed({Code(abort.code), std::string(abort.text, size)}, abort.origin);
}

void Fabric::pop(RecvChannel& channel, bool answered) {
  const bool loan = !channel.front().data && !channel.front().placed;
  if (++channel.front_place == channel.depth) channel.front_place = 0;
  channel.offset = 0;
  channel.loan_read = 0;
  channel.loan_run = 0;
  ++channel.consumed;
  // The lender waits for this very credit. Slots are given back by halves, or on the way with the
  // next message to the sender.
  const bool tell = loan || channel.consumed - channel.credited >= std::max(1u, channel.depth / 2);
  if (!tell || answered) peers_[channel.peer].owed = &channel;
  // What no message has taken along by the next poll goes by itself.
  if (!tell || channel.credit_due || (!answered && send_credit(channel))) return;
  channel.credit_due = true;
  due_.push_back(&channel);
}

bool Fabric::send_credit(RecvChannel& channel) {
  const Credit credit{.channel = channel.remote_name, .consumed = channel.consumed};
  const Posted posted =
      notify(channel.peer, rail_of(channel.peer, channel.name), as_notice(credit));
  if (posted == Posted::busy) return false;
  channel.credited = credit.consumed;
  return true;
}

void Fabric::flush_credits() {
  std::erase_if(due_, [this](RecvChannel* channel) {
    if (!send_credit(*channel)) return false;
    channel->credit_due = false;
    return true;
  });
}

void Fabric::completed(transport::Peer, transport::Cookie cookie) { listener_.sent(cookie); }

// ---- faults and the end

void Fabric::broken(transport::Peer peer, const Error& why) {
  Peer& state = peers_[peer];
  state.broken = true;
  if (!state.outbox.empty()) {
    state.outbox.clear();
    --outboxes_;
  }
  if (state.left) return listener_.departed(peer);  // it had said goodbye
  // The transport names both ends; who we are stands in front of every error already.
  std::string_view text = why.text;
  if (const std::string self = fmt::format("rank {}: ", rank_); text.starts_with(self))
    text.remove_prefix(self.size());
  listener_.failed({Code::remote_error, std::string(text)}, rank_);
}

void Fabric::protocol_error(transport::Peer from, const char* what) {
  listener_.failed({Code::remote_error,
                    fmt::format("rank {} {}: its library or its memory is not sound; compare "
                                "versions on both ranks",
                                from, what)},
                   rank_);
}

void Fabric::explain(transport::Peer peer, const Explain& explain) {
  control(peer, as_notice(explain));
}

void Fabric::abort(const Error& error, u32 origin) {
  for (transport::Peer peer = 0; peer < peers_.size(); ++peer)  // who talks to us hears it as well
    if (peers_[peer].heard && !peers_[peer].connecting && !peers_[peer].broken) (void)connect(peer);
  Abort notice{.code = u8(error.code), .origin = origin};
  notice.bytes = u16(error.text.copy(notice.text, sizeof notice.text));
  for (const transport::Peer peer : talking_to_)
    if (!peers_[peer].broken)
      control(peer, as_notice(notice, offsetof(Abort, text) + notice.bytes));
}

void Fabric::say_bye() {
  for (const transport::Peer peer : talking_to_)
    if (!std::exchange(peers_[peer].said_bye, true) && !peers_[peer].broken)
      control(peer, as_notice(Bye{}));
}

bool Fabric::all_left() {
  return outboxes_ == 0 &&
         std::all_of(talking_to_.begin(), talking_to_.end(), [&](transport::Peer peer) {
           return peers_[peer].broken || (peers_[peer].left && transport_of(peer).fence(peer));
         });
}

static std::string describe_ranks(const std::vector<transport::Peer>& ranks) {
  return fmt::format("rank{} {}", ranks.size() == 1 ? "" : "s", fmt::join(ranks, ", "));
}

std::string Fabric::describe_unflushed() const { return describe_ranks(unflushed_); }

std::string Fabric::describe_present() const {
  std::vector<transport::Peer> present;
  for (const transport::Peer peer : talking_to_)
    if (!peers_[peer].left && !peers_[peer].broken) present.push_back(peer);
  return describe_ranks(present);
}

std::size_t Fabric::poll() {
  std::size_t events = 0;
  for (transport::Transport* transport : transports_) events += transport->poll(*this);
  if (outboxes_) flush_outboxes();
  if (!due_.empty()) flush_credits();
  return events;
}

std::string Fabric::describe(transport::Peer peer) const {
  const Route& route = routes_[peer];
  return fmt::format("{}, {}", route.transport->name(), route.transport->describe(peer));
}

}  // namespace weft::channel
