// SPDX-License-Identifier: BSD-3-Clause
//
// The heat equation on a box: explicit Euler in time, central differences in space, walls of fixed
// temperature, points divided among the ranks of a Cartesian communicator. A program to measure:
// it marks its time steps and has one region for each thing that it does in them.
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <mpi.h>

#include "examples/heat3d/exchange.hpp"
#include "examples/heat3d/grid.hpp"
#include "examples/heat3d/mesh.hpp"
#include "examples/heat3d/parameters.hpp"
#include "examples/heat3d/simulation.hpp"
#include "examples/heat3d/step_times.hpp"
#include "examples/heat3d/summary.hpp"
#include "examples/heat3d/viewer.hpp"
#include "pathline/pathline.h"

namespace heat3d {
namespace {

constexpr const char* kUsage =
    "usage: heat3d FILE.toml [--points XxYxZ] [--ranks XxYxZ] [--steps N] [--field FILE] [--mesh]\n"
    "              [--catalyst SCRIPT] [--compute real | flops]\n"
    "\n"
    "Computes the heat equation on a box; examples/heat3d/README.md explains FILE.toml.\n"
    "\n"
    "  --points, --ranks, --steps   instead of what FILE.toml says\n"
    "  --field FILE   write the last field as float64 values, x varying fastest\n"
    "  --mesh         hand the points over as a mesh, for pathline record --insitu geometry\n"
    "  --catalyst SCRIPT   hand the field over to ParaView; heat3d_catalyst only\n"
    "  --compute real | flops   flops: only where SimGrid simulates the machine, and there the\n"
    "                 default; the points are not computed, but charged\n"
    "  --help         print this\n"
    "\n"
    "  mpirun -n 4 heat3d heat.toml\n";

struct Options {
  std::string file;
  std::optional<std::string> field_file;
  std::optional<std::string> script;
  bool mesh = false;
  bool help = false;
  bool real = !kIsSimulated;  ///< The points are computed.
  std::string instead;        ///< TOML: keys in the place of the file's.
};

/// "points = [64, 32, 32]" of "64x32x32".
std::string list_of(const std::string& key, std::string sizes) {
  for (size_t at = 0; (at = sizes.find('x', at)) != std::string::npos;) sizes[at] = ',';
  return key + " = [" + sizes + "]\n";
}

std::optional<Options> parse_options(const std::vector<std::string>& arguments) {
  Options options;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == "--help") {
      options.help = true;
    } else if (arguments[i] == "--mesh") {
      options.mesh = true;
    } else if ((arguments[i] == "--points" || arguments[i] == "--ranks") &&
               i + 1 < arguments.size()) {
      const std::string key = arguments[i].substr(2);
      options.instead += list_of(key, arguments[++i]);
    } else if (arguments[i] == "--steps" && i + 1 < arguments.size()) {
      options.instead += "steps = " + arguments[++i] + "\n";
    } else if (arguments[i] == "--field" && i + 1 < arguments.size()) {
      options.field_file = arguments[++i];
    } else if (arguments[i] == "--catalyst" && i + 1 < arguments.size()) {
      options.script = arguments[++i];
    } else if (arguments[i] == "--compute" && i + 1 < arguments.size() &&
               (arguments[i + 1] == "real" || arguments[i + 1] == "flops")) {
      options.real = arguments[++i] == "real";
    } else if (options.file.empty() && !arguments[i].starts_with('-')) {
      options.file = arguments[i];
    } else {
      return std::nullopt;
    }
  }
  if (options.file.empty() && !options.help) return std::nullopt;
  return options;
}

/// error   set to what went wrong, or left empty.
std::string read_file(const std::string& name, std::string& error) {
  constexpr size_t kMost = 1 << 20;  // no file of a dozen keys, but perhaps /dev/zero
  std::string text(kMost + 1, '\0');
  std::FILE* file = std::fopen(name.c_str(), "rb");
  if (file != nullptr) text.resize(std::fread(text.data(), 1, text.size(), file));
  if (file == nullptr || std::ferror(file) != 0) {
    error = std::strerror(errno);
  } else if (text.size() > kMost) {
    error = "it is larger than 1 MiB, expected a parameter file";
  }
  if (file != nullptr) std::fclose(file);
  return text;
}

std::string broadcast(std::string text) {
  auto size = static_cast<int>(text.size());
  MPI_Bcast(&size, 1, MPI_INT, 0, MPI_COMM_WORLD);
  text.resize(static_cast<size_t>(size));
  MPI_Bcast(text.data(), size, MPI_CHAR, 0, MPI_COMM_WORLD);
  return text;
}

/// Rank 0 reads, so that a file it alone can see is enough and all ranks see the same.
Parameters read_parameters(const std::string& file, const std::string& instead, int rank) {
  std::string text;
  std::string error;
  if (rank == 0) text = read_file(file, error);
  error = broadcast(error);
  if (!error.empty()) throw BadParameters("cannot read " + file + ": " + error);
  int processes = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  return parse_parameters(broadcast(text), file, instead, processes);
}

/// What needs points, or a simulated machine, is not asked for without; nor is what SimGrid lacks,
/// which would abort.
void check_compute(const Options& options, const Parameters& parameters) {
  if (kIsSimulated && parameters.exchange == "neighbor") {
    throw BadParameters(
        "exchange is 'neighbor', but SimGrid has no MPI_Neighbor_alltoallw; "
        "expected one of isend, put, persistent");
  }
  if (options.real) return;
  if (!kIsSimulated) {
    throw BadParameters(
        "--compute is flops, which needs the program that SimGrid's smpicxx compiles");
  }
  const char* wanted = options.field_file ? "--field" : parameters.mesh ? "a mesh" : nullptr;
  if (wanted != nullptr) {
    throw BadParameters(std::string(wanted) + " needs the points: --compute real");
  }
}

struct Outcome {
  int64_t steps = 0;
  double time_s = 0;
  double seconds_per_step = 0;  ///< On rank 0.
  double change = 0;            ///< The largest of a point in the last step.
  bool converged = false;
  int field = 0;  ///< The one that holds the result.
};

Outcome solve(const Parameters& parameters, Grid& grid, Exchange& exchange, MPI_Comm cartesian,
              Viewer* viewer) {
  Triple<double> weight{};
  for (size_t i = 0; i < 3; ++i) {
    const double h = parameters.spacing_m[i];
    weight[i] = parameters.diffusivity_m2_per_s * parameters.dt_s / (h * h);
  }

  Outcome outcome;
  if (!grid.has_points()) outcome.change = std::numeric_limits<double>::infinity();
  StepTimes times(parameters.steps);
  MPI_Barrier(cartesian);
  const double begin_s = MPI_Wtime();
  times.begin(begin_s);
  while (outcome.steps < parameters.steps && !outcome.converged) {
    const double time_s = static_cast<double>(outcome.steps) * parameters.dt_s;
    pathline_step(outcome.steps + 1, time_s);
    {
      const pathline::Region region("exchange");
      exchange.fill_halo(outcome.field);
    }
    {
      const pathline::Region region("update");
      if (grid.has_points()) {
        outcome.change = grid.update(outcome.field, weight);
      } else {
        execute_flops(static_cast<double>(kUpdateFlopPerPoint * grid.point_count()));
      }
    }
    outcome.field = 1 - outcome.field;
    ++outcome.steps;
    if (parameters.tolerance > 0) {
      const pathline::Region region("convergence check");
      MPI_Allreduce(MPI_IN_PLACE, &outcome.change, 1, MPI_DOUBLE, MPI_MAX, cartesian);
      outcome.converged = outcome.change < parameters.tolerance;
    }
    // What the step has cost is known at its end.
    if (parameters.mesh) pathline_insitu_execute(outcome.steps, time_s);
    if (viewer != nullptr) viewer->show(outcome.steps, time_s, outcome.field);
    times.end_step(MPI_Wtime());
  }
  outcome.time_s = MPI_Wtime() - begin_s;
  MPI_Allreduce(MPI_IN_PLACE, &outcome.time_s, 1, MPI_DOUBLE, MPI_MAX, cartesian);
  MPI_Allreduce(MPI_IN_PLACE, &outcome.change, 1, MPI_DOUBLE, MPI_MAX, cartesian);
  outcome.seconds_per_step = times.seconds_per_step(cartesian);
  return outcome;
}

void print_costs(const Parameters& parameters, const Outcome& outcome, bool real) {
  const auto& [nx, ny, nz] = parameters.points;
  const auto& [px, py, pz] = parameters.ranks;
  std::printf("grid = %d x %d x %d\n", nx, ny, nz);
  std::printf("ranks = %d x %d x %d\n", px, py, pz);
  std::printf("exchange = %s\n", parameters.exchange.c_str());
  if (!real) std::printf("compute = flops\n");
  std::printf("steps = %" PRId64 "\n", outcome.steps);
  std::printf("time = %.6f s\n", outcome.time_s);
  std::printf("seconds per step = %.6E\n", outcome.seconds_per_step);
}

void print_result(const Outcome& outcome, const Summary& summary) {
  std::printf("largest change = %.9E\n", outcome.change);
  if (outcome.converged) std::printf("converged\n");
  std::printf("minimum = %.9E\n", summary.minimum);
  std::printf("centre = %.9E\n", summary.centre);
  std::printf("maximum = %.9E\n", summary.maximum);
  std::printf("checksum = %016" PRIX64 "\n", summary.checksum);
}

/// Everything between MPI_Init and MPI_Finalize. Returns the exit code, the same on all ranks.
int run(const Options& options, int rank) {
  Parameters parameters = read_parameters(options.file, options.instead, rank);
  parameters.mesh = parameters.mesh || options.mesh;
  check_compute(options, parameters);

  const Triple<int> periodic = {0, 0, 0};
  Triple<int> place{};
  MPI_Comm cartesian = MPI_COMM_NULL;
  MPI_Cart_create(MPI_COMM_WORLD, 3, parameters.ranks.data(), periodic.data(), 0, &cartesian);
  MPI_Cart_coords(cartesian, rank, 3, place.data());

  Grid grid(parameters, place, options.real ? Grid::Storage::kPoints : Grid::Storage::kMessages);
  std::optional<Mesh> mesh;
  if (parameters.mesh) mesh.emplace(parameters, grid);
  int status = 0;
  {
    const Sides sides(grid, cartesian);
    const auto exchange = make_exchange(parameters.exchange, grid, sides, cartesian);
    const auto viewer =
        options.script ? make_viewer(*options.script, parameters, grid, cartesian) : nullptr;
    const Outcome outcome = solve(parameters, grid, *exchange, cartesian, viewer.get());
    if (rank == 0) print_costs(parameters, outcome, options.real);
    if (grid.has_points()) {
      const Summary summary = summarize(grid, outcome.field, cartesian);
      if (rank == 0) print_result(outcome, summary);
    }
    if (options.field_file &&
        write_field(grid, outcome.field, *options.field_file, cartesian) != MPI_SUCCESS) {
      if (rank == 0) {
        std::fprintf(stderr, "heat3d: cannot write %s\n", options.field_file->c_str());
      }
      status = 2;
    }
  }
  MPI_Comm_free(&cartesian);
  return status;
}

int guarded_main(const std::vector<std::string>& arguments) {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const auto options = parse_options(arguments);
  if (!options || options->help) {
    if (rank == 0) std::fputs(kUsage, options ? stdout : stderr);
    return options ? 0 : 2;
  }
  try {
    return run(*options, rank);
  } catch (const BadParameters& error) {
    if (rank == 0) std::fprintf(stderr, "heat3d: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {  // no memory, perhaps on this rank alone
    std::fprintf(stderr, "heat3d: rank %d: %s\n", rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, 2);
    return 2;
  }
}

}  // namespace
}  // namespace heat3d

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = heat3d::guarded_main({argv + 1, argv + argc});
  MPI_Finalize();
  return status;
}
