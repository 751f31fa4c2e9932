// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <vector>

namespace deploy {

// What differs between a real machine and one that SimGrid simulates.

/// Whether this program was compiled for SimGrid's SMPI (smpicxx -DPATHLINE_SMPI). There time
/// passes only in MPI and in what is declared here: a loop that waits for the clock would never
/// end.
#ifdef PATHLINE_SMPI
inline constexpr bool kIsSimulated = true;
#else
inline constexpr bool kIsSimulated = false;
#endif

/// CLOCK_MONOTONIC, which all ranks of a host share, or the simulated time, which all ranks share.
double now_s();

/// Steps of now_s(), and how long a call of it takes; both 0 where time is simulated.
double tick_s();
double timer_cost_s();

/// Waits with a busy core, until now_s() is at least `moment_s`.
///
/// yields   lets others have the core as long as there is time: where there are more ranks than
///          cores, one that waits should not keep others from coming. Elsewhere it only gives the
///          caches away.
/// returns  now_s()
double wait_until(double moment_s, bool yields);

/// Lets the core be free for this long.
void doze(double seconds);

/// Binds all threads of this process to the processing unit for its rank. Throws Refused on all
/// ranks if one of them cannot be bound. Collective.
///
/// units  one for each rank of the world; if there are none, nothing is bound.
void bind_ranks(const std::vector<int>& units);

/// Throws Refused on all ranks if those of a host would together have more than half of its memory.
/// Collective.
///
/// bytes  of this rank.
/// what   needs them: the subject of the refusal.
void check_memory(double bytes, const char* what);

/// Lets the simulated core be busy; only where the machine is simulated.
void execute_flops(double flops);

/// Memory for messages, whose content is of no interest where the machine is simulated: all ranks
/// have the same then, so that a thousand of them fit anywhere. It is not touched.
class MessageMemory {
 public:
  explicit MessageMemory(size_t doubles);
  ~MessageMemory();
  MessageMemory(const MessageMemory&) = delete;
  MessageMemory& operator=(const MessageMemory&) = delete;

  /// On a cache line of its own.
  [[nodiscard]] double* data() const { return data_; }

 private:
  double* data_;
};

}  // namespace deploy
