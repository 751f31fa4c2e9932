// SPDX-License-Identifier: BSD-3-Clause
#include "comm/process_order.hpp"

#include <algorithm>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "comm/matrix.hpp"
#include "trace/test_trace.hpp"

namespace pathline::comm {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using trace::DefinitionKind;
using trace::TestTrace;
using trace::Trace;

struct Sends {
  uint32_t sender;
  uint32_t receiver;
  uint64_t bytes;
};

void exchange(TestTrace& test, const std::vector<Sends>& list) {
  uint64_t now = 1000;
  for (const Sends& sends : list) {
    test.on(sends.sender).send(now, sends.receiver, sends.bytes);
    test.on(sends.receiver).recv(now + 10, sends.sender, sends.bytes);
    now += 100;
  }
}

ProcessOrder order_of(const Trace& trace, Order order, const trace::Selection& selection = {},
                      graph::Weight weight = graph::Weight::kBytes) {
  base::ThreadPool pool(1);
  return process_order(trace, selection, matrix(trace, selection, {}, pool).traffic, weight, order);
}

/// Ranks on hosts of these names.
Trace on_hosts(const std::vector<std::string>& hosts, const std::vector<Sends>& list = {}) {
  TestTrace test(static_cast<uint32_t>(hosts.size()));
  exchange(test, list);
  test.define(DefinitionKind::kSystemTreeNode,
              {90, test.text("cluster"), test.text("machine"), trace::kUndefined});
  for (uint32_t rank = 0; rank < hosts.size(); ++rank) {
    test.define(DefinitionKind::kSystemTreeNode,
                {100 + rank, test.text(hosts[rank]), test.text("node"), 90});
    test.define(DefinitionKind::kSystemTreeNode,
                {200 + rank, test.text("socket"), test.text("socket"), 100 + rank});
  }
  Trace trace = test.finish();
  for (uint32_t rank = 0; rank < hosts.size(); ++rank) {
    trace.definitions.location_groups[rank].node = 200 + rank;
  }
  return trace;
}

TEST(ProcessOrder, ByRankHasNoBlocks) {
  TestTrace test(3);
  exchange(test, {{0, 2, 30}, {0, 1, 10}});
  const ProcessOrder order = order_of(test.finish(), Order::kRank);
  EXPECT_THAT(order.rank_at_position, ElementsAre(0, 1, 2));
  EXPECT_THAT(order.position_of_rank, ElementsAre(0, 1, 2));
  EXPECT_THAT(order.block_begin, IsEmpty());
  EXPECT_EQ(order.name, "rank order");
  EXPECT_DOUBLE_EQ(order.score, (30 * 2.0 + 10 * 1.0) / 40);
  EXPECT_DOUBLE_EQ(order.rank_order_score, order.score);
}

TEST(ProcessOrder, ByHostCountsNumbersInNamesAsNumbers) {
  const Trace trace = on_hosts({"n10", "n9", "n10", "n9", "n009"}, {{0, 2, 8}, {1, 3, 8}});
  const ProcessOrder order = order_of(trace, Order::kHost);
  EXPECT_THAT(order.rank_at_position, ElementsAre(4, 1, 3, 0, 2));
  EXPECT_THAT(order.position_of_rank, ElementsAre(3, 1, 4, 2, 0));
  EXPECT_THAT(order.block_begin, ElementsAre(0, 1, 3));
  EXPECT_THAT(order.block_name, ElementsAre("n009", "n9", "n10"));
  EXPECT_EQ(order.block_end(1), 3U);
  EXPECT_EQ(order.block_end(2), 5U);
  EXPECT_EQ(order.remark, "");
  EXPECT_DOUBLE_EQ(order.score, 1);
  EXPECT_DOUBLE_EQ(order.rank_order_score, 2);
}

TEST(ProcessOrder, ByHostWithoutHostsSaysSo) {
  TestTrace test(2);
  Trace trace = test.finish();
  for (auto& group : trace.definitions.location_groups) group.node = trace::kUndefined;
  const ProcessOrder order = order_of(trace, Order::kHost);
  EXPECT_THAT(order.rank_at_position, ElementsAre(0, 1));
  EXPECT_EQ(order.name, "rank order");
  EXPECT_THAT(order.remark, HasSubstr("no hosts"));
}

TEST(ProcessOrder, StandsACycleInTheSystemTree) {
  TestTrace test(1);
  test.define(DefinitionKind::kSystemTreeNode, {100, test.text("a"), test.text("rack"), 101});
  test.define(DefinitionKind::kSystemTreeNode, {101, test.text("b"), test.text("rack"), 100});
  Trace trace = test.finish();
  trace.definitions.location_groups[0].node = 100;
  EXPECT_THAT(order_of(trace, Order::kHost).block_name, ElementsAre("a"));
}

TEST(ProcessOrder, ByCommunicatorTakesTheFinestPartition) {
  TestTrace test(8);
  test.communicator({0, 1, 2, 3, 4, 5, 6, 7});
  test.communicator({1, 3, 5, 7});
  test.communicator({0, 2, 4, 6});
  test.communicator({5, 1});  // Rank 5 is number 0 in it.
  test.communicator({3, 7});
  test.communicator({0, 4});
  test.communicator({2, 6});
  const ProcessOrder order = order_of(test.finish(), Order::kCommunicator);
  EXPECT_THAT(order.rank_at_position, ElementsAre(0, 4, 5, 1, 2, 6, 3, 7));
  EXPECT_THAT(order.block_begin, ElementsAre(0, 2, 4, 6));
  EXPECT_THAT(order.block_name, ElementsAre("comm 0", "comm 1", "comm 2", "comm 3"));
  EXPECT_EQ(order.name, "communicator order");
}

TEST(ProcessOrder, ByCommunicatorTakesOfRowsAndColumnsThoseThatTalk) {
  // A grid of 3 x 3; traffic along its columns only.
  TestTrace test(9);
  for (uint64_t i = 0; i < 3; ++i) {
    test.communicator({3 * i, 3 * i + 1, 3 * i + 2});
    test.communicator({i, i + 3, i + 6});
  }
  exchange(test, {{0, 3, 8}, {3, 6, 8}, {1, 4, 8}, {4, 7, 8}, {2, 5, 8}, {5, 8, 8}});
  const ProcessOrder order = order_of(test.finish(), Order::kCommunicator);
  EXPECT_THAT(order.rank_at_position, ElementsAre(0, 3, 6, 1, 4, 7, 2, 5, 8));
  EXPECT_DOUBLE_EQ(order.score, 1);
  EXPECT_DOUBLE_EQ(order.rank_order_score, 3);
}

TEST(ProcessOrder, ByCommunicatorPutsRanksInNoneLast) {
  TestTrace test(5);
  test.communicator({3, 1});
  test.communicator({2, 4});
  const ProcessOrder order = order_of(test.finish(), Order::kCommunicator);
  EXPECT_THAT(order.rank_at_position, ElementsAre(3, 1, 2, 4, 0));
  EXPECT_THAT(order.block_name, ElementsAre("comm 0", "comm 1", "in none"));
}

TEST(ProcessOrder, ByCommunicatorWithoutAnySaysSo) {
  TestTrace test(4);
  test.communicator({0, 1, 2, 3});
  test.self_communicator();
  const ProcessOrder order = order_of(test.finish(), Order::kCommunicator);
  EXPECT_THAT(order.rank_at_position, ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(order.block_begin, IsEmpty());
  EXPECT_EQ(order.name, "rank order");
  EXPECT_THAT(order.remark, HasSubstr("communicators"));
}

/// A Cartesian communicator of 2 x 3 whose rank r is rank 5 - r of the world.
void add_grid(TestTrace& test, uint32_t coordinates) {
  const uint32_t comm = test.communicator({5, 4, 3, 2, 1, 0});
  test.define(DefinitionKind::kCartDimension, {7, test.text("x"), 2, 0});
  test.define(DefinitionKind::kCartDimension, {8, test.text("y"), 3, 1});
  test.define(DefinitionKind::kCartTopology, {30, test.text("grid"), comm, 2, 7, 8});
  for (uint32_t rank = 0; rank < coordinates; ++rank) {
    test.define(DefinitionKind::kCartCoordinate, {30, rank, 2, rank / 3, rank % 3});
  }
}

TEST(ProcessOrder, ByCommunicatorFollowsCartesianCoordinates) {
  TestTrace test(6);
  add_grid(test, 6);
  test.communicator({0, 1, 2});
  test.communicator({3, 4, 5});
  const ProcessOrder order = order_of(test.finish(), Order::kCommunicator);
  EXPECT_THAT(order.rank_at_position, ElementsAre(5, 4, 3, 2, 1, 0));
  EXPECT_THAT(order.block_begin, ElementsAre(0, 3));
  EXPECT_THAT(order.block_name, ElementsAre("x = 0", "x = 1"));
  EXPECT_EQ(order.name, "Cartesian order");
}

TEST(ProcessOrder, ByCommunicatorIgnoresCoordinatesThatAreNotComplete) {
  TestTrace test(6);
  add_grid(test, 5);
  EXPECT_EQ(order_of(test.finish(), Order::kCommunicator).name, "rank order");
}

TEST(ProcessOrder, BySpectrumPutsThoseSideBySideThatTalk) {
  // The path 2 - 5 - 0 - 4 - 1 - 3.
  TestTrace test(6);
  exchange(test, {{2, 5, 8}, {0, 5, 8}, {0, 4, 8}, {1, 4, 8}, {1, 3, 8}});
  const ProcessOrder order = order_of(test.finish(), Order::kSpectral);
  EXPECT_THAT(order.rank_at_position, ElementsAre(2, 5, 0, 4, 1, 3));
  EXPECT_DOUBLE_EQ(order.score, 1);
  EXPECT_DOUBLE_EQ(order.rank_order_score, (3 + 5 + 4 + 3 + 2) / 5.0);
  EXPECT_THAT(order.name, HasSubstr("spectral order"));
  EXPECT_THAT(order.block_begin, IsEmpty());
}

TEST(ProcessOrder, CountsMessagesWhereNoBytesAreSent) {
  TestTrace test(3);
  exchange(test, {{0, 2, 0}, {0, 2, 0}, {0, 1, 0}, {2, 1, 0}});
  const ProcessOrder order = order_of(test.finish(), Order::kRank);
  EXPECT_DOUBLE_EQ(order.score, (2 + 2 + 1 + 1) / 4.0);
}

TEST(ProcessOrder, HoldsTheSelectedRanksOnly) {
  const Trace trace = on_hosts({"b", "a", "b", "c", "a"}, {{0, 2, 8}, {1, 3, 8}, {4, 1, 8}});
  trace::Selection selection;
  selection.ranks = {true, false, true, false, true};
  const ProcessOrder order = order_of(trace, Order::kHost, selection);
  EXPECT_THAT(order.rank_at_position, ElementsAre(4, 0, 2));
  EXPECT_THAT(order.position_of_rank, ElementsAre(1, UINT32_MAX, 2, UINT32_MAX, 0));
  EXPECT_THAT(order.block_begin, ElementsAre(0, 1));
  EXPECT_THAT(order.block_name, ElementsAre("a", "b"));
  EXPECT_DOUBLE_EQ(order.score, 1);
}

TEST(ProcessOrder, OfNoRanksOrNoMessagesIsNoTrouble) {
  for (const Order wanted : {Order::kRank, Order::kHost, Order::kCommunicator, Order::kSpectral}) {
    TestTrace none(0);
    EXPECT_EQ(order_of(none.finish(), wanted).size(), 0U);
    TestTrace silent(3);
    const ProcessOrder order = order_of(silent.finish(), wanted);
    EXPECT_THAT(order.rank_at_position, ElementsAre(0, 1, 2));
    EXPECT_DOUBLE_EQ(order.score, 0);
  }
}

TEST(ParseOrder, KnowsItsNamesAndListsThemOtherwise) {
  EXPECT_EQ(parse_order("rank").value(), Order::kRank);
  EXPECT_EQ(parse_order("host").value(), Order::kHost);
  EXPECT_EQ(parse_order("communicator").value(), Order::kCommunicator);
  EXPECT_EQ(parse_order("spectral").value(), Order::kSpectral);
  const auto other = parse_order("random");
  ASSERT_FALSE(other.ok());
  EXPECT_THAT(other.error().message, HasSubstr("rank, host, communicator or spectral"));
}

}  // namespace
}  // namespace pathline::comm
