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
      "base:\n"
      "graph:  base\n"
      "trace:  base   # another\n"
      "comm:   trace graph\n"
      "record: base\n"
      "render: graph\n"
      "test:   comm\n"
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
  EXPECT_THAT(parse_rules("comm: trace\ntrace:\n").problems,
              ElementsAre("layers.txt:1: layer 'comm' uses 'trace', which is not listed above it"));
}

TEST(LayerRules, RejectARepeatedLayerAndAnUnknownOwner) {
  EXPECT_THAT(parse_rules("base:\nbase:\n<png.h>: paint\n").problems,
              ElementsAre("layers.txt:2: layer 'base' is listed twice",
                          "layers.txt:3: <png.h> names the unknown layer 'paint'"));
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
  const Rules rules = parse_rules("base:\nbench: base\n");
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
  EXPECT_THAT(check("src/comm/matrix.cpp", "#include <gtest/gtest.h>\n"),
              ElementsAre(HasSubstr("it belongs to tests")));
}

TEST(LayerCheck, KeepsPublicHeadersFreeOfEverythingElse) {
  EXPECT_THAT(check("include/pathline/analysis.hpp",
                    "#include <string>\n#include \"pathline/version.hpp\"\n"),
              IsEmpty());
  EXPECT_THAT(check("include/pathline/analysis.hpp",
                    "#include \"base/result.hpp\"\n#include <fmt/core.h>\n"),
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
