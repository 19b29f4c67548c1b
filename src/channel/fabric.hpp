// All channels of one rank, over all its transports: slots, credits and sequence numbers, once.
//
// The Fabric connects to peers when a channel to them is first opened, grants slots to senders,
// turns notices into items, and tells its Listener which channel has something to do. It never
// blocks and, once channels are open, neither allocates nor locks. Lifetime: transports outlive it.
// Threads: one at a time.
#pragma once
#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <memory>

#include "channel/channel.hpp"
#include "channel/slot_pool.hpp"

namespace weft::channel {

struct Options {
  u32 frames = 2;
  u32 slots =
      4;  // of a channel in a frame; 0: every message is lent, peers share the address space
  u32 slot_bytes = 128 << 10;  // a multiple of 64
  bool lend = true;            // large messages are lent where peers can read them in place
  bool integrity = false;      // every message is put with a checksum; none is lent
};

// How a peer is reached.
struct Route {
  transport::Transport* transport = nullptr;  // nullptr: this rank itself
  std::string address;
};

class Listener {
 public:
  virtual void can_send(SendChannel& channel) = 0;     // a grant or a credit has come
  virtual void can_receive(RecvChannel& channel) = 0;  // an item has come
  virtual void sent(transport::Cookie cookie) = 0;     // a put's source is free
  virtual void saw_call(transport::Peer from, CallMark mark) = 0;
  virtual void explained(transport::Peer from, const Explain& explain) = 0;
  virtual void failed(const Error& error, u32 origin) = 0;
  // What an item that has just come is a part of, for an error about it.
  virtual std::string describe_item(const RecvChannel&, u32 call, u64 /*bytes*/) const {
    return fmt::format("call {}", call);
  }
  virtual void departed(
      transport::Peer peer) = 0;  // after its goodbye: nothing more can come from it

 protected:
  ~Listener() = default;
};

class Fabric final : private transport::Sink {
 public:
  Fabric(u32 rank, Options options, std::vector<Route> routes, Listener& listener);

  // The channel's ends in all frames; connects and grants on first use. Pointers live as long as
  // the Fabric.
  Result<SendChannel* const*> open_send(transport::Peer peer, u8 port);
  Result<RecvChannel* const*> open_recv(transport::Peer peer, u8 port);

  // One item: at most slot_bytes in at most transport::max_pieces. Requires a credit.
  transport::Posted post(SendChannel& channel, std::span<const transport::Piece> pieces, u64 bytes,
                         CallMark call, u32 issue, transport::Cookie cookie);
  // One item: the whole message, free again when `credited` passes it. Requires a credit, and
  // channel.lends or, for what is in a region, channel.maps.
  transport::Posted lend(SendChannel& channel, const Loan& loan, CallMark call, u32 issue);
  // May the peer put answers to loans into regions of this rank? Makes what guards them, once.
  bool can_be_answered(transport::Peer peer);
  // One item: says that the whole message is where the receiver wanted it. Requires a credit.
  transport::Posted announce_placed(SendChannel& channel, CallMark call, u32 issue);
  // The largest message that is one item, inside its notice, whoever the peer; 0: none is.
  u64 most_inline_bytes() const {
    return options_.slots ? std::min<u64>(most_inline_, options_.slot_bytes) : 0;
  }
  // Done with the front item. `answered`: of a loan whose answer goes to the lender at once, and
  // takes the credit along.
  void pop(RecvChannel& channel, bool answered = false);

  std::size_t poll();
  // Sends what transports keep back, so that nothing waits for the next poll.
  void push() {
    for (transport::Transport* transport : keeping_back_) transport->push();
  }
  std::string describe(transport::Peer peer) const;

  void explain(transport::Peer peer, const Explain& explain);
  void abort(const Error& error, u32 origin);  // tells every connected peer, best effort
  // All that was posted to connected peers has left this rank, and no source of it is referred to.
  bool flushed();
  // The same for what was posted before mark() was last called: then the rank may stop polling.
  void mark();
  bool passed_mark() { return keeps_nothing() || have_departed(); }
  bool keeps_nothing() const { return unflushed_.empty() && due_.empty(); }
  // Before buffers are returned whose loans may not have been released, and which bytes may still
  // be on their way to.
  void withdraw_loans();
  bool has_departed(transport::Peer peer) const { return peers_[peer].broken; }
  bool quiet() const { return outboxes_ == 0; }  // all control notices are on their way
  // Leaving: say_bye, then poll until all_left, so that nothing under way is cut off.
  void say_bye();
  bool all_left();
  std::string describe_unflushed() const;  // "ranks 2, 5": those to whom something has not left
  std::string describe_present() const;    // "ranks 2, 5": those who have not said goodbye

  // For sleeping: every transport in use.
  std::span<transport::Transport* const> transports() const { return transports_; }

 private:
  struct Letter {
    std::array<std::byte, transport::max_notice_bytes> bytes;
    std::size_t size;
  };
  struct Peer {
    bool departs_at_once = false;  // what was posted need not be flushed
    bool connecting = false, heard = false, said_bye = false, left = false, broken = false;
    std::vector<u64> marks;       // of each rail: what had been posted when mark() was called
    bool unflushed = false;       // something was posted since flushed() last looked
    RecvChannel* owed = nullptr;  // a credit that the next message to it may carry
    LoanGate* gate = nullptr;     // for answers that it puts into memory of this rank
    transport::RemoteAddress gate_address;
    std::deque<Letter> outbox;  // control notices the transport could not take yet
  };
  using Key = std::pair<transport::Peer, u8>;
  template <class Channel>
  using Ends = std::map<Key, std::unique_ptr<std::vector<Channel*>>>;

  void arrived(transport::Peer from, transport::Notice notice) override;
  void completed(transport::Peer to, transport::Cookie cookie) override;
  void broken(transport::Peer peer, const Error& why) override;
  std::byte* place(transport::Peer from, transport::Notice notice, u64 bytes) override;

  void on_grant(transport::Peer from, const Grant& grant);
  bool take_offer(transport::Peer from, transport::Notice notice, Item& item, Landing& landing);
  void on_data(transport::Peer from, const Data& data, transport::Notice notice);
  void on_credit(transport::Peer from, u32 channel, u64 consumed);
  void on_abort(transport::Peer from, transport::Notice notice);
  void protocol_error(transport::Peer from, const char* what);

  Status connect(transport::Peer peer);
  std::vector<SendChannel*>& send_ends(transport::Peer peer, u8 port);
  void control(transport::Peer peer,
               transport::Notice notice);  // kept until the transport takes it
  void flush_outboxes();
  transport::Posted noted(transport::Peer peer, transport::Posted posted);
  transport::Posted notify(transport::Peer peer, transport::Rail rail, transport::Notice notice);
  // All frames of a channel share a rail, neighbouring channels do not.
  transport::Rail rail_of(transport::Peer peer, u32 channel) {
    return transport::Rail(channel / options_.frames % transport_of(peer).rails());
  }
  void add_credit(transport::Peer peer, Data& data) const;
  transport::Posted data_posted(SendChannel& channel, const Data& data, transport::Posted posted);
  bool send_credit(RecvChannel& channel);
  void flush_credits();
  transport::Transport& transport_of(transport::Peer peer) { return *routes_[peer].transport; }

  // integrity.cpp
  transport::Posted put_checked(const SendChannel& channel, transport::RemoteAddress slot,
                                std::span<const transport::Piece> pieces, const Data& data,
                                transport::Cookie cookie);
  bool is_whole(const RecvChannel& channel, const Data& data, const std::byte* bytes,
                transport::Notice notice);

  bool may_lend(transport::Peer peer) {
    return options_.lend && !options_.integrity && !transport_of(peer).posts_every_byte();
  }
  bool is_flushed(transport::Peer peer) const;
  bool have_departed();

  u32 rank_;
  Options options_;
  u64 most_inline_;  // bytes of a message that travel inside its notice
  std::vector<Route> routes_;
  Listener& listener_;
  std::vector<transport::Transport*> transports_;
  std::vector<transport::Transport*> keeping_back_;  // of them: where posts may not have left yet
  std::map<transport::Transport*, SlotPool> pools_;
  std::vector<Peer> peers_;
  std::vector<transport::Peer> talking_to_;  // peers with a connection, made or under way
  std::vector<transport::Peer> unflushed_;
  u32 outboxes_ = 0;  // peers with something in their outbox
  LoanGate& gate_ = LoanGate::make();
  std::vector<std::unique_ptr<SendChannel>> sends_;  // by name
  std::vector<std::unique_ptr<RecvChannel>> recvs_;
  Ends<SendChannel> send_ends_;
  Ends<RecvChannel> recv_ends_;
  std::vector<RecvChannel*> due_;  // credits the transport could not take yet
};

}  // namespace weft::channel
