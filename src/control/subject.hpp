// A rank of a communicator in this process, as control sees it.
//
// Called on the control thread, under its lock: an implementation neither waits nor calls control.
#pragma once
#include "control/message.hpp"

namespace weft::control {

class Subject {
 public:
  // How it stands: numbers of calls always; the rest as it was last published, of the call that was
  // asked about. `driven`: that was of late.
  virtual Entry look() const = 0;
  // Have whoever drives it publish the rest, if somebody does.
  virtual void ask(u64 call) = 0;
  // The verdict: everything under way ends with it, and everything that is begun.
  virtual void condemn(const Error& verdict) = 0;

 protected:
  ~Subject() = default;
};

}  // namespace weft::control
