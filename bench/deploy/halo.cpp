// SPDX-License-Identifier: BSD-3-Clause
//
// How long the shift of a halo exchange takes, by size, layout and number of rings at a time; or,
// with --probe, how this MPI sends messages of these sizes.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include <mpi.h>

#include "bench/deploy/clock.hpp"
#include "bench/deploy/machine.hpp"
#include "bench/deploy/messages.hpp"
#include "bench/deploy/options.hpp"
#include "bench/deploy/output.hpp"
#include "bench/deploy/probe.hpp"
#include "bench/deploy/program.hpp"

namespace deploy {
namespace {

constexpr double kTimerMultiple = 50;
constexpr int kTrials = 3;  // of a batch, before it is found long enough

/// What all ranks found together.
struct Sample {
  double duration_s;  ///< Of the slowest rank, for the whole batch.
  double late_s;      ///< Of the rank that began last, or none.
};

/// Shifts of one shape, along all rings at a time.
class Point {
 public:
  Point(const HaloOptions& options, const Shape& shape, double timer_s, const CommonClock& clock)
      : timer_s_(timer_s),
        slices_(shape, options.level_bytes),
        eviction_(options.inner_bytes),
        shift_(shape, neighbor(options, 1), neighbor(options, -1), MPI_COMM_WORLD),
        start_(clock) {
    batch_ = options.batch;
    if (batch_ == 0) find_batch();
    take();  // Whatever an MPI does when it is first asked.
  }

  Sample take() {
    prepare();
    const double late_s = start_.together();
    const double begin = now_s();
    const size_t count = slices_.count();
    for (int64_t i = 0; i < batch_; ++i) {
      const size_t slice = (next_ + static_cast<size_t>(i)) % count;
      shift_.run(slices_.send(slice), slices_.receive(slice));
    }
    double found[] = {now_s() - begin, late_s};
    MPI_Allreduce(MPI_IN_PLACE, found, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    next_ += static_cast<size_t>(batch_);
    start_.learn(is_late({found[0], found[1]}));
    return {found[0], found[1]};
  }

  /// Whether the sample is that of ranks that did not begin together.
  [[nodiscard]] bool is_late(const Sample& sample) const {
    return sample.late_s > std::max(4 * timer_s_, 0.05 * sample.duration_s);
  }

  [[nodiscard]] int64_t batch() const { return batch_; }

 private:
  static int neighbor(const HaloOptions& options, int distance) {
    const int rank = world_rank();
    const int place = (rank / options.lanes + distance + options.places) % options.places;
    return place * options.lanes + rank % options.lanes;
  }

  /// Nothing that the next sample reads or writes was used since the areas were filled.
  void prepare() {
    if (next_ + static_cast<size_t>(batch_) > slices_.count()) {
      slices_.fill();
      next_ = 0;
    }
    eviction_.run();
  }

  /// Doubles the batch until it takes long enough, or all slices.
  void find_batch() {
    batch_ = 1;
    const auto most = static_cast<int64_t>(slices_.count());
    for (;;) {
      double shortest_s = take().duration_s;
      for (int i = 1; i < kTrials; ++i) shortest_s = std::min(shortest_s, take().duration_s);
      if (shortest_s >= kTimerMultiple * timer_s_ || batch_ >= most) return;
      batch_ = std::min(2 * batch_, most);
    }
  }

  double timer_s_;
  Slices slices_;
  Eviction eviction_;
  Shift shift_;
  Start start_;
  int64_t batch_ = 1;
  size_t next_ = 0;  // slice
};

void measure(const HaloOptions& options, const Shape& shape, double timer_s, CommonClock& clock,
             Output& output) {
  clock.synchronise();
  Point point(options, shape, timer_s, clock);
  const auto least = static_cast<size_t>(options.common.least);
  const auto most = static_cast<size_t>(options.common.most);
  std::vector<double> samples;
  int64_t discarded = 0;
  int64_t late = 0;
  bool is_over = false;
  const double begin = now_s();
  while (samples.size() < most && !(is_over && samples.size() >= least)) {
    const Sample sample = point.take();
    const bool is_late = point.is_late(sample);
    // Better those than none, where ranks hardly ever begin together.
    if (is_late && !is_over) {
      ++discarded;
    } else {
      samples.push_back(sample.duration_s / static_cast<double>(point.batch()));
      if (is_late) ++late;
    }
    is_over = largest(now_s() - begin) >= options.common.seconds;
  }
  Line line;
  line.text("point", "halo").count("bytes", static_cast<int64_t>(shape.bytes));
  line.text("layout", name_of(shape.layout)).count("stride", static_cast<int64_t>(shape.stride));
  line.count("lanes", options.lanes).count("places", options.places).count("batch", point.batch());
  output.write(line.count("discarded", discarded).count("late", late).numbers("samples", samples));
}

std::vector<Shape> shapes_of(const HaloOptions& options) {
  std::vector<Shape> shapes;
  for (const size_t bytes : options.bytes) {
    for (const Layout layout : options.layouts) {
      shapes.push_back({layout, bytes, layout == Layout::kContiguous ? 1 : options.stride});
    }
  }
  return shapes;
}

void check_memory_of(const HaloOptions& options, const Shape& shape) {
  const double bytes =
      Slices::memory_bytes(shape, options.level_bytes) + static_cast<double>(options.inner_bytes);
  const std::string what =
      std::string(name_of(shape.layout)) + ", " + std::to_string(shape.bytes) + " bytes,";
  check_memory(bytes, what.c_str());
}

int run(const std::vector<std::string>& arguments) {
  const HaloOptions options = parse_halo(arguments, world_size());
  if (options.common.help) {
    if (world_rank() == 0) std::fputs(halo_help(), stdout);
    return 0;
  }
  const std::vector<Shape> shapes = shapes_of(options);
  for (const Shape& shape : shapes) check_memory_of(options, shape);
  bind_ranks(options.common.bind);
  Output output(options.common.output);
  const double timer_s = largest(timer_cost_s());
  output.begin("halo", timer_s);

  CommonClock clock;
  if (options.probe) {
    for (const size_t i : shuffled(options.bytes.size(), options.common.seed)) {
      clock.synchronise();
      probe(options, options.bytes[i], clock, output);
    }
  } else {
    for (const size_t i : shuffled(shapes.size(), options.common.seed)) {
      measure(options, shapes[i], timer_s, clock, output);
    }
  }
  output.end();
  return 0;
}

}  // namespace
}  // namespace deploy

int main(int argc, char** argv) { return deploy::main_of("bench-halo", argc, argv, deploy::run); }
