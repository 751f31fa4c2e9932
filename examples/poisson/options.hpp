// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace poisson {

enum class Solver { kCg, kMg };

struct Options {
  Solver solver = Solver::kMg;
  int px = 0;  ///< Ranks in x; px py is their number.
  int py = 0;
  int nx = 64;  ///< Cells of each rank in x.
  int ny = 64;
  double coefficient = 1;
  double tolerance = 1e-8;
  int max_iterations = 10'000;
  bool census = false;
  std::string json;   ///< A file, or empty.
  bool help = false;  ///< Only this is wanted then.
};

/// What --help prints.
const char* help_text();

const char* name_of(Solver solver);

/// what() is one line that names the option, what was found and what is expected.
class BadOptions : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// rank_count  how many the program was started with; they are divided as evenly as possible, more
///             of them in x, unless the arguments say how.
/// throws      BadOptions
Options parse_options(const std::vector<std::string>& arguments, int rank_count);

}  // namespace poisson
