// SPDX-License-Identifier: BSD-3-Clause
//
// Runs heat3d under mpirun and compares what it computes with two solutions that share nothing with
// it: the exact one of its difference scheme, and the series of the heat equation itself.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numbers>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heat3d {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::array<const char*, 4> kExchanges = {"isend", "put", "persistent", "neighbor"};

/// The content of a parameter file.
struct Case {
  std::array<int, 3> ranks = {1, 1, 1};
  std::array<int, 3> points = {8, 8, 12};
  std::array<double, 3> spacing_m = {0.12, 0.10, 0.09};
  double dt_s = 0.5;
  double diffusivity_m2_per_s = 0.000864;
  double initial = 200;
  std::array<double, 6> walls = {300, 100, 400, 50, 150, 350};
  int steps = 20;
  double tolerance = 0;
  std::string exchange = "isend";

  [[nodiscard]] int processes() const { return ranks[0] * ranks[1] * ranks[2]; }
};

template <size_t n, typename T>
std::string list(const std::array<T, n>& values) {
  std::ostringstream text;
  text.precision(17);
  for (size_t i = 0; i < n; ++i) text << (i == 0 ? "[" : ", ") << values[i];
  return text.str() + "]";
}

std::string toml_of(const Case& c) {
  std::ostringstream text;
  text.precision(17);
  text << "ranks = " << list(c.ranks) << "\npoints = " << list(c.points)
       << "\nspacing_m = " << list(c.spacing_m) << "\ndt_s = " << c.dt_s
       << "\ndiffusivity_m2_per_s = " << c.diffusivity_m2_per_s << "\ninitial = " << c.initial
       << "\nwalls = " << list(c.walls) << "\nsteps = " << c.steps
       << "\ntolerance = " << c.tolerance << "\nexchange = \"" << c.exchange << "\"\n";
  return text.str();
}

std::string content(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

struct Output {
  int status = -1;
  std::string out;
  std::string err;
  std::vector<double> field;

  /// What stands behind "name = ".
  [[nodiscard]] std::string value(const std::string& name) const {
    const size_t begin = ("\n" + out).find("\n" + name + " = ");
    if (begin == std::string::npos) return "no " + name;
    const size_t from = begin + name.size() + 3;
    return out.substr(from, out.find('\n', from) - from);
  }

  /// The lines that may depend neither on the division nor on the exchange.
  [[nodiscard]] std::string result() const {
    std::string text;
    for (const char* name :
         {"steps", "largest change", "minimum", "centre", "maximum", "checksum"}) {
      text += std::string(name) + " " + value(name) + "\n";
    }
    return text;
  }
};

class Heat3d : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(HEAT3D_MPIRUN)) GTEST_SKIP() << "there is no mpirun: " << HEAT3D_MPIRUN;
    std::string name = (fs::temp_directory_path() / "heat3d_test.XXXXXX").string();
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

  Output run_text(const std::string& toml, int processes, const std::string& arguments = "",
                  const std::string& program = HEAT3D_PROGRAM) {
    std::ofstream(scratch_ / "heat.toml") << toml;
    return shell("'" HEAT3D_MPIRUN "' -n " + std::to_string(processes) + " '" + program +
                 "' heat.toml" + arguments);
  }

  Output run(const Case& c) {
    Output output = run_text(toml_of(c), c.processes(), " --field field");
    EXPECT_EQ(output.status, 0) << output.err;
    const std::string bytes = content(scratch_ / "field");
    output.field.resize(bytes.size() / sizeof(double));
    std::copy_n(bytes.data(), output.field.size() * sizeof(double),
                reinterpret_cast<char*>(output.field.data()));
    EXPECT_EQ(bytes.size(), sizeof(double) * c.points[0] * c.points[1] * c.points[2]);
    return output;
  }

  Output run_fortran(const Case& c) {
    return run_text(toml_of(c), c.processes(), "", HEAT3D_FORTRAN_PROGRAM);
  }

  fs::path scratch_;
};

/// Points and steps of a case as options of the program.
std::string size_options(const Case& c) {
  return " --points " + std::to_string(c.points[0]) + "x" + std::to_string(c.points[1]) + "x" +
         std::to_string(c.points[2]) + " --steps " + std::to_string(c.steps);
}

/// All walls the same, so that both exact solutions are known: what starts as 1 inside of walls of
/// 0 is a sum of sines.
Case case_with_equal_walls() {
  Case c;
  c.initial = 1;
  c.walls.fill(0);
  return c;
}

/// The amplitudes of the sines on the points 1 to n of 0 to n + 1 whose sum is 1 there.
std::vector<double> amplitudes_of_one(int n) {
  std::vector<double> amplitudes(n);
  for (int m = 1; m <= n; ++m) {
    for (int i = 1; i <= n; ++i) {
      amplitudes[m - 1] += 2.0 / (n + 1) * std::sin(std::numbers::pi * m * i / (n + 1));
    }
  }
  return amplitudes;
}

/// What the difference scheme gives after all steps of `c` at the point (x, y, z), counted from 1:
/// each sine is an eigenvector of a step.
double exact_scheme(const Case& c, const std::array<int, 3>& at) {
  using std::numbers::pi;
  std::array<std::vector<double>, 3> amplitude;
  std::array<std::vector<double>, 3> decay;
  for (size_t d = 0; d < 3; ++d) {
    const int n = c.points[d];
    amplitude[d] = amplitudes_of_one(n);
    const double weight = c.diffusivity_m2_per_s * c.dt_s / (c.spacing_m[d] * c.spacing_m[d]);
    for (int m = 1; m <= n; ++m) {
      amplitude[d][m - 1] *= std::sin(pi * m * at[d] / (n + 1));
      decay[d].push_back(4 * weight * std::pow(std::sin(pi * m / (2.0 * (n + 1))), 2));
    }
  }
  double sum = 0;
  for (int k = 0; k < c.points[0]; ++k) {
    for (int l = 0; l < c.points[1]; ++l) {
      for (int m = 0; m < c.points[2]; ++m) {
        sum += amplitude[0][k] * amplitude[1][l] * amplitude[2][m] *
               std::pow(1 - decay[0][k] - decay[1][l] - decay[2][m], c.steps);
      }
    }
  }
  return sum;
}

/// The solution of the heat equation between two walls of 0, x of `length` apart from the first,
/// that starts as 1 (Carslaw & Jaeger, Conduction of Heat in Solids, 1959, 3.3); that of a box is
/// the product of those of its three directions (1.15).
double series(double x, double length, double diffusivity_time) {
  using std::numbers::pi;
  double sum = 0;
  for (int n = 1; n < 400; n += 2) {
    sum += 4 / (n * pi) * std::sin(n * pi * x / length) *
           std::exp(-std::pow(n * pi / length, 2) * diffusivity_time);
  }
  return sum;
}

TEST_F(Heat3d, GivesTheExactSolutionOfItsScheme) {
  for (const int steps : {1, 2, 7, 60}) {
    Case c = case_with_equal_walls();
    c.ranks = {1, 2, 2};
    c.points = {5, 4, 8};
    c.steps = steps;
    c.dt_s = 1.5;
    const Output output = run(c);
    ASSERT_EQ(output.field.size(), 5u * 4 * 8);
    size_t i = 0;
    for (int z = 1; z <= 8; ++z) {
      for (int y = 1; y <= 4; ++y) {
        for (int x = 1; x <= 5; ++x, ++i) {
          ASSERT_NEAR(output.field[i], exact_scheme(c, {x, y, z}), 1e-13)
              << "at " << x << ", " << y << ", " << z << " after " << steps << " steps";
        }
      }
    }
  }
}

TEST_F(Heat3d, ApproachesTheHeatEquationWithTheSquareOfTheSpacing) {
  const std::array<double, 3> length_m = {1, 0.8, 1.2};
  constexpr std::array<int, 3> kCells = {8, 16, 32};
  const double dt_times_cells_squared_s = 0.125;  // 81 % of the stability limit
  for (const int coarse_steps : {10, 26, 51}) {
    const double time_s = coarse_steps * dt_times_cells_squared_s / (8 * 8);
    // The difference to the series on each grid, where all three have points.
    std::array<std::vector<double>, 3> differences;
    for (size_t grid = 0; grid < kCells.size(); ++grid) {
      const int cells = kCells[grid];
      const int refined = cells / kCells[0];
      Case c = case_with_equal_walls();
      c.points.fill(cells - 1);
      for (size_t d = 0; d < 3; ++d) c.spacing_m[d] = length_m[d] / cells;
      c.diffusivity_m2_per_s = 1;
      c.dt_s = dt_times_cells_squared_s / (cells * cells);
      c.steps = coarse_steps * refined * refined;
      const Output output = run(c);

      const auto along = [&](size_t d, int i) {
        return series(i * c.spacing_m[d], length_m[d], time_s);
      };
      const size_t n = cells - 1;
      for (int z = refined; z < cells; z += refined) {
        for (int y = refined; y < cells; y += refined) {
          for (int x = refined; x < cells; x += refined) {
            differences[grid].push_back(output.field.at(((z - 1) * n + (y - 1)) * n + (x - 1)) -
                                        along(0, x) * along(1, y) * along(2, z));
          }
        }
      }
    }

    const auto largest = [](const std::vector<double>& values) {
      double result = 0;
      for (const double value : values) result = std::max(result, std::abs(value));
      return result;
    };
    const auto& [coarse, middle, fine] = differences;
    // Without the part that is quadratic in the spacing hardly anything is left.
    std::vector<double> extrapolated;
    for (size_t i = 0; i < fine.size(); ++i) extrapolated.push_back((4 * fine[i] - middle[i]) / 3);

    SCOPED_TRACE(testing::Message() << "after " << time_s << " s");
    EXPECT_NEAR(largest(coarse) / largest(middle), 4, 0.2);
    EXPECT_NEAR(largest(middle) / largest(fine), 4, 0.05);
    EXPECT_LT(largest(fine), 0.003);
    EXPECT_LT(largest(extrapolated), 1e-4);
  }
}

TEST_F(Heat3d, HasItsWallsInTheOrderOfTheFile) {
  Case c;
  c.points = {3, 3, 3};
  c.ranks = {1, 1, 3};
  c.steps = 1;
  const Output output = run(c);
  const auto at = [&](int x, int y, int z) { return output.field.at((z * 3 + y) * 3 + x); };
  // The middle of each side has one wall as a neighbour, all others are still at 200.
  const double rx = 0.000864 * 0.5 / (0.12 * 0.12);
  const double ry = 0.000864 * 0.5 / (0.10 * 0.10);
  const double rz = 0.000864 * 0.5 / (0.09 * 0.09);
  EXPECT_DOUBLE_EQ(at(1, 1, 1), 200);
  EXPECT_DOUBLE_EQ(at(0, 1, 1), 200 + rx * (300 - 200));
  EXPECT_DOUBLE_EQ(at(2, 1, 1), 200 + rx * (100 - 200));
  EXPECT_DOUBLE_EQ(at(1, 0, 1), 200 + ry * (400 - 200));
  EXPECT_DOUBLE_EQ(at(1, 2, 1), 200 + ry * (50 - 200));
  EXPECT_DOUBLE_EQ(at(1, 1, 0), 200 + rz * (150 - 200));
  EXPECT_DOUBLE_EQ(at(1, 1, 2), 200 + rz * (350 - 200));
}

TEST_F(Heat3d, GivesTheSameBitsForAllDivisionsAndExchanges) {
  const Output reference = run(Case{});
  EXPECT_THAT(reference.out, AllOf(HasSubstr("grid = 8 x 8 x 12\n"), HasSubstr("steps = 20\n"),
                                   Not(HasSubstr("converged"))));
  // Ten of its 20 steps took the median or longer.
  const double step_s = std::stod(reference.value("seconds per step"));
  EXPECT_GT(step_s, 0);
  EXPECT_LE(step_s, std::stod(reference.value("time")) / 10 + 1e-6);
  std::vector<std::array<int, 3>> divisions = {{1, 1, 1}, {1, 2, 2}};
  // A second for each: with sanitizers only what runs all of the code.
  if (!HEAT3D_IS_SANITIZED) divisions.insert(divisions.end(), {{2, 1, 1}, {1, 1, 2}, {4, 1, 1}});
  for (const std::array<int, 3>& ranks : divisions) {
    for (const char* exchange : kExchanges) {
      Case c;
      c.ranks = ranks;
      c.exchange = exchange;
      SCOPED_TRACE(list(ranks) + " " + exchange);
      const Output output = run(c);
      EXPECT_EQ(output.value("exchange"), exchange);
      EXPECT_EQ(output.result(), reference.result());
      EXPECT_EQ(output.field, reference.field);
    }
  }
}

TEST_F(Heat3d, StopsWhenNoPointChangesByTheTolerance) {
  Case c;
  c.ranks = {2, 1, 1};
  c.steps = 1000;
  c.tolerance = 1;
  const Output converged = run(c);
  EXPECT_THAT(converged.out, HasSubstr("\nconverged\n"));
  EXPECT_LT(std::stod(converged.value("largest change")), 1);

  // The step before had changed more.
  c.steps = std::stoi(converged.value("steps")) - 1;
  ASSERT_GT(c.steps, 0);
  const Output before = run(c);
  EXPECT_THAT(before.out, Not(HasSubstr("converged")));
  EXPECT_GE(std::stod(before.value("largest change")), 1);
}

TEST_F(Heat3d, IsTheSameInFortran) {
  if (std::string(HEAT3D_FORTRAN_PROGRAM).empty()) GTEST_SKIP() << "heat3d_f08 is not built";
  for (const std::array<int, 3>& ranks :
       std::vector<std::array<int, 3>>{{1, 1, 1}, {1, 2, 1}, {2, 1, 2}}) {
    for (const double tolerance : {0.0, 1.0}) {
      Case c;
      c.ranks = ranks;
      c.steps = 200;
      c.tolerance = tolerance;
      SCOPED_TRACE(list(ranks));
      const Output fortran = run_fortran(c);
      EXPECT_EQ(fortran.status, 0) << fortran.err;
      EXPECT_EQ(fortran.result(), run(c).result());
      EXPECT_EQ(fortran.out.find("\nconverged\n") != std::string::npos, tolerance > 0);
    }
  }
}

/// A correct file with one line changed, and what heat3d says about it.
struct BadFile {
  std::string from;
  std::string to;
  std::string message;
};

TEST_F(Heat3d, NamesWhatIsWrongWithAFileInOneLine) {
  const std::vector<BadFile> files = {
      {"steps = 20", "step = 20",
       "heat.toml:8: unknown key 'step', expected one of ranks, points, spacing_m, dt_s, "
       "diffusivity_m2_per_s, walls, initial, steps, tolerance, exchange, mesh"},
      {"steps = 20", "steps = 20\nmesh = 1", "heat.toml:9: mesh is 1, expected true or false"},
      {"steps = 20\n", "", "heat.toml: key 'steps' is missing"},
      {"steps = 20", "steps = 0",
       "heat.toml:8: steps is 0, expected a whole number from 1 to 9223372036854775807"},
      {"initial = 200", "initial = \"hot\"",
       "heat.toml:6: initial is 'hot', expected a finite number"},
      {"initial = 200", "initial = nan", "heat.toml:6: initial is nan, expected a finite number"},
      {"initial = 200", "[initial]", "heat.toml:6: initial is a table, expected a finite number"},
      {"[8, 8, 12]", "[8, 8]", "heat.toml:2: points is [ 8, 8 ], expected a list of 3 numbers"},
      {"[8, 8, 12]", "[8, 8.5, 12]",
       "heat.toml:2: points[1] is 8.5, expected a whole number from 1 to 2147483645"},
      {"[8, 8, 12]", "[8, 800000000, 12]",
       "heat.toml:2: points is [ 8, 800000000, 12 ], expected less than 2^31 points for each rank"},
      {"[1, 1, 1]", "[3, 1, 1]",
       "heat.toml:2: points is [ 8, 8, 12 ], expected multiples of ranks = [3, 1, 1]"},
      {"[1, 1, 1]", "[1, 2, 1]",
       "heat.toml:1: ranks is [ 1, 2, 1 ], but the program was started with 1 process"},
      {"dt_s = 0.5", "dt_s = 5",
       "heat.toml:4: dt_s is 5, but with this spacing and diffusivity the scheme is stable only up "
       "to 1.97576 s"},
      {"dt_s = 0.5", "dt_s = -1", "heat.toml:4: dt_s is -1, expected a number greater than 0"},
      {"tolerance = 0", "tolerance = -1", "heat.toml:9: tolerance is -1, expected 0 or more"},
      {"\"isend\"", "\"get\"",
       "heat.toml:10: exchange is 'get', expected one of isend, put, persistent, neighbor"},
      {"walls = [", "walls [",
       "heat.toml:7: Error while parsing key-value pair: expected '=', saw '['"},
  };
  for (const BadFile& file : files) {
    std::string toml = toml_of(Case{});
    const size_t at = toml.find(file.from);
    ASSERT_NE(at, std::string::npos) << file.from;
    toml.replace(at, file.from.size(), file.to);
    std::ofstream(scratch_ / "heat.toml") << toml;
    const Output output = shell("'" HEAT3D_PROGRAM "' heat.toml");  // quicker than with mpirun
    EXPECT_EQ(output.status, 2) << file.to;
    EXPECT_EQ(output.err, "heat3d: " + file.message + "\n");
    EXPECT_EQ(output.out, "");
  }
}

TEST_F(Heat3d, TakesSizesFromTheCommandLine) {
  Case c;
  const Output file = run(c);
  Case other;
  other.points = {4, 4, 4};
  other.steps = 1;
  const std::string sizes = size_options(c);
  std::ofstream(scratch_ / "heat.toml") << toml_of(other);
  const Output line = shell("'" HEAT3D_PROGRAM "' heat.toml" + sizes);
  EXPECT_EQ(line.status, 0) << line.err;
  EXPECT_EQ(line.result(), file.result());
  const Output bad = shell("'" HEAT3D_PROGRAM "' heat.toml --points 4x4");
  EXPECT_EQ(bad.status, 2);
  EXPECT_EQ(bad.err, "heat3d: command line:1: points is [ 4, 4 ], expected a list of 3 numbers\n");
}

TEST_F(Heat3d, SaysAnErrorOnceForAllRanks) {
  const Output output = run_text(toml_of(Case{}), 2);
  EXPECT_EQ(output.status, 2);
  const std::string message =
      "heat3d: heat.toml:1: ranks is [ 1, 1, 1 ], but the program was started with 2 processes\n";
  EXPECT_THAT(output.err, HasSubstr(message));
  EXPECT_EQ(output.err.find("heat3d: "), output.err.rfind("heat3d: heat"));
  EXPECT_EQ(output.out, "");

  const Output missing = shell("'" HEAT3D_PROGRAM "' nowhere.toml");
  EXPECT_EQ(missing.status, 2);
  EXPECT_EQ(missing.err, "heat3d: cannot read nowhere.toml: No such file or directory\n");
}

TEST_F(Heat3d, MarksItsStepsAndRegions) {
  if (std::string(HEAT3D_RECORDER).empty()) GTEST_SKIP() << "there is no library to preload";
  Case c;
  c.steps = 2;
  c.tolerance = 1e-9;
  const std::string step =
      "begin exchange\nend exchange\nbegin update\nend update\n"
      "begin convergence check\nend convergence check\n";
  const std::string expected = "step 1 0\n" + step + "step 2 0.5\n" + step;
  std::ofstream(scratch_ / "heat.toml") << toml_of(c);
  for (const std::string program : {HEAT3D_PROGRAM, HEAT3D_FORTRAN_PROGRAM}) {
    if (program.empty()) continue;
    // A process started alone is a world of one rank.
    const Output output = shell("LD_PRELOAD='" HEAT3D_RECORDER "' '" + program + "' heat.toml");
    EXPECT_EQ(output.status, 0) << output.err;
    EXPECT_THAT(output.out, HasSubstr(expected)) << program;
  }
}

}  // namespace
}  // namespace heat3d
