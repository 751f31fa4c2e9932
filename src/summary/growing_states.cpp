// SPDX-License-Identifier: BSD-3-Clause
#include "summary/growing_states.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <span>
#include <string_view>

#include "summary/state_bins.hpp"
#include "trace/calls.hpp"
#include "trace/plain_events.hpp"

namespace pathline::summary {
namespace {

using trace::Region;

/// How many widths, of those that begin with bins of four events, will not fit into the budget:
/// they would be made to be given up.
size_t hopeless(uint64_t events, uint64_t budget_bytes, const CodeBytes& expected) {
  // Half of what those of the cloud model take that pathline-synth fd4 writes.
  constexpr std::array<double, 5> kRepeating = {0.14, 0.12, 0.075, 0.0275, 0.007};
  constexpr size_t kMost = kRepeating.size();
  constexpr double kSure = 0.8;  // Of what is expected.
  const bool is_known = !expected.empty();
  const std::span<const double> bytes_per_event =
      is_known ? std::span<const double>(expected) : kRepeating;
  double bytes = 0;
  for (size_t i = bytes_per_event.size(); i-- > 0;) {
    bytes += (is_known ? kSure : 1) * bytes_per_event[i] * static_cast<double>(events);
    if (bytes > static_cast<double>(budget_bytes)) return std::min(i + 1, kMost);
  }
  return 0;
}

/// The widths that a run is worth, by what its archive says of itself: about four events in the
/// narrowest bins, and some hundred of the widest; of more locations than these leave room for,
/// some thirty. What is wrong costs sharpness, and no more.
std::vector<int> shifts_of(const trace::Definitions& definitions, uint64_t budget_bytes,
                           const CodeBytes& expected) {
  constexpr uint64_t kEventsPerBin = 4;
  constexpr uint64_t kFewBins = 128;
  constexpr uint64_t kFewestBins = 32;
  constexpr uint64_t kBytesPerBin = 4;    // Of the widest.
  constexpr uint64_t kShareOfWidest = 8;  // One in so many bytes of the budget.
  constexpr size_t kMostLevels = 14;
  constexpr size_t kLevelsOfUnknown = 8;
  constexpr int kUnknown = 10;
  const uint64_t events = recorded_events(definitions);
  uint64_t recording = 0;
  for (const trace::LocationDefinition& location : definitions.locations) {
    recording += location.event_count > 0 ? 1 : 0;
  }
  const uint64_t span = std::min(definitions.clock.trace_length, kMostBinTicks / kEventsPerBin);
  const bool is_known = events > 0 && span > 0;
  int shift = kUnknown;
  if (is_known) {
    const uint64_t each = std::max<uint64_t>(1, events / recording);
    shift = static_cast<int>(std::bit_width(span / each * kEventsPerBin)) - 1;
    shift += 2 * static_cast<int>(hopeless(events, budget_bytes, expected));
  }
  shift = std::clamp(shift, kLeastBinShift, kMostBinShift);
  const auto is_wide = [&](int width) {
    const uint64_t bins = span >> width;
    const uint64_t room = budget_bytes / kShareOfWidest / kBytesPerBin;
    return bins <= kFewestBins || (bins <= kFewBins && bins <= room / recording);
  };
  std::vector<int> shifts = {shift};
  while (shifts.size() < (is_known ? kMostLevels : kLevelsOfUnknown) &&
         shift + 2 <= kMostBinShift && !(is_known && is_wide(shift))) {
    shifts.push_back(shift += 2);
  }
  return shifts;
}

/// What there is to know of a region.
enum : uint8_t { kInit = 1, kFinalize = 2, kIsCall = 4 };
constexpr uint8_t kIsEnd = kInit | kFinalize;
constexpr uint64_t kNear = 4096;  // events from the first or last one of a location

}  // namespace

struct GrowingStates::OfLocation {
  std::vector<Bins> levels;
  uint64_t since = 0;
  trace::LocationEnds ends;
  uint64_t finalize_event = 0;
};

struct GrowingStates::State {
  std::vector<int> shifts;
  uint64_t budget_bytes;
  std::vector<uint8_t> facts = {0};  // Of no call, of region 0 and so on.
  std::vector<OfLocation> locations;

  OfLocation& begin(const trace::Trace& part, uint32_t location, size_t earlier) {
    const trace::Events& events = part.locations[location].events;
    OfLocation& own = locations[location];
    if (own.ends.events == 0) {
      own.ends.first_ticks = events.ticks[earlier];
      own.since = std::min(own.ends.first_ticks, kMostBinTicks);
      own.levels.reserve(shifts.size());
      for (const int shift : shifts) own.levels.emplace_back(shift, location);
    }
    return own;
  }

  static bool is_in_end(const trace::LocationEnds& ends) {
    return ends.finalize || (ends.init && ends.init->leave == UINT64_MAX);
  }

  /// Where MPI_Init and MPI_Finalize begin and end.
  template <class Columns>
  void note_ends(const Columns& events, size_t earlier, trace::LocationEnds& ends,
                 uint64_t& finalize_event) const {
    bool may_leave = is_in_end(ends);
    for (size_t i = earlier; i < events.size(); ++i) {
      const trace::EventKind kind = events.kind[i];
      if (kind != trace::EventKind::kEnter && (kind != trace::EventKind::kLeave || !may_leave)) {
        continue;
      }
      const bool enters = kind == trace::EventKind::kEnter;
      const uint8_t end = facts[events.ref[enters ? i : events.ref[i]] + 1] & kIsEnd;
      if (end == 0) continue;
      const uint64_t number = ends.events + (i - earlier);
      if (enters) {
        if (end == kInit && !ends.init && number < kNear) {
          ends.init = {events.ticks[i], UINT64_MAX};
        } else if (end == kFinalize) {
          ends.finalize = {events.ticks[i], UINT64_MAX};
          finalize_event = number;
        }
      } else if (end == kInit && ends.init && ends.init->leave == UINT64_MAX) {
        ends.init->leave = events.ticks[i];
      } else if (end == kFinalize && ends.finalize) {
        ends.finalize->leave = events.ticks[i];
      }
      may_leave = is_in_end(ends);
    }
  }

  /// What needs more than the budget would be given up at the end all the same.
  void keep_budget() {
    uint64_t bytes = 0;
    for (const OfLocation& own : locations) {
      for (const Bins& bins : own.levels) bytes += bins.codes().size();
    }
    while (bytes > budget_bytes && shifts.size() > 1) bytes -= give_up_narrowest();
  }
  /// returns  how many bytes that were.
  uint64_t give_up_narrowest() {
    uint64_t bytes = 0;
    shifts.erase(shifts.begin());
    for (OfLocation& own : locations) {
      if (own.levels.empty()) continue;
      bytes += own.levels.front().codes().size();
      Bins* const first = own.levels.data();
      first->give_up(*(first + 1), first + own.levels.size());
      own.levels.erase(own.levels.begin());
    }
    return bytes;
  }
};

uint64_t recorded_events(const trace::Definitions& definitions) {
  constexpr uint64_t kMostEvents = uint64_t{1} << 40U;  // Of a location.
  uint64_t events = 0;
  for (const trace::LocationDefinition& location : definitions.locations) {
    events += std::min(location.event_count, kMostEvents);
  }
  return events;
}

uint64_t state_budget(uint64_t archive_bytes) {
  return kCodesPerStoredByte * (file_budget(archive_bytes) / 3 * 2);
}

GrowingStates::GrowingStates(const trace::Definitions& definitions, size_t locations,
                             uint64_t budget_bytes, const CodeBytes& expected)
    : state_(std::make_unique<State>()) {
  state_->locations.resize(locations);
  state_->shifts = shifts_of(definitions, budget_bytes, expected);
  state_->budget_bytes = budget_bytes;
  for (const auto& region : definitions.regions) {
    const std::string_view name = region.name;
    const uint8_t end = name == "MPI_Init" || name == "MPI_Init_thread" ? kInit
                        : name == "MPI_Finalize"                        ? kFinalize
                                                                        : 0;
    state_->facts.push_back(static_cast<uint8_t>(kIsCall | end));
  }
}
GrowingStates::~GrowingStates() = default;

void GrowingStates::add(const trace::Trace& part, size_t location, size_t earlier) {
  const trace::Events& events = part.locations[location].events;
  if (events.size() <= earlier) return;
  Follower follower = follow(part, location, earlier);
  std::vector<Region> open = {Region::none()};
  trace::walk_calls(
      part.definitions, events,
      [&](Region region, uint64_t ticks) {
        follower.pass(open.back(), ticks);
        open.push_back(region);
      },
      [&](uint64_t ticks) {
        follower.pass(open.back(), ticks);
        open.pop_back();
      });
  follower.pass(Region::none(), events.ticks.back());
  follower.end(part, location, earlier);
}

GrowingStates::Follower GrowingStates::follow(const trace::Trace& part, size_t location,
                                              size_t earlier) {
  return {*state_, state_->begin(part, static_cast<uint32_t>(location), earlier)};
}

GrowingStates::Follower::Follower(const State& state, OfLocation& own)
    : state_(state), facts_(state.facts.data()), own_(own), since_(own.since) {}

void GrowingStates::Follower::end(const trace::Trace& part, size_t location, size_t earlier) {
  const trace::Events& events = part.locations[location].events;
  trace::LocationEnds& ends = own_.ends;
  ends.has_calls = ends.has_calls || (found_ & kIsCall) != 0;
  // A call is innermost when it ends: one that ends here was passed.
  if ((found_ & kIsEnd) != 0) {
    trace::with_columns(events, [&](const auto& columns) {
      state_.note_ends(columns, earlier, ends, own_.finalize_event);
    });
  }
  ends.events += events.size() - earlier;
  ends.last_ticks = events.ticks[events.size() - 1];
}

void GrowingStates::Follower::add(Region region, uint64_t ticks) {
  ticks = std::min(ticks, kMostBinTicks);
  if (ticks <= since_) return;
  Bins* const first = own_.levels.data();
  first->add(region.valid() ? uint32_t{region} + 1 : kNoCall, since_, ticks, first + 1,
             first + own_.levels.size());
  since_ = ticks;
}

void GrowingStates::end_window() { state_->keep_budget(); }

void GrowingStates::spill(base::SpillFile& file, uint64_t most_bytes) {
  constexpr size_t kWorthwhileBytes = 256;  // Of a list.
  uint64_t bytes = 0;
  for (const auto& own : state_->locations) {
    for (const Bins& bins : own.levels) bytes += bins.codes().bytes_in_memory();
  }
  if (bytes <= most_bytes) return;
  for (auto& own : state_->locations) {
    for (Bins& bins : own.levels) {
      if (bins.codes().bytes_in_memory() >= kWorthwhileBytes) bins.spill(file);
    }
  }
}

void GrowingStates::end(base::ThreadPool& pool) {
  auto& locations = state_->locations;
  pool.for_each(locations.size(), [&](size_t i) {
    auto& own = locations[i];
    Bins* const first = own.levels.data();
    Bins* const end = first + own.levels.size();
    // The last bins of a width are closed before those of the next.
    for (Bins* bins = first; bins != end; ++bins) bins->finish(bins + 1, end);
    if (own.ends.init && own.ends.init->leave == UINT64_MAX) own.ends.init.reset();
    if (own.ends.finalize && own.finalize_event + kNear < own.ends.events) {
      own.ends.finalize.reset();
    }
    if (own.ends.finalize && own.ends.finalize->leave == UINT64_MAX) {
      own.ends.finalize->leave = own.ends.last_ticks;
    }
  });
  state_->keep_budget();
}

std::vector<uint64_t> GrowingStates::code_bytes() const {
  std::vector<uint64_t> bytes(state_->shifts.size());
  for (const OfLocation& own : state_->locations) {
    for (size_t l = 0; l < own.levels.size(); ++l) bytes[l] += own.levels[l].codes().size();
  }
  return bytes;
}

void GrowingStates::pack(const std::function<bool(size_t)>& is_mine, base::Packer& out) const {
  out.put_list(state_->shifts);
  for (size_t i = 0; i < state_->locations.size(); ++i) {
    const OfLocation& own = state_->locations[i];
    if (!is_mine(i) || own.levels.empty()) continue;
    out.put(uint64_t{i});
    out.put(own.ends);
    for (const Bins& bins : own.levels) bins.pack(out);
  }
  out.put(UINT64_MAX);
}

void GrowingStates::take(base::Unpacker& in) {
  // What one of them has given up all of them would have.
  const auto shifts = in.list<int>();
  while (state_->shifts.size() > shifts.size()) state_->give_up_narrowest();
  for (uint64_t i = in.get<uint64_t>(); i != UINT64_MAX; i = in.get<uint64_t>()) {
    OfLocation& own = state_->locations[i];
    own.ends = in.get<trace::LocationEnds>();
    own.levels.clear();
    for (const int shift : shifts) {
      Bins bins(shift, static_cast<uint32_t>(i));
      bins.take(in);
      if (shift >= state_->shifts.front()) own.levels.push_back(std::move(bins));
    }
  }
}

States GrowingStates::finish() {
  auto& locations = state_->locations;
  state_->keep_budget();
  States states;
  for (const auto& own : locations) states.ends.push_back(own.ends);
  for (size_t l = 0; l < state_->shifts.size(); ++l) {
    StateLevel& level = states.levels.emplace_back();
    level.shift = state_->shifts[l];
    level.code.push_back(0);
    auto& made = states.made_codes.emplace_back();
    for (auto& own : locations) {
      level.first_bin.push_back(own.levels.empty() ? 0 : own.levels[l].first_bin());
      level.error.push_back(own.levels.empty() ? 0 : own.levels[l].error());
      made.push_back(own.levels.empty() ? base::ByteList() : own.levels[l].take_codes());
      level.code.push_back(level.code.back() + made.back().size());
    }
  }
  locations.clear();
  return states;
}

}  // namespace pathline::summary
