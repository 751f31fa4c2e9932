// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>

#include "bench/synth/pace.hpp"
#include "bench/synth/shapes.hpp"

namespace pathline::synth {
namespace {

constexpr uint64_t kStepsPerBalance = 6;
constexpr uint64_t kStepsPerAllreduce = 4;
constexpr double kEventsPerMessage = 9.5;
constexpr uint32_t kMaxProcesses = 8;  // Nested regions of the microphysics.
constexpr uint64_t kFaceBytes = 1800;
constexpr uint64_t kBlockBytes = 14'000;

using Point = std::array<uint32_t, 3>;

/// Point of a Hilbert curve through a cube of 2^bits points a side (Skilling, AIP Conf. Proc. 707,
/// 2004).
Point hilbert_point(uint32_t index, unsigned bits) {
  Point x{};
  for (unsigned bit = 0; bit < bits; ++bit) {
    for (unsigned d = 0; d < 3; ++d) x[d] |= (index >> (3 * bit + 2 - d) & 1U) << bit;
  }
  const uint32_t half = x[2] >> 1U;
  x[2] ^= x[1];
  x[1] ^= x[0];
  x[0] ^= half;
  for (uint32_t q = 2; q != 1U << bits; q <<= 1U) {
    for (unsigned d = 3; d-- > 0;) {
      const uint32_t swapped = (x[d] & q) != 0 ? 0 : (x[0] ^ x[d]) & (q - 1);
      if ((x[d] & q) != 0) x[0] ^= q - 1;
      x[0] ^= swapped;
      x[d] ^= swapped;
    }
  }
  return x;
}

class Fd4 {
 public:
  Fd4(Simulation& simulation, const Options& options)
      : simulation_(simulation), options_(options), rank_count_(options.rank_count) {
    while (1U << (3 * bits_) < 16 * rank_count_) ++bits_;
    const uint32_t block_count = 1U << (3 * bits_);
    points_.resize(block_count);
    block_at_.resize(block_count);
    costs_.resize(block_count);
    owner_.resize(block_count);
    rank_cost_.resize(rank_count_);
    for (uint32_t block = 0; block < block_count; ++block) {
      points_[block] = hilbert_point(block, bits_);
      block_at_[cell(points_[block])] = block;
    }
  }

  void run() {
    simulation_.start(main_, std::min(1.5, 0.01 * options_.seconds) * 1e9);
    simulation_.bcast(0, 1U << 20U);  // initial state
    update_costs(0);
    partition();
    Pattern ghosts = ghost_pattern();
    Pace pace(kStartNs + static_cast<uint64_t>(options_.seconds * 1e9));
    for (uint64_t step = 0;; ++step) {
      const uint64_t done = simulation_.message_count();
      if (step != 0 && done + ghosts.size() / 2 > options_.message_count) break;
      const double left =
          static_cast<double>(options_.message_count - done) / static_cast<double>(ghosts.size());
      update_costs(static_cast<double>(done) / static_cast<double>(options_.message_count));
      const double unit_ns = pace.step_ns(simulation_.latest_ns(), 1, left);

      simulation_.enter_all(time_step_);
      for (uint32_t rank = 0; rank < rank_count_; ++rank) simulation_.step_parameter(rank, step);
      if (step % kStepsPerBalance == 0 && step != 0) ghosts = balance();
      exchange(ghosts);
      compute(step, unit_ns);
      if (step % kStepsPerAllreduce == 0) simulation_.allreduce(16);  // time step, mass
      simulation_.leave_all(time_step_);
    }
    simulation_.stop(main_);
  }

 private:
  [[nodiscard]] uint32_t cell(const Point& p) const {
    return ((p[2] << bits_ | p[1]) << bits_) | p[0];
  }

  /// Cost of the blocks when `progress` of the run is over: two clouds drift with the wind.
  void update_costs(double progress) {
    const double width = 1U << bits_;
    const double clouds[2][4] = {{-0.1 + 1.1 * progress, 0.3 + 0.2 * progress, 0.35, 9.0},
                                 {0.9 - 0.5 * progress, 0.8 - 0.6 * progress, 0.55, 6.0}};
    for (size_t block = 0; block < costs_.size(); ++block) {
      double cost = 1;
      for (const auto& cloud : clouds) {
        const double dx = (points_[block][0] + 0.5) / width - cloud[0];
        const double dy = (points_[block][1] + 0.5) / width - cloud[1];
        const double dz = (points_[block][2] + 0.5) / width - cloud[2];
        cost += cloud[3] * std::exp(-(dx * dx + dy * dy + 0.5 * dz * dz) / 0.025);
      }
      costs_[block] = cost;
    }
  }

  /// Cuts the curve into pieces of equal cost, none of them empty.
  void partition() {
    double total = 0;
    for (const double cost : costs_) total += cost;
    const auto block_count = static_cast<uint32_t>(owner_.size());
    double before = 0;
    uint32_t rank = 0;
    for (uint32_t block = 0; block < block_count; ++block) {
      const bool is_first = block == 0 || owner_[block - 1] != rank;
      const bool is_full = before + 0.5 * costs_[block] > total * (rank + 1) / rank_count_;
      const bool is_scarce = block_count - block < rank_count_ - rank;
      if (block != 0 && rank + 1 < rank_count_ && !is_first && (is_full || is_scarce)) ++rank;
      owner_[block] = rank;
      before += costs_[block];
    }
  }

  /// One edge per pair of (sender, receiver) keys, with `bytes_each` times their number.
  Pattern pattern_of(std::vector<uint64_t>& pairs, uint32_t tag, uint64_t bytes_each) const {
    std::sort(pairs.begin(), pairs.end());
    std::vector<Edge> edges;
    for (size_t i = 0; i < pairs.size();) {
      size_t end = i;
      while (end < pairs.size() && pairs[end] == pairs[i]) ++end;
      edges.push_back({static_cast<uint32_t>(pairs[i] >> 32U), static_cast<uint32_t>(pairs[i]), tag,
                       bytes_each * (end - i)});
      i = end;
    }
    return {rank_count_, std::move(edges)};
  }

  static uint64_t pair_key(uint32_t sender, uint32_t receiver) {
    return uint64_t{sender} << 32U | receiver;
  }

  /// Ghost cells cross each face between blocks of different ranks.
  Pattern ghost_pattern() const {
    std::vector<uint64_t> pairs;
    for (size_t block = 0; block < points_.size(); ++block) {
      for (unsigned d = 0; d < 3; ++d) {
        Point next = points_[block];
        if (++next[d] == 1U << bits_) continue;
        const uint32_t a = owner_[block];
        const uint32_t b = owner_[block_at_[cell(next)]];
        if (a == b) continue;
        pairs.push_back(pair_key(a, b));
        pairs.push_back(pair_key(b, a));
      }
    }
    return pattern_of(pairs, 1, kFaceBytes);
  }

  /// Moves borders and with them blocks. Returns the new neighbours.
  Pattern balance() {
    simulation_.enter_all(load_balance_);
    simulation_.allgather(8);
    const std::vector<uint32_t> old_owner = owner_;
    partition();
    for (uint32_t rank = 0; rank < rank_count_; ++rank) simulation_.advance(rank, 400'000);
    std::vector<uint64_t> moves;
    for (size_t block = 0; block < owner_.size(); ++block) {
      if (owner_[block] != old_owner[block]) {
        moves.push_back(pair_key(old_owner[block], owner_[block]));
      }
    }
    simulation_.exchange(pattern_of(moves, 2, kBlockBytes));
    simulation_.leave_all(load_balance_);
    return ghost_pattern();
  }

  void exchange(const Pattern& ghosts) {
    simulation_.enter_all(exchange_ghosts_);
    for (uint32_t rank = 0; rank < rank_count_; ++rank) simulation_.advance(rank, 15'000);  // pack
    simulation_.exchange(ghosts);
    simulation_.leave_all(exchange_ghosts_);
  }

  void compute(uint64_t step, double unit_ns) {
    std::fill(rank_cost_.begin(), rank_cost_.end(), 0.0);
    double total = 0;
    for (size_t block = 0; block < costs_.size(); ++block) {
      rank_cost_[owner_[block]] += costs_[block];
      total += costs_[block];
    }
    // The trace is to have a given number of events: as many processes as are missing.
    const double expected = kEventsPerMessage * static_cast<double>(simulation_.message_count());
    const double fixed = static_cast<double>(simulation_.event_count()) + 6.0 * rank_count_;
    const double missing = std::max(0.0, (expected - fixed) / (2.0 * rank_count_));
    for (uint32_t rank = 0; rank < rank_count_; ++rank) {
      const double noise = 0.985 + 0.03 * simulation_.random().unit(rank, step, 9);
      const double ns = unit_ns * rank_cost_[rank] * rank_count_ / total * noise;
      const auto process_count = static_cast<uint32_t>(
          std::min<double>(kMaxProcesses, missing + simulation_.random().unit(rank, step, 10)));
      simulation_.call(rank, advection_, 0.25 * ns);
      simulation_.enter(rank, microphysics_);
      simulation_.advance(rank, 0.15 * ns);
      for (uint32_t i = 0; i < process_count; ++i) {
        simulation_.call(rank, processes_[(step + i) % processes_.size()],
                         0.6 * ns / process_count);
      }
      if (process_count == 0) simulation_.advance(rank, 0.6 * ns);
      simulation_.leave(rank, microphysics_);
    }
  }

  Simulation& simulation_;
  const Options& options_;
  const uint32_t rank_count_;
  unsigned bits_ = 1;               // The domain has 2^bits blocks a side.
  std::vector<Point> points_;       // Per block, in the order of the curve.
  std::vector<uint32_t> block_at_;  // Per cell.
  std::vector<double> costs_;       // Per block.
  std::vector<uint32_t> owner_;     // Per block.
  std::vector<double> rank_cost_;

  const trace::Region main_ = simulation_.region("main", "cosmo_specs_fd4.F90", 12);
  const trace::Region time_step_ =
      simulation_.region("time step", "cosmo_specs_fd4.F90", 148, kPhase);
  const trace::Region load_balance_ =
      simulation_.region("fd4_balance_readjust", "fd4_balance.F90", 96);
  const trace::Region exchange_ghosts_ =
      simulation_.region("fd4_ghostcomm_exch", "fd4_ghostcomm.F90", 301);
  const trace::Region advection_ = simulation_.region("advection", "specs_advection.F90", 44);
  const trace::Region microphysics_ =
      simulation_.region("microphysics", "specs_microphysics.F90", 60);
  const std::array<trace::Region, 4> processes_ = {
      simulation_.region("condensation", "specs_cond.F90", 20),
      simulation_.region("collision", "specs_koll.F90", 33),
      simulation_.region("freezing", "specs_freeze.F90", 17),
      simulation_.region("breakup", "specs_breakup.F90", 25)};
};

}  // namespace

void run_fd4(Simulation& simulation, const Options& options) { Fd4(simulation, options).run(); }

}  // namespace pathline::synth
