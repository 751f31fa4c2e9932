// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <queue>

#include "bench/synth/shapes.hpp"

namespace pathline::synth {
namespace {

constexpr uint64_t kTileBytes = 128 * 128 * 3;
constexpr double kShadeShare = 0.3;

class Tachyon {
 public:
  Tachyon(Simulation& simulation, const Options& options)
      : simulation_(simulation),
        tile_count_(options.message_count),
        worker_count_(options.rank_count - 1),
        run_ns_(options.seconds * 1e9),
        write_ns_(std::min(20e6, 0.15 * run_ns_ / static_cast<double>(tile_count_))),
        costs_(tile_count_) {
    for (uint64_t tile = 0; tile < tile_count_; ++tile) costs_[tile] = cost(tile);
  }

  void run() {
    simulation_.start(main_, std::min(2e9, 0.005 * run_ns_));
    simulation_.call(0, read_scene_, 0.004 * run_ns_);
    simulation_.bcast(0, 48 << 20U);
    const double rendering_ns = run_ns_ - static_cast<double>(simulation_.latest_ns() - kStartNs);
    double mean_cost = 0;
    for (const double cost : costs_) mean_cost += cost / worker_count_;
    double unit_ns = rendering_ns / mean_cost;
    // Not exact: the time that workers wait for rank 0 does not grow with their work.
    for (int round = 0; round < 8; ++round) {
      const double took_ns = static_cast<double>(render(unit_ns, false));
      unit_ns = std::max(1.0, unit_ns * rendering_ns / took_ns);
    }
    simulation_.enter_all(trace_image_);
    render(unit_ns, true);
    simulation_.leave_all(trace_image_);
    simulation_.barrier();
    simulation_.stop(main_);
  }

 private:
  struct Ready {
    uint64_t ns;
    uint32_t worker;
    uint64_t tile;
    friend bool operator>(const Ready& a, const Ready& b) {
      return a.ns != b.ns ? a.ns > b.ns : a.worker > b.worker;
    }
  };

  /// Cost of a tile: cheap sky, a horizon, and mirror balls in which rays bounce.
  [[nodiscard]] double cost(uint64_t tile) const {
    const auto columns =
        static_cast<uint64_t>(std::sqrt(static_cast<double>(tile_count_) * 1.6)) + 1;
    const double x = static_cast<double>(tile % columns) / static_cast<double>(columns);
    const double y =
        static_cast<double>(tile * columns / tile_count_) / static_cast<double>(columns);
    double sum = static_cast<double>(tile) / static_cast<double>(tile_count_) < 0.35 ? 0.3 : 1.0;
    for (uint64_t ball = 0; ball < 12; ++ball) {
      const double dx = x - simulation_.random().unit(ball, 5);
      const double dy = y - simulation_.random().unit(ball, 6);
      const double radius = 0.03 + 0.08 * simulation_.random().unit(ball, 7);
      if (dx * dx + dy * dy < radius * radius) sum += 2.5;
    }
    return sum * (0.6 + 0.8 * simulation_.random().unit(tile, 8));
  }

  /// Renders with `unit_ns` of work per cost. Without `record` it only finds out how long it takes.
  uint64_t render(double unit_ns, bool record) {
    std::priority_queue<Ready, std::vector<Ready>, std::greater<>> ready;
    uint64_t writer_ns = simulation_.now_ns(0);
    const uint64_t start_ns = simulation_.latest_ns();
    const auto begin_tile = [&](uint32_t worker, uint64_t tile, uint64_t now_ns) {
      const double work_ns = std::max(1000.0, unit_ns * costs_[tile]);
      if (record) compute(worker, work_ns);
      ready.push({record ? simulation_.now_ns(worker) : now_ns + static_cast<uint64_t>(work_ns),
                  worker, tile});
    };
    for (uint32_t worker = 1; worker <= worker_count_ && worker <= tile_count_; ++worker) {
      begin_tile(worker, worker - 1, simulation_.now_ns(worker));
    }
    uint64_t last_ns = start_ns;
    while (!ready.empty()) {
      const Ready next = ready.top();
      ready.pop();
      uint64_t sent_ns = 0;
      if (record) {
        simulation_.send(next.worker, 0, 7, kTileBytes);
        sent_ns = simulation_.now_ns(next.worker);
        simulation_.call(0, write_tile_, write_ns_);
      } else {
        sent_ns = std::max(writer_ns, next.ns) +
                  static_cast<uint64_t>(simulation_.transfer_ns(next.worker, 0, kTileBytes)) + 300;
        writer_ns = sent_ns + static_cast<uint64_t>(write_ns_);
        last_ns = writer_ns;
      }
      const uint64_t tile = next.tile + worker_count_;
      if (tile < tile_count_) begin_tile(next.worker, tile, sent_ns);
    }
    return last_ns - start_ns;
  }

  void compute(uint32_t worker, double ns) {
    simulation_.enter(worker, render_tile_);
    simulation_.call(worker, trace_rays_, (1 - kShadeShare) * ns);
    simulation_.call(worker, shade_, kShadeShare * ns);
    simulation_.leave(worker, render_tile_);
  }

  Simulation& simulation_;
  const uint64_t tile_count_;
  const uint32_t worker_count_;
  const double run_ns_;
  const double write_ns_;
  std::vector<double> costs_;

  const trace::Region main_ = simulation_.region("main", "demosrc/main.c", 58);
  const trace::Region read_scene_ = simulation_.region("read_scene", "src/parse.c", 210);
  const trace::Region trace_image_ = simulation_.region("trace_image", "src/trace.c", 90);
  const trace::Region render_tile_ = simulation_.region("render_tile", "src/trace.c", 164);
  const trace::Region trace_rays_ = simulation_.region("trace_rays", "src/grid.c", 402);
  const trace::Region shade_ = simulation_.region("shade", "src/shade.c", 77);
  const trace::Region write_tile_ = simulation_.region("write_tile", "src/imageio.c", 133);
};

}  // namespace

void run_tachyon(Simulation& simulation, const Options& options) {
  Tachyon(simulation, options).run();
}

}  // namespace pathline::synth
