// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include <mpi.h>

namespace deploy {

/// now_s() of rank 0, as far as this rank knows it: exactly on the host of rank 0 and where the
/// machine is simulated, elsewhere to half the difference between the ways there and back of the
/// fastest of 50 round trips.
class CommonClock {
 public:
  CommonClock();
  ~CommonClock();
  CommonClock(const CommonClock&) = delete;
  CommonClock& operator=(const CommonClock&) = delete;

  /// Whether a host has more ranks than cores.
  [[nodiscard]] bool is_crowded() const { return is_crowded_; }

  /// Compares the clocks again: those of two hosts drift by microseconds in a second. Collective.
  void synchronise();

  [[nodiscard]] double now() const;
  /// Waits with a busy core, until now() is at least `moment`. Returns now().
  [[nodiscard]] double wait_until(double moment) const;

 private:
  double measured_offset(int leader) const;

  MPI_Comm world_ = MPI_COMM_NULL;
  MPI_Comm host_ = MPI_COMM_NULL;
  std::vector<int> leaders_;  // The lowest rank of each host but that of rank 0.
  double offset_s_ = 0;
  bool is_crowded_ = false;
};

/// Lets all ranks begin at one moment of a CommonClock. A barrier would let them begin when they
/// leave it, each at a time of its own. The moment is so far ahead that hardly any rank comes too
/// late, which is found out by trying.
class Start {
 public:
  explicit Start(const CommonClock& clock);

  /// Collective. Returns by how much this rank was late, in seconds; a wait ends a reading of the
  /// clock late at best.
  double together();

  /// Tells whether somebody was late at the last start; the same on all ranks.
  void learn(bool was_late);

 private:
  const CommonClock& clock_;
  double ahead_s_;
  int in_time_ = 0;  // Starts in a row.
};

}  // namespace deploy
