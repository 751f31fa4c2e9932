// SPDX-License-Identifier: BSD-3-Clause
//
// Archives whose large locations are read in pieces. The oracle is reading each in one go.
#include <algorithm>
#include <random>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"
#include "otf2/event_pieces.hpp"
#include "otf2/reader.hpp"
#include "otf2/writer.hpp"
#include "trace/test_events.hpp"
#include "trace/test_trace.hpp"

namespace pathline::otf2 {
namespace {

using testing::HasSubstr;
using trace::EventKind;

constexpr size_t kChunkBytes = 1 << 20;  // As the writer makes them.

/// Calls that nest and records of 1.3 KB, so that some thousand events fill five chunks;
/// attributes, a call from in front of the first event, calls that never end.
void fill(trace::EventsBuilder& builder, trace::Region main, trace::Region solve) {
  std::mt19937_64 random(20261125);
  uint64_t ticks = 1000;
  builder.leave(ticks, solve);
  builder.enter(ticks, main);
  for (uint32_t i = 0; i < 3300; ++i) {
    builder.enter(ticks += random() % 100, solve);
    trace::WordWriter words(
        builder.add_words(EventKind::kMetric, ticks += random() % 2, 2 + 3 * 150));
    words.put(0, 1);
    words.put(150, 1);
    for (uint32_t item = 0; item < 150; ++item) {
      words.put(4, 1);
      words.put(random() | 1ULL << 63U, 2);
    }
    if (i % 50 == 0) builder.attribute(3, 4, i);
    if (i % 1000 != 999) builder.leave(ticks += random() % 100, solve);
  }
}

/// Writes an archive with a location of five chunks and one of a few events.
std::filesystem::path write_archive(const base::ScratchFolder& folder) {
  trace::TestTrace test(2);
  const trace::Region main = test.region("main");
  const trace::Region solve = test.region("solve");
  fill(test.on(0).events, main, solve);
  test.on(1).enter(5, main).send(6, 0, 100).leave(7, main);
  const trace::Trace trace = test.finish();
  base::Progress progress;
  const auto written = write(trace, folder.path(), "traces", progress);
  EXPECT_TRUE(written.ok()) << written.error().message;
  return folder.path() / "traces.otf2";
}

base::Result<trace::Trace> read_with(const std::filesystem::path& anchor, bool partial,
                                     uint64_t piece_bytes, unsigned threads) {
  base::ThreadPool pool(threads);
  base::Progress progress;
  return read(anchor, {.partial = partial, .piece_bytes = piece_bytes}, pool, progress);
}

/// Reads in one go and in pieces of one and two chunks with one and three threads.
void expect_pieces_agree(const std::filesystem::path& anchor, bool partial) {
  const auto whole = read_with(anchor, partial, UINT64_MAX, 1);
  for (const auto& [piece_bytes, threads] :
       {std::pair<uint64_t, unsigned>{1, 1}, {1, 3}, {2 * kChunkBytes, 2}}) {
    SCOPED_TRACE(testing::Message() << "partial " << partial << ", pieces of " << piece_bytes
                                    << " bytes, " << threads << " threads");
    const auto pieces = read_with(anchor, partial, piece_bytes, threads);
    ASSERT_EQ(pieces.ok(), whole.ok());
    if (!whole.ok()) {
      EXPECT_EQ(pieces.error().message, whole.error().message);
      EXPECT_EQ(pieces.error().advice, whole.error().advice);
      continue;
    }
    const trace::Trace& a = whole.value();
    const trace::Trace& b = pieces.value();
    ASSERT_EQ(a.locations.size(), b.locations.size());
    for (size_t i = 0; i < a.locations.size(); ++i) {
      EXPECT_EQ(trace::difference(a.locations[i].events, b.locations[i].events), "");
      EXPECT_EQ(a.locations[i].complete, b.locations[i].complete);
    }
    EXPECT_EQ(a.warnings, b.warnings);
    EXPECT_EQ(a.complete, b.complete);
    EXPECT_EQ(a.unknown_events, b.unknown_events);
    EXPECT_EQ(a.start_ticks, b.start_ticks);
    EXPECT_EQ(a.end_ticks, b.end_ticks);
    EXPECT_EQ(a.unmatched_sends.size(), b.unmatched_sends.size());
  }
}

class ReaderPieces : public testing::Test {
 protected:
  void SetUp() override {
    anchor_ = write_archive(folder_);
    big_ = std::filesystem::relative(anchor_.parent_path() / "traces", folder_.path()) /
           (std::to_string(trace::TestTrace::kFirstLocation) + ".evt");
    bytes_ = folder_.read(big_);
    ASSERT_GT(bytes_.size(), 4 * kChunkBytes) << "too few chunks";
  }
  std::string partial_warning() {
    const auto trace = read_with(anchor_, true, 1, 2);
    return trace.ok() && !trace.value().warnings.empty() ? trace.value().warnings[0] : "";
  }

  base::ScratchFolder folder_;
  std::filesystem::path anchor_;
  std::filesystem::path big_;
  std::string bytes_;
};

TEST_F(ReaderPieces, GiveTheSameTrace) {
  expect_pieces_agree(anchor_, false);
  const auto trace = read_with(anchor_, false, 1, 2);
  ASSERT_TRUE(trace.ok());
  const trace::Events& events = trace.value().locations[0].events;
  EXPECT_EQ(events.size(), 2 + 3300 * 3 - 3);
  EXPECT_EQ(events.open_calls, 4);
  EXPECT_THAT(events.leaves_of_earlier_calls, testing::ElementsAre(0));
}

TEST_F(ReaderPieces, AreCutByTheNumbersThatTheLibraryWrites) {
  const std::span bytes(reinterpret_cast<const uint8_t*>(bytes_.data()), bytes_.size());
  const auto pieces = cut_events(bytes, kChunkBytes, 1);
  ASSERT_EQ(pieces.size(), 5);
  EXPECT_EQ(pieces.back().first_event + pieces.back().event_count, 2 + 3300 * 3 - 3);
}

TEST_F(ReaderPieces, HideAFaultBehindAnotherThatStandsBefore) {
  bytes_[4 * kChunkBytes] = 7;
  folder_.write(big_, bytes_);
  EXPECT_THAT(partial_warning(), HasSubstr("offset 4194304"));
  bytes_[2 * kChunkBytes] = 7;
  folder_.write(big_, bytes_);
  EXPECT_THAT(partial_warning(), HasSubstr("offset 2097152"));
  for (const bool partial : {false, true}) expect_pieces_agree(anchor_, partial);
}

TEST_F(ReaderPieces, AgreeOnDamagedFiles) {
  std::mt19937 random(1);
  for (int i = 0; i < 9; ++i) {
    std::string damaged = bytes_;
    if (i % 3 == 0) {
      damaged.resize(i == 0 ? 3 * kChunkBytes + 9 : random() % damaged.size());
    } else {
      // In the first bytes of a chunk, where framing, numbers and time stand, or anywhere.
      const size_t at =
          i % 3 == 1 ? random() % 4 * kChunkBytes + random() % 40 : random() % damaged.size();
      damaged[at] = static_cast<char>(uint8_t(damaged[at]) ^ (1U << random() % 8));
    }
    folder_.write(big_, damaged);
    SCOPED_TRACE(testing::Message() << "damage " << i);
    expect_pieces_agree(anchor_, i % 2 == 0);
  }
}

}  // namespace
}  // namespace pathline::otf2
