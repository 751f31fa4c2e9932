// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/packing.hpp"
#include "base/thread_pool.hpp"
#include "graph/traffic.hpp"
#include "trace/select.hpp"
#include "trace/trace.hpp"

namespace pathline::comm {

/// The communication matrix: traffic, and how long the messages of each pair took from the time
/// stamp of the send record to that of the receive record. Times are signed: clocks may disagree.
struct Matrix {
  graph::Traffic traffic;
  std::vector<int64_t> min_ticks;  ///< Per entry of traffic.
  std::vector<int64_t> max_ticks;
  std::vector<double> mean_ticks;
};

/// Which messages, by row, `selection` and the marked time step of their sender choose.
std::vector<bool> chosen_messages(const trace::Trace& trace, const trace::Selection& selection,
                                  std::optional<uint32_t> step);

/// Counts the messages of `selection`.
///
/// step  only messages sent in this marked time step of their sender.
/// cost  O(messages + ranks + pairs), parallel over senders; independent of the thread count.
Matrix matrix(const trace::Trace& trace, const trace::Selection& selection,
              std::optional<uint32_t> step, base::ThreadPool& pool);

/// The pairs of a matrix of which one has a rank of `selection`, whose times do not count.
Matrix chosen(const Matrix& matrix, const trace::Selection& selection);

/// The matrix of messages that come a part after the other, in any order.
class GrowingMatrix {
 public:
  GrowingMatrix();
  ~GrowingMatrix();
  GrowingMatrix(const GrowingMatrix&) = delete;
  GrowingMatrix& operator=(const GrowingMatrix&) = delete;

  /// chosen  of these messages; null for all.
  /// cost    O(messages); some 55 bytes a pair.
  void add(const trace::Messages& messages, const trace::Selection* chosen = nullptr);
  /// The matrix of all that was added, which is forgotten.
  [[nodiscard]] Matrix finish(uint32_t rank_count);
  /// The sums so far, for another process; take() adds them to its own.
  void pack(base::Packer& out) const;
  void take(base::Unpacker& in);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pathline::comm
