// SPDX-License-Identifier: BSD-3-Clause
#include "insitu/figures.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "base/text.hpp"
#include "comm/io.hpp"
#include "insitu/step_sums.hpp"
#include "trace/outer_calls.hpp"
#include "trace/ranks.hpp"

namespace pathline::insitu {
namespace {

using trace::EventKind;

/// Totals of a region over all wanted steps.
struct RegionTotal {
  uint64_t visits = 0;
  uint64_t ticks = 0;
};

/// Visits the program's own regions of a location: `add(region, step, visits, ticks)`.
template <class Add>
void walk_regions(const trace::Trace& trace, const trace::Events& events,
                  const std::vector<bool>& own, const StepWindows& windows, Add add) {
  struct Open {
    uint32_t region;
    uint64_t begin;
  };
  std::vector<Open> open;
  std::map<uint32_t, uint32_t> depth;  // Of recursive calls.
  trace::walk_calls(
      trace.definitions, events,
      [&](trace::Region region, uint64_t ticks) {
        const uint32_t number =
            region.valid() && own[region] ? static_cast<uint32_t>(region) : kNone;
        open.push_back({number, ticks});
        if (number == kNone) return;
        ++depth[number];
        const uint32_t step = windows.at(ticks);
        if (step != kNone) add(number, step, 1, 0);
      },
      [&](uint64_t ticks) {
        const Open call = open.back();
        open.pop_back();
        if (call.region == kNone || --depth[call.region] != 0) return;
        windows.share_out(call.begin, ticks, [&](uint32_t step, uint64_t inside) {
          add(call.region, step, 0, inside);
        });
      });
}

/// What is the same for all ranks.
class Reader {
 public:
  Reader(const trace::Trace& trace, const comm::StepWindows& windows, base::ThreadPool& pool)
      : trace_(trace), windows_(windows), pool_(pool), communicators_(trace) {
    classes_ = trace::call_classes(trace.definitions);
    for (const trace::RegionDefinition& region : trace.definitions.regions) {
      const size_t i = own_.size();
      own_.push_back(classes_[i] == trace::CallClass::kOther && region.name != "time step" &&
                     region.paradigm != trace::kParadigmMeasurementSystem);
    }
    locations_.resize(trace.rank_count);
    for (uint32_t i = 0; i < trace.locations.size(); ++i) {
      const trace::Rank rank = trace.locations[i].rank;
      if (rank.valid()) locations_[rank].push_back(i);
    }
    find_windows_of_memory();
  }

  base::Result<Figures> read(const FigureOptions& options) {
    Figures out;
    if (auto status = choose_steps(options, out); !status) return status.error();
    ranks_.reserve(trace_.rank_count);
    for (uint32_t rank = 0; rank < trace_.rank_count; ++rank) {
      ranks_.emplace_back(windows_[rank], step_of_);
    }
    if (auto status = choose_regions(options, out); !status) return status.error();
    for (Step& step : out.steps) {
      step.ranks.assign(trace_.rank_count, {.recorded = false});
      step.regions.resize(trace_.rank_count * out.regions.size());
    }
    take_table(out);
    take_regions(out);
    take_pairs(out);
    take_times(out);
    return out;
  }

 private:
  base::Status choose_steps(const FigureOptions& options, Figures& out) {
    std::set<uint32_t> numbers;
    for (const auto& windows : windows_) {
      for (const trace::StepWindow& window : windows) {
        // What nobody recorded is shown only to who asks for it.
        if (window.recorded || window.step == options.step) numbers.insert(window.step);
      }
    }
    if (options.step && !numbers.contains(*options.step)) {
      return base::Error{base::ErrorCode::kNotFound,
                         fmt::format("the run has no time step {}", *options.step)};
    }
    size_t i = 0;
    for (const uint32_t number : numbers) {
      const bool wanted =
          options.step ? number == *options.step : i % std::max(options.every, 1U) == 0;
      ++i;
      if (!wanted) continue;
      step_of_[number] = static_cast<uint32_t>(out.steps.size());
      out.steps.push_back({.number = number});
    }
    return {};
  }

  base::Status choose_regions(const FigureOptions& options, Figures& out) {
    const auto& regions = trace_.definitions.regions;
    std::vector<std::vector<RegionTotal>> of_rank(trace_.rank_count);
    pool_.for_each(trace_.rank_count, [&](size_t rank) {
      auto& totals = of_rank[rank];
      totals.resize(regions.size());
      for (const uint32_t i : locations_[rank]) {
        walk_regions(trace_, trace_.locations[i].events, own_, ranks_[rank],
                     [&](uint32_t region, uint32_t, uint32_t visits, uint64_t ticks) {
                       totals[region].visits += visits;
                       totals[region].ticks += ticks;
                     });
      }
    });
    // By name: recorders define a region once per file or per process.
    std::map<std::string_view, RegionTotal> by_name;
    for (const auto& totals : of_rank) {
      for (size_t i = 0; i < totals.size(); ++i) {
        if (totals[i].visits == 0) continue;
        RegionTotal& total = by_name[regions[i].name];
        total.visits += totals[i].visits;
        total.ticks += totals[i].ticks;
      }
    }
    std::vector<std::string> names;
    if (!options.regions.empty()) {
      std::vector<std::string> known;
      for (const auto& [name, unused] : by_name) known.emplace_back(name);
      for (const std::string& name : options.regions) {
        if (!by_name.contains(name)) {
          const std::string_view meant = base::nearest(name, known);
          return base::Error{
              base::ErrorCode::kNotFound,
              fmt::format("no rank called a region '{}' in a time step", base::printable(name)),
              meant.empty() ? "" : fmt::format("Did you mean '{}'?", base::printable(meant))};
        }
        names.push_back(name);
      }
    } else {
      std::vector<std::pair<std::string_view, uint64_t>> most;
      for (const auto& [name, total] : by_name) most.emplace_back(name, total.ticks);
      std::stable_sort(most.begin(), most.end(),
                       [](const auto& a, const auto& b) { return a.second > b.second; });
      most.resize(std::min(most.size(), options.most_regions));
      for (const auto& [name, unused] : most) names.emplace_back(name);
    }
    number_of_region_.assign(regions.size(), kNone);
    for (size_t i = 0; i < regions.size(); ++i) {
      const auto found = std::find(names.begin(), names.end(), regions[i].name);
      if (own_[i] && found != names.end()) {
        number_of_region_[i] = static_cast<uint32_t>(found - names.begin());
      }
    }
    out.regions = std::move(names);
    return {};
  }

  /// What `pathline steps` prints, from the same table.
  void take_table(Figures& out) {
    const steps::Table table = comm::step_table(trace_, windows_, {}, pool_);
    std::vector<uint64_t> begin(out.steps.size(), UINT64_MAX);
    for (const steps::Row& row : table.rows) {
      const auto found = step_of_.find(row.step);
      if (found == step_of_.end()) continue;
      RankFigures& figures = out.steps[found->second].ranks[row.rank];
      figures.recorded = row.recorded;
      figures.step_s += trace_.span_seconds(row.end_ticks - row.begin_ticks);
      figures.mpi_s += trace_.span_seconds(row.counters.mpi_ticks);
      figures.io_s += trace_.span_seconds(row.counters.io_ticks);
      figures.sent_messages += row.counters.sent_messages;
      figures.sent_bytes += row.counters.sent_bytes;
      figures.received_messages += row.counters.received_messages;
      figures.received_bytes += row.counters.received_bytes;
      figures.read_bytes += row.counters.read_bytes;
      figures.write_bytes += row.counters.written_bytes;
      begin[found->second] = std::min(begin[found->second], row.begin_ticks);
    }
    for (size_t i = 0; i < out.steps.size(); ++i) {
      if (begin[i] != UINT64_MAX) out.steps[i].time_s = trace_.seconds(begin[i]);
    }
  }

  void take_regions(Figures& out) {
    const size_t count = out.regions.size();
    pool_.for_each(trace_.rank_count, [&](size_t rank) {
      for (const uint32_t i : locations_[rank]) {
        const trace::Events& events = trace_.locations[i].events;
        walk_regions(trace_, events, own_, ranks_[rank],
                     [&](uint32_t region, uint32_t step, uint32_t visits, uint64_t ticks) {
                       const uint32_t number = number_of_region_[region];
                       if (number == kNone) return;
                       RegionSum& sum = out.steps[step].regions[rank * count + number];
                       sum.visits += visits;
                       sum.seconds += trace_.span_seconds(ticks);
                     });
        for (const comm::IoTransfer& transfer : comm::io_transfers(events)) {
          const uint32_t step = ranks_[rank].at(transfer.ticks);
          if (step == kNone) continue;
          RankFigures& figures = out.steps[step].ranks[rank];
          ++(transfer.is_write ? figures.write_events : figures.read_events);
        }
      }
    });
  }

  /// Messages and one-sided operations, by the MPI function that the program called for them.
  void take_pairs(Figures& out) {
    const trace::Messages& messages = trace_.messages;
    std::vector<std::vector<uint32_t>> sent_by_rank(trace_.rank_count);
    for (size_t i = 0; i < messages.size(); ++i) {
      sent_by_rank[messages.sender[i]].push_back(static_cast<uint32_t>(i));
    }
    std::vector<std::vector<StepPair>> pairs(trace_.rank_count);
    pool_.for_each(trace_.rank_count, [&](size_t rank) {
      PairSums sums;
      // Not all messages have an event: tables of messages have none at all.
      std::vector<uint32_t>& sent = sent_by_rank[rank];
      std::vector<uint32_t> functions(sent.size(), kNone);
      for (const uint32_t i : locations_[rank]) {
        take_location(trace_.locations[i], i, static_cast<uint32_t>(rank), sent, functions, out,
                      sums);
      }
      for (size_t k = 0; k < sent.size(); ++k) {
        const uint32_t step = ranks_[rank].at(messages.send_ticks[sent[k]]);
        if (step == kNone) continue;
        sums.add(step, {static_cast<uint32_t>(rank), messages.receiver[sent[k]], functions[k], 1,
                        messages.bytes[sent[k]]});
      }
      pairs[rank] = sums.take();
    });
    number_functions(pairs, out);
    for (auto& of_rank : pairs) {
      for (const StepPair& one : of_rank) out.steps[one.step].pairs.push_back(one.pair);
    }
  }

  /// functions  receives for each message in `sent` of this location the region of its call
  void take_location(const trace::Location& location, uint32_t number, uint32_t rank,
                     std::span<const uint32_t> sent, std::span<uint32_t> functions, Figures& out,
                     PairSums& sums) {
    const trace::Events& events = location.events;
    const trace::Messages& messages = trace_.messages;
    const StepWindows& windows = ranks_[rank];
    std::vector<uint32_t> open;  // Enters of MPI calls.
    uint64_t neighbor = UINT64_MAX;
    size_t next = 0;
    const auto function = [&] {
      return open.empty() ? kNone : static_cast<uint32_t>(events.ref[open.front()]);
    };
    for (uint32_t i = 0; i < events.size(); ++i) {
      switch (events.kind[i]) {
        case EventKind::kEnter:
          if (classes_[events.ref[i]] != trace::CallClass::kOther) open.push_back(i);
          break;
        case EventKind::kLeave:
          while (!open.empty() && open.back() >= events.ref[i]) open.pop_back();
          break;
        case EventKind::kMpiSend:
        case EventKind::kMpiIsend: {
          // Sends that nobody received are no messages.
          const trace::PointToPoint send = events.point_to_point(i);
          const auto of_event = [&](uint32_t message) {
            return messages.send_location[message] == number && messages.tag[message] == send.tag &&
                   messages.bytes[message] == send.bytes;
          };
          while (next < sent.size() &&
                 (messages.send_ticks[sent[next]] < events.ticks[i] || functions[next] != kNone)) {
            ++next;
          }
          // Few sends of a rank have one time; of masses that do the rest have no function.
          const size_t last = std::min(sent.size(), next + 64);
          for (size_t k = next; k < last && messages.send_ticks[sent[k]] == events.ticks[i]; ++k) {
            if (functions[k] != kNone || !of_event(sent[k])) continue;
            functions[k] = function();
            break;
          }
          break;
        }
        case EventKind::kRmaPut:
        case EventKind::kRmaGet:
        case EventKind::kRmaAtomic: {
          const uint32_t step = windows.at(events.ticks[i]);
          const auto fields = events.fields(i);
          const auto comm = communicator_of_window_.find(fields[0]);
          if (step == kNone || comm == communicator_of_window_.end()) break;
          const trace::Rank target = communicators_.resolve(comm->second, fields[1], location);
          if (!target.valid()) break;
          const uint64_t bytes = events.kind[i] == EventKind::kRmaAtomic
                                     ? events.word64(i, 3) + events.word64(i, 5)
                                     : events.word64(i, 2);
          sums.add(step, {rank, static_cast<uint32_t>(target), function(), 1, bytes});
          break;
        }
        case EventKind::kParameterUnsignedInt: {
          // A neighbourhood collective tells whom it sends to, and then what.
          const std::string_view name = trace_.definitions.parameter_name(events.fields(i)[0]);
          const uint64_t value = events.word64(i, 1);
          if (name == trace::kNeighbor) neighbor = value;
          if (name != trace::kNeighborBytes || neighbor >= trace_.rank_count) break;
          const uint32_t step = windows.at(events.ticks[i]);
          const auto receiver = static_cast<uint32_t>(std::exchange(neighbor, UINT64_MAX));
          if (step != kNone) sums.add(step, {rank, receiver, function(), 1, value});
          break;
        }
        case EventKind::kMpiCollectiveEnd:
        case EventKind::kNonBlockingCollectiveComplete: {
          const uint32_t step = windows.at(events.ticks[i]);
          if (step == kNone) break;
          RankFigures& figures = out.steps[step].ranks[rank];
          ++figures.collective_calls;
          figures.collective_bytes += events.word64(i, 3);
          break;
        }
        default: break;
      }
    }
  }

  /// Regions become numbers of Figures::functions, by name.
  void number_functions(std::vector<std::vector<StepPair>>& pairs, Figures& out) {
    const auto& regions = trace_.definitions.regions;
    constexpr std::string_view kUnknown = "messages";
    std::map<std::string_view, uint32_t> numbers;
    const auto name_of = [&](uint32_t region) {
      return region == kNone ? kUnknown : regions[region].name;
    };
    for (const auto& of_rank : pairs) {
      for (const StepPair& one : of_rank) numbers.emplace(name_of(one.pair.function), 0);
    }
    for (auto& [name, number] : numbers) {
      number = static_cast<uint32_t>(out.functions.size());
      out.functions.emplace_back(name);
    }
    for (auto& of_rank : pairs) {
      for (StepPair& one : of_rank) one.pair.function = numbers.at(name_of(one.pair.function));
      std::sort(of_rank.begin(), of_rank.end(), [](const StepPair& a, const StepPair& b) {
        return std::tie(a.step, a.pair.destination, a.pair.function) <
               std::tie(b.step, b.pair.destination, b.pair.function);
      });
    }
  }

  /// The simulation's time, which a step's Enter carries as an attribute.
  void take_times(Figures& out) {
    constexpr uint8_t kTypeDouble = 10;
    std::vector<double> times(out.steps.size(), 0);
    for (uint32_t rank = trace_.rank_count; rank-- > 0;) {  // The first rank's counts.
      if (locations_[rank].empty()) continue;
      const trace::Events& events = trace_.locations[trace_.rank_location[rank]].events;
      const trace::Attributes& attributes = events.attributes;
      for (size_t i = 0; i < attributes.event.size(); ++i) {
        const uint32_t event = attributes.event[i];
        if (attributes.type[i] != kTypeDouble || event >= events.size() ||
            events.kind[event] != EventKind::kEnter ||
            trace_.definitions.regions[events.ref[event]].name != "time step" ||
            trace_.definitions.attribute_name(attributes.attribute[i]) != "time") {
          continue;
        }
        const uint32_t step = ranks_[rank].at(events.ticks[event]);
        const auto time = std::bit_cast<double>(attributes.value[i]);
        if (step == kNone || !std::isfinite(time)) continue;
        times[step] = time;
        out.simulated_time = out.simulated_time || time != 0;
      }
    }
    if (!out.simulated_time) return;
    for (size_t i = 0; i < times.size(); ++i) out.steps[i].time_s = times[i];
  }

  void find_windows_of_memory() {
    const trace::Definitions& definitions = trace_.definitions;
    for (size_t i = 0; i < definitions.size(); ++i) {
      if (definitions.kind(i) != trace::DefinitionKind::kRmaWin) continue;
      const auto words = definitions.words(i);  // Id, name, communicator ...
      const uint32_t comm = definitions.communicator_index(words[2]);
      if (comm != kNone) communicator_of_window_[words[0]] = comm;
    }
  }

  const trace::Trace& trace_;
  const comm::StepWindows& windows_;
  base::ThreadPool& pool_;
  trace::CommunicatorRanks communicators_;
  std::vector<trace::CallClass> classes_;
  std::vector<bool> own_;  // Per region: the program's.
  std::vector<std::vector<uint32_t>> locations_;
  std::map<uint32_t, uint32_t> communicator_of_window_;
  std::map<uint32_t, uint32_t> step_of_;
  std::vector<StepWindows> ranks_;
  std::vector<uint32_t> number_of_region_;
};

}  // namespace

base::Result<Figures> figures_of(const trace::Trace& trace, const comm::StepWindows& windows,
                                 const FigureOptions& options, base::ThreadPool& pool) {
  const bool any = std::any_of(windows.begin(), windows.end(),
                               [](const auto& of_rank) { return !of_rank.empty(); });
  if (any) return Reader(trace, windows, pool).read(options);
  const comm::StepWindows whole(trace.rank_count, {{0, trace.start_ticks, trace.end_ticks}});
  return Reader(trace, whole, pool).read(options);
}

}  // namespace pathline::insitu
