// SPDX-License-Identifier: BSD-3-Clause
// Long because one record has many forms, and every oracle for them is of one decoder.
#include "otf2/decode_events.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/test_data.hpp"
#include "base/test_scale.hpp"
#include "otf2/reader.hpp"
#include "otf2/writer.hpp"

namespace pathline::otf2 {
namespace {

using testing::HasSubstr;
using trace::DefinitionKind;
using trace::EventKind;

constexpr uint64_t kChunkBytes = 256 * 1024;

template <class Column>
std::vector<typename Column::value_type> copy(const Column& column) {
  return {column.begin(), column.end()};
}

void expect_same(const trace::Events& a, const trace::Events& b) {
  EXPECT_EQ(copy(a.ticks), copy(b.ticks));
  EXPECT_EQ(copy(a.kind), copy(b.kind));
  EXPECT_EQ(copy(a.ref), copy(b.ref));
  EXPECT_EQ(copy(a.words), copy(b.words));
  EXPECT_EQ(copy(a.attributes.event), copy(b.attributes.event));
  EXPECT_EQ(copy(a.attributes.attribute), copy(b.attributes.attribute));
  EXPECT_EQ(copy(a.attributes.type), copy(b.attributes.type));
  EXPECT_EQ(copy(a.attributes.value), copy(b.attributes.value));
  EXPECT_EQ(a.open_calls, b.open_calls);
}

/// Reads an archive with both decoders.
void expect_decoders_agree(const std::filesystem::path& anchor) {
  SCOPED_TRACE(anchor.string());
  base::ThreadPool pool(2);
  base::Progress progress;
  const auto own = read(anchor, {}, pool, progress);
  const auto library = read(anchor, {.events_by_library = true}, pool, progress);
  ASSERT_TRUE(own.ok()) << own.error().message;
  ASSERT_TRUE(library.ok()) << library.error().message;
  ASSERT_EQ(own.value().locations.size(), library.value().locations.size());
  EXPECT_EQ(own.value().unknown_events, library.value().unknown_events);
  EXPECT_GT(own.value().event_count(), 0);
  for (size_t i = 0; i < own.value().locations.size(); ++i) {
    expect_same(own.value().locations[i].events, library.value().locations[i].events);
  }
}

/// A folder that is gone with the test.
class Folder {
 public:
  Folder()
      : path_(std::filesystem::temp_directory_path() /
              ("pathline-decode-" + std::to_string(std::random_device()()))) {
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A trace with one location, clock offsets and regions 0 to 9, without events.
trace::Trace small_trace() {
  trace::Trace trace;
  trace::Definitions& definitions = trace.definitions;
  definitions.add_string(0, "");
  definitions.add_string(1, "name");
  const auto add = [&](DefinitionKind kind, std::vector<uint32_t> words) {
    definitions.add(kind, words);
  };
  add(DefinitionKind::kClockProperties, {1'000'000'000, 0, 0, 0, 1000, 0, ~0U, ~0U});
  add(DefinitionKind::kSystemTreeNode, {0, 1, 1, trace::kUndefined});
  add(DefinitionKind::kLocationGroup, {0, 1, 1, 0, trace::kUndefined});
  add(DefinitionKind::kLocation, {7, 1, 1, 1, 100, 0, 0});
  for (uint32_t id = 0; id < 10; ++id) {
    add(DefinitionKind::kRegion, {id, 1, 1, 0, 1, 1, 0, trace::kUndefined, 0, 0});
  }
  EXPECT_TRUE(definitions.finish().ok());
  trace.locations.resize(1);
  trace.locations[0].id = definitions.locations[0].id;
  trace.locations[0].clock_offsets = {{1000, -30, 0}, {2'000'000, 40, 0}, {3'000'000, 20, 0}};
  return trace;
}

/// Two hundred events of each kind with fields of every width, and attributes of every type.
trace::Events random_events(uint32_t seed) {
  std::mt19937_64 random(seed);
  const auto number = [&]() -> uint64_t {
    switch (random() % 8) {
      case 0: return 0;
      case 1: return UINT64_MAX;
      case 2: return UINT32_MAX;
      default: return random() >> (random() % 64);
    }
  };
  trace::EventsBuilder builder;
  uint64_t ticks = 10'000;
  const auto add = [&](EventKind kind) {
    ticks += random() % 3 == 0 ? 0 : random() % 100;
    if (kind == EventKind::kEnter) return builder.enter(ticks, trace::Region(random() % 10));
    if (kind == EventKind::kLeave) return builder.leave(ticks, trace::Region(random() % 10));
    std::string fields(trace::event_fields(kind));
    std::vector<uint32_t> words;
    size_t begin = 0;
    while (begin < fields.size()) {
      const size_t end = std::min(fields.find(' ', begin), fields.size());
      const std::string name = fields.substr(begin, end - begin);
      begin = end + 1;
      if (name == "n") {
        const auto count = static_cast<uint32_t>(random() % 5);
        words.push_back(count);
        for (uint32_t i = 0; i < count; ++i) {
          if (kind == EventKind::kMetric) words.push_back(random() % 2 == 0 ? 4 : 10);
          const uint64_t value = number();
          words.push_back(static_cast<uint32_t>(value));
          if (kind == EventKind::kMetric) words.push_back(static_cast<uint32_t>(value >> 32U));
        }
        break;
      }
      const uint64_t value = name == "stop_time*" ? ticks : number();
      const bool byte = name == "mode" || name == "operation" || name == "model" ||
                        name == "type" || name == "lock_type" || name == "sync_type" ||
                        name == "whence" || name == "io_paradigm";
      words.push_back(static_cast<uint32_t>(byte ? value & 0xffU : value));
      if (name.ends_with('*') || name.ends_with('-')) {
        words.push_back(static_cast<uint32_t>(value >> 32U));
      }
    }
    if (trace::event_words(kind) <= 1) {
      builder.add(kind, ticks, words.empty() ? 0 : words[0]);
    } else {
      std::copy(words.begin(), words.end(), builder.add_words(kind, ticks, words.size()));
    }
  };
  for (int round = 0; round < 200; ++round) {
#define PATHLINE_ADD(name, number, fields) add(EventKind::k##name);
    PATHLINE_EVENT_KINDS(PATHLINE_ADD)
#undef PATHLINE_ADD
    for (uint8_t type = 1; type <= 25; ++type) {
      const uint64_t value = number();
      const unsigned bits = type == 1 || type == 5                               ? 8
                            : type == 2 || type == 6                             ? 16
                            : type == 4 || type == 8 || type == 10 || type == 13 ? 64
                                                                                 : 32;
      builder.attribute(type, type, bits == 64 ? value : value & ((1ULL << bits) - 1));
    }
  }
  return builder.finish();
}

TEST(DecodeEvents, AgreesWithTheLibraryOnEveryKindOfEventAndAttribute) {
  const Folder folder;
  trace::Trace trace = small_trace();
  trace.locations[0].events = random_events(20261121);
  base::Progress progress;
  const auto written = write(trace, folder.path(), "traces", progress);
  ASSERT_TRUE(written.ok()) << written.error().message;
  expect_decoders_agree(folder.path() / "traces.otf2");
}

TEST(DecodeEvents, GivesBackEveryKindOfEventThatWasWritten) {
  const Folder folder;
  trace::Trace trace = small_trace();
  trace.locations[0].events = random_events(7);
  base::Progress progress;
  ASSERT_TRUE(write(trace, folder.path(), "traces", progress).ok());
  base::ThreadPool pool(1);
  const auto read = otf2::read(folder.path() / "traces.otf2", {}, pool, progress);
  ASSERT_TRUE(read.ok()) << read.error().message;
  expect_same(read.value().locations[0].events, trace.locations[0].events);
  ASSERT_EQ(read.value().locations[0].clock_offsets.size(), 3);
  EXPECT_EQ(read.value().locations[0].clock_offsets[1].offset_ticks, 40);
}

// The library writes what 128 MiB of its memory hold and goes on; of that nothing may be seen.
TEST(DecodeEvents, GivesBackMoreThanTheLibraryKeepsInMemory) {
  const Folder folder;
  trace::Trace trace = small_trace();
  trace::EventsBuilder builder;
  const size_t count = base::scaled(3'600'000);
  for (uint64_t i = 0; i < count; ++i) {
    // 44 bytes in the archive.
    trace::WordWriter words(builder.add_words(EventKind::kMpiIsend, 10'000 + i, 7));
    for (const uint32_t word : {0xfffffff0U, 0xfffffff1U, 0xfffffff2U}) words.put(word, 1);
    words.put(UINT64_MAX - i, 2);
    words.put(UINT64_MAX / 2 - i, 2);
  }
  trace.locations[0].events = builder.finish();
  base::Progress progress;
  ASSERT_TRUE(write(trace, folder.path(), "traces", progress).ok());
  base::ThreadPool pool(2);
  const auto read = otf2::read(folder.path() / "traces.otf2", {}, pool, progress);
  ASSERT_TRUE(read.ok()) << read.error().message;
  const trace::Events& events = read.value().locations[0].events;
  ASSERT_EQ(events.size(), count);
  for (size_t i = 0; i < count; ++i) {
    ASSERT_EQ(events.kind[i], EventKind::kMpiIsend) << i;
    ASSERT_EQ(events.word64(i, 3), UINT64_MAX - i);
  }
}

/// Puts MappingTables in front of the other local definitions of the one location of an archive.
void add_mappings(const std::filesystem::path& folder, uint64_t location,
                  const std::vector<char>& tables) {
  const auto local = folder / "traces" / (std::to_string(location) + ".def");
  std::vector<char> bytes;
  {
    std::ifstream in(local, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }
  constexpr int kChunkHeaderBytes = 18;
  bytes.insert(bytes.begin() + kChunkHeaderBytes, tables.begin(), tables.end());
  std::ofstream(local, std::ios::binary)
      .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

TEST(DecodeEvents, MapsIds) {
  const Folder folder;
  trace::Trace trace = small_trace();
  trace::EventsBuilder builder;
  builder.enter(10'000, trace::Region(0));
  builder.enter(10'010, trace::Region(1));
  builder.leave(10'020, trace::Region(1));
  builder.leave(10'030, trace::Region(0));
  trace.locations[0].events = builder.finish();
  base::Progress progress;
  ASSERT_TRUE(write(trace, folder.path(), "traces", progress).ok());
  // For regions, two entries, dense: 0 is 5, 1 is 9.
  add_mappings(folder.path(), trace.locations[0].id, {5, 8, 3, 1, 2, 0, 1, 5, 1, 9});

  base::ThreadPool pool(1);
  const auto read = otf2::read(folder.path() / "traces.otf2", {}, pool, progress);
  ASSERT_TRUE(read.ok()) << read.error().message;
  const trace::Events& events = read.value().locations[0].events;
  ASSERT_EQ(events.size(), 4);
  EXPECT_EQ(events.region(0), trace::Region(5));
  EXPECT_EQ(events.region(1), trace::Region(9));
  EXPECT_EQ(events.region(3), trace::Region(5));
  EXPECT_EQ(events.ticks[0], 10'000) << "clock offsets apply too";
}

TEST(DecodeEvents, AgreesWithTheLibraryOnIdMappingsOfEveryType) {
  constexpr char kMappingTable = 5;
  constexpr char kAttributes = 1;  // The library refuses two of one id in a list.
  constexpr char kRegions = 3;
  constexpr char kLocations = 2;
  for (const bool dense : {true, false}) {
    for (char type = 0; type < 15; ++type) {
      SCOPED_TRACE(testing::Message() << "type " << int{type} << (dense ? ", dense" : ", sparse"));
      const Folder folder;
      trace::Trace trace = small_trace();
      trace.locations[0].events = random_events(100 + static_cast<uint32_t>(type));
      base::Progress progress;
      ASSERT_TRUE(write(trace, folder.path(), "traces", progress).ok());
      std::vector<char> table = {type, 1, 10, static_cast<char>(dense ? 0 : 1)};
      for (char id = 0; id < 10; ++id) {
        // Sparse: 1, 3, 5 ... and the id that refers to nothing; regions have to exist.
        const bool whole = type == kRegions || type == kAttributes;
        const char from = whole ? id : static_cast<char>(2 * id + 1);
        if (!dense && id == 9 && !whole) {
          const size_t width = type == kLocations ? 8 : 4;
          table.push_back(static_cast<char>(width));
          table.insert(table.end(), width, '\xff');
          table.back() = static_cast<char>(0x7f);
        } else if (!dense) {
          table.insert(table.end(), {1, from});
        }
        table.insert(table.end(), {1, static_cast<char>((id * 7 + 3) % 10)});
      }
      std::vector<char> record = {kMappingTable, static_cast<char>(table.size())};
      record.insert(record.end(), table.begin(), table.end());
      add_mappings(folder.path(), trace.locations[0].id, record);
      expect_decoders_agree(folder.path() / "traces.otf2");
    }
  }
}

/// Returns how many there are.
size_t expect_decoders_agree_below(const std::filesystem::path& folder) {
  size_t archives = 0;
  for (const auto& file : std::filesystem::recursive_directory_iterator(folder)) {
    if (file.path().extension() != ".otf2") continue;
    ++archives;
    expect_decoders_agree(file.path());
  }
  return archives;
}

TEST(DecodeEvents, AgreesWithTheLibraryOnArchivesOfRealPrograms) {
  EXPECT_EQ(expect_decoders_agree_below(base::own_data("otf2")), 9);
}

TEST(DecodeEvents, AgreesWithTheLibraryOnArchivesOfOtherVersions) {
  const auto folder = base::third_party_data("otf2");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << base::kNeedsThirdPartyData;
  EXPECT_EQ(expect_decoders_agree_below(folder), 12);
}

/// The bytes of a file with one chunk.
std::vector<uint8_t> chunk(uint8_t byte_order, std::initializer_list<int> records) {
  std::vector<uint8_t> bytes = {0x03, byte_order};
  bytes.resize(18);
  for (const int byte : records) bytes.push_back(static_cast<uint8_t>(byte));
  return bytes;
}

LocationEvents decode(const std::vector<uint8_t>& file, base::Arena& arena) {
  static const trace::Trace trace = small_trace();
  trace::EventsBuilder builder(&arena);
  return decode_location_events(file, kChunkBytes, trace.definitions, {}, nullptr, 0, builder);
}

TEST(DecodeEvents, ReadsBothByteOrders) {
  base::Arena arena;
  // Time 0x0102; Enter 3; MpiSend to 1 in communicator 0 with tag 300 of 65536 bytes; Leave 3.
  const auto little = decode(chunk(0x42, {5, 2, 1, 0,    0, 0, 0, 0, 0, 12, 1, 3, 14, 10, 1,
                                          1, 0, 2, 0x2c, 1, 3, 0, 0, 1, 13, 1, 3, 2,  1}),
                             arena);
  const auto big = decode(chunk(0x23, {5, 0, 0, 0, 0,    0, 0, 1, 2, 12, 1, 3, 14, 10, 1,
                                       1, 0, 2, 1, 0x2c, 3, 1, 0, 0, 13, 1, 3, 2,  1}),
                          arena);
  ASSERT_FALSE(little.fault) << *little.fault;
  ASSERT_FALSE(big.fault) << *big.fault;
  EXPECT_THAT(copy(little.events.ticks), testing::ElementsAre(0x102, 0x102, 0x102));
  const trace::PointToPoint send = little.events.point_to_point(1);
  EXPECT_EQ(send.peer, 1);
  EXPECT_EQ(send.comm, 0);
  EXPECT_EQ(send.tag, 300);
  EXPECT_EQ(send.bytes, 65536);
  expect_same(little.events, big.events);
}

/// A chunk in both byte orders, of records as they may be and now and then as they may not: numbers
/// that are undefined or longer than their field, lengths that do not fit, times that go back.
class BothOrders {
 public:
  explicit BothOrders(uint32_t seed) : random_(seed) {
    little_ = chunk(0x42, {});
    big_ = chunk(0x23, {});
    const size_t count = 1 + random_() % 60;
    for (size_t i = 0; i < count; ++i) record();
    if (random_() % 8 != 0) byte(2);
  }
  [[nodiscard]] const std::vector<uint8_t>& little() const { return little_; }
  [[nodiscard]] const std::vector<uint8_t>& big() const { return big_; }

 private:
  bool rarely() { return random_() % 150 == 0; }
  void byte(uint8_t value) {
    little_.push_back(value);
    big_.push_back(value);
  }
  static uint8_t byte_of(uint64_t value, size_t i) {
    return static_cast<uint8_t>(i < sizeof value ? value >> (8 * i) : 0);
  }
  void number(uint64_t value, size_t bytes) {
    for (size_t i = 0; i < bytes; ++i) {
      little_.push_back(byte_of(value, i));
      big_.push_back(byte_of(value, bytes - 1 - i));
    }
  }
  void compressed(size_t width, uint64_t most = UINT64_MAX) {
    if (rarely()) return byte(0xff);
    const size_t size = rarely() ? random_() % 20 : random_() % (width + 1);
    byte(static_cast<uint8_t>(size));
    number(random_() % most, size);
  }
  void record() {
    static constexpr std::array<int, 11> kTypes = {5, 5, 12, 12, 13, 15, 16, 17, 19, 14, 18};
    const int type =
        rarely() ? static_cast<int>(100 + random_() % 100) : kTypes[random_() % kTypes.size()];
    byte(static_cast<uint8_t>(type));
    if (type == 5) {
      time_ += random_() % 3;
      return number(rarely() ? 0 : time_, 8);
    }
    if (type == 12 || type == 13) return compressed(1, rarely() ? 256 : 10);
    if (type == 16 || type == 17) return compressed(8);
    const size_t at = little_.size();
    byte(0);
    for (int i = 0; i < 3; ++i) compressed(4);
    compressed(8);
    if (type != 14 && type != 18) compressed(8);
    const bool is_short = type < 100 && rarely();
    if (!is_short && rarely()) byte(7);  // A field of a later version.
    const size_t length = little_.size() - at - (is_short ? 2 : 1);
    little_[at] = big_[at] = static_cast<uint8_t>(length);
  }

  std::mt19937_64 random_;
  uint64_t time_ = 1000;
  std::vector<uint8_t> little_;
  std::vector<uint8_t> big_;
};

// Usual records of one byte order are read by code of their own.
TEST(DecodeEvents, ReadsTheSameInBothByteOrders) {
  size_t faults = 0;
  const uint32_t seeds = static_cast<uint32_t>(base::scaled(20'000));
  for (uint32_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE(seed);
    const BothOrders file(seed);
    base::Arena arena;
    const LocationEvents little = decode(file.little(), arena);
    const LocationEvents big = decode(file.big(), arena);
    ASSERT_EQ(little.fault, big.fault);
    ASSERT_EQ(little.fault_event, big.fault_event);
    ASSERT_EQ(little.unknown, big.unknown);
    expect_same(little.events, big.events);
    faults += little.fault ? 1 : 0;
    if (testing::Test::HasFailure()) break;
  }
  EXPECT_GT(faults, seeds / 10);
  EXPECT_LT(faults, seeds / 10 * 9);
}

TEST(DecodeEvents, SkipsFieldsOfLaterVersionsAndCountsUnknownRecords) {
  base::Arena arena;
  // RmaWinCreate with two bytes too many; type 200 with an attribute list; ProgramEnd 0.
  const auto read = decode(chunk(0x42, {5, 1, 0, 0, 0, 0, 0, 0,   0, 35, 4,  1, 9, 77, 77,
                                        6, 4, 1, 1, 0, 1, 5, 200, 1, 42, 84, 1, 0, 2,  1}),
                           arena);
  ASSERT_TRUE(read.fault) << "the attribute list is one byte short";
  const auto whole = decode(chunk(0x42, {5, 1, 0, 0, 0, 0, 0, 0,   0, 35, 4,  1, 9, 77, 77,
                                         6, 5, 1, 1, 0, 1, 5, 200, 1, 42, 84, 1, 0, 2,  1}),
                            arena);
  ASSERT_FALSE(whole.fault) << *whole.fault;
  EXPECT_EQ(whole.unknown, 1);
  EXPECT_THAT(copy(whole.events.kind),
              testing::ElementsAre(EventKind::kRmaWinCreate, EventKind::kProgramEnd));
  EXPECT_EQ(whole.events.ref[0], 9);
  EXPECT_EQ(whole.events.attributes.event.size(), 0) << "it belonged to the unknown record";
}

TEST(DecodeEvents, EndsAtTheFirstFaultWithTheEventsBeforeIt) {
  const struct {
    std::vector<uint8_t> file;
    const char* fact;
    size_t events;
  } cases[] = {
      {{}, "truncated", 0},
      {{3, 0x42, 0}, "header of a chunk", 0},
      {chunk(0x44, {2}), "byte order", 0},
      {chunk(0x42, {}), "without an end mark", 0},
      {chunk(0x42, {0}), "truncated", 0},
      {chunk(0x42, {5, 1, 2}), "time does not fit", 0},
      {chunk(0x42, {12, 1, 3, 12, 5, 1, 1, 1, 1, 1, 2}), "Enter record", 1},
      {chunk(0x42, {12, 1, 3, 13, 1, 10, 2}), "region 10, which is not defined", 1},
      {chunk(0x42, {12, 1, 3, 14, 2, 1, 1, 2}), "MpiSend record", 1},
      {chunk(0x42, {12, 1, 3, 14, 200, 1, 1, 2}), "does not fit into the chunk", 1},
      {chunk(0x42, {31, 3, 0, 200, 1, 2}), "Metric record", 0},
      {chunk(0x42, {6, 2, 1, 200, 12, 1, 3, 2}), "attribute list", 0},
      {chunk(0x42, {3, 1}), "mark 0x03", 0},
      {chunk(0x42, {5, 9, 0, 0, 0, 0, 0, 0, 0, 12, 0, 5, 8, 0, 0, 0, 0, 0, 0, 0, 13, 0, 2}),
       "its time 8 is before", 1}};
  for (const auto& [file, fact, events] : cases) {
    SCOPED_TRACE(fact);
    base::Arena arena;
    const LocationEvents read = decode(file, arena);
    ASSERT_TRUE(read.fault);
    EXPECT_THAT(*read.fault, HasSubstr(fact));
    EXPECT_EQ(read.events.size(), events);
    EXPECT_EQ(read.fault_event, events);
  }
}

TEST(DecodeEvents, FindsAFaultInEveryTruncation) {
  const auto whole = chunk(0x42, {5, 1, 0, 0, 0,  0, 0, 0, 0, 12, 1, 3,  15, 7, 1, 1, 0,
                                  0, 1, 7, 0, 31, 5, 0, 1, 4, 1,  5, 13, 1,  3, 2, 1});
  base::Arena arena;
  ASSERT_FALSE(decode(whole, arena).fault);
  for (size_t size = 0; size + 2 < whole.size(); ++size) {
    const std::vector<uint8_t> part(whole.begin(), whole.begin() + static_cast<ptrdiff_t>(size));
    EXPECT_TRUE(decode(part, arena).fault) << size << " bytes";
  }
}

}  // namespace
}  // namespace pathline::otf2
