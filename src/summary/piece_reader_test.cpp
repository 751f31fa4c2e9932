// SPDX-License-Identifier: BSD-3-Clause
#include "summary/piece_reader.hpp"

#include <cerrno>
#include <string>

#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"

namespace pathline::summary {
namespace {

std::string text(std::span<const uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

TEST(PieceReader, ReadsAgainOnlyWhatItHasNot) {
  const base::ScratchFolder folder;
  PieceReader reader;
  ASSERT_TRUE(reader.open(folder.write("f", "0123456789")));
  EXPECT_EQ(text(reader.read(2, 5)), "23456");
  folder.write("f", "abcdefghij");
  EXPECT_EQ(text(reader.read(2, 5)), "23456");
  EXPECT_EQ(text(reader.read(4, 3)), "456");
  EXPECT_EQ(text(reader.read(7, 0)), "");
  EXPECT_EQ(text(reader.read(4, 4)), "efgh");
  EXPECT_EQ(text(reader.read(3, 2)), "de");
}

TEST(PieceReader, GivesFewerBytesAtTheEndEachTime) {
  const base::ScratchFolder folder;
  PieceReader reader;
  EXPECT_EQ(reader.open(folder.path() / "f").error().code, base::ErrorCode::kNotFound);
  ASSERT_TRUE(reader.open(folder.write("f", "0123456789")));
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
  ASSERT_TRUE(reader.open(folder.write("f", "0123")));
  EXPECT_EQ(text(reader.read(2, 4)), "23");
  EXPECT_EQ(reader.failure(), 0);
}

TEST(PieceReader, KnowsNothingOfTheFileBefore) {
  const base::ScratchFolder folder;
  const auto a = folder.write("a", "aaaa");
  const auto b = folder.write("b", "bbbb");
  PieceReader reader;
  ASSERT_TRUE(reader.open(a));
  EXPECT_EQ(text(reader.read(0, 4)), "aaaa");
  ASSERT_TRUE(reader.open(b));
  EXPECT_EQ(text(reader.read(0, 4)), "bbbb");
  PieceReader other;
  ASSERT_TRUE(other.open(a));
  EXPECT_EQ(text(other.read(0, 2)), "aa");
  other.use(reader.release());
  EXPECT_EQ(text(other.read(0, 2)), "bb");
}

TEST(PieceReader, GoesOnWithWhatWasReadBefore) {
  const base::ScratchFolder folder;
  const auto a = folder.write("a", "0123456789");
  PieceReader first;
  ASSERT_TRUE(first.open(a));
  first.read(2, 5);
  EXPECT_EQ(text(first.rest(4)), "456");
  EXPECT_EQ(text(first.rest(7)), "");
  EXPECT_EQ(text(first.rest(8)), "");
  EXPECT_EQ(text(first.rest(1)), "");

  PieceReader second;
  second.begin_with(4, first.rest(4));
  EXPECT_TRUE(second.has(4, 3));
  EXPECT_FALSE(second.has(4, 4));
  EXPECT_FALSE(second.is_open());
  EXPECT_EQ(text(second.read(5, 2)), "56");
  second.use(first.release());
  EXPECT_TRUE(second.is_open());
  EXPECT_EQ(text(second.read(4, 3)), "456");
  EXPECT_EQ(text(second.read(4, 5)), "45678");
  second.begin_with(20, {});
  EXPECT_FALSE(second.is_open());
  EXPECT_FALSE(second.has(4, 1));
}

}  // namespace
}  // namespace pathline::summary
