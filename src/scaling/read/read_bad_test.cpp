// SPDX-License-Identifier: BSD-3-Clause
//
// What a text can hold that is no measurement, and what is said of it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "scaling/read/read.hpp"

namespace pathline::scaling {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

/// The error of a text, without "cannot read runs: ".
std::string fault_of(std::string_view text) {
  const auto experiment = read_text(text, "runs");
  EXPECT_FALSE(experiment.ok()) << text;
  if (experiment) return "";
  EXPECT_EQ(experiment.error().code, base::ErrorCode::kCorrupt);
  const std::string begin = "cannot read runs: ";
  EXPECT_THAT(experiment.error().message, StartsWith(begin));
  EXPECT_LT(experiment.error().message.size(), 400U);
  return experiment.error().message.substr(begin.size());
}

std::string of_one(std::string_view rest) {
  return "PARAMETER p\nPOINTS 1 2\n" + std::string(rest);
}

TEST(BadKeywords, NameTheLineAndTheWord) {
  EXPECT_EQ(fault_of(of_one("REGION r\nDATA 1 nan\n")),
            "line 4: 'nan' is no finite number, expected a measured value");
  EXPECT_EQ(fault_of(of_one("REGION r\nDATA 1 -inf\n")),
            "line 4: '-inf' is no finite number, expected a measured value");
  EXPECT_EQ(fault_of(of_one("REGION r\nDATA 1 2x\n")),
            "line 4: '2x' is no number, expected a measured value");
  EXPECT_EQ(fault_of(of_one("REGION r\nDATA 1,5\n")),
            "line 4: '1,5' is no number, expected a measured value");
  EXPECT_EQ(fault_of(of_one("REGION r\nDATA 1e999\n")),
            "line 4: '1e999' is beyond what a double holds, expected a measured value");
  EXPECT_EQ(fault_of(of_one("REGION r\n\nDATA 1\nDATA\n")), "line 6: DATA without a value");
  EXPECT_EQ(fault_of(of_one("REGION r\nDATA 1\nDATA 2\nDATA 3\n")),
            "line 6: DATA line 3 of region 'r', but there are 2 points");
  EXPECT_EQ(fault_of(of_one("REGION\n")), "line 3: REGION without a name");
  EXPECT_EQ(fault_of(of_one("METRIC \t\n")), "line 3: METRIC without a name");
  EXPECT_THAT(fault_of(of_one("REGION r\nDATA \x1b[31m" + std::string(1000, 'x'))),
              HasSubstr("'\xef\xbf\xbd[31mxxx"));
}

TEST(BadKeywords, AreTakenForTheNearestOne) {
  const auto experiment = read_text(of_one("REGIO main\n"), "runs");
  ASSERT_FALSE(experiment.ok());
  EXPECT_EQ(experiment.error().message,
            "cannot read runs: line 3: 'REGIO' is no keyword, expected PARAMETER, POINTS, METRIC, "
            "REGION, DATA");
  EXPECT_EQ(experiment.error().advice, "Did you mean REGION?");
  EXPECT_EQ(read_text("parameters p", "runs").error().advice, "Did you mean PARAMETER?");
  EXPECT_EQ(read_text("sender,receiver", "runs").error().advice, "");
}

TEST(BadKeywords, LackWhatComesFirst) {
  EXPECT_EQ(fault_of(""), "line 1: the text ends without a PARAMETER");
  EXPECT_EQ(fault_of("# nothing\n\n"), "line 2: the text ends without a PARAMETER");
  EXPECT_EQ(fault_of("POINTS 1\n"), "line 1: POINTS, but no PARAMETER before");
  EXPECT_EQ(fault_of("PARAMETER\n"), "line 1: PARAMETER without a name");
  EXPECT_EQ(fault_of("PARAMETER p\nREGION r\nDATA 1\n"), "line 3: DATA, but no POINTS before");
  EXPECT_EQ(fault_of("PARAMETER p\nREGION r\n"), "line 2: the text ends without POINTS");
  EXPECT_EQ(fault_of(of_one("REGION r\n")), "line 3: the text ends without DATA");
  EXPECT_EQ(fault_of(of_one("PARAMETER q\n")), "line 3: PARAMETER behind POINTS, expected before");
  EXPECT_EQ(fault_of("PARAMETER p q p\n"), "line 1: parameter 'p' is there already");
}

TEST(BadPoints, HaveAnotherNumberOfValuesThanThereAreParameters) {
  const auto of_two = [](std::string_view points) {
    return fault_of("PARAMETER p n\nPOINTS " + std::string(points) + "\n");
  };
  EXPECT_EQ(of_two("(1 2) (3)"),
            "line 2: a point has 1 value, expected one for each of 2 parameters");
  EXPECT_EQ(of_two("(1 2 3)"),
            "line 2: a point has 3 values, expected one for each of 2 parameters");
  EXPECT_EQ(of_two("()"), "line 2: a point has 0 values, expected one for each of 2 parameters");
  EXPECT_EQ(of_two("1 2"),
            "line 2: '1' stands outside of parentheses, expected points of 2 values "
            "in parentheses");
  EXPECT_EQ(of_two("(1 2"), "line 2: the line ends within a point, expected ')'");
  EXPECT_EQ(of_two("(1 (2"), "line 2: '(' within a point");
  EXPECT_EQ(of_two(")"), "line 2: ')' without a '('");
  EXPECT_EQ(of_two(""), "line 2: POINTS without a point");
  EXPECT_EQ(of_two("(1 x)"), "line 2: 'x' is no number, expected a value of a parameter");
  EXPECT_EQ(of_two("(1 inf)"),
            "line 2: 'inf' is no finite number, expected a value of a parameter");
}

TEST(BadJson, NamesTheLineAndColumnWhereItIsNoJson) {
  EXPECT_THAT(fault_of("{\n  \"parameters\": [\"p\"],\n  \"measurements\": {]\n}"),
              StartsWith("line 3, column 20: syntax error while parsing object key"));
  EXPECT_THAT(fault_of("{\"parameters\":[\"p\"],\"measurements\":{\"a\":{\"t\":[{\"point\":[1],"
                       "\"values\":[NaN]}]}}}"),
              StartsWith("line 1, column 70: syntax error while parsing value - invalid literal"));
  EXPECT_THAT(fault_of("{\n\"parameters\": [1e999]}"),
              HasSubstr("number overflow parsing '1e999'"));
  EXPECT_THAT(fault_of("{\n\"parameters\""), HasSubstr("line 2, column 12: syntax error"));
  EXPECT_THAT(fault_of("{\n\"" + std::string(100'000, 'x') + "\" 1}"), HasSubstr("expected ':'"));
}

TEST(BadJson, NamesThePathOfWhatDoesNotFit) {
  const auto compact = [](std::string_view entry) {
    return fault_of(R"({"parameters": ["p"], "measurements": {"main": {"time": [)"
                    R"({"point": [1], "values": [1]}, )" +
                    std::string(entry) + "]}}}");
  };
  EXPECT_EQ(compact(R"({"point": [1], "values": [1, null]})"),
            "measurements/main/time[1]/values[1]: found null, expected a number");
  EXPECT_EQ(compact(R"({"point": [1], "values": ["inf"]})"),
            "measurements/main/time[1]/values[0]: 'inf' is no finite number");
  EXPECT_EQ(compact(R"({"point": ["a"], "values": [1]})"),
            "measurements/main/time[1]/point[0]: 'a' is no number");
  EXPECT_EQ(compact(R"({"point": {"p": 1}, "values": [1]})"),
            "measurements/main/time[1]/point: found an object, expected an array");
  EXPECT_EQ(
      compact(R"({"point": [1, 2], "values": [1]})"),
      "measurements/main/time[1]: its point has 2 values, expected one for each of 1 parameter");
  EXPECT_EQ(
      compact(R"({"values": [1]})"),
      "measurements/main/time[1]: its point has 0 values, expected one for each of 1 parameter");
  EXPECT_EQ(compact(R"({"point": [1]})"), "measurements/main/time[1]: there is no member 'values'");
  EXPECT_EQ(compact("7"), "measurements/main/time[1]: found a number, expected an object");
  EXPECT_EQ(fault_of("[\n1]"), "the document: found an array, expected an object");
  EXPECT_EQ(fault_of("{\n}"), "the document: there is no member 'parameters'");
  EXPECT_EQ(fault_of("{\n\"parameters\": [\"p\"]}"),
            "the document: there is no member 'measurements'");
  EXPECT_EQ(fault_of("{\n\"parameters\": [], \"measurements\": {}}"), "parameters: there are none");
  EXPECT_EQ(fault_of("{\n\"parameters\": [\"p\", \"p\"], \"measurements\": {}}"),
            "parameters: 'p' is there twice");
  EXPECT_EQ(fault_of("{\n\"parameters\": \"p\"}"), "parameters: found a string, expected an array");
  EXPECT_EQ(fault_of("{\n\"parameters\": [\"p\"], \"measurements\": {}}"),
            "line 2: the text ends, but there is no measured value");
}

TEST(BadJson, NamesTheRowOrTableThatDoesNotFit) {
  const auto relational = [](std::string_view coordinates, std::string_view row) {
    return fault_of(R"({"parameters": [{"id": 1, "name": "p"}], "metrics": [{"id": 1, "name": "t"}],
        "callpaths": [{"id": 1, "name": "main"}], "coordinates": [)" +
                    std::string(coordinates) + R"(], "measurements": [)" + std::string(row) + "]}");
  };
  const char* const good =
      R"({"id": 1, "parameter_value_pairs": [{"parameter_id": 1, "parameter_value": 4}]})";
  const auto row = [&](std::string_view text) { return relational(good, text); };
  EXPECT_EQ(row(R"({"callpath_id": 2, "metric_id": 1, "coordinate_id": 1, "value": 1})"),
            "measurements[0]: callpath_id is 2, but no callpath has that id");
  EXPECT_EQ(row(R"({"callpath_id": 1, "metric_id": 1, "coordinate_id": 7, "value": 1})"),
            "measurements[0]: coordinate_id is 7, but no coordinate has that id");
  EXPECT_EQ(row(R"({"callpath_id": 1, "metric_id": 1, "value": 1})"),
            "measurements[0]: there is no member 'coordinate_id'");
  EXPECT_EQ(row(R"({"callpath_id": 1, "metric_id": true, "value": 1})"),
            "measurements[0]/metric_id: found true, expected a number");
  EXPECT_EQ(row(R"({"callpath_id": -1, "metric_id": 1, "value": 1})"),
            "measurements[0]/callpath_id: found -1, expected an id");
  EXPECT_EQ(row(R"({"callpath_id": 1.5})"),
            "measurements[0]/callpath_id: found 1.5, expected an id");
  EXPECT_EQ(row(R"({"value": 1, "value": 2})"), "measurements[0]/value: it is there twice");
  EXPECT_EQ(relational(std::string(good) + "," + good, ""), "coordinates[1]: id 1 is there twice");
  EXPECT_EQ(relational(R"({"id": 1, "parameter_value_pairs": []})", ""),
            "coordinates[0]: it has 0 values, expected one for each of 1 parameter");
  EXPECT_EQ(relational(R"({"parameter_value_pairs": []})", ""),
            "coordinates[0]: there is no member 'id'");
  EXPECT_EQ(
      relational(
          R"({"id": 1, "parameter_value_pairs": [{"parameter_id": 2, "parameter_value": 4}]})", ""),
      "coordinates[0]: parameter_id is 2, but no parameter has that id");
  EXPECT_EQ(fault_of("{\n\"parameters\": [{\"id\": 1, \"name\": \"p\"}], \"measurements\": []}"),
            "the document: there is no member 'callpaths'");
  EXPECT_EQ(fault_of("{\n\"callpaths\": [{\"id\": 1}]}"),
            "callpaths[0]: there is no member 'name'");
}

TEST(BadJson, IsNotFollowedIntoBottomlessNesting) {
  const std::string deep(1'000'000, '[');
  EXPECT_THAT(fault_of("{\n\"by\": " + deep), HasSubstr("nested deeper than 64 levels"));
  EXPECT_THAT(fault_of("{\"params\": {\"p\": 1}, \"by\": " + deep),
              HasSubstr("nested deeper than 64 levels"));
}

TEST(BadJsonLines, NameTheLine) {
  const auto second = [](std::string_view line) {
    return fault_of("{\"params\":{\"p\":4,\"n\":10},\"value\":1.5}\n" + std::string(line) + "\n");
  };
  EXPECT_EQ(second(R"({"params":{"p":4},"value":1})"),
            "line 2: there is no value of parameter 'n', which the first line has");
  EXPECT_EQ(second(R"({"params":{"p":4,"n":1,"q":2},"value":1})"),
            "line 2: parameter 'q' is none of the first line's");
  EXPECT_EQ(second(R"({"params":{"p":4,"p":1},"value":1})"),
            "line 2: parameter 'p' is there twice");
  EXPECT_EQ(second(R"({"params":{"p":4,"n":1}})"), "line 2: there is no member 'value'");
  EXPECT_EQ(second(R"({"value":1})"), "line 2: there is no member 'params'");
  EXPECT_EQ(second(R"({"params":{"p":4,"n":"x"},"value":1})"),
            "line 2: params/n: 'x' is no number");
  EXPECT_EQ(second(R"({"params":{"p":4,"n":1},"value":null})"),
            "line 2: value: found null, expected a number or an array of numbers");
  EXPECT_EQ(second(R"({"params":{"p":4,"n":1},"value":[1,[2]]})"),
            "line 2: value: found an array, expected a number");
  EXPECT_EQ(second(R"({"params":{"p":4,"n":1},"value":1,"value":2})"),
            "line 2: 'value' is there twice");
  EXPECT_EQ(second(R"({"params":{"p":4,"n":1},"value":1,"metric":5})"),
            "line 2: metric: found a number, expected a string");
  EXPECT_EQ(second(R"({"params":[4,1],"value":1})"),
            "line 2: params: found an array, expected an object");
  EXPECT_EQ(second("17"), "line 2: found a number, expected an object");
  EXPECT_THAT(second(R"({"params":{"p":4,"n":1},"value":NaN})"),
              StartsWith("line 2, column 33: syntax error while parsing value"));
  EXPECT_THAT(second(R"({"params":{"p":4,"n":1},"value":1} x)"), StartsWith("line 2, column 36: "));
  EXPECT_EQ(fault_of(R"({"params":{},"value":1})"), "line 1: params: there are none");
  EXPECT_EQ(fault_of(R"({"params":{"p":1,"p":2},"value":1})"),
            "line 1: parameter 'p' is there twice");
  EXPECT_EQ(fault_of(R"({"params":{"p":1},"value":[]})"),
            "line 1: the text ends, but there is no measured value");
}

TEST(BadTalpas, LacksItsNames) {
  EXPECT_EQ(fault_of(R"({"parameters":{"x":20};"callpath":"c";"value":1})"),
            "line 1: there is no member 'metric'");
  EXPECT_EQ(fault_of(R"({"parameters":{"x":20};"metric":"m";"value":1})"),
            "line 1: there is no member 'callpath'");
}

}  // namespace
}  // namespace pathline::scaling
