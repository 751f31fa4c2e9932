// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <vector>

#include "figure/figure.hpp"
#include "layout/pair_value.hpp"

// What the pictures of pairs have in common: matrix, chord, flow.
namespace pathline::figure {

/// What some pairs of processes exchanged.
struct Exchange {
  double messages = 0;
  double bytes = 0;
  double seconds = 0;  ///< Summed over messages.

  /// Mean time per message, and bytes per second, for kTime and kBandwidth.
  [[nodiscard]] double mean(Metric metric) const;
  /// What can be added up: the time of all messages together, not below 0, for kTime.
  [[nodiscard]] double sum(Metric metric) const;
  void add(const comm::Matrix& matrix, size_t entry, double seconds_per_tick);
};

/// Calls use(sender's position, receiver's position, entry of the traffic) for every pair of
/// selected processes.
template <class Use>
void for_each_pair(const comm::Matrix& matrix, const comm::ProcessOrder& order, Use use) {
  const graph::Traffic& traffic = matrix.traffic;
  for (uint32_t sender = 0; sender < traffic.rank_count(); ++sender) {
    const uint32_t from = order.position_of_rank[sender];
    if (from == UINT32_MAX) continue;
    for (size_t i = traffic.row[sender]; i < traffic.row[sender + 1]; ++i) {
      const uint32_t to = order.position_of_rank[traffic.receiver[i]];
      if (to != UINT32_MAX) use(from, to, i);
    }
  }
}

/// The pairs of a picture in which values are added up.
struct OrderedPairs {
  comm::ProcessOrder order;
  std::vector<layout::PairValue> values;
};

/// errors  kInvalidArgument for bandwidth, which has no sum, and when no rank is selected.
base::Result<OrderedPairs> ordered_pairs(const trace::Trace& trace,
                                         const trace::Selection& selection,
                                         const comm::Matrix& matrix, const Options& options);

struct PairsText {
  uint64_t message_count = 0;  ///< Of the pairs shown.
  std::string subtitle;        ///< Ranks, pairs, messages, bytes; the order and its score.
};
PairsText pairs_text(const trace::Trace& trace, const trace::Selection& selection,
                     const comm::Matrix& matrix, const comm::ProcessOrder& order);

/// Names of the ranks at positions [begin, end): "7", "64–127", "3, 9, 4 …"; a block's name if it
/// is one.
std::string positions_text(const comm::ProcessOrder& order, uint32_t begin, uint32_t end);

/// "1,234", "8.36 MB", "45.6 ms", "1.5 GB/s".
std::string value_text(Metric metric, double value);

}  // namespace pathline::figure
