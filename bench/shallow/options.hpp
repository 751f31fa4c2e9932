// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "bench/shallow/start.hpp"

namespace shallow {

enum class Compute {
  kReal,   ///< The kernels.
  kFlops,  ///< In their place as many floating point operations of a simulated machine.
};

struct Options {
  int whole_m = 256;  ///< Cells of all ranks in x.
  int whole_n = 256;
  int px = 0;  ///< Ranks in x; px py is their number.
  int py = 0;
  int steps = 100;  ///< That are timed.
  int warmup = 2;   ///< Steps before these.
  Start start = Start::kSteady;
  Compute compute = Compute::kReal;
  std::string samples;  ///< A file, or empty.
  bool help = false;    ///< Only this is wanted then.
};

/// What --help prints.
const char* help_text();

const char* name_of(Start start);
const char* name_of(Compute compute);

/// what() is one line that names the option, what was found and what is expected.
class BadOptions : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// rank_count  how many the program was started with; they are divided as evenly as possible, more
/// of
///             them in x, unless the arguments say how.
/// throws      BadOptions
Options parse_options(const std::vector<std::string>& arguments, int rank_count);

}  // namespace shallow
