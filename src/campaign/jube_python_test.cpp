// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/jube_python.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "campaign/jube_text.hpp"

namespace pathline::campaign {
namespace {

using testing::HasSubstr;

std::string value(const std::string& expression) {
  const auto result = python_value(expression);
  return result ? result.value() : "refused: " + result.error().message;
}

TEST(JubePython, CalculatesAsPythonDoes) {
  EXPECT_EQ(value("2**10"), "1024");
  EXPECT_EQ(value("4/2"), "2.0");
  EXPECT_EQ(value("7//2"), "3");
  EXPECT_EQ(value("-7//2"), "-4");
  EXPECT_EQ(value("-7%3"), "2");
  EXPECT_EQ(value("-2**2"), "-4");
  EXPECT_EQ(value("2**-1"), "0.5");
  EXPECT_EQ(value("2**3**2"), "512");
  EXPECT_EQ(value("0.1+0.2"), "0.30000000000000004");
  EXPECT_EQ(value("1e16*10"), "1e+17");
  EXPECT_EQ(value("int(5*(5+1)/2)"), "15");
  EXPECT_EQ(value("round(2.5)"), "2");
  EXPECT_EQ(value("round(2.567, 1)"), "2.6");
  EXPECT_EQ(value("3*1"), "3");
  EXPECT_EQ(value("'a'*3+\"b\""), "aaab");
  EXPECT_EQ(value("7.0//2"), "3.0");
  EXPECT_EQ(value("True + 1"), "2");
}

TEST(JubePython, MakesListsAndChooses) {
  EXPECT_EQ(value("\",\".join(str(2**i) for i in range(4))"), "1,2,4,8");
  EXPECT_EQ(value("\",\".join([ str(i) for i in range(0,10)])"), "0,1,2,3,4,5,6,7,8,9");
  EXPECT_EQ(value("\",\".join(str(a*4) for a in [1,2])"), "4,8");
  EXPECT_EQ(value("[\"hello\",\"world\"][1]"), "world");
  EXPECT_EQ(value("[1, 2.5, 'a']"), "[1, 2.5, 'a']");
  EXPECT_EQ(value("[i*i for i in range(6) if i % 2 == 1]"), "[1, 9, 25]");
  EXPECT_EQ(value("'a' if 3 > 2 and not 1 == 2 else 'b'"), "a");
  EXPECT_EQ(value("max(1, 2.5, 2)"), "2.5");
  EXPECT_EQ(value("sum(range(5)) + len([1, 2]) + min([4, 3])"), "15");
  EXPECT_EQ(value("'mpi' in 'openmpi'"), "True");
  EXPECT_EQ(value("4 not in [1, 2]"), "True");
  EXPECT_EQ(value("'a-b'.split('-')[0].upper()"), "A");
}

TEST(JubePython, NamesWhatItDoesNotKnow) {
  EXPECT_EQ(value("__import__('os').system('true')"), "refused: the function __import__()");
  EXPECT_EQ(value("open('/etc/passwd').read()"), "refused: the function open()");
  EXPECT_EQ(value("x + 1"), "refused: the name 'x'");
  EXPECT_EQ(value("1/0"), "refused: a division by 0");
  EXPECT_EQ(value("10**30"), "refused: it has more than 18 digits");
  EXPECT_EQ(value("lambda: 3"), "refused: ':'");
  EXPECT_EQ(value("1 +"), "refused: the end, where a value is expected");
  EXPECT_EQ(value("'abc"), "refused: a text without its end");
  EXPECT_EQ(value("{1: 2}"), "refused: '{'");
  EXPECT_EQ(value("1 + 'a'"), "refused: '+' between a whole number and a text");
  EXPECT_EQ(value("[1][5]"), "refused: index 5 of 1 values");
  EXPECT_EQ(value(""), "refused: the end, where a value is expected");
}

TEST(JubePython, EndsInBoundedTimeAndMemory) {
  EXPECT_THAT(value("range(10**12)"), HasSubstr("a list is too long"));
  EXPECT_THAT(value("[0]*100000*100000"), HasSubstr("a list is too long"));
  EXPECT_THAT(value("[[0]*90000]*90000"), HasSubstr("a list is too long"));
  EXPECT_THAT(value("'a'*10**12"), HasSubstr("a text is too long"));
  EXPECT_THAT(value("[[j for j in range(90000)] for i in range(90000)]"),
              HasSubstr("so much work"));
  EXPECT_THAT(value("[[i] * 1000 for i in range(90000)]"), HasSubstr("so much work"));
  EXPECT_THAT(value(std::string(10'000, '(')), HasSubstr("so many brackets"));
  EXPECT_THAT(value(std::string(10'000, '-') + "1"), HasSubstr("so many brackets"));
  std::string sum = "1";
  for (int i = 0; i < 5000; ++i) sum += "+1";
  EXPECT_THAT(value(sum), HasSubstr("so many operators"));
  EXPECT_THAT(value(std::string(1'000'000, '1')), HasSubstr("so many letters"));
}

TEST(JubePython, TellsTrueFromFalse) {
  EXPECT_TRUE(python_is_true("TRUE").value());
  EXPECT_FALSE(python_is_true("false").value());
  EXPECT_TRUE(python_is_true("2==2").value());
  EXPECT_FALSE(python_is_true("''").value());
  EXPECT_FALSE(python_is_true("yes please").ok());
}

TEST(JubeText, KnowsTags) {
  const auto holds = [](const char* text, const std::set<std::string>& tags) {
    const auto result = jube_tags_hold(text, tags);
    return result ? result.value() ? "yes" : "no" : "refused";
  };
  EXPECT_STREQ(holds("a", {"a"}), "yes");
  EXPECT_STREQ(holds("a|b", {"b"}), "yes");
  EXPECT_STREQ(holds("a+b", {"b"}), "no");
  EXPECT_STREQ(holds("!a", {}), "yes");
  EXPECT_STREQ(holds("!deu+eng", {"eng"}), "yes");
  EXPECT_STREQ(holds("deu|!eng", {"eng"}), "no");
  EXPECT_STREQ(holds("!(a|b)+c", {"c"}), "yes");
  EXPECT_STREQ(holds("a+b|c", {"c"}), "yes");
  EXPECT_STREQ(holds("a, !b", {"a"}), "yes") << "the older form";
  EXPECT_STREQ(holds("a,!b,c", {"a", "b"}), "no");
  for (const char* wrong : {"", "a|", "(a", "a)", "+", "!"}) {
    EXPECT_STREQ(holds(wrong, {}), "refused") << wrong;
  }
  EXPECT_STREQ(holds(std::string(100'000, '(').c_str(), {}), "refused");
}

TEST(JubeText, ReplacesNames) {
  const JubeNames names = [](std::string_view name) -> std::optional<std::string> {
    if (name == "n") return "{n}";
    return std::nullopt;
  };
  EXPECT_EQ(with_jube_names("$n ${n}x $nn $$n $$$n $HOME ${HOME} $ $1 a$", names),
            "{n} {n}x $nn $n ${n} $HOME ${HOME} $ $1 a$");
  EXPECT_THAT(jube_names_in("$b ${a}$b $$c"), testing::ElementsAre("b", "a"));
  EXPECT_EQ(groups_in(R"(a([0-9]+)(?:x)\((?P<t>[(]))"), 2U);
}

}  // namespace
}  // namespace pathline::campaign
