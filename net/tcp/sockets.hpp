// The few system calls on sockets, and the epoll set that all of an endpoint's sockets are in.
//
// A Token says what a descriptor in the set is. Descriptors come and go while a batch of events is
// worked off, so every handler of a token must bear being called for nothing.
#pragma once
#include <sys/epoll.h>

#include <bit>
#include <span>

#include "base/clock.hpp"
#include "base/handle.hpp"
#include "net/tcp/addresses.hpp"

namespace weft::tcp {

struct Token {
  enum class Kind : u8 { listener, visitor, attempt, link, alarm } kind;
  u8 rail = 0;    // link
  u16 index = 0;  // listener; visitor and attempt: place in their list
  u32 peer = 0;   // attempt, link
};
static_assert(sizeof(Token) == sizeof(u64));

// Epoll, and a timer in it for who sleeps on fd().
class Poller {
 public:
  static Result<Poller> make();
  int fd() const { return epoll_.get(); }
  void add(int fd, u32 events, Token token) { control(EPOLL_CTL_ADD, fd, events, token); }
  void change(int fd, u32 events, Token token) { control(EPOLL_CTL_MOD, fd, events, token); }
  void remove(int fd) { control(EPOLL_CTL_DEL, fd, 0, {}); }
  std::span<epoll_event> ready(std::span<epoll_event> room);
  void ring_at(TimePoint when);  // wakes the sleeper; TimePoint::max(): never
  void silence();                // after it rang

 private:
  void control(int what, int fd, u32 events, Token token);
  Fd epoll_, timer_;
  bool timer_set_ = false;
};

inline Token token_of(const epoll_event& event) {
  return std::bit_cast<Token>(u64{event.data.u64});
}

// A listening socket on the address, whose port is taken from the range and set.
Result<Fd> listen_on(Address* address, u16 first_port, u16 last_port);
// Starts or continues to connect: 0 connected, EINPROGRESS under way, else why it failed.
int connect_to(int socket, const Address& address);
Result<Fd> make_socket(const Address& address);
void tune(int socket);  // for data
// All or what there is, without waiting; -1 with errno.
ssize_t receive(int socket, std::span<std::byte> into);
// True if all of it went; only for the few bytes of a hello, which always fit an empty socket.
bool send_all(int socket, std::span<const std::byte> bytes);
std::string name_of_errno(int error_number);

}  // namespace weft::tcp
