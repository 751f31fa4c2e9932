// SPDX-License-Identifier: BSD-3-Clause
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"
#include "campaign/plan.hpp"
#include "campaign/study.hpp"

namespace pathline::campaign {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

class StudyFile : public testing::Test {
 protected:
  Study read(const std::string& text, const std::vector<std::string>& tags = {}) {
    auto study = read_study(folder_.write("study.toml", text), tags);
    EXPECT_TRUE(study.ok()) << study.error().message;
    return study.ok() ? std::move(study).value() : Study{};
  }
  std::string refused(const std::string& text) {
    const auto study = read_study(folder_.write("study.toml", text), {});
    if (study.ok()) return "read";
    return study.error().message + " | " + study.error().advice;
  }

  base::ScratchFolder folder_;
};

// As design/cli.md has it.
constexpr const char* kHeat = R"([campaign]
name = "heat3d-weak"
repetitions = 3
cores = 2
backend = "local"

[parameters]
p = [1, 2, 4, 8]
steps = 50
n = "{p} * 32"

[[steps]]
name = "prepare"
template = { from = "heat.toml.in", to = "heat.toml" }

[[steps]]
name = "run"
after = ["prepare"]
command = "mpirun -n {p} heat3d heat.toml"
record = true
check = "grep -q converged stdout"

[results]
time_s = { step = "run", pattern = 'time = ([0-9.eE+-]+) s' }
mpi_s  = { step = "run", profile = "MPI", value = "exclusive_s" }
)";

TEST_F(StudyFile, OfTheContractIsReadAndPlanned) {
  const Study study = read(kHeat);
  EXPECT_EQ(study.name, "heat3d-weak");
  EXPECT_EQ(study.repetitions, 3U);
  EXPECT_EQ(study.cores, 2U);
  ASSERT_EQ(study.steps.size(), 2U);
  EXPECT_EQ(study.steps[0].templates[0].to, "heat.toml");
  EXPECT_TRUE(study.steps[1].record);
  ASSERT_EQ(study.columns.size(), 2U);
  EXPECT_EQ(study.columns[0].name, "time_s");
  EXPECT_EQ(study.columns[1].value, "exclusive_s");
  const auto planned = plan(study);
  ASSERT_TRUE(planned.ok()) << planned.error().message;
  EXPECT_THAT(planned.value().names, ElementsAre("p", "steps", "n"));
  EXPECT_THAT(planned.value().points[3], ElementsAre("8", "50", "256"));
  EXPECT_EQ(planned.value().packages.size(), 4U + 4 * 3);
}

TEST_F(StudyFile, IncludesOthersAndChoosesByTags) {
  folder_.write("common.toml", "[parameters]\np = [1, 2]\n");
  const std::string text = R"(include = "common.toml"
[parameters]
n = { values = ["010", "1 * 2"], text = true }
big = { values = [1000], tags = ["big"] }
[[together]]
tags = "!big"
a = [1, 2]
b = ["x", "y"]
[[steps]]
name = "run"
[[steps]]
name = "plot"
tags = ["big", "plot"]
)";
  const Study small = read(text);
  ASSERT_EQ(small.sets.size(), 3U);
  EXPECT_EQ(small.sets[0].parameters[0].name, "p");
  EXPECT_THAT(small.sets[0].parameters[0].place.text(), EndsWith("common.toml, line 2"));
  EXPECT_THAT(small.sets[1].parameters[0].values, ElementsAre("010", "1 * 2"));
  EXPECT_EQ(small.sets[2].parameters[1].name, "b");
  EXPECT_EQ(small.steps.size(), 1U);
  const Study big = read(text, {"big"});
  ASSERT_EQ(big.sets.size(), 3U);
  EXPECT_EQ(big.sets[2].parameters[0].name, "big");
  EXPECT_EQ(big.steps.size(), 2U);
}

TEST_F(StudyFile, NamesFileAndLineOfWhatIsWrong) {
  const std::string step = "[[steps]]\nname = \"run\"\n";
  EXPECT_THAT(refused(step + "comand = \"x\"\n"),
              HasSubstr("study.toml, line 3: there is no key 'comand' in a step | Did you mean "
                        "'command'?"));
  EXPECT_THAT(refused("[campaign]\nrepetitions = 0\n" + step),
              HasSubstr("line 2: 'repetitions' is to be a whole number from 1"));
  EXPECT_THAT(refused("[campaign]\nbackend = \"pbs\"\n" + step),
              HasSubstr("line 2: backend is 'pbs', expected local or slurm"));
  EXPECT_THAT(refused("[parameters]\np = []\n" + step),
              HasSubstr("line 2: parameter 'p' has no values"));
  EXPECT_THAT(refused("[parameters]\n\"p q\" = [1]\n" + step),
              HasSubstr("'p q' cannot be the name of a parameter"));
  EXPECT_THAT(refused("[[together]]\na = [1, 2]\nb = [1]\n" + step),
              HasSubstr("'a' has 2, 'b' has 1"));
  EXPECT_THAT(refused(step + step), HasSubstr("line 3: there are two steps 'run', the other in"));
  EXPECT_THAT(refused(step + "[results]\nt = { step = \"ran\", pattern = \"x\" }\n"),
              HasSubstr("line 4: result 't' is of step 'ran', and there is no such step"));
  EXPECT_THAT(refused(step + "[results]\nt = { step = \"run\" }\n"),
              HasSubstr("one of 'pattern', 'json' and 'profile'"));
  EXPECT_THAT(
      refused(step + "[results]\nt = { step = \"run\", pattern = \"x\", reduce = \"avg\" }\n"),
      HasSubstr("reduce is 'avg', expected first, last"));
  EXPECT_THAT(refused("[campaign]\nname = \"x\"\n"), HasSubstr("there is no step to run"));
  EXPECT_THAT(refused("[campaign\n"), HasSubstr("study.toml, line 1: "));
  EXPECT_THAT(refused("steps = 3\n"),
              HasSubstr("line 1: 'steps' is to be a list of tables, [[steps]]"));
  EXPECT_THAT(refused("include = \"no.toml\"\n" + step), HasSubstr("no.toml"));
  EXPECT_THAT(refused("include = \"study.toml\"\n" + step),
              HasSubstr("files include one another without an end"));
}

}  // namespace
}  // namespace pathline::campaign
