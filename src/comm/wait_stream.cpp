// SPDX-License-Identifier: BSD-3-Clause
#include "comm/wait_stream.hpp"

#include <algorithm>
#include <span>

namespace pathline::comm {
namespace {

using trace::EventKind;

template <class T>
void put(const base::Column<T>& column, base::Packer& out) {
  out.put_list(std::span<const T>(column.begin(), column.size()));
}
template <class T>
void append(base::Unpacker& in, base::Column<T>& column) {
  for (const T& value : in.list<T>()) column.push_back(value);
}
template <class T>
void append(base::Unpacker& in, std::vector<T>& list) {
  const std::vector<T> values = in.list<T>();
  list.insert(list.end(), values.begin(), values.end());
}

}  // namespace

void WaitPart::pack(base::Packer& out) const {
  put(calls, out);
  out.put_list(poll_work);
  out.put_list(open_calls);
  put(messages, out);
  out.put_list(send_ends);
  out.put_list(collectives);
  out.put_list(open);
  out.put_list(rma);
}

void WaitPart::take(base::Unpacker& in) {
  const auto first_call = static_cast<uint32_t>(calls.size());
  append(in, calls);
  for (PollWork work : in.list<PollWork>()) {
    work.call += first_call;
    poll_work.push_back(work);
  }
  append(in, open_calls);
  append(in, messages);
  append(in, send_ends);
  append(in, collectives);
  append(in, open);
  for (RmaEvent one : in.list<RmaEvent>()) {
    one.call += first_call;
    rma.push_back(one);
  }
}

WaitStream::WaitStream(const trace::Trace& run, unsigned process)
    : ranks_(run),
      regions_(region_facts(run.definitions)),
      locations_(run.rank_count),
      of_rank_(run.rank_count),
      sending_(run.locations.size()),
      next_number_(uint64_t{process} << 40U) {
  for (uint32_t i = 0; i < run.locations.size(); ++i) {
    calls_.emplace_back(run.definitions, regions_);
    collectives_.emplace_back(i);
    const trace::Rank rank = run.locations[i].rank;
    (rank.valid() ? locations_[rank] : of_no_rank_).push_back(i);
  }
}

void WaitStream::add(const trace::Trace& part, size_t location, size_t kept) {
  const trace::Location& of = part.locations[location];
  if (of.events.size() == kept) return;
  if (of.rank.valid()) {
    calls_[location].reserve(of.events, kept, *arena_);
    calls_[location].add(of.events, kept);
  }
  collectives_[location].add(part.definitions, of.events, kept);
}

CallStream::Follower WaitStream::follow(const trace::Trace& part, size_t location, size_t kept) {
  const trace::Events& events = part.locations[location].events;
  collectives_[location].add(part.definitions, events, kept);
  calls_[location].reserve(events, kept, *arena_);
  return calls_[location].follow(events, kept);
}

WaitPart WaitStream::finish(const trace::Trace& part, const PartPlace& place,
                            const trace::OpenEnds& open) {
  for (size_t i = 0; place.ended && i < part.locations.size(); ++i) {
    if (place.is_of_others(i)) continue;
    calls_[i].end(place.last_ticks[i]);
    collectives_[i].end();
  }
  WaitPart result;
  take_calls(place, result);
  follow_sends(part, place, open, result);
  number_collectives(place, result);
  add_open(part, open, result);
  return result;
}

void WaitStream::take_calls(const PartPlace& place, WaitPart& result) {
  size_t all = 0;
  for (const CallStream& stream : calls_) all += stream.finished();
  result.calls.reserve(all);
  for (uint32_t i = 0; i < calls_.size(); ++i) {
    CallStream& stream = calls_[i];
    if (place.is_of_others(i)) continue;
    const auto first = static_cast<uint32_t>(result.calls.size());
    const size_t count = stream.finished();
    for (const PollWork& work : stream.poll_work) {
      if (work.call < count)
        result.poll_work.push_back({first + work.call, work.region, work.ticks});
    }
    const size_t ended = stream.ended_rma();
    for (size_t k = 0; k < ended; ++k) {
      result.rma.push_back(stream.rma[k]);
      result.rma.back().call += first;
    }
    for (size_t k = 0; k < count; ++k) {
      const Call& call = stream.calls[k];
      result.calls.push_back({call.begin_ticks, call.end_ticks, i, call.region, call.traits});
    }
    stream.drop_finished();
    const uint64_t open = stream.unfinished_ticks();
    if (open != UINT64_MAX) result.open_calls.push_back({open, i, stream.unfinished_traits()});
  }
  arena_ = std::make_unique<base::Arena>();
}

/// What becomes of the sends of messages that were found before.
void WaitStream::follow_sends(const trace::Trace& part, const PartPlace& place,
                              const trace::OpenEnds& open, WaitPart& result) {
  for (size_t i = 0; i < sending_.size(); ++i) {
    auto& active = sending_[i];
    const trace::Events& events = part.locations[i].events;
    const auto end = [&](uint64_t request, uint64_t ticks) {
      const auto found = active.find(request);
      if (found == active.end()) return;
      result.send_ends.push_back({found->second, ticks});
      active.erase(found);
    };
    for (size_t k = place.kept[i]; k < events.size() && !active.empty(); ++k) {
      if (events.kind[k] == EventKind::kMpiIsend) {
        end(events.point_to_point(k).request, WaitPart::kNever);
      } else if (events.kind[k] == EventKind::kMpiIsendComplete) {
        end(events.word64(k), events.ticks[k]);
      }
    }
  }
  result.messages.reserve(part.messages.size());
  for (size_t i = 0; i < part.messages.size(); ++i) {
    result.messages.push_back(
        {times_of(part.messages, i), part.messages.receiver[i], WaitPart::kNever});
  }
  for (const trace::OpenEnds::Sending& one : open.sending) {
    WaitPart::Message& message = result.messages[one.message];
    // A request that is active was given to a later send: this one never ends.
    if (!sending_[message.send_location].emplace(one.request, next_number_).second) continue;
    message.send_number = next_number_++;
  }
}

void WaitStream::number_collectives(const PartPlace& place, WaitPart& result) {
  const auto number = [&](const std::vector<uint32_t>& locations,
                          trace::CollectiveNumbers& numbers) {
    uint64_t until = place.until_ticks;
    for (const uint32_t i : locations) {
      until = std::min(until, collectives_[i].unfinished_ticks());
    }
    std::vector<std::vector<trace::CollectivePart>> taken;
    taken.reserve(locations.size());
    for (const uint32_t i : locations) taken.push_back(collectives_[i].take(until));
    numbers.number({taken.begin(), taken.end()});
    for (const auto& list : taken) {
      result.collectives.insert(result.collectives.end(), list.begin(), list.end());
    }
  };
  const auto is_quiet = [&](uint32_t location) { return collectives_[location].empty(); };
  for (size_t rank = 0; rank < locations_.size(); ++rank) {
    if (std::all_of(locations_[rank].begin(), locations_[rank].end(), is_quiet)) continue;
    number(locations_[rank], of_rank_[rank]);
  }
  for (const uint32_t i : of_no_rank_) {
    if (!is_quiet(i)) number({i}, numbers_of_no_rank_[i]);
  }
}

void WaitStream::add_open(const trace::Trace& part, const trace::OpenEnds& open,
                          WaitPart& result) const {
  for (uint32_t i = 0; i < part.locations.size(); ++i) {
    const trace::Location& location = part.locations[i];
    collectives_[i].for_each([&](uint64_t begin_ticks, uint64_t end_ticks) {
      result.open.push_back({begin_ticks, i, WaitPart::kNobody});
      if (end_ticks > 0) result.open.push_back({end_ticks, i, WaitPart::kNobody});
    });
    if (i >= open.events.size()) continue;
    for (const uint32_t event : open.events[i]) {
      const EventKind kind = location.events.kind[event];
      uint32_t receiver = WaitPart::kNobody;
      if (kind == EventKind::kMpiSend || kind == EventKind::kMpiIsend) {
        const trace::PointToPoint point = location.events.point_to_point(event);
        const uint32_t comm = part.definitions.communicator_index(point.comm);
        if (comm != base::IdMap::kNone) receiver = ranks_.resolve(comm, point.peer, location);
      }
      result.open.push_back({location.events.ticks[event], i, receiver});
    }
    if (i >= open.post_ticks.size()) continue;
    for (const uint64_t ticks : open.post_ticks[i]) {
      result.open.push_back({ticks, i, WaitPart::kNobody});
    }
  }
}

}  // namespace pathline::comm
