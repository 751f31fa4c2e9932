// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/text_list.hpp"

#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::campaign {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;

std::string random_text(std::mt19937& random, size_t most) {
  std::string text(std::uniform_int_distribution<size_t>(0, most)(random), '\0');
  // Mostly what lengths are made of, so that contents look like them.
  for (char& c : text) c = random() % 2 == 0 ? "0123456789:"[random() % 11] : char(random() % 256);
  return text;
}

TEST(TextList, WritesEachTextBehindItsLength) {
  EXPECT_EQ(joined({"abc", ""}), "3:abc0:");
  EXPECT_EQ(joined({}), "");
  EXPECT_THAT(split("3:abc0:"), Optional(ElementsAre("abc", "")));
  EXPECT_THAT(split(""), Optional(IsEmpty()));
}

TEST(TextList, ComesBackWhateverBytesItHas) {
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    std::vector<std::string> texts(random() % 8);
    for (std::string& text : texts) text = random_text(random, 20);
    EXPECT_EQ(split(joined(texts)), texts);
  }
}

TEST(TextList, ThatIsDamagedIsNone) {
  for (const char* text : {"3", "3:", "3:ab", ":", "abc", "-1:a", "+1:a", " 1:a", "1 :a", "1:ab",
                           "1", "18446744073709551615:a", "99999999999999999999999:a"}) {
    EXPECT_EQ(split(text), std::nullopt) << text;
  }
}

TEST(TextList, ThatIsCutIsNoneOrShorter) {
  const std::vector<std::string> texts = {"main", "", "12:34", "x"};
  const std::string whole = joined(texts);
  for (size_t size = 0; size < whole.size(); ++size) {
    const auto left = split(std::string_view(whole).substr(0, size));
    if (left) {
      EXPECT_LT(left->size(), texts.size()) << size;
    }
  }
}

TEST(TextList, OfRandomBytesNeverHasMoreThanTheyAre) {
  std::mt19937 random(2);
  for (int i = 0; i < 3000; ++i) {
    const std::string bytes = random_text(random, 24);
    const auto texts = split(bytes);
    if (!texts) continue;
    size_t size = 0;
    for (const std::string& text : *texts) size += text.size() + 2;
    EXPECT_LE(size, bytes.size());
  }
}

}  // namespace
}  // namespace pathline::campaign
