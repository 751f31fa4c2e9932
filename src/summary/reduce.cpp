// SPDX-License-Identifier: BSD-3-Clause
#include "summary/reduce.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/heap.hpp"
#include "base/kept_blocks.hpp"
#include "comm/growing_omp_barriers.hpp"
#include "comm/growing_waits.hpp"
#include "comm/step_table.hpp"
#include "comm/wait_stream.hpp"
#include "profile/growing_profile.hpp"
#include "summary/growing_states.hpp"
#include "summary/location_walk.hpp"
#include "summary/marks.hpp"
#include "summary/sampled_codes.hpp"
#include "summary/windows.hpp"
#include "trace/backwards.hpp"
#include "trace/calls.hpp"
#include "trace/finish.hpp"
#include "trace/match.hpp"

namespace pathline::summary {
namespace {

/// Depth first, children in the order of their region: as it does not depend on who was seen first.
profile::Profile canonical(profile::Profile given) {
  const size_t count = given.call_paths.size();
  std::vector<std::vector<uint32_t>> children(count + 1);
  for (uint32_t path = 0; path < count; ++path) {
    const profile::CallPath parent = given.call_paths[path].parent;
    children[parent.valid() ? uint32_t{parent} : count].push_back(path);
  }
  for (auto& siblings : children) {
    std::sort(siblings.begin(), siblings.end(), [&](uint32_t a, uint32_t b) {
      return given.call_paths[a].region < given.call_paths[b].region;
    });
  }
  std::vector<uint32_t> number(count, 0);
  profile::Profile result;
  result.call_paths.reserve(count);
  std::vector<uint32_t> open(children[count].rbegin(), children[count].rend());
  while (!open.empty()) {
    const uint32_t path = open.back();
    open.pop_back();
    number[path] = static_cast<uint32_t>(result.call_paths.size());
    const profile::CallPath parent = given.call_paths[path].parent;
    result.call_paths.push_back(
        {parent.valid() ? profile::CallPath(number[parent]) : profile::CallPath::none(),
         given.call_paths[path].region});
    open.insert(open.end(), children[path].rbegin(), children[path].rend());
  }
  result.by_location = std::move(given.by_location);
  for (auto& costs : result.by_location) {
    for (profile::Cost& cost : costs) cost.call_path = number[cost.call_path];
    std::sort(costs.begin(), costs.end(), [](const profile::Cost& a, const profile::Cost& b) {
      return a.call_path < b.call_path;
    });
  }
  return result;
}

/// Leaves what a summary has of a trace.
void forget_events(trace::Trace& trace) {
  for (trace::Location& location : trace.locations) {
    location.events = {};
    location.clock_offsets.clear();
  }
  trace.messages = {};
  trace.collectives = {};
  trace.unmatched_sends.clear();
  trace.unmatched_receives.clear();
  trace.arena = std::make_shared<base::Arena>();
}

base::Error needs_whole(std::string_view why) {
  return {base::ErrorCode::kUnsupported, std::string(why)};
}

uint64_t bytes_of(const otf2::Archive& archive) {
  return std::accumulate(archive.event_bytes.begin(), archive.event_bytes.end(), uint64_t{0});
}

class Pass {
 public:
  Pass(otf2::Archive archive, const WindowSize& size, base::ThreadPool& pool,
       base::Progress& progress, exchange::Exchange& exchange)
      : pool_(pool),
        kept_blocks_(std::in_place, size.events * kKeptBytesAnEvent),
        archive_{{}, {}, {}, std::move(archive.local_files)},
        marks_(archive.trace.definitions),
        states_(archive.trace.definitions, archive.trace.locations.size(),
                state_budget(bytes_of(archive)),
                sampled_code_bytes(archive, state_budget(bytes_of(archive)), pool, exchange)),
        windows_(std::move(archive), size, pool, progress, exchange),
        profile_(windows_.trace().locations.size()),
        bytes_(windows_.trace()),
        wait_stream_(windows_.trace(), exchange.rank()),
        waits_(windows_.trace(), [this](const std::vector<trace::CollectivePart>& members,
                                        bool is_whole) { add(members, is_whole); }),
        omp_barriers_(windows_.trace()) {
    steps_.begin(windows_.trace());
  }

  base::Result<RunSummary> run(const std::optional<Scratch>& scratch) {
    if (auto status = share_.agree(open(scratch)); !status) return status.error();
    const auto look = [this](size_t location) {
      walk_.take(windows_.trace(), location, windows_.earlier(location), windows_.from_ticks());
    };
    while (!windows_.ended()) {
      if (auto status = windows_.next(look); !status) return status.error();
      if (auto status = share_.agree(take_window()); !status) return status.error();
    }
    forget_events(windows_.trace());
    windows_.forget();
    kept_blocks_.reset();
    base::give_back_freed_memory();
    states_.end(pool_);
    spill();
    if (auto status = share_.agree(write_spilled()); !status) return status.error();
    archive_.file_bytes = windows_.archive().event_bytes;
    for (size_t i = 0; i < archive_.file_bytes.size(); ++i) {
      archive_.places.push_back(windows_.seek_points(i));
    }
    const bool first = share_.collect([&](base::Packer& out) { pack(out); },
                                      [&](base::Unpacker& in) { take(in); });
    if (!first) return RunSummary();
    if (auto status = write_spilled(); !status) return status.error();
    return finish();
  }

 private:
  void add(const std::vector<trace::CollectivePart>& operation, bool is_whole) {
    sizes_.add(operation);
    if (trace::is_self(windows_.trace().definitions, operation.front().comm)) return;
    marks_.add(operation, is_whole);
  }

  base::Status open(const std::optional<Scratch>& scratch) {
    if (!scratch) return {};
    auto file = base::SpillFile::make(scratch->folder);
    if (!file) return file.error();
    scratch_ = std::move(file).value();
    constexpr uint64_t kTables = 3;
    bytes_of_table_ = scratch->memory_bytes / kTables;
    return {};
  }
  void spill() {
    if (!scratch_) return;
    states_.spill(*scratch_, bytes_of_table_);
    steps_.spill(*scratch_, bytes_of_table_);
    marks_.spill(*scratch_, bytes_of_table_);
  }
  base::Status write_spilled() { return scratch_ ? scratch_->flush() : base::Status(); }

  /// What this process counted, for the first one, whose sums it is added to: a line for a table.
  void pack(base::Packer& out) {
    windows_.pack_seen(out);
    profile_.pack([&](size_t location) { return share_.owns(location); }, out);
    matrix_.pack(out);
    sizes_.pack(out);
    facts_.pack(out);
    steps_.pack(out);
    omp_barriers_.pack(out);
    bytes_.pack(out);
    marks_.pack(out);
    states_.pack([&](size_t location) { return share_.owns(location); }, out);
    summary::pack(
        archive_, [&](size_t location) { return share_.owns(location); }, out);
    out.put(odd_);
    out.put(messages_);
    out.put(message_bytes_);
  }
  void take(base::Unpacker& in) {
    windows_.take_seen(in);
    profile_.take(in);
    matrix_.take(in);
    sizes_.take(in);
    facts_.take(in);
    steps_.take(in);
    omp_barriers_.take(in);
    bytes_.take(in);
    marks_.take(in);
    states_.take(in);
    spill();
    summary::take(in, archive_);
    odd_.add(in.get<trace::Oddities>());
    messages_ += in.get<uint64_t>();
    message_bytes_ += in.get<uint64_t>();
  }

  /// Finds the messages of the window, and the ends that stay open.
  base::Status match(trace::OpenEnds& open) {
    trace::Trace& part = windows_.trace();
    const size_t count = part.locations.size();
    for (size_t i = 0; i < count; ++i) {
      if (windows_.seen(i).leaves_of_earlier_calls > 0) {
        return needs_whole("calls had begun before its first event");
      }
    }
    part.messages = {};
    part.unmatched_sends.clear();
    part.unmatched_receives.clear();
    if (share_.needs_whole()) return needs_whole(kEndsInTheWhole);
    if (windows_.ended()) {
      open.needs_whole = trace::match_last_messages(part, before_, pool_);
      open.events.resize(count);
    } else {
      open = trace::match_open_messages(part, before_, pool_);
    }
    if (open.needs_whole) return needs_whole(kEndsInTheWhole);
    share_.forget_sends(part, part.unmatched_sends);
    share_.forget_sends(part, open);
    return {};
  }

  base::Status take_window() {
    trace::Trace& part = windows_.trace();
    const size_t count = part.locations.size();
    std::vector<size_t> earlier(count);
    for (size_t i = 0; i < count; ++i) earlier[i] = windows_.earlier(i);
    trace::OpenEnds open;
    // All have to know before they exchange anything else.
    if (auto status = share_.agree(match(open)); !status) return status;
    odd_.sends.add(part, part.unmatched_sends);
    odd_.receives.add(part, part.unmatched_receives);
    odd_.backwards.add(trace::find_backwards(part.messages, part.definitions, pool_));
    messages_ += part.messages.size();
    for (const uint64_t bytes : part.messages.bytes) message_bytes_ += bytes;

    matrix_.add(part.messages);
    sizes_.add(part.messages);
    marks_.add(part.messages);
    facts_.add(part, earlier, open.events, pool_);
    comm::GrowingStepTable::Progress progress{earlier, windows_.ended(), {}};
    for (size_t i = 0; i < count; ++i) progress.last_ticks.push_back(windows_.seen(i).last_ticks);
    progress.others = share_.others();
    progress.sent = share_.exchange_found(part.messages);
    if (!steps_.add(part, progress, pool_)) {
      return needs_whole("some of its time steps lie inside of others");
    }
    states_.end_window();
    // All have to know this, too.
    if (auto status = share_.agree(add_waits(open)); !status) return status;
    for (auto& events : open.events) {
      std::sort(events.begin(), events.end());
      events.erase(std::unique(events.begin(), events.end()), events.end());
    }
    windows_.keep(std::move(open.events));
    before_.post_ticks = std::move(open.post_ticks);
    spill();
    return write_spilled();
  }

  base::Status add_waits(const trace::OpenEnds& open) {
    trace::Trace& part = windows_.trace();
    comm::PartPlace place{{}, {}, {}, windows_.until_ticks(), windows_.ended()};
    for (size_t i = 0; i < part.locations.size(); ++i) {
      place.kept.push_back(windows_.kept(i));
      place.last_ticks.push_back(windows_.seen(i).last_ticks);
      if (!share_.alone()) place.others.push_back(!share_.owns(i));
    }
    omp_barriers_.add(part, place, pool_);
    comm::WaitPart waits = wait_stream_.finish(part, place, open);
    if (share_.gather(waits) &&
        !waits_.add(std::move(waits), place.until_ticks, place.ended, pool_)) {
      return needs_whole("it sends in MPI_Finalize or in calls that only test");
    }
    return {};
  }

  RunSummary finish() {
    trace::Trace& trace = windows_.trace();
    trace.start_ticks = UINT64_MAX;
    for (size_t i = 0; i < trace.locations.size(); ++i) {
      const Windows::Seen& seen = windows_.seen(i);
      trace.unknown_events += seen.unknown;
      odd_.misplaced_leaves += seen.misplaced_leaves;
      odd_.open_calls += seen.lost_leaves + seen.open_calls;
      if (seen.events == 0) continue;
      trace.start_ticks = std::min(trace.start_ticks, seen.first_ticks);
      trace.end_ticks = std::max(trace.end_ticks, seen.last_ticks);
    }
    if (trace.start_ticks == UINT64_MAX) {
      trace.start_ticks = trace.end_ticks = trace.definitions.clock.global_offset;
    }
    for (size_t i = 0; i < trace.locations.size() && trace.unknown_events == 0; ++i) {
      const bool as_stated = trace.definitions.locations[i].event_count == windows_.seen(i).events;
      odd_.miscounted_locations += as_stated ? 0 : 1;
    }
    trace::add_warnings(odd_, trace);
    RunSummary result;
    result.matrix = matrix_.finish(trace.rank_count);
    base::give_back_freed_memory();  // Before the steps, which are more still.
    result.facts = facts_.finish(trace);
    result.facts.messages = messages_;
    result.facts.message_bytes = message_bytes_;
    result.facts.unmatched_sends = odd_.sends.count;
    result.facts.unmatched_receives = odd_.receives.count;
    result.facts.collectives = waits_.operations();
    result.facts.marked_steps = steps_.most();
    result.packed_steps = steps_.finish();
    result.bytes = bytes_.finish();
    result.sizes = sizes_.finish();
    result.waits = waits_.finish();
    const auto barriers = omp_barriers_.rows();
    result.waits.rows.insert(result.waits.rows.end(), barriers.begin(), barriers.end());
    result.profile = canonical(profile_.finish());
    result.states = states_.finish();
    result.marks = marks_.finish();
    for (size_t i = 0; i < trace.locations.size(); ++i) {
      archive_.events.push_back(windows_.seen(i).events);
    }
    result.archive = std::move(archive_);
    result.run = std::move(trace);
    result.scratch = std::move(scratch_);
    return result;
  }

  static constexpr std::string_view kEndsInTheWhole =
      "recording was switched on in it, or requests were cancelled";

  /// What messages and calls of a window take beside its events, about.
  static constexpr uint64_t kKeptBytesAnEvent = 32;

  base::ThreadPool& pool_;
  std::optional<base::KeptBlocks> kept_blocks_;
  std::unique_ptr<base::SpillFile> scratch_;
  uint64_t bytes_of_table_ = 0;  // In memory, before it goes there.
  ArchiveIndex archive_;
  GrowingMarks marks_;
  GrowingStates states_;
  Windows windows_;
  Share& share_ = windows_.share();
  profile::GrowingProfile profile_;
  comm::GrowingMatrix matrix_;
  comm::GrowingMessageSizes sizes_;
  comm::GrowingSummary facts_;
  comm::GrowingStepTable steps_;
  trace::GrowingArchiveBytes bytes_;
  comm::WaitStream wait_stream_;
  comm::GrowingWaits waits_;
  comm::GrowingOmpBarriers omp_barriers_;
  LocationWalk walk_{profile_, states_, bytes_, wait_stream_, steps_};
  trace::OpenEnds before_;
  trace::Oddities odd_;
  uint64_t messages_ = 0;
  uint64_t message_bytes_ = 0;
};

}  // namespace

RunSummary reduce(trace::Trace trace, base::ThreadPool& pool) {
  RunSummary result;
  result.facts = comm::summarise(trace, pool);
  result.profile = canonical(profile::from_trace(trace, {}, pool));
  result.matrix = comm::matrix(trace, {}, std::nullopt, pool);
  result.waits = comm::waits(trace, {}, pool);
  result.sizes = comm::message_sizes(trace, {});
  result.bytes = trace::archive_bytes(trace, {}, pool);
  result.bytes.kept.clear();
  const std::vector<bool> markers = trace::step_markers(trace.definitions);
  if (std::find(markers.begin(), markers.end(), true) != markers.end()) {
    result.steps = comm::step_table(trace, trace::marked_steps(trace), {}, pool);
  } else {
    result.steps.outside.resize(trace.rank_count);
  }
  GrowingStates states(trace.definitions, trace.locations.size());
  pool.for_each(trace.locations.size(), [&](size_t i) { states.add(trace, i, 0); });
  states.end_window();
  states.end(pool);
  result.states = states.finish();
  forget_events(trace);
  result.run = std::move(trace);
  return result;
}

base::Result<RunSummary> reduce(otf2::Archive archive, const WindowSize& size,
                                base::ThreadPool& pool, base::Progress& progress,
                                exchange::Exchange& exchange,
                                const std::optional<Scratch>& scratch) {
  return Pass(std::move(archive), size, pool, progress, exchange).run(scratch);
}

}  // namespace pathline::summary
