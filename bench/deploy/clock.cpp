// SPDX-License-Identifier: BSD-3-Clause
#include "bench/deploy/clock.hpp"

#include <algorithm>
#include <limits>
#include <unistd.h>

#include "bench/deploy/machine.hpp"
#include "bench/deploy/program.hpp"

namespace deploy {
namespace {

constexpr int kRoundTrips = 50;
constexpr double kLeastAhead = 10e-6;
// One that waits long is late more often, because something else gets its core meanwhile; but if
// that is another rank, it has to be so.
constexpr double kMostAhead = 0.5e-3;
constexpr double kMostAheadCrowded = 20e-3;
constexpr double kFirstAhead = 40e-6;
constexpr double kAheadSimulated = 0.1;  // costs nothing
constexpr int kTrustAfter = 16;          // starts without anybody late

}  // namespace

CommonClock::CommonClock() {
  MPI_Comm_dup(MPI_COMM_WORLD, &world_);
  if (kIsSimulated) return;
  MPI_Comm_split_type(world_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host_);
  int place = 0;
  MPI_Comm_rank(host_, &place);
  int ranks = 0;
  MPI_Comm_size(host_, &ranks);
  is_crowded_ = largest(ranks > sysconf(_SC_NPROCESSORS_ONLN) ? 1 : 0) > 0;
  const int is_leader = place == 0 ? 1 : 0;
  std::vector<int> all(static_cast<size_t>(world_size()));
  MPI_Allgather(&is_leader, 1, MPI_INT, all.data(), 1, MPI_INT, world_);
  for (size_t rank = 1; rank < all.size(); ++rank) {
    if (all[rank] != 0) leaders_.push_back(static_cast<int>(rank));
  }
}

CommonClock::~CommonClock() {
  if (host_ != MPI_COMM_NULL) MPI_Comm_free(&host_);
  MPI_Comm_free(&world_);
}

/// On rank 0: what has to be added to the clock of `leader`, who calls this as well.
double CommonClock::measured_offset(int leader) const {
  double best_s = std::numeric_limits<double>::infinity();
  double offset_s = 0;
  for (int i = 0; i < kRoundTrips; ++i) {
    double there = now_s();
    if (world_rank() != 0) {
      MPI_Recv(nullptr, 0, MPI_DOUBLE, 0, 0, world_, MPI_STATUS_IGNORE);
      there = now_s();
      MPI_Send(&there, 1, MPI_DOUBLE, 0, 0, world_);
      continue;
    }
    const double begin = there;
    MPI_Send(nullptr, 0, MPI_DOUBLE, leader, 0, world_);
    MPI_Recv(&there, 1, MPI_DOUBLE, leader, 0, world_, MPI_STATUS_IGNORE);
    const double end = now_s();
    if (end - begin < best_s) {
      best_s = end - begin;
      offset_s = (begin + end) / 2 - there;
    }
  }
  return offset_s;
}

void CommonClock::synchronise() {
  if (leaders_.empty()) return;
  for (const int leader : leaders_) {
    if (world_rank() == 0) {
      const double offset_s = measured_offset(leader);
      MPI_Send(&offset_s, 1, MPI_DOUBLE, leader, 0, world_);
    } else if (world_rank() == leader) {
      measured_offset(leader);
      MPI_Recv(&offset_s_, 1, MPI_DOUBLE, 0, 0, world_, MPI_STATUS_IGNORE);
    }
  }
  MPI_Bcast(&offset_s_, 1, MPI_DOUBLE, 0, host_);
}

double CommonClock::now() const { return now_s() + offset_s_; }

double CommonClock::wait_until(double moment) const {
  return deploy::wait_until(moment - offset_s_, is_crowded_) + offset_s_;
}

Start::Start(const CommonClock& clock)
    : clock_(clock), ahead_s_(kIsSimulated ? kAheadSimulated : kFirstAhead) {}

double Start::together() {
  const double moment = largest(clock_.now()) + ahead_s_;
  return clock_.wait_until(moment) - moment;
}

void Start::learn(bool was_late) {
  if (kIsSimulated) return;
  in_time_ = was_late ? 0 : in_time_ + 1;
  if (was_late) {
    ahead_s_ = std::min(2 * ahead_s_, clock_.is_crowded() ? kMostAheadCrowded : kMostAhead);
  } else if (in_time_ % kTrustAfter == 0) {
    ahead_s_ = std::max(ahead_s_ / 2, kLeastAhead);
  }
}

}  // namespace deploy
