// SPDX-License-Identifier: BSD-3-Clause
#include "trace/cut_location.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace pathline::trace {
namespace {

constexpr uint32_t kNone = UINT32_MAX;

/// What becomes of the events that begin or end a request or an operation across an edge.
struct Crossing {
  std::vector<uint32_t> reopened;   ///< Begun before the part, ended inside.
  std::vector<uint32_t> left_out;   ///< Events inside that the part goes without.
  std::vector<uint32_t> cancelled;  ///< Sends inside that are cancelled inside.
  /// Ends of collective operations inside, and the events that began them; only if asked for.
  std::vector<std::pair<uint32_t, uint32_t>> collectives;
};

/// Follows requests and operations from beginning to end.
class CrossingFinder {
 public:
  CrossingFinder(const Events& events, uint32_t begin, uint32_t end, bool lists_collectives)
      : events_(events), begin_(begin), end_(end), lists_collectives_(lists_collectives) {}

  Crossing run() {
    for (uint32_t i = 0; i < events_.size(); ++i) follow(i);
    const auto in = [](const std::vector<uint32_t>& sorted, uint32_t i) {
      return std::binary_search(sorted.begin(), sorted.end(), i);
    };
    std::sort(found_.reopened.begin(), found_.reopened.end());
    std::sort(found_.left_out.begin(), found_.left_out.end());
    std::vector<uint32_t> tests;
    for (const auto& [beginning, test] : tests_) {
      const bool there =
          beginning < begin_ ? in(found_.reopened, beginning) : !in(found_.left_out, beginning);
      if (!there) tests.push_back(test);
    }
    found_.left_out.insert(found_.left_out.end(), tests.begin(), tests.end());
    std::sort(found_.left_out.begin(), found_.left_out.end());
    std::sort(found_.cancelled.begin(), found_.cancelled.end());
    return std::move(found_);
  }

 private:
  using Key = std::pair<uint32_t, uint64_t>;  // Handle or window, and number of the operation.

  void follow(uint32_t i) {
    switch (events_.kind[i]) {
      case EventKind::kEnter:
      case EventKind::kLeave: break;
      case EventKind::kMpiIsend: requests_[events_.point_to_point(i).request] = i; break;
      case EventKind::kMpiIrecvRequest:
      case EventKind::kNonBlockingCollectiveRequest: requests_[events_.word64(i)] = i; break;
      case EventKind::kMpiIsendComplete:
      case EventKind::kMpiRequestCancelled: end_request(events_.word64(i), i); break;
      case EventKind::kMpiIrecv: end_request(events_.point_to_point(i).request, i); break;
      case EventKind::kNonBlockingCollectiveComplete: end_request(events_.word64(i, 7), i); break;
      case EventKind::kMpiRequestTest:
        if (const auto request = requests_.find(events_.word64(i)); request != requests_.end()) {
          add_test(request->second, i);
        }
        break;
      case EventKind::kMpiCollectiveBegin: collectives_.push_back(i); break;
      case EventKind::kRmaCollectiveBegin: rma_collectives_.push_back(i); break;
      case EventKind::kMpiCollectiveEnd: end_innermost(collectives_, i); break;
      case EventKind::kRmaCollectiveEnd: end_innermost(rma_collectives_, i); break;
      case EventKind::kRmaPut:
      case EventKind::kRmaGet: rma_[{events_.fields(i)[0], events_.word64(i, 4)}] = i; break;
      case EventKind::kRmaAtomic: rma_[{events_.fields(i)[0], events_.word64(i, 7)}] = i; break;
      case EventKind::kRmaOpCompleteBlocking:
      case EventKind::kRmaOpCompleteNonBlocking:
      case EventKind::kRmaOpCompleteRemote:
      case EventKind::kRmaOpTest: {
        // One operation may be complete locally, then remotely: its end does not close it.
        const auto begun = rma_.find({events_.fields(i)[0], events_.word64(i, 1)});
        if (begun != rma_.end()) end_operation(begun->second, i);
        break;
      }
      case EventKind::kIoOperationBegin:
        io_[{events_.fields(i)[0], events_.word64(i, 5)}].push_back(i);
        break;
      case EventKind::kIoOperationComplete: end_innermost(io_of(i, 3), i); break;
      case EventKind::kIoOperationCancelled: end_innermost(io_of(i, 1), i); break;
      case EventKind::kIoOperationTest:
      case EventKind::kIoOperationIssued:
        if (const auto& open = io_of(i, 1); !open.empty()) add_test(open.back(), i);
        break;
      default: break;
    }
  }

  [[nodiscard]] bool inside(uint32_t i) const { return i >= begin_ && i < end_; }

  std::vector<uint32_t>& io_of(uint32_t i, size_t matching) {
    return io_[{events_.fields(i)[0], events_.word64(i, matching)}];
  }
  void add_test(uint32_t beginning, uint32_t i) {
    if (inside(i)) tests_.emplace_back(beginning, i);
  }
  void end_request(uint64_t request, uint32_t i) {
    const auto begun = requests_.find(request);
    if (begun == requests_.end()) return;
    end_operation(begun->second, i);
    requests_.erase(begun);
  }
  void end_innermost(std::vector<uint32_t>& open, uint32_t i) {
    if (open.empty()) return;
    end_operation(open.back(), i);
    open.pop_back();
  }
  void end_operation(uint32_t beginning, uint32_t i) {
    // A send or RMA operation is an event of its own; other beginnings only announce their end.
    const EventKind kind = events_.kind[beginning];
    const bool happens = kind == EventKind::kMpiIsend || kind == EventKind::kRmaPut ||
                         kind == EventKind::kRmaGet || kind == EventKind::kRmaAtomic;
    if (beginning < begin_ && inside(i))
      (happens ? found_.left_out : found_.reopened).push_back(happens ? i : beginning);
    // A send that is cancelled never happened: without the end nobody would know.
    const bool undone = events_.kind[i] == EventKind::kMpiRequestCancelled;
    if (inside(beginning) && i >= end_ && (!happens || undone)) {
      found_.left_out.push_back(beginning);
    }
    if (inside(beginning) && inside(i) && happens && undone) found_.cancelled.push_back(beginning);
    if (lists_collectives_ && inside(i) &&
        (kind == EventKind::kMpiCollectiveBegin ||
         kind == EventKind::kNonBlockingCollectiveRequest)) {
      found_.collectives.emplace_back(i, beginning);
    }
  }

  const Events& events_;
  const uint32_t begin_;
  const uint32_t end_;
  const bool lists_collectives_;
  Crossing found_;
  std::vector<std::pair<uint32_t, uint32_t>> tests_;  // Beginning, and the event that asks for it.
  std::unordered_map<uint64_t, uint32_t> requests_;
  std::vector<uint32_t> collectives_;
  std::vector<uint32_t> rma_collectives_;
  std::map<Key, uint32_t> rma_;
  std::map<Key, std::vector<uint32_t>> io_;
};

class Cutter {
 public:
  Cutter(const CutPlan& plan, uint32_t location, LocationPlan own)
      : plan_(plan),
        location_(plan.trace.locations[location]),
        events_(location_.events),
        own_(std::move(own)) {}

  LocationCut run() {
    const auto size = static_cast<uint32_t>(events_.size());
    if (own_.begin == size || own_.end == 0) return std::move(result_);
    crossing_ = CrossingFinder(events_, own_.begin, own_.end, !own_.split.empty()).run();
    // An Enter for each Leave that has none, unless it can stay as it is.
    const bool is_cut = own_.begin > 0 || own_.end < size || !plan_.left_out.empty();
    const auto& earlier = events_.leaves_of_earlier_calls;
    for (size_t k = earlier.size(); k-- > 0;) {
      const Region region(events_.ref[earlier[k]]);
      open_.push_back({kNone, region, is_cut && is_kept(region)});
    }
    for (uint32_t i = 0; i < own_.end; ++i) {
      if (i == own_.begin) begin_part();
      add(i);
    }
    if (own_.begin == own_.end) begin_part();
    if (own_.end < size) end_part();
    result_.events = builder_.finish();
    return std::move(result_);
  }

 private:
  struct Open {
    uint32_t enter;  // Event; kNone for a call from before the first event.
    Region region;
    bool kept;
    bool is_context = false;
    uint32_t step = kNone;  // Event with the number of this time step.
  };

  [[nodiscard]] bool is_kept(Region region) const {
    return plan_.left_out.empty() || !plan_.left_out[region];
  }

  void begin_part() {
    const uint64_t ticks =
        own_.begin == 0 ? events_.ticks[0] : std::max(plan_.selection.from_ticks, events_.ticks[0]);
    constexpr uint32_t kOn = 1;
    for (uint64_t k = 0; k < own_.missed_resumes; ++k) {
      builder_.add(EventKind::kMeasurementOnOff, ticks, kOn);
    }
    if (on_off_ != kNone && events_.ref[on_off_] != kOn) copy(on_off_, ticks);
    for (const Open& call : open_) {
      if (!call.kept) continue;
      ++result_.reopened_calls;
      if (call.is_context) {
        copy(call.enter, ticks);
      } else {
        builder_.enter(ticks, call.region);
      }
      if (call.step != kNone) copy(call.step, ticks);
    }
    for (const uint32_t beginning : crossing_.reopened) copy(beginning, ticks);
  }

  void end_part() {
    const uint64_t ticks = plan_.selection.until_ticks;
    for (; !open_.empty(); open_.pop_back()) {
      const Open& call = open_.back();
      if (!call.kept) continue;
      if (call.is_context) {
        builder_.add(EventKind::kCallingContextLeave, ticks, events_.fields(call.enter)[0]);
      } else {
        builder_.leave(ticks, call.region);
      }
    }
  }

  void add(uint32_t i) {
    const bool inside = i >= own_.begin;
    const uint64_t ticks = events_.ticks[i];
    switch (events_.kind[i]) {
      case EventKind::kEnter: {
        const Region region(events_.ref[i]);
        open_.push_back({i, region, is_kept(region)});
        if (!inside || !open_.back().kept) return;
        builder_.enter(ticks, region);
        return add_attributes(i);
      }
      case EventKind::kLeave: return leave(i, inside);
      case EventKind::kUnmatchedLeave: return unmatched_leave(i, inside);
      case EventKind::kCallingContextEnter: open_.push_back({i, Region::none(), true, true}); break;
      case EventKind::kCallingContextLeave:
        if (!open_.empty() && open_.back().is_context) open_.pop_back();
        break;
      case EventKind::kParameterInt:
      case EventKind::kParameterUnsignedInt:
        if (!inside) note_step(i);
        break;
      case EventKind::kMeasurementOnOff: on_off_ = i; break;
      default: break;
    }
    if (!inside) return;
    while (next_left_out_ < crossing_.left_out.size() && crossing_.left_out[next_left_out_] < i) {
      ++next_left_out_;
    }
    if (next_left_out_ < crossing_.left_out.size() && crossing_.left_out[next_left_out_] == i)
      return;
    add_inside(i);
    add_attributes(i);
  }

  void leave(uint32_t i, bool inside) {
    const uint64_t ticks = events_.ticks[i];
    const uint32_t enter = events_.ref[i];
    const Region region = events_.region(i);
    const bool kept = is_kept(region);
    for (; !open_.empty() && open_.back().enter != enter; open_.pop_back()) {
      // Calls inside whose Leave got lost would end with a call that the part does not have.
      const Open& lost = open_.back();
      if (inside && !kept && lost.kept && !lost.is_context) builder_.leave(ticks, lost.region);
    }
    if (!open_.empty()) open_.pop_back();
    if (!inside || !kept) return;
    builder_.leave(ticks, region);
    add_attributes(i);
  }

  void unmatched_leave(uint32_t i, bool inside) {
    const auto& earlier = events_.leaves_of_earlier_calls;
    const Region region = events_.region(i);
    if (next_earlier_ < earlier.size() && earlier[next_earlier_] == i) {
      ++next_earlier_;
      while (open_.back().enter != kNone) open_.pop_back();
      open_.pop_back();
    } else if (!plan_.left_out.empty()) {
      return;  // It contradicted calls that may not be there now.
    }
    if (!inside || !is_kept(region)) return;
    builder_.leave(events_.ticks[i], region);
    add_attributes(i);
  }

  /// A time step keeps its number although that is recorded but once.
  void note_step(uint32_t i) {
    if (plan_.trace.definitions.parameter_name(events_.fields(i)[0]) != "step") return;
    const auto step = std::find_if(open_.rbegin(), open_.rend(), [&](const Open& call) {
      return !call.is_context && call.region == plan_.step_marker;
    });
    if (step != open_.rend() && step->step == kNone) step->step = i;
  }

  void add_inside(uint32_t i) {
    uint32_t* const words = copy(i, events_.ticks[i]);
    switch (events_.kind[i]) {
      case EventKind::kMpiSend:
      case EventKind::kMpiIsend: add_end(i, result_.lost_sends, 0); break;
      case EventKind::kMpiRecv:
      case EventKind::kMpiIrecv: add_end(i, result_.lost_receives, 1); break;
      case EventKind::kMpiCollectiveEnd:
      case EventKind::kNonBlockingCollectiveComplete: split(i, words); break;
      default: break;
    }
  }

  /// Gives half a message the communicator for such.
  void add_end(uint32_t i, uint64_t& lost, uint32_t is_receive) {
    if (own_.whole[i - own_.begin]) return;
    if (std::binary_search(crossing_.cancelled.begin(), crossing_.cancelled.end(), i)) return;
    ++lost;
    const PointToPoint point = events_.point_to_point(i);
    const uint32_t comm = plan_.trace.definitions.communicator_index(point.comm);
    if (comm == kNone || !location_.rank.valid()) return;
    const Rank peer = plan_.members.resolve(comm, point.peer, location_);
    if (!peer.valid() || !plan_.selection.has_rank(peer)) return;
    const auto at = static_cast<uint32_t>(builder_.word_count() - event_words(events_.kind[i]) + 1);
    result_.half_comms.emplace_back(at, 2 * comm + is_receive);
  }

  void split(uint32_t i, uint32_t* words) {
    const uint32_t comm = plan_.trace.definitions.communicator_index(words[1]);
    const auto begun = std::lower_bound(crossing_.collectives.begin(), crossing_.collectives.end(),
                                        std::pair{i, uint32_t{0}});
    const bool is_known = begun != crossing_.collectives.end() && begun->first == i;
    const uint64_t begin_ticks = events_.ticks[is_known ? begun->second : i];
    // Several may end together, as in an MPI_Waitall.
    const auto found = std::find_if(own_.split.begin(), own_.split.end(), [&](const auto& part) {
      return part.comm == comm && part.begin_ticks == begin_ticks &&
             part.end_ticks == events_.ticks[i];
    });
    if (found == own_.split.end()) return;
    words[1] = found->new_comm;
    own_.split.erase(found);
  }

  /// returns the words of the copy, nullptr for a kind with at most one.
  uint32_t* copy(uint32_t i, uint64_t ticks) {
    const EventKind kind = events_.kind[i];
    if (event_words(kind) < 2) {
      builder_.add(kind, ticks, event_words(kind) == 0 ? 0 : events_.ref[i]);
      return nullptr;
    }
    const auto fields = events_.fields(i);
    uint32_t* const words = builder_.add_words(kind, ticks, fields.size());
    std::copy(fields.begin(), fields.end(), words);
    return words;
  }

  void add_attributes(uint32_t i) {
    const Attributes& all = events_.attributes;
    while (next_attribute_ < all.event.size() && all.event[next_attribute_] < i) ++next_attribute_;
    for (; next_attribute_ < all.event.size() && all.event[next_attribute_] == i;
         ++next_attribute_) {
      builder_.attribute(all.attribute[next_attribute_], all.type[next_attribute_],
                         all.value[next_attribute_]);
    }
  }

  const CutPlan& plan_;
  const Location& location_;
  const Events& events_;
  LocationPlan own_;
  EventsBuilder builder_;
  Crossing crossing_;
  LocationCut result_;
  std::vector<Open> open_;   // Outermost first.
  uint32_t on_off_ = kNone;  // The last switch of the recording.
  size_t next_earlier_ = 0;
  size_t next_left_out_ = 0;
  size_t next_attribute_ = 0;
};

}  // namespace

LocationCut cut_location(const CutPlan& plan, uint32_t location, LocationPlan own) {
  return Cutter(plan, location, std::move(own)).run();
}

}  // namespace pathline::trace
