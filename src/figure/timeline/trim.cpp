// SPDX-License-Identifier: BSD-3-Clause
#include "figure/timeline/trim.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "base/text.hpp"

namespace pathline::figure {
namespace {

constexpr size_t kLooked = 4096;         // events at either end of a location
constexpr double kOwnWork = 0.05;        // of what remains
constexpr double kWorthTrimming = 0.01;  // of the run

using Call = trace::LocationEnds::Call;

bool enters(const trace::Trace& trace, const trace::Events& events, size_t i,
            std::initializer_list<std::string_view> names) {
  if (events.kind[i] != trace::EventKind::kEnter) return false;
  const trace::Region region(events.ref[i]);
  if (!region.valid()) return false;
  return std::find(names.begin(), names.end(), trace.definitions.regions[region].name) !=
         names.end();
}

std::optional<Call> first_init(const trace::Trace& trace, const trace::Events& events) {
  const size_t count = std::min(events.size(), kLooked);
  for (size_t i = 0; i < count; ++i) {
    if (!enters(trace, events, i, {"MPI_Init", "MPI_Init_thread"})) continue;
    for (size_t k = i + 1; k < events.size(); ++k) {
      const bool is_end = events.kind[k] == trace::EventKind::kLeave && events.ref[k] == i;
      if (is_end) return Call{events.ticks[i], events.ticks[k]};
    }
  }
  return std::nullopt;
}

std::optional<Call> last_finalize(const trace::Trace& trace, const trace::Events& events) {
  const size_t first = events.size() - std::min(events.size(), kLooked);
  for (size_t i = events.size(); i-- > first;) {
    if (!enters(trace, events, i, {"MPI_Finalize"})) continue;
    uint64_t leave = events.ticks[events.size() - 1];
    for (size_t k = i + 1; k < events.size(); ++k) {
      if (events.kind[k] == trace::EventKind::kLeave && events.ref[k] == i) leave = events.ticks[k];
    }
    return Call{events.ticks[i], leave};
  }
  return std::nullopt;
}

trace::LocationEnds ends_of(const trace::Trace& trace, const Rows& rows, uint32_t location,
                            bool with_init, bool with_finalize) {
  if (rows.calls != nullptr) return rows.calls->ends(location);
  const trace::Events& events = trace.locations[location].events;
  trace::LocationEnds ends;
  ends.first_ticks = events.ticks[0];
  ends.last_ticks = events.ticks[events.size() - 1];
  if (with_init) ends.init = first_init(trace, events);
  if (with_finalize) ends.finalize = last_finalize(trace, events);
  return ends;
}

}  // namespace

Trim trim_of(const trace::Trace& trace, const Rows& rows, const trace::Selection& selection) {
  bool all_begin = selection.from_ticks == 0;
  bool all_end = selection.until_ticks == UINT64_MAX;
  uint64_t begin = UINT64_MAX;
  uint64_t end = 0;
  uint64_t own_before = 0;
  uint64_t own_behind = 0;
  bool is_any = false;
  for (const uint32_t row : rows.of_rank) {
    if (row == base::IdMap::kNone || !(all_begin || all_end)) continue;
    const uint32_t location = rows.rows[row].location;
    if (location == base::IdMap::kNone) continue;
    is_any = true;
    const trace::LocationEnds ends = ends_of(trace, rows, location, all_begin, all_end);
    if (all_begin) {
      all_begin = ends.init.has_value();
      if (ends.init) {
        begin = std::min(begin, ends.init->leave);
        own_before = std::max(own_before, ends.init->enter - ends.first_ticks);
      }
    }
    if (all_end) {
      all_end = ends.finalize.has_value();
      if (ends.finalize) {
        end = std::max(end, ends.finalize->enter);
        own_behind = std::max(own_behind, ends.last_ticks - ends.finalize->leave);
      }
    }
  }
  Trim trim;
  if (!is_any) return trim;
  if (all_begin) trim.begin_ticks = begin - std::min(begin, trace.start_ticks);
  if (all_end) trim.end_ticks = trace.end_ticks - std::min(trace.end_ticks, end);
  const uint64_t span = trace.end_ticks - trace.start_ticks;
  // A chosen time may lie in MPI_Init.
  const TimeRange range = visible_range(trace, selection);
  if (trim.begin_ticks + trim.end_ticks >= range.until - range.from) return {};
  const auto rest = static_cast<double>(span - trim.begin_ticks - trim.end_ticks);
  const auto is_worth = [&](uint64_t gain, uint64_t own) {
    return static_cast<double>(gain) >= kWorthTrimming * static_cast<double>(span) &&
           static_cast<double>(own) <= kOwnWork * rest;
  };
  if (!is_worth(trim.begin_ticks, own_before)) trim.begin_ticks = 0;
  if (!is_worth(trim.end_ticks, own_behind)) trim.end_ticks = 0;
  return trim;
}

std::string trim_text(const trace::Trace& trace, const Trim& trim) {
  const auto time = [&](uint64_t ticks) { return base::human_seconds(trace.span_seconds(ticks)); };
  if (trim.begin_ticks > 0 && trim.end_ticks > 0) {
    return fmt::format("without {} of MPI_Init and {} of MPI_Finalize", time(trim.begin_ticks),
                       time(trim.end_ticks));
  }
  if (trim.begin_ticks > 0) return fmt::format("without {} of MPI_Init", time(trim.begin_ticks));
  if (trim.end_ticks > 0) return fmt::format("without {} of MPI_Finalize", time(trim.end_ticks));
  return "";
}

}  // namespace pathline::figure
