// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "trace/trace.hpp"

namespace pathline::trace {

/// The part of a run that a question is about.
struct Selection {
  uint64_t from_ticks = 0;            ///< First tick inside.
  uint64_t until_ticks = UINT64_MAX;  ///< First tick after.
  std::vector<bool> ranks;            ///< By rank; empty means all.

  [[nodiscard]] bool has_rank(uint32_t rank) const {
    return ranks.empty() || (rank < ranks.size() && ranks[rank]);
  }
  [[nodiscard]] bool has_time(uint64_t ticks) const {
    return ticks >= from_ticks && ticks < until_ticks;
  }
  [[nodiscard]] bool everything() const {
    return from_ticks == 0 && until_ticks == UINT64_MAX && ranks.empty();
  }
  /// A message belongs to the time of its sending and to both its ranks: it is in when one is.
  [[nodiscard]] bool has_message(const Messages& messages, size_t i) const {
    return has_time(messages.send_ticks[i]) &&
           (has_rank(messages.sender[i]) || has_rank(messages.receiver[i]));
  }
};

/// What a user typed: seconds since the start of the run and a list of ranks.
struct SelectionText {
  std::optional<double> from_s;
  std::optional<double> until_s;
  std::string_view ranks;  ///< "0-31,64"; "" for all.
};

/// errors  kInvalidArgument for a list that is none and a time that is not a number; kNotFound for
///         a rank that the trace does not have and a range without any time of the run.
base::Result<Selection> select(const Trace& trace, const SelectionText& text);

/// errors  kNotFound when no rank marked time step `step`, naming those there are.
base::Status require_step(const Trace& trace, uint32_t step);

}  // namespace pathline::trace
