// SPDX-License-Identifier: BSD-3-Clause
#include "predict/flows.hpp"

#include <algorithm>
#include <optional>
#include <queue>

#include "predict/rank_grid.hpp"

namespace pathline::predict {
namespace {

constexpr uint32_t kWarmUp = 2;    // Steps until ranks are as far apart as they stay.
constexpr double kAtOnce = 1e-12;  // Of the time: events that are one moment.

class Simulation {
 public:
  Simulation(uint32_t rank_count, uint32_t way_count, std::span<const Stage> stages,
             std::span<const ShiftMessages> shifts, std::span<const MessageKind> kinds,
             uint32_t steps)
      : stages_(stages),
        shifts_(shifts),
        kinds_(kinds),
        steps_(steps),
        rank_count_(rank_count),
        state_(size_t{rank_count} * shifts.size() * steps),
        ranks_(rank_count),
        flows_on_(way_count),
        is_changed_(way_count),
        times_(kinds.size()),
        ends_(steps) {}

  base::Result<StepTime> run() {
    for (uint32_t rank = 0; rank < rank_count_; ++rank) events_.push({0, rank, kRank, 0});
    while (!events_.empty() && !refused_) {
      now_ = events_.top().at;
      // What happens at one moment changes the shares once.
      while (!events_.empty() && events_.top().at <= now_ * (1 + kAtOnce)) {
        const Event event = events_.top();
        events_.pop();
        if (event.kind == kRank) {
          proceed(event.number);
        } else if (flows_[event.number].version == event.version) {
          arrive(event.number, event.at);
        }
      }
      share();
    }
    if (refused_) return *refused_;
    StepTime result;
    const uint32_t first = std::min(kWarmUp, steps_ - 1);
    result.step_s =
        first == 0 ? ends_.back() : (ends_.back() - ends_[first - 1]) / (steps_ - first);
    if (weight_ > 0) {
      result.low = low_ / weight_;
      result.high = high_ / weight_;
    }
    return result;
  }

 private:
  enum Kind : uint8_t { kRank, kFlow };
  struct Event {
    double at;
    uint32_t number;  // Of a rank or a flow.
    Kind kind;
    uint32_t version;
    friend bool operator<(const Event& a, const Event& b) {
      // The queue has the largest on top; ties by number, so that nothing depends on chance.
      return std::tie(a.at, a.kind, a.number) > std::tie(b.at, b.kind, b.number);
    }
  };
  struct Rank {
    uint32_t step = 0;
    uint32_t stage = 0;
    uint32_t pending = 0;
    bool has_begun = false;
    double ready_s = 0;  // Not before this.
  };
  struct Flow {
    uint32_t receiver = 0;
    uint32_t shift = 0;
    uint32_t step = 0;
    uint32_t version = 0;
    uint64_t seen = 0;    // Moment of the last look.
    double left = 1;      // Of the message.
    double time_s = -1;   // For all of it, as things are; < 0: not known yet.
    double since_s = 0;   // When that was so.
    double end_s = 0;     // As things are.
    double queued_s = 0;  // The first event that there is of it.
  };
  enum : uint8_t { kSent = 1, kExpected = 2, kStarted = 4, kArrived = 8 };

  uint8_t& state(uint32_t step, uint32_t shift, uint32_t receiver) {
    return state_[(size_t{step} * shifts_.size() + shift) * rank_count_ + receiver];
  }
  [[nodiscard]] const MessageKind& kind_of(uint32_t shift, uint32_t receiver) const {
    return kinds_[shifts_[shift].kind[receiver]];
  }
  [[nodiscard]] std::span<const uint32_t> ways_of(const Flow& flow) const {
    const ShiftMessages& shift = shifts_[flow.shift];
    return {shift.ways.data() + shift.first_way[flow.receiver],
            shift.ways.data() + shift.first_way[flow.receiver + 1]};
  }

  /// The rank has nothing left to wait for, perhaps but the time.
  void proceed(uint32_t number) {
    Rank& rank = ranks_[number];
    for (;;) {
      if (rank.has_begun) {
        if (rank.pending > 0) return;
        if (rank.ready_s > now_ * (1 + kAtOnce)) {
          events_.push({rank.ready_s, number, kRank, 0});
          return;
        }
        rank.has_begun = false;
        if (++rank.stage == stages_.size()) {
          rank.stage = 0;
          ends_[rank.step] = std::max(ends_[rank.step], now_);
          ++rank.step;
        }
      }
      if (rank.step == steps_) return;
      begin(number, rank);
    }
  }

  void begin(uint32_t number, Rank& rank) {
    const Stage& stage = stages_[rank.stage];
    rank.has_begun = true;
    rank.pending = 0;
    rank.ready_s = now_;
    if (!stage.work_s.empty()) rank.ready_s = now_ + stage.work_s[number];
    for (const uint32_t shift : stage.shifts) {
      if (const uint32_t target = shifts_[shift].target[number]; target != kNobody) {
        uint8_t& sent = state(rank.step, shift, target);
        const Protocol& protocol = kind_of(shift, target).protocol;
        sent |= kSent;
        if (protocol.waits_for_receiver) {
          ++rank.pending;
        } else {
          rank.ready_s = std::max(rank.ready_s, now_ + protocol.overhead_s);
        }
        if (protocol.moves_early || (sent & kExpected) != 0) start(rank.step, shift, target, sent);
      }
      if (shifts_[shift].source[number] != kNobody) {
        uint8_t& expected = state(rank.step, shift, number);
        expected |= kExpected;
        if ((expected & kArrived) == 0) ++rank.pending;
        if ((expected & kSent) != 0 && (expected & kStarted) == 0) {
          start(rank.step, shift, number, expected);
        }
      }
    }
  }

  void start(uint32_t step, uint32_t shift, uint32_t receiver, uint8_t& state) {
    state |= kStarted;
    uint32_t number = static_cast<uint32_t>(flows_.size());
    if (free_.empty()) {
      flows_.emplace_back();
    } else {
      number = free_.back();
      free_.pop_back();
    }
    Flow& flow = flows_[number];
    flow = {.receiver = receiver,
            .shift = shift,
            .step = step,
            .version = flow.version + 1,
            .since_s = now_};
    for (const uint32_t way : ways_of(flow)) {
      flows_on_[way].push_back(number);
      change(way);
    }
    if (ways_of(flow).empty()) started_alone_.push_back(number);
  }

  /// A message that has become slower meanwhile is not there yet: one event for each is enough,
  /// unless it becomes faster.
  void arrive(uint32_t number, double at) {
    Flow& flow = flows_[number];
    if (flow.end_s <= at * (1 + kAtOnce)) {
      finish(number);
    } else if (at == flow.queued_s) {
      queue(number, flow);
    }
  }

  void queue(uint32_t number, Flow& flow) {
    flow.queued_s = flow.end_s;
    events_.push({flow.end_s, number, kFlow, flow.version});
  }

  void finish(uint32_t number) {
    Flow& flow = flows_[number];
    for (const uint32_t way : ways_of(flow)) {
      std::vector<uint32_t>& flows = flows_on_[way];
      *std::find(flows.begin(), flows.end(), number) = flows.back();
      flows.pop_back();
      change(way);
    }
    ++flow.version;
    free_.push_back(number);
    uint8_t& state = this->state(flow.step, flow.shift, flow.receiver);
    state |= kArrived;
    const uint32_t receiver = flow.receiver;
    const uint32_t sender = shifts_[flow.shift].source[receiver];
    const bool waits = kind_of(flow.shift, receiver).protocol.waits_for_receiver;
    if ((state & kExpected) != 0) {
      --ranks_[receiver].pending;
      proceed(receiver);
    }
    if (waits) {
      --ranks_[sender].pending;
      proceed(sender);
    }
  }

  void change(uint32_t way) {
    if (is_changed_[way] != 0) return;
    is_changed_[way] = 1;
    changed_.push_back(way);
  }

  /// Gives all messages on ways that have changed their new pace.
  void share() {
    ++moment_;
    for (const uint32_t way : changed_) {
      is_changed_[way] = 0;
      for (const uint32_t number : flows_on_[way]) pace(number);
    }
    changed_.clear();
    for (const uint32_t number : started_alone_) pace(number);
    started_alone_.clear();
  }

  void pace(uint32_t number) {
    Flow& flow = flows_[number];
    if (flow.seen == moment_) return;
    flow.seen = moment_;
    size_t most = 1;
    for (const uint32_t way : ways_of(flow)) most = std::max(most, flows_on_[way].size());
    const double time_s = time_of(shifts_[flow.shift].kind[flow.receiver], most);
    if (time_s == flow.time_s) return;
    const bool is_new = flow.time_s < 0;
    if (flow.time_s > 0) flow.left = std::max(0.0, flow.left - (now_ - flow.since_s) / flow.time_s);
    flow.since_s = now_;
    flow.time_s = time_s;
    flow.end_s = now_ + flow.left * time_s;
    if (is_new || flow.end_s < flow.queued_s) queue(number, flow);
  }

  double time_of(uint32_t kind, size_t count) {
    std::vector<Time>& times = times_[kind];
    if (count >= times.size()) times.resize(count + 1, Time{.value = -1});
    Time& time = times[count];
    if (time.value < 0) {
      const double lanes = static_cast<double>(count) / (kinds_[kind].both_directions ? 2 : 1);
      auto found = kinds_[kind].time(std::max(1.0, lanes));
      if (!found) {
        refused_ = found.error();
        return 1;
      }
      time = found.value();
    }
    weight_ += time.value;
    low_ += time.low;
    high_ += time.high;
    return time.value;
  }

  std::span<const Stage> stages_;
  std::span<const ShiftMessages> shifts_;
  std::span<const MessageKind> kinds_;
  uint32_t steps_;
  uint32_t rank_count_;
  std::vector<uint8_t> state_;  // By step, shift and receiver.
  std::vector<Rank> ranks_;
  std::vector<Flow> flows_;
  std::vector<uint32_t> free_;                   // Of flows_.
  std::vector<std::vector<uint32_t>> flows_on_;  // By way.
  std::vector<uint8_t> is_changed_;
  std::vector<uint32_t> changed_;
  std::vector<uint32_t> started_alone_;
  std::vector<std::vector<Time>> times_;  // By kind and number of messages.
  std::priority_queue<Event> events_;
  std::vector<double> ends_;
  uint64_t moment_ = 0;
  double now_ = 0;
  double weight_ = 0;
  double low_ = 0;
  double high_ = 0;
  std::optional<base::Error> refused_;
};

}  // namespace

base::Result<StepTime> run_steps(uint32_t rank_count, uint32_t way_count,
                                 std::span<const Stage> stages,
                                 std::span<const ShiftMessages> shifts,
                                 std::span<const MessageKind> kinds, uint32_t steps) {
  return Simulation(rank_count, way_count, stages, shifts, kinds, steps).run();
}

}  // namespace pathline::predict
