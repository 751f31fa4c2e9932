// SPDX-License-Identifier: BSD-3-Clause
#include "comm/step_marker.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/parse.hpp"
#include "trace/outer_calls.hpp"

namespace pathline::comm {
namespace {

using trace::EventKind;

/// "MPI_Allreduce", "mpi_allreduce_" to "allreduce".
std::string function_name(std::string_view name) {
  std::string text(name);
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (text.starts_with("mpi_")) text.erase(0, 4);
  while (text.ends_with('_')) text.pop_back();
  return text;
}

uint64_t member_count(const trace::Definitions& definitions, uint32_t comm_id) {
  const uint32_t comm = definitions.communicator_index(comm_id);
  if (comm == base::IdMap::kNone) return 1;
  const uint32_t group = definitions.group_index(definitions.communicators[comm].group);
  return group == base::IdMap::kNone ? 1 : definitions.groups[group].members.size();
}

bool has_bytes(const trace::Definitions& definitions, const trace::Events& events,
               trace::CallEvents call, uint64_t bytes) {
  for (uint32_t i = call.enter + 1; i < call.leave; ++i) {
    switch (events.kind[i]) {
      case EventKind::kMpiSend:
      case EventKind::kMpiIsend:
      case EventKind::kMpiRecv:
      case EventKind::kMpiIrecv:
        if (events.point_to_point(i).bytes == bytes) return true;
        break;
      case EventKind::kMpiCollectiveEnd: {
        const uint64_t all = bytes * member_count(definitions, events.fields(i)[1]);
        for (const uint64_t recorded : {events.word64(i, 3), events.word64(i, 5)}) {
          if (recorded == bytes || recorded == all) return true;
        }
        break;
      }
      default: break;
    }
  }
  return false;
}

std::vector<trace::StepWindow> cut(const trace::Trace& trace, const trace::Events& events,
                                   const StepMarker& marker,
                                   const std::vector<std::string>& functions) {
  std::vector<trace::StepWindow> windows;
  uint32_t calls = 0;
  uint64_t end_ticks = events.size() > 0 ? events.ticks[events.size() - 1] : 0;
  trace::for_each_outer_call(
      events,
      [&](trace::Region region) {
        return region.valid() &&
               (functions[region] == marker.function || functions[region] == "finalize");
      },
      [&](trace::CallEvents call) {
        const uint64_t ticks = events.ticks[call.enter];
        if (functions[events.region(call.enter)] != marker.function) {
          end_ticks = ticks;
          return;
        }
        if (marker.bytes && !has_bytes(trace.definitions, events, call, *marker.bytes)) return;
        if (calls++ % marker.every != 0) return;
        if (!windows.empty()) windows.back().end_ticks = ticks;
        windows.push_back({static_cast<uint32_t>(windows.size()), ticks, ticks});
      });
  if (!windows.empty()) windows.back().end_ticks = std::max(end_ticks, windows.back().begin_ticks);
  return windows;
}

}  // namespace

base::Result<StepMarker> parse_step_marker(std::string_view text) {
  StepMarker marker;
  std::string_view call = text;
  const size_t slash = call.find('/');
  const auto every = slash == call.npos ? std::optional<uint32_t>(1)
                                        : base::number_in<uint32_t>(call.substr(slash + 1));
  call = call.substr(0, slash);
  const size_t colon = call.find(':');
  if (colon != call.npos) marker.bytes = base::number_in<uint64_t>(call.substr(colon + 1));
  const bool bytes_ok = colon == call.npos || marker.bytes;
  marker.function = function_name(call.substr(0, colon));
  if (!every || *every == 0 || !bytes_ok || marker.function.empty()) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       fmt::format("--step-marker is '{}', expected CALL:BYTES/N as in "
                                   "allreduce:16/4",
                                   text)};
  }
  marker.every = *every;
  return marker;
}

StepWindows marked_by_calls(const trace::Trace& trace, const StepMarker& marker) {
  std::vector<std::string> functions;
  for (const auto& region : trace.definitions.regions) {
    functions.push_back(function_name(region.name));
  }
  StepWindows windows(trace.rank_count);
  for (uint32_t rank = 0; rank < trace.rank_count; ++rank) {
    const uint32_t location = trace.rank_location[rank];
    if (location == base::IdMap::kNone) continue;
    windows[rank] = cut(trace, trace.locations[location].events, marker, functions);
  }
  return windows;
}

}  // namespace pathline::comm
