// Runs code on every instruction set this machine has, so that its fallbacks are tested too.
//
// The choice is the process's, so tests that make it run one after the other; it lasts as long as
// the object.
#pragma once
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <vector>

#include "intranode/host/reduce.hpp"

namespace weft::host::test {

class InstructionSet {
 public:
  explicit InstructionSet(i64 set) {
    hwy::SetSupportedTargetsForTest(set);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    EXPECT_STREQ(instruction_set(), hwy::TargetName(set));
  }
  InstructionSet(const InstructionSet&) = delete;
  InstructionSet& operator=(const InstructionSet&) = delete;
  ~InstructionSet() {
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

inline std::vector<i64> instruction_sets() {
  hwy::SetSupportedTargetsForTest(0);
  return hwy::SupportedAndGeneratedTargets();
}

template <class Body>
void on_every_instruction_set(Body body) {
  for (i64 set : instruction_sets()) {
    SCOPED_TRACE(hwy::TargetName(set));
    const InstructionSet chosen(set);
    body();
  }
}

}  // namespace weft::host::test
