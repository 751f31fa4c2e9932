// SPDX-License-Identifier: BSD-3-Clause
//
// Long because of one switch over all kinds of records.
#include "raw/stream.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace pathline::raw {
namespace {

using chunk::Record;
using chunk::RecordKind;
using trace::EventKind;
using trace::Region;

constexpr size_t kMostUndefined = 256;  // Of one kind in one stream; further ones share the last.
constexpr uint8_t kTypeDouble = 10;
uint32_t narrow(uint64_t value) {
  return static_cast<uint32_t>(std::min<uint64_t>(value, UINT32_MAX));
}

/// `whole` times part / all, at most `whole`.
uint64_t part_of(uint64_t whole, uint64_t part, uint64_t all) {
  if (part >= all) return all == 0 ? 0 : whole;
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>(Wide{whole} * part / all);
}

class StreamReader {
 public:
  StreamReader(const Process& process, const chunk::StreamChunks& stream,
               const ProcessNames& of_process, const RunNames& names)
      : process_(process),
        chunks_(stream),
        ids_(of_process),
        names_(names),
        offsets_(process.offsets) {}

  Stream read() {
    size_t bytes = 0;
    for (const chunk::Chunk& chunk : chunks_.chunks) bytes += chunk.payload.size();
    // An enter or leave takes 4 bytes as a rule, others more.
    events_.reserve(bytes / 5 + 16);
    uint64_t expected = 0;
    for (const chunk::Chunk& chunk : chunks_.chunks) {
      if (chunk.sequence != expected) {
        if (expected == 0) {
          out_.begins_late = true;
        } else if (chunk.sequence > expected) {
          out_.missing_chunks += chunk.sequence - expected;
        }
      }
      expected = uint64_t{chunk.sequence} + 1;
      chunk::RecordReader reader(chunk);
      Record record;
      while (reader.next(record)) {
        if (!chunk::kRecordShapes[static_cast<uint8_t>(record.kind)].timed) {
          ++out_.dropped_records;  // A definition does not belong here.
          continue;
        }
        ++records_;
        const uint64_t time = now(record.ticks);
        begin_program(time);
        take(record, time);
      }
      if (*reader.fault() != '\0') {
        out_.problems.push_back(fmt::format("{}: offset {}: {}", process_.file.path().string(),
                                            reader.offset(), reader.fault()));
      }
    }
    out_.open_calls = open_.size() - (step_depth_ > 0 ? 1 : 0);
    if (!open_.empty()) out_.died_in = open_.back();
    const uint64_t end = std::max(last_ns_, process_.end_ns);
    while (!teams_.empty()) end_team(end);
    close_down_to(0, end);
    if (in_program_) events_.leave(end, Region(process_.program_region));
    out_.events = events_.finish();
    return std::move(out_);
  }

 private:
  /// The first thread of a process is in the program from its first event to its last, so that what
  /// is no call that was recorded has a name. In a ring that lost its beginning calls end that
  /// began before: those would not nest.
  void begin_program(uint64_t time) {
    if (records_ != 1 || chunks_.stream != 0 || out_.begins_late ||
        process_.program_region == UINT32_MAX) {
      return;
    }
    events_.enter(time, Region(process_.program_region));
    in_program_ = true;
  }

  uint64_t now(uint64_t ticks) {
    const uint64_t global = offsets_.global_ns(process_.clock.ns(ticks, hint_));
    last_ns_ = std::max(last_ns_, global);
    return last_ns_;
  }
  /// Time of a moment that may lie elsewhere than the records around.
  [[nodiscard]] uint64_t time_of(uint64_t ticks) const {
    OffsetClock offsets(process_.offsets);
    return offsets.global_ns(process_.clock.ns(ticks));
  }

  uint32_t number(Entity entity, uint64_t id) {
    const auto kind = static_cast<size_t>(entity);
    const uint32_t known = ids_.tables[kind].find(id);
    if (known != UINT32_MAX) return known;
    std::vector<uint64_t>& list = out_.undefined[kind];
    auto found = std::find(list.begin(), list.end(), id);
    if (found == list.end()) {
      if (list.size() < kMostUndefined)
        list.push_back(list.size() + 1 < kMostUndefined ? id : UINT64_MAX);
      found = list.end() - 1;
    }
    return kPlaceholder + static_cast<uint32_t>(found - list.begin());
  }
  uint32_t comm(uint64_t id) { return number(Entity::kCommunicator, id); }
  uint32_t win(uint64_t id) { return number(Entity::kWindow, id); }
  uint32_t handle(uint64_t id) { return number(Entity::kIoHandle, id); }

  trace::WordWriter words(EventKind kind, uint64_t time) {
    return trace::WordWriter(events_.add_words(kind, time, trace::event_words(kind)));
  }

  // Calls and steps.
  void enter(uint64_t time, uint32_t region) {
    open_.push_back(region);
    count_of(region)++;
    events_.enter(time, Region(region));
  }
  void leave_top(uint64_t time) {
    const uint32_t region = open_.back();
    open_.pop_back();
    --count_of(region);
    if (open_.size() < step_depth_) step_depth_ = 0;
    events_.leave(time, Region(region));
  }
  void close_down_to(size_t depth, uint64_t time) {
    while (open_.size() > depth) leave_top(time);
  }
  void leave(uint64_t time, uint32_t region) {
    if (!open_.empty() && open_.back() == region) [[likely]] {
      leave_top(time);
      return;
    }
    // A step that is all that lies between ends with the call around it.
    if (step_depth_ > 0 && open_.size() == step_depth_ &&
        (step_depth_ == 1 || open_[step_depth_ - 2] == region)) {
      leave_top(time);
      leave(time, region);
      return;
    }
    if (count_of(region) > 0) {
      // Leaves of the calls inside got lost: they end here too.
      while (open_.back() != region) {
        if (open_.size() != step_depth_) ++out_.stray_leaves;
        leave_top(time);
      }
      leave_top(time);
    } else if (open_.empty()) {
      events_.leave(time, Region(region));  // Of a call that began before the recording.
    } else {
      ++out_.stray_leaves;
    }
  }
  uint64_t& count_of(uint32_t region) {
    if (region >= kPlaceholder) {
      const size_t index = region - kPlaceholder;
      if (index >= undefined_counts_.size()) undefined_counts_.resize(index + 1);
      return undefined_counts_[index];
    }
    if (region >= counts_.size()) counts_.resize(names_.region_names.size());
    return counts_[region];
  }

  /// Ends the open step, if there is one, and the calls in it, which `inside` receives.
  /// returns  false if that would be one time too many.
  bool end_step(uint64_t time, std::vector<uint32_t>& inside) {
    if (step_depth_ == 0) return true;
    const size_t count = open_.size() - step_depth_;
    // A damaged file must not make many events of few bytes.
    if (count > 0 && (cut_calls_ += count) > 1024 + records_) return false;
    inside.assign(open_.begin() + static_cast<ptrdiff_t>(step_depth_), open_.end());
    close_down_to(step_depth_ - 1, time);
    return true;
  }
  void enter_call(uint64_t time, uint32_t region) {
    // The last step ends where the program says that it has ended.
    if (region == names_.finalize_region && step_depth_ > 0) {
      std::vector<uint32_t> inside;
      if (end_step(time, inside)) {
        for (const uint32_t open : inside) enter(time, open);
      }
    }
    enter(time, region);
  }
  void step(uint64_t time, uint64_t number, uint64_t time_bits) {
    std::vector<uint32_t> inside;
    if (!end_step(time, inside)) {
      ++out_.skipped_steps;
      return;
    }
    enter(time, names_.step_region);
    step_depth_ = open_.size();
    events_.attribute(names_.time_attribute, kTypeDouble, time_bits);
    auto out = words(EventKind::kParameterInt, time);
    out.put(names_.step_parameter, 1);
    out.put(number, 2);
    for (const uint32_t region : inside) enter(time, region);
  }

  void polls(uint64_t time, uint64_t before, const Record& record) {
    const auto& n = record.numbers;
    const uint64_t ticks = record.ticks;
    const uint64_t begin = n[2] >= ticks ? before : std::clamp(time_of(ticks - n[2]), before, time);
    const uint32_t region = number(Entity::kRegion, n[0]);
    enter(begin, region);
    parameter(begin, names_.count_parameter, n[1]);
    if (record.kind == RecordKind::kPollsWithWork) {
      parameter(begin, names_.work_parameter, part_of(time - begin, n[3], n[2]));
    }
    leave(time, region);
  }
  void parameter(uint64_t time, uint32_t number, uint64_t value) {
    auto out = words(EventKind::kParameterUnsignedInt, time);
    out.put(number, 1);
    out.put(value, 2);
  }

  void metric(uint64_t time, const Record& record) {
    const uint32_t metric = ids_.metrics.find(record.numbers[0]);
    if (metric == UINT32_MAX || record.list.size() != names_.metric_sizes[metric]) {
      ++out_.dropped_records;
      return;
    }
    trace::WordWriter out(events_.add_words(EventKind::kMetric, time, 2 + 3 * record.list.size()));
    out.put(metric, 1);
    out.put(record.list.size(), 1);
    constexpr uint32_t kTypeUint64 = 4;
    for (const uint64_t value : record.list) {
      out.put(kTypeUint64, 1);
      out.put(value, 2);
    }
  }

  // Teams of OpenMP.
  struct Team {
    uint64_t number;
    bool is_first;       ///< This thread has made the team.
    bool begun = false;  ///< The thread is in it.
    bool has_tasks = false;
    size_t depth = 0;  ///< Calls that are open with the parallel region.
  };
  void fork(uint64_t time, uint64_t team, uint64_t threads) {
    teams_.push_back({.number = team, .is_first = true});
    auto out = words(EventKind::kThreadFork, time);
    out.put(trace::kParadigmOpenMp, 1);
    out.put(narrow(threads), 1);
  }
  void begin_team(uint64_t time, uint64_t team, uint64_t region_id) {
    if (teams_.empty() || teams_.back().number != team || teams_.back().begun) {
      teams_.push_back({.number = team, .is_first = false});
    }
    teams_.back().begun = true;
    teams_.back().has_tasks = ids_.has_tasks.find(region_id) != ids_.has_tasks.end();
    events_.add(EventKind::kThreadTeamBegin, time, ids_.team_comm);
    enter(time, number(Entity::kRegion, region_id));
    teams_.back().depth = open_.size();
  }
  /// This thread is done, and waits for the others.
  void wait_for_team(uint64_t time, uint64_t barrier_id) {
    if (teams_.empty() || !teams_.back().begun) {
      out_.dropped_records += out_.begins_late ? 0 : 1;
      return;
    }
    const Team team = teams_.back();
    close_down_to(team.depth, time);
    if (open_.size() == team.depth && !team.has_tasks && barrier_id != 0) {
      enter(time, number(Entity::kRegion, barrier_id));
    }
    if (team.is_first) return;
    const size_t first = events_.size();
    end_team(time);
    out_.team_ends.push_back({team.number, first, events_.size() - first});
  }
  void join(uint64_t time) {
    while (!teams_.empty() && !teams_.back().is_first) end_team(time);
    if (teams_.empty()) {
      out_.dropped_records += out_.begins_late ? 0 : 1;
      return;
    }
    out_.joins.push_back({teams_.back().number, time});
    end_team(time);
  }
  void end_team(uint64_t time) {
    const Team team = teams_.back();
    teams_.pop_back();
    if (team.begun) {
      if (open_.size() >= team.depth) close_down_to(team.depth - 1, time);
      events_.add(EventKind::kThreadTeamEnd, time, ids_.team_comm);
    }
    if (team.is_first) events_.add(EventKind::kThreadJoin, time, trace::kParadigmOpenMp);
  }
  /// Threads that wait in a barrier carry out tasks there: how long they wait is not known.
  [[nodiscard]] bool is_hidden(uint64_t region_id) const {
    return !teams_.empty() && teams_.back().has_tasks &&
           ids_.omp_barriers.find(region_id) != ids_.omp_barriers.end();
  }

  void take(const Record& record, uint64_t time);

  const Process& process_;
  const chunk::StreamChunks& chunks_;
  const ProcessNames& ids_;
  const RunNames& names_;
  OffsetClock offsets_;
  size_t hint_ = 0;
  uint64_t last_ns_ = 0;
  trace::EventsBuilder events_;
  Stream out_;
  std::vector<uint32_t> open_;                       // Regions of the open calls, outermost first.
  std::vector<uint64_t> counts_, undefined_counts_;  // How often each is open.
  bool in_program_ = false;
  std::vector<Team> teams_;  // The innermost last.
  size_t step_depth_ = 0;    // How many are open up to and with the step; 0 outside of steps.
  uint64_t records_ = 0;
  uint64_t cut_calls_ = 0;
  uint64_t last_event_ns_ = 0;
};

void StreamReader::take(const Record& record, uint64_t time) {
  const auto& n = record.numbers;
  const uint64_t before = std::exchange(last_event_ns_, time);
  switch (record.kind) {
    case RecordKind::kEnter:
      if (!is_hidden(n[0])) enter_call(time, number(Entity::kRegion, n[0]));
      break;
    case RecordKind::kLeave:
      if (!is_hidden(n[0])) leave(time, number(Entity::kRegion, n[0]));
      break;
    case RecordKind::kOmpFork: fork(time, n[0], n[1]); break;
    case RecordKind::kOmpBegin: begin_team(time, n[0], n[1]); break;
    case RecordKind::kOmpEnd: wait_for_team(time, n[0]); break;
    case RecordKind::kOmpJoin: join(time); break;
    case RecordKind::kSend:
    case RecordKind::kRecv:
    case RecordKind::kIsend:
    case RecordKind::kIrecv: {
      const bool nonblocking =
          record.kind == RecordKind::kIsend || record.kind == RecordKind::kIrecv;
      const EventKind kind = record.kind == RecordKind::kSend    ? EventKind::kMpiSend
                             : record.kind == RecordKind::kRecv  ? EventKind::kMpiRecv
                             : record.kind == RecordKind::kIsend ? EventKind::kMpiIsend
                                                                 : EventKind::kMpiIrecv;
      const uint32_t communicator = comm(n[0]);
      auto out = words(kind, time);
      out.put(narrow(n[1]), 1);
      out.put(communicator, 1);
      out.put(narrow(n[2]), 1);
      out.put(n[3], 2);
      if (nonblocking) out.put(n[4], 2);
      if (record.kind == RecordKind::kIsend) ++out_.open_requests;
      if (record.kind == RecordKind::kIrecv) --out_.open_requests;
      break;
    }
    case RecordKind::kIsendComplete:
      words(EventKind::kMpiIsendComplete, time).put(n[0], 2);
      --out_.open_requests;
      break;
    case RecordKind::kIrecvRequest:
      words(EventKind::kMpiIrecvRequest, time).put(n[0], 2);
      ++out_.open_requests;
      break;
    case RecordKind::kRequestTest: words(EventKind::kMpiRequestTest, time).put(n[0], 2); break;
    case RecordKind::kRequestCancelled:
      words(EventKind::kMpiRequestCancelled, time).put(n[0], 2);
      --out_.open_requests;
      break;
    case RecordKind::kCollectiveBegin: events_.add(EventKind::kMpiCollectiveBegin, time); break;
    case RecordKind::kCollectiveRequest:
      words(EventKind::kNonBlockingCollectiveRequest, time).put(n[0], 2);
      ++out_.open_requests;
      break;
    case RecordKind::kCollectiveEnd:
    case RecordKind::kCollectiveComplete: {
      const bool nonblocking = record.kind == RecordKind::kCollectiveComplete;
      const uint32_t communicator = comm(n[1]);
      auto out = words(
          nonblocking ? EventKind::kNonBlockingCollectiveComplete : EventKind::kMpiCollectiveEnd,
          time);
      out.put(n[0] & UINT8_MAX, 1);
      out.put(communicator, 1);
      out.put(narrow(n[2]), 1);
      out.put(n[3], 2);
      out.put(n[4], 2);
      if (nonblocking) {
        out.put(n[5], 2);
        --out_.open_requests;
      }
      break;
    }
    case RecordKind::kWinCreate: events_.add(EventKind::kRmaWinCreate, time, win(n[0])); break;
    case RecordKind::kWinDestroy: events_.add(EventKind::kRmaWinDestroy, time, win(n[0])); break;
    case RecordKind::kRmaCollectiveBegin: events_.add(EventKind::kRmaCollectiveBegin, time); break;
    case RecordKind::kRmaCollectiveEnd: {
      const uint32_t window = win(n[2]);
      auto out = words(EventKind::kRmaCollectiveEnd, time);
      out.put(n[0] & UINT8_MAX, 1);
      out.put(narrow(n[1]), 1);
      out.put(window, 1);
      out.put(narrow(n[3]), 1);
      out.put(n[4], 2);
      out.put(n[5], 2);
      break;
    }
    case RecordKind::kRmaGroupSync: {
      const uint32_t window = win(n[1]);
      const uint32_t index = ids_.tables[static_cast<size_t>(Entity::kCommunicator)].ids.find(n[2]);
      auto out = words(EventKind::kRmaGroupSync, time);
      out.put(narrow(n[0]), 1);
      out.put(window, 1);
      out.put(index == base::IdMap::kNone ? UINT32_MAX : ids_.communicator_groups[index], 1);
      break;
    }
    case RecordKind::kRmaLock:
    case RecordKind::kRmaUnlock: {
      const uint32_t window = win(n[0]);
      const bool lock = record.kind == RecordKind::kRmaLock;
      auto out = words(lock ? EventKind::kRmaAcquireLock : EventKind::kRmaReleaseLock, time);
      out.put(window, 1);
      out.put(narrow(n[1]), 1);
      out.put(n[2], 2);
      if (lock) out.put(n[3] & UINT8_MAX, 1);
      break;
    }
    case RecordKind::kRmaSync: {
      const uint32_t window = win(n[0]);
      auto out = words(EventKind::kRmaSync, time);
      out.put(window, 1);
      out.put(narrow(n[1]), 1);
      out.put(n[2] & UINT8_MAX, 1);
      break;
    }
    case RecordKind::kRmaPut:
    case RecordKind::kRmaGet: {
      const uint32_t window = win(n[0]);
      auto out =
          words(record.kind == RecordKind::kRmaPut ? EventKind::kRmaPut : EventKind::kRmaGet, time);
      out.put(window, 1);
      out.put(narrow(n[1]), 1);
      out.put(n[2], 2);
      out.put(n[3], 2);
      break;
    }
    case RecordKind::kRmaAtomic: {
      const uint32_t window = win(n[0]);
      auto out = words(EventKind::kRmaAtomic, time);
      out.put(window, 1);
      out.put(narrow(n[1]), 1);
      out.put(n[2] & UINT8_MAX, 1);
      out.put(n[3], 2);
      out.put(n[4], 2);
      out.put(n[5], 2);
      break;
    }
    case RecordKind::kRmaComplete: {
      const uint32_t window = win(n[0]);
      auto out = words(EventKind::kRmaOpCompleteBlocking, time);
      out.put(window, 1);
      out.put(n[1], 2);
      break;
    }
    case RecordKind::kIoCreate: {
      const uint32_t file = handle(n[0]);
      auto out = words(EventKind::kIoCreateHandle, time);
      out.put(file, 1);
      out.put(n[1] & UINT8_MAX, 1);
      out.put(narrow(n[2]), 1);
      out.put(narrow(n[3]), 1);
      break;
    }
    case RecordKind::kIoDestroy:
      events_.add(EventKind::kIoDestroyHandle, time, handle(n[0]));
      break;
    case RecordKind::kIoSeek: {
      const uint32_t file = handle(n[0]);
      auto out = words(EventKind::kIoSeek, time);
      out.put(file, 1);
      out.put(n[1], 2);
      out.put(n[2] & UINT8_MAX, 1);
      out.put(n[3], 2);
      break;
    }
    case RecordKind::kIoBegin: {
      const uint32_t file = handle(n[0]);
      auto out = words(EventKind::kIoOperationBegin, time);
      out.put(file, 1);
      out.put(n[1] & UINT8_MAX, 1);
      out.put(narrow(n[2]), 1);
      out.put(n[3], 2);
      out.put(n[4], 2);
      break;
    }
    case RecordKind::kIoEnd: {
      const uint32_t file = handle(n[0]);
      auto out = words(EventKind::kIoOperationComplete, time);
      out.put(file, 1);
      out.put(n[1], 2);
      out.put(n[2], 2);
      break;
    }
    case RecordKind::kStep: step(time, n[0], n[1]); break;
    case RecordKind::kRecording:
      if (n[0] == 0) ++out_.pauses;
      events_.add(EventKind::kMeasurementOnOff, time, n[0] == 0 ? 2 : 1);
      break;
    case RecordKind::kMetric: metric(time, record); break;
    case RecordKind::kFlush: {
      const uint64_t end = n[0] > UINT64_MAX - record.ticks ? time : time_of(record.ticks + n[0]);
      words(EventKind::kBufferFlush, time).put(std::max(time, end), 2);
      break;
    }
    case RecordKind::kPolls:
    case RecordKind::kPollsWithWork: polls(time, before, record); break;
    case RecordKind::kNeighborSend:
      parameter(time, names_.neighbor_parameter, n[0]);
      parameter(time, names_.neighbor_bytes_parameter, n[1]);
      break;
    case RecordKind::kSendFailed:
      if (!events_.take_back(EventKind::kMpiSend)) ++out_.dropped_records;
      break;
    default: ++out_.dropped_records;  // Definitions.
  }
}

}  // namespace

Stream read_stream(const Process& process, const chunk::StreamChunks& stream,
                   const ProcessNames& of_process, const RunNames& names) {
  return StreamReader(process, stream, of_process, names).read();
}

}  // namespace pathline::raw
