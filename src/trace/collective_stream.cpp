// SPDX-License-Identifier: BSD-3-Clause
#include "trace/collective_stream.hpp"

#include <algorithm>

#include "trace/find_kinds.hpp"
#include "trace/ranks.hpp"

namespace pathline::trace {
namespace {

/// Broadcast, gather, gatherv, scatter, scatterv and reduce, by OTF2's numbers.
bool has_root(uint8_t operation) { return (operation >= 1 && operation <= 5) || operation == 12; }

}  // namespace

bool is_self(const Definitions& definitions, uint32_t comm) {
  const uint32_t group = definitions.group_index(definitions.communicators[comm].group);
  return group != base::IdMap::kNone && definitions.groups[group].type == GroupType::kCommSelf;
}

uint64_t CollectiveStream::begin(uint64_t ticks) {
  begun_.push_back({false, false, {}});
  begun_.back().part.begin_ticks = ticks;
  return first_ + begun_.size() - 1;
}

void CollectiveStream::finish(const Definitions& definitions, const Events& events, size_t event,
                              uint64_t number) {
  Begun& one = begun_[number - first_];
  const Fields fields = events.fields(event);
  const uint32_t comm = definitions.communicator_index(fields[1]);
  one.has_ended = true;
  one.counts = comm != base::IdMap::kNone;
  one.part = {.comm = comm,
              .sequence = 0,
              .location = location_,
              .root = fields[2],
              .operation = static_cast<uint8_t>(fields[0]),
              .begin_ticks = one.part.begin_ticks,
              .end_ticks = events.ticks[event],
              .bytes_sent = events.word64(event, 3),
              .bytes_received = events.word64(event, 5)};
}

void CollectiveStream::add(const Definitions& definitions, const Events& events, size_t earlier) {
  constexpr KindRange kBlocking{EventKind::kMpiCollectiveBegin, EventKind::kMpiCollectiveEnd};
  constexpr KindRange kNonBlocking{EventKind::kNonBlockingCollectiveRequest,
                                   EventKind::kNonBlockingCollectiveComplete};
  for_each_of<kBlocking, kNonBlocking>(events.kind.span(), earlier, [&](size_t i) {
    switch (events.kind[i]) {
      case EventKind::kMpiCollectiveBegin: open_.push_back(begin(events.ticks[i])); break;
      case EventKind::kMpiCollectiveEnd:
        if (open_.empty()) open_.push_back(begin(events.ticks[i]));
        finish(definitions, events, i, open_.back());
        open_.pop_back();
        break;
      case EventKind::kNonBlockingCollectiveRequest:
        requests_[events.word64(i)] = begin(events.ticks[i]);
        break;
      case EventKind::kNonBlockingCollectiveComplete: {
        const auto request = requests_.find(events.word64(i, 7));
        if (request == requests_.end()) {
          finish(definitions, events, i, begin(events.ticks[i]));
        } else {
          finish(definitions, events, i, request->second);
          requests_.erase(request);
        }
        break;
      }
      default: break;
    }
  });
}

void CollectiveStream::end() {
  std::erase_if(begun_, [](const Begun& one) { return !one.has_ended; });
  open_.clear();
  requests_.clear();
}

uint64_t CollectiveStream::unfinished_ticks() const {
  const auto open =
      std::find_if(begun_.begin(), begun_.end(), [](const Begun& one) { return !one.has_ended; });
  return open == begun_.end() ? UINT64_MAX : open->part.begin_ticks;
}

std::vector<CollectivePart> CollectiveStream::take(uint64_t ticks) {
  std::vector<CollectivePart> parts;
  auto next = begun_.begin();
  for (; next != begun_.end() && next->has_ended && next->part.begin_ticks < ticks; ++next) {
    if (next->counts) parts.push_back(next->part);
  }
  first_ += static_cast<uint64_t>(next - begun_.begin());
  begun_.erase(begun_.begin(), next);
  return parts;
}

void CollectiveNumbers::number(const std::vector<std::span<CollectivePart>>& lists) {
  std::vector<CollectivePart*> parts;
  size_t used = 0;
  for (const std::span<CollectivePart> list : lists) {
    used += list.empty() ? 0 : 1;
    for (CollectivePart& part : list) parts.push_back(&part);
  }
  if (used > 1)
    std::stable_sort(parts.begin(), parts.end(),
                     [](const CollectivePart* a, const CollectivePart* b) {
                       return a->begin_ticks < b->begin_ticks;
                     });
  for (CollectivePart* part : parts) part->sequence = next_[part->comm]++;
}

void append(std::span<const CollectivePart> parts, const Trace& trace,
            const CommunicatorRanks& ranks, Collectives& collectives) {
  const CollectivePart& first = parts.front();
  collectives.first.push_back(static_cast<uint32_t>(collectives.location.size()));
  collectives.operation.push_back(first.operation);
  collectives.comm.push_back(first.comm);
  const Rank root = has_root(first.operation)
                        ? ranks.resolve(first.comm, first.root, trace.locations[first.location])
                        : Rank::none();
  collectives.root.push_back(uint32_t{root});
  for (const CollectivePart& part : parts) {
    collectives.location.push_back(part.location);
    collectives.begin_ticks.push_back(part.begin_ticks);
    collectives.end_ticks.push_back(part.end_ticks);
    collectives.bytes_sent.push_back(part.bytes_sent);
    collectives.bytes_received.push_back(part.bytes_received);
  }
}

}  // namespace pathline::trace
