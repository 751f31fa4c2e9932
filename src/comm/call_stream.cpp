// SPDX-License-Identifier: BSD-3-Clause
#include "comm/call_stream.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "trace/find_kinds.hpp"
#include "trace/outer_calls.hpp"
#include "trace/plain_events.hpp"

namespace pathline::comm {
namespace {

using trace::EventKind;

RegionFacts facts_of(std::string_view name, bool is_mpi) {
  RegionFacts facts{.is_mpi = is_mpi};
  if (!is_mpi) return facts;
  std::string lower(name);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  constexpr std::array<std::string_view, 4> kTests = {"mpi_test", "mpi_testall", "mpi_testany",
                                                      "mpi_testsome"};
  facts.probes = lower == "mpi_iprobe" || lower == "mpi_improbe";
  facts.polls = facts.probes || std::find(kTests.begin(), kTests.end(), lower) != kTests.end();
  if (lower == "mpi_ssend" || lower == "mpi_issend") facts.traits |= kSynchronous;
  if (lower == "mpi_finalize") facts.traits |= kFinalizes;
  if (lower == "mpi_init" || lower == "mpi_init_thread") facts.traits |= kInitializes;
  return facts;
}

bool is_rma_synchronisation(EventKind kind) {
  switch (kind) {
    case EventKind::kRmaWinCreate:
    case EventKind::kRmaWinDestroy:
    case EventKind::kRmaCollectiveEnd:
    case EventKind::kRmaGroupSync:
    case EventKind::kRmaRequestLock:
    case EventKind::kRmaAcquireLock:
    case EventKind::kRmaReleaseLock:
    case EventKind::kRmaPut:
    case EventKind::kRmaGet:
    case EventKind::kRmaAtomic: return true;
    default: return false;
  }
}

}  // namespace

std::vector<RegionFacts> region_facts(const trace::Definitions& definitions) {
  const std::vector<trace::CallClass> classes = trace::call_classes(definitions);
  std::vector<RegionFacts> facts;
  facts.reserve(classes.size());
  for (size_t i = 0; i < classes.size(); ++i) {
    facts.push_back(facts_of(definitions.regions[i].name, classes[i] == trace::CallClass::kMpi));
  }
  return facts;
}

void CallStream::reserve(const trace::Events& events, size_t earlier, base::Arena& arena) {
  size_t count = is_open_ ? 1 : 0;
  trace::with_columns(events, [&](const auto& columns) {
    for (size_t i = earlier; i < columns.size(); ++i) {
      count += columns.kind[i] == EventKind::kEnter && is_mpi(columns.ref[i]) ? 1 : 0;
    }
  });
  calls.reserve(calls.size() + count, arena);
}

void CallStream::add(const trace::Events& events, size_t earlier) {
  Follower follower(*this, events, earlier);
  trace::with_columns(events, [&](const auto& columns) {
    const auto count = static_cast<uint32_t>(columns.size());
    for (auto i = static_cast<uint32_t>(earlier); i < count; ++i) {
      const EventKind kind = columns.kind[i];
      if (kind == EventKind::kEnter) {
        follower.enter(i, columns.ticks[i], columns.ref[i]);
      } else if (kind == EventKind::kLeave) {
        follower.leave(columns.ref[i], columns.ticks[i]);
      } else if (trace::is_of_message(kind)) {
        follower.message(kind);
      } else {
        follower.other(i, kind, columns.ticks[i]);
      }
    }
  });
  follower.end();
}

void CallStream::Follower::end() {
  stream_.is_open_ = is_open_;
  if (is_open_ && stream_.region_ == kNoCall) stream_.remember_enclosing(events_, limit_);
}

void CallStream::end(uint64_t last_ticks) {
  if (is_open_) finish(last_ticks);
  is_open_ = false;
  polls_before_ = 0;
}

size_t CallStream::ended_rma() const {
  const auto known = rma.begin() + static_cast<ptrdiff_t>(is_open_ ? first_rma_ : rma.size());
  const auto count = static_cast<uint32_t>(finished());
  return static_cast<size_t>(
      std::find_if(rma.begin(), known, [&](const RmaEvent& one) { return one.call >= count; }) -
      rma.begin());
}

void CallStream::drop_finished() {
  const size_t count = finished();
  const auto work = std::find_if(poll_work.begin(), poll_work.end(),
                                 [&](const PollWork& one) { return one.call >= count; });
  poll_work.erase(poll_work.begin(), work);
  for (PollWork& one : poll_work) one.call = 0;
  const size_t ended = ended_rma();
  rma.erase(rma.begin(), rma.begin() + static_cast<ptrdiff_t>(ended));
  first_rma_ -= std::min(first_rma_, ended);
  for (RmaEvent& one : rma) one.call = 0;
  base::Column<Call> rest;
  if (count < calls.size()) rest.push_back(calls[count]);
  calls = std::move(rest);
}

/// Of the call that is open: behind the last Enter of those whose end is its own.
uint32_t CallStream::limit_in(const trace::Events& events, size_t earlier) const {
  uint32_t enters = 0;
  for (uint32_t i = 0; i < earlier; ++i) {
    if (events.kind[i] != EventKind::kEnter) continue;
    ++enters;
    if (region_ == kNoCall ? enters == enclosing_ : is_mpi(events.ref[i])) return i + 1;
  }
  return 0;
}

void CallStream::remember_enclosing(const trace::Events& events, uint32_t limit) {
  std::vector<uint32_t> open;
  for (uint32_t i = 0; i < events.size(); ++i) {
    if (events.kind[i] == EventKind::kEnter) open.push_back(i);
    if (events.kind[i] != EventKind::kLeave) continue;
    while (!open.empty() && open.back() >= events.ref[i]) open.pop_back();
  }
  enclosing_ =
      static_cast<uint32_t>(std::lower_bound(open.begin(), open.end(), limit) - open.begin());
}

void CallStream::begin(uint32_t event, uint64_t ticks, uint32_t region) {
  region_ = region;
  begin_ticks_ = ticks;
  enter_ = event;
  is_new_ = true;
  traits_ = region != kNoCall ? regions_[region_].traits : uint8_t{kTalks};
  polls_ = 1;
  work_ticks_ = 0;
  first_rma_ = rma.size();
}

void CallStream::look_at(const trace::Events& events, EventKind kind, uint32_t i) {
  switch (kind) {
    case EventKind::kMpiCollectiveBegin:
      if (is_new_) begin_ticks_ = events.ticks[i];
      traits_ |= kTalks;
      break;
    case EventKind::kMpiCollectiveEnd:
    case EventKind::kNonBlockingCollectiveRequest:
    case EventKind::kNonBlockingCollectiveComplete: traits_ |= kTalks; break;
    case EventKind::kParameterUnsignedInt:
      if (region_ == kNoCall || !regions_[region_].polls) break;
      take_parameter(definitions_.parameter_name(events.fields(i)[0]), events.word64(i, 1));
      break;
    default:
      if (!is_rma_synchronisation(kind)) break;
      traits_ |= kTalks;
      add_rma(events, i);
      break;
  }
  is_new_ = false;
}

void CallStream::add_rma(const trace::Events& events, uint32_t i) {
  const EventKind kind = events.kind[i];
  if (kind == EventKind::kRmaPut || kind == EventKind::kRmaGet || kind == EventKind::kRmaAtomic) {
    return;
  }
  RmaEvent event{0, kind, {}};  // Its call gets a number at its end.
  const trace::Fields fields = events.fields(i);
  for (size_t k = 0; k < std::min(fields.size(), event.fields.size()); ++k) {
    event.fields[k] = fields[k];
  }
  rma.push_back(event);
}

void CallStream::take_parameter(std::string_view name, uint64_t value) {
  if (name == trace::kPollCount) polls_ = std::max<uint64_t>(1, value);
  if (name != trace::kWorkBetweenPolls) return;
  traits_ |= kMeasured;
  const auto hz = static_cast<double>(definitions_.clock.ticks_per_second);
  work_ticks_ = static_cast<uint64_t>(std::min(static_cast<double>(value) * hz / 1e9, 1e18));
}

void CallStream::finish(uint64_t end_ticks) {
  work_ticks_ = std::min(work_ticks_, end_ticks - begin_ticks_);
  const bool polls = region_ != kNoCall && regions_[region_].polls;
  if (!joined(end_ticks, polls)) {
    const auto traits = static_cast<uint8_t>(traits_ | (polls ? kPolls : 0));
    calls.push_back({begin_ticks_, end_ticks, region_, enter_, traits});
    polls_before_ = polls && !completed_ ? polls_ : 0;
    poll_end_ticks_ = end_ticks;
    add_work(work_ticks_);
  }
  completed_ = false;
  for (size_t k = first_rma_; k < rma.size(); ++k) {
    rma[k].call = static_cast<uint32_t>(calls.size() - 1);
  }
}

/// Adds the call to the polls before it if it goes on with them.
bool CallStream::joined(uint64_t end_ticks, bool polls) {
  completed_ = (traits_ & kTalks) != 0;
  if (polls_before_ == 0) return false;
  Call& before = calls.back();
  const bool goes_on = polls && region_ == before.region;
  const bool receives = regions_[before.region].probes && (traits_ & kReceives) != 0;
  if (!goes_on && !receives) return false;
  // gap <= 2.5 periods, in integers.
  const uint64_t gap = begin_ticks_ - before.end_ticks;
  const uint64_t spent = poll_end_ticks_ - before.begin_ticks;
  if (2 * gap * polls_before_ > 5 * spent) return false;
  // Who worked between the polls before has done so once more.
  const bool worked = !poll_work.empty() && poll_work.back().call + 1 == calls.size();
  add_work(work_ticks_ + (worked ? gap : 0));
  // It must be known of all of them, unless they are single.
  const bool measured =
      (before.traits & kMeasured) != 0 && (polls_ == 1 || (traits_ & kMeasured) != 0);
  before.end_ticks = end_ticks;
  before.region = region_;
  before.traits |= traits_;
  if (!measured) before.traits &= static_cast<uint8_t>(~kMeasured);
  if (goes_on) poll_end_ticks_ = end_ticks;
  polls_before_ = goes_on && !completed_ ? polls_before_ + polls_ : 0;
  return true;
}

/// Of the last call of `calls`.
void CallStream::add_work(uint64_t ticks) {
  if (ticks == 0) return;
  const auto call = static_cast<uint32_t>(calls.size() - 1);
  if (poll_work.empty() || poll_work.back().call != call) poll_work.push_back({call, region_, 0});
  poll_work.back().ticks += ticks;
}

}  // namespace pathline::comm
