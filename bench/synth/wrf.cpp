// SPDX-License-Identifier: BSD-3-Clause
#include <array>
#include <cmath>

#include "bench/synth/pace.hpp"
#include "bench/synth/shapes.hpp"

namespace pathline::synth {
namespace {

constexpr uint64_t kExchangesPerStep = 3;
constexpr uint64_t kStepsPerRadiation = 30;
constexpr uint64_t kStepsPerHistory = 180;
constexpr double kRadiationWeight = 0.9, kHistoryWeight = 0.6;

double step_weight(uint64_t step) {
  return 1.0 + (step % kStepsPerRadiation == 0 ? kRadiationWeight : 0) +
         (step % kStepsPerHistory == kStepsPerHistory - 1 ? kHistoryWeight : 0);
}

class Wrf {
 public:
  Wrf(Simulation& simulation, const Options& options)
      : simulation_(simulation), options_(options), rank_count_(options.rank_count) {
    columns_ = rank_count_;
    for (uint32_t rows = 1; rows * rows <= rank_count_; ++rows) {
      if (rank_count_ % rows == 0) columns_ = rank_count_ / rows;
    }
    for (uint32_t i = 0; i < kExchangesPerStep; ++i) halos_.push_back(halo(i));
  }

  void run() {
    const uint64_t exchange_count =
        std::max<uint64_t>(1, (options_.message_count + halos_[0].size() / 2) / halos_[0].size());
    const uint64_t step_count = (exchange_count + kExchangesPerStep - 1) / kExchangesPerStep;
    double remaining_weight = 0;
    for (uint64_t step = 0; step < step_count; ++step) remaining_weight += step_weight(step);

    simulation_.start(main_, std::min(0.7, 0.01 * options_.seconds) * 1e9);
    simulation_.bcast(0, 8192);  // namelist
    simulation_.enter_all(wrf_run_);
    Pace pace(kStartNs + static_cast<uint64_t>(options_.seconds * 1e9));
    for (uint64_t step = 0; step < step_count; ++step) {
      progress_ = static_cast<double>(step) / static_cast<double>(step_count);
      unit_ns_ = pace.step_ns(simulation_.latest_ns(), step_weight(step), remaining_weight);
      run_step(step, std::min(kExchangesPerStep, exchange_count - step * kExchangesPerStep));
      remaining_weight -= step_weight(step);
    }
    simulation_.leave_all(wrf_run_);
    simulation_.stop(main_);
  }

 private:
  /// Messages to the neighbours in the four directions.
  Pattern halo(uint32_t number) const {
    const uint32_t rows = rank_count_ / columns_;
    const uint64_t levels = 40;
    const uint64_t fields[kExchangesPerStep] = {4, 2, 7};
    // 320 x 320 points, three rows of halo, single precision.
    const uint64_t east_bytes = (320 / rows + 1) * levels * fields[number] * 3 * sizeof(float);
    const uint64_t north_bytes = (320 / columns_ + 1) * levels * fields[number] * 3 * sizeof(float);
    std::vector<Edge> edges;
    const auto both_ways = [&](uint32_t a, uint32_t b, uint64_t bytes) {
      edges.push_back({a, b, 100 + number, bytes});
      edges.push_back({b, a, 100 + number, bytes});
    };
    for (uint32_t rank = 0; rank < rank_count_; ++rank) {
      if (rank % columns_ + 1 < columns_) both_ways(rank, rank + 1, east_bytes);
      if (rank + columns_ < rank_count_) both_ways(rank, rank + columns_, north_bytes);
    }
    return {rank_count_, std::move(edges)};
  }

  /// How much more work a storm makes for a rank; it crosses the domain from south-west.
  double storm(uint32_t rank) const {
    const double x = (rank % columns_ + 0.5) / columns_;
    const double y = (rank / columns_ + 0.5) / (rank_count_ / columns_);
    const double dx = x - (-0.1 + 1.2 * progress_);
    const double dy = y - (0.2 + 0.5 * progress_);
    return std::exp(-(dx * dx + dy * dy) / 0.06);
  }

  void compute_all(trace::Region region, uint64_t step, double weight) {
    for (uint32_t rank = 0; rank < rank_count_; ++rank) {
      const double land = 0.97 + 0.06 * simulation_.random().unit(rank, 3);
      const double noise = 0.99 + 0.02 * simulation_.random().unit(rank, step, 4 + region);
      double local = 1;
      if (region == microphysics_) local = 0.8 + 0.9 * storm(rank);
      if (region == radiation_) local = 0.8 + 0.4 * (rank % columns_ + 0.5) / columns_;  // daylight
      simulation_.call(rank, region, unit_ns_ * weight * land * noise * local);
    }
  }

  void exchange(uint32_t number, uint64_t exchange_count) {
    if (number >= exchange_count) return;
    simulation_.enter_all(halo_regions_[number]);
    for (uint32_t rank = 0; rank < rank_count_; ++rank) simulation_.advance(rank, 9000);  // pack
    simulation_.exchange(halos_[number]);
    for (uint32_t rank = 0; rank < rank_count_; ++rank) simulation_.advance(rank, 8000);  // unpack
    simulation_.leave_all(halo_regions_[number]);
  }

  void run_step(uint64_t step, uint64_t exchange_count) {
    simulation_.enter_all(time_step_);
    for (uint32_t rank = 0; rank < rank_count_; ++rank) simulation_.step_parameter(rank, step);
    simulation_.enter_all(solve_em_);
    if (step % kStepsPerRadiation == 0) compute_all(radiation_, step, kRadiationWeight);
    exchange(0, exchange_count);
    compute_all(rk_tendency_, step, 0.25);
    compute_all(advance_uv_, step, 0.20);
    exchange(1, exchange_count);
    compute_all(advance_w_, step, 0.15);
    compute_all(scalar_tend_, step, 0.15);
    compute_all(microphysics_, step, 0.25);
    exchange(2, exchange_count);
    simulation_.leave_all(solve_em_);
    simulation_.allreduce(8);  // largest Courant number
    if (step % kStepsPerHistory == kStepsPerHistory - 1) {
      simulation_.call(0, write_history_, unit_ns_ * kHistoryWeight);
      simulation_.bcast(0, 1024);  // time of the next output
    }
    simulation_.leave_all(time_step_);
  }

  Simulation& simulation_;
  const Options& options_;
  const uint32_t rank_count_;
  uint32_t columns_ = 1;
  std::vector<Pattern> halos_;
  double unit_ns_ = 0;
  double progress_ = 0;

  const trace::Region main_ = simulation_.region("main", "main/wrf.F", 4);
  const trace::Region wrf_run_ = simulation_.region("wrf_run", "main/module_wrf_top.F", 291);
  const trace::Region time_step_ =
      simulation_.region("time step", "frame/module_integrate.F", 267, kPhase);
  const trace::Region solve_em_ = simulation_.region("solve_em", "dyn_em/solve_em.F", 3);
  const trace::Region rk_tendency_ = simulation_.region("rk_tendency", "dyn_em/module_em.F", 188);
  const trace::Region advance_uv_ =
      simulation_.region("advance_uv", "dyn_em/module_small_step_em.F", 590);
  const trace::Region advance_w_ =
      simulation_.region("advance_w", "dyn_em/module_small_step_em.F", 1184);
  const trace::Region scalar_tend_ =
      simulation_.region("rk_scalar_tend", "dyn_em/module_em.F", 1123);
  const trace::Region microphysics_ =
      simulation_.region("microphysics", "phys/module_microphysics_driver.F", 10);
  const trace::Region radiation_ =
      simulation_.region("radiation", "phys/module_radiation_driver.F", 12);
  const trace::Region write_history_ =
      simulation_.region("write_history", "share/module_io_wrf.F", 77);
  const std::array<trace::Region, kExchangesPerStep> halo_regions_ = {
      simulation_.region("halo_em_a", "inc/HALO_EM_A.inc", 1),
      simulation_.region("halo_em_b", "inc/HALO_EM_B.inc", 1),
      simulation_.region("halo_em_c", "inc/HALO_EM_C.inc", 1)};
};

}  // namespace

void run_wrf(Simulation& simulation, const Options& options) { Wrf(simulation, options).run(); }

}  // namespace pathline::synth
