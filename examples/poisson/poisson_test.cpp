// SPDX-License-Identifier: BSD-3-Clause
//
// Runs poisson, under mpirun or alone, and compares what it prints with the solution for equal
// coefficients, with the integral of the source, and with itself on other numbers of ranks.
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numbers>
#include <string>
#include <sys/wait.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace poisson {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

std::string content(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

struct Output {
  int status = -1;
  std::string out;
  std::string err;

  /// What stands behind "name = ".
  [[nodiscard]] std::string value(const std::string& name) const {
    const size_t begin = ("\n" + out).find("\n" + name + " = ");
    if (begin == std::string::npos) return "no " + name;
    const size_t from = begin + name.size() + 3;
    return out.substr(from, out.find('\n', from) - from);
  }

  /// Not a number if there is none.
  [[nodiscard]] double number(const std::string& name) const {
    const std::string text = value(name);
    return text.starts_with("no ") ? std::nan("") : std::stod(text);
  }
};

class Poisson : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(POISSON_MPIRUN)) GTEST_SKIP() << "there is no mpirun: " << POISSON_MPIRUN;
    std::string name = (fs::temp_directory_path() / "poisson_test.XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    scratch_ = name;
    // Tests may run as root and on fewer cores than ranks. Leaks of the MPI library are not ours.
    for (const char* variable :
         {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
          "OMPI_MCA_rmaps_base_oversubscribe", "OMPI_MCA_mpi_yield_when_idle"}) {
      setenv(variable, "1", 1);
    }
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
  }

  void TearDown() override {
    if (!scratch_.empty()) fs::remove_all(scratch_);
  }

  /// Runs `command`, a shell command, in the scratch directory.
  Output shell(const std::string& command) {
    const std::string line =
        "cd '" + scratch_.string() + "' && " + command + " >out 2>err </dev/null";
    const int status = std::system(line.c_str());
    return {.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
            .out = content(scratch_ / "out"),
            .err = content(scratch_ / "err")};
  }

  /// A process started alone is a world of one rank, and there much faster than under mpirun.
  Output run(int ranks, const std::string& arguments) {
    const std::string launcher =
        ranks == 1 ? "" : "'" POISSON_MPIRUN "' -n " + std::to_string(ranks) + " ";
    return shell(launcher + "'" POISSON_PROGRAM "' " + arguments);
  }

  /// Of a run that converges.
  Output solved(int ranks, const std::string& arguments) {
    Output output = run(ranks, arguments);
    EXPECT_EQ(output.status, 0) << arguments << "\n" << output.err;
    EXPECT_EQ(output.value("converged"), "yes") << arguments;
    return output;
  }

  fs::path scratch_;
};

TEST_F(Poisson, ApproachesTheSolutionWithTheSquareOfTheCells) {
  using std::numbers::e;
  double error_before = 0;
  double flux_error_before = 0;
  for (const int cells : {64, 128}) {
    const std::string size = std::to_string(cells);
    const Output output = solved(1, "--tolerance 1e-11 --cells " + size + "x" + size);
    const double error = output.number("error");
    // That of the solution through x = 1, and through all walls.
    const double flux_error = std::abs(output.number("flux") - e * (3 - e));
    EXPECT_NEAR(output.number("source"), 2 * (e + 1) * (3 - e), 0.7 / (cells * cells));
    if (error_before > 0) {
      EXPECT_NEAR(error_before / error, 4, 0.15);
      EXPECT_NEAR(flux_error_before / flux_error, 4, 0.15);
    }
    error_before = error;
    flux_error_before = flux_error;
  }
  EXPECT_LT(error_before, 4e-5);
}

TEST_F(Poisson, GivesTheSameForBothSolversAndAllDivisions) {
  const std::string arguments = "--grid 32x32 --tolerance 1e-11 --coefficient 30 --solver ";
  const Output mg = solved(1, arguments + "mg");
  const Output cg = solved(1, arguments + "cg");
  EXPECT_NEAR(cg.number("flux"), mg.number("flux"), 1e-10);
  for (const char* ranks : {"1x4", "4x4"}) {
    // A second for each: with sanitizers only what runs all of the code.
    if (POISSON_IS_SANITIZED && std::string(ranks) == "4x4") continue;
    SCOPED_TRACE(ranks);
    const int count = (ranks[0] - '0') * (ranks[2] - '0');
    const Output output = solved(count, arguments + "mg --ranks " + ranks);
    EXPECT_NEAR(output.number("iterations"), mg.number("iterations"), 1);
    EXPECT_NEAR(output.number("flux"), mg.number("flux"), 1e-10);
  }
  const Output parts = solved(2, arguments + "cg");
  EXPECT_NEAR(parts.number("iterations"), cg.number("iterations"), 1);
  EXPECT_NEAR(parts.number("flux"), cg.number("flux"), 1e-10);
}

TEST_F(Poisson, HasIterationsThatGrowForOneSolverAndNotForTheOther) {
  std::vector<double> mg;
  std::vector<double> cg;
  for (const int ranks : {1, 4, 16}) {
    if (POISSON_IS_SANITIZED && ranks == 16) continue;
    mg.push_back(solved(ranks, "--solver mg --cells 8x8").number("iterations"));
    cg.push_back(solved(ranks, "--solver cg --cells 8x8").number("iterations"));
  }
  for (size_t i = 1; i < mg.size(); ++i) {
    EXPECT_NEAR(mg[i], mg[0], 2);
    EXPECT_NEAR(cg[i] / cg[i - 1], 2, 0.2);
  }
}

TEST_F(Poisson, ConservesWhateverTheDiscConducts) {
  double flux_before = 1;
  for (const char* coefficient : {"1e-5", "1e-2", "1", "100", "1e5"}) {
    for (const char* solver : {"mg", "cg"}) {
      const bool is_extreme = std::abs(std::log10(std::stod(coefficient))) > 4;
      if (std::string(solver) == "cg" && !is_extreme) continue;
      SCOPED_TRACE(std::string(solver) + " " + coefficient);
      const Output output = solved(
          1, std::string("--cells 32x32 --solver ") + solver + " --coefficient " + coefficient);
      EXPECT_LE(output.number("residual"), 1e-8);
      EXPECT_LT(output.number("true residual"), 1e-7);
      EXPECT_LT(output.number("imbalance"), 1e-7);
      EXPECT_NEAR(output.number("outflow"), output.number("source"), 2e-7);
      EXPECT_EQ(std::isnan(output.number("error")), std::string(coefficient) != "1");
      // Most comes from near x = 1. The better the disc conducts, the more leaves elsewhere.
      EXPECT_LT(output.number("flux"), flux_before + 1e-6);
      flux_before = output.number("flux");
    }
  }
}

TEST_F(Poisson, SolvesGridsThatCannotBeHalvedDirectly) {
  EXPECT_EQ(solved(1, "--cells 31x7").value("iterations"), "1");
  EXPECT_EQ(solved(1, "--cells 1x1").value("iterations"), "1");
  // Merged before anything else.
  EXPECT_EQ(solved(4, "--cells 3x3").value("grid"), "6 x 6");
}

TEST_F(Poisson, CountsWorkAndWritesJson) {
  const Output output = solved(4, "--cells 8x8 --census --json file.json");
  // The leader of all has the coarsest grids as well.
  EXPECT_GT(output.number("largest share of work"), 1.1);
  EXPECT_LT(output.number("largest share of work"), 2);
  const std::string json = content(scratch_ / "file.json");
  EXPECT_THAT(json, HasSubstr(R"({"solver":"mg","ranks":[2,2],"grid":[16,16],"coefficient":1,)"
                              R"("iterations":)" +
                              output.value("iterations") + R"(,"converged":true,"residual":)"));
  EXPECT_THAT(json, HasSubstr("\"flux\":" + output.value("flux").substr(0, 10)));
  EXPECT_THAT(json, Not(HasSubstr("null")));
  EXPECT_THAT(json, HasSubstr("\"time_s\":"));

  solved(1, "--cells 8x8 --coefficient 2 --json file.json");
  EXPECT_THAT(content(scratch_ / "file.json"),
              HasSubstr("\"error\":null,\"largest_share_of_work\":null,"));
}

TEST_F(Poisson, EndsWithOneIfItHasNotConverged) {
  const Output output = run(1, "--cells 32x32 --max-iterations 3");
  EXPECT_EQ(output.status, 1);
  EXPECT_EQ(output.value("iterations"), "3");
  EXPECT_EQ(output.value("converged"), "no");
  EXPECT_THAT(output.err, HasSubstr("poisson: not converged after 3 iterations: the residual is"));
}

TEST_F(Poisson, SaysAnErrorOnceForAllRanks) {
  const Output output = run(2, "--ranks 2x2");
  EXPECT_EQ(output.status, 2);
  const std::string message = "poisson: --ranks is 2x2, but the program was started with 2 ranks\n";
  EXPECT_THAT(output.err, HasSubstr(message));
  EXPECT_EQ(output.err.find("poisson: --"), output.err.rfind("poisson: --"));
  EXPECT_EQ(output.out, "");

  const Output unwritable = run(1, "--json nowhere/file.json");
  EXPECT_EQ(unwritable.status, 2);
  EXPECT_EQ(unwritable.err, "poisson: cannot write nowhere/file.json: No such file or directory\n");
  EXPECT_EQ(unwritable.out, "");
}

TEST_F(Poisson, MarksItsStepsAndRegions) {
  if (std::string(POISSON_RECORDER).empty()) GTEST_SKIP() << "there is no library to preload";
  const std::string program = "LD_PRELOAD='" POISSON_RECORDER "' '" POISSON_PROGRAM
                              "' --cells 4x4 --tolerance 0.5 --census --solver ";
  const auto region = [](const std::string& name, const std::string& inside = "") {
    return "begin " + name + "\n" + inside + "end " + name + "\n";
  };
  const std::string halo = region("halo_exchange");
  const std::string smooth = region("smooth", halo + halo);
  const std::string apply = region("apply_operator", halo);
  const std::string dot = region("dot_product");
  const std::string update = region("update");
  const std::string cycle = region("v_cycle", smooth + smooth + apply + region("restrict") +
                                                  region("v_cycle", region("direct_solve")) +
                                                  region("prolongate", halo) + smooth + smooth);
  EXPECT_THAT(shell(program + "mg").out,
              HasSubstr(region("mg_solve", region("mg_setup") + dot + "step 1 0\n" + cycle +
                                               update + apply + update + dot + region("census"))));
  const Output cg = shell(program + "cg");
  EXPECT_THAT(cg.out, HasSubstr("begin cg_solve\n" + dot + "step 1 0\n" + apply + dot + update +
                                update + dot + update + region("census")));
}

TEST_F(Poisson, RepeatsOnSimulatedMachinesToTheLastDigit) {
  if (std::string(POISSON_SIMULATED).empty()) GTEST_SKIP() << "there is no SimGrid";
  std::ofstream(scratch_ / "platform.xml")
      << "<?xml version='1.0'?>\n"
         "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
         "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"n\" radical=\"0-3\" suffix=\"\" "
         "speed=\"4Gf\" bw=\"2GBps\" lat=\"0.5us\"/></platform>\n";
  std::ofstream(scratch_ / "hosts") << "n0\nn1\nn2\nn3\n";
  const std::string command =
      "'" POISSON_SMPIRUN
      "' -platform platform.xml -hostfile hosts -np 4 --log=root.thres:error"
      " --cfg=smpi/simulate-computation:no --cfg=smpi/wtime:0 '" POISSON_SIMULATED
      "' --cells 16x16";
  const Output output = shell(command);
  ASSERT_EQ(output.status, 0) << output.err;
  EXPECT_GT(output.number("time"), 1e-5);
  EXPECT_EQ(shell(command).out, output.out);
  const Output real = solved(1, "--cells 32x32");
  EXPECT_EQ(output.value("iterations"), real.value("iterations"));
  EXPECT_NEAR(output.number("flux"), real.number("flux"), 1e-11);
}

}  // namespace
}  // namespace poisson
