// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/extract.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/thread_pool.hpp"
#include "campaign/test_study.hpp"

namespace pathline::campaign {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kStep = "[parameters]\np = [1, 2]\n[[steps]]\nname = \"run\"\n[results]\n";

/// What each column of a study is in a run that left these files.
class Extraction {
 public:
  /// columns  lines of [results], each of step "run".
  explicit Extraction(const std::vector<std::string>& columns, const std::string& start = kStep)
      : study_(text_of(columns, start)) {}

  Extraction& file(const std::string& name, std::string_view content) {
    study_.folder.write("runs/1/" + name, content);
    return *this;
  }

  Extracted read(size_t package = 0) {
    auto extractor = Extractor::make(study_.study, study_.plan);
    if (!extractor) {
      ADD_FAILURE() << extractor.error().message;
      return {};
    }
    base::ThreadPool pool(1);
    return extractor.value().read(study_.plan.packages[package], study_.folder.path() / "runs/1",
                                  pool);
  }

  /// Values without a warning.
  std::vector<std::string> values(size_t package = 0) {
    const Extracted extracted = read(package);
    EXPECT_THAT(extracted.warnings, IsEmpty());
    return texts(extracted);
  }

  static std::vector<std::string> texts(const Extracted& extracted) {
    std::vector<std::string> all;
    for (const Value& value : extracted.values) all.push_back(value.text);
    return all;
  }

  [[nodiscard]] std::string refused() const {
    const auto extractor = Extractor::make(study_.study, study_.plan);
    return extractor.ok() ? "made" : extractor.error().message + " | " + extractor.error().advice;
  }

 private:
  static std::string text_of(const std::vector<std::string>& columns, const std::string& start) {
    std::string text = start;
    for (size_t i = 0; i < columns.size(); ++i) {
      text += fmt::format("c{} = {{ step = \"run\", {} }}\n", i, columns[i]);
    }
    return text;
  }

  TestStudy study_;
};

TEST(Extract, ReducesWhatAPatternMatches) {
  Extraction run({"pattern = 't=(\\d+)', reduce = \"first\"", "pattern = 't=(\\d+)'",
                  "pattern = 't=(\\d+)', reduce = \"mean\"",
                  "pattern = 't=(\\d+)', reduce = \"count\""});
  run.file("stdout", "t=1 t=2\nt=6\n");
  EXPECT_THAT(run.values(), ElementsAre("1", "6", "3", "3"));
}

TEST(Extract, IsEmptyWhereNothingMatches) {
  Extraction run({"pattern = 't=(\\d+)'", "pattern = 't=(\\d+)', reduce = \"count\""});
  EXPECT_THAT(run.file("stdout", "nothing").values(), ElementsAre("", "0"));
  EXPECT_THAT(run.file("stdout", "").values(), ElementsAre("", "0"));
}

TEST(Extract, TakesTheWholeMatchWithoutAGroup) {
  Extraction run({"pattern = '\\d+ s'", "pattern = 'a(x)?(\\d)'"});
  EXPECT_THAT(run.file("stdout", "it took 12 s, a5").values(), ElementsAre("12 s", "a5"));
}

TEST(Extract, FindsBeginAndEndOfEachLine) {
  Extraction run({"pattern = '^total (.*)$'", "pattern = '^', reduce = \"count\"",
                  "pattern = '^$', reduce = \"count\"", "pattern = 'x*', reduce = \"count\""});
  EXPECT_THAT(run.file("stdout", "a\ntotal 7\n\nxx").values(), ElementsAre("7", "4", "1", "13"));
}

TEST(Extract, ReadsBytesThatAreNoText) {
  Extraction run({"pattern = 'b=(\\d+)'"});
  EXPECT_THAT(run.file("stdout", std::string_view("\xff\x00\xfe"
                                                  "b=4\0",
                                                  7))
                  .values(),
              ElementsAre("4"));
}

TEST(Extract, EndsAPatternThatTakesTooLong) {
  Extraction run({"pattern = '(a+)+$'", "pattern = 'end=(\\d)'"});
  run.file("stdout", std::string(5000, 'a') + "! end=1");
  const Extracted extracted = run.read();
  EXPECT_THAT(Extraction::texts(extracted), ElementsAre("", "1"));
  EXPECT_THAT(extracted.warnings, ElementsAre(HasSubstr("c0: the pattern takes too long on ")));
}

TEST(Extract, IsEmptyWhereAPatternTakesTooLongBehindAMatch) {
  Extraction run({"pattern = '(a+)+$'", "pattern = '(a+)+$', reduce = \"count\""});
  const Extracted extracted = run.file("stdout", "aa\n" + std::string(5000, 'a') + "!").read();
  EXPECT_THAT(Extraction::texts(extracted), ElementsAre("", "")) << "not what was before";
  EXPECT_EQ(extracted.warnings.size(), 2U);
}

TEST(Extract, FindsALongMatchInALargeFile) {
  Extraction run({"pattern = '(?s)begin(?:.|x)*?end (\\d+)'"});
  run.file("stdout", "begin" + std::string(200'000, '.') + "end 8");
  EXPECT_THAT(run.values(), ElementsAre("8"));
}

TEST(Extract, FillsParametersIntoPatternAndFile) {
  Extraction run({"pattern = 'p{p}: (\\S+)', file = \"out.{p}\""});
  run.file("out.1", "p1: one p2: two").file("out.2", "p1: eins p2: zwei");
  EXPECT_THAT(run.values(0), ElementsAre("one"));
  EXPECT_THAT(run.values(1), ElementsAre("zwei"));
}

TEST(Extract, WarnsOfAFileThatIsNotThere) {
  Extraction run({"pattern = 'x', file = \"a.log\"", "json = \"/x\", file = \"a.json\"",
                  "pattern = 'x', file = \"a.log\", reduce = \"count\""});
  const Extracted extracted = run.read();
  EXPECT_THAT(Extraction::texts(extracted), ElementsAre("", "", "0"));
  EXPECT_THAT(extracted.warnings,
              ElementsAre(HasSubstr("a.log"), HasSubstr("a.json"), HasSubstr("a.log")));
}

TEST(Extract, NamesFileAndLineOfABadPattern) {
  EXPECT_THAT(Extraction({"pattern = 'a(b'"}).refused(),
              HasSubstr("study.toml, line 6: result 'c0': 'a(b' is no regular expression: missing "
                        "closing parenthesis at letter 4"));
  EXPECT_THAT(Extraction({"pattern = 'a'", "json = \"x/y\""}).refused(),
              HasSubstr("study.toml, line 7: result 'c1': 'x/y' is no place in JSON | As in"));
  const std::string recorded = "[[steps]]\nname = \"run\"\nrecord = true\n[results]\n";
  EXPECT_THAT(Extraction({"profile = \"MPI\", value = \"visit\""}, recorded).refused(),
              HasSubstr("line 5: result 'c0': profiles have no value 'visit' | Did you mean "
                        "'visits'?"));
  EXPECT_THAT(Extraction({"profile = \"MPI\", value = \"visits\""}).refused(),
              HasSubstr("step 'run' is not recorded | Give the step 'record = true'."));
}

TEST(Extract, WarnsOfAPatternThatAParameterSpoils) {
  Extraction run({"pattern = '{name} (\\d+)'"},
                 "[parameters]\nname = [\"c\", \"c++(\"]\n[[steps]]\nname = \"run\"\n[results]\n");
  run.file("stdout", "c 4");
  EXPECT_THAT(run.values(0), ElementsAre("4"));
  const Extracted extracted = run.read(1);
  EXPECT_THAT(Extraction::texts(extracted), ElementsAre(""));
  EXPECT_THAT(extracted.warnings, ElementsAre(HasSubstr("is no regular expression")));
}

TEST(Extract, ReadsPlacesInJson) {
  Extraction run({"json = \"/t/solve_s\"", "json = \"/name\"", "json = \"/ok\"",
                  "json = \"/list/1\"", "json = \"/list\", reduce = \"sum\"", "json = \"/a~1b\"",
                  "json = \"/by/{p}\""});
  run.file("stdout", R"({"t":{"solve_s":0.25},"name":"x y","ok":true,"list":[1,2.5,"3"],"a/b":-7,)"
                     R"("by":{"1":"one","2":"two"}})");
  EXPECT_THAT(run.values(), ElementsAre("0.25", "x y", "true", "2.5", "6.5", "-7", "one"));
  EXPECT_EQ(run.values(1).back(), "two");
}

TEST(Extract, IsEmptyWhereJsonHasNoSuchPlace) {
  Extraction run({"json = \"/x\"", "json = \"/list/9\"", "json = \"/list/x\"",
                  "json = \"/list/01\"", "json = \"/list/-\"",
                  "json = \"/list/99999999999999999999999\"", "json = \"/name/0\"",
                  "json = \"/none\"", "json = \"/object\"", "json = \"/x\", reduce = \"count\""});
  run.file("stdout", R"({"list":[1],"name":"n","none":null,"object":{"a":1}})");
  EXPECT_THAT(run.values(), ElementsAre("", "", "", "", "", "", "", "", "", "0"));
}

TEST(Extract, WarnsOfAPlaceThatAParameterSpoils) {
  Extraction run({"json = \"/{name}\""},
                 "[parameters]\nname = [\"a\", \"a~b\"]\n[[steps]]\nname = \"run\"\n[results]\n");
  run.file("stdout", R"({"a":1,"a~b":2})");
  EXPECT_THAT(run.values(0), ElementsAre("1"));
  const Extracted extracted = run.read(1);
  EXPECT_THAT(Extraction::texts(extracted), ElementsAre(""));
  EXPECT_THAT(extracted.warnings, ElementsAre(HasSubstr("'/a~b' is no place in JSON")));
}

TEST(Extract, WarnsOfWhatIsNoJson) {
  Extraction run({"json = \"/a\""});
  for (const std::string& text :
       {std::string(), std::string("{"), std::string("{\"a\":1}}"), std::string("{\"a\":\"\xff\"}"),
        std::string("nan"), std::string(100'000, '[')}) {
    const Extracted extracted = run.file("stdout", text).read();
    EXPECT_THAT(Extraction::texts(extracted), ElementsAre(""));
    EXPECT_THAT(extracted.warnings, ElementsAre(EndsWith("stdout is no JSON")));
  }
}

TEST(Extract, WarnsOfARecordingThatIsNotThere) {
  Extraction run({"profile = \"MPI\", value = \"visits\"", "pattern = 'x'"},
                 "[[steps]]\nname = \"run\"\nrecord = true\n[results]\n");
  const Extracted extracted = run.file("stdout", "x").read();
  EXPECT_THAT(Extraction::texts(extracted), ElementsAre("", "x"));
  EXPECT_FALSE(extracted.profile.has_value());
  EXPECT_EQ(extracted.warnings.size(), 1U);
}

TEST(Extract, KnowsAColumnByAllThatItIsReadBy) {
  const Column column{.name = "t", .step = "run", .pattern = "x"};
  std::vector<uint64_t> definitions = {Extractor::definition(column)};
  for (std::string Column::*part : {&Column::step, &Column::file, &Column::pattern, &Column::json,
                                    &Column::profile, &Column::value, &Column::reduce}) {
    Column other = column;
    other.*part = "other";
    definitions.push_back(Extractor::definition(other));
  }
  std::sort(definitions.begin(), definitions.end());
  EXPECT_EQ(std::unique(definitions.begin(), definitions.end()), definitions.end());
  Column renamed = column;
  renamed.name = "u";
  renamed.better = "more";
  EXPECT_EQ(Extractor::definition(renamed), Extractor::definition(column));
}

}  // namespace
}  // namespace pathline::campaign
