// SPDX-License-Identifier: BSD-3-Clause
//
// The chain of proof: a slow program that is written from the equations agrees with the kernels,
// run in one piece, to rounding; and these agree with the program under mpirun to the last bit,
// however the grid is divided.
#include <algorithm>
#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numbers>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"
#include "bench/shallow/division.hpp"
#include "bench/shallow/exact_sum.hpp"
#include "bench/shallow/fields.hpp"
#include "bench/shallow/kernels.hpp"
#include "bench/shallow/options.hpp"
#include "bench/shallow/start.hpp"
#include "bench/shallow/timers.hpp"

namespace shallow {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr bool kIsSanitized = SHALLOW_IS_SANITIZED;

double value_of(const ExactSum& sum) { return ExactSum::value(sum.digits()); }

double sum_of(const std::vector<double>& terms) {
  ExactSum sum;
  for (const double term : terms) sum.add(term);
  return value_of(sum);
}

TEST(ExactSum, RoundsNothingButTheResult) {
  EXPECT_EQ(sum_of({}), 0);
  EXPECT_EQ(sum_of({1e300, 1, -1e300}), 1);
  EXPECT_EQ(sum_of({-1e-300, 1e300, 3e-310, -1e300}), -1e-300 + 3e-310);
  EXPECT_EQ(sum_of({DBL_MAX, DBL_MAX, -DBL_MAX}), DBL_MAX);
  EXPECT_EQ(sum_of({-DBL_TRUE_MIN, -DBL_TRUE_MIN}), -2 * DBL_TRUE_MIN);
  EXPECT_EQ(sum_of({-5.5, 0.0, -0.0}), -5.5);
  // Half a unit in the last place goes to the even neighbour, and a trifle more or less decides it.
  const double half = DBL_EPSILON / 2;
  EXPECT_EQ(sum_of({1, half}), 1);
  EXPECT_EQ(sum_of({1, half, DBL_TRUE_MIN}), 1 + DBL_EPSILON);
  EXPECT_EQ(sum_of({1, DBL_EPSILON, half}), 1 + 2 * DBL_EPSILON);
  EXPECT_EQ(sum_of({1, DBL_EPSILON, half, -DBL_TRUE_MIN}), 1 + DBL_EPSILON);
  EXPECT_TRUE(std::isnan(sum_of({1, std::numeric_limits<double>::infinity()})));
}

TEST(ExactSum, AddsUpOverRanks) {
  ExactSum::Digits all = {};
  double expected = 0;
  for (int rank = 0; rank < 5; ++rank) {
    ExactSum own;
    for (int i = 0; i < 1000; ++i) {
      const double term = std::ldexp(i % 7 - 3, i % 30 - 10);
      own.add(term);
      expected += term;  // exact: 44 bits are enough
    }
    const ExactSum::Digits digits = own.digits();
    for (size_t i = 0; i < all.size(); ++i) all[i] += digits[i];
  }
  EXPECT_EQ(ExactSum::value(all), expected);
}

TEST(Division, GivesEachCellToOneRank) {
  for (const auto& [px, py] : {std::pair{1, 1}, {3, 2}, {4, 5}, {7, 1}}) {
    std::vector<int> owners(size_t{7} * 5, 0);
    for (int rank = 0; rank < px * py; ++rank) {
      const Division part = divide(7, 5, px, py, rank);
      EXPECT_EQ(part.y * px + part.x, rank);
      for (int j = 0; j < part.own.n; ++j) {
        for (int i = 0; i < part.own.m; ++i) {
          ++owners.at((part.first_j + j) * 7 + part.first_i + i);
        }
      }
    }
    EXPECT_THAT(owners, testing::Each(1)) << px << "x" << py;
  }
  const Division corner = divide(8, 8, 4, 2, 3);
  EXPECT_EQ(corner.neighbor(1, 0), 0);
  EXPECT_EQ(corner.neighbor(-1, 0), 2);
  EXPECT_EQ(corner.neighbor(0, 1), 7);
  EXPECT_EQ(corner.neighbor(0, -1), 7);
}

TEST(Timers, TellBlocksFromWhatIsBetweenThem) {
  StepTimes times(2);
  times.begin_loop(10);
  double now_s = 10;
  for (const double pause_s : {1.0, 2.0}) {
    times.begin_blocks(now_s += pause_s);
    for (size_t block = 0; block < kBlockCount; ++block) {
      times.end_block(static_cast<Block>(block), now_s += static_cast<double>(block));
    }
    times.end_step();
  }
  EXPECT_THAT(times.block_s(Block::kExchange1), testing::ElementsAre(1, 1));
  EXPECT_THAT(times.block_s(Block::kCopies), testing::ElementsAre(5, 5));
  EXPECT_THAT(times.step_s(), testing::ElementsAre(16, 17));
}

TEST(Timers, InterpolateBetweenTwoValues) {
  const std::vector<double> values = {5, 1, 4, 2};
  const Quantiles result = quantiles(values);
  EXPECT_DOUBLE_EQ(result.minimum, 1);
  EXPECT_DOUBLE_EQ(result.lower_quartile, 1.75);
  EXPECT_DOUBLE_EQ(result.median, 3);
  EXPECT_DOUBLE_EQ(result.percentile_90, 4.7);
  EXPECT_DOUBLE_EQ(quantiles(std::vector<double>{7}).percentile_90, 7);
}

TEST(Options, NamesWhatIsWrongInOneLine) {
  const std::string pair = "expected two whole numbers from 1 to 16777216, as in 64x32";
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"--grid 64", "--grid is '64', " + pair},
      {"--grid 64x64x64", "--grid is '64x64x64', " + pair},
      {"--grid 64x-1", "--grid is '64x-1', " + pair},
      {"--grid 0x64", "--grid is '0x64', " + pair},
      {"--grid 64x99999999999", "--grid is '64x99999999999', " + pair},
      {"--ranks x", "--ranks is 'x', " + pair},
      {"--ranks 2x1", "--ranks is 2x1, but the program was started with 1 rank"},
      {"--ranks 65536x65536", "--ranks is 65536x65536, but the program was started with 1 rank"},
      {"--steps 0", "--steps is '0', expected a whole number from 1 to 10000000"},
      {"--steps 1e3", "--steps is '1e3', expected a whole number from 1 to 10000000"},
      {"--warmup -1", "--warmup is '-1', expected a whole number from 0 to 10000000"},
      {"--start flat", "--start is 'flat', expected steady or perturbed"},
      {"--compute guess", "--compute is 'guess', expected real or flops"},
      {"--compute flops",
       "--compute is flops, which needs the program that SimGrid's smpicxx compiles"},
      {"--steps", "--steps needs a value, see --help"},
      {"--size 3", "unknown argument '--size', see --help"},
      {"heat.toml", "unknown argument 'heat.toml', see --help"},
  };
  for (const auto& [text, message] : cases) {
    std::istringstream stream(text);
    const std::vector<std::string> arguments(std::istream_iterator<std::string>(stream), {});
    try {
      (void)parse_options(arguments, 1);
      ADD_FAILURE() << text << " was accepted";
    } catch (const BadOptions& error) {
      EXPECT_EQ(error.what(), message);
    }
  }
  EXPECT_THROW((void)parse_options({"--samples", ""}, 1), BadOptions);
}

TEST(Options, DivideAsSquareAsTheyCanUnlessTold) {
  const auto ranks = [](int count, const std::vector<std::string>& arguments) {
    const Options options = parse_options(arguments, count);
    return std::pair(options.px, options.py);
  };
  EXPECT_EQ(ranks(1, {}), std::pair(1, 1));
  EXPECT_EQ(ranks(2, {}), std::pair(2, 1));
  EXPECT_EQ(ranks(7, {}), std::pair(7, 1));
  EXPECT_EQ(ranks(12, {}), std::pair(4, 3));
  EXPECT_EQ(ranks(1024, {}), std::pair(32, 32));
  EXPECT_EQ(ranks(12, {"--ranks", "2x6"}), std::pair(2, 6));
}

/// A field on a torus: any whole numbers are the place of a cell.
class TorusField {
 public:
  TorusField(int m, int n) : m_(m), n_(n), values_(static_cast<size_t>(m) * n) {}

  double& operator()(int i, int j) { return values_[place(i, j)]; }
  double operator()(int i, int j) const { return values_[place(i, j)]; }

 private:
  [[nodiscard]] size_t place(int i, int j) const {
    return static_cast<size_t>((j % n_ + n_) % n_) * m_ + (i % m_ + m_) % m_;
  }

  int m_;
  int n_;
  std::vector<double> values_;
};

/// The equations of README.md, one cell after the other.
class SlowFlow {
 public:
  TorusField u;
  TorusField v;
  TorusField p;

  SlowFlow(int m, int n, bool perturbed)
      : u(m, n), v(m, n), p(m, n), m_(m), n_(n), uold_(m, n), vold_(m, n), pold_(m, n) {
    using std::numbers::pi;
    const double kx = 2 * pi / (m * kSize);
    const double ky = 2 * pi / (n * kSize);
    const double second = perturbed ? 20 / std::sqrt(4 * kx * kx + 9 * ky * ky) : 0;
    // The coordinates are those of the corner of cell (0, 0).
    const auto stream = [&](double x, double y) {
      return 1e6 * std::sin(kx * x) * std::sin(ky * y) +
             second * std::sin(2 * kx * x + 1) * std::cos(3 * ky * y);
    };
    for_each_cell([&](int i, int j) {
      const double x = i * kSize;
      const double y = j * kSize;
      u(i, j) = (stream(x, y) - stream(x, y + kSize)) / kSize;
      v(i, j) = (stream(x + kSize, y) - stream(x, y)) / kSize;
      p(i, j) = 50'000 + 0.25e12 * (ky * ky * std::cos(2 * kx * (x + kSize / 2)) +
                                    kx * kx * std::cos(2 * ky * (y + kSize / 2)));
    });
    uold_ = u;
    vold_ = v;
    pold_ = p;
  }

  /// since_old_s  how far the new values are from the old ones
  void step(double since_old_s, double alpha) {
    TorusField mass_x = u;  // for their sizes
    TorusField mass_y = u;
    TorusField vorticity = u;
    TorusField head = u;
    for_each_cell([&](int i, int j) {
      mass_x(i, j) = (p(i, j) + p(i - 1, j)) / 2 * u(i, j);
      mass_y(i, j) = (p(i, j) + p(i, j - 1)) / 2 * v(i, j);
      vorticity(i, j) = ((v(i, j) - v(i - 1, j)) / kSize - (u(i, j) - u(i, j - 1)) / kSize) /
                        depth_at_corner(i, j);
      head(i, j) = p(i, j) + kinetic(i, j);
    });
    TorusField unew = u;
    TorusField vnew = v;
    TorusField pnew = p;
    for_each_cell([&](int i, int j) {
      const double mass_y_at_u =
          (mass_y(i, j) + mass_y(i, j + 1) + mass_y(i - 1, j) + mass_y(i - 1, j + 1)) / 4;
      const double mass_x_at_v =
          (mass_x(i, j) + mass_x(i + 1, j) + mass_x(i, j - 1) + mass_x(i + 1, j - 1)) / 4;
      const double vorticity_at_u = (vorticity(i, j) + vorticity(i, j + 1)) / 2;
      const double vorticity_at_v = (vorticity(i, j) + vorticity(i + 1, j)) / 2;
      unew(i, j) = uold_(i, j) + since_old_s * (vorticity_at_u * mass_y_at_u -
                                                (head(i, j) - head(i - 1, j)) / kSize);
      vnew(i, j) = vold_(i, j) + since_old_s * (-vorticity_at_v * mass_x_at_v -
                                                (head(i, j) - head(i, j - 1)) / kSize);
      pnew(i, j) = pold_(i, j) - since_old_s * ((mass_x(i + 1, j) - mass_x(i, j)) / kSize +
                                                (mass_y(i, j + 1) - mass_y(i, j)) / kSize);
    });
    for_each_cell([&](int i, int j) {
      uold_(i, j) = u(i, j) + alpha * (unew(i, j) - 2 * u(i, j) + uold_(i, j));
      vold_(i, j) = v(i, j) + alpha * (vnew(i, j) - 2 * v(i, j) + vold_(i, j));
      pold_(i, j) = p(i, j) + alpha * (pnew(i, j) - 2 * p(i, j) + pold_(i, j));
    });
    u = unew;
    v = vnew;
    p = pnew;
  }

  /// Mass, energy and potential enstrophy.
  [[nodiscard]] std::array<double, 3> conserved() const {
    std::array<long double, 3> sums = {};
    for_each_cell([&](int i, int j) {
      const double vorticity = (v(i, j) - v(i - 1, j) - u(i, j) + u(i, j - 1)) / kSize;
      sums[0] += p(i, j);
      sums[1] += (p(i, j) * p(i, j) + (p(i, j) + p(i - 1, j)) / 2 * u(i, j) * u(i, j) +
                  (p(i, j) + p(i, j - 1)) / 2 * v(i, j) * v(i, j)) /
                 2;
      sums[2] += vorticity * vorticity / depth_at_corner(i, j) / 2;
    });
    std::array<double, 3> result = {};
    for (size_t i = 0; i < 3; ++i) result[i] = static_cast<double>(sums[i] * kSize * kSize);
    return result;
  }

  template <typename Visit>
  void for_each_cell(Visit visit) const {
    for (int j = 0; j < n_; ++j) {
      for (int i = 0; i < m_; ++i) visit(i, j);
    }
  }

 private:
  static constexpr double kSize = 1e5;

  [[nodiscard]] double depth_at_corner(int i, int j) const {
    return (p(i, j) + p(i - 1, j) + p(i, j - 1) + p(i - 1, j - 1)) / 4;
  }

  [[nodiscard]] double kinetic(int i, int j) const {
    const double twice_x = (u(i, j) * u(i, j) + u(i + 1, j) * u(i + 1, j)) / 2;
    const double twice_y = (v(i, j) * v(i, j) + v(i, j + 1) * v(i, j + 1)) / 2;
    return (twice_x + twice_y) / 2;
  }

  int m_;
  int n_;
  TorusField uold_;
  TorusField vold_;
  TorusField pold_;
};

/// The kernels on a grid in one piece, whose halos are filled from it without MPI, all around.
class WholeFlow {
 public:
  WholeFlow(int m, int n, Start start) : division_(divide(m, n, 1, 1, 0)), fields_(division_.own) {
    set_start(division_, start, fields_);
  }

  void step() {
    phase1(kDxM, kDyM, fields_);
    for (double* field : {fields_.cu, fields_.cv, fields_.z, fields_.h}) fill_halo(field);
    phase2(is_first_ ? kDtS : 2 * kDtS, kDxM, kDyM, fields_);
    for (double* field : {fields_.unew, fields_.vnew, fields_.pnew}) fill_halo(field);
    filter(is_first_ ? 0 : kAlpha, fields_);
    copies(fields_);
    is_first_ = false;
  }

  [[nodiscard]] const Fields& fields() const { return fields_; }

  /// As the program prints it.
  [[nodiscard]] std::string checksum() const {
    uint64_t bits = 0;
    int place = 0;
    for (const double* field :
         {fields_.u, fields_.v, fields_.p, fields_.uold, fields_.vold, fields_.pold}) {
      for (int j = 0; j < fields_.grid.n; ++j) {
        for (int i = 0; i < fields_.grid.m; ++i, ++place) {
          bits ^= std::rotl(std::bit_cast<uint64_t>(field[fields_.grid.index(i, j)]), place % 61);
        }
      }
    }
    std::array<char, 17> text = {};
    std::snprintf(text.data(), text.size(), "%016llX", static_cast<unsigned long long>(bits));
    return text.data();
  }

 private:
  void fill_halo(double* field) {
    const Grid& grid = fields_.grid;
    for (int j = -1; j <= grid.n; ++j) {
      for (int i = -1; i <= grid.m; ++i) {
        const int from_i = (i + grid.m) % grid.m;
        const int from_j = (j + grid.n) % grid.n;
        field[grid.index(i, j)] = field[grid.index(from_i, from_j)];
      }
    }
  }

  Division division_;
  Fields fields_;
  bool is_first_ = true;
};

TEST(Kernels, AgreeWithTheEquations) {
  for (const auto& [m, n] : {std::pair{24, 18}, {7, 31}, {16, 16}}) {
    for (const Start start : {Start::kSteady, Start::kPerturbed}) {
      WholeFlow flow(m, n, start);
      SlowFlow slow(m, n, start == Start::kPerturbed);
      for (int step = 0; step <= 50; ++step) {
        const Fields& fields = flow.fields();
        slow.for_each_cell([&](int i, int j) {
          const size_t k = fields.grid.index(i, j);
          // Of the largest velocity, and of the depth.
          ASSERT_NEAR(fields.u[k], slow.u(i, j), 20e-12) << i << " " << j << " step " << step;
          ASSERT_NEAR(fields.v[k], slow.v(i, j), 20e-12) << i << " " << j << " step " << step;
          ASSERT_NEAR(fields.p[k], slow.p(i, j), 5e4 * 1e-12) << i << " " << j << " step " << step;
        });
        if (HasFatalFailure()) return;
        flow.step();
        slow.step(step == 0 ? 90 : 180, step == 0 ? 0 : 0.001);
      }
    }
  }
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

  [[nodiscard]] double drift(const std::string& name) const {
    return std::stod(value(name + " drift"));
  }

  /// The lines that may not depend on the division.
  [[nodiscard]] std::string checks() const {
    const size_t begin = out.find("mass at start");
    return begin == std::string::npos ? "no checks" : out.substr(begin);
  }
};

class Shallow : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(SHALLOW_MPIRUN)) GTEST_SKIP() << "there is no mpirun: " << SHALLOW_MPIRUN;
    // Tests may run as root and on fewer cores than ranks. Leaks of the MPI library are not ours.
    for (const char* variable :
         {"OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM",
          "OMPI_MCA_rmaps_base_oversubscribe", "OMPI_MCA_mpi_yield_when_idle"}) {
      setenv(variable, "1", 1);
    }
    // Open MPI would give ranks that have ended with an error two seconds to do so.
    setenv("OMPI_MCA_odls_base_sigkill_timeout", "0", 1);
    setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
  }

  /// Runs `command`, a shell command, in the scratch directory.
  Output shell(const std::string& command) {
    const std::string line =
        "cd '" + scratch_.path().string() + "' && " + command + " >out 2>err </dev/null";
    const int status = std::system(line.c_str());
    return {.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
            .out = scratch_.read("out"),
            .err = scratch_.read("err")};
  }

  /// Without mpirun, which is quicker: a process started alone is a world of one rank.
  Output alone(const std::string& arguments) { return shell("'" SHALLOW_PROGRAM "' " + arguments); }

  Output run(int ranks, const std::string& arguments) {
    return shell("'" SHALLOW_MPIRUN "' -n " + std::to_string(ranks) + " '" SHALLOW_PROGRAM "' " +
                 arguments);
  }

  /// The lines of a file that --samples has written.
  std::vector<std::string> sample_lines(const std::string& name) {
    std::ifstream stream(scratch_.path() / name);
    std::vector<std::string> lines;
    for (std::string line; std::getline(stream, line);) lines.push_back(line);
    return lines;
  }

  pathline::base::ScratchFolder scratch_;
};

/// The numbers behind "seconds":[
std::vector<double> seconds_of(const std::string& line) {
  std::vector<double> result;
  size_t at = line.find('[');
  while (at != std::string::npos && line[at] != ']') {
    result.push_back(std::stod(line.substr(at + 1)));
    at = line.find_first_of(",]", at + 1);
  }
  return result;
}

TEST_F(Shallow, ConservesWhatTheEquationsConserve) {
  // Sadourny's scheme holds the potential enstrophy; the filter in time and its steps do not.
  const std::string steps = kIsSanitized ? "1000" : "4000";
  const Output output = alone("--grid 64x64 --warmup 0 --start perturbed --steps " + steps);
  ASSERT_EQ(output.status, 0) << output.err;
  EXPECT_LT(std::abs(output.drift("mass")), 1e-12);
  EXPECT_LT(std::abs(output.drift("energy")), 1e-5);
  EXPECT_LT(std::abs(output.drift("potential enstrophy")), 1e-5);
}

TEST_F(Shallow, HoldsTheSteadyFlow) {
  const Output output = alone("--grid 64x64 --warmup 0 --steps 1000");
  ASSERT_EQ(output.status, 0) << output.err;
  for (const char* name : {"mass", "energy", "potential enstrophy"}) {
    EXPECT_LT(std::abs(output.drift(name)), 1e-13) << name;
  }
}

TEST_F(Shallow, GivesTheSameBitsForAllDivisions) {
  constexpr int kM = 25;
  constexpr int kN = 19;
  WholeFlow flow(kM, kN, Start::kPerturbed);
  const std::array<double, 3> begin = SlowFlow(kM, kN, true).conserved();
  for (int step = 0; step < 32; ++step) flow.step();

  const std::string arguments = "--grid 25x19 --start perturbed --steps 30 --warmup 2 --ranks ";
  const Output reference = alone(arguments + "1x1");
  ASSERT_EQ(reference.status, 0) << reference.err;
  EXPECT_EQ(reference.value("checksum"), flow.checksum());
  const std::array<const char*, 3> names = {"mass", "energy", "potential enstrophy"};
  for (size_t i = 0; i < names.size(); ++i) {
    const double found = std::stod(reference.value(std::string(names[i]) + " at start"));
    EXPECT_NEAR(found / begin[i], 1, 1e-12) << names[i];
  }

  std::vector<std::array<int, 2>> divisions = {{2, 1}, {2, 2}};
  // A second for each: with sanitizers only what runs all of the code.
  if (!kIsSanitized) {
    divisions.insert(divisions.end(), {{1, 2}, {3, 1}, {4, 1}, {3, 2}});
  }
  for (const auto& [px, py] : divisions) {
    const std::string ranks = std::to_string(px) + "x" + std::to_string(py);
    const Output output = run(px * py, arguments + ranks);
    EXPECT_EQ(output.status, 0) << output.err;
    EXPECT_EQ(output.checks(), reference.checks()) << ranks;
  }
}

TEST_F(Shallow, WritesTheTimesOfEachStepBlockAndRank) {
  const Output output = run(2, "--grid 9x8 --ranks 2x1 --steps 5 --warmup 1 --samples times");
  ASSERT_EQ(output.status, 0) << output.err;
  const std::vector<std::string> lines = sample_lines("times");
  ASSERT_EQ(lines.size(), 1 + 2 * (kBlockCount + 1));
  EXPECT_THAT(lines[0], StartsWith(R"({"program":"shallow","format":1,"grid":[9,8],"ranks":[2,1],)"
                                   R"("steps":5,"warmup":1,"start":"steady","compute":"real",)"));
  EXPECT_THAT(lines[1], StartsWith(R"({"rank":0,"x":0,"y":0,"m":4,"n":8,"host":")"));
  EXPECT_THAT(lines[8], StartsWith(R"({"rank":1,"x":1,"y":0,"m":5,"n":8,"host":")"));
  for (size_t rank = 0; rank < 2; ++rank) {
    double blocks_s = 0;
    double steps_s = 0;
    for (size_t block = 0; block <= kBlockCount; ++block) {
      const std::string& line = lines[1 + rank * (kBlockCount + 1) + block];
      const std::string name = block < kBlockCount ? kBlockNames[block] : "step";
      EXPECT_THAT(line, HasSubstr("\"block\":\"" + name + "\",\"seconds\":["));
      const std::vector<double> seconds = seconds_of(line.substr(line.find("\"seconds\"")));
      EXPECT_EQ(seconds.size(), 5u) << line;
      for (const double value_s : seconds) {
        EXPECT_GE(value_s, 0);
        (block < kBlockCount ? blocks_s : steps_s) += value_s;
      }
    }
    // What is between the blocks belongs to the step.
    EXPECT_LE(blocks_s, steps_s * (1 + 1e-6));
    EXPECT_LE(steps_s, std::stod(output.value("time")) * (1 + 1e-6));
  }
}

TEST_F(Shallow, SaysAnErrorOnceForAllRanks) {
  const Output output = run(2, "--grid 1x2 --ranks 2x1");
  EXPECT_EQ(output.status, 2);
  EXPECT_THAT(output.err,
              HasSubstr("shallow: --grid is 1x2, expected a cell for each of 2x1 ranks\n"));
  EXPECT_EQ(output.err.find("shallow: --"), output.err.rfind("shallow: --"));
  EXPECT_EQ(output.out, "");

  const Output unwritable = alone("--samples nowhere/times");
  EXPECT_EQ(unwritable.status, 2);
  EXPECT_EQ(unwritable.err, "shallow: cannot write nowhere/times: No such file or directory\n");
  EXPECT_EQ(unwritable.out, "");
}

TEST_F(Shallow, MarksItsStepsAndRegions) {
  if (std::string(SHALLOW_RECORDER).empty()) GTEST_SKIP() << "there is no library to preload";
  std::string blocks;
  for (const std::string name : kBlockNames) {
    blocks.append("begin ").append(name).append("\nend ").append(name).append("\n");
  }
  const Output output = shell("LD_PRELOAD='" SHALLOW_RECORDER "' '" SHALLOW_PROGRAM
                              "' --grid 4x4 --steps 1 --warmup 1");
  EXPECT_EQ(output.status, 0) << output.err;
  EXPECT_THAT(output.out, HasSubstr("step 1 0\n" + blocks + "step 2 90\n" + blocks));
}

class SimulatedShallow : public Shallow {
 protected:
  void SetUp() override {
    if (std::string(SHALLOW_SIMULATED).empty()) GTEST_SKIP() << "there is no SimGrid";
    Shallow::SetUp();
    if (IsSkipped()) return;
    std::ofstream(scratch_.path() / "platform.xml")
        << "<?xml version='1.0'?>\n"
           "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
           "<platform version=\"4.1\"><cluster id=\"c\" prefix=\"n\" radical=\"0-3\" suffix=\"\" "
           "speed=\"4Gf\" bw=\"2GBps\" lat=\"0.5us\"/></platform>\n";
    std::ofstream(scratch_.path() / "hosts") << "n0\nn1\nn2\nn3\n";
  }

  Output simulate(const std::string& arguments) {
    return shell("'" SHALLOW_SMPIRUN
                 "' -platform platform.xml -hostfile hosts -np 4 --log=root.thres:error"
                 " --cfg=smpi/simulate-computation:no --cfg=smpi/wtime:0 '" SHALLOW_SIMULATED
                 "' --grid 24x16 --ranks 2x2 --warmup 1 " +
                 arguments);
  }
};

TEST_F(SimulatedShallow, ChargesTheFlopsOfItsTable) {
  const Output output = simulate("--steps 3 --samples times");
  ASSERT_EQ(output.status, 0) << output.err;
  EXPECT_EQ(output.value("compute"), "flops");
  EXPECT_THAT(output.out, Not(HasSubstr("checksum")));
  const std::vector<std::string> lines = sample_lines("times");
  ASSERT_EQ(lines.size(), 1 + 4 * (kBlockCount + 1));
  const auto expect_flops = [&](Block block, double flops) {
    const std::string& line = lines[1 + static_cast<size_t>(block)];
    for (const double value_s : seconds_of(line.substr(line.find("\"seconds\"")))) {
      EXPECT_NEAR(value_s, flops * 12 * 8 / 4e9, 1e-15) << line;
    }
  };
  expect_flops(Block::kPhase1, 24);
  expect_flops(Block::kPhase2, 26);
  expect_flops(Block::kFilter, 15);
  expect_flops(Block::kCopies, 6);

  // To the last digit.
  EXPECT_EQ(simulate("--steps 3 --samples again").out, output.out);
  EXPECT_EQ(scratch_.read("again"), scratch_.read("times"));
}

TEST_F(SimulatedShallow, ComputesTheSameIfAskedTo) {
  const Output output = simulate("--steps 30 --start perturbed --compute real");
  EXPECT_EQ(output.status, 0) << output.err;
  WholeFlow flow(24, 16, Start::kPerturbed);
  for (int step = 0; step < 31; ++step) flow.step();
  EXPECT_EQ(output.value("checksum"), flow.checksum());
}

}  // namespace
}  // namespace shallow
