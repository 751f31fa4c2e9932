// SPDX-License-Identifier: BSD-3-Clause
#include "base/byte_list.hpp"

#include <csignal>
#include <fstream>
#include <random>
#include <sys/resource.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"
#include "base/spill_file.hpp"

namespace pathline::base {
namespace {

std::vector<uint8_t> bytes_of(const ByteList& list) {
  std::vector<uint8_t> bytes;
  list.copy_to(bytes);
  return bytes;
}

/// A list beside what it should hold.
struct Both {
  ByteList list;
  std::vector<uint8_t> plain;

  void append(std::mt19937& random) {
    constexpr uint32_t kFew = 30;
    constexpr uint32_t kMany = 3000;
    std::vector<uint8_t> bytes(random() % (random() % 20 == 0 ? kMany : kFew));
    for (uint8_t& byte : bytes) byte = static_cast<uint8_t>(random());
    list.append(bytes);
    plain.insert(plain.end(), bytes.begin(), bytes.end());
  }
};

TEST(ByteList, HoldsWhatWasAppendedWhereverItLies) {
  const ScratchFolder folder;
  for (uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    const bool spills = seed % 3 > 0;
    const auto file = SpillFile::make(folder.path());
    ASSERT_TRUE(file.ok()) << file.error().message;
    std::mt19937 random(seed);
    std::vector<Both> lists(1 + random() % 8);
    size_t expected = 0;
    for (auto i = random() % 800; i > 0; --i) {
      Both& one = lists[random() % lists.size()];
      one.append(random);
      switch (random() % 40) {
        case 0:
          if (!spills) break;
          expected += one.list.bytes_in_memory();
          one.list.spill(*file.value());
          EXPECT_EQ(one.list.bytes_in_memory(), 0U);
          break;
        case 1:
          if (!spills) one.list.fit();
          break;
        case 2: one = Both(); break;
        case 3: std::swap(one, lists.front()); break;
        case 4:
          ASSERT_TRUE(file.value()->flush().ok());
          EXPECT_EQ(bytes_of(one.list), one.plain);
          break;
        default: break;
      }
    }
    ASSERT_TRUE(file.value()->flush().ok());
    EXPECT_GE(file.value()->size(), expected);
    for (const Both& one : lists) {
      EXPECT_EQ(one.list.size(), one.plain.size());
      EXPECT_EQ(bytes_of(one.list), one.plain);
      Packer out;
      one.list.pack(out);
      const auto packed = out.take();
      Unpacker in(packed);
      ByteList taken;
      taken.append(packed);
      taken.take(in);
      EXPECT_TRUE(in.ended());
      EXPECT_EQ(bytes_of(taken), one.plain);
    }
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(ByteList, KeepsTogetherWhatWasAppendedAtOnce) {
  ByteList list;
  const std::vector<uint8_t> bytes(26);
  for (int i = 0; i < 1000; ++i) list.append(bytes);
  size_t pieces = 0;
  list.for_each_piece([&](std::span<const uint8_t> piece) {
    ++pieces;
    EXPECT_EQ(piece.size() % bytes.size(), 0U);
  });
  EXPECT_GT(pieces, 20U);
  list.fit();
  pieces = 0;
  list.for_each_piece([&](std::span<const uint8_t> piece) { pieces += piece.size(); });
  EXPECT_EQ(pieces, 26000U);
}

/// Of this process.
size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  size_t all = 0;
  size_t pages = 0;
  file >> all >> pages;
  return pages * static_cast<size_t>(::sysconf(_SC_PAGESIZE));
}

TEST(ByteList, LeavesItsMemoryToListsOfAnySize) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer has memory of its own for each that is touched";
#endif
  constexpr size_t kBytes = 32 << 20;
  const auto fill = [](std::vector<ByteList>& lists, size_t bytes_of_list) {
    lists.resize(kBytes / bytes_of_list);
    const std::vector<uint8_t> bytes(bytes_of_list, 1);
    for (ByteList& list : lists) list.append(bytes);
  };
  ByteList other;  // Keeps the slabs.
  other.append(std::vector<uint8_t>(1));
  std::vector<ByteList> lists;
  fill(lists, 1000);
  const size_t before = resident_bytes();
  for (const size_t bytes_of_list : {480U, 224U}) {
    lists.clear();
    fill(lists, bytes_of_list);
  }
  EXPECT_LT(resident_bytes(), before + kBytes / 2);
}

/// Writes more than the system lets it.
void fill_a_disk(const std::filesystem::path& folder) {
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{1 << 16, 1 << 16};
  ::setrlimit(RLIMIT_FSIZE, &limit);
  const auto file = SpillFile::make(folder);
  ByteList list;
  for (int i = 0; i < 1000; ++i) {
    list.append(std::vector<uint8_t>(1000));
    list.spill(*file.value());
  }
  const auto status = file.value()->flush();
  fprintf(stderr, "%s", status ? "all was written" : status.error().message.c_str());
  std::exit(0);
}

TEST(SpillFile, NamesItsFolderWhereItCannotBeWritten) {
  const ScratchFolder folder;
  EXPECT_EXIT(fill_a_disk(folder.path()), testing::ExitedWithCode(0),
              "cannot write a scratch file in " + folder.path().string() + ": File too large");
  EXPECT_EQ(SpillFile::make(folder.path() / "none").error().code, ErrorCode::kNotFound);
}

}  // namespace
}  // namespace pathline::base
