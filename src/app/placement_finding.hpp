// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "base/thread_pool.hpp"
#include "findings/judge.hpp"
#include "trace/trace.hpp"

namespace pathline::app {

/// Whether ranks that talk much run on different hosts: where a fifth or more of the bytes of the
/// judged part cross hosts, and other ranks together would let a third or more of these stay
/// inside.
///
/// What is recoverable is an estimate, no replay: of the time that the network costs (transfer),
/// the part of the bytes that need not cross. nullopt for a run on one host, or on more than 4,096
/// ranks, whose placement takes long to search.
///
/// cost  O(messages), and a search by app::remap().
std::optional<findings::Finding> bad_placement(const trace::Trace& trace,
                                               const findings::Judgement& judged,
                                               base::ThreadPool& pool);

}  // namespace pathline::app
