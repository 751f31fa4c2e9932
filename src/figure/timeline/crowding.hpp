// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/thread_pool.hpp"
#include "figure/timeline/states.hpp"
#include "trace/trace.hpp"

namespace pathline::figure {

/// How close to each other the lines of a run's messages lie in a timeline, at any zoom. What a
/// timeline draws is decided by this and the length of time it shows, never by which part of the
/// run that is: neighbouring parts at one zoom look alike, and each run has one length of time from
/// which on lines appear.
class Crowding {
 public:
  /// Of the messages between two rows of the picture, over the whole run.
  ///
  /// cost  O(messages), parallel; the same for any number of threads.
  Crowding(const trace::Trace& trace, const Rows& rows, base::ThreadPool& pool);

  /// How much of the height of its surroundings, kSpacingPx wide, is taken by lines where a
  /// message's line runs, the mean over all of them: below 1 there is room for each of them.
  ///
  /// window_ticks  time that the plot shows.
  [[nodiscard]] double at(uint64_t window_ticks, double plot_width_px, double plot_height_px) const;

  /// The longest time of which a plot can draw each message as a line that can be followed, to 5 %;
  /// 0 if no zoom makes room for them.
  [[nodiscard]] uint64_t lines_window_ticks(double plot_width_px, double plot_height_px) const;

  static constexpr double kSpacingPx = 4;

 private:
  struct Level {
    double taken = 0;    ///< Share of the height that upright lines take where messages are.
    double pending = 0;  ///< Messages under way at once, there.
  };

  uint64_t span_ticks_ = 1;
  std::vector<Level> levels_;  ///< Of times twice as long each, the finest first.
};

}  // namespace pathline::figure
