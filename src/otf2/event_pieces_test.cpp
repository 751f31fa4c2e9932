// SPDX-License-Identifier: BSD-3-Clause
//
// Files decoded in pieces. The oracle is the same file decoded in one go.
#include "otf2/event_pieces.hpp"

#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/progress.hpp"
#include "base/test_scale.hpp"
#include "base/thread_pool.hpp"
#include "otf2/decode_events.hpp"
#include "otf2/event_stream.hpp"
#include "otf2/test_event_file.hpp"
#include "trace/test_events.hpp"

namespace pathline::otf2 {

bool operator==(const EventPiece& a, const EventPiece& b) {
  return std::tie(a.begin, a.end, a.first_event, a.event_count) ==
         std::tie(b.begin, b.end, b.first_event, b.event_count);
}
void PrintTo(const EventPiece& piece, std::ostream* out) {
  *out << "bytes " << piece.begin << " to " << piece.end << ", events from " << piece.first_event
       << ", " << piece.event_count;
}

namespace {

using testing::IsEmpty;
using Bytes = std::vector<uint8_t>;

constexpr uint64_t kChunkBytes = 80;

/// Regions 0 to 3.
const trace::Definitions& definitions() {
  static const trace::Definitions made = [] {
    trace::Definitions definitions;
    definitions.add_string(0, "name");
    const auto add = [&](trace::DefinitionKind kind, const std::vector<uint32_t>& words) {
      definitions.add(kind, words);
    };
    for (uint32_t id = 0; id < 4; ++id) {
      add(trace::DefinitionKind::kRegion, {id, 0, 0, 0, 1, 1, 0, trace::kUndefined, 0, 0});
    }
    EXPECT_TRUE(definitions.finish().ok());
    return definitions;
  }();
  return made;
}

const std::vector<trace::ClockOffset> kOffsets = {{50, -30, 0}, {200, 40, 0}, {5000, 20, 0}};

LocationEvents in_one_go(const Bytes& file) {
  trace::EventsBuilder builder;
  return decode_location_events(file, kChunkBytes, definitions(), kOffsets, nullptr, 0, builder);
}

/// Some time after the other, of a file of which not more is read than is needed.
LocationEvents as_needed(const Bytes& file, uint64_t expected_bytes, uint64_t step_ticks) {
  EventStream stream(kChunkBytes, definitions(), kOffsets, nullptr);
  trace::EventsBuilder builder;
  Bytes bytes;
  const ReadBytes read = [&](uint64_t offset, size_t count) {
    EXPECT_LE(offset + count, file.size());
    // A new vector, so that a sanitizer sees what is read behind its end.
    const auto from = file.begin() + static_cast<ptrdiff_t>(offset);
    bytes = Bytes(from, from + static_cast<ptrdiff_t>(count));
    return std::span<const uint8_t>(bytes);
  };
  while (!stream.ended()) {
    const uint64_t next = stream.next_ticks();
    const uint64_t until = next < UINT64_MAX - step_ticks ? next + step_ticks : UINT64_MAX;
    stream.decode_until(read, file.size(), expected_bytes, until, builder);
  }
  LocationEvents result;
  result.unknown = stream.unknown();
  result.fault = stream.fault();
  result.fault_event = builder.size() + stream.unknown();
  result.events = builder.finish();
  return result;
}

void expect_same(const LocationEvents& a, const LocationEvents& b) {
  EXPECT_EQ(trace::difference(a.events, b.events), "");
  EXPECT_EQ(a.unknown, b.unknown);
  EXPECT_EQ(a.fault, b.fault);
  EXPECT_EQ(a.fault ? a.fault_event : 0, b.fault ? b.fault_event : 0);
}

/// returns  false if it is not cut.
bool expect_pieces_agree(const Bytes& file, uint64_t piece_bytes, base::ThreadPool& pool) {
  const auto pieces = cut_events(file, kChunkBytes, piece_bytes);
  if (pieces.empty()) return false;
  base::Progress progress;
  const auto read = decode_location_events(file, kChunkBytes, definitions(), kOffsets, nullptr,
                                           pieces, pool, progress);
  expect_same(read, in_one_go(file));
  EXPECT_EQ(progress.done, file.size());
  return true;
}

/// Two chunks with two events each and one with one, numbered from 1.
constexpr uint64_t kSmallChunkBytes = 42;
Bytes three_chunks() {
  EventFile file(kSmallChunkBytes);
  file.time(300);
  for (uint8_t i = 0; i < 5; ++i) file.record(14, {1, i, 0, 0, 0});
  return file.finish();
}
/// The last number of the first chunk and the first one of the second, which is big-endian.
constexpr size_t kLastOfFirst = 10;
constexpr size_t kFirstOfSecond = kSmallChunkBytes + 9;
constexpr size_t kLastOfThird = 2 * kSmallChunkBytes + 10;

TEST(CutEvents, CutsAtChunksByTheNumbersOfTheirHeaders) {
  const Bytes file = three_chunks();
  ASSERT_EQ(file.size(), 2 * kSmallChunkBytes + 18 + 9 + 7 + 1);
  const std::vector<EventPiece> chunks = {{0, 42, 0, 2}, {42, 84, 2, 2}, {84, 119, 4, 1}};
  const std::vector<EventPiece> pairs = {{0, 84, 0, 4}, {84, 119, 4, 1}};
  for (const uint64_t bytes : {0U, 1U, 42U, 83U}) {
    EXPECT_EQ(cut_events(file, kSmallChunkBytes, bytes), chunks) << bytes;
  }
  EXPECT_EQ(cut_events(file, kSmallChunkBytes, 84), pairs);
  EXPECT_EQ(cut_events(file, kSmallChunkBytes, 118), pairs);
}

TEST(CutEvents, LeavesFilesOfOnePieceWhole) {
  const Bytes file = three_chunks();
  EXPECT_THAT(cut_events(file, kSmallChunkBytes, 126), IsEmpty());
  EXPECT_THAT(cut_events(file, kSmallChunkBytes, UINT64_MAX), IsEmpty());
  EXPECT_THAT(cut_events(file, 128, 1), IsEmpty());
  EXPECT_THAT(cut_events({}, kSmallChunkBytes, 1), IsEmpty());
}

TEST(CutEvents, BelievesNoNumbersThatContradictEachOther) {
  const auto pieces_with = [](size_t at, uint8_t value) {
    Bytes file = three_chunks();
    file[at] = value;
    return cut_events(file, kSmallChunkBytes, 1).size();
  };
  EXPECT_EQ(pieces_with(kLastOfFirst, 99), 3) << "nobody asks for it";
  EXPECT_EQ(pieces_with(0, 4), 0) << "no header";
  EXPECT_EQ(pieces_with(1, 4), 0) << "no byte order";
  EXPECT_EQ(pieces_with(2, 2), 0) << "the first event is another";
  EXPECT_EQ(pieces_with(kFirstOfSecond, 0), 0) << "events count from 1";
  EXPECT_EQ(pieces_with(kFirstOfSecond, 2), 3);
  EXPECT_EQ(pieces_with(kFirstOfSecond, 6), 0) << "more than that of the third chunk";
  EXPECT_EQ(pieces_with(kLastOfThird, 4), 3) << "a chunk without events";
  EXPECT_EQ(pieces_with(kLastOfThird, 3), 0) << "less than none";
  EXPECT_EQ(pieces_with(kLastOfThird, 21), 3) << "as many as two bytes each allow";
  EXPECT_EQ(pieces_with(kLastOfThird, 22), 0) << "more";
  EXPECT_EQ(pieces_with(kLastOfThird + 7, 0xff), 0) << "2^56 times";
  Bytes file = three_chunks();
  file.resize(2 * kSmallChunkBytes + 17);
  EXPECT_THAT(cut_events(file, kSmallChunkBytes, 1), IsEmpty()) << "half a header";
}

TEST(DecodePieces, GiveWhatDecodingInOneGoGives) {
  base::ThreadPool pool(3);
  for (uint32_t seed = 0; seed < base::scaled(300); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const uint32_t lost = seed % 3 == 0 ? 0 : seed % 3 == 1 ? 60 : 6;
    const auto file = random_event_file(seed, kChunkBytes, 150, lost, seed % 4 == 0 ? 10 : 0);
    EXPECT_EQ(in_one_go(file).fault, std::nullopt);
    for (const uint64_t chunks : {1U, 2U, 5U}) {
      EXPECT_TRUE(expect_pieces_agree(file, chunks * kChunkBytes, pool)) << chunks;
    }
    if (HasFailure()) return;
  }
}

TEST(EventStream, ReadsWhatItNeeds) {
  for (uint32_t seed = 0; seed < base::scaled(60) && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const auto file = random_event_file(seed, kChunkBytes, 150, seed % 7, seed % 4 == 0 ? 10 : 0);
    for (const uint64_t bytes : {0U, 30U, 79U, 1000U}) {
      expect_same(as_needed(file, bytes, 1 + seed % 50), in_one_go(file));
    }
  }
}

/// all  gets the events of the file.
SeekPoints places_of(const Bytes& file, uint64_t chunk_bytes, trace::EventsBuilder& all) {
  EventStream whole(chunk_bytes, definitions(), kOffsets, nullptr);
  whole.decode_until(file, UINT64_MAX, all);
  return whole.seek_points();
}

// In chunks of both byte orders, from places in the middle of them.
TEST(EventStream, GoesOnAtAPlaceWithoutWhatStandsBeforeIt) {
  constexpr uint64_t kLongChunk = 16 << 10;
  const Bytes file = random_event_file(3, kLongChunk, 20000, 0, 0);
  trace::EventsBuilder all;
  const SeekPoints places = places_of(file, kLongChunk, all);
  const trace::Events expected = all.finish();

  size_t big_endian = 0;
  for (size_t place = 0; place < places.size(); ++place) {
    SCOPED_TRACE(testing::Message() << "place " << place);
    constexpr uint8_t kBigEndian = 0x23;
    const uint64_t chunk = places.offset[place] / kLongChunk * kLongChunk;
    if (file[chunk + 1] == kBigEndian && places.offset[place] > chunk + 100) ++big_endian;
    EventStream stream(kLongChunk, definitions(), kOffsets, nullptr);
    stream.begin_at(places.offset[place], places.event[place]);
    trace::EventsBuilder builder;
    for (const trace::Region region : places.open_at(place)) {
      builder.enter(places.ticks[place], region);
    }
    const size_t open = builder.size();
    size_t bytes = 0;
    const ReadBytes read = [&](uint64_t offset, size_t count) {
      bytes += count;
      return std::span(file).subspan(offset, count);
    };
    const uint64_t until = places.ticks[place] + 200;
    stream.decode_until(read, file.size(), 1000, until, builder);
    EXPECT_LT(bytes, 5000);
    EXPECT_GE(stream.next_ticks(), until);
    const trace::Events events = builder.finish();
    ASSERT_GT(events.size(), open + 100);
    for (size_t i = open; i < events.size(); ++i) {
      const size_t same = places.event[place] + i - open;
      ASSERT_EQ(events.kind[i], expected.kind[same]) << i;
      ASSERT_EQ(events.ticks[i], expected.ticks[same]) << i;
    }
    EXPECT_GE(expected.ticks[places.event[place] + events.size() - open], until);
  }
  EXPECT_GT(big_endian, 0);
}

// A window that has somewhat more than was expected.
TEST(EventStream, ReadsLittleMoreThanItLacks) {
  constexpr uint64_t kOneChunk = 1 << 20;
  const Bytes file = random_event_file(5, kOneChunk, 60000, 0, 0);
  trace::EventsBuilder all;
  const SeekPoints places = places_of(file, kOneChunk, all);
  ASSERT_GT(places.size(), 10);
  for (size_t place = 5; place < places.size(); ++place) {
    const uint64_t needed = places.offset[place];
    if (needed > kOneChunk - (kOneChunk >> 2)) break;
    for (const uint64_t expected : {needed - needed / 20, needed / 4, uint64_t{8192}}) {
      SCOPED_TRACE(testing::Message() << "expected " << expected << " of " << needed);
      EventStream stream(kOneChunk, definitions(), kOffsets, nullptr);
      trace::EventsBuilder builder;
      std::vector<size_t> counts;
      const ReadBytes read = [&](uint64_t offset, size_t count) {
        counts.push_back(count);
        return std::span(file).subspan(offset, count);
      };
      stream.decode_until(read, file.size(), expected, places.ticks[place], builder);
      EXPECT_EQ(builder.size(), places.event[place]);
      size_t bytes = 0;
      for (const size_t count : counts) bytes += count;
      constexpr size_t kParts = 8;
      EXPECT_LT(bytes, needed + needed / 2);
      if (expected > needed / 2) {
        EXPECT_LT(bytes, needed + needed / kParts + 4096);
      }
      EXPECT_LT(counts.size(), needed / expected + kParts);
    }
  }
}

TEST(EventStream, EndsAtAPlaceThatIsNotInTheFile) {
  const Bytes file = random_event_file(3, kChunkBytes, 60, 0, 0);
  for (const uint64_t beyond : {uint64_t{0}, uint64_t{1}, kChunkBytes, uint64_t{1} << 40U}) {
    EventStream stream(kChunkBytes, definitions(), kOffsets, nullptr);
    stream.begin_at(file.size() + beyond, 60);
    trace::EventsBuilder builder;
    const ReadBytes read = [&](uint64_t offset, size_t count) {
      EXPECT_LE(offset + count, file.size());
      return std::span(file).subspan(std::min<uint64_t>(offset, file.size()), 0);
    };
    stream.decode_until(read, file.size(), 1000, UINT64_MAX, builder);
    ASSERT_TRUE(stream.fault());
    EXPECT_THAT(*stream.fault(), testing::HasSubstr("truncated"));
    EXPECT_EQ(builder.size(), 0);
  }
}

TEST(EventStream, FindsTheSameFaultInPieces) {
  const auto whole = random_event_file(5, kChunkBytes, 60, 20, 30);
  for (size_t size = 0; size < whole.size() && !testing::Test::HasFailure(); ++size) {
    SCOPED_TRACE(testing::Message() << size << " bytes");
    const Bytes file(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
    expect_same(as_needed(file, size % 40, 20), in_one_go(file));
  }
  for (size_t at = 0; at < whole.size() && !testing::Test::HasFailure(); ++at) {
    SCOPED_TRACE(testing::Message() << "byte " << at);
    Bytes file = whole;
    file[at] = static_cast<uint8_t>(file[at] + 1 + at % 254);
    expect_same(as_needed(file, at % 40, 20), in_one_go(file));
  }
}

TEST(DecodePieces, AgreeOnEveryTruncation) {
  base::ThreadPool pool(2);
  for (uint32_t seed = 0; seed < 3; ++seed) {
    const auto whole = random_event_file(seed, kChunkBytes, 60, 20 * seed, 0);
    size_t cut = 0;
    for (size_t size = 0; size < whole.size(); ++size) {
      SCOPED_TRACE(testing::Message() << "seed " << seed << ", " << size << " bytes");
      const Bytes file(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
      if (expect_pieces_agree(file, kChunkBytes, pool)) ++cut;
      if (HasFailure()) return;
    }
    EXPECT_GT(cut, whole.size() / 2);
  }
}

// Among them times that go back, chunks that begin without a time, attributes in front of the end
// of a chunk, end marks in the middle, regions that are not defined and wrong numbers of events.
TEST(DecodePieces, AgreeWhateverByteIsAnother) {
  base::ThreadPool pool(2);
  size_t cut = 0;
  size_t faults = 0;
  const auto whole = random_event_file(5, kChunkBytes, 60, 20, 30);
  size_t files = 0;
  for (size_t at = 0; at < whole.size(); at += base::kIsSanitized ? 7 : 1) {
    for (const int change :
         {1, 2, 4, 8, 16, 32, 64, 128, 255, int{whole[at]}, 5 ^ whole[at], 6 ^ whole[at]}) {
      SCOPED_TRACE(testing::Message() << "byte " << at << " changed by " << change);
      Bytes file = whole;
      file[at] ^= static_cast<uint8_t>(change);
      if (expect_pieces_agree(file, kChunkBytes, pool)) ++cut;
      if (in_one_go(file).fault) ++faults;
      ++files;
      if (HasFailure()) return;
    }
  }
  EXPECT_GT(cut, files / 2);
  EXPECT_GT(faults, files / 5);
}

TEST(DecodePieces, AgreeOnManyFaults) {
  base::ThreadPool pool(4);
  for (uint32_t seed = 0; seed < base::scaled(2000); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    std::mt19937 random(seed);
    Bytes file = random_event_file(seed, kChunkBytes, 100, 30, 0);
    for (uint32_t i = 1 + random() % 4; i > 0; --i) {
      file[random() % file.size()] =
          static_cast<uint8_t>(random() % 3 == 0 ? random() : random() % 16);
    }
    expect_pieces_agree(file, kChunkBytes, pool);
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace pathline::otf2
