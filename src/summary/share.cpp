// SPDX-License-Identifier: BSD-3-Clause
#include "summary/share.hpp"

#include <algorithm>
#include <numeric>

namespace pathline::summary {
namespace {

using trace::EventKind;

bool is_send(EventKind kind) { return kind == EventKind::kMpiSend || kind == EventKind::kMpiIsend; }

/// Per location, the process that owns it: a process of the program stays together, and they stay
/// in the order of their first locations.
std::vector<unsigned> cut(const trace::Trace& trace, const std::vector<uint64_t>& event_bytes,
                          unsigned processes) {
  const size_t count = trace.locations.size();
  std::vector<size_t> first_of_rank(trace.rank_count, count);
  std::vector<size_t> first(count);    // Of the locations that stay with it.
  std::vector<uint64_t> bytes(count);  // Of all of these, at the first one.
  for (size_t i = 0; i < count; ++i) {
    const trace::Rank rank = trace.locations[i].rank;
    first[i] = i;
    if (rank.valid()) {
      first[i] = first_of_rank[rank] = std::min(first_of_rank[rank], i);
    }
    bytes[first[i]] += event_bytes[i] + 1;
  }
  const uint64_t all = std::accumulate(bytes.begin(), bytes.end(), uint64_t{0});
  std::vector<unsigned> owner(count);
  uint64_t before = 0;
  for (size_t i = 0; i < count; ++i) {
    if (first[i] != i) {
      owner[i] = owner[first[i]];
      continue;
    }
    const double middle = static_cast<double>(before) + static_cast<double>(bytes[i]) / 2;
    owner[i] = std::min(processes - 1,
                        static_cast<unsigned>(middle / static_cast<double>(all) * processes));
    before += bytes[i];
  }
  return owner;
}

/// An event as others get it: location, kind, number of words, ticks, words.
void pack(size_t location, const trace::Events& events, size_t event, base::Packer& out) {
  const auto words = events.fields(event);
  out.put(static_cast<uint32_t>(location));
  out.put(static_cast<uint16_t>(events.kind[event]));
  out.put(static_cast<uint16_t>(words.size()));
  out.put(events.ticks[event]);
  for (const uint32_t word : words) out.put(word);
}

constexpr size_t kHeadBytes = 16;

}  // namespace

Share::Share(exchange::Exchange& exchange, const trace::Trace& trace,
             const std::vector<uint64_t>& event_bytes)
    : exchange_(exchange),
      owner_of_location_(cut(trace, event_bytes, exchange.size())),
      owner_of_rank_(trace.rank_count, 0),
      sending_(trace.locations.size()),
      received_(trace.locations.size()) {
  if (alone()) return;
  members_ = std::make_unique<trace::CommunicatorRanks>(trace);
  for (size_t i = 0; i < trace.locations.size(); ++i) {
    const trace::Rank rank = trace.locations[i].rank;
    if (rank.valid()) owner_of_rank_[rank] = owner_of_location_[i];
  }
}

std::vector<bool> Share::owned(const exchange::Exchange& exchange, const trace::Trace& trace,
                               const std::vector<uint64_t>& event_bytes) {
  std::vector<bool> owned;
  for (const unsigned owner : cut(trace, event_bytes, exchange.size())) {
    owned.push_back(owner == exchange.rank());
  }
  return owned;
}

Share::Window Share::agree(const Window& mine) {
  Window all{0, true};
  for (const Window& one : exchange_.all_gather(mine)) {
    all.events = std::max(all.events, one.events);
    all.ended = all.ended && one.ended;
  }
  return all;
}

uint64_t Share::agree(uint64_t until_ticks) {
  const auto all = exchange_.all_gather(until_ticks);
  return *std::min_element(all.begin(), all.end());
}

unsigned Share::receiver_owner(const trace::Trace& window, size_t location, size_t event) const {
  const trace::Location& sender = window.locations[location];
  const trace::PointToPoint point = sender.events.point_to_point(event);
  const uint32_t comm = window.definitions.communicator_index(point.comm);
  if (comm == base::IdMap::kNone || !sender.rank.valid()) return exchange_.rank();
  const trace::Rank peer = members_->resolve(comm, point.peer, sender);
  return peer.valid() ? owner_of_rank_[peer] : exchange_.rank();
}

bool Share::is_others(const trace::Trace& window, size_t location, size_t event) const {
  return owns(location) && is_send(window.locations[location].events.kind[event]) &&
         receiver_owner(window, location, event) != exchange_.rank();
}

void Share::pack_sends(const trace::Trace& window, size_t location, size_t earlier,
                       std::vector<base::Packer>& out) {
  const trace::Events& events = window.locations[location].events;
  auto& sending = sending_[location];
  for (size_t i = earlier; i < events.size(); ++i) {
    switch (events.kind[i]) {
      case EventKind::kMpiSend:
      case EventKind::kMpiIsend: {
        const unsigned owner = receiver_owner(window, location, i);
        const bool is_told = owner != exchange_.rank();
        if (is_told) pack(location, events, i, out[owner]);
        if (events.kind[i] == EventKind::kMpiSend) break;
        const uint64_t request = events.point_to_point(i).request;
        if (is_told) {
          sending[request] = {owner, window_};
        } else {
          sending.erase(request);
        }
        break;
      }
      case EventKind::kMpiIsendComplete:
      case EventKind::kMpiRequestCancelled: {
        const auto found = sending.find(events.word64(i));
        if (found == sending.end()) break;
        pack(location, events, i, out[found->second.owner]);
        needs_whole_ = needs_whole_ || (events.kind[i] == EventKind::kMpiRequestCancelled &&
                                        found->second.window != window_);
        sending.erase(found);
        break;
      }
      case EventKind::kMeasurementOnOff: {
        constexpr uint32_t kOn = 1;
        needs_whole_ = needs_whole_ || events.ref[i] == kOn;
        break;
      }
      default: break;
    }
  }
}

void Share::exchange_sends(const trace::Trace& window,
                           const std::function<size_t(size_t)>& earlier) {
  if (alone()) return;
  std::vector<base::Packer> out(exchange_.size());
  for (size_t i = 0; i < window.locations.size(); ++i) {
    if (owns(i)) pack_sends(window, i, earlier(i), out);
  }
  ++window_;
  bytes_ = all_to_all(out);
  std::fill(received_.begin(), received_.end(), std::span<const uint8_t>());
  received_events_ = 0;
  for (const exchange::Bytes& part : bytes_) {
    // The events of a location stand together.
    const std::span<const uint8_t> all(part);
    for (size_t begin = 0, end = 0; begin < all.size(); begin = end) {
      const auto location = base::Unpacker(all.subspan(begin)).get<uint32_t>();
      while (end < all.size()) {
        base::Unpacker head(all.subspan(end));
        if (head.get<uint32_t>() != location) break;
        head.get<uint16_t>();
        ++received_events_;
        end += kHeadBytes + sizeof(uint32_t) * head.get<uint16_t>();
      }
      received_[location] = all.subspan(begin, end - begin);
    }
  }
}

void Share::add_sends(size_t location, trace::EventsBuilder& builder) const {
  base::Unpacker in(received_[location]);
  while (!in.ended()) {
    in.get<uint32_t>();
    const auto kind = static_cast<EventKind>(in.get<uint16_t>());
    const auto count = in.get<uint16_t>();
    const auto ticks = in.get<uint64_t>();
    uint32_t* const words = builder.add_words(kind, ticks, count);
    for (size_t i = 0; i < count; ++i) words[i] = in.get<uint32_t>();
  }
}

void Share::forget_sends(const trace::Trace& window,
                         std::vector<trace::Unmatched>& unmatched) const {
  if (alone()) return;
  std::erase_if(unmatched, [&](const trace::Unmatched& one) {
    return is_others(window, one.location, one.event);
  });
}

void Share::forget_sends(const trace::Trace& window, trace::OpenEnds& open) const {
  if (alone()) return;
  for (size_t i = 0; i < open.events.size(); ++i) {
    std::erase_if(open.events[i], [&](uint32_t event) { return is_others(window, i, event); });
  }
}

std::vector<bool> Share::others() const {
  std::vector<bool> others;
  if (alone()) return others;
  others.reserve(owner_of_rank_.size());
  for (const unsigned owner : owner_of_rank_) others.push_back(owner != exchange_.rank());
  return others;
}

std::vector<comm::GrowingStepTable::Sent> Share::exchange_found(const trace::Messages& messages) {
  std::vector<comm::GrowingStepTable::Sent> sent;
  if (alone()) return sent;
  std::vector<base::Packer> out(exchange_.size());
  for (size_t i = 0; i < messages.size(); ++i) {
    const unsigned owner = owner_of_rank_[messages.sender[i]];
    if (owner == exchange_.rank()) continue;
    out[owner].put(messages.sender[i]);
    out[owner].put(messages.send_ticks[i]);
    out[owner].put(messages.bytes[i]);
  }
  for (const exchange::Bytes& part : all_to_all(out)) {
    base::Unpacker in(part);
    while (!in.ended()) {
      const auto sender = in.get<uint32_t>();
      const auto ticks = in.get<uint64_t>();
      sent.push_back({sender, ticks, in.get<uint64_t>()});
    }
  }
  return sent;
}

std::vector<exchange::Bytes> Share::all_to_all(std::vector<base::Packer>& out) {
  std::vector<exchange::Bytes> parts;
  parts.reserve(out.size());
  for (base::Packer& part : out) parts.push_back(part.take());
  return exchange_.all_to_all(parts);
}

bool Share::gather(comm::WaitPart& part) {
  if (alone()) return true;
  return collect([&](base::Packer& out) { part.pack(out); },
                 [&](base::Unpacker& in) { part.take(in); });
}

bool Share::collect(const std::function<void(base::Packer&)>& pack_all,
                    const std::function<void(base::Unpacker&)>& take) {
  base::Packer out;
  const bool first = exchange_.rank() == 0;
  if (!first) pack_all(out);
  const auto parts = exchange_.gather(out.take());
  for (size_t i = 1; i < parts.size(); ++i) {
    base::Unpacker in(parts[i]);
    take(in);
  }
  return first;
}

}  // namespace pathline::summary
