// SPDX-License-Identifier: BSD-3-Clause
#include "findings/counted_work.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <string>

#include "trace/calls.hpp"
#include "trace/events.hpp"
#include "trace/outer_calls.hpp"

namespace pathline::findings {
namespace {

enum Counter : uint8_t { kInstructions, kCycles, kCounterCount };

Counter counter_of(const trace::MetricMember& member) {
  constexpr uint8_t kLastAccumulated = 3;  // Of OTF2's modes.
  if (member.mode > kLastAccumulated) return kCounterCount;
  std::string name(member.name);
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (name.starts_with("perf::")) name.erase(0, 6);
  name = name.substr(0, name.find(':'));  // "instructions:u"
  if (name == "instructions" || name == "papi_tot_ins") return kInstructions;
  if (name == "cycles" || name == "cpu-cycles" || name == "papi_tot_cyc") return kCycles;
  return kCounterCount;
}

double value_of(uint32_t type, uint64_t bits) {
  constexpr uint32_t kDouble = 10;
  constexpr uint32_t kSigned = 8;
  return type == kDouble   ? std::bit_cast<double>(bits)
         : type == kSigned ? static_cast<double>(static_cast<int64_t>(bits))
                           : static_cast<double>(bits);
}

struct Sums {
  uint64_t ticks = 0;
  std::array<double, kCounterCount> counts{};
  std::array<bool, kCounterCount> any{};
};

/// Follows the counters of one location.
class Samples {
 public:
  Samples(const Model& model, const std::vector<trace::CallClass>& classes)
      : model_(model), classes_(classes) {}

  Sums run(const trace::Events& events) {
    trace::walk_calls(
        model_.trace->definitions, events,
        [&](trace::Region region, uint64_t ticks) {
          come_to(ticks);
          const bool is_mpi = region.valid() && classes_[region] == trace::CallClass::kMpi;
          open_.push_back(is_mpi);
          mpi_ += is_mpi ? 1 : 0;
        },
        [&](uint64_t ticks) {
          come_to(ticks);
          mpi_ -= open_.back() ? 1 : 0;
          open_.pop_back();
        },
        [&](size_t event) {
          if (events.kind[event] != trace::EventKind::kMetric) return;
          come_to(events.ticks[event]);
          read(events, event);
        });
    return sums_;
  }

 private:
  /// Samples stand before or behind the event of their time: what counts is what was before.
  void come_to(uint64_t ticks) {
    if (ticks == now_) return;
    now_ = ticks;
    was_mpi_ = mpi_ > 0;
  }

  void read(const trace::Events& events, size_t event) {
    trace::WordReader in(events.fields(event));
    const trace::Metric* metric = model_.trace->definitions.metric(in.u32());
    const uint32_t count = in.u32();
    bool any = false;
    const bool counts = last_ticks_ != kNever && !was_mpi_ &&
                        last_ticks_ >= model_.window.begin_ticks && now_ <= model_.window.end_ticks;
    for (uint32_t k = 0; k < count; ++k) {
      const uint32_t type = in.u32();
      const uint64_t bits = in.u64();
      if (metric == nullptr || k >= metric->members.size()) continue;
      const auto* member = model_.trace->definitions.metric_member(metric->members[k]);
      const Counter counter = member == nullptr ? kCounterCount : counter_of(*member);
      if (counter == kCounterCount) continue;
      any = true;
      const double value = value_of(type, bits);
      sums_.any[counter] = true;
      if (counts && value > last_[counter]) sums_.counts[counter] += value - last_[counter];
      last_[counter] = value;
    }
    if (!any) return;
    if (counts) sums_.ticks += now_ - last_ticks_;
    last_ticks_ = now_;
  }

  static constexpr uint64_t kNever = UINT64_MAX;
  const Model& model_;
  const std::vector<trace::CallClass>& classes_;
  std::vector<bool> open_;  // Whether it is a call of MPI.
  uint32_t mpi_ = 0;
  uint64_t now_ = kNever;
  bool was_mpi_ = false;
  uint64_t last_ticks_ = kNever;
  std::array<double, kCounterCount> last_{};
  Sums sums_;
};

}  // namespace

std::optional<CountedWork> counted_work(const Model& model, base::ThreadPool& pool) {
  const auto& members = model.trace->definitions.metric_members;
  const bool counted = std::any_of(members.begin(), members.end(), [](const auto& member) {
    return counter_of(member) != kCounterCount;
  });
  if (!counted) return std::nullopt;
  const std::vector<trace::CallClass> classes = trace::call_classes(model.trace->definitions);
  std::vector<Sums> lanes(model.lanes.size());
  pool.for_each(lanes.size(), [&](size_t lane) {
    if (!model.lanes[lane].recorded || !model.lanes[lane].first_of_rank) return;
    const uint32_t location = model.all->calls.lanes[lane].location;
    lanes[lane] = Samples(model, classes).run(model.trace->locations[location].events);
  });
  CountedWork work;
  Sums all;
  for (const Sums& sums : lanes) {
    work.ticks += sums.ticks;
    for (size_t i = 0; i < kCounterCount; ++i) {
      all.counts[i] += sums.counts[i];
      all.any[i] = all.any[i] || sums.any[i];
    }
  }
  uint64_t useful = 0;
  for (size_t i = 0; i < model.piece_ticks.size(); ++i) useful += model.piece_ticks[i];
  if (work.ticks == 0 || 2 * work.ticks < useful) return std::nullopt;
  if (all.any[kInstructions]) work.instructions = all.counts[kInstructions];
  if (all.any[kCycles]) work.cycles = all.counts[kCycles];
  return work;
}

}  // namespace pathline::findings
