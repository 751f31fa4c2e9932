// SPDX-License-Identifier: BSD-3-Clause
//
// A file gives back what was written, or says what is wrong with it.
#include "summary/file.hpp"

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include "base/scratch_folder.hpp"
#include "base/test_scale.hpp"
#include "otf2/writer.hpp"
#include "summary/marks.hpp"
#include "summary/test_lines.hpp"
#include "summary/test_random_run.hpp"
#include "summary/test_reduce.hpp"
#include "trace/test_trace.hpp"

namespace pathline::summary {
namespace {

/// With seek points, and with marks, which so short a run has none of.
RunSummary with_everything(uint32_t seed) {
  const base::ScratchFolder folder;
  base::Progress progress;
  const trace::Trace trace = RandomRun(seed).trace();
  EXPECT_TRUE(otf2::write(trace, folder.path(), "traces", progress).ok());
  auto summary = in_windows(folder.path() / "traces.otf2", {.events = 100, .first_ticks = 100});
  EXPECT_TRUE(summary.ok());
  GrowingMarks marks(0, 400, 4);
  marks.add(trace.messages);
  summary.value().marks = marks.finish();
  return std::move(summary).value();
}

TEST(SummaryFile, GivesBackWhatWasWritten) {
  const base::ScratchFolder folder;
  base::ThreadPool pool(1);
  for (uint32_t seed = 1; seed <= 20; ++seed) {
    const RunSummary summary =
        seed == 3 ? with_everything(3) : reduce(RandomRun(seed).trace(), pool);
    const auto file = folder.path() / "run.plsum";
    ASSERT_TRUE(write(summary, file).ok());
    const auto again = read_all(file);
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_THAT(lines(again.value()), testing::ElementsAreArray(lines(summary)));
    EXPECT_THAT(archive_lines(again.value()), testing::ElementsAreArray(archive_lines(summary)));
    const std::string bytes = folder.read("run.plsum");
    ASSERT_TRUE(write(again.value(), file).ok());
    EXPECT_EQ(folder.read("run.plsum"), bytes);
  }
}

TEST(SummaryFile, TakesWhatIsConcludedLater) {
  const base::ScratchFolder folder;
  RunSummary summary = with_everything(3);
  const auto file = folder.path() / "run.plsum";
  ASSERT_TRUE(write(summary, file, 1 << 20U).ok());
  const std::string before = folder.read("run.plsum");
  const std::string judged(200'000, 'x');
  ASSERT_TRUE(add_judged(file, judged).ok());
  const auto again = read_all(file);
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(again.value().judged, judged);
  summary.judged = judged;
  EXPECT_THAT(lines(again.value()), testing::ElementsAreArray(lines(summary)));
  EXPECT_THAT(archive_lines(again.value()), testing::ElementsAreArray(archive_lines(summary)));
  // A damaged one stays as it is.
  const std::string damaged = before.substr(0, before.size() / 2);
  folder.write("run.plsum", damaged);
  EXPECT_FALSE(add_judged(file, judged).ok());
  EXPECT_EQ(folder.read("run.plsum"), damaged);
  EXPECT_FALSE(add_judged(folder.path() / "missing.plsum", judged).ok());
}

TEST(SummaryFile, GivesBackTimesOfMessagesOfAnyLength) {
  const base::ScratchFolder folder;
  base::ThreadPool pool(1);
  RunSummary summary = reduce(RandomRun(3).trace(), pool);
  comm::Matrix& matrix = summary.matrix;
  ASSERT_GE(matrix.min_ticks.size(), 3U);
  const auto file = folder.path() / "run.plsum";
  for (const double mean : {0.1, -1e6 / 3, 3e15, -9.1e18, 9.1e18}) {
    matrix.min_ticks[0] = INT64_MIN;
    matrix.max_ticks[0] = INT64_MAX;
    matrix.mean_ticks[0] = mean;
    matrix.min_ticks[1] = matrix.max_ticks[1] = INT64_MAX - 1;
    matrix.mean_ticks[2] = std::round(mean * 3) / 3;
    ASSERT_TRUE(write(summary, file).ok());
    const auto again = read_all(file);
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ(again.value().matrix.min_ticks, matrix.min_ticks);
    EXPECT_EQ(again.value().matrix.max_ticks, matrix.max_ticks);
    EXPECT_EQ(again.value().matrix.mean_ticks, matrix.mean_ticks);
  }
}

TEST(SummaryFile, IsRefusedWhereAByteIsAnother) {
  const base::ScratchFolder folder;
  const RunSummary summary = with_everything(3);
  ASSERT_GT(archive_lines(summary).size(), 4U);
  const auto file = folder.path() / "run.plsum";
  ASSERT_TRUE(write(summary, file).ok());
  const std::string bytes = folder.read("run.plsum");
  const auto expected = lines(summary);
  const auto of_archive = archive_lines(summary);
  const size_t step = bytes.size() / base::scaled(bytes.size());
  for (size_t i = 0; i < bytes.size(); i += step) {
    std::string damaged = bytes;
    damaged[i] = static_cast<char>(damaged[i] ^ (1 << (i % 8)));
    std::filesystem::remove(file);  // To write it anew costs less than to replace it.
    folder.write("run.plsum", damaged);
    const auto again = read_all(file);
    if (again.ok()) {
      ASSERT_EQ(lines(again.value()), expected) << "byte " << i;
      ASSERT_EQ(archive_lines(again.value()), of_archive) << "byte " << i;
    } else {
      ASSERT_THAT(again.error().message, testing::HasSubstr("run.plsum")) << "byte " << i;
    }
  }
  for (size_t length = 0; length < bytes.size(); ++length) {
    std::filesystem::remove(file);
    folder.write("run.plsum", std::string_view(bytes).substr(0, length));
    ASSERT_FALSE(read_all(file).ok()) << "length " << length;
  }
}

/// A number that another in its place may be taken for, or that leads nowhere.
template <class T>
T wrong(T right, std::mt19937_64& random) {
  switch (random() % 6) {
    case 0: return 0;
    case 1: return static_cast<T>(~T{0});
    case 2: return static_cast<T>(right + 1);
    case 3: return static_cast<T>(right - 1);
    case 4: return static_cast<T>(right ^ T{1} << random() % (8 * sizeof(T)));
    default: return static_cast<T>(random());
  }
}

template <class T>
void copy_column(const ColumnReader& from, const std::string& name, bool damage,
                 std::mt19937_64& random, ColumnWriter& to) {
  auto column = from.column<T>(name);
  ASSERT_TRUE(column.ok()) << column.error().message;
  std::vector<T>& numbers = column.value();
  if (damage && !numbers.empty()) {
    T& number = numbers[random() % numbers.size()];
    number = wrong(number, random);
  }
  to.add(name, numbers);
}

void copy_column(const ColumnReader& from, const std::string& name, uint32_t width, bool damage,
                 std::mt19937_64& random, ColumnWriter& to) {
  switch (width) {
    case 1: return copy_column<uint8_t>(from, name, damage, random, to);
    case 2: return copy_column<uint16_t>(from, name, damage, random, to);
    case 4: return copy_column<uint32_t>(from, name, damage, random, to);
    default: return copy_column<uint64_t>(from, name, damage, random, to);
  }
}

/// What has all the right sums may have been written by somebody who wants to do harm.
TEST(SummaryFile, OfWrongNumbersIsRefusedOrRead) {
  const base::ScratchFolder folder;
  const auto file = folder.path() / "run.plsum";
  ASSERT_TRUE(write(with_everything(3), file).ok());
  const auto right = ColumnReader::open(file);
  ASSERT_TRUE(right.ok());
  const auto columns = right.value().columns();
  ASSERT_GT(columns.size(), 50U);
  const auto damaged = folder.path() / "damaged.plsum";
  std::mt19937_64 random(5);
  size_t refused = 0;
  const size_t rounds = base::scaled(12);
  for (size_t round = 0; round < rounds; ++round) {
    for (const auto& chosen : columns) {
      ColumnWriter out(damaged);
      for (const auto& [name, width] : columns) {
        copy_column(right.value(), name, width, name == chosen.first, random, out);
      }
      ASSERT_TRUE(out.finish().ok());
      const auto again = read_all(damaged);
      if (again.ok()) {
        lines(again.value());
        archive_lines(again.value());
      } else {
        EXPECT_EQ(again.error().code, base::ErrorCode::kCorrupt) << again.error().message;
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, rounds * 10);
}

/// Copies a file, with other numbers in the column `name`.
template <class T>
void write_with(const std::filesystem::path& from, const std::string& name,
                const std::vector<T>& numbers, const std::filesystem::path& to) {
  const auto right = ColumnReader::open(from);
  ASSERT_TRUE(right.ok());
  std::mt19937_64 random;
  ColumnWriter out(to);
  for (const auto& [column, width] : right.value().columns()) {
    if (column == name) {
      out.add(name, numbers);
      continue;
    }
    copy_column(right.value(), column, width, false, random, out);
  }
  ASSERT_TRUE(out.finish().ok());
}

/// Of messages alone nothing else tells how many ranks there are.
TEST(SummaryFile, OfMoreRanksThanItsMatrixHasIsRefused) {
  const base::ScratchFolder folder;
  base::ThreadPool pool(1);
  trace::Trace messages;
  messages.rank_count = 2;
  const auto file = folder.path() / "run.plsum";
  ASSERT_TRUE(write(reduce(std::move(messages), pool), file).ok());
  auto numbers = ColumnReader::open(file).value().column<uint64_t>("run.number");
  ASSERT_TRUE(numbers.ok());
  constexpr size_t kRanks = 5;
  ASSERT_EQ(numbers.value().at(kRanks), 2U);
  numbers.value()[kRanks] = UINT32_MAX - 1;
  const auto damaged = folder.path() / "damaged.plsum";
  write_with(file, "run.number", numbers.value(), damaged);
  const auto again = read(damaged, Parts::none());
  ASSERT_FALSE(again.ok());
  EXPECT_THAT(again.error().message, testing::HasSubstr("its definitions make other ranks"));
}

TEST(SummaryFile, OfSizesThatCannotBeIsRefused) {
  const base::ScratchFolder folder;
  base::ThreadPool pool(1);
  trace::TestTrace test(2);
  const trace::Region main = test.region("main");
  test.on(0).enter(0, main).send(10, 1, 8).leave(20, main);
  test.on(1).enter(0, main).recv(15, 0, 8).leave(20, main);
  const auto file = folder.path() / "run.plsum";
  ASSERT_TRUE(write(reduce(test.finish(), pool), file).ok());
  ASSERT_EQ(read(file, {.sizes = true}).value().sizes->tiny.size(), 1U);
  EXPECT_FALSE(read(file).value().sizes);
  const auto damaged = folder.path() / "damaged.plsum";
  const auto is_refused = [&](const auto& name, const auto& numbers, const char* fact) {
    write_with(file, name, numbers, damaged);
    const auto again = read(damaged, {.sizes = true});
    ASSERT_FALSE(again.ok()) << name;
    EXPECT_THAT(again.error().message, testing::HasSubstr(fact));
  };
  is_refused("sizes.kind", std::vector<uint32_t>{400}, "table sizes: row 0 is of no kind");
  is_refused("sizes.kind", std::vector<uint32_t>{2, 1}, "table sizes: its columns differ");
  is_refused("sizes.timed", std::vector<uint64_t>{}, "table sizes: its columns differ");
  is_refused("tiny.receiver", std::vector<uint32_t>{2}, "table tiny: row 0 names a rank");
  is_refused("tiny.count", std::vector<uint64_t>{0}, "table tiny: row 0 names a rank");
  is_refused("tiny.bytes", std::vector<uint64_t>{8, 8}, "table tiny: its columns differ");
}

TEST(SummaryFile, OfAHigherVersionIsRefusedWithBothNumbers) {
  const base::ScratchFolder folder;
  base::ThreadPool pool(1);
  const auto file = folder.path() / "run.plsum";
  ASSERT_TRUE(write(reduce(RandomRun(3).trace(), pool), file).ok());
  std::string bytes = folder.read("run.plsum");
  constexpr size_t kMajorAt = 8;
  constexpr size_t kCrcAt = 60;
  bytes[kMajorAt] = 9;
  const auto crc = static_cast<uint32_t>(
      crc32(0, reinterpret_cast<const Bytef*>(bytes.data()), static_cast<uInt>(kCrcAt)));
  std::memcpy(&bytes[kCrcAt], &crc, sizeof crc);
  folder.write("run.plsum", bytes);
  const auto again = read(file);
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().code, base::ErrorCode::kUnsupported);
  EXPECT_THAT(again.error().message, testing::HasSubstr("it is of format 9.0, this reads 3.0"));
}

TEST(SummaryFile, ThatIsMissingIsNotFound) {
  const auto missing = read("/nowhere/run.plsum");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, base::ErrorCode::kNotFound);
}

}  // namespace
}  // namespace pathline::summary
