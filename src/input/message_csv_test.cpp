// SPDX-License-Identifier: BSD-3-Clause
#include "input/message_csv.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::input {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string table(const std::string& rows) { return std::string(kMessageHeader) + "\n" + rows; }

template <class Column>
std::vector<typename Column::value_type> copy(const Column& column) {
  return {column.begin(), column.end()};
}

TEST(ParseMessageCsv, SortsBySendTimeThenSenderThenLine) {
  const auto trace = parse_message_csv(table("1,0,0.5,0.75,8,1\n"
                                             "0,1,0.25,1e-3,4096,2\n"
                                             "0,3,0.5,2,16,3\n"
                                             "0,1,0.5,3,32,4\n"),
                                       false);
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  const trace::Messages& m = trace.value().messages;
  EXPECT_THAT(copy(m.tag), ElementsAre(2, 3, 4, 1));
  EXPECT_THAT(copy(m.send_ticks), ElementsAre(250'000'000, 500'000'000, 500'000'000, 500'000'000));
  EXPECT_EQ(m.recv_ticks[0], 1'000'000) << "a receive before its send is kept: clocks differ";
  EXPECT_EQ(trace.value().rank_count, 4);
  EXPECT_TRUE(trace.value().complete);
}

TEST(ParseMessageCsv, TakesLineEndsOfAllSystemsAndNoneAtTheEnd) {
  const auto trace =
      parse_message_csv(std::string(kMessageHeader) + "\r\n0,1,0,1,8,1\r\n\r\n1,0,1,2,8,2", false);
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_THAT(copy(trace.value().messages.tag), ElementsAre(1, 2));
}

TEST(ParseMessageCsv, TakesTheFirstTimeAsTheStartIfItIsNegative) {
  const auto trace = parse_message_csv(table("0,1,0.5,0.75,8,1\n"
                                             "1,0,-0.25,-0.5,8,2\n"),
                                       false);
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  const trace::Messages& m = trace.value().messages;
  EXPECT_THAT(copy(m.tag), ElementsAre(2, 1));
  EXPECT_THAT(copy(m.send_ticks), ElementsAre(250'000'000, 1'000'000'000));
  EXPECT_THAT(copy(m.recv_ticks), ElementsAre(0, 1'250'000'000));
}

TEST(ParseMessageCsv, NamesLineAndFieldOfWhatItCannotRead) {
  const struct {
    const char* row;
    const char* fact;
  } cases[] = {{"0,1,0.5,0.6,8\n", "line 3: 5 fields, expected 6"},
               {"0\n", "line 3: 1 field, expected 6"},
               {"0,1,0.5,0.6,8,1,2\n", "line 3: 7 fields, expected 6"},
               {"-1,1,0.5,0.6,8,1\n", "sender is '-1'"},
               {"0,4194304,0.5,0.6,8,1\n", "receiver is '4194304'"},
               {"0, 1,0.5,0.6,8,1\n", "receiver is ' 1'"},
               {"0,1,-5e9,0.6,8,1\n", "send_s is '-5e9'"},
               {"0,1,inf,0.6,8,1\n", "send_s is 'inf'"},
               {"0,1,nan,0.6,8,1\n", "send_s is 'nan'"},
               {"0,1,0.5,soon,8,1\n", "recv_s is 'soon'"},
               {"0,1,0.5,0.6,8.5,1\n", "bytes is '8.5'"},
               {"0,1,0.5,0.6,99999999999999999999,1\n", "bytes is '99999999999999999999'"},
               {",1,0.5,0.6,8,1\n", "line 3: sender is ''"},
               {"0,,0.5,0.6,8,1\n", "line 3: receiver is ''"},
               {"0,1,,0.6,8,1\n", "line 3: send_s is ''"},
               {"0,1,0.5,,8,1\n", "line 3: recv_s is ''"},
               {"0,1,0.5,0.6,,1\n", "line 3: bytes is ''"},
               {"0,1,0.5,0.6,8,\n", "line 3: tag is ''"}};
  for (const auto& [row, fact] : cases) {
    SCOPED_TRACE(fact);
    const std::string text = table("0,1,0,1,8,1\n") + row;
    const auto strict = parse_message_csv(text, false);
    ASSERT_FALSE(strict.ok());
    EXPECT_EQ(strict.error().code, base::ErrorCode::kCorrupt);
    EXPECT_THAT(strict.error().message, HasSubstr(fact));

    const auto partial = parse_message_csv(text, true);
    ASSERT_TRUE(partial.ok());
    EXPECT_EQ(partial.value().messages.size(), 1);
    EXPECT_FALSE(partial.value().complete);
    EXPECT_THAT(partial.value().warnings, ElementsAre(HasSubstr(fact)));
  }
}

TEST(ParseMessageCsv, ShowsNoControlCharactersOfTheFile) {
  const auto trace = parse_message_csv(table("0,\x1b[31m,0,1,8,1\n"), false);
  ASSERT_FALSE(trace.ok());
  EXPECT_EQ(trace.error().message.find('\x1b'), std::string::npos);
}

TEST(ParseMessageCsv, RefusesOtherTables) {
  for (const char* text : {"", "a,b\n1,2\n", "sender,receiver\n"}) {
    EXPECT_FALSE(parse_message_csv(text, true).ok()) << text;
  }
}

TEST(ParseMessageCsv, ReadsATableWithoutMessages) {
  const auto trace = parse_message_csv(table(""), false);
  ASSERT_TRUE(trace.ok());
  EXPECT_EQ(trace.value().messages.size(), 0);
  EXPECT_THAT(trace.value().warnings, IsEmpty());
}

}  // namespace
}  // namespace pathline::input
