// SPDX-License-Identifier: BSD-3-Clause
#include "trace/cut.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "trace/cut_location.hpp"
#include "trace/match.hpp"

namespace pathline::trace {
namespace {

constexpr uint32_t kNone = base::IdMap::kNone;

void put64(std::vector<uint32_t>& words, size_t at, uint64_t value) {
  words[at] = static_cast<uint32_t>(value);
  words[at + 1] = static_cast<uint32_t>(value >> 32U);
}

class TraceCutter {
 public:
  TraceCutter(const Trace& trace, const Selection& selection, const std::vector<bool>& left_out,
              base::ThreadPool& pool)
      : trace_(trace),
        selection_(selection),
        left_out_(left_out),
        pool_(pool),
        plans_(trace.locations.size()) {}

  base::Result<Cut> run() {
    for (uint32_t i = 0; i < trace_.locations.size(); ++i) plan_edges(i);
    plan_messages();
    plan_resumes();
    plan_collectives();
    cut_locations();
    if (auto status = write_definitions(); !status) return status.error();
    Trace& part = cut_.trace;
    part.format = trace_.format;
    part.creator = trace_.creator;
    part.machine = trace_.machine;
    part.description = trace_.description;
    part.properties = trace_.properties;
    return std::move(cut_);
  }

 private:
  [[nodiscard]] bool is_chosen(const Location& location) const {
    return selection_.ranks.empty() ||
           (location.rank.valid() && selection_.has_rank(location.rank));
  }
  [[nodiscard]] bool is_inside(EventAt at) const {
    return at.event >= plans_[at.location].begin && at.event < plans_[at.location].end;
  }

  void plan_edges(uint32_t i) {
    if (!is_chosen(trace_.locations[i])) return;
    const auto& ticks = trace_.locations[i].events.ticks;
    LocationPlan& plan = plans_[i];
    plan.begin = static_cast<uint32_t>(
        std::lower_bound(ticks.begin(), ticks.end(), selection_.from_ticks) - ticks.begin());
    plan.end = static_cast<uint32_t>(
        std::lower_bound(ticks.begin(), ticks.end(), selection_.until_ticks) - ticks.begin());
    plan.whole.resize(plan.end - plan.begin);
  }

  void plan_messages() {
    for_each_pair(trace_, selection_.ranks, pool_, [&](EventAt send, EventAt receive) {
      if (!is_inside(send) || !is_inside(receive)) return;
      plans_[send.location].whole[send.event - plans_[send.location].begin] = true;
      plans_[receive.location].whole[receive.event - plans_[receive.location].begin] = true;
    });
    const auto known = [&](const std::vector<Unmatched>& list) {
      return std::count_if(list.begin(), list.end(), [&](const Unmatched& end) {
        return is_inside({end.location, end.event});
      });
    };
    unmatched_sends_ = static_cast<uint64_t>(known(trace_.unmatched_sends));
    unmatched_receives_ = static_cast<uint64_t>(known(trace_.unmatched_receives));
  }

  /// Where a recording was switched off and on, messages are matched in each stretch of it: all
  /// ranks have to agree on how many stretches lie before the part.
  void plan_resumes() {
    std::vector<uint64_t> resumes(trace_.rank_count, 0);
    std::vector<uint32_t> location_of(trace_.rank_count, kNone);
    for (uint32_t i = 0; i < plans_.size(); ++i) {
      const Location& location = trace_.locations[i];
      if (!location.rank.valid() || plans_[i].begin == plans_[i].end) continue;
      if (location_of[location.rank] == kNone) location_of[location.rank] = i;
      for (uint32_t event = 0; event < plans_[i].begin; ++event) {
        resumes[location.rank] += location.events.kind[event] == EventKind::kMeasurementOnOff &&
                                          location.events.ref[event] == 1
                                      ? 1
                                      : 0;
      }
    }
    uint64_t fewest = UINT64_MAX;
    for (uint32_t rank = 0; rank < resumes.size(); ++rank) {
      if (location_of[rank] != kNone) fewest = std::min(fewest, resumes[rank]);
    }
    for (uint32_t rank = 0; rank < resumes.size(); ++rank) {
      if (location_of[rank] == kNone) continue;
      plans_[location_of[rank]].missed_resumes = resumes[rank] - fewest;
    }
  }

  void plan_collectives() {
    for (const Communicator& communicator : trace_.definitions.communicators) {
      next_comm_ = std::max(next_comm_, communicator.id + 1);
    }
    const Collectives& all = trace_.collectives;
    for (size_t i = 0; i < all.size(); ++i) {
      size_t inside = 0;
      size_t outside = 0;
      for (uint32_t member = all.first[i]; member < all.first[i + 1]; ++member) {
        if (!is_chosen(trace_.locations[all.location[member]])) continue;
        ++(selection_.has_time(all.end_ticks[member]) ? inside : outside);
      }
      if (inside == 0 || outside == 0) continue;
      ++cut_.split_collectives;
      new_comms_.push_back({all.comm[i], next_comm_, " (cut collective)"});
      for (uint32_t member = all.first[i]; member < all.first[i + 1]; ++member) {
        if (!is_chosen(trace_.locations[all.location[member]])) continue;
        if (!selection_.has_time(all.end_ticks[member])) continue;
        plans_[all.location[member]].split.push_back(
            {all.comm[i], all.begin_ticks[member], all.end_ticks[member], next_comm_});
      }
      ++next_comm_;
    }
  }

  void cut_locations() {
    const CommunicatorRanks members(trace_);
    const auto& regions = trace_.definitions.regions;
    const auto marker = std::find_if(regions.begin(), regions.end(),
                                     [](const auto& region) { return region.name == "time step"; });
    const CutPlan plan{.trace = trace_,
                       .selection = selection_,
                       .members = members,
                       .left_out = left_out_,
                       .step_marker = marker == regions.end()
                                          ? Region::none()
                                          : Region(static_cast<size_t>(marker - regions.begin()))};
    Trace& part = cut_.trace;
    part.locations.resize(trace_.locations.size());
    std::vector<LocationCut> cuts(plans_.size());
    pool_.for_each(plans_.size(), [&](size_t i) {
      const Location& location = trace_.locations[i];
      part.locations[i].id = location.id;
      part.locations[i].name = location.name;
      part.locations[i].type = location.type;
      part.locations[i].rank = location.rank;
      if (!is_chosen(location)) return;
      part.locations[i].clock_offsets = location.clock_offsets;
      cuts[i] = cut_location(plan, static_cast<uint32_t>(i), std::move(plans_[i]));
    });
    // In the order of events, whatever thread was first.
    std::vector<uint32_t> ids(2 * trace_.definitions.communicators.size(), kNone);
    for (size_t i = 0; i < cuts.size(); ++i) {
      cut_.lost_sends += cuts[i].lost_sends;
      cut_.lost_receives += cuts[i].lost_receives;
      cut_.reopened_calls += cuts[i].reopened_calls;
      for (const auto& [at, half] : cuts[i].half_comms) {
        if (ids[half] == kNone) {
          ids[half] = next_comm_;
          const bool is_receive = half % 2 != 0;
          new_comms_.push_back(
              {half / 2, next_comm_++, is_receive ? " (cut receive)" : " (cut send)"});
        }
        cuts[i].events.words.set(at, ids[half]);
      }
    }
    pool_.for_each(cuts.size(), [&](size_t i) {
      part.locations[i].events = std::move(cuts[i].events);
      part.locations[i].events.pack(part.arena.get());
    });
    cut_.lost_sends -= std::min(cut_.lost_sends, unmatched_sends_);
    cut_.lost_receives -= std::min(cut_.lost_receives, unmatched_receives_);
  }

  base::Status write_definitions() {
    const Definitions& old = trace_.definitions;
    Definitions& definitions = cut_.trace.definitions;
    uint32_t next_string = 0;
    std::vector<size_t> comm_records;
    for (size_t i = 0; i < old.size(); ++i) {
      std::vector<uint32_t> words(old.words(i).begin(), old.words(i).end());
      switch (old.kind(i)) {
        case DefinitionKind::kString:
          next_string = std::max(next_string, words[0] + 1);
          definitions.add_string(words[0], old.text(words[1]));
          continue;
        case DefinitionKind::kLocation: {
          const uint32_t location = old.location_index(WordReader(words).u64());
          put64(words, 4, cut_.trace.locations[location].events.size());
          break;
        }
        case DefinitionKind::kClockProperties: fit_clock(words); break;
        case DefinitionKind::kComm:
        case DefinitionKind::kInterComm: comm_records.push_back(i); break;
        default: break;
      }
      definitions.add(old.kind(i), words);
    }
    for (const NewComm& comm : new_comms_) {
      const size_t record = comm_records[comm.of];
      std::vector<uint32_t> words(old.words(record).begin(), old.words(record).end());
      words[0] = comm.id;
      words[1] = next_string;
      if (old.kind(record) == DefinitionKind::kComm) words[3] = old.communicators[comm.of].id;
      definitions.add_string(next_string++,
                             std::string(old.communicators[comm.of].name) + comm.suffix);
      definitions.add(old.kind(record), words);
    }
    return definitions.finish();
  }

  void fit_clock(std::vector<uint32_t>& words) const {
    if (selection_.from_ticks == 0 && selection_.until_ticks == UINT64_MAX) return;
    const Clock& clock = trace_.definitions.clock;
    const uint64_t from = std::max(selection_.from_ticks, trace_.start_ticks);
    const uint64_t until = std::min(selection_.until_ticks, trace_.end_ticks);
    put64(words, 2, from);
    put64(words, 4, until > from ? until - from : 0);
    if (clock.realtime_ns == UINT64_MAX) return;
    const double seconds = static_cast<double>(static_cast<int64_t>(from - clock.global_offset)) /
                           static_cast<double>(clock.ticks_per_second);
    put64(words, 6, clock.realtime_ns + static_cast<uint64_t>(std::llround(seconds * 1e9)));
  }

  struct NewComm {
    uint32_t of;  // Index.
    uint32_t id;
    const char* suffix;
  };

  const Trace& trace_;
  const Selection& selection_;
  const std::vector<bool>& left_out_;
  base::ThreadPool& pool_;
  std::vector<LocationPlan> plans_;
  std::vector<NewComm> new_comms_;
  uint32_t next_comm_ = 0;
  uint64_t unmatched_sends_ = 0;  // Had no partner before.
  uint64_t unmatched_receives_ = 0;
  Cut cut_;
};

}  // namespace

base::Result<Cut> cut(const Trace& trace, const Selection& selection,
                      const std::vector<bool>& left_out, base::ThreadPool& pool) {
  return TraceCutter(trace, selection, left_out, pool).run();
}

}  // namespace pathline::trace
