// SPDX-License-Identifier: BSD-3-Clause
#include "raw/placeholders.hpp"

namespace pathline::raw {
namespace {

using trace::EventKind;

/// Where a kind of event keeps the number of a communicator, window or handle.
struct Slot {
  Entity entity;
  unsigned word;
};
constexpr Slot kNoSlot = {Entity::kRegion, 0};

Slot slot_of(EventKind kind) {
  switch (kind) {
    case EventKind::kMpiSend:
    case EventKind::kMpiIsend:
    case EventKind::kMpiRecv:
    case EventKind::kMpiIrecv:
    case EventKind::kMpiCollectiveEnd:
    case EventKind::kNonBlockingCollectiveComplete: return {Entity::kCommunicator, 1};
    case EventKind::kRmaWinCreate:
    case EventKind::kRmaWinDestroy:
    case EventKind::kRmaAcquireLock:
    case EventKind::kRmaReleaseLock:
    case EventKind::kRmaSync:
    case EventKind::kRmaPut:
    case EventKind::kRmaGet:
    case EventKind::kRmaAtomic:
    case EventKind::kRmaOpCompleteBlocking: return {Entity::kWindow, 0};
    case EventKind::kRmaGroupSync: return {Entity::kWindow, 1};
    case EventKind::kRmaCollectiveEnd: return {Entity::kWindow, 2};
    case EventKind::kIoCreateHandle:
    case EventKind::kIoDestroyHandle:
    case EventKind::kIoSeek:
    case EventKind::kIoOperationBegin:
    case EventKind::kIoOperationComplete: return {Entity::kIoHandle, 0};
    default: return kNoSlot;
  }
}

}  // namespace

void replace_placeholders(trace::Events& events,
                          const std::vector<uint32_t> (&numbers)[kEntityCount]) {
  const auto replace = [&](Entity entity, base::PackedColumn<uint32_t>& column, size_t row) {
    const uint32_t number = column[row];
    const auto& list = numbers[static_cast<size_t>(entity)];
    if (number >= kPlaceholder && number - kPlaceholder < list.size()) {
      column.set(row, list[number - kPlaceholder]);
    }
  };
  for (size_t i = 0; i < events.size(); ++i) {
    const EventKind kind = events.kind[i];
    if (kind == EventKind::kEnter || kind == EventKind::kUnmatchedLeave) {
      replace(Entity::kRegion, events.ref, i);
      continue;
    }
    const Slot slot = slot_of(kind);
    if (slot.entity == Entity::kRegion) continue;
    if (trace::event_words(kind) == 1) {
      replace(slot.entity, events.ref, i);
    } else {
      replace(slot.entity, events.words, events.ref[i] + slot.word);
    }
  }
}

}  // namespace pathline::raw
