// SPDX-License-Identifier: BSD-3-Clause
#include "raw/join_clocks.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/text.hpp"

namespace pathline::raw {
namespace {

class ClockJoiner {
 public:
  ClockJoiner(std::vector<Process>& processes, const std::vector<World>& worlds, Findings& findings)
      : processes_(processes), worlds_(worlds), findings_(findings) {}

  Clocks join() {
    size_t ignored_pairs = 0;
    size_t ignored_offsets = 0;
    std::set<uint32_t> without_clock;
    for (Process& process : processes_) {
      process.clock = TickClock(process.file.ticks_per_second, process.definitions.clock_pairs,
                                chunk_pairs(process.file));
      ignored_pairs += process.clock.ignored_pairs();
      if (!process.clock.any() && !process.file.streams.empty()) {
        without_clock.insert(process.rank);
      }
      process.offsets = usable_offsets(process.definitions.clock_offsets, ignored_offsets);
    }
    if (!without_clock.empty()) {
      warn(rank_list(without_clock) + " recorded no time beside the ticks: its times are wrong");
    }
    if (ignored_pairs + ignored_offsets > 0) {
      warn(base::counted(ignored_pairs + ignored_offsets, "clock reading contradicts",
                         "clock readings contradict") +
           " the others and was not used");
    }
    share_counters();
    join_worlds();
    const auto name = [](chunk::ClockSource source) {
      return source == chunk::ClockSource::kTsc            ? "tsc"
             : source == chunk::ClockSource::kMonotonicRaw ? "monotonic_raw"
             : source == chunk::ClockSource::kSimulated    ? "simulated"
                                                           : "unknown";
    };
    clocks_.source = name(processes_[0].file.clock);
    clocks_.ticks_per_second = processes_[0].clock.ticks_per_second();
    for (const Process& process : processes_) {
      if (process.file.clock != processes_[0].file.clock) clocks_.source = "";
    }
    return std::move(clocks_);
  }

 private:
  void warn(const std::string& what) { findings_.warn(what); }

  /// The processes of a host read the same counter, so that one conversion serves them all: two,
  /// each as good as its readings, would let messages arrive before they are sent. A process in a
  /// time namespace of its own, which has other nanoseconds, keeps its own.
  void share_counters() {
    constexpr uint64_t kSameNs = 1'000'000;
    std::map<std::string_view, const Process*> best;  // The first with two readings, or any.
    const auto readings = [](const Process& p) { return p.definitions.clock_pairs.size(); };
    for (const Process& process : processes_) {
      if (process.file.clock != chunk::ClockSource::kTsc || !process.clock.any()) continue;
      const Process*& known = best[process.file.host];
      if (known == nullptr || (readings(*known) < 2 && readings(process) >= 2)) known = &process;
    }
    for (Process& process : processes_) {
      if (process.file.clock != chunk::ClockSource::kTsc) continue;
      const auto known = best.find(process.file.host);
      if (known == best.end() || known->second == &process) continue;
      const TickClock& shared = known->second->clock;
      const auto& pairs = process.definitions.clock_pairs;
      const bool same = std::all_of(pairs.begin(), pairs.end(), [&](const TickPair& pair) {
        const uint64_t ns = shared.ns(pair.ticks);
        return (ns > pair.ns ? ns - pair.ns : pair.ns - ns) < kSameNs;
      });
      if (same) process.clock = shared;
    }
  }

  /// Which processes share the clock of rank 0, and where the others get their offset from.
  void join_worlds() {
    std::set<uint32_t> unknown;
    std::set<uint32_t> single;
    for (size_t w = 0; w < worlds_.size(); ++w) join_world(w, unknown, single);
    if (!single.empty()) {
      warn("offset at end missing: the clock of " + rank_list(single) +
           " was compared with that of rank 0 only once, so that a drift could not be corrected");
    }
    if (!unknown.empty()) {
      clocks_.synchronised = false;
      warn("the clock of " + rank_list(unknown) +
           " was never compared with that of rank 0: its times cannot be related to others");
    }
  }

  void join_world(size_t world, std::set<uint32_t>& unknown, std::set<uint32_t>& single) {
    // The process of each host that knows most: processes of a host share CLOCK_MONOTONIC.
    std::map<std::string_view, size_t> best;
    std::string_view main_host;
    for (size_t i = 0; i < processes_.size(); ++i) {
      const Process& process = processes_[i];
      if (process.world != world) continue;
      if (process.rank == worlds_[world].first_rank) main_host = process.file.host;
      const auto [found, added] = best.try_emplace(process.file.host, i);
      const auto measured = [&](size_t k) {
        return processes_[k].definitions.clock_offsets.size();
      };
      if (measured(i) > measured(found->second)) found->second = i;
    }
    // Spawned programs measure against the first rank of their own world.
    int64_t shift = 0;
    double shift_error = 0;
    bool related = world == 0;
    for (const Process& process : processes_) {
      if (related || process.world >= world || process.file.host != main_host) continue;
      related = true;
      if (process.offsets.empty()) continue;
      shift = process.offsets[0].offset_ticks;
      shift_error = process.offsets[0].deviation;
    }
    std::vector<std::pair<size_t, std::vector<trace::ClockOffset>>> borrowed;
    for (size_t i = 0; i < processes_.size(); ++i) {
      Process& process = processes_[i];
      if (process.world != world) continue;
      const Process& other = processes_[best[process.file.host]];
      const bool on_main_host = process.file.host == main_host;
      if (process.offsets.empty() && !other.offsets.empty()) {
        borrowed.emplace_back(i, other.offsets);
      } else if (process.offsets.empty() && !on_main_host) {
        unknown.insert(process.rank);
      }
      if (!related) unknown.insert(process.rank);
      const bool measured_once = other.definitions.clock_offsets.size() == 1;
      if (measured_once && !on_main_host && process.rank != worlds_[world].first_rank) {
        single.insert(process.rank);
      }
    }
    for (auto& [i, offsets] : borrowed) processes_[i].offsets = std::move(offsets);
    for (Process& process : processes_) {
      if (process.world != world) continue;
      if (shift != 0 && process.offsets.empty()) {
        process.offsets = {{0, 0, 0}, {1'000'000'000, 0, 0}};
      }
      for (trace::ClockOffset& offset : process.offsets) {
        offset.offset_ticks += shift;
        offset.deviation += shift_error;
        clocks_.error_ns =
            std::max(clocks_.error_ns,
                     static_cast<uint64_t>(std::min(std::max(offset.deviation, 0.0), 1e18)));
      }
      // What corrects nothing need not be written.
      if (std::all_of(process.offsets.begin(), process.offsets.end(),
                      [](const auto& offset) { return offset.offset_ticks == 0; })) {
        process.offsets.clear();
      }
    }
  }

  std::vector<Process>& processes_;
  const std::vector<World>& worlds_;
  Findings& findings_;
  Clocks clocks_;
};

}  // namespace

Clocks join_clocks(std::vector<Process>& processes, const std::vector<World>& worlds,
                   Findings& findings) {
  return ClockJoiner(processes, worlds, findings).join();
}

}  // namespace pathline::raw
