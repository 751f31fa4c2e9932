// SPDX-License-Identifier: BSD-3-Clause
//
// Long because each test is one promise of the pyramid, checked with the same slow sums.
#include "pyramid/pyramid.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_scale.hpp"

namespace pathline::pyramid {
namespace {

using ::testing::ElementsAreArray;

/// Messages that own their columns.
struct Sample {
  std::vector<uint64_t> send_ticks;
  std::vector<uint64_t> recv_ticks;
  std::vector<uint32_t> sender_row;
  std::vector<uint32_t> receiver_row;
  std::vector<uint64_t> weight;
  uint32_t row_count = 0;

  [[nodiscard]] size_t size() const { return send_ticks.size(); }
  void add(uint64_t send, uint64_t recv, uint32_t sender, uint32_t receiver, uint64_t w) {
    send_ticks.push_back(send);
    recv_ticks.push_back(recv);
    sender_row.push_back(sender);
    receiver_row.push_back(receiver);
    weight.push_back(w);
  }
  [[nodiscard]] MessageColumns columns() const {
    return {send_ticks, recv_ticks, sender_row, receiver_row, weight, row_count};
  }
  /// The same messages in another order.
  [[nodiscard]] Sample ordered(const std::vector<size_t>& order) const {
    Sample run;
    run.row_count = row_count;
    for (const size_t i : order) {
      run.add(send_ticks[i], recv_ticks[i], sender_row[i], receiver_row[i], weight[i]);
    }
    return run;
  }
};

/// Iterations with a burst each between neighbours and a few others; some receives are late, some
/// before their send, some very late; some rows are not in the picture.
Sample random_sample(size_t count, uint32_t row_count, uint64_t period = 1 << 20) {
  std::mt19937_64 random(17);
  Sample run;
  run.row_count = row_count;
  std::vector<uint64_t> send(count);
  for (size_t i = 0; i < count; ++i) {
    send[i] = (uint64_t{1} << 30) + i * 40 / count * period + random() % (period / 8);
  }
  std::sort(send.begin(), send.end());
  for (const uint64_t now : send) {
    const auto sender = static_cast<uint32_t>(random() % row_count);
    uint32_t receiver = (sender + 1 + static_cast<uint32_t>(random() % 2)) % row_count;
    uint64_t recv = now + random() % (period / 64);
    switch (random() % 100) {
      case 0: recv = now - random() % (4 * period); break;
      case 1: recv = now + random() % (4 * period); break;
      case 2: recv = now + (random() % 40 == 0 ? random() % (40 * period) : 0); break;
      case 3: receiver = static_cast<uint32_t>(random() % row_count); break;
      case 4: receiver = UINT32_MAX; break;
      default: break;
    }
    run.add(now, recv, sender, receiver, random() % 1000);
  }
  return run;
}

MessagePyramid pyramid_of(const Sample& run, const PyramidLimits& limits = {},
                          unsigned threads = 1) {
  base::ThreadPool pool(threads);
  return MessagePyramid::build(run.columns(), limits, pool);
}

constexpr PyramidLimits kSmallTiles{.tile_message_count = 300};

bool touches(const Sample& run, size_t i, const MessageView& view) {
  const auto [first, last] = std::minmax(run.send_ticks[i], run.recv_ticks[i]);
  const auto [upper, lower] = std::minmax(run.sender_row[i], run.receiver_row[i]);
  return first <= view.until_ticks && last >= view.from_ticks && lower < run.row_count &&
         lower >= view.row_from && upper < view.row_until;
}

using Record = std::tuple<double, double, float, float, uint64_t, double>;

std::vector<Record> list_of(const MessageRecords& records) {
  std::vector<Record> list;
  for (size_t i = 0; i < records.size(); ++i) {
    list.emplace_back(records.send_ticks[i], records.recv_ticks[i], records.sender[i],
                      records.receiver[i], records.count[i], records.weight[i]);
  }
  return list;
}

std::vector<Record> ask(const MessagePyramid& pyramid, const MessageView& view) {
  MessageRecords records;
  pyramid.query(view, records);
  return list_of(records);
}

double since(uint64_t ticks, const MessageView& view) {
  return static_cast<double>(static_cast<int64_t>(ticks - view.from_ticks));
}

std::vector<Record> brute_force(const Sample& run, const MessageView& view) {
  std::vector<Record> list;
  for (size_t i = 0; i < run.size(); ++i) {
    if (!touches(run, i, view)) continue;
    list.emplace_back(since(run.send_ticks[i], view), since(run.recv_ticks[i], view),
                      static_cast<float>(run.sender_row[i]) + 0.5F,
                      static_cast<float>(run.receiver_row[i]) + 0.5F, 1,
                      static_cast<double>(run.weight[i]));
  }
  std::sort(list.begin(), list.end());
  return list;
}

/// From the whole run to single messages, some with few of the rows.
std::vector<MessageView> random_views(const Sample& run, size_t count) {
  std::mt19937_64 random(23);
  std::uniform_real_distribution<> share;
  const auto [first, last] = std::minmax_element(run.send_ticks.begin(), run.send_ticks.end());
  const auto length = static_cast<double>(*last - *first + 1);
  std::vector<MessageView> views(count);
  for (MessageView& view : views) {
    const double part = length * std::exp(-12 * share(random));
    view.from_ticks = *first + static_cast<uint64_t>(share(random) * (length - part));
    view.until_ticks = view.from_ticks + static_cast<uint64_t>(part);
    view.max_message_count = 0;
    view.max_record_count = 0;
    view.width_px = 100;
    view.height_px = 60;
    if (random() % 3 != 0) continue;
    view.row_from = static_cast<uint32_t>(random() % run.row_count);
    view.row_until = view.row_from + 1 + static_cast<uint32_t>(random() % run.row_count);
  }
  return views;
}

MessageView whole(const Sample& run) {
  MessageView view{.width_px = 64, .height_px = 64, .max_message_count = 0, .max_record_count = 0};
  view.until_ticks = UINT64_MAX / 2;
  view.from_ticks = *std::min_element(run.recv_ticks.begin(), run.recv_ticks.end());
  view.from_ticks = std::min(view.from_ticks, run.send_ticks[0]);
  view.until_ticks = *std::max_element(run.recv_ticks.begin(), run.recv_ticks.end());
  view.until_ticks = std::max(view.until_ticks, run.send_ticks.back());
  return view;
}

TEST(MessagePyramid, GivesTheVeryMessagesOfAViewWithFew) {
  const Sample run = random_sample(20000, 50);
  const MessagePyramid pyramid = pyramid_of(run, kSmallTiles);
  MessageRecords records;
  size_t most = 0;
  for (MessageView view : random_views(run, base::scaled(150))) {
    view.max_message_count = run.size();
    pyramid.query(view, records);
    EXPECT_TRUE(records.is_exact);
    EXPECT_EQ(records.cut_count, 0U);
    EXPECT_THAT(list_of(records), ElementsAreArray(brute_force(run, view)));
    most = std::max(most, records.size());
  }
  EXPECT_GT(most, run.size() / (base::kIsSanitized ? 4 : 2));
}

TEST(MessagePyramid, GivesMessagesUpToTheCountAskedFor) {
  const Sample run = random_sample(20000, 50);
  const MessagePyramid pyramid = pyramid_of(run, kSmallTiles);
  MessageRecords records;
  for (MessageView view : random_views(run, 60)) {
    size_t touching = 0;
    for (size_t i = 0; i < run.size(); ++i) {
      const auto [first, last] = std::minmax(run.send_ticks[i], run.recv_ticks[i]);
      touching += first <= view.until_ticks && last >= view.from_ticks ? 1 : 0;
    }
    view.max_message_count = touching;
    pyramid.query(view, records);
    EXPECT_TRUE(records.is_exact);
    if (touching == 0) continue;
    view.max_message_count = touching - 1;
    pyramid.query(view, records);
    EXPECT_FALSE(records.is_exact);
  }
}

/// What the cells of one size say about a view, from the definition.
struct Cell {
  uint64_t count = 0;
  double weight = 0;
  double send_ticks = 0;
  double recv_ticks = 0;
  bool may_touch = false;
  bool touches = false;
};

TEST(MessagePyramid, SumsTheMessagesOfEachCell) {
  const Sample run = random_sample(20000, 150);
  const MessagePyramid pyramid =
      pyramid_of(run, {.tile_message_count = 300, .bytes_per_message = 1000, .height_px = 150});
  // Receives are far more sparse than sends, so only the root has bins this wide.
  const int root_shift = pyramid.levels().back().size.bin_shift;
  MessageRecords records;
  size_t cut_views = 0;
  for (MessageView view : random_views(run, base::scaled(300))) {
    view.width_px = 1;
    view.max_cell_px = 1;
    const uint64_t ticks = view.until_ticks - view.from_ticks + 1;
    if (ticks < uint64_t{1} << root_shift) continue;
    pyramid.query(view, records);
    ASSERT_GE(records.cell_size.bin_shift, root_shift);
    const CellSize size{root_shift, records.cell_size.row_shift};
    std::map<std::tuple<uint64_t, uint64_t, uint32_t, uint32_t>, Cell> cells;
    for (size_t i = 0; i < run.size(); ++i) {
      if (run.receiver_row[i] >= run.row_count) continue;
      const uint64_t send_bin = run.send_ticks[i] >> size.bin_shift;
      const uint64_t recv_bin = run.recv_ticks[i] >> size.bin_shift;
      const uint32_t sender = run.sender_row[i] >> size.row_shift;
      const uint32_t receiver = run.receiver_row[i] >> size.row_shift;
      Cell& cell = cells[{send_bin, recv_bin, sender, receiver}];
      ++cell.count;
      cell.weight += static_cast<double>(run.weight[i]);
      cell.send_ticks += since(run.send_ticks[i], view);
      cell.recv_ticks += since(run.recv_ticks[i], view);
      // Over all messages that could be in the cell: its corners decide.
      const auto [first_bin, last_bin] = std::minmax(send_bin, recv_bin);
      const auto [upper, lower] = std::minmax(sender, receiver);
      const auto begin = [&](uint64_t bin) { return bin << size.bin_shift; };
      const auto last = [&](uint64_t bin) { return ((bin + 1) << size.bin_shift) - 1; };
      const auto top = [&](uint32_t block) { return block << size.row_shift; };
      const auto bottom = [&](uint32_t block) {
        return std::min((block + 1) << size.row_shift, run.row_count) - 1;
      };
      cell.may_touch = last(last_bin) >= view.from_ticks && begin(first_bin) <= view.until_ticks &&
                       bottom(lower) >= view.row_from && top(upper) < view.row_until;
      cell.touches = begin(last_bin) >= view.from_ticks && last(first_bin) <= view.until_ticks &&
                     top(lower) >= view.row_from && bottom(upper) < view.row_until;
    }
    std::vector<Record> expected;
    uint64_t cut_count = 0;
    for (const auto& [key, cell] : cells) {
      if (!cell.may_touch) continue;
      if (!cell.touches) cut_count += cell.count;
      const auto members = static_cast<double>(cell.count);
      const auto middle = [&](uint32_t block) {
        const uint32_t end = std::min((block + 1) << size.row_shift, run.row_count);
        return static_cast<float>((block << size.row_shift) + end) / 2;
      };
      expected.emplace_back(cell.send_ticks / members, cell.recv_ticks / members,
                            middle(std::get<2>(key)), middle(std::get<3>(key)), cell.count,
                            cell.weight);
    }
    std::vector<Record> found = list_of(records);
    const auto by_rows = [](const Record& a, const Record& b) {
      // Means may differ in their last digit, so they come last and rounded.
      const auto key = [](const Record& r) {
        return std::tuple(std::get<2>(r), std::get<3>(r), std::get<4>(r), std::get<5>(r),
                          std::round(std::get<0>(r)), std::round(std::get<1>(r)));
      };
      return key(a) < key(b);
    };
    std::sort(found.begin(), found.end(), by_rows);
    std::sort(expected.begin(), expected.end(), by_rows);
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
      EXPECT_NEAR(std::get<0>(found[i]), std::get<0>(expected[i]), 1e-6);
      EXPECT_NEAR(std::get<1>(found[i]), std::get<1>(expected[i]), 1e-6);
      EXPECT_EQ(std::get<2>(found[i]), std::get<2>(expected[i]));
      EXPECT_EQ(std::get<3>(found[i]), std::get<3>(expected[i]));
      EXPECT_EQ(std::get<4>(found[i]), std::get<4>(expected[i]));
      EXPECT_EQ(std::get<5>(found[i]), std::get<5>(expected[i]));
    }
    EXPECT_EQ(records.cut_count, cut_count);
    cut_views += cut_count > 0 ? 1 : 0;
  }
  EXPECT_GT(cut_views, base::scaled(20));
}

/// Largest distance between the n-th smallest of both, which is at most how far members moved.
double displacement(std::vector<double> a, std::vector<double> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  double most = 0;
  for (size_t i = 0; i < a.size(); ++i) most = std::max(most, std::abs(a[i] - b[i]));
  return most;
}

TEST(MessagePyramid, MovesNoEndFurtherThanACell) {
  const Sample run = random_sample(base::scaled(30000), 300);
  const MessagePyramid pyramid = pyramid_of(run, {.tile_message_count = 300, .height_px = 100});
  MessageRecords records;
  for (const double width : {3.0, 20.0, 200.0, 2000.0}) {
    for (const double height : {20.0, 80.0, 600.0}) {
      MessageView view = whole(run);
      view.width_px = width;
      view.height_px = height;
      pyramid.query(view, records);
      const double ticks = std::ldexp(1.0, records.cell_size.bin_shift);
      const double rows = std::ldexp(1.0, records.cell_size.row_shift);
      const auto range = static_cast<double>(view.until_ticks - view.from_ticks + 1);
      EXPECT_TRUE(ticks == 1 || ticks * width / range <= 4);
      EXPECT_TRUE(rows == 1 || rows * height / 300 <= 4);
      EXPECT_EQ(records.cut_count, 0U);
      EXPECT_FALSE(records.is_exact);
      std::array<std::vector<double>, 4> found;
      std::array<std::vector<double>, 4> expected;
      for (size_t i = 0; i < records.size(); ++i) {
        found[0].insert(found[0].end(), records.count[i], records.send_ticks[i]);
        found[1].insert(found[1].end(), records.count[i], records.recv_ticks[i]);
        found[2].insert(found[2].end(), records.count[i], records.sender[i]);
        found[3].insert(found[3].end(), records.count[i], records.receiver[i]);
      }
      for (const Record& r : brute_force(run, view)) {
        expected[0].push_back(std::get<0>(r));
        expected[1].push_back(std::get<1>(r));
        expected[2].push_back(std::get<2>(r));
        expected[3].push_back(std::get<3>(r));
      }
      ASSERT_EQ(found[0].size(), expected[0].size());
      EXPECT_LE(displacement(found[0], expected[0]), ticks);
      EXPECT_LE(displacement(found[1], expected[1]), ticks);
      EXPECT_LE(displacement(found[2], expected[2]), rows / 2);
      EXPECT_LE(displacement(found[3], expected[3]), rows / 2);
    }
  }
}

TEST(MessagePyramid, CountsEachMessageOfAnyViewOnceButForCutCells) {
  const Sample run = random_sample(30000, 300);
  const MessagePyramid pyramid = pyramid_of(run, {.tile_message_count = 300, .height_px = 100});
  MessageRecords records;
  for (const MessageView& view : random_views(run, base::scaled(200))) {
    const std::vector<Record> expected = brute_force(run, view);
    pyramid.query(view, records);
    const uint64_t count = std::accumulate(records.count.begin(), records.count.end(), 0UL);
    EXPECT_GE(count, expected.size());
    EXPECT_LE(count - records.cut_count, expected.size());
  }
}

TEST(MessagePyramid, KeepsTheSumsOfTheRunAtEverySize) {
  const Sample run = random_sample(30000, 300);
  const MessagePyramid pyramid = pyramid_of(run, {.tile_message_count = 300, .height_px = 100});
  MessageView view = whole(run);
  double weight = 0;
  double send_ticks = 0;
  double recv_ticks = 0;
  for (const Record& r : brute_force(run, view)) {
    send_ticks += std::get<0>(r);
    recv_ticks += std::get<1>(r);
    weight += std::get<5>(r);
  }
  MessageRecords records;
  for (double width = 1; width < 1e6; width *= 3) {
    view.width_px = width;
    view.height_px = 20 + width;
    pyramid.query(view, records);
    EXPECT_EQ(std::accumulate(records.weight.begin(), records.weight.end(), 0.0), weight);
    double send = 0;
    double recv = 0;
    for (size_t i = 0; i < records.size(); ++i) {
      send += records.send_ticks[i] * static_cast<double>(records.count[i]);
      recv += records.recv_ticks[i] * static_cast<double>(records.count[i]);
    }
    EXPECT_NEAR(send, send_ticks, 1e-12 * send_ticks);
    EXPECT_NEAR(recv, recv_ticks, 1e-12 * recv_ticks);
  }
}

TEST(MessagePyramid, ReadsFewRecordsWhereMessagesRepeat) {
  const Sample run = random_sample(200000, 16);
  const MessagePyramid pyramid = pyramid_of(run, {.tile_message_count = 2000});
  const auto levels = pyramid.levels();
  ASSERT_FALSE(levels.empty());
  const auto visible =
      static_cast<uint64_t>(std::count_if(run.receiver_row.begin(), run.receiver_row.end(),
                                          [](uint32_t row) { return row != UINT32_MAX; }));
  EXPECT_EQ(levels.back().message_count, visible);
  EXPECT_LT(levels.back().cell_count, run.size() / 10);
  EXPECT_LT(ask(pyramid, whole(run)).size(), run.size() / 10);
}

TEST(MessagePyramid, CoarsensRatherThanGivingTooManyRecords) {
  Sample run = random_sample(base::scaled(100000), 256);
  for (size_t i = 0; i < run.size(); ++i) {  // Without bursts, so that wide bins save something.
    run.send_ticks[i] = 1000 * i;
    run.recv_ticks[i] = 1000 * i + 10;
  }
  const MessagePyramid pyramid = pyramid_of(run, {.tile_message_count = 300, .height_px = 256});
  MessageView view = whole(run);
  view.width_px = 2000;
  view.height_px = 256;
  MessageRecords fine;
  pyramid.query(view, fine);
  view.max_record_count = fine.size() / 2;
  MessageRecords coarse;
  pyramid.query(view, coarse);
  EXPECT_LE(coarse.size(), view.max_record_count);
  EXPECT_GT(coarse.cell_size.bin_shift + coarse.cell_size.row_shift,
            fine.cell_size.bin_shift + fine.cell_size.row_shift);
  EXPECT_EQ(std::accumulate(fine.count.begin(), fine.count.end(), 0UL),
            std::accumulate(coarse.count.begin(), coarse.count.end(), 0UL));
}

TEST(MessagePyramid, FindsMessagesThatSpanTheView) {
  Sample run = random_sample(20000, 50);
  const uint64_t first = run.send_ticks.front();
  const uint64_t last = run.send_ticks.back();
  const uint64_t middle = first + (last - first) / 2 + 400000;  // Between two bursts.
  run.send_ticks[0] = 0;
  run.recv_ticks[0] = UINT64_MAX;
  run.recv_ticks[run.size() - 1] = 1;  // Backwards over the whole run.
  run.sender_row[0] = run.receiver_row[0] = run.sender_row[run.size() - 1] =
      run.receiver_row[run.size() - 1] = 7;
  const MessagePyramid pyramid = pyramid_of(run, kSmallTiles);
  for (const size_t max_message_count : {size_t{0}, size_t{100000}}) {
    MessageView view{.from_ticks = middle, .until_ticks = middle + 5};
    view.max_message_count = max_message_count;
    const auto records = ask(pyramid, view);
    const auto expected = brute_force(run, view);
    ASSERT_GE(expected.size(), 2U);
    EXPECT_EQ(records.size(), expected.size());
    const double start = -static_cast<double>(middle);
    EXPECT_TRUE(std::any_of(records.begin(), records.end(), [&](const Record& r) {
      return std::get<0>(r) == start && std::get<1>(r) > 1e19;
    }));
  }
}

std::vector<std::vector<Record>> answers(const Sample& run, const MessagePyramid& pyramid) {
  std::vector<std::vector<Record>> all;
  for (MessageView view : random_views(run, 40)) {
    for (const size_t max_message_count : {0, 500}) {
      view.max_message_count = max_message_count;
      all.push_back(ask(pyramid, view));
    }
    view.max_record_count = 100;
    all.push_back(ask(pyramid, view));
  }
  return all;
}

TEST(MessagePyramid, IsTheSameForAnyNumberOfThreads) {
  const Sample run = random_sample(base::scaled(50000), 200);
  const MessagePyramid one = pyramid_of(run, kSmallTiles, 1);
  const auto expected = answers(run, one);
  for (const unsigned threads : {2U, 8U}) {
    const MessagePyramid other = pyramid_of(run, kSmallTiles, threads);
    EXPECT_EQ(other.size_bytes(), one.size_bytes());
    EXPECT_EQ(answers(run, other), expected);
  }
}

TEST(MessagePyramid, DoesNotDependOnTheOrderOfMessages) {
  Sample run = random_sample(base::scaled(50000), 200);
  // Few ticks, so many messages are sent at once.
  for (uint64_t& ticks : run.send_ticks) ticks &= ~uint64_t{0xFFF};
  const auto expected = answers(run, pyramid_of(run, kSmallTiles));
  std::vector<size_t> order(run.size());
  std::iota(order.begin(), order.end(), 0);
  std::mt19937_64 random(4);
  std::shuffle(order.begin(), order.end(), random);
  const Sample shuffled = run.ordered(order);
  EXPECT_EQ(answers(run, pyramid_of(shuffled, kSmallTiles)), expected);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return run.send_ticks[a] < run.send_ticks[b]; });
  const Sample simultaneous = run.ordered(order);
  EXPECT_EQ(answers(run, pyramid_of(simultaneous, kSmallTiles)), expected);
}

TEST(MessagePyramid, CountsEachMessageOnceWithoutWeights) {
  Sample run = random_sample(20000, 16);
  run.weight.assign(run.size(), 1);
  const auto expected = answers(run, pyramid_of(run, kSmallTiles));
  MessageColumns columns = run.columns();
  columns.weight = {};
  base::ThreadPool pool(1);
  const MessagePyramid pyramid = MessagePyramid::build(columns, kSmallTiles, pool);
  EXPECT_EQ(answers(run, pyramid), expected);
}

TEST(MessagePyramid, StaysWithinItsMemoryForAnyMessages) {
  std::mt19937_64 random(8);
  for (const int kind : {0, 1, 2, 3}) {
    Sample run = random_sample(base::scaled(300000), 1024);
    for (size_t i = 0; i < run.size(); ++i) {
      if (kind == 1) run.receiver_row[i] = static_cast<uint32_t>(random() % 1024);
      if (kind == 2) run.recv_ticks[i] = random();
      if (kind == 3) run.receiver_row[i] = run.sender_row[i] % 64;
      if (kind == 3) run.weight[i] = random();
    }
    for (const double limit : {1.0, 4.0, 11.9}) {
      const MessagePyramid pyramid =
          pyramid_of(run, {.tile_message_count = 8192, .bytes_per_message = limit});
      EXPECT_LE(static_cast<double>(pyramid.size_bytes()),
                (limit + 0.1) * static_cast<double>(run.size()) + 50000)
          << kind;
      size_t bytes = 0;
      for (const PyramidLevel& level : pyramid.levels()) bytes += level.size_bytes;
      EXPECT_LE(bytes, pyramid.size_bytes());
      EXPECT_LE(static_cast<double>(bytes), limit * static_cast<double>(run.size()));
    }
  }
}

TEST(MessagePyramid, HasNothingToSayAboutNothing) {
  Sample none;
  none.row_count = 5;
  EXPECT_TRUE(ask(pyramid_of(none), {.until_ticks = 100}).empty());
  EXPECT_TRUE(pyramid_of(none).levels().empty());
  Sample run = random_sample(1000, 10);
  const MessagePyramid pyramid = pyramid_of(run, kSmallTiles);
  MessageView view = whole(run);
  EXPECT_FALSE(ask(pyramid, view).empty());
  view.row_from = view.row_until = 3;
  EXPECT_TRUE(ask(pyramid, view).empty());
  view.row_until = 4;
  view.width_px = 0;
  EXPECT_TRUE(ask(pyramid, view).empty());
  view.width_px = 10;
  std::swap(view.from_ticks, view.until_ticks);
  EXPECT_TRUE(ask(pyramid, view).empty());
  run.row_count = 0;
  EXPECT_TRUE(ask(pyramid_of(run, kSmallTiles), whole(run)).empty());
}

TEST(MessagePyramid, ReplacesTheRecordsOfTheLastView) {
  const Sample run = random_sample(20000, 50);
  const MessagePyramid pyramid = pyramid_of(run, kSmallTiles);
  MessageRecords records;
  for (const MessageView& view : random_views(run, 20)) {
    pyramid.query(view, records);
    EXPECT_EQ(list_of(records), ask(pyramid, view));
  }
}

TEST(MessagePyramid, SurvivesAllMessagesAtOneTick) {
  Sample run;
  run.row_count = 1;
  for (int i = 0; i < 200000; ++i) run.add(77, 77, 0, 0, uint64_t{1} << 53);
  const MessagePyramid pyramid = pyramid_of(run, {.tile_message_count = 1000});
  EXPECT_LT(pyramid.size_bytes(), 10000U);
  MessageView view{.until_ticks = 1000, .max_message_count = 1000};
  const double weight = 200000 * 0x1p53;
  EXPECT_THAT(ask(pyramid, view), ElementsAreArray({Record{77, 77, 0.5F, 0.5F, 200000, weight}}));
  view.from_ticks = 78;
  EXPECT_TRUE(ask(pyramid, view).empty());
}

TEST(MessagePyramid, SurvivesTheLongestTimesAndTheLargestWeights) {
  Sample run;
  run.row_count = 2;
  for (int i = 0; i < 5000; ++i) run.add(0, UINT64_MAX, 0, 1, UINT64_MAX);
  for (int i = 0; i < 5000; ++i) run.add(UINT64_MAX, 0, 1, 0, UINT64_MAX);
  const MessagePyramid pyramid = pyramid_of(run, {.tile_message_count = 1000});
  const MessageView view{.until_ticks = UINT64_MAX, .max_message_count = 0};
  const double weight = 5000 * 0x1p64;
  EXPECT_THAT(ask(pyramid, view), ElementsAreArray({Record{0, 0x1p64, 0.5F, 1.5F, 5000, weight},
                                                    Record{0x1p64, 0, 1.5F, 0.5F, 5000, weight}}));
}

TEST(MessagePyramid, SurvivesAMillionRows) {
  const Sample run = random_sample(base::scaled(50000), 1000000);
  const MessagePyramid pyramid = pyramid_of(run, {.tile_message_count = 1000});
  EXPECT_LE(pyramid.size_bytes(), 12 * run.size() + 100000);
  MessageRecords records;
  for (const MessageView& view : random_views(run, 50)) {
    const std::vector<Record> expected = brute_force(run, view);
    pyramid.query(view, records);
    const uint64_t count = std::accumulate(records.count.begin(), records.count.end(), 0UL);
    EXPECT_GE(count, expected.size());
    EXPECT_LE(count - records.cut_count, expected.size());
  }
}

}  // namespace
}  // namespace pathline::pyramid
