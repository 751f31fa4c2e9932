// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "steps/repetition.hpp"
#include "trace/events.hpp"
#include "trace/outer_calls.hpp"

namespace pathline::comm {

/// How closely calls must agree to be alike.
enum class Detail : uint8_t {
  kFunction,  // Runs of one function are one call, whoever the peers are.
  kPeers,     // The same with peer and bytes of the first call of a run.
  kEachCall   // No runs.
};

/// One call that communicates, or several in a row.
struct Item {
  steps::Symbol by_function;
  uint64_t key_by_peers;
  trace::CallEvents first;
  uint64_t bytes;  // Of an operation without a root; 0 otherwise.
  uint32_t calls;
};

/// The calls of MPI of one thread that communicate, in the order of time.
///
/// each_call  each is an item; otherwise calls of one function in a row are.
/// cost       O(events).
std::vector<Item> items_of(const trace::Events& events,
                           const std::vector<trace::CallClass>& classes, bool each_call);

std::vector<steps::Symbol> symbols_of(const std::vector<Item>& items, Detail detail);

/// False if each function always has the same peer and bytes: then both details are one sequence.
bool peers_say_more(const std::vector<Item>& items);

}  // namespace pathline::comm
