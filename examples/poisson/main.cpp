// SPDX-License-Identifier: BSD-3-Clause
//
// Poisson's equation with a disc of another coefficient, by multigrid or conjugate gradients. A
// program to measure, whose parts grow in known ways with the number of ranks.
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <mpi.h>

#include "examples/poisson/census.hpp"
#include "examples/poisson/halo.hpp"
#include "examples/poisson/kernels.hpp"
#include "examples/poisson/options.hpp"
#include "examples/poisson/problem.hpp"
#include "examples/poisson/report.hpp"
#include "examples/poisson/solvers.hpp"
#include "examples/poisson/work.hpp"
#include "pathline/pathline.h"

namespace poisson {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using File = std::unique_ptr<std::FILE, CloseFile>;

/// On rank 0 the file of --json, before hours of work. All ranks hear if there can be none.
File open_json(const std::string& name, int rank) {
  File file;
  int error = 0;
  if (rank == 0) {
    file.reset(std::fopen(name.c_str(), "wb"));
    if (file == nullptr) error = errno;
  }
  MPI_Bcast(&error, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (error != 0) throw BadOptions("cannot write " + name + ": " + std::strerror(error));
  return file;
}

/// What can be said of a solution. Collective.
void judge(const Problem& problem, const RankGrid& ranks, Array& u, bool is_known, Report& report,
           Work& work) {
  const pathline::Region region("judge");
  const Operator& a = problem.a();
  const Array& b = problem.b();
  Array r = cell_values(a.nx(), a.ny());
  residual(a, Halo(ranks, a.nx(), a.ny()), b, u, r, work);
  std::array<double, 5> sums = {problem.flux_right(u), problem.flux_out(u)};
  for (int y = 0; y < a.ny(); ++y) {
    for (int x = 0; x < a.nx(); ++x) {
      sums[2] += b(x, y);
      sums[3] += b(x, y) * b(x, y);
      sums[4] += r(x, y) * r(x, y);
    }
  }
  MPI_Allreduce(MPI_IN_PLACE, sums.data(), static_cast<int>(sums.size()), MPI_DOUBLE, MPI_SUM,
                MPI_COMM_WORLD);
  report.flux = sums[0];
  report.outflow = sums[1];
  report.source = sums[2];
  report.true_residual = std::sqrt(sums[4] / sums[3]);
  std::array<double, 2> largest = {report.time_s, is_known ? problem.largest_error(u) : 0};
  MPI_Allreduce(MPI_IN_PLACE, largest.data(), static_cast<int>(largest.size()), MPI_DOUBLE, MPI_MAX,
                MPI_COMM_WORLD);
  report.time_s = largest[0];
  if (is_known) report.error = largest[1];
}

Report solve(const Options& options, int rank) {
  const RankGrid ranks = all_ranks(options.px, options.py, rank);
  const Problem problem(ranks, options.nx, options.ny, options.coefficient);
  const Limits limits = {.tolerance = options.tolerance, .iterations = options.max_iterations};
  Array u = cell_values(options.nx, options.ny);
  Work work;
  std::optional<Census> census;
  if (options.census) census.emplace(work);

  Report report;
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin_s = MPI_Wtime();
  const auto solver = options.solver == Solver::kCg ? cg_solve : mg_solve;
  report.outcome = solver(problem, ranks, limits, u, work, census ? &*census : nullptr);
  report.time_s = MPI_Wtime() - begin_s;
  if (census) report.census = census->largest_share();
  judge(problem, ranks, u, options.coefficient == 1, report, work);
  return report;
}

/// Everything between MPI_Init and MPI_Finalize. Returns the exit code of this rank.
int run(const Options& options, int rank) {
  const File json = options.json.empty() ? nullptr : open_json(options.json, rank);
  const Report report = solve(options, rank);
  int status = 0;
  if (!report.outcome.converged) {
    status = 1;
    if (rank == 0) {
      std::fprintf(stderr, "poisson: not converged after %d iterations: the residual is %.3e\n",
                   report.outcome.iterations, report.outcome.residual);
    }
  }
  if (rank == 0) print_text(options, report);
  if (json != nullptr && !print_json(json.get(), options, report)) {
    std::fprintf(stderr, "poisson: cannot write all of %s\n", options.json.c_str());
    status = 2;
  }
  return status;
}

int guarded_main(const std::vector<std::string>& arguments) {
  int rank = 0;
  int rank_count = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &rank_count);
  try {
    const Options options = parse_options(arguments, rank_count);
    if (options.help) {
      if (rank == 0) std::fputs(help_text(), stdout);
      return 0;
    }
    return run(options, rank);
  } catch (const BadOptions& error) {
    if (rank == 0) std::fprintf(stderr, "poisson: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {  // no memory, perhaps on this rank alone
    std::fprintf(stderr, "poisson: rank %d: %s\n", rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, 2);
    return 2;
  }
}

}  // namespace
}  // namespace poisson

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = poisson::guarded_main({argv + 1, argv + argc});
  MPI_Finalize();
  return status;
}
