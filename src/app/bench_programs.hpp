// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"

namespace pathline::app {

/// The folder of bench-compute and bench-halo that go with the MPI of a launcher: those of Open MPI
/// for its mpirun, of MPICH for Hydra's, and simulated ones for smpirun. They are beside this
/// program: in ../libexec/pathline of an installed one, in ../apps of a build folder. Where the
/// launcher does not tell its MPI (srun), the only one there is.
///
/// errors  kNotFound when there are none, or several that could be meant; it says where they were
///         looked for.
base::Result<std::filesystem::path> find_bench_programs(const std::vector<std::string>& launcher);

/// SimGrid's smpirun for a platform, with {n} and {hostfile}: computation takes the time of the
/// operations it is charged, at 4 Gflop/s; messages take latencies and bandwidths of the platform
/// as they stand, without SimGrid's factors for a cluster of its authors; clocks are free.
std::vector<std::string> simgrid_launcher(const std::filesystem::path& platform);

/// The line of what a job said on standard error that tells why it failed: that of `program`, which
/// begins with its name; else the first one of the box that mpirun draws around its words; else the
/// last one. "it said nothing" where there is none.
std::string telling_line(std::string_view said, std::string_view program);

/// The words of a command that stands in one text: divided by blanks, where no quotes are.
std::vector<std::string> words_of(std::string_view command);

}  // namespace pathline::app
