// SPDX-License-Identifier: BSD-3-Clause
//
// How long the loops of bench/shallow take, by size of the grid of a rank, while all ranks do the
// same, each on a grid of its own.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <mpi.h>

#include "bench/deploy/machine.hpp"
#include "bench/deploy/options.hpp"
#include "bench/deploy/output.hpp"
#include "bench/deploy/program.hpp"
#include "bench/shallow/division.hpp"
#include "bench/shallow/fields.hpp"
#include "bench/shallow/kernels.hpp"
#include "bench/shallow/start.hpp"

namespace deploy {
namespace {

using shallow::Fields;
using shallow::Grid;
using shallow::Kernel;

constexpr double kTimerMultiple = 50;
constexpr int kTrials = 3;             // of a block, before it is found long enough
constexpr int64_t kStepsOfFlow = 256;  // Then it begins anew, so that it stays what it is.
constexpr int kFields = 13;
constexpr size_t kKernels = shallow::kKernelCosts.size();

constexpr Kernel kernel_of(size_t i) { return static_cast<Kernel>(i); }

/// The flow on a grid without ends that is this rank's alone.
class Flow {
 public:
  explicit Flow(Size size)
      : division_(shallow::divide(size.m, size.n, 1, 1, 0)), fields_(division_.own) {
    restart();
  }

  void restart() {
    shallow::set_start(division_, shallow::Start::kPerturbed, fields_);
    is_first_ = true;
  }

  /// The first step goes forward from what is there, as in the application.
  void run(Kernel kernel) {
    using namespace shallow;
    switch (kernel) {
      case Kernel::kPhase1: phase1(kDxM, kDyM, fields_); break;
      case Kernel::kPhase2: phase2(is_first_ ? kDtS : 2 * kDtS, kDxM, kDyM, fields_); break;
      case Kernel::kFilter: filter(is_first_ ? 0 : kAlpha, fields_); break;
      case Kernel::kCopies: copies(fields_); break;
    }
  }

  /// What has to be done after a block before the next one.
  void finish(Kernel kernel) {
    if (kernel == Kernel::kPhase1) {
      for (double* field : {fields_.cu, fields_.cv, fields_.z, fields_.h}) fill_halo(field);
    } else if (kernel == Kernel::kPhase2) {
      for (double* field : {fields_.unew, fields_.vnew, fields_.pnew}) fill_halo(field);
    } else if (kernel == Kernel::kCopies) {
      is_first_ = false;
    }
  }

  /// Empty, or what is wrong with a value: arithmetic with it would take another time.
  [[nodiscard]] std::string fault() const {
    const Fields& f = fields_;
    for (const double* field :
         {f.u, f.v, f.p, f.unew, f.vnew, f.pnew, f.uold, f.vold, f.pold, f.cu, f.cv, f.z, f.h}) {
      for (size_t k = 0; k < f.grid.size(); ++k) {
        if (!std::isfinite(field[k])) return "a value that is not finite";
        if (std::fpclassify(field[k]) == FP_SUBNORMAL) return "a subnormal value";
      }
    }
    return "";
  }

 private:
  void fill_halo(double* field) const {
    const Grid& grid = fields_.grid;
    for (int j = 0; j < grid.n; ++j) {
      field[grid.index(-1, j)] = field[grid.index(grid.m - 1, j)];
      field[grid.index(grid.m, j)] = field[grid.index(0, j)];
    }
    std::copy_n(field + grid.index(-1, grid.n - 1), grid.stride(), field + grid.index(-1, -1));
    std::copy_n(field + grid.index(-1, 0), grid.stride(), field + grid.index(-1, grid.n));
  }

  shallow::Division division_;
  Fields fields_;
  bool is_first_ = true;
};

/// One size, on all ranks.
class Measurement {
 public:
  Measurement(const ComputeOptions& options, Size size, double timer_s)
      : options_(options), size_(size), timer_s_(timer_s) {
    repeat_.fill(1);
    if (kIsSimulated) return;
    flow_.emplace(size);
    warm_up();
    find_repeats();
    flow_->restart();
  }

  void run() {
    const double begin = now_s();
    for (int64_t step = 0; goes_on(step, begin); ++step) {
      if (step % kStepsOfFlow == 0) {
        if (flow_ && step > 0) flow_->restart();
        warm_up();
      }
      for (size_t i = 0; i < kKernels; ++i) {
        MPI_Barrier(MPI_COMM_WORLD);
        samples_[i].push_back(timed_s(kernel_of(i), repeat_[i]) / static_cast<double>(repeat_[i]));
        if (flow_) flow_->finish(kernel_of(i));
      }
    }
    const std::string fault = flow_ ? flow_->fault() : "";
    refuse_if_any(fault.empty() ? ""
                                : std::to_string(size_.m) + "x" + std::to_string(size_.n) +
                                      " came to " + fault + ", expected normal numbers only");
  }

  void write(Output& output) const {
    for (size_t i = 0; i < kKernels; ++i) {
      const std::vector<double>& own = samples_[i];
      const auto count = static_cast<int>(own.size());
      std::vector<double> all(world_rank() == 0 ? own.size() * static_cast<size_t>(world_size())
                                                : 0);
      MPI_Gather(own.data(), count, MPI_DOUBLE, all.data(), count, MPI_DOUBLE, 0, MPI_COMM_WORLD);
      Line line;
      line.text("point", "compute").text("kernel", shallow::cost_of(kernel_of(i)).name);
      line.count("m", size_.m).count("n", size_.n).count("bytes", working_set_bytes(size_));
      line.count("ranks", world_size()).count("repeat", repeat_[i]);
      output.write(line.rows("samples", all, own.size()));
    }
  }

  static int64_t working_set_bytes(Size size) {
    return kFields * int64_t{sizeof(double)} * (int64_t{size.m} + 2) * (int64_t{size.n} + 2);
  }

 private:
  /// The same on all ranks.
  [[nodiscard]] bool goes_on(int64_t step, double begin_s) const {
    int answer =
        step < options_.common.least || now_s() - begin_s < options_.common.seconds ? 1 : 0;
    MPI_Bcast(&answer, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return answer != 0 && step < options_.common.most;
  }

  double timed_s(Kernel kernel, int64_t repeat) {
    const double begin = now_s();
    if (flow_) {
      for (int64_t i = 0; i < repeat; ++i) flow_->run(kernel);
    } else {
      execute_flops(static_cast<double>(shallow::cost_of(kernel).flop_per_cell) * size_.m *
                    size_.n);
    }
    return now_s() - begin;
  }

  void warm_up() {
    for (int64_t step = 0; flow_ && step < options_.warmup; ++step) {
      for (size_t i = 0; i < kKernels; ++i) {
        flow_->run(kernel_of(i));
        flow_->finish(kernel_of(i));
      }
    }
  }

  /// Doubles the number until the block takes long enough, on the rank that needs most.
  void find_repeats() {
    for (size_t i = 0; i < kKernels; ++i) {
      int64_t repeat = 1;
      for (;;) {
        double shortest_s = std::numeric_limits<double>::infinity();
        for (int trial = 0; trial < kTrials; ++trial) {
          shortest_s = std::min(shortest_s, timed_s(kernel_of(i), repeat));
        }
        if (shortest_s >= kTimerMultiple * timer_s_) break;
        repeat *= 2;
      }
      MPI_Allreduce(&repeat, &repeat_[i], 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
      flow_->finish(kernel_of(i));
    }
  }

  const ComputeOptions& options_;
  Size size_;
  double timer_s_;
  std::optional<Flow> flow_;  // none where the machine is simulated
  std::array<int64_t, kKernels> repeat_;
  std::array<std::vector<double>, kKernels> samples_;
};

int run(const std::vector<std::string>& arguments) {
  const ComputeOptions options = parse_compute(arguments, world_size());
  if (options.common.help) {
    if (world_rank() == 0) std::fputs(compute_help(), stdout);
    return 0;
  }
  for (const Size size : options.sizes) {
    const std::string what = std::to_string(size.m) + "x" + std::to_string(size.n);
    check_memory(static_cast<double>(Measurement::working_set_bytes(size)), what.c_str());
  }
  bind_ranks(options.common.bind);
  Output output(options.common.output);
  const double timer_s = largest(timer_cost_s());
  output.begin("compute", timer_s);
  for (const size_t i : shuffled(options.sizes.size(), options.common.seed)) {
    Measurement measurement(options, options.sizes[i], timer_s);
    measurement.run();
    measurement.write(output);
  }
  output.end();
  return 0;
}

}  // namespace
}  // namespace deploy

int main(int argc, char** argv) {
  return deploy::main_of("bench-compute", argc, argv, deploy::run);
}
