// SPDX-License-Identifier: BSD-3-Clause
#include "exchange/job.hpp"

#include <optional>

#include <fmt/format.h>

#include "base/parse.hpp"

namespace pathline::exchange {

base::Result<Job> find_job(const base::Environment& environment, std::string_view mpi) {
  const auto number = [&](const char* name) -> std::optional<unsigned> {
    const auto found = environment.find(name);
    if (found == environment.end()) return std::nullopt;
    return base::number_in<unsigned>(found->second);
  };
  if (mpi != "auto" && mpi != "none" && mpi != "openmpi" && mpi != "mpich") {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       fmt::format("--mpi {}: expected auto, openmpi, mpich or none", mpi)};
  }
  if (mpi == "none") return Job{};
  Job job;
  // Inside a step of Slurm either MPI may stand behind the same variables.
  const bool in_slurm = number("SLURM_PROCID").has_value();
  const auto take = [&](const char* rank, const char* size, std::vector<std::string> mpis) {
    if (job.size > 1 || !number(rank) || number(size).value_or(1) < 2) return;
    job.rank = *number(rank);
    job.size = *number(size);
    job.mpis = std::move(mpis);
  };
  take("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", {"openmpi"});
  if (in_slurm) {
    take("PMI_RANK", "PMI_SIZE", {"mpich", "openmpi"});
    take("PMIX_RANK", "SLURM_STEP_NUM_TASKS", {"openmpi", "mpich"});
  } else {
    take("PMI_RANK", "PMI_SIZE", {"mpich"});
  }
  if (job.size == 1) {
    const bool is_started = in_slurm || number("OMPI_COMM_WORLD_SIZE") || number("PMI_SIZE");
    if (mpi == "auto" || is_started) return job;
    return base::Error{
        base::ErrorCode::kInvalidArgument,
        fmt::format("--mpi {}: no mpirun or srun has started this process, as far as its "
                    "environment tells",
                    mpi),
        "Without --mpi it works alone; 'mpirun -n 4 pathline reduce ...' starts four."};
  }
  for (const auto& [rank, size] :
       {std::pair{"OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"},
        std::pair{"MPI_LOCALRANKID", "MPI_LOCALNRANKS"}}) {
    if (!number(rank) || number(size).value_or(0) == 0) continue;
    job.local_rank = *number(rank);
    job.local_size = *number(size);
    break;
  }
  if (mpi != "auto") job.mpis = {std::string(mpi)};
  return job;
}

}  // namespace pathline::exchange
