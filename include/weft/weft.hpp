/**
 * @file weft.hpp
 * @brief Weft's C++20 API: this header includes all of it.
 *
 * A thin face of weft.h, in headers alone: ownership, checked sizes, types deduced from buffers,
 * exceptions. Nothing it does costs an allocation or a lock a call, but for what weft.h does; a
 * callback, an operator and a Future cost one when made.
 *
 *     #include <weft/weft.hpp>
 *
 *     int main() {
 *       weft::Communicator comm = weft::Communicator::from_environment();
 *       std::vector<float> gradients(1000, 1.0f);
 *       comm.all_reduce(gradients, weft::Op::avg);               // blocking, in place
 *
 *       weft::Request request = comm.all_reduce_start(gradients); // in the background
 *       ...
 *       request.wait();
 *     }
 *
 * Units, deadlines, fork() and exit() are as weft.h says. Everything lives in namespace weft;
 * what is in weft::detail is nobody's business. The inline namespace v0 keeps programs apart that
 * were compiled with different major versions.
 *
 * Lifetime: destroy in the reverse order of making, the communicator last. Destructors never throw
 * and never wait for a peer longer than the 10 s of leaving. Threads: a communicator and all that
 * was made from it, one thread at a time.
 */
#pragma once
#include "weft/buffer.hpp"
#include "weft/calls.hpp"
#include "weft/collectives.hpp"
#include "weft/communicator.hpp"
#include "weft/config.hpp"
#include "weft/error.hpp"
#include "weft/group.hpp"
#include "weft/memory.hpp"
#include "weft/operator.hpp"
#include "weft/request.hpp"
#include "weft/rooted.hpp"
#include "weft/types.hpp"
#include "weft/uneven.hpp"
