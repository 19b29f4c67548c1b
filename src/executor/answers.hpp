// Messages that bring back to a lender what the reader of the loan made of it.
//
// Two shots of an all-reduce: each rank lends chunk c to its owner, who adds all of them up and
// sends the sum back. A lender whose output peers can write to says, with the loan, where the sum
// may be put; so the owner stores each part of it in all places in the pass that computes it, and
// the send of the sum, once it issues, only says that its bytes are there. Both steps run as they
// were proved, in their order; that the place of a receive is given away before it issues is safe
// because nothing here touches those atoms in between but the very loan, whose reader is the
// writer. Threads: none, used while lowering.
#pragma once
#include "executor/plan.hpp"

namespace weft::executor {

// Fills in End::number, End::answer and LoweredStep::readers.
void find_answers(Plan& plan);

}  // namespace weft::executor
