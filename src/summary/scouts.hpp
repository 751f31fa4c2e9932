// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/thread_pool.hpp"
#include "otf2/event_stream.hpp"
#include "otf2/reader.hpp"

namespace pathline::summary {

/// A few of the locations, which are decoded ahead of the others and tell how many events come:
/// where all ranks of a run are busy at a time, a window judged by the one before would have many
/// times what was asked for.
class Scouts {
 public:
  /// owns  which locations to choose from: one of 61, so that patterns of nodes and cores do not
  ///       choose; none of fewer.
  Scouts(const otf2::Archive& archive, const std::function<bool(size_t location)>& owns);

  /// The end of a window that has about so many events, as far as these locations tell: from the
  /// end of the last one to at most `limit`.
  ///
  /// cost  their events up to `limit`, each of them once.
  uint64_t end_of(uint64_t events, uint64_t limit, base::ThreadPool& pool);
  /// About how many events are before `until`, which is at most the last `limit`.
  [[nodiscard]] uint64_t expected(uint64_t until) const;
  /// A window has ended: the next begins there.
  ///
  /// events  that it had, of all locations.
  void pass(uint64_t until, uint64_t events);
  /// Whether they had enough events in the last window to tell anything.
  [[nodiscard]] bool know() const { return last_events_ >= kEnough; }

 private:
  static constexpr uint64_t kEnough = 64;
  struct Scout {
    uint32_t location;
    otf2::EventStream stream;
    std::vector<uint64_t> ahead;  // Times of its events from the end of the last window on.
  };
  void look_ahead(Scout& scout, uint64_t limit) const;

  const otf2::Archive& archive_;
  std::vector<Scout> scouts_;
  double by_size_ = 1;  // Events of all for one of theirs, by the sizes of files.
  double each_ = 1;     // The same by the last window.
  uint64_t passed_ = 0;
  uint64_t last_events_ = 0;
};

}  // namespace pathline::summary
