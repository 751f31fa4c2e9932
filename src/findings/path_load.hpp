// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "findings/model.hpp"

namespace pathline::findings {

/// What ranks do at one call path outside of MPI, together with the file I/O that it calls.
///
/// The excess of a rank is its time beyond the mean of all ranks.
struct PathLoad {
  std::vector<uint32_t> paths;  ///< Indices into Model::call_paths: its own, then those of its I/O.
  std::vector<uint32_t> lanes;  ///< Of the ranks, in their order.
  std::vector<uint64_t> by_rank;             ///< Ticks per entry of `lanes`.
  std::vector<std::vector<uint64_t>> steps;  ///< Per step that has any: the same.
  std::vector<uint32_t> step_numbers;        ///< Numbers of these steps; kNone: outside of all.
  uint64_t io_ticks = 0;                     ///< In calls that read or write files.

  [[nodiscard]] double mean() const;
  /// Index into `lanes` of the rank with most time, the first of several.
  [[nodiscard]] size_t top() const;
  /// Ranks with at least a twentieth of the largest time.
  [[nodiscard]] size_t participants() const;
  /// Whether it is always the same rank that is late: the excess of the latest over all steps,
  /// beside what the latest of each step have. From 0 to 1, which is always.
  [[nodiscard]] double same_rank() const;
  /// What the latest of each step have beyond the mean, beside the mean of all.
  [[nodiscard]] double unevenness() const;
  /// The top rank is above the mean in four of five steps, and its median excess is half of its
  /// mean one or more: no single interruption. With less than six steps nobody can tell: true.
  [[nodiscard]] bool is_steady() const;
  /// The excess of the top rank in the last third of the steps is twice that of the first third.
  [[nodiscard]] bool grows() const;
};

/// The loads of all paths of a model that cost others time, by path.
///
/// Steps are merged to at most kMostBins of them, so that memory does not grow with their number.
///
/// wanted  indices into Model::call_paths
/// ticks   per piece: Model::piece_ticks, or a part of it
/// cost    O(pieces), and 8 bytes for each wanted path, rank and step
std::vector<PathLoad> path_loads(const Model& model, const std::vector<uint32_t>& wanted,
                                 const base::Column<uint64_t>& ticks);
inline std::vector<PathLoad> path_loads(const Model& model, const std::vector<uint32_t>& wanted) {
  return path_loads(model, wanted, model.piece_ticks);
}
inline constexpr size_t kMostBins = 256;

/// Bytes that a lane read from and wrote to files at these call paths, in the window.
///
/// cost  O(events of the lane + call paths)
uint64_t io_bytes(const Model& model, const std::vector<uint32_t>& paths, uint32_t lane);

/// Per call path: the path that a call of file I/O counts for, which is that of its caller; others
/// count for themselves.
std::vector<uint32_t> paths_without_io(const trace::Definitions& definitions,
                                       const std::vector<profile::CallPathNode>& call_paths);
inline std::vector<uint32_t> paths_without_io(const Model& model) {
  return paths_without_io(model.trace->definitions, model.call_paths);
}

}  // namespace pathline::findings
