// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/child_process.hpp"
#include "base/result.hpp"

namespace pathline::exchange {

/// The processes that a launcher started together, of which this is one.
struct Job {
  unsigned size = 1;
  unsigned rank = 0;
  /// Of those on the same machine, as far as the launcher tells.
  unsigned local_size = 1;
  unsigned local_rank = 0;
  /// "openmpi", "mpich": the MPIs that may have started it, the likeliest first. Empty: none.
  std::vector<std::string> mpis;
};

/// What the environment says: of Open MPI's mpirun, of Hydra's (MPICH), of srun with PMI.
///
/// mpi     "auto"; "openmpi" or "mpich" where the environment leaves that open; "none" for a job of
///         this process alone.
/// errors  kInvalidArgument for another word.
base::Result<Job> find_job(const base::Environment& environment, std::string_view mpi);

}  // namespace pathline::exchange
