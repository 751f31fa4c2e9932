// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/read/read.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"

namespace pathline::scaling {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Experiment read(std::string_view text) {
  auto experiment = read_text(text, "runs");
  EXPECT_TRUE(experiment.ok()) << experiment.error().message;
  return experiment ? std::move(experiment).value() : Experiment();
}

/// "call path|metric" of each kernel.
std::vector<std::string> kernels_of(const Experiment& experiment) {
  std::vector<std::string> names;
  for (const Kernel& kernel : experiment.kernels) {
    names.push_back(experiment.call_paths[kernel.call_path] + "|" +
                    experiment.metrics[kernel.metric]);
  }
  return names;
}

/// The same measurements, in the same order.
void expect_same(const Experiment& a, const Experiment& b) {
  EXPECT_EQ(a.parameters, b.parameters);
  EXPECT_EQ(a.coordinates, b.coordinates);
  EXPECT_EQ(kernels_of(a), kernels_of(b));
  EXPECT_EQ(a.sample_end, b.sample_end);
  EXPECT_EQ(a.samples, b.samples);
  EXPECT_EQ(a.skipped.size(), b.skipped.size());
}

TEST(ReadKeywords, ReadsRegionsWithinMetricsAndMetricsWithinRegions) {
  const char* const head = "PARAMETER p\nPOINTS 4 8\n";
  const Experiment outer = read(std::string(head) +
                                "METRIC time\nREGION a\nDATA 1 2\nDATA 3\nREGION b\nDATA 4\n"
                                "DATA 5\nMETRIC bytes sent\nREGION a\nDATA 6\nDATA 7");
  EXPECT_THAT(kernels_of(outer), ElementsAre("a|time", "b|time", "a|bytes sent"));
  EXPECT_THAT(outer.samples, ElementsAre(1, 2, 3, 4, 5, 6, 7));
  EXPECT_THAT(outer.samples_of(0, 0), ElementsAre(1, 2));
  const Experiment inner = read(std::string(head) +
                                "REGION a\nMETRIC time\nDATA 1 2\nDATA 3\nMETRIC bytes sent\n"
                                "DATA 6\nDATA 7\nREGION b\nMETRIC time\nDATA 4\nDATA 5\n");
  EXPECT_THAT(kernels_of(inner), ElementsAre("a|time", "a|bytes sent", "b|time"));
  EXPECT_THAT(inner.samples, ElementsAre(1, 2, 3, 6, 7, 4, 5));
}

TEST(ReadKeywords, TakesAllWaysToWritePoints) {
  const char* const data = "\nREGION r\nDATA 1\nDATA 2\n";
  for (const char* points :
       {"POINTS ( 20 1 ) ( 20 2 )", "POINTS (20 1)(20 2)", "  POINTS\t(20  1 ) (2.0e1 +2)\r",
        "POINTS (20 1)\n\n# then\nPOINTS (20 2)"}) {
    const Experiment experiment = read("PARAMETER x\nPARAMETER y\n" + std::string(points) + data);
    EXPECT_THAT(experiment.coordinates, ElementsAre(20, 1, 20, 2)) << points;
    EXPECT_THAT(experiment.samples, ElementsAre(1, 2)) << points;
  }
  EXPECT_THAT(read("PARAMETER x\nPOINTS 4 ( 8 )" + std::string(data)).coordinates,
              ElementsAre(4, 8));
}

TEST(ReadKeywords, SkipsBlankLinesCommentsAndTheByteOrderMark) {
  const Experiment experiment = read(
      "\xef\xbb\xbf# PARAMETER x\n\n \t\r\nPARAMETER p\r\n  # more\nPOINTS 1 2\r\n"
      "REGION main ->  solve\r\nDATA 3\r\nDATA 4\r\n");
  EXPECT_THAT(experiment.parameters, ElementsAre("p"));
  EXPECT_THAT(kernels_of(experiment), ElementsAre("main -> solve|"));
  EXPECT_THAT(experiment.samples, ElementsAre(3, 4));
}

TEST(ReadKeywords, SortsPointsWithTheirData) {
  const Experiment experiment =
      read("PARAMETER p\nPOINTS 8 2 4\nREGION r\nDATA 80\nDATA 20\nDATA 40\n");
  EXPECT_THAT(experiment.coordinates, ElementsAre(2, 4, 8));
  EXPECT_THAT(experiment.samples, ElementsAre(20, 40, 80));
}

TEST(ReadKeywords, TakesPointsAndRegionsThatComeTwiceAsRepetitions) {
  const Experiment points = read("PARAMETER p\nPOINTS 2 4 2\nREGION r\nDATA 5\nDATA 6\nDATA 3\n");
  EXPECT_THAT(points.coordinates, ElementsAre(2, 4));
  EXPECT_THAT(points.samples_of(0, 0), ElementsAre(3, 5));
  const Experiment regions =
      read("PARAMETER p\nPOINTS 2\nREGION r\nDATA 5\nREGION s\nDATA 6\nREGION r\nDATA 3\n");
  EXPECT_THAT(kernels_of(regions), ElementsAre("r|", "s|"));
  EXPECT_THAT(regions.samples_of(0, 0), ElementsAre(3, 5));
}

TEST(ReadKeywords, ReadsDataWithoutARegionAndManyParameters) {
  const Experiment experiment = read("PARAMETER a b c d e f\nPOINTS (1 2 3 4 5 6)\nDATA -1e-3\n");
  EXPECT_THAT(kernels_of(experiment), ElementsAre("<root>|"));
  EXPECT_THAT(experiment.coordinates, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(experiment.samples, ElementsAre(-1e-3));
}

TEST(ReadKeywords, WarnsOfRegionsWithoutData) {
  const Experiment experiment = read(
      "PARAMETER p\nPOINTS 1 2 3 4 5\nREGION a\nREGION b\nDATA 1\nDATA 1\nDATA 1\nDATA 1\n"
      "DATA 1\nREGION c\n");
  EXPECT_THAT(experiment.warnings,
              ElementsAre("2 REGION lines without DATA left out, the first in line 3"));
}

TEST(ReadJson, ReadsBothFormsInAnyOrderOfMembers) {
  const Experiment compact = read(R"({"parameters": ["p", "n"], "measurements": {
      "main->a": {"time": [{"point": [1, 10], "values": [1.5, 2]}, {"values": [3], "point": [2, 10]}],
                  "visits": [{"point": [2, 10], "values": [7]}, {"point": [1, 10], "values": 8}]}}})");
  EXPECT_THAT(kernels_of(compact), ElementsAre("main->a|time", "main->a|visits"));
  EXPECT_THAT(compact.coordinates, ElementsAre(1, 10, 2, 10));
  EXPECT_THAT(compact.samples, ElementsAre(1.5, 2, 3, 8, 7));
  const Experiment late = read(R"({"measurements": {
      "main->a": {"time": [{"point": [1, 10], "values": [1.5, 2]}, {"values": [3], "point": [2, 10]}],
                  "visits": [{"point": [2, 10], "values": [7]}, {"point": [1, 10], "values": 8}]}},
      "parameters": ["p", "n"], "by": {"whom": [{"deep": null}, true]}})");
  expect_same(compact, late);
  const std::string tables = R"("callpaths": [{"id": 3, "name": "main->a"}],
      "metrics": [{"name": "visits", "id": "2"}, {"id": 1, "name": "time"}],
      "parameters": [{"id": 2, "name": "n"}, {"id": 1, "name": "p"}],
      "coordinates": [{"id": 9, "parameter_value_pairs": [{"parameter_id": 2, "parameter_value": 10},
                                                {"parameter_id": 1, "parameter_value": "2"}]},
                      {"parameter_value_pairs": [{"parameter_id": 1, "parameter_value": 1.0},
                                                 {"parameter_id": 2, "parameter_value": 1e1}], "id": 4}])";
  const std::string rows = R"("measurements": [
      {"callpath_id": 3, "metric_id": 1, "coordinate_id": 4, "id": 1, "value": 2},
      {"callpath_id": 3, "metric_id": 1, "coordinate_id": 4, "id": 2, "value": "1.5"},
      {"callpath_id": 3, "metric_id": 1, "coordinate_id": 9, "value": 3},
      {"callpath_id": 3, "metric_id": 2, "coordinate_id": 9, "value": 7},
      {"callpath_id": 3, "metric_id": 2, "coordinate_id": 4, "value": 8}])";
  expect_same(compact, read("{" + tables + "," + rows + "}"));
  expect_same(compact, read("\n{" + rows + ",\n" + tables + "}\n"));
}

TEST(ReadJson, ListsKernelsWithoutValues) {
  const std::string_view texts[] = {
      R"({"parameters": ["p"], "measurements": {"a": {"t": []},
          "b": {"t": [{"point": [1], "values": []}]}, "c": {"t": [{"point": [1], "values": 5}]}}})",
      R"({"params":{"p":1},"callpath":"a","metric":"t","value":[]}
         {"params":{"p":1},"callpath":"b","metric":"t","value":[]}
         {"params":{"p":1},"callpath":"c","metric":"t","value":5})"};
  for (const std::string_view text : texts) {
    const Experiment experiment = read(std::string(text));
    EXPECT_THAT(kernels_of(experiment), ElementsAre("c|t"));
    ASSERT_EQ(experiment.skipped.size(), 2U) << text;
    EXPECT_EQ(experiment.skipped[0].call_path, "a");
    EXPECT_EQ(experiment.skipped[1].call_path, "b");
    EXPECT_EQ(experiment.skipped[1].reason, "it has no values");
  }
}

TEST(ReadJson, MergesPointsThatComeTwiceAndSkipsKernelsThatLackSome) {
  const Experiment experiment = read(R"({"parameters": ["p"], "measurements": {
      "a": {"t": [{"point": [1], "values": [3]}, {"point": [2], "values": [4]},
                  {"point": [1], "values": [2]}]},
      "b": {"t": [{"point": [1], "values": [3]}, {"point": [2], "values": []}]}}})");
  EXPECT_THAT(kernels_of(experiment), ElementsAre("a|t"));
  EXPECT_THAT(experiment.samples_of(0, 0), ElementsAre(2, 3));
  ASSERT_EQ(experiment.skipped.size(), 1U);
  EXPECT_EQ(experiment.skipped[0].reason, "it has values at 1 of 2 points, none at (2)");
}

TEST(ReadJsonLines, TakesTheOrderOfParametersFromTheFirstLine) {
  const Experiment experiment =
      read(R"({"params":{"p":4,"n":10},"metric":"t","callpath":"m","value":1.5}

  {"value":[2,"3"],"params":{"n":20,"p":"4"},"callpath":"m","metric":"t"}
{"params": {"p": 4, "n": 10}, "metric": "t", "callpath": "m", "value": 1}
)");
  EXPECT_THAT(experiment.parameters, ElementsAre("p", "n"));
  EXPECT_THAT(experiment.coordinates, ElementsAre(4, 10, 4, 20));
  EXPECT_THAT(experiment.samples, ElementsAre(1, 1.5, 2, 3));
}

TEST(ReadJsonLines, GivesMissingNamesTheirDefaultAndWarnsOfUnknownMembers) {
  const Experiment experiment = read(
      "{\"params\":{\"p\":1},\"value\":1}\n{\"params\":{\"p\":1},\"callPath\":{\"x\":[1]},"
      "\"value\":2}\n");
  EXPECT_THAT(kernels_of(experiment), ElementsAre("<root>|<default>"));
  EXPECT_THAT(experiment.samples, ElementsAre(1, 2));
  EXPECT_THAT(experiment.warnings.front(), HasSubstr("the first is 'callPath' in line 2"));
}

TEST(ReadJsonLines, ReadsTheSameWhetherOrNotTheShortCutIsTaken) {
  // An escape sends a line to the parser that knows all of JSON.
  std::string plain;
  std::string escaped;
  for (const char* value : {"1", "-2.5e-3", "0", "-0.125E+2", "18446744073709551615", "[1, 2.5]",
                            "[]", "123456789012345678901234567890", "4.9e-324", "0.1", "[ 7 ]"}) {
    const std::string tail = std::string("\": {\"p\": 1, \"n\":2},\t\"value\": ") + value +
                             ",\"metric\":\"a b\",\"callpath\":\"x->y\"}\n";
    plain += "{\"params" + tail;
    escaped += "{\"p\\u0061rams" + tail;
  }
  const std::string without_value = "\n{\"params\":{\"p\":1,\"n\":2},\"value\":[]}\n";
  const Experiment first = read(without_value + plain);
  EXPECT_EQ(first.samples.size(), 11U);
  const Experiment second = read(without_value + escaped);
  expect_same(first, second);
}

TEST(ReadTalpas, TakesSemicolonsBetweenMembersAndKeepsThoseInStrings) {
  const Experiment experiment = read(
      "{\"parameters\":{\"x\":20;\"y\":1};\"metric\":\"t;u\";\"callpath\":\"a\";\"value\":1}\n"
      "{\"parameters\":{\"x\":20,\"y\":1},\"metric\":\"t;u\";\"callpath\":\"a\";\"value\":2}\n"
      "{\"parameters\":{\"x\":20;\"y\":2};\"metric\":\"t;u\";\"callpath\":\"a\";\"value\":3}\n"
      "{\"parameters\":{\"x\":20;\"y\":2};\"metric\":\"q\\\";r\";\"callpath\":\"\\u00e9\";"
      "\"value\":4}\n"
      "{\"parameters\":{\"x\":20;\"y\":1};\"metric\":\"q\\\";r\";\"callpath\":\"\\u00e9\";"
      "\"value\":5}\n");
  EXPECT_THAT(kernels_of(experiment), ElementsAre("a|t;u", "\xc3\xa9|q\";r"));
  EXPECT_THAT(experiment.samples, ElementsAre(1, 2, 3, 5, 4));
  EXPECT_THAT(experiment.skipped, IsEmpty());
}

TEST(GuessFormat, LooksAtTheTextAndNotAtItsName) {
  EXPECT_EQ(guess_format("PARAMETER p\n"), TextFormat::kKeywords);
  EXPECT_EQ(guess_format(""), TextFormat::kKeywords);
  EXPECT_EQ(guess_format("# {\n"), TextFormat::kKeywords);
  EXPECT_EQ(guess_format("\xef\xbb\xbf\n {\n"), TextFormat::kJson);
  EXPECT_EQ(guess_format("[1]"), TextFormat::kJson);
  EXPECT_EQ(guess_format(R"({"parameters":["x"],"measurements":{}})"), TextFormat::kJson);
  EXPECT_EQ(guess_format(R"({"callpaths":[{"id":1,"name":"a"}],"value":1})"), TextFormat::kJson);
  EXPECT_EQ(guess_format("{\n\"params\":{\"p\":1}}"), TextFormat::kJson);
  EXPECT_EQ(guess_format(R"({"params":{"p":4},"value":1})"), TextFormat::kJsonLines);
  EXPECT_EQ(guess_format(R"({"callpath":"measurements","params":{"p":4)"), TextFormat::kJsonLines);
  EXPECT_EQ(guess_format(R"({"value":1})"), TextFormat::kJsonLines);
  EXPECT_EQ(guess_format(R"({"metric":"a;b","params":{"p":4},"value":1})"), TextFormat::kJsonLines);
  EXPECT_EQ(guess_format(R"({"parameters":{"x":20};"metric":"t"})"), TextFormat::kTalpas);
  EXPECT_EQ(guess_format(R"({"value":1,"parameters":{"x":20}})"), TextFormat::kTalpas);
}

TEST(ReadFile, NamesTheFileThatIsNotThere) {
  const base::ScratchFolder folder;
  const auto experiment = read_file(folder.path() / "runs.txt");
  ASSERT_FALSE(experiment.ok());
  EXPECT_EQ(experiment.error().code, base::ErrorCode::kNotFound);
  EXPECT_THAT(experiment.error().message, HasSubstr("runs.txt"));
}

}  // namespace
}  // namespace pathline::scaling
