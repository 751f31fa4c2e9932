// SPDX-License-Identifier: BSD-3-Clause
#include "findings/waits_of.hpp"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace pathline::findings {
namespace {

/// Since when the cause of a wait was at these call paths, as far as it was before it came; the
/// begin of the wait if it was elsewhere from `from` on.
uint64_t last_at(const Model& model, const std::vector<uint32_t>& paths, uint32_t call,
                 uint64_t from) {
  constexpr size_t kMostCalls = 1024;  // Back from where it came: of those that poll are millions.
  const comm::Dependencies& all = *model.all;
  const uint32_t lane = all.calls.lane_of(all.cause[call]);
  const Model::Lane& of = model.lanes[lane];
  uint32_t before = all.cause[call];
  for (size_t n = 0; n < kMostCalls; ++n, --before) {
    uint64_t at = model.gap_begin(before, of);
    std::optional<uint64_t> last;
    const size_t gap = Model::gap(before, lane);
    for (uint32_t i = model.first_piece[gap]; i < model.first_piece[gap + 1]; ++i) {
      const uint64_t end = at + model.piece_ticks[i];
      const bool is_there =
          std::find(paths.begin(), paths.end(), model.piece_path[i]) != paths.end();
      if (is_there && end > from) last = at;
      at = end;
    }
    if (last) return std::clamp(*last, std::min(from, model.begin(call)), model.begin(call));
    if (before == of.first_call || model.end(before - 1) <= from) break;
  }
  return model.begin(call);
}

/// The longest wait of several: by what of it is for what is to be seen, then by all of it.
struct Longest {
  uint32_t call = kNone;
  uint64_t seen_ticks = 0;
  uint64_t ticks = 0;

  void look_at(const Longest& other) {
    if (std::tie(other.seen_ticks, other.ticks) > std::tie(seen_ticks, ticks)) *this = other;
  }
};

}  // namespace

WaitsOf waits_of(const Model& model, const std::vector<bool>& lanes,
                 const std::optional<Window>& seen_in, const AtPaths& to_blame) {
  constexpr size_t kMostWaiting = 4;
  const comm::Dependencies& all = *model.all;
  WaitsOf waits;
  std::vector<uint64_t> by_lane(model.lanes.size());
  const Window where = seen_in.value_or(model.window);
  Longest of_all;
  Longest there;
  for (uint32_t lane = 0; lane < model.lanes.size(); ++lane) {
    for (uint32_t call = model.lanes[lane].first_call; call < model.lanes[lane].end_call; ++call) {
      const uint64_t ticks = model.wait_ticks(call);
      if (ticks == 0 || !model.cause_known(call)) continue;
      const uint32_t cause = all.calls.lane_of(all.cause[call]);
      if (cause == lane || !lanes[cause]) continue;
      waits.by_kind[static_cast<size_t>(all.kind[call])] += ticks;
      waits.ticks += ticks;
      by_lane[lane] += ticks;
      of_all.look_at({call, 0, ticks});
      if (model.begin(call) >= where.end_ticks || model.wait_end(call) <= where.begin_ticks) {
        continue;
      }
      uint64_t longer = 0;
      if (!to_blame.ticks.empty()) {
        longer = to_blame.ticks[cause] - std::min(to_blame.ticks[cause], to_blame.ticks[lane]);
      }
      there.look_at({call, std::min(ticks, longer), ticks});
    }
  }
  std::vector<uint32_t> order(by_lane.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return by_lane[a] > by_lane[b]; });
  for (const uint32_t lane : order) {
    if (by_lane[lane] == 0 || waits.waiting.size() == kMostWaiting) break;
    const uint32_t rank = all.calls.lanes[lane].rank;
    if (std::find(waits.waiting.begin(), waits.waiting.end(), rank) == waits.waiting.end()) {
      waits.waiting.push_back(rank);
    }
  }
  std::sort(waits.waiting.begin(), waits.waiting.end());
  // What is waited for behind the end of the time that is judged is not known: of its last step
  // there may be a few short waits only.
  constexpr uint64_t kWorthALook = 4;
  const bool is_there = kWorthALook * there.ticks >= of_all.ticks;
  const auto& [call, seen_ticks, ticks] = is_there ? there : of_all;
  if (call != kNone) {
    // With what comes before: who is waited for was busy then.
    const uint64_t around = ticks / 2;
    uint64_t begin = model.begin(call) - std::min(model.begin(call), around);
    if (seen_ticks > 0) {
      begin = std::min(begin, last_at(model, to_blame.paths, call, where.begin_ticks));
    }
    waits.seen.begin_ticks = std::max(model.window.begin_ticks, begin);
    waits.seen.end_ticks = std::min(model.window.end_ticks, model.wait_end(call) + around);
    waits.seen_cause = all.calls.lanes[all.calls.lane_of(all.cause[call])].rank;
  }
  return waits;
}

std::vector<std::array<uint64_t, comm::kWaitKindCount>> waits_for_lanes(const Model& model) {
  const comm::Dependencies& all = *model.all;
  std::vector<std::array<uint64_t, comm::kWaitKindCount>> waits(model.lanes.size());
  for (uint32_t lane = 0; lane < model.lanes.size(); ++lane) {
    for (uint32_t call = model.lanes[lane].first_call; call < model.lanes[lane].end_call; ++call) {
      const uint64_t ticks = model.wait_ticks(call);
      if (ticks == 0 || !model.cause_known(call)) continue;
      const uint32_t cause = all.calls.lane_of(all.cause[call]);
      if (cause != lane) waits[cause][static_cast<size_t>(all.kind[call])] += ticks;
    }
  }
  return waits;
}

bool serves_others(const Model& model, uint32_t lane) {
  const trace::Messages& messages = model.trace->messages;
  const uint32_t server = model.all->calls.lanes[lane].rank;
  uint64_t served = 0;
  uint64_t received = 0;
  for (size_t i = 0; i < messages.size(); ++i) {
    const uint64_t ticks = messages.recv_ticks[i];
    if (ticks < model.window.begin_ticks || ticks > model.window.end_ticks) continue;
    if (messages.receiver[i] == server || messages.receiver[i] == messages.sender[i]) continue;
    ++received;
    served += messages.sender[i] == server ? 1 : 0;
  }
  return 2 * served > received;
}

bool depends_on_order(const Model& model) {
  const auto& regions = model.trace->definitions.regions;
  std::vector<bool> any(regions.size());
  for (size_t i = 0; i < regions.size(); ++i) {
    const std::string_view name = regions[i].name;
    any[i] =
        name.find("any") != std::string_view::npos || name.find("some") != std::string_view::npos;
    any[i] = any[i] && name.starts_with("MPI_");
  }
  for (const Model::Lane& lane : model.lanes) {
    for (uint32_t call = lane.first_call; call < lane.end_call; ++call) {
      const uint32_t region = model.all->calls.region[call];
      if (model.all->calls.is(call, comm::kPolls)) return true;
      if (region < any.size() && any[region]) return true;
    }
  }
  return false;
}

}  // namespace pathline::findings
