// SPDX-License-Identifier: BSD-3-Clause
#include "predict/flows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "predict/rank_grid.hpp"

namespace pathline::predict {
namespace {

/// Messages from rank to rank over one way each, which all share when `shared`.
ShiftMessages messages(uint32_t ranks, const std::vector<std::pair<uint32_t, uint32_t>>& pairs,
                       bool shared) {
  ShiftMessages out;
  out.source.assign(ranks, kNobody);
  out.target.assign(ranks, kNobody);
  out.kind.assign(ranks, 0);
  for (const auto& [from, to] : pairs) {
    out.source[to] = from;
    out.target[from] = to;
  }
  for (uint32_t rank = 0; rank < ranks; ++rank) {
    out.first_way.push_back(out.ways.size());
    if (out.source[rank] != kNobody) out.ways.push_back(shared ? 0 : rank);
  }
  out.first_way.push_back(out.ways.size());
  return out;
}

/// 2 s alone, in proportion more with others.
MessageKind kind(Protocol protocol = {}) {
  return {.protocol = protocol, .both_directions = false, .time = [](double lanes) {
            return base::Result<Time>(Time{2 * lanes, 1 * lanes, 3 * lanes});
          }};
}

double time_of(uint32_t ranks, std::vector<Stage> stages, std::vector<ShiftMessages> shifts,
               MessageKind of, uint32_t steps = 1) {
  const MessageKind kinds[] = {std::move(of)};
  const auto result = run_steps(ranks, ranks, stages, shifts, kinds, steps);
  EXPECT_TRUE(result);
  return result.value().step_s;
}

TEST(Flows, ShareAWayWhileBothAreOnIt) {
  const std::vector<std::pair<uint32_t, uint32_t>> pairs = {{0, 1}, {2, 3}};
  EXPECT_DOUBLE_EQ(time_of(4, {{{}, {0}}}, {messages(4, pairs, false)}, kind()), 2);
  EXPECT_DOUBLE_EQ(time_of(4, {{{}, {0}}}, {messages(4, pairs, true)}, kind()), 4);
  // One begins a second later: half is done, both go at half the pace for two, one alone for one.
  EXPECT_DOUBLE_EQ(time_of(4, {{{0, 0, 1, 1}, {}}, {{}, {0}}}, {messages(4, pairs, true)}, kind()),
                   4);
  // After three they never meet.
  EXPECT_DOUBLE_EQ(time_of(4, {{{0, 0, 3, 3}, {}}, {{}, {0}}}, {messages(4, pairs, true)}, kind()),
                   5);
}

TEST(Flows, WaitAsTheProtocolHasIt) {
  const std::vector<ShiftMessages> one = {messages(2, {{0, 1}}, false)};
  const std::vector<Stage> late = {{{0, 5}, {}}, {{}, {0}}, {{1, 0}, {}}};
  // There when it is asked for.
  EXPECT_DOUBLE_EQ(time_of(2, late, one, kind({.moves_early = true})), 5);
  // Moves then; the sender is gone meanwhile, or waits and has a second to go.
  EXPECT_DOUBLE_EQ(time_of(2, late, one, kind({.moves_early = false})), 7);
  EXPECT_DOUBLE_EQ(time_of(2, late, one, kind({.waits_for_receiver = true, .moves_early = false})),
                   8);
  EXPECT_DOUBLE_EQ(time_of(2, {{{0, 0}, {}}, {{}, {0}}, {{9, 0}, {}}}, one,
                           kind({.moves_early = true, .overhead_s = 0.5})),
                   9.5);
}

TEST(Flows, StepsAreAsLongAsTheSlowestRank) {
  // A ring: what one loses, all lose, but once. Messages that move early are behind its work.
  const std::vector<ShiftMessages> ring = {messages(3, {{0, 1}, {1, 2}, {2, 0}}, false)};
  const std::vector<Stage> stages = {{{1, 4, 1}, {}}, {{}, {0}}};
  EXPECT_DOUBLE_EQ(time_of(3, stages, ring, kind(), 12), 4);
  EXPECT_DOUBLE_EQ(time_of(3, stages, ring, kind({.moves_early = false}), 12), 6);
}

TEST(Flows, MessagesMayTakeNoTime) {
  // To the rank itself, along an axis that is not divided, on a simulated machine.
  const MessageKind nothing{.protocol = {.moves_early = false},
                            .both_directions = true,
                            .time = [](double) { return base::Result<Time>(Time{}); }};
  const std::vector<ShiftMessages> own = {messages(2, {{0, 0}, {1, 1}}, false)};
  EXPECT_DOUBLE_EQ(time_of(2, {{{2, 3}, {}}, {{}, {0}}}, own, nothing, 5), 3);
}

TEST(Flows, RefuseWhatTheTablesRefuse) {
  const MessageKind kinds[] = {{.time = [](double) { return refusal("not measured"); }}};
  const std::vector<Stage> stages = {{{}, {0}}};
  const std::vector<ShiftMessages> shifts = {messages(2, {{0, 1}}, false)};
  const auto result = run_steps(2, 2, stages, shifts, kinds, 3);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "not measured");
}

}  // namespace
}  // namespace pathline::predict
