// SPDX-License-Identifier: BSD-3-Clause
#include "app/describe_steps.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "base/text.hpp"
#include "trace/calls.hpp"
#include "trace/outer_calls.hpp"
#include "trace/ranks.hpp"

namespace pathline::app {
namespace {

using trace::EventKind;

/// Whose time is not the program's own.
std::vector<bool> foreign_regions(const trace::Definitions& definitions) {
  const std::vector<trace::CallClass> classes = trace::call_classes(definitions);
  std::vector<bool> foreign(classes.size());
  for (size_t i = 0; i < classes.size(); ++i) {
    foreign[i] = classes[i] != trace::CallClass::kOther ||
                 definitions.regions[i].paradigm == trace::kParadigmMeasurementSystem;
  }
  return foreign;
}

/// Communicators of windows of memory, by the id of the window.
std::map<uint32_t, uint32_t> communicators_of_windows(const trace::Definitions& definitions) {
  std::map<uint32_t, uint32_t> communicators;
  for (size_t i = 0; i < definitions.size(); ++i) {
    if (definitions.kind(i) != trace::DefinitionKind::kRmaWin) continue;
    const auto words = definitions.words(i);
    const uint32_t communicator = definitions.communicator_index(words[2]);
    if (communicator != trace::kUndefined) communicators[words[0]] = communicator;
  }
  return communicators;
}

/// What is the same for all ranks.
struct Tables {
  explicit Tables(const trace::Trace& of)
      : trace(of),
        foreign(foreign_regions(of.definitions)),
        windows(communicators_of_windows(of.definitions)),
        communicators(of) {}
  const trace::Trace& trace;
  std::vector<bool> foreign;
  std::map<uint32_t, uint32_t> windows;
  trace::CommunicatorRanks communicators;
};

/// Goes through the events of one rank.
class Walk {
 public:
  /// steps  the times at which the steps begin that are looked at.
  Walk(const Tables& tables, const trace::Location& location, const std::vector<uint64_t>& steps)
      : tables_(tables),
        definitions_(tables.trace.definitions),
        location_(location),
        events_(location.events),
        steps_(steps) {
    found.communicates.resize(definitions_.regions.size());
    found.of_rank.emplace_back();
  }

  void run() {
    for (uint32_t i = 0; i < events_.size(); ++i) {
      pass(events_.ticks[i]);
      switch (events_.kind[i]) {
        case EventKind::kEnter: enter(i); break;
        case EventKind::kLeave:
          // A Leave of an earlier call takes the calls inside with it whose Leave got lost.
          while (!open_.empty() && open_.back().enter >= events_.ref[i]) leave();
          break;
        default:
          if (in_step_ || !pending_.empty() || events_.kind[i] == EventKind::kMpiIrecvRequest) {
            other(i);
          }
      }
    }
    if (in_step_) end_step();
  }

  RankSteps found;  ///< With one entry in of_rank.

 private:
  struct Call {
    uint32_t enter;
    uint32_t region;
    bool foreign;
  };

  [[nodiscard]] bool in_foreign() const { return foreign_depth_ > 0; }
  [[nodiscard]] RankStep& step() { return found.of_rank[0].back(); }

  /// The innermost region that is the program's own and was entered inside of the step.
  [[nodiscard]] uint32_t innermost() const {
    for (size_t i = open_.size(); i-- > step_depth_;) {
      if (!open_[i].foreign) return open_[i].region;
    }
    return kNoRegion;
  }

  /// Time goes on to `ticks`.
  void pass(uint64_t ticks) {
    const uint64_t from = std::max(now_, flushed_until_);
    now_ = std::max(now_, ticks);
    if (!in_step_ || in_foreign() || now_ <= from) return;
    std::vector<WorkPiece>& pieces = step().work.back();
    const uint32_t region = innermost();
    for (WorkPiece& piece : pieces) {
      if (piece.region != region) continue;
      piece.ticks += now_ - from;
      return;
    }
    pieces.push_back({region, now_ - from});
  }

  void enter(uint32_t event) {
    const auto region = static_cast<uint32_t>(events_.region(event));
    const bool foreign = region < tables_.foreign.size() && tables_.foreign[region];
    open_.push_back({event, region, foreign});
    if (!in_step_ && next_step_ < steps_.size() && now_ == steps_[next_step_] &&
        region < definitions_.regions.size() && definitions_.regions[region].name == "time step") {
      ++next_step_;
      in_step_ = true;
      step_depth_ = open_.size();
      step_begin_ = now_;
      found.of_rank[0].emplace_back();
    }
    if (foreign && ++foreign_depth_ == 1) call_sends_ = 0;
  }

  void leave() {
    const Call call = open_.back();
    open_.pop_back();
    if (in_step_ && open_.size() + 1 == step_depth_) end_step();
    if (!call.foreign || --foreign_depth_ > 0) return;
    if (definitions_.regions[call.region].name.starts_with("MPI_Win_")) is_putting_ = false;
    close_if_done();
  }

  void end_step() {
    if (in_group_ && !(awaited_.empty() && !is_putting_)) ++found.unfinished;
    close_group();
    step().ticks = now_ - step_begin_;
    in_step_ = false;
  }

  [[nodiscard]] std::string_view call_name() const {
    for (const Call& call : open_) {
      if (call.foreign) return definitions_.regions[call.region].name;
    }
    return "MPI";
  }

  void communicates() {
    if (const uint32_t region = innermost(); region != kNoRegion) found.communicates[region] = true;
  }

  /// A collective or a file, which the description leaves out.
  void leave_out() { ++found.other_calls[std::string(call_name())]; }

  void close_group() {
    if (!in_group_) return;
    in_group_ = false;
    is_putting_ = false;
    awaited_.clear();
    step().work.emplace_back();
  }
  void close_if_done() {
    if (in_group_ && awaited_.empty() && !is_putting_) close_group();
  }

  /// returns  whether it belongs to a group: it is sent inside of a step, and to a rank.
  bool send(trace::Rank to, uint64_t bytes, uint32_t tag, bool is_together,
            std::optional<uint64_t> request = std::nullopt) {
    if (!in_step_ || !to.valid()) return false;
    communicates();
    if (!in_group_) {
      step().groups.emplace_back();
      step().work.emplace_back();
      in_group_ = true;
    }
    MessageGroup& group = step().groups.back();
    group.sends.push_back({static_cast<uint32_t>(to), bytes, tag});
    group.together = group.together || is_together || !pending_.empty();
    awaited_.insert(pending_.begin(), pending_.end());
    if (request) awaited_.insert(*request);
    ++call_sends_;
    if (!in_foreign()) close_if_done();  // Nobody recorded the calls.
    return true;
  }

  /// In MPI_Sendrecv the send has come first.
  void receive(trace::Rank from) {
    if (!in_step_) return;
    communicates();
    if (!in_group_ || !in_foreign() || !from.valid()) return;
    auto& sends = step().groups.back().sends;
    const size_t begin = sends.size() - std::min(sends.size(), call_sends_);
    for (size_t i = begin; i < sends.size(); ++i) {
      if (sends[i].to == static_cast<uint32_t>(from)) sends[i].answered = true;
    }
  }

  void complete(uint64_t request) {
    pending_.erase(request);
    awaited_.erase(request);
    if (!in_foreign()) close_if_done();
  }

  [[nodiscard]] trace::Rank peer(const trace::PointToPoint& end) const {
    const uint32_t communicator = definitions_.communicator_index(end.comm);
    if (communicator == trace::kUndefined) return trace::Rank::none();
    return tables_.communicators.resolve(communicator, end.peer, location_);
  }

  void other(uint32_t i) {
    switch (events_.kind[i]) {
      case EventKind::kMpiSend: {
        const trace::PointToPoint end = events_.point_to_point(i);
        send(peer(end), end.bytes, end.tag, false);
        break;
      }
      case EventKind::kMpiIsend: {
        const trace::PointToPoint end = events_.point_to_point(i);
        send(peer(end), end.bytes, end.tag, true, end.request);
        break;
      }
      case EventKind::kMpiRecv: receive(peer(events_.point_to_point(i))); break;
      case EventKind::kMpiIrecv: {
        if (in_step_) communicates();
        complete(events_.point_to_point(i).request);
        break;
      }
      case EventKind::kMpiIrecvRequest: pending_.insert(events_.word64(i)); break;
      case EventKind::kMpiIsendComplete:
      case EventKind::kMpiRequestCancelled: complete(events_.word64(i)); break;
      case EventKind::kRmaPut: {
        const auto fields = events_.fields(i);
        const auto window = tables_.windows.find(fields[0]);
        if (window == tables_.windows.end()) break;
        const trace::Rank target =
            tables_.communicators.resolve(window->second, fields[1], location_);
        if (!send(target, events_.word64(i, 2), 0, true)) break;
        ++found.puts;
        is_putting_ = in_group_;
        break;
      }
      case EventKind::kRmaGet:
        if (in_step_) ++found.gets;
        break;
      case EventKind::kParameterUnsignedInt: {
        // A neighbourhood collective tells whom it sends to, and then what.
        const std::string_view name = definitions_.parameter_name(events_.fields(i)[0]);
        const uint64_t value = events_.word64(i, 1);
        if (name == trace::kNeighbor) neighbor_ = value;
        if (name != trace::kNeighborBytes || neighbor_ >= tables_.trace.rank_count) break;
        send(trace::Rank(static_cast<uint32_t>(neighbor_)), value, 0, true);
        neighbor_ = UINT64_MAX;
        break;
      }
      case EventKind::kMpiCollectiveEnd:
      case EventKind::kNonBlockingCollectiveComplete:
        if (!in_step_) break;
        communicates();
        if (call_sends_ == 0 || !in_foreign()) leave_out();
        break;
      case EventKind::kIoOperationBegin:
        if (in_step_) leave_out();
        break;
      case EventKind::kBufferFlush: flushed_until_ = events_.word64(i); break;
      default: break;
    }
  }

  const Tables& tables_;
  const trace::Definitions& definitions_;
  const trace::Location& location_;
  const trace::Events& events_;
  const std::vector<uint64_t>& steps_;

  std::vector<Call> open_;
  size_t foreign_depth_ = 0;
  size_t step_depth_ = 0;  // Calls that are open where the step begins, with its own.
  size_t next_step_ = 0;
  bool in_step_ = false;
  uint64_t step_begin_ = 0;
  uint64_t now_ = 0;
  uint64_t flushed_until_ = 0;  // The recorder wrote its buffer.

  bool in_group_ = false;
  bool is_putting_ = false;
  size_t call_sends_ = 0;  // Of the outermost call that is open.
  uint64_t neighbor_ = UINT64_MAX;
  std::set<uint64_t> pending_;  // Receives that were posted.
  std::set<uint64_t> awaited_;  // Requests that end the group when all are complete.
};

}  // namespace

uint64_t RankSteps::count() const {
  uint64_t count = 0;
  for (const std::vector<RankStep>& steps : of_rank) count += steps.size();
  return count;
}

base::Result<RankSteps> rank_steps(const trace::Trace& trace, base::ThreadPool& pool) {
  const auto marked = trace::marked_steps(trace);
  std::vector<std::vector<uint64_t>> begins(marked.size());
  size_t most = 0;
  for (size_t rank = 0; rank < marked.size(); ++rank) {
    uint64_t end = 0;
    for (const trace::StepWindow& window : marked[rank]) {
      // A step inside of another one belongs to that.
      if (window.begin_ticks < end || !window.recorded) continue;
      begins[rank].push_back(window.begin_ticks);
      end = window.end_ticks;
    }
    most = std::max(most, begins[rank].size());
  }
  const std::string advice =
      "The program can mark them by pathline_step(), or 'pathline record --step-marker' names a "
      "call that starts one.";
  if (most == 0) {
    return base::Error{base::ErrorCode::kNotFound,
                       "no time steps are marked, and only they can be described", advice};
  }
  if (most < 3) {
    return base::Error{
        base::ErrorCode::kNotFound,
        fmt::format("{} marked, expected three or more: the first and the last are left out",
                    base::counted(most, "time step is", "time steps are")),
        advice};
  }
  const Tables tables(trace);
  std::vector<RankSteps> found(trace.rank_count);
  pool.for_each(trace.rank_count, [&](size_t rank) {
    std::vector<uint64_t>& of_rank = begins[rank];
    found[rank].of_rank.emplace_back();
    if (of_rank.size() < 3) return;
    of_rank.pop_back();
    of_rank.erase(of_rank.begin());
    Walk walk(tables, trace.locations[trace.rank_location[rank]], of_rank);
    walk.run();
    found[rank] = std::move(walk.found);
  });

  RankSteps all;
  all.communicates.resize(trace.definitions.regions.size());
  for (RankSteps& rank : found) {
    all.of_rank.push_back(std::move(rank.of_rank[0]));
    for (size_t i = 0; i < rank.communicates.size(); ++i) {
      if (rank.communicates[i]) all.communicates[i] = true;
    }
    for (const auto& [name, count] : rank.other_calls) all.other_calls[name] += count;
    all.puts += rank.puts;
    all.gets += rank.gets;
    all.unfinished += rank.unfinished;
  }
  const trace::Messages& messages = trace.messages;
  for (size_t i = 0; i < messages.size(); ++i) {
    if (messages.send_location[i] != trace.rank_location[messages.sender[i]]) {
      ++all.of_other_threads;
    }
  }
  return all;
}

}  // namespace pathline::app
