// NCCL_TESTS_SPLIT: processes of one colour form a group, and the groups run beside each other.
//
// Threads: pure functions.
#pragma once

namespace weft::perf {

// The colour of process `process`: NCCL_TESTS_SPLIT_MASK is a hexadecimal mask; NCCL_TESTS_SPLIT is
// AND, OR, MOD or DIV (or & | % /) and a number in base 2 (0b), 10 or 16 (0x). Either may be null;
// without a rule that can be read every process has colour 0, as in nccl-tests.
int colour_of(int process, const char* split_mask, const char* split);

}  // namespace weft::perf
