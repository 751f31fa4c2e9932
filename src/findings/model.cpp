// SPDX-License-Identifier: BSD-3-Clause
#include "findings/model.hpp"

#include <stdexcept>

#include "profile/call_tree.hpp"
#include "trace/outer_calls.hpp"

namespace pathline::findings {
namespace {

using trace::Region;

struct Piece {
  uint32_t path;
  uint32_t step;
  uint64_t ticks;
};

/// What is of one lane on its way into the model: paths are nodes of its own tree.
struct LanePart {
  profile::CallTree tree;
  base::Column<Piece> pieces;
};

/// Cuts the time of one lane into calls and pieces. What the model says of its calls and gaps is in
/// numbers of `part` until join().
class Cutter {
 public:
  Cutter(Model& model, size_t lane, const std::vector<trace::CallClass>& classes,
         const std::vector<trace::StepWindow>& steps, const std::vector<uint32_t>& step_numbers,
         LanePart& part)
      : model_(model),
        lane_number_(lane),
        lane_(model.lanes[lane]),
        events_(model.trace->locations[model.all->calls.lanes[lane].location].events),
        classes_(classes),
        steps_(steps),
        step_numbers_(step_numbers),
        part_(part),
        since_(lane_.begin_ticks),
        call_(lane_.first_call),
        named_(lane_.first_call) {}

  void run() {
    trace::walk_calls(
        model_.trace->definitions, events_,
        [&](Region region, uint64_t ticks) {
          charge(ticks);
          const bool in_mpi = is_mpi(region);
          if (above_mpi_ == kNone && in_mpi) above_mpi_ = current_;
          current_ = part_.tree.child(current_, region);
          if (in_mpi) name_call(ticks);
          return in_mpi;
        },
        [&](uint64_t ticks) {
          charge(ticks);
          current_ = part_.tree.nodes()[current_].parent;
          if (current_ == above_mpi_) above_mpi_ = kNone;
        });
    current_ = 0;
    above_mpi_ = kNone;
    charge(model_.part.end_ticks);
    // Calls of no length at the end of the window, and what could not be named.
    while (call_ < lane_.end_call) leave_gap();
  }

 private:
  void leave_gap() {
    ++call_;
    gap_begin_ = static_cast<uint32_t>(part_.pieces.size());
    model_.first_piece[Model::gap(call_, lane_number_)] = gap_begin_;
  }

  /// Gives the time up to `ticks` to the current path as far as it is outside of MPI.
  void charge(uint64_t ticks) {
    const uint64_t until = std::min(ticks, model_.part.end_ticks);
    while (since_ < until) {
      if (call_ == lane_.end_call) return add_piece(until);
      if (since_ < model_.begin(call_)) {
        add_piece(std::min(until, model_.begin(call_)));
        continue;
      }
      const uint64_t end = model_.end(call_);
      if (until < end) {
        since_ = until;
        return;
      }
      since_ = std::max(since_, end);
      leave_gap();
    }
  }

  void add_piece(uint64_t until) {
    while (since_ < until) {
      while (step_ < steps_.size() && steps_[step_].end_ticks <= since_) ++step_;
      uint32_t number = kNone;
      uint64_t border = until;
      if (step_ < steps_.size()) {
        const bool inside = steps_[step_].begin_ticks <= since_;
        border = std::min(until, inside ? steps_[step_].end_ticks : steps_[step_].begin_ticks);
        if (inside) number = index_of(steps_[step_].step);
      }
      add(number, border - since_);
      since_ = border;
    }
  }
  void add(uint32_t step, uint64_t ticks) {
    // A gap has few pieces; where it has many, some paths come twice.
    constexpr size_t kLookBack = 16;
    // What was done between polls was done by who called them.
    const uint32_t path = above_mpi_ == kNone ? current_ : above_mpi_;
    size_t i = part_.pieces.size();
    for (size_t k = 0; k < kLookBack && i > gap_begin_; ++k) {
      Piece& piece = part_.pieces[--i];
      if (piece.path == path && piece.step == step) {
        piece.ticks += ticks;
        return;
      }
    }
    part_.pieces.push_back({path, step, ticks});
  }
  [[nodiscard]] uint32_t index_of(uint32_t step) const {
    return static_cast<uint32_t>(
        std::lower_bound(step_numbers_.begin(), step_numbers_.end(), step) - step_numbers_.begin());
  }

  [[nodiscard]] bool is_mpi(Region region) const {
    return region.valid() && classes_[region] == trace::CallClass::kMpi;
  }

  /// The call path of the call that an Enter at this time began.
  void name_call(uint64_t ticks) {
    const auto enter_ticks = [&] { return events_.ticks[model_.all->calls.enter[named_]]; };
    while (named_ < lane_.end_call && enter_ticks() < ticks) ++named_;
    if (named_ == lane_.end_call || enter_ticks() != ticks) return;
    model_.call_path[named_++] = current_;
  }

  Model& model_;
  const size_t lane_number_;
  const Model::Lane& lane_;
  const trace::Events& events_;
  const std::vector<trace::CallClass>& classes_;
  const std::vector<trace::StepWindow>& steps_;
  const std::vector<uint32_t>& step_numbers_;
  LanePart& part_;
  uint32_t current_ = 0;
  uint32_t above_mpi_ = kNone;  // The path that the open call of MPI was made from.
  uint64_t since_;
  uint32_t call_;           // The next one to end.
  uint32_t named_;          // The next one to be named.
  uint32_t gap_begin_ = 0;  // The first piece of the open gap.
  size_t step_ = 0;
};

/// Calls in the part, and when each lane begins.
std::vector<Model::Lane> lanes_of(const trace::Trace& trace, const comm::Dependencies& all,
                                  const Window& part, bool is_last) {
  const comm::MpiCalls& calls = all.calls;
  std::vector<Model::Lane> lanes;
  for (size_t i = 0; i < calls.lanes.size(); ++i) {
    const uint32_t location = calls.lanes[i].location;
    Model::Lane lane{.recorded = location != comm::kNoLane && trace.is_recorded(location),
                     .first_of_rank = i < trace.rank_count,
                     .begin_ticks = part.begin_ticks};
    const auto begin = calls.begin_ticks.begin();
    const auto first = begin + calls.first[i];
    const auto end = begin + calls.first[i + 1];
    const auto from = std::lower_bound(first, end, part.begin_ticks);
    const auto until = is_last ? std::upper_bound(from, end, part.end_ticks)
                               : std::lower_bound(from, end, part.end_ticks);
    lane.first_call = static_cast<uint32_t>(from - begin);
    lane.end_call = static_cast<uint32_t>(until - begin);
    if (from > first) {
      lane.begin_ticks =
          std::clamp(calls.end_ticks[lane.first_call - 1], part.begin_ticks, part.end_ticks);
    }
    lanes.push_back(lane);
  }
  return lanes;
}

/// Numbers the call paths of all lanes, and returns per lane from its nodes to these numbers, in an
/// order in which a part of a run has them as the whole has.
std::vector<std::vector<uint32_t>> merge_trees(const std::vector<LanePart>& parts, Model& model) {
  profile::CallTree all;
  std::vector<std::vector<uint32_t>> nodes_of_all(parts.size());
  for (size_t lane = 0; lane < parts.size(); ++lane) {
    const auto& nodes = parts[lane].tree.nodes();
    nodes_of_all[lane].assign(nodes.size(), 0);
    for (size_t n = 1; n < nodes.size(); ++n) {
      nodes_of_all[lane][n] = all.child(nodes_of_all[lane][nodes[n].parent], nodes[n].region);
    }
  }
  const std::vector<uint32_t> number = number_paths(all, model.call_paths);
  for (auto& of_lane : nodes_of_all) {
    for (uint32_t& node : of_lane) node = number[node];
  }
  return nodes_of_all;
}

/// Room for what is known of each call and gap; outside of the window nothing is.
void lay_out(Model& model) {
  const comm::MpiCalls& calls = model.all->calls;
  model.call_path.resize(calls.size());
  std::fill(model.call_path.begin(), model.call_path.end(), kNone);
  model.first_piece.resize(calls.size() + model.lanes.size() + 1);
  std::fill(model.first_piece.begin(), model.first_piece.end(), 0);
}

void join(const std::vector<LanePart>& parts, Model& model, base::ThreadPool& pool) {
  const std::vector<std::vector<uint32_t>> numbers = merge_trees(parts, model);
  const comm::MpiCalls& calls = model.all->calls;
  std::vector<size_t> first_row(parts.size() + 1, 0);
  for (size_t lane = 0; lane < parts.size(); ++lane) {
    first_row[lane + 1] = first_row[lane] + parts[lane].pieces.size();
  }
  if (first_row.back() >= kNone) throw std::length_error("more than 4 billion pieces of time");
  model.piece_path.resize(first_row.back());
  model.piece_step.resize(first_row.back());
  model.piece_ticks.resize(first_row.back());
  pool.for_each(parts.size(), [&](size_t lane) {
    const Model::Lane& of = model.lanes[lane];
    size_t row = first_row[lane];
    for (const Piece& piece : parts[lane].pieces) {
      model.piece_path[row] = numbers[lane][piece.path];
      model.piece_step[row] = piece.step;
      model.piece_ticks[row] = piece.ticks;
      ++row;
    }
    for (uint32_t call = of.first_call; call < of.end_call; ++call) {
      uint32_t& path = model.call_path[call];
      if (path != kNone) path = numbers[lane][path];
    }
    const auto first = static_cast<uint32_t>(first_row[lane]);
    for (uint32_t call = calls.first[lane]; call <= calls.first[lane + 1]; ++call) {
      uint32_t& piece = model.first_piece[Model::gap(call, lane)];
      piece = call > of.end_call ? static_cast<uint32_t>(first_row[lane + 1]) : first + piece;
    }
  });
  model.first_piece[calls.size() + parts.size()] = static_cast<uint32_t>(first_row.back());
}

}  // namespace

std::vector<uint32_t> number_paths(const profile::CallTree& tree,
                                   std::vector<profile::CallPathNode>& call_paths) {
  const size_t count = tree.nodes().size();
  std::vector<std::vector<uint32_t>> callees(count);
  for (uint32_t n = 1; n < count; ++n) callees[tree.nodes()[n].parent].push_back(n);
  std::vector<uint32_t> number(count, kNone);
  std::vector<uint32_t> open = {0};
  while (!open.empty()) {
    const uint32_t node = open.back();
    open.pop_back();
    if (node > 0) {
      number[node] = static_cast<uint32_t>(call_paths.size());
      call_paths.push_back(
          {profile::CallPath(number[tree.nodes()[node].parent]), tree.nodes()[node].region});
    }
    std::sort(callees[node].begin(), callees[node].end(), [&](uint32_t a, uint32_t b) {
      return tree.nodes()[a].region > tree.nodes()[b].region;
    });
    open.insert(open.end(), callees[node].begin(), callees[node].end());
  }
  return number;
}

std::vector<uint32_t> add_paths(const std::vector<profile::CallPathNode>& call_paths,
                                profile::CallTree& tree) {
  std::vector<uint32_t> nodes;
  nodes.reserve(call_paths.size());
  for (const profile::CallPathNode& path : call_paths) {
    nodes.push_back(tree.child(path.parent.valid() ? nodes[path.parent] : 0, path.region));
  }
  return nodes;
}

uint32_t Model::rank_count() const {
  return static_cast<uint32_t>(std::count_if(lanes.begin(), lanes.end(), [](const Lane& lane) {
    return lane.recorded && lane.first_of_rank;
  }));
}

Window program_window(const trace::Trace& trace, const comm::Dependencies& all) {
  Window window{trace.start_ticks, trace.end_ticks};
  bool finalized = false;
  size_t finalizing = 0;
  for (uint32_t call = 0; call < all.calls.size(); ++call) {
    if (all.calls.is(call, comm::kInitializes)) {
      window.begin_ticks = std::max(window.begin_ticks, all.calls.end_ticks[call]);
    }
    if (!all.calls.is(call, comm::kFinalizes)) continue;
    const uint64_t begin = all.calls.begin_ticks[call];
    window.end_ticks = finalized ? std::max(window.end_ticks, begin) : begin;
    finalized = true;
    ++finalizing;
  }
  // The others do so behind the part.
  if (trace.whole && finalizing < all.calls.lanes.size()) window.end_ticks = trace.end_ticks;
  window.end_ticks = std::max(window.begin_ticks, window.end_ticks);
  return window;
}

Window steps_window(const StepWindows& steps, const Window& program) {
  Window window{UINT64_MAX, 0};
  std::vector<uint32_t> numbers;
  for (const auto& of_rank : steps) {
    for (const trace::StepWindow& step : of_rank) {
      numbers.push_back(step.step);
      window.begin_ticks = std::min(window.begin_ticks, step.begin_ticks);
      window.end_ticks = std::max(window.end_ticks, step.end_ticks);
    }
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  constexpr size_t kLeast = 3;
  if (numbers.size() < kLeast) return program;
  window.begin_ticks = std::max(window.begin_ticks, program.begin_ticks);
  window.end_ticks = std::min(window.end_ticks, program.end_ticks);
  const bool most = window.begin_ticks < window.end_ticks && 2 * window.ticks() >= program.ticks();
  return most ? window : program;
}

Model model(const trace::Trace& trace, const comm::Dependencies& all, const Window& window,
            StepWindows steps, base::ThreadPool& pool, const std::optional<Window>& part) {
  const Window modelled = part.value_or(window);
  Model result{.trace = &trace,
               .all = &all,
               .window = window,
               .part = modelled,
               .lanes = lanes_of(trace, all, modelled, modelled.end_ticks == window.end_ticks)};
  result.step_windows = std::move(steps);
  for (const auto& of_rank : result.step_windows) {
    for (const trace::StepWindow& step : of_rank) {
      // A part knows few of the others: they must not count here and be missing there.
      const bool in_window =
          step.begin_ticks < window.end_ticks && step.end_ticks > window.begin_ticks;
      if (in_window) result.steps.push_back(step.step);
    }
  }
  std::sort(result.steps.begin(), result.steps.end());
  result.steps.erase(std::unique(result.steps.begin(), result.steps.end()), result.steps.end());
  const std::vector<trace::CallClass> classes = trace::call_classes(trace.definitions);
  lay_out(result);
  std::vector<LanePart> parts(result.lanes.size());
  pool.for_each(parts.size(), [&](size_t lane) {
    if (!result.lanes[lane].recorded) return;
    const uint32_t rank = all.calls.lanes[lane].rank;
    Cutter(result, lane, classes, result.step_windows[rank], result.steps, parts[lane]).run();
  });
  join(parts, result, pool);
  return result;
}

std::vector<LaneTime> lane_times(const Model& model) {
  const comm::MpiCalls& calls = model.all->calls;
  std::vector<LaneTime> times(model.lanes.size());
  for (size_t lane = 0; lane < times.size(); ++lane) {
    const Model::Lane& of = model.lanes[lane];
    if (!of.recorded) continue;
    LaneTime& time = times[lane];
    time.rest_ticks = of.begin_ticks - model.part.begin_ticks;
    for (uint32_t call = of.first_call; call < of.end_call; ++call) {
      const uint64_t wait = model.wait_ticks(call);
      const uint64_t rest = model.end(call) - model.begin(call) - wait;
      time.wait_ticks += wait;
      if (!calls.is(call, comm::kPolls)) {
        time.rest_ticks += rest;
        continue;
      }
      time.polling_ticks += rest;
      const uint64_t unknown =
          calls.is(call, comm::kMeasured) ? calls.poll_work_ticks(call) : wait + rest;
      const uint64_t in_wait = std::min(unknown, wait);
      time.unknown_wait_ticks += in_wait;
      time.unknown_polling_ticks += std::min(unknown - in_wait, rest);
    }
    const size_t begin = model.first_piece[Model::gap(of.first_call, lane)];
    const size_t end = model.first_piece[Model::gap(of.end_call, lane) + 1];
    for (size_t i = begin; i < end; ++i) time.useful_ticks += model.piece_ticks[i];
  }
  return times;
}

}  // namespace pathline::findings
