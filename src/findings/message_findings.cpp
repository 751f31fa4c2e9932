// SPDX-License-Identifier: BSD-3-Clause
#include "findings/message_findings.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "trace/calls.hpp"

namespace pathline::findings {
namespace {

constexpr uint64_t kTinyBytes = 64;
constexpr double kManyTiny = 20;
constexpr double kLeastLeave = 0.02;  // Of all rank time.

/// The call path with most ticks, the first of several; kNone of none.
uint32_t main_path(const std::map<uint32_t, uint64_t>& ticks) {
  uint32_t path = kNone;
  uint64_t most = 0;
  for (const auto& [candidate, amount] : ticks) {
    if (amount <= most) continue;
    most = amount;
    path = candidate;
  }
  return path;
}

/// Receives one behind the other, nothing sent in between, of which the first waits while a message
/// for a later one is there.
struct Burst {
  uint32_t first_call;
  uint32_t end_call;
  uint64_t gain_ticks;  ///< How much earlier the last of them could have ended.
};

/// What a rank gains that takes messages as they come. What it does behind each receive keeps its
/// order: with that behind the last one, which may need all of them, it goes on when all are there.
Burst burst_at(const Model& model, const Model::Lane& of, uint32_t call) {
  const comm::Dependencies& all = *model.all;
  Burst burst{call, call + 1, 0};
  std::vector<uint64_t> came = {all.dep_ticks[call]};
  std::vector<uint64_t> takes;  // A receive beside its wait, and what follows until the next one.
  uint32_t last = call;
  for (uint32_t next = call + 1; next < of.end_call; ++next) {
    const bool receives = all.calls.is(next, comm::kReceives);
    if (!receives && all.calls.is(next, comm::kTalks)) break;
    if (!receives) continue;
    takes.push_back(model.begin(next) - std::min(model.begin(next), model.wait_end(last)));
    came.push_back(all.dep_ticks[next]);
    last = next;
    burst.end_call = next + 1;
  }
  std::sort(came.begin(), came.end());
  uint64_t at = model.begin(call);
  for (size_t i = 0; i < takes.size(); ++i) at = std::max(at, came[i]) + takes[i];
  at = std::max(at, came.back());
  burst.gain_ticks = model.wait_end(last) - std::min(model.wait_end(last), at);
  return burst;
}

void add_wrong_order(const Model& model, const WhatIf& what_if, std::vector<Finding>& found) {
  const comm::Dependencies& all = *model.all;
  std::map<uint32_t, uint64_t> at;  // By call path.
  base::Column<uint64_t> gaps = what_if.gaps();
  uint64_t overlap_ticks = 0;
  uint64_t longest = 0;
  Finding finding;
  for (uint32_t lane = 0; lane < model.lanes.size(); ++lane) {
    const Model::Lane& of = model.lanes[lane];
    uint32_t end_call = of.first_call;  // Of the burst before.
    bool any = false;
    auto part = std::lower_bound(
        all.wrong_order.begin(), all.wrong_order.end(), of.first_call,
        [](const comm::Dependencies::WrongOrder& a, uint32_t call) { return a.call < call; });
    for (; part != all.wrong_order.end() && part->call < of.end_call; ++part) {
      const uint32_t call = part->call;
      const uint64_t until = model.wait_end(call);
      if (part->from_ticks >= until) continue;
      const uint64_t overlap = until - std::max(part->from_ticks, model.begin(call));
      at[model.call_path[call]] += overlap;
      overlap_ticks += overlap;
      if (overlap > longest) {
        longest = overlap;
        finding.seen = {model.begin(call), model.end(call)};
      }
      if (call < end_call) continue;
      const Burst burst = burst_at(model, of, call);
      end_call = burst.end_call;
      any |= burst.gain_ticks > 0;
      uint64_t left = burst.gain_ticks;
      for (uint32_t next = call + 1; next < end_call && left > 0; ++next) {
        uint64_t& gap = gaps[Model::gap(next, lane)];
        const uint64_t taken = std::min(gap, left);
        gap -= taken;
        left -= taken;
      }
    }
    if (any) finding.ranks.push_back(all.calls.lanes[lane].rank);
  }
  if (finding.ranks.empty()) return;
  std::sort(finding.ranks.begin(), finding.ranks.end());
  finding.kind = FindingKind::kWrongOrder;
  finding.cost_ticks = static_cast<double>(overlap_ticks);
  finding.recoverable_ticks = what_if.gain(gaps);
  finding.path = regions_to(model, main_path(at));
  if (finding.recoverable_ticks > 0) found.push_back(std::move(finding));
}

/// Rows of tiny messages that were sent in the window, and how many all are.
struct Tiny {
  std::vector<uint32_t> rows;
  uint64_t all = 0;
};

Tiny tiny_messages(const Model& model) {
  const trace::Messages& messages = model.trace->messages;
  Tiny tiny;
  for (uint32_t i = 0; i < messages.size(); ++i) {
    if (messages.send_ticks[i] < model.window.begin_ticks) continue;
    if (messages.send_ticks[i] > model.window.end_ticks) continue;
    if (messages.sender[i] == messages.receiver[i]) continue;
    ++tiny.all;
    if (messages.bytes[i] <= kTinyBytes) tiny.rows.push_back(i);
  }
  return tiny;
}

/// How many tiny messages a pair of ranks sends where one would do: in a time step, or, without
/// steps, before anything but messages to this rank comes.
double tiny_at_once(const Model& model, const Tiny& tiny) {
  const trace::Messages& messages = model.trace->messages;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> pairs;
  for (const uint32_t i : tiny.rows) ++pairs[{messages.sender[i], messages.receiver[i]}];
  if (pairs.empty()) return 0;
  const auto per_pair = static_cast<double>(tiny.rows.size()) / static_cast<double>(pairs.size());
  if (!model.steps.empty()) return per_pair / static_cast<double>(model.steps.size());
  const comm::Dependencies& all = *model.all;
  std::vector<uint32_t> last_call(model.lanes.size(), kNone);
  std::vector<uint32_t> last_peer(model.lanes.size(), kNone);
  uint64_t bursts = 0;
  comm::CallFinder finder(all.calls);
  for (const uint32_t i : tiny.rows) {
    const uint32_t lane = all.calls.lane_of_location[messages.send_location[i]];
    if (lane == comm::kNoLane) continue;
    const uint32_t call = finder.begun_at(lane, messages.send_ticks[i]);
    const bool goes_on = last_peer[lane] == messages.receiver[i] && last_call[lane] != kNone &&
                         call != comm::kNoCall && call - last_call[lane] <= 1;
    bursts += goes_on ? 0 : 1;
    last_call[lane] = call == comm::kNoCall ? kNone : call;
    last_peer[lane] = messages.receiver[i];
  }
  return bursts == 0 ? 0 : static_cast<double>(tiny.rows.size()) / static_cast<double>(bursts);
}

void add_tiny(const Model& model, const DelayCosts& costs, std::vector<Finding>& found) {
  const trace::Messages& messages = model.trace->messages;
  const comm::Dependencies& all = *model.all;
  const Tiny tiny = tiny_messages(model);
  if (tiny.rows.empty() || 2 * tiny.rows.size() < tiny.all) return;
  const double at_once = tiny_at_once(model, tiny);
  if (at_once < kManyTiny) return;
  std::vector<bool> in_it(model.call_paths.size());
  const auto take = [&](uint32_t call) {
    if (call != comm::kNoCall && model.call_path[call] != kNone)
      in_it[model.call_path[call]] = true;
  };
  std::map<uint32_t, uint64_t> by_sender;
  comm::CallFinder finder(all.calls);
  for (const uint32_t i : tiny.rows) {
    const uint32_t from = all.calls.lane_of_location[messages.send_location[i]];
    const uint32_t to = all.calls.lane_of_location[messages.recv_location[i]];
    if (from != comm::kNoLane) take(finder.begun_at(from, messages.send_ticks[i]));
    if (to != comm::kNoLane) take(finder.ended_at(to, messages.recv_ticks[i]));
    ++by_sender[messages.sender[i]];
  }
  uint64_t ticks = 0;
  std::map<uint32_t, uint64_t> at;
  for (const Model::Lane& lane : model.lanes) {
    for (uint32_t call = lane.first_call; call < lane.end_call; ++call) {
      const uint32_t path = model.call_path[call];
      if (path == kNone || !in_it[path]) continue;
      const uint64_t end = model.end(call);
      const uint64_t rest = end - std::min(end, model.wait_end(call));
      ticks += rest;
      at[path] += rest + 1;
    }
  }
  for (const DelayCost& row : costs.rows) {
    if (row.path != kNone && in_it[row.path]) ticks += row.short_ticks + row.long_ticks;
  }
  Finding finding;
  finding.kind = FindingKind::kTinyMessages;
  finding.cost_ticks = static_cast<double>(ticks);
  finding.recoverable_ticks =
      static_cast<double>(ticks) / std::max(1U, model.rank_count()) * (1 - 1 / at_once);
  if (by_sender.size() < model.rank_count()) {
    for (const auto& [rank, count] : by_sender) finding.ranks.push_back(rank);
  }
  finding.path = regions_to(model, main_path(at));
  finding.seen = model.window;
  finding.evidence = {{"messages_at_once", at_once},
                      {"tiny_messages", static_cast<double>(tiny.rows.size())},
                      {"messages", static_cast<double>(tiny.all)}};
  if (finding.recoverable_ticks > 0) found.push_back(std::move(finding));
}

/// A wait for somebody who is to say that one may go on.
struct Leave {
  comm::WaitKind wait;
  FindingKind finding;
  bool at_cause;  ///< The call path is that of who says it, not of who waits.
  /// Who counts: at least this part of the one who has most.
  double least_part;
};
constexpr Leave kLeaves[] = {
    {comm::WaitKind::kLateReceiver, FindingKind::kLatePostOfReceive, true, 0.25},
    {comm::WaitKind::kLock, FindingKind::kLockContention, false, 0},
    {comm::WaitKind::kLatePost, FindingKind::kLatePost, true, 0.25}};

/// Ascending ranks that have at least this part of the largest.
std::vector<uint32_t> main_ranks(const std::map<uint32_t, uint64_t>& ticks, double least_part) {
  uint64_t most = 0;
  for (const auto& [rank, amount] : ticks) most = std::max(most, amount);
  std::vector<uint32_t> ranks;
  for (const auto& [rank, amount] : ticks) {
    if (static_cast<double>(amount) >= least_part * static_cast<double>(most))
      ranks.push_back(rank);
  }
  return ranks;
}

void add_leave(const Model& model, const WhatIf& what_if, const Leave& leave,
               std::vector<Finding>& found) {
  const comm::Dependencies& all = *model.all;
  Finding finding;
  uint64_t sum = 0;
  uint64_t longest = 0;
  std::map<uint32_t, uint64_t> by_waiter;
  std::map<uint32_t, uint64_t> by_cause;
  std::map<uint32_t, uint64_t> at;
  for (uint32_t lane = 0; lane < model.lanes.size(); ++lane) {
    for (uint32_t call = model.lanes[lane].first_call; call < model.lanes[lane].end_call; ++call) {
      const uint64_t ticks = model.wait_ticks(call);
      if (ticks == 0 || all.kind[call] != leave.wait) continue;
      sum += ticks;
      by_waiter[all.calls.lanes[lane].rank] += ticks;
      const uint32_t cause = all.cause[call];
      if (cause != comm::kNoCall) by_cause[all.calls.lanes[all.calls.lane_of(cause)].rank] += ticks;
      const bool knows = !leave.at_cause || model.cause_known(call);
      if (knows) at[model.call_path[leave.at_cause ? cause : call]] += ticks;
      if (ticks > longest) {
        longest = ticks;
        finding.seen = {model.begin(call), model.end(call)};
      }
    }
  }
  const auto ticks = static_cast<double>(sum);
  const double whole = model.rank_count() * static_cast<double>(model.window.ticks());
  if (sum == 0 || ticks < kLeastLeave * whole) return;
  finding.kind = leave.finding;
  finding.cost_ticks = ticks;
  finding.recoverable_ticks = what_if.gain_without(leave.wait);
  finding.waiting = main_ranks(by_waiter, leave.least_part);
  finding.ranks = main_ranks(by_cause, leave.least_part);
  if (finding.ranks.size() >= model.rank_count()) finding.ranks.clear();
  finding.path = regions_to(model, main_path(at));
  finding.evidence = {{"share_of_rank_time", ticks / whole},
                      {"wait_s", model.trace->span_seconds(sum)}};
  if (finding.recoverable_ticks > 0) found.push_back(std::move(finding));
}

}  // namespace

std::vector<Finding> message_findings(const Model& model, const DelayCosts& costs,
                                      const WhatIf& what_if) {
  std::vector<Finding> found;
  add_wrong_order(model, what_if, found);
  add_tiny(model, costs, found);
  for (const Leave& leave : kLeaves) add_leave(model, what_if, leave, found);
  return found;
}

}  // namespace pathline::findings
