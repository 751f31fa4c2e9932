// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <vector>

#include "base/arena.hpp"
#include "base/progress.hpp"
#include "base/result.hpp"
#include "base/spares.hpp"
#include "base/thread_pool.hpp"
#include "otf2/event_stream.hpp"
#include "otf2/reader.hpp"
#include "summary/piece_reader.hpp"
#include "summary/scouts.hpp"
#include "summary/share.hpp"
#include "trace/trace.hpp"

namespace pathline::summary {

struct WindowSize {
  /// About so many events are in a window, of each process, judged by some locations that are
  /// looked at first, or by the window before.
  uint64_t events = 4'000'000;
  /// Of the first window; 0 for a hundredth of a second. What a run says of its length is not to be
  /// trusted.
  uint64_t first_ticks = 0;
};

/// An archive one window of time after the other, in memory for one window.
///
/// A window is a trace of its own: each location begins with events of earlier windows that are
/// still needed, with their times: the Enters of calls that are open, and what keep() asked for.
/// Behind them stand the events of the window. So what is known about a trace can be asked of it,
/// and what is asked for the time of the window adds up over all of them.
class Windows {
 public:
  /// archive   of otf2::open_archive().
  /// exchange  with the processes that share the archive, which must outlive this.
  Windows(otf2::Archive archive, const WindowSize& size, base::ThreadPool& pool,
          base::Progress& progress, exchange::Exchange& exchange);
  Windows(const Windows&) = delete;
  Windows& operator=(const Windows&) = delete;
  ~Windows();

  /// Counts what the events of one location tell without those of others.
  using Look = std::function<void(size_t location)>;

  /// Goes on to the next window, from from_ticks() until until_ticks(), which for the last one is
  /// UINT64_MAX. The locations of other processes hold what Share says of them. Collective, as the
  /// processes go through the same windows; an error of one is that of all.
  ///
  /// look    called for each location that got events here, by several threads: just when these
  ///         are in the cache.
  /// errors  those of damaged files: kCorrupt with file, offset and fact.
  base::Status next(const Look& look);
  /// The window is the last one.
  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] uint64_t from_ticks() const { return from_; }
  [[nodiscard]] uint64_t until_ticks() const { return until_; }

  /// Events of the window, ranks, definitions; without messages and collective operations. The
  /// events are not packed, as they are read a few times and forgotten.
  [[nodiscard]] trace::Trace& trace() { return archive_.trace; }
  [[nodiscard]] Share& share() { return share_; }
  /// How many of a location's events are of earlier windows.
  [[nodiscard]] size_t kept(size_t location) const { return states_[location].kept; }
  /// The same; but of locations of others all.
  [[nodiscard]] size_t earlier(size_t location) const { return states_[location].earlier; }
  /// Events of this window, per location ascending, that the next one begins with.
  void keep(std::vector<std::vector<uint32_t>> events) { kept_ = std::move(events); }

  /// Gives the memory of the last window back, after its events.
  void forget();

  /// What of a location was read so far. `open_calls` are those of this window's end.
  struct Seen {
    uint64_t events = 0;
    uint64_t unknown = 0;
    uint64_t misplaced_leaves = 0;
    uint64_t leaves_of_earlier_calls = 0;
    uint64_t lost_leaves = 0;  ///< Calls that ended with one around them.
    uint64_t open_calls = 0;
    uint64_t first_ticks = UINT64_MAX;
    uint64_t last_ticks = 0;
  };
  [[nodiscard]] const Seen& seen(size_t location) const { return states_[location].seen; }
  /// What was seen of the locations that are owned, for another process.
  void pack_seen(base::Packer& out) const;
  void take_seen(base::Unpacker& in);
  /// Where the events of a location can be read again, of the windows so far.
  [[nodiscard]] const otf2::SeekPoints& seek_points(size_t location) const {
    return states_[location].stream.seek_points();
  }
  [[nodiscard]] const otf2::Archive& archive() const { return archive_; }

 private:
  /// What the stream says of itself, beside the rest: all are asked in each window.
  struct Reached {
    uint64_t bytes = 0;
    uint64_t next_ticks = 0;
    bool ended = false;
  };
  struct State {
    otf2::EventStream stream;
    Reached reached;
    std::vector<uint32_t> open;  // Enters in the events of the window.
    uint32_t kept = 0;           // Events that the window began with.
    uint32_t ahead = 0;          // Bytes that are kept behind the window.
    size_t earlier = 0;
    Seen seen;
  };
  struct Visit;

  [[nodiscard]] uint64_t most_width() const;
  void go_on();
  void for_each_piece(const std::function<void(size_t first, size_t end, Visit& visit)>& look);
  void carry();
  base::Status read(size_t location, const Look& look, Visit& visit);
  base::Status decode(size_t location, Visit& visit);
  [[nodiscard]] uint8_t* ahead_of(size_t location) { return ahead_.get() + location * most_ahead_; }
  void keep_ahead(size_t location, const PieceReader& reader, uint64_t used);
  void begin(size_t location, trace::EventsBuilder& builder) const;
  void take_sends(size_t location, trace::EventsBuilder& builder);

  otf2::Archive archive_;
  Share share_;
  const WindowSize size_;
  Scouts scouts_;
  EventFolder folder_;
  OpenFiles files_;
  base::ThreadPool& pool_;
  base::Progress& progress_;
  std::vector<State> states_;
  std::vector<std::vector<uint32_t>> kept_;
  uint64_t from_ = 0;
  uint64_t until_ = 0;
  uint64_t width_ = 0;
  using Arena = std::unique_ptr<base::Arena>;
  Arena carried_arena_ = std::make_unique<base::Arena>();  // Of what the window begins with.
  Arena next_arena_ = std::make_unique<base::Arena>();     // Of what the next one does.
  Arena window_arena_ = std::make_unique<base::Arena>();   // Of its events.
  base::Spares<Visit> visits_;
  struct Free {
    void operator()(uint8_t* bytes) const { std::free(bytes); }
  };
  size_t most_ahead_ = 0;  // Bytes of a location.
  /// As many for each, in small pages: those of locations that keep nothing take no memory.
  std::unique_ptr<uint8_t[], Free> ahead_;
  uint64_t expected_ = 0;     // New events of the window.
  uint64_t last_events_ = 0;  // Those it had, of the process that had most.
  uint64_t seen_events_ = 0;  // Of windows before.
  bool started_ = false;
  bool ended_ = false;
};

}  // namespace pathline::summary
