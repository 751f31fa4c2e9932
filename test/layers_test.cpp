// SPDX-License-Identifier: BSD-3-Clause
#include "layers.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::layers {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const Rules& small_rules() {
  static const Rules rules = parse_rules(
      "# a comment\n"
      "base:                 # what all need\n"
      "graph:  base          # who with whom\n"
      "trace:  base          # one run\n"
      "comm:   trace graph   # who sends what\n"
      "record: base          # a guest\n"
      "render: graph         # pixels\n"
      "test:   comm          # all together\n"
      "<fmt/>: all but record\n"
      "<png.h>: render\n"
      "<gtest/>: tests\n");
  return rules;
}

std::vector<std::string> check(std::string_view path, std::string_view text) {
  return check_file(small_rules(), path, text);
}

TEST(LayerRules, AreClosedDownwards) {
  ASSERT_THAT(small_rules().problems, IsEmpty());
  EXPECT_THAT(small_rules().reach.at("comm"), ElementsAre("base", "graph", "trace"));
  EXPECT_THAT(small_rules().reach.at("base"), IsEmpty());
}

TEST(LayerRules, RejectAnEdgeToALaterLine) {
  EXPECT_THAT(parse_rules("comm: trace # a\ntrace: # b\n").problems,
              ElementsAre("layers.txt:1: layer 'comm' uses 'trace', which is not listed above it"));
}

TEST(LayerRules, RejectARepeatedLayerAndAnUnknownOwner) {
  EXPECT_THAT(parse_rules("base: # a\nbase: # b\n<png.h>: paint\n").problems,
              ElementsAre("layers.txt:2: layer 'base' is listed twice",
                          "layers.txt:3: <png.h> names the unknown layer 'paint'"));
}

TEST(LayerRules, RejectALayerThatDoesNotSayWhatItIsFor) {
  EXPECT_THAT(parse_rules("base:\ngraph: base #\n").problems,
              ElementsAre("layers.txt:1: layer 'base' does not say '# what it is for'",
                          "layers.txt:2: layer 'graph' does not say '# what it is for'"));
}

TEST(LayerCheck, AllowsOwnLayerLowerLayersAndTheStandardLibrary) {
  EXPECT_THAT(check("src/comm/matrix.cpp",
                    "#include \"comm/matrix.hpp\"\n#include <vector>\n#include <sys/mman.h>\n"
                    "#include <fmt/format.h>\n#include \"trace/trace.hpp\"\n"
                    "#include \"base/result.hpp\"\n#include \"pathline/analysis.hpp\"\n"),
              IsEmpty());
}

TEST(LayerCheck, ReportsAnEdgeUpwardsWithFileLineAndBothLayers) {
  EXPECT_THAT(
      check("src/trace/trace.hpp", "#pragma once\n\n#include \"comm/matrix.hpp\"\n"),
      ElementsAre(
          "src/trace/trace.hpp:3: layer 'trace' may not include \"comm/matrix.hpp\" of layer "
          "'comm'"));
}

TEST(LayerCheck, ReportsAnEdgeSideways) {
  EXPECT_THAT(check("src/graph/csr.cpp", "#  include \"trace/trace.hpp\"  // for ranks\n"),
              ElementsAre(HasSubstr("layer 'graph' may not include")));
}

TEST(LayerCheck, HoldsTestsBesideTheCodeToTheSameRule) {
  EXPECT_THAT(
      check("src/trace/trace_test.cpp", "#include <gtest/gtest.h>\n#include \"comm/matrix.hpp\"\n"),
      ElementsAre(HasSubstr("src/trace/trace_test.cpp:2: layer 'trace' may not")));
}

TEST(LayerCheck, ReportsPathsThatGoUpOrLackTheLayer) {
  EXPECT_THAT(
      check("src/comm/matrix.cpp",
            "#include \"../trace/trace.hpp\"\n#include \"matrix.hpp\"\n"
            "#include \"trace/../graph/csr.hpp\"\n"),
      ElementsAre(HasSubstr(":1: \"../trace/trace.hpp\" goes up"),
                  HasSubstr(":2: \"matrix.hpp\" is not spelled from src/"), HasSubstr(":3: ")));
}

TEST(LayerCheck, LetsAProgramOfBenchIncludeItsOwnFolderOnly) {
  const Rules rules = parse_rules("base: # a\nbench: base # b\n");
  EXPECT_THAT(check_file(rules, "bench/synth/main.cpp",
                         "#include \"synth/options.hpp\"\n#include \"base/result.hpp\"\n"),
              IsEmpty());
  EXPECT_THAT(check_file(rules, "bench/heat/main.cpp", "#include \"synth/options.hpp\"\n"),
              ElementsAre(HasSubstr("layers.txt has no layer 'synth'")));
}

TEST(LayerCheck, ReportsThirdPartyHeadersOutsideTheirLayer) {
  EXPECT_THAT(check("src/render/png.cpp", "#include <png.h>\n"), IsEmpty());
  EXPECT_THAT(
      check("src/comm/matrix.cpp", "#include <png.h>\n"),
      ElementsAre(
          "src/comm/matrix.cpp:1: layer 'comm' may not include <png.h>; it belongs to render"));
  EXPECT_THAT(check("src/record/buffer.cpp", "#include <fmt/core.h>\n"),
              ElementsAre(HasSubstr("layer 'record' may not include <fmt/core.h>")));
}

TEST(LayerCheck, ReportsAThirdPartyThatTheTableDoesNotName) {
  EXPECT_THAT(check("src/comm/matrix.cpp", "#include <boost/optional.hpp>\n"),
              ElementsAre(HasSubstr("a third party that layers.txt does not name")));
  EXPECT_THAT(check("src/comm/matrix.cpp", "#include \"paint/image.hpp\"\n"),
              ElementsAre(HasSubstr("layers.txt has no layer 'paint'")));
}

TEST(LayerCheck, AllowsTheTestLibraryOnlyInTests) {
  EXPECT_THAT(check("src/comm/matrix_test.cpp", "#include <gtest/gtest.h>\n"), IsEmpty());
  EXPECT_THAT(check("src/comm/test_matrix.hpp", "#pragma once\n#include <gtest/gtest.h>\n"),
              IsEmpty());
  EXPECT_THAT(check("src/comm/matrix.cpp", "#include <gtest/gtest.h>\n"),
              ElementsAre(HasSubstr("it belongs to tests")));
}

TEST(LayerCheck, KeepsPublicHeadersFreeOfEverythingElse) {
  EXPECT_THAT(check("include/pathline/analysis.hpp",
                    "#pragma once\n#include <string>\n#include \"pathline/version.hpp\"\n"),
              IsEmpty());
  EXPECT_THAT(check("include/pathline/analysis.hpp",
                    "#pragma once\n#include \"base/result.hpp\"\n#include <fmt/core.h>\n"),
              ElementsAre(HasSubstr("public header uses private"), HasSubstr("<fmt/core.h>")));
}

TEST(LayerCheck, ReportsAFolderThatIsNoLayer) {
  EXPECT_THAT(check("src/paint/image.cpp", ""),
              ElementsAre("src/paint/image.cpp:1: layers.txt has no layer 'paint'"));
}

TEST(LayerCheck, SkipsIncludesInComments) {
  EXPECT_THAT(check("src/trace/trace.cpp",
                    "// #include \"comm/a.hpp\"\n/* #include \"comm/b.hpp\"\n"
                    "#include \"comm/c.hpp\"\n*/ #include \"comm/d.hpp\"\n"),
              ElementsAre(HasSubstr("src/trace/trace.cpp:4:")));
}

TEST(LayerCheck, IsNotMisledByStringsThatLookLikeComments) {
  EXPECT_THAT(check("src/trace/trace.cpp",
                    "const char* a = \"\\\"/*\";\nchar b = '\"'; /* */\n"
                    "#include \"comm/matrix.hpp\"\n"),
              ElementsAre(HasSubstr("src/trace/trace.cpp:3:")));
}

TEST(HeaderCheck, ReportsAHeaderThatMayNotBeIncludedTwice) {
  EXPECT_THAT(check("src/comm/matrix.hpp", "// SPDX\n/* long\n text */\n#pragma once\nint a;\n"),
              IsEmpty());
  EXPECT_THAT(check("src/comm/matrix.hpp", "#include <vector>\n#pragma once\n"),
              ElementsAre("src/comm/matrix.hpp:1: header without #pragma once at its head"));
  EXPECT_THAT(check("src/comm/matrix.cpp", "#include <vector>\n"), IsEmpty());
}

TEST(HeaderCheck, TakesAGuardInC) {
  EXPECT_THAT(check("include/pathline/pathline.h", "#ifndef A_H\n#define A_H\n#endif\n"),
              IsEmpty());
  EXPECT_THAT(check("include/pathline/pathline.h", "#ifndef A_H\n#define B_H\n#endif\n"),
              ElementsAre(HasSubstr("header without")));
}

TEST(LengthCheck, ReportsALongFileThatDoesNotSayWhy) {
  std::string text;
  for (int i = 0; i < 450; ++i) text += "int a;\n";
  EXPECT_THAT(check("src/comm/matrix.cpp", text), IsEmpty());
  EXPECT_THAT(check("src/comm/matrix.cpp", "\n" + text),
              ElementsAre(HasSubstr("src/comm/matrix.cpp:1: more than 450 lines")));
  EXPECT_THAT(check("src/comm/matrix.cpp", "// SPDX\n// Long because it is one table.\n" + text),
              IsEmpty());
  EXPECT_THAT(check("test/long.cpp", "\n" + text), IsEmpty());
}

std::string read(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// The project's own sources; CTest starts this test in the source folder.
TEST(LayerCheck, FindsNothingInThisProject) {
  const std::string table = read("cmake/layers.txt");
  ASSERT_FALSE(table.empty()) << "run this test in the source folder, as ctest does";
  const Rules rules = parse_rules(table);
  ASSERT_THAT(rules.problems, IsEmpty());

  const std::set<std::string> endings = {".c", ".cpp", ".h", ".hpp"};
  std::vector<fs::path> files;
  for (const char* folder : {"bench", "examples", "include", "src", "test"}) {
    if (!fs::exists(folder)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
      if (endings.contains(entry.path().extension().string())) files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  ASSERT_THAT(files, testing::Contains(fs::path("test/layers_test.cpp")));
  for (const fs::path& file : files) {
    for (const std::string& message : check_file(rules, file.generic_string(), read(file))) {
      ADD_FAILURE() << message;
    }
  }
}

}  // namespace
}  // namespace pathline::layers
