// SPDX-License-Identifier: BSD-3-Clause
//
// Writer and reader of raw files together: what was committed must come back, however the writer
// ended.
//
// Long because each test is one way in which a writer may end, with the same fixture.
#include <algorithm>
#include <csignal>
#include <cstddef>
#include <fcntl.h>
#include <fstream>
#include <random>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"
#include "chunk/reader.hpp"
#include "chunk/writer.hpp"

namespace pathline::chunk {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Identity who() {
  Identity who{};
  who.rank = 3;
  who.rank_count = 8;
  who.world = 77;
  who.clock = ClockSource::kTsc;
  who.ticks_per_second = 2'600'000'000;
  std::copy_n("node07", 7, who.host);
  std::copy_n("/usr/bin/lmp", 13, who.program);
  return who;
}

class RawFileTest : public ::testing::Test {
 protected:
  base::ScratchFolder folder_;
  std::string path_ = (folder_.path() / "3.raw").string();

  WriterOptions options(uint32_t chunk_bytes = 4096) {
    return {.path = path_.c_str(), .chunk_bytes = chunk_bytes};
  }
  RawFile read() {
    auto file = RawFile::open(path_);
    EXPECT_TRUE(file.ok()) << file.error().message;
    return std::move(file).value();
  }
};

std::vector<Record> records_of(const StreamChunks& stream) {
  std::vector<Record> records;
  for (const Chunk& chunk : stream.chunks) {
    RecordReader reader(chunk);
    Record record;
    while (reader.next(record)) records.push_back(record);
    EXPECT_STREQ(reader.fault(), "");
  }
  return records;
}

/// Sends with their number in each field, as many as the test says, at times of `step` ticks.
void write_sends(Stream& stream, uint64_t count, uint64_t step = 1000) {
  for (uint64_t i = 0; i < count; ++i) {
    stream.add(RecordKind::kSend, step * (i + 1), i % 3, i, i % 7, i * i);
  }
}

uint64_t expect_sends(const std::vector<Record>& records, uint64_t step = 1000) {
  for (uint64_t i = 0; i < records.size(); ++i) {
    const Record& record = records[i];
    EXPECT_EQ(record.kind, RecordKind::kSend);
    EXPECT_EQ(record.ticks, step * (i + 1));
    EXPECT_EQ(record.numbers[1], i);
    EXPECT_EQ(record.numbers[3], i * i);
    if (::testing::Test::HasFailure()) return 0;
  }
  return records.size();
}

TEST_F(RawFileTest, GivesBackHeaderAndRecords) {
  Writer writer;
  ASSERT_TRUE(writer.open(options(), who()));
  Stream stream;
  stream.start(&writer, 5);
  write_sends(stream, 10'000);  // Many chunks.
  Stream definitions;
  definitions.start(&writer, kDefinitionStream);
  const uint64_t region[] = {1, 28, 0, 0};
  ASSERT_TRUE(definitions.define_text(RecordKind::kRegion, region, 4, "MPI_Send", 8));
  const uint64_t comm[] = {2, 0};
  const uint64_t members[] = {0, 5, 7};
  ASSERT_TRUE(definitions.define_list(RecordKind::kMembers, comm, 2, members, 3));
  const uint64_t offset[] = {100, base::zigzag(-5), 2};
  ASSERT_TRUE(definitions.define(RecordKind::kClockOffset, offset, 3));
  stream.finish();
  definitions.finish();
  writer.close();

  const RawFile file = read();
  EXPECT_EQ(file.rank, 3U);
  EXPECT_EQ(file.rank_count, 8U);
  EXPECT_EQ(file.world, 77U);
  EXPECT_EQ(file.clock, ClockSource::kTsc);
  EXPECT_EQ(file.ticks_per_second, 2'600'000'000U);
  EXPECT_EQ(file.host, "node07");
  EXPECT_EQ(file.program, "/usr/bin/lmp");
  EXPECT_TRUE(file.finished);
  EXPECT_EQ(file.loss, Loss::kNone);
  EXPECT_EQ(file.lost_events, 0U);
  EXPECT_THAT(file.problems(), IsEmpty());
  ASSERT_EQ(file.streams.size(), 2U);
  EXPECT_EQ(file.streams[0].stream, 5U);
  EXPECT_GT(file.streams[0].chunks.size(), 10U);
  EXPECT_EQ(expect_sends(records_of(file.streams[0])), 10'000U);

  EXPECT_EQ(file.streams[1].stream, kDefinitionStream);
  RecordReader reader(file.streams[1].chunks.at(0));
  Record record;
  ASSERT_TRUE(reader.next(record));
  EXPECT_EQ(record.kind, RecordKind::kRegion);
  EXPECT_EQ(record.numbers[1], 28U);
  EXPECT_EQ(record.text, "MPI_Send");
  ASSERT_TRUE(reader.next(record));
  EXPECT_EQ(record.numbers[0], 2U);
  EXPECT_THAT(record.list, ElementsAre(0, 5, 7));
  ASSERT_TRUE(reader.next(record));
  EXPECT_EQ(static_cast<int64_t>(record.numbers[1]), -5);
  EXPECT_FALSE(reader.next(record));
}

TEST_F(RawFileTest, NeedsFewBytesForACall) {
  Writer writer;
  ASSERT_TRUE(writer.open(options(1U << 20U), who()));
  Stream stream;
  stream.start(&writer, 0);
  uint64_t ticks = 1ULL << 50U;
  constexpr uint64_t kCalls = 10'000;
  for (uint64_t i = 0; i < kCalls; ++i) {
    stream.add(RecordKind::kEnter, ticks += 5000, 12);
    stream.add(RecordKind::kSend, ticks, 1, 1023, 4711, 65536);
    stream.add(RecordKind::kLeave, ticks += 1500, 12);
  }
  EXPECT_LE(stream.bytes(), 24 * kCalls);
}

TEST_F(RawFileTest, NeverLetsTimeRunBackwards) {
  Writer writer;
  ASSERT_TRUE(writer.open(options(), who()));
  Stream stream;
  stream.start(&writer, 0);
  for (const uint64_t ticks : {100U, 90U, 120U, 0U}) stream.add(RecordKind::kEnter, ticks, 1);
  stream.finish();
  writer.close();
  std::vector<uint64_t> times;
  for (const Record& record : records_of(read().streams.at(0))) times.push_back(record.ticks);
  EXPECT_THAT(times, ElementsAre(100, 100, 120, 120));
}

TEST_F(RawFileTest, KeepsStreamsOfThreadsApart) {
  Writer writer;
  ASSERT_TRUE(writer.open(options(), who()));
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < 8; ++i) {
    threads.emplace_back([&writer, i] {
      Stream stream;
      stream.start(&writer, i);
      write_sends(stream, 3000, i + 1);
      stream.finish();
    });
  }
  for (std::thread& thread : threads) thread.join();
  writer.close();
  const RawFile file = read();
  ASSERT_EQ(file.streams.size(), 8U);
  for (uint32_t i = 0; i < 8; ++i) {
    EXPECT_EQ(expect_sends(records_of(file.streams[i]), i + 1), 3000U) << i;
  }
}

/// Runs `body` in a process of its own.
/// returns  how it ended, as of waitpid.
template <class Body>
int in_child(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return status;
}

TEST_F(RawFileTest, KeepsEverythingOfAProcessThatIsKilled) {
  const int status = in_child([&] {
    Writer writer;
    if (!writer.open(options(), who())) _exit(1);
    Stream stream;
    stream.start(&writer, 0);
    write_sends(stream, 5000);
    raise(SIGKILL);
  });
  ASSERT_TRUE(WIFSIGNALED(status)) << status;
  const RawFile file = read();
  EXPECT_FALSE(file.finished);
  EXPECT_THAT(file.problems(), IsEmpty());
  EXPECT_EQ(expect_sends(records_of(file.streams.at(0))), 5000U);
}

TEST_F(RawFileTest, IsReadableAtAnyMomentWhileItIsWritten) {
  const pid_t child = fork();
  if (child == 0) {
    Writer writer;
    if (!writer.open(options(), who())) _exit(1);
    Stream stream;
    stream.start(&writer, 0);
    // Bounded: each look reads all there is, and a slow reader would never catch up.
    for (uint64_t i = 0; i < 20'000; ++i) {
      stream.add(RecordKind::kSend, 1000 * (i + 1), i % 3, i, 0, i * i);
      if (i % 100 == 0) usleep(200);
    }
    for (;;) pause();
  }
  uint64_t before = 0;
  for (int look = 0; look < 50; ++look) {
    usleep(1000);
    if (!std::filesystem::exists(path_) || std::filesystem::file_size(path_) < kHeaderBytes)
      continue;
    auto file = RawFile::open(path_);
    if (!file) continue;  // Its header is being written.
    ASSERT_THAT(file.value().problems(), IsEmpty());
    if (file.value().streams.empty()) continue;
    const uint64_t count = expect_sends(records_of(file.value().streams[0]));
    ASSERT_GE(count, before);
    before = count;
  }
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_GT(before, 0U);
}

TEST_F(RawFileTest, StatesWhatAFullFileLost) {
  Writer writer;
  auto limited = options();
  limited.max_bytes = kHeaderBytes + 3 * 4096;
  ASSERT_TRUE(writer.open(limited, who()));
  Stream stream;
  stream.start(&writer, 0);
  write_sends(stream, 5000);
  stream.finish();
  writer.close();
  const RawFile file = read();
  EXPECT_EQ(file.loss, Loss::kMaxSize);
  const uint64_t kept = expect_sends(records_of(file.streams.at(0)));
  EXPECT_GT(kept, 1000U);
  EXPECT_EQ(kept + file.lost_events, 5000U);
  EXPECT_EQ(file.lost_since_ticks, 1000 * (kept + 1));
  EXPECT_TRUE(file.finished);
}

TEST_F(RawFileTest, OutlivesALimitOfTheFileSize) {
  // Writing beyond it brings SIGXFSZ, which ends a program that does not expect it.
  const int status = in_child([&] {
    const rlimit limit{32768, 32768};
    setrlimit(RLIMIT_FSIZE, &limit);
    Writer writer;
    if (!writer.open(options(), who())) _exit(1);
    Stream stream;
    stream.start(&writer, 0);
    write_sends(stream, 10'000);
    stream.finish();
    writer.close();
    _exit(42);
  });
  ASSERT_TRUE(WIFEXITED(status)) << status;
  EXPECT_EQ(WEXITSTATUS(status), 42);
  const RawFile file = read();
  EXPECT_EQ(file.loss, Loss::kNoSpace);
  EXPECT_EQ(expect_sends(records_of(file.streams.at(0))) + file.lost_events, 10'000U);
}

TEST_F(RawFileTest, OutlivesWantOfDescriptors) {
  const int status = in_child([&] {
    Writer writer;
    if (!writer.open(options(), who())) _exit(1);
    Stream stream;
    stream.start(&writer, 0);
    write_sends(stream, 100);
    const rlimit none{0, 0};
    setrlimit(RLIMIT_NOFILE, &none);
    for (uint64_t i = 100; i < 5000; ++i) {
      stream.add(RecordKind::kSend, 1000 * (i + 1), i % 3, i, i % 7, i * i);
    }
    stream.finish();
    writer.close();
    _exit(42);
  });
  EXPECT_EQ(WEXITSTATUS(status), 42);
  const RawFile file = read();
  EXPECT_EQ(file.loss, Loss::kNoFile);
  EXPECT_EQ(expect_sends(records_of(file.streams.at(0))) + file.lost_events, 5000U);
}

TEST_F(RawFileTest, DoesNotTouchWhatTheProgramOpensUnderItsDescriptor) {
  Writer writer;
  ASSERT_TRUE(writer.open(options(), who()));
  Stream stream;
  stream.start(&writer, 0);
  write_sends(stream, 10);
  const auto other = folder_.path() / "other";
  std::ofstream(other) << "the program's own";
  for (int fd = 3; fd < 64; ++fd) {
    if (fcntl(fd, F_GETFD) >= 0) continue;
    ASSERT_GE(open(other.c_str(), O_RDWR), 0);
  }
  for (uint64_t i = 10; i < 2000; ++i) {
    stream.add(RecordKind::kSend, 1000 * (i + 1), i % 3, i, i % 7, i * i);
  }
  stream.finish();
  writer.close();
  EXPECT_EQ(std::filesystem::file_size(other), 17U);
  EXPECT_EQ(expect_sends(records_of(read().streams.at(0))), 2000U);
}

TEST_F(RawFileTest, KeepsTheLastChunksOfARing) {
  Writer writer;
  auto ring = options();
  ring.buffering = Buffering::kRing;
  ring.ring_chunks = 3;
  ASSERT_TRUE(writer.open(ring, who()));
  Stream stream;
  stream.start(&writer, 0);
  Stream definitions;
  definitions.start(&writer, kDefinitionStream);
  for (uint64_t i = 0; i < 20'000; ++i) {
    stream.add(RecordKind::kSend, i, 0, i, 0, 8);
    const uint64_t region[] = {i, 0, 0, 0};
    if (i % 100 == 0) {
      ASSERT_TRUE(definitions.define_text(RecordKind::kRegion, region, 4, "a region's name", 15));
    }
  }
  stream.finish();
  definitions.finish();
  writer.close();
  const RawFile file = read();
  EXPECT_THAT(file.problems(), IsEmpty());
  EXPECT_EQ(file.loss, Loss::kRing);
  const auto kept = records_of(file.streams.at(0));
  ASSERT_GT(kept.size(), 1000U);
  EXPECT_EQ(kept.back().numbers[1], 19'999U) << "the latest is there";
  for (size_t i = 1; i < kept.size(); ++i) {
    ASSERT_EQ(kept[i].numbers[1], kept[i - 1].numbers[1] + 1) << "without a hole";
  }
  uint64_t kept_bytes = 0;
  for (const Chunk& chunk : file.streams[0].chunks) kept_bytes += chunk.payload.size();
  EXPECT_EQ(kept_bytes + file.overwritten_bytes, stream.bytes());
  EXPECT_EQ(records_of(file.streams.at(1)).size(), 200U) << "names live outside the ring";
}

TEST_F(RawFileTest, WritesWhatWasKeptInMemory) {
  Writer writer;
  auto ram = options();
  ram.buffering = Buffering::kRam;
  ASSERT_TRUE(writer.open(ram, who()));
  Stream stream;
  stream.start(&writer, 0);
  write_sends(stream, 5000);
  EXPECT_EQ(std::filesystem::file_size(path_), kHeaderBytes);
  stream.finish();
  writer.close();
  const RawFile file = read();
  EXPECT_EQ(expect_sends(records_of(file.streams.at(0))), 5000U);
}

TEST_F(RawFileTest, DoesNotReplaceAFile) {
  std::ofstream(path_) << "precious";
  Writer writer;
  EXPECT_FALSE(writer.open(options(), who()));
  EXPECT_EQ(errno, EEXIST);
  EXPECT_EQ(std::filesystem::file_size(path_), 8U);
}

TEST_F(RawFileTest, NamesWhatIsWrongWithAChunk) {
  {
    Writer writer;
    ASSERT_TRUE(writer.open(options(), who()));
    Stream stream;
    stream.start(&writer, 0);
    write_sends(stream, 1000);
    stream.finish();
    writer.close();
  }
  std::fstream bytes(path_, std::ios::in | std::ios::out | std::ios::binary);
  bytes.seekp(kHeaderBytes).put('x');                                                   // No magic.
  bytes.seekp(kHeaderBytes + 4096 + offsetof(ChunkHeader, committed) + 3).put('\x7f');  // Too much.
  bytes.seekp(kHeaderBytes + 2 * 4096 + sizeof(ChunkHeader)).put('\xee');  // No such kind.
  bytes.close();
  const RawFile file = read();
  ASSERT_EQ(file.problems().size(), 2U);
  EXPECT_THAT(file.problems()[0], HasSubstr("3.raw: there is no chunk at offset 4096"));
  EXPECT_THAT(file.problems()[1], HasSubstr("the chunk at offset 8192 states"));
  RecordReader reader(file.streams.at(0).chunks.at(1));
  Record record;
  EXPECT_FALSE(reader.next(record));
  EXPECT_THAT(reader.fault(), HasSubstr("kind that this Pathline does not know"));
  EXPECT_EQ(reader.offset(), kHeaderBytes + 2 * 4096 + sizeof(ChunkHeader));
}

TEST_F(RawFileTest, RefusesWhatIsNoRawFile) {
  std::ofstream(path_) << "short";
  EXPECT_THAT(RawFile::open(path_).error().message, HasSubstr("it has 5 bytes"));
  std::ofstream(path_) << std::string(5000, 'x');
  EXPECT_THAT(RawFile::open(path_).error().message, HasSubstr("does not begin as a raw file"));
}

/// Any byte may be anything: the reader ends, stays within the file and gives records or reasons.
TEST_F(RawFileTest, BearsRandomDamage) {
  {
    Writer writer;
    ASSERT_TRUE(writer.open(options(), who()));
    Stream stream;
    stream.start(&writer, 0);
    write_sends(stream, 1000);
    stream.finish();
    writer.close();
  }
  std::ifstream in(path_, std::ios::binary);
  const std::string original{std::istreambuf_iterator<char>(in), {}};
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    std::string damaged = original;
    for (int i = 0; i < 8; ++i) damaged[random() % damaged.size()] = static_cast<char>(random());
    if (round % 4 == 0) damaged.resize(random() % damaged.size());
    std::ofstream(path_, std::ios::binary) << damaged;
    const auto file = RawFile::open(path_);
    if (!file) continue;
    for (const StreamChunks& stream : file.value().streams) {
      for (const Chunk& chunk : stream.chunks) {
        RecordReader reader(chunk);
        Record record;
        uint64_t count = 0;
        while (reader.next(record)) ++count;
        EXPECT_LE(count, chunk.payload.size());
      }
    }
  }
}

}  // namespace
}  // namespace pathline::chunk
