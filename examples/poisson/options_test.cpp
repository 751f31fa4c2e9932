// SPDX-License-Identifier: BSD-3-Clause
#include "examples/poisson/options.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace poisson {
namespace {

TEST(Options, NameWhatIsWrong) {
  const auto message_of = [](const std::vector<std::string>& arguments, int ranks = 1) {
    try {
      parse_options(arguments, ranks);
    } catch (const BadOptions& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_EQ(message_of({"--solver", "lu"}), "--solver is 'lu', expected mg or cg");
  EXPECT_EQ(message_of({"--cell", "8x8"}), "unknown argument '--cell', see --help");
  EXPECT_EQ(message_of({"--cells"}), "--cells needs a value, see --help");
  EXPECT_EQ(message_of({"--cells", "8"}),
            "--cells is '8', expected two whole numbers from 1 to 8192, as in 64x32");
  EXPECT_EQ(message_of({"--cells", "8x8", "--grid", "8x8"}),
            "--cells and --grid exclude each other");
  EXPECT_EQ(message_of({"--grid", "9x8"}, 2),
            "--grid is 9x8, expected multiples of 2x1 ranks, with up to 8192 cells for each");
  EXPECT_EQ(message_of({"--coefficient", "0"}),
            "--coefficient is '0', expected a number from 1e-05 to 100000");
  EXPECT_EQ(message_of({"--tolerance", "nan"}),
            "--tolerance is 'nan', expected a number from 1e-14 to 0.5");
  EXPECT_EQ(message_of({"--max-iterations", "0"}),
            "--max-iterations is '0', expected a whole number from 1 to 100000000");
  EXPECT_EQ(message_of({"--ranks", "2x2"}),
            "--ranks is 2x2, but the program was started with 1 rank");
  EXPECT_EQ(message_of({}, 6),
            "--ranks is 3x2, but multigrid merges two by two ranks: expected powers of two");
  EXPECT_EQ(message_of({"--cells", "35x70"}),
            "--cells is 35x70, but multigrid halves them: expected powers of two, times up to 32");
  EXPECT_EQ(message_of({"--json", ""}), "--json is '', expected the name of a file");
  EXPECT_EQ(message_of({"--solver", "cg", "--cells", "35x70"}, 6), "nothing");
}

TEST(Options, DivideRanksEvenly) {
  EXPECT_EQ(parse_options({}, 16).px, 4);
  EXPECT_EQ(parse_options({}, 8).px, 4);
  EXPECT_EQ(parse_options({}, 8).py, 2);
  EXPECT_EQ(parse_options({"--ranks", "1x8"}, 8).py, 8);
  EXPECT_EQ(parse_options({"--grid", "64x32"}, 8).nx, 16);
}

}  // namespace
}  // namespace poisson
