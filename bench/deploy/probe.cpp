// SPDX-License-Identifier: BSD-3-Clause
#include "bench/deploy/probe.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <mpi.h>

#include "bench/deploy/machine.hpp"
#include "bench/deploy/messages.hpp"
#include "bench/deploy/program.hpp"

namespace deploy {
namespace {

constexpr size_t kLeastSamples = 11;
constexpr size_t kWarmups = 3;
constexpr double kLateTransfers = 20;
constexpr double kLeastLate = 200e-6;
constexpr double kReady = 50e-6;     // A receiver waits so long before the message is sent.
constexpr double kTolerated = 5e-6;  // of a start
constexpr double kMostAhead = 0.5e-3;
constexpr double kMostAheadCrowded = 20e-3;
constexpr double kDoze = 200e-6;
constexpr int kMessageTag = 1;
constexpr int kControlTag = 2;

enum class Question {
  kSend,         ///< How long is the sender in MPI_Send, when the receive is posted late?
  kReceiveWait,  ///< How long is that receive, when the sender is in MPI_Wait ...
  kReceiveAway,  ///< ... and when it computes?
  kOverhead,     ///< How long is the sender in MPI_Send, when the receiver is waiting?
  kOneway,       ///< How long is half a round trip?
};

/// One of the two ranks. Both call the same functions and get the same results.
class Partner {
 public:
  Partner(bool sends, int other, size_t bytes, const HaloOptions& options, const CommonClock& clock)
      : sends_(sends),
        other_(other),
        count_(static_cast<int>(bytes)),
        options_(options),
        clock_(clock),
        slices_({Layout::kContiguous, bytes, 1}, options.level_bytes) {}

  /// Samples, in seconds.
  ///
  /// late_s  after the start the receive is posted, and as long again the sender computes.
  std::vector<double> ask(Question question, double late_s) {
    const size_t count = std::max(kLeastSamples, static_cast<size_t>(options_.common.least));
    for (size_t i = 0; i < kWarmups; ++i) try_once(question, late_s);
    const double begin = now_s();
    bool is_over = false;
    std::vector<double> samples;
    while (samples.size() < count) {
      const Answer answer = try_once(question, late_s);
      const bool is_late = answer.late_s > kTolerated;
      if (is_late) {
        ahead_s_ = std::min(2 * ahead_s_, clock_.is_crowded() ? kMostAheadCrowded : kMostAhead);
        const double passed_s = now_s() - begin;
        is_over = std::max(passed_s, exchanged(passed_s)) >= options_.common.seconds;
      }
      // Better late ones than none, where the two hardly ever begin together.
      if (!is_late || is_over) samples.push_back(answer.value_s);
    }
    return samples;
  }

 private:
  struct Answer {
    double value_s;
    double late_s;  ///< By how much one of the two missed the start.
  };

  Answer try_once(Question question, double late_s) {
    slice_ = (slice_ + 1) % slices_.count();
    const double ready = clock_.now();
    const double moment = std::max(ready, exchanged(ready)) + ahead_s_;
    const double own_late_s = clock_.wait_until(moment) - moment;
    const double own_s =
        sends_ ? as_sender(question, moment, late_s) : as_receiver(question, moment, late_s);
    const double other_s = exchanged(own_s);
    const bool asks_receiver =
        question == Question::kReceiveWait || question == Question::kReceiveAway;
    return {.value_s = asks_receiver == sends_ ? other_s : own_s,
            .late_s = std::max(own_late_s, exchanged(own_late_s))};
  }

  double as_sender(Question question, double moment, double late_s) {
    (void)clock_.wait_until(moment + (question == Question::kOverhead ? kReady : 0));
    const double begin = now_s();
    switch (question) {
      case Question::kSend:
      case Question::kOverhead: send(); break;
      case Question::kOneway:
        send();
        receive();
        return (now_s() - begin) / 2;
      case Question::kReceiveWait:
      case Question::kReceiveAway: {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Isend(slices_.send(slice_), count_, MPI_BYTE, other_, kMessageTag, MPI_COMM_WORLD,
                  &request);
        if (question == Question::kReceiveAway) (void)clock_.wait_until(moment + 2 * late_s);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
      }
    }
    return now_s() - begin;
  }

  double as_receiver(Question question, double moment, double late_s) {
    const bool waits = question == Question::kOverhead || question == Question::kOneway;
    (void)clock_.wait_until(moment + (waits ? 0 : late_s));
    const double begin = now_s();
    receive();
    const double end = now_s();
    if (question == Question::kOneway) send();
    return end - begin;
  }

  void send() {
    MPI_Send(slices_.send(slice_), count_, MPI_BYTE, other_, kMessageTag, MPI_COMM_WORLD);
  }

  void receive() {
    MPI_Recv(slices_.receive(slice_), count_, MPI_BYTE, other_, kMessageTag, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
  }

  /// What the other one has for what this one has.
  [[nodiscard]] double exchanged(double own) const {
    double others = 0;
    MPI_Sendrecv(&own, 1, MPI_DOUBLE, other_, kControlTag, &others, 1, MPI_DOUBLE, other_,
                 kControlTag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return others;
  }

  bool sends_;
  int other_;
  int count_;
  const HaloOptions& options_;
  const CommonClock& clock_;
  Slices slices_;
  size_t slice_ = 0;
  double ahead_s_ = 20e-6;  // of a start; the same on both
};

/// Until all ranks are here, without keeping a core from those that are not.
void rest() {
  if (kIsSimulated) {
    MPI_Barrier(MPI_COMM_WORLD);
    return;
  }
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (;;) {
    int is_done = 0;
    MPI_Test(&request, &is_done, MPI_STATUS_IGNORE);
    if (is_done != 0) return;
    doze(kDoze);
  }
}

}  // namespace

void probe(const HaloOptions& options, size_t bytes, const CommonClock& clock, Output& output) {
  const int rank = world_rank();
  Line line;
  if (rank == 0 || rank == options.lanes) {
    Partner partner(rank == 0, options.lanes - rank, bytes, options, clock);
    std::vector<double> oneway_s = partner.ask(Question::kOneway, 0);
    std::vector<double> sorted = oneway_s;
    std::sort(sorted.begin(), sorted.end());
    const double late_s = std::max(kLeastLate, kLateTransfers * sorted[sorted.size() / 2]);
    line.text("point", "probe")
        .count("bytes", static_cast<int64_t>(bytes))
        .number("late_s", late_s);
    line.numbers("send_s", partner.ask(Question::kSend, late_s));
    line.numbers("receive_wait_s", partner.ask(Question::kReceiveWait, late_s));
    line.numbers("receive_away_s", partner.ask(Question::kReceiveAway, late_s));
    line.numbers("overhead_s", partner.ask(Question::kOverhead, late_s));
    line.numbers("oneway_s", oneway_s);
  }
  rest();
  output.write(line);
}

}  // namespace deploy
