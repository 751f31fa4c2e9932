// SPDX-License-Identifier: BSD-3-Clause
#include "record/mpi/windows.hpp"

#include <cstdlib>

#include "record/step_sums.hpp"

namespace pathline::record {
namespace {

struct Window {
  uint32_t id;
  std::atomic<uint64_t> epoch;  // Number that its operations share; 0: none so far.
  std::atomic<bool> used;       // By an operation since the epoch began.
  // With whom the running epoch of start and complete is, and that of post and wait; 0: none.
  std::atomic<uint32_t> targets;
  std::atomic<uint32_t> origins;
};
HandleTable known_windows;
std::atomic<uint32_t> next_window{1};

Window* window_of(MPI_Win win) {
  return reinterpret_cast<Window*>(known_windows.find(key_of(win)));
}

/// The number of the running epoch, for one more operation.
uint64_t joined_epoch(Window& window) {
  window.used.store(true, std::memory_order_relaxed);
  return window.epoch.load(std::memory_order_relaxed);
}

void complete_epoch(Call& call, Window& window, uint64_t ticks) {
  (void)call;
  if (!window.used.exchange(false, std::memory_order_relaxed)) return;
  emit(RecordKind::kRmaComplete, ticks, window.id,
       window.epoch.exchange(next_request_id(), std::memory_order_relaxed));
}

void begin_with(Call& call, const Window& window, MPI_Group group, std::atomic<uint32_t>& with) {
  if (!call.tracked()) return;
  const uint32_t id = group_of(group);
  with.store(id, std::memory_order_relaxed);
  if (call.recorded() && id != 0) {
    emit(RecordKind::kRmaGroupSync, call.end(), kSyncNone, window.id, id);
  }
}

void end_with(Call& call, const Window& window, std::atomic<uint32_t>& with) {
  const uint32_t id = with.exchange(0, std::memory_order_relaxed);
  if (call.recorded() && id != 0) {
    emit(RecordKind::kRmaGroupSync, call.end(), kSyncMemory, window.id, id);
  }
}

}  // namespace

HandleTable& windows() { return known_windows; }

void window_made(Call& call, MPI_Comm comm, MPI_Win win) {
  if (!call.tracked() || win == MPI_WIN_NULL) return;
  const Communicator* known = communicator_of(comm);
  auto* window = static_cast<Window*>(std::calloc(1, sizeof(Window)));
  if (known == nullptr || window == nullptr) return;
  window->id = next_window.fetch_add(1, std::memory_order_relaxed);
  window->epoch = next_request_id();
  known_windows.put(key_of(win), reinterpret_cast<uint64_t>(window));
  const uint64_t numbers[] = {window->id, known->id};
  define(RecordKind::kWindow, numbers, 2);
  sum_window(window->id, known->id);
  if (call.recorded()) emit(RecordKind::kWinCreate, call.end(), window->id);
}

void window_freed(Call& call, uint64_t known) {
  if (!call.recorded() || known == 0) return;
  emit(RecordKind::kWinDestroy, call.begin(), reinterpret_cast<const Window*>(known)->id);
}

void window_named(MPI_Win win, const char* name) {
  const Window* window = window_of(win);
  if (window == nullptr) return;
  const uint64_t numbers[] = {window->id};
  define_text(RecordKind::kWindowName, numbers, 1, name);
}

void rma_put(Call& call, MPI_Win win, int target, uint64_t bytes) {
  Window* window = window_of(win);
  if (!call.recorded() || window == nullptr) return;
  emit(RecordKind::kRmaPut, call.begin(), window->id, target, bytes, joined_epoch(*window));
}

void rma_get(Call& call, MPI_Win win, int target, uint64_t bytes) {
  Window* window = window_of(win);
  if (!call.recorded() || window == nullptr) return;
  emit(RecordKind::kRmaGet, call.begin(), window->id, target, bytes, joined_epoch(*window));
}

void rma_atomic(Call& call, MPI_Win win, int target, uint32_t type, uint64_t sent,
                uint64_t received) {
  Window* window = window_of(win);
  if (!call.recorded() || window == nullptr) return;
  emit(RecordKind::kRmaAtomic, call.begin(), window->id, target, type, sent, received,
       joined_epoch(*window));
}

void rma_runs(Call& call, MPI_Win win, MPI_Request request) {
  const Window* window = window_of(win);
  if (!call.recorded() || window == nullptr || request == MPI_REQUEST_NULL) return;
  request_made(request, {.kind = Request::kRma,
                         .recorded = true,
                         .id = window->epoch.load(std::memory_order_relaxed),
                         .comm = window->id});
}

void rma_fence_ends(Call& call, MPI_Win win) {
  Window* window = window_of(win);
  if (!call.recorded() || window == nullptr) return;
  emit(RecordKind::kRmaCollectiveBegin, call.begin());
  complete_epoch(call, *window, call.end());
  constexpr uint32_t kBarrier = 0;
  emit(RecordKind::kRmaCollectiveEnd, call.end(), kBarrier, kSyncProcess | kSyncMemory, window->id,
       UINT32_MAX, 0, 0);
}

void rma_access_begins(Call& call, MPI_Win win, MPI_Group targets) {
  Window* window = window_of(win);
  if (window != nullptr) begin_with(call, *window, targets, window->targets);
}

void rma_access_ends(Call& call, MPI_Win win) {
  Window* window = window_of(win);
  if (window == nullptr) return;
  if (call.recorded()) complete_epoch(call, *window, call.end());
  end_with(call, *window, window->targets);
}

void rma_exposure_begins(Call& call, MPI_Win win, MPI_Group origins) {
  Window* window = window_of(win);
  if (window != nullptr) begin_with(call, *window, origins, window->origins);
}

void rma_exposure_ends(Call& call, MPI_Win win) {
  Window* window = window_of(win);
  if (window != nullptr) end_with(call, *window, window->origins);
}

void rma_completed(Call& call, MPI_Win win) {
  Window* window = window_of(win);
  if (call.recorded() && window != nullptr) complete_epoch(call, *window, call.end());
}

void rma_locked(Call& call, MPI_Win win, int target, bool exclusive) {
  const Window* window = window_of(win);
  if (!call.recorded() || window == nullptr || target == MPI_PROC_NULL) return;
  // OTF2_LockType: 0 exclusive, 1 shared.
  emit(RecordKind::kRmaLock, call.end(), window->id, target, 0, exclusive ? 0 : 1);
}

void rma_unlocked(Call& call, MPI_Win win, int target) {
  Window* window = window_of(win);
  if (!call.recorded() || window == nullptr || target == MPI_PROC_NULL) return;
  complete_epoch(call, *window, call.end());
  emit(RecordKind::kRmaUnlock, call.end(), window->id, target, 0);
}

}  // namespace pathline::record
