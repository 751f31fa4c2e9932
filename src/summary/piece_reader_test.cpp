// SPDX-License-Identifier: BSD-3-Clause
#include "summary/piece_reader.hpp"

#include <cerrno>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"

namespace pathline::summary {
namespace {

std::string text(std::span<const uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

void put(const std::filesystem::path& path, const std::string& content) {
  std::ofstream(path) << content;
}

TEST(PieceReader, ReadsAgainOnlyWhatItHasNot) {
  const base::ScratchFolder folder;
  const auto path = folder.path() / "f";
  put(path, "0123456789");
  PieceReader reader;
  ASSERT_TRUE(reader.open(path));
  EXPECT_EQ(text(reader.read(2, 5)), "23456");
  put(path, "abcdefghij");
  EXPECT_EQ(text(reader.read(2, 5)), "23456");
  EXPECT_EQ(text(reader.read(4, 3)), "456");
  EXPECT_EQ(text(reader.read(7, 0)), "");
  EXPECT_EQ(text(reader.read(4, 4)), "efgh");
  EXPECT_EQ(text(reader.read(3, 2)), "de");
}

TEST(PieceReader, GivesFewerBytesAtTheEndEachTime) {
  const base::ScratchFolder folder;
  const auto path = folder.path() / "f";
  EXPECT_EQ(PieceReader().open(path).error().code, base::ErrorCode::kNotFound);
  put(path, "0123456789");
  PieceReader reader;
  ASSERT_TRUE(reader.open(path));
  EXPECT_EQ(text(reader.read(6, 20)), "6789");
  EXPECT_EQ(text(reader.read(6, 20)), "6789");
  EXPECT_EQ(text(reader.read(8, 20)), "89");
  EXPECT_EQ(text(reader.read(20, 5)), "");
}

TEST(PieceReader, TellsAnErrorFromTheEnd) {
  const base::ScratchFolder folder;
  PieceReader reader;
  ASSERT_TRUE(reader.open(folder.path()));
  EXPECT_EQ(text(reader.read(0, 4)), "");
  EXPECT_EQ(reader.failure(), EISDIR);
  put(folder.path() / "f", "0123");
  ASSERT_TRUE(reader.open(folder.path() / "f"));
  EXPECT_EQ(text(reader.read(2, 4)), "23");
  EXPECT_EQ(reader.failure(), 0);
}

TEST(PieceReader, KnowsNothingOfTheFileBefore) {
  const base::ScratchFolder folder;
  put(folder.path() / "a", "aaaa");
  put(folder.path() / "b", "bbbb");
  PieceReader reader;
  ASSERT_TRUE(reader.open(folder.path() / "a"));
  EXPECT_EQ(text(reader.read(0, 4)), "aaaa");
  ASSERT_TRUE(reader.open(folder.path() / "b"));
  EXPECT_EQ(text(reader.read(0, 4)), "bbbb");
  PieceReader other;
  ASSERT_TRUE(other.open(folder.path() / "a"));
  EXPECT_EQ(text(other.read(0, 2)), "aa");
  other.use(reader.release());
  EXPECT_EQ(text(other.read(0, 2)), "bb");
}

}  // namespace
}  // namespace pathline::summary
