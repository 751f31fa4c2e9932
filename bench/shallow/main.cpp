// SPDX-License-Identifier: BSD-3-Clause
//
// Shallow water on a grid without ends (Sadourny 1975), divided among ranks in two directions: an
// application whose time on a machine is to be predicted from benchmarks of its blocks. It marks
// its time steps and has one region for each block, and takes the time of each block as well.
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include <mpi.h>

#include "bench/shallow/checks.hpp"
#include "bench/shallow/division.hpp"
#include "bench/shallow/exchange.hpp"
#include "bench/shallow/fields.hpp"
#include "bench/shallow/kernels.hpp"
#include "bench/shallow/options.hpp"
#include "bench/shallow/report.hpp"
#include "bench/shallow/simulation.hpp"
#include "bench/shallow/start.hpp"
#include "bench/shallow/timers.hpp"
#include "pathline/pathline.h"

namespace shallow {
namespace {

/// The flow on one rank, or, where the machine is simulated, only what it costs: then there are no
/// fields, but messages as many and as long.
class Flow {
 public:
  Flow(const Options& options, const Division& division, MPI_Comm communicator)
      : division_(division),
        communicator_(communicator),
        exchange_(division,
                  options.compute == Compute::kReal ? Exchange::Storage::kFields
                                                    : Exchange::Storage::kHaloOnly,
                  communicator) {
    if (options.compute == Compute::kReal) {
      fields_.emplace(division.own);
      set_start(division, options.start, *fields_);
    } else {
      halo_.resize(exchange_.buffer_size());
    }
  }

  void run(Kernel kernel) {
    if (!fields_) {
      const Grid& grid = division_.own;
      execute_flops(static_cast<double>(cost_of(kernel).flop_per_cell) * grid.m * grid.n);
      return;
    }
    // In the first step the old values are those of now: one time step forward, and nothing to
    // filter.
    const bool is_first = steps_ == 0;
    switch (kernel) {
      case Kernel::kPhase1: phase1(kDxM, kDyM, *fields_); break;
      case Kernel::kPhase2: phase2(is_first ? kDtS : 2 * kDtS, kDxM, kDyM, *fields_); break;
      case Kernel::kFilter: filter(is_first ? 0 : kAlpha, *fields_); break;
      case Kernel::kCopies:
        copies(*fields_);
        ++steps_;
        break;
    }
  }

  void exchange_fluxes() {
    fill_halo(&Fields::cu, Position::kWestFace);
    fill_halo(&Fields::cv, Position::kSouthFace);
    fill_halo(&Fields::z, Position::kCorner);
    fill_halo(&Fields::h, Position::kCentre);
  }

  void exchange_new() {
    fill_halo(&Fields::unew, Position::kWestFace);
    fill_halo(&Fields::vnew, Position::kSouthFace);
    fill_halo(&Fields::pnew, Position::kCentre);
  }

  [[nodiscard]] bool has_fields() const { return fields_.has_value(); }

  [[nodiscard]] Invariants conserved() const {
    return invariants(*fields_, kDxM, kDyM, communicator_);
  }

  [[nodiscard]] uint64_t bits() const { return checksum(division_, *fields_, communicator_); }

 private:
  void fill_halo(double* Fields::*field, Position position) {
    exchange_.fill_halo(fields_ ? *fields_.*field : halo_.data(), position);
  }

  const Division& division_;
  MPI_Comm communicator_;
  Exchange exchange_;
  std::optional<Fields> fields_;
  std::vector<double> halo_;
  int64_t steps_ = 0;
};

/// One time step. times  gets what it cost, unless it is null.
void step(Flow& flow, StepTimes* times) {
  const auto timed = [times](Block block, auto&& work) {
    {
      const pathline::Region region(kBlockNames[static_cast<size_t>(block)]);
      work();
    }
    if (times != nullptr) times->end_block(block, MPI_Wtime());
  };
  if (times != nullptr) times->begin_blocks(MPI_Wtime());
  timed(Block::kPhase1, [&] { flow.run(Kernel::kPhase1); });
  timed(Block::kExchange1, [&] { flow.exchange_fluxes(); });
  timed(Block::kPhase2, [&] { flow.run(Kernel::kPhase2); });
  timed(Block::kExchange2, [&] { flow.exchange_new(); });
  timed(Block::kFilter, [&] { flow.run(Kernel::kFilter); });
  timed(Block::kCopies, [&] { flow.run(Kernel::kCopies); });
  if (times != nullptr) times->end_step();
}

void solve(const Options& options, Flow& flow, StepTimes& times, MPI_Comm communicator) {
  const int64_t count = int64_t{options.warmup} + options.steps;
  for (int64_t i = 0; i < count; ++i) {
    if (i == options.warmup) {
      MPI_Barrier(communicator);
      times.begin_loop(MPI_Wtime());
    }
    pathline_step(i + 1, static_cast<double>(i) * kDtS);
    step(flow, i < options.warmup ? nullptr : &times);
  }
}

void print_setup(const Options& options) {
  std::printf("grid = %d x %d\n", options.whole_m, options.whole_n);
  std::printf("ranks = %d x %d\n", options.px, options.py);
  std::printf("start = %s\n", name_of(options.start));
  std::printf("compute = %s\n", name_of(options.compute));
  std::printf("steps = %d\n", options.steps);
  std::printf("warmup = %d\n", options.warmup);
}

void print_check(const char* name, double begin, double end) {
  std::printf("%s at start = %.16E\n", name, begin);
  std::printf("%s at end = %.16E\n", name, end);
  // A grid of one cell has no vorticity.
  std::printf("%s drift = %.3E\n", name, begin == 0 ? end : (end - begin) / begin);
}

void print_checks(const Invariants& begin, const Invariants& end, uint64_t bits) {
  print_check("mass", begin.mass, end.mass);
  print_check("energy", begin.energy, end.energy);
  print_check("potential enstrophy", begin.potential_enstrophy, end.potential_enstrophy);
  std::printf("checksum = %016" PRIX64 "\n", bits);
}

/// Rank 0 opens the file before anything is computed. Throws BadOptions on all ranks if it cannot.
std::FILE* open_samples(const std::string& name, int rank, MPI_Comm communicator) {
  std::FILE* file = nullptr;
  int error = 0;
  if (rank == 0) {
    file = std::fopen(name.c_str(), "w");
    if (file == nullptr) error = errno;
  }
  MPI_Bcast(&error, 1, MPI_INT, 0, communicator);
  if (error != 0) throw BadOptions("cannot write " + name + ": " + std::strerror(error));
  return file;
}

/// Everything between MPI_Init and MPI_Finalize. Returns the exit code of this rank.
int run(const Options& options, int rank) {
  MPI_Comm communicator = MPI_COMM_WORLD;
  std::FILE* file =
      options.samples.empty() ? nullptr : open_samples(options.samples, rank, communicator);
  const Division division = divide(options.whole_m, options.whole_n, options.px, options.py, rank);
  StepTimes times(static_cast<size_t>(options.steps));
  Flow flow(options, division, communicator);

  const Invariants begin = flow.has_fields() ? flow.conserved() : Invariants{};
  solve(options, flow, times, communicator);
  const TimeSummary summary = summarize(times, communicator);
  if (rank == 0) {
    print_setup(options);
    print(summary);
  }
  if (flow.has_fields()) {
    const Invariants end = flow.conserved();
    const uint64_t bits = flow.bits();
    if (rank == 0) print_checks(begin, end, bits);
  }
  if (!options.samples.empty() &&
      !write_samples(file, options, division, summary, times, communicator)) {
    std::fprintf(stderr, "shallow: cannot write all of %s\n", options.samples.c_str());
    return 2;
  }
  return 0;
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
    if (rank == 0) std::fprintf(stderr, "shallow: %s\n", error.what());
    return 2;
  } catch (const std::exception& error) {  // no memory, perhaps on this rank alone
    std::fprintf(stderr, "shallow: rank %d: %s\n", rank, error.what());
    MPI_Abort(MPI_COMM_WORLD, 2);
    return 2;
  }
}

}  // namespace
}  // namespace shallow

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = shallow::guarded_main({argv + 1, argv + argc});
  MPI_Finalize();
  return status;
}
