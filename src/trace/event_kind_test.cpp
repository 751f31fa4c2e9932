// SPDX-License-Identifier: BSD-3-Clause
#include "trace/event_kind.hpp"

#include <cstdint>
#include <set>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "trace/definition_kind.hpp"

namespace pathline::trace {
namespace {

struct Kind {
  std::string_view name;
  unsigned number;
  std::string_view fields;
};
const std::vector<Kind> kKinds = {
#define PATHLINE_ROW(name, number, fields) {#name, number, fields},
    PATHLINE_EVENT_KINDS(PATHLINE_ROW)
#undef PATHLINE_ROW
};

TEST(EventKind, HasItsOwnNumberAndName) {
  std::set<unsigned> numbers = {0, static_cast<unsigned>(EventKind::kUnmatchedLeave)};
  std::set<std::string_view> names;
  for (const Kind& kind : kKinds) {
    EXPECT_TRUE(numbers.insert(kind.number).second) << kind.name << " shares " << kind.number;
    EXPECT_TRUE(names.insert(kind.name).second) << kind.name;
    EXPECT_LT(kind.number, kEventKindCount) << kind.name << " does not fit tables by kind";
    EXPECT_EQ(event_name(static_cast<EventKind>(kind.number)), kind.name);
    EXPECT_EQ(event_fields(static_cast<EventKind>(kind.number)), kind.fields);
  }
}

TEST(EventKind, TakesAsManyWordsAsItsFieldsNeed) {
  // Fields after the prototypes of OTF2_EvtWriter_*, counted by hand.
  EXPECT_EQ(event_words(EventKind::kMpiCollectiveBegin), 0U);
  EXPECT_EQ(event_words(EventKind::kEnter), 1U);
  EXPECT_EQ(event_words(EventKind::kUnmatchedLeave), 1U);
  EXPECT_EQ(event_words(EventKind::kBufferFlush), 2U);
  EXPECT_EQ(event_words(EventKind::kProgramEnd), 2U);  // Signed.
  EXPECT_EQ(event_words(EventKind::kMpiSend), 5U);
  EXPECT_EQ(event_words(EventKind::kMpiIsend), 7U);
  EXPECT_EQ(event_words(EventKind::kMpiCollectiveEnd), 7U);
  EXPECT_EQ(event_words(EventKind::kNonBlockingCollectiveComplete), 9U);
  EXPECT_EQ(event_words(EventKind::kIoSeek), 6U);
  EXPECT_EQ(event_words(EventKind::kIoOperationBegin), 7U);
  EXPECT_EQ(event_words(EventKind::kRmaAtomic), 9U);
  EXPECT_EQ(event_words(EventKind::kMetric), 2U);  // And three per value.
  EXPECT_EQ(event_words(EventKind::kProgramBegin), 2U);
  EXPECT_EQ(event_words(EventKind::kNone), 0U);
}

TEST(EventKind, CountsWordsOfAFieldList) {
  EXPECT_EQ(fixed_words(""), 0U);
  EXPECT_EQ(fixed_words("a"), 1U);
  EXPECT_EQ(fixed_words("long_name"), 1U);
  EXPECT_EQ(fixed_words("a*"), 2U);
  EXPECT_EQ(fixed_words("a- b c*"), 5U);
  EXPECT_EQ(fixed_words("a n ..."), 2U);
}

TEST(EventKind, HasNoNameForANumberThatIsNoKind) {
  EXPECT_EQ(event_name(EventKind::kNone), "");
  EXPECT_EQ(event_name(static_cast<EventKind>(255)), "");
  EXPECT_EQ(event_fields(static_cast<EventKind>(255)), "");
  EXPECT_EQ(event_name(EventKind::kUnmatchedLeave), "Leave");
}

TEST(DefinitionKind, HasItsOwnNumberAndName) {
  struct Definition {
    std::string_view name;
    unsigned number;
  };
  const std::vector<Definition> kinds = {
#define PATHLINE_ROW(name, number) {#name, number},
      PATHLINE_DEFINITION_KINDS(PATHLINE_ROW)
#undef PATHLINE_ROW
  };
  std::set<unsigned> numbers;
  for (const Definition& kind : kinds) {
    EXPECT_TRUE(numbers.insert(kind.number).second) << kind.name << " shares " << kind.number;
    EXPECT_EQ(definition_name(static_cast<DefinitionKind>(kind.number)), kind.name);
  }
  EXPECT_EQ(definition_name(static_cast<DefinitionKind>(255)), "");
}

}  // namespace
}  // namespace pathline::trace
