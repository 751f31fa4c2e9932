// SPDX-License-Identifier: BSD-3-Clause
#include "record/mpi/requests.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sched.h>
#include <sys/mman.h>

#include "record/mpi/communicators.hpp"
#include "record/mpi/handle_table.hpp"

namespace pathline::record {
namespace {

std::atomic<uint64_t> next_id{1};
bool locked = false;

struct Entry {
  uint64_t key;  ///< 0: free.
  Request request;
};

/// Open addressing with linear probing; entries of equal keys stand in the order of their making,
/// which removing by shifting back keeps.
struct Shard {
  std::atomic_flag lock;
  Entry* at;
  uint64_t mask;
  uint64_t used;
};
constexpr unsigned kShards = kIsSimulated ? 1 : 64;  // Pages; a simulated rank has one thread.
Shard shards[kShards];

uint64_t mixed(uint64_t key) { return key * 0x9e3779b97f4a7c15ULL; }
Shard& shard_of(uint64_t key) { return shards[(mixed(key) >> 58U) % kShards]; }
uint64_t home_of(uint64_t key, uint64_t mask) { return (mixed(key) >> 20U) & mask; }

class ShardLock {
 public:
  explicit ShardLock(Shard& shard) : shard_(shard) {
    if (!locked) return;
    while (shard_.lock.test_and_set(std::memory_order_acquire)) sched_yield();
  }
  ~ShardLock() {
    if (locked) shard_.lock.clear(std::memory_order_release);
  }
  ShardLock(const ShardLock&) = delete;
  ShardLock& operator=(const ShardLock&) = delete;

 private:
  Shard& shard_;
};

void insert(Shard& shard, uint64_t key, const Request& request) {
  uint64_t i = home_of(key, shard.mask);
  while (shard.at[i].key != 0) i = (i + 1) & shard.mask;
  shard.at[i] = {key, request};
  ++shard.used;
}

bool grow(Shard& shard) {
  const uint64_t size = shard.at == nullptr ? 32 : (shard.mask + 1) * 2;
  void* memory = mmap(nullptr, size * sizeof(Entry), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return false;
  const Shard old{{}, shard.at, shard.mask, shard.used};
  shard.at = static_cast<Entry*>(memory);
  shard.mask = size - 1;
  shard.used = 0;
  if (old.at == nullptr) return true;
  // From behind a gap on, so that equal keys keep their order.
  uint64_t begin = 0;
  while (old.at[begin].key != 0) ++begin;
  for (uint64_t n = 1; n <= old.mask + 1; ++n) {
    const Entry& entry = old.at[(begin + n) & old.mask];
    if (entry.key != 0) insert(shard, entry.key, entry.request);
  }
  munmap(old.at, (old.mask + 1) * sizeof(Entry));
  return true;
}

/// The oldest entry of this key.
Entry* find(Shard& shard, uint64_t key) {
  if (shard.at == nullptr) return nullptr;
  for (uint64_t i = home_of(key, shard.mask); shard.at[i].key != 0; i = (i + 1) & shard.mask) {
    if (shard.at[i].key == key) return &shard.at[i];
  }
  return nullptr;
}

void erase(Shard& shard, Entry* entry) {
  auto hole = static_cast<uint64_t>(entry - shard.at);
  for (uint64_t i = (hole + 1) & shard.mask; shard.at[i].key != 0; i = (i + 1) & shard.mask) {
    const uint64_t home = home_of(shard.at[i].key, shard.mask);
    // May this entry move to the hole? Only if its home does not lie behind the hole.
    if (((i - home) & shard.mask) >= ((i - hole) & shard.mask)) {
      shard.at[hole] = shard.at[i];
      hole = i;
    }
  }
  shard.at[hole].key = 0;
  --shard.used;
}

/// Takes a request out before it is complete. A persistent one stays: nobody else gets its handle.
Request claim(uint64_t key) {
  Shard& shard = shard_of(key);
  const ShardLock guard(shard);
  Entry* entry = find(shard, key);
  if (entry == nullptr) return {};
  const Request request = entry->request;
  if (!request.persistent) erase(shard, entry);
  return request;
}

/// only  nothing else completes in this call.
void record_completion(Call& call, const Request& request, MPI_Status* status, bool only = false) {
  if (!request.recorded || !ready(call.end())) return;
  const auto record = [&](RecordKind kind, auto... numbers) {
    if (only && call.recorded()) {
      call.last(kind, numbers...);
    } else {
      emit(kind, call.end(), numbers...);
    }
  };
  switch (request.kind) {
    case Request::kSend:
    case Request::kReceive:
      if (status != nullptr && was_cancelled(*status)) {
        record(RecordKind::kRequestCancelled, request.id);
      } else if (request.kind == Request::kSend) {
        record(RecordKind::kIsendComplete, request.id);
      } else if (request.fixed || status == nullptr) {
        record(RecordKind::kIrecv, request.comm, request.peer, request.tag, request.bytes_received,
               request.id);
      } else {
        record(RecordKind::kIrecv, request.comm, status->MPI_SOURCE, status->MPI_TAG,
               received_bytes(*status), request.id);
      }
      break;
    case Request::kCollective:
      record(RecordKind::kCollectiveComplete, request.operation, request.comm, request.root,
             request.bytes_sent, request.bytes_received, request.id);
      break;
    case Request::kRma: record(RecordKind::kRmaComplete, request.comm, request.id); break;
    case Request::kIo:
      record(RecordKind::kIoEnd, request.comm,
             status == nullptr ? request.bytes_sent : received_bytes(*status), request.id);
      break;
    default: break;
  }
}

/// A request is complete: out of the table with it; a persistent one stays, inactive. Nothing is
/// copied, which on the way of every message would cost as much as a look at the clock.
void complete_in_table(Call& call, uint64_t key, MPI_Status* status, bool only) {
  Shard& shard = shard_of(key);
  const ShardLock guard(shard);
  Entry* entry = find(shard, key);
  if (entry == nullptr || (entry->request.persistent && !entry->request.active)) return;
  record_completion(call, entry->request, status, only);
  entry->request.active = false;
  if (!entry->request.persistent) erase(shard, entry);
}

}  // namespace

uint64_t next_request_id() {
  if (locked) return next_id.fetch_add(1, std::memory_order_relaxed);
  const uint64_t id = next_id.load(std::memory_order_relaxed);
  next_id.store(id + 1, std::memory_order_relaxed);
  return id;
}

void lock_requests() { locked = true; }

void request_made(MPI_Request handle, const Request& request) {
  const uint64_t key = key_of(handle);
  Shard& shard = shard_of(key);
  const ShardLock guard(shard);
  if ((shard.used + 1) * 2 > shard.mask && !grow(shard)) return;
  insert(shard, key, request);
}

Handles::Handles(int count, const MPI_Request* from) {
  if (count <= 0 || from == nullptr) return;
  if (count > kFew) {
    at_ = static_cast<MPI_Request*>(std::malloc(sizeof(MPI_Request) * static_cast<size_t>(count)));
    if (at_ == nullptr) return;
  }
  for (int i = 0; i < count; ++i) at_[i] = from[i];
  count_ = count;
}

Handles::~Handles() {
  if (at_ != few_) std::free(at_);
}

Pending::Pending(Call& call, int count, const MPI_Request* handles)
    : call_(call), given_(handles), handles_(call.tracked() ? count : 0, handles) {
  if (!locked || handles_.count() == 0) return;
  // Once MPI has completed a request, another thread may be given its handle for the next one, and
  // see that complete before we look: what the handles stand for is taken out of the table now.
  claimed_ =
      static_cast<Request*>(std::calloc(static_cast<size_t>(handles_.count()), sizeof(Request)));
  if (claimed_ == nullptr) return;
  for (int i = 0; i < handles_.count(); ++i) claimed_[i] = claim(key_of(handles_[i]));
}

Pending::~Pending() {
  if (claimed_ != nullptr) {
    // What is not complete yet goes back.
    for (int i = 0; i < handles_.count(); ++i) {
      if (claimed_[i].kind != Request::kNone && !claimed_[i].persistent) {
        request_made(handles_[i], claimed_[i]);
      }
    }
    std::free(claimed_);
  }
  std::free(statuses_);
}

MPI_Status* Pending::statuses(MPI_Status* wanted) {
  const int count = handles_.count();
  if (wanted != MPI_STATUSES_IGNORE || count == 0) return wanted;
  if (count == 1) return &own_;
  statuses_ =
      static_cast<MPI_Status*>(std::malloc(sizeof(MPI_Status) * static_cast<size_t>(count)));
  return statuses_ == nullptr ? wanted : statuses_;
}

void Pending::complete(int index, MPI_Status* status) {
  const int count = handles_.count();
  if (index < 0 || index >= count || handles_[index] == MPI_REQUEST_NULL) return;
  if (status == MPI_STATUSES_IGNORE) status = nullptr;  // There was no memory for our own.
  if (claimed_ == nullptr || claimed_[index].persistent) {
    complete_in_table(call_, key_of(handles_[index]), status, count == 1);
  } else if (claimed_[index].kind != Request::kNone) {
    record_completion(call_, claimed_[index], status, count == 1);
    claimed_[index].kind = Request::kNone;
  }
}

void Pending::end(int index, MPI_Status* status, int code) {
  // Too long a message has arrived all the same; what failed otherwise is over, too.
  MPI_Status cancelled;
  std::memset(&cancelled, 0, sizeof cancelled);
  if (code != MPI_SUCCESS && code != MPI_ERR_TRUNCATE) {
    PMPI_Status_set_cancelled(&cancelled, 1);
    status = &cancelled;
  }
  complete(index, status);
}

void Pending::failed(int answer, MPI_Status* statuses, bool each) {
  if (statuses == MPI_STATUSES_IGNORE) statuses = nullptr;
  const int kind = error_class(answer);
  const int count = handles_.count();
  for (int i = 0; i < count; ++i) {
    if (handles_[i] == MPI_REQUEST_NULL) continue;
    MPI_Status* status = statuses == nullptr ? nullptr : each ? statuses + i : statuses;
    int code = kind;
    bool over = given_[i] == MPI_REQUEST_NULL || (count == 1 && kind == MPI_ERR_TRUNCATE);
    if (kind == MPI_ERR_IN_STATUS && each && status != nullptr) {
      code = error_class(status->MPI_ERROR);
      over = code != MPI_ERR_PENDING;
    }
    if (over) end(i, status, code);
  }
}

void Pending::failed_some(int answer, const int* count, const int* indices, MPI_Status* statuses) {
  if (error_class(answer) != MPI_ERR_IN_STATUS || *count == MPI_UNDEFINED) return;
  const bool known = statuses != nullptr && statuses != MPI_STATUSES_IGNORE;
  for (int i = 0; i < *count; ++i) {
    end(indices[i], known ? statuses + i : nullptr,
        known ? error_class(statuses[i].MPI_ERROR) : MPI_SUCCESS);
  }
}

namespace {

void start(Call& call, MPI_Request handle) {
  const uint64_t key = key_of(handle);
  Shard& shard = shard_of(key);
  Request request;
  {
    const ShardLock guard(shard);
    Entry* entry = find(shard, key);
    if (entry == nullptr || !entry->request.persistent) return;
    entry->request.active = true;
    entry->request.recorded = call.recorded();
    entry->request.id = next_request_id();
    request = entry->request;
  }
  if (!call.recorded()) return;
  switch (request.kind) {
    case Request::kSend:
      emit(RecordKind::kIsend, call.begin(), request.comm, request.peer, request.tag,
           request.bytes_sent, request.id);
      break;
    case Request::kReceive: emit(RecordKind::kIrecvRequest, call.begin(), request.id); break;
    case Request::kCollective:
      emit(RecordKind::kCollectiveRequest, call.begin(), request.id);
      break;
    default: break;
  }
}

/// The persistent request of a handle, out of the table.
Request take(MPI_Request handle) {
  const uint64_t key = key_of(handle);
  Shard& shard = shard_of(key);
  const ShardLock guard(shard);
  Entry* entry = find(shard, key);
  if (entry == nullptr || !entry->request.persistent) return {};
  const Request request = entry->request;
  erase(shard, entry);
  return request;
}

std::atomic<bool> freed_receives{false};

}  // namespace

Starting::Starting(Call& call, int count, MPI_Request* handles)
    : call_(call), given_(handles), handles_(call.tracked() ? count : 0, handles) {
  for (int i = 0; i < handles_.count(); ++i) start(call, handles_[i]);
}

void Starting::succeeded() {
  for (int i = 0; i < handles_.count(); ++i) {
    if (given_[i] == handles_[i]) [[likely]]
      continue;
    const Request request = take(handles_[i]);
    if (request.kind != Request::kNone) request_made(given_[i], request);
  }
}

void Starting::failed() {
  for (int i = 0; i < handles_.count(); ++i) {
    Request request = take(handles_[i]);
    if (request.kind == Request::kNone) continue;
    if (request.active && request.recorded) {
      emit(RecordKind::kRequestCancelled, call_.end(), request.id);
    }
    request.active = false;
    request_made(handles_[i], request);
  }
}

void request_freed(Call& call, MPI_Request handle) {
  if (!call.tracked() || handle == MPI_REQUEST_NULL) return;
  const uint64_t key = key_of(handle);
  Shard& shard = shard_of(key);
  Request request;
  {
    const ShardLock guard(shard);
    Entry* entry = find(shard, key);
    if (entry == nullptr) return;
    request = entry->request;
    erase(shard, entry);
  }
  if (request.kind == Request::kReceive && (!request.persistent || request.active)) {
    freed_receives.store(true, std::memory_order_relaxed);
  }
  // The send goes on, but nobody will ever see its end.
  if (request.kind == Request::kSend && (!request.persistent || request.active)) {
    record_completion(call, request, nullptr);
  }
}

namespace {

template <class Condition>
uint64_t count_open(Condition is_meant) {
  uint64_t open = 0;
  for (Shard& shard : shards) {
    const ShardLock guard(shard);
    for (uint64_t i = 0; shard.at != nullptr && i <= shard.mask; ++i) {
      const Request& request = shard.at[i].request;
      if (shard.at[i].key != 0 && (!request.persistent || request.active) && is_meant(request))
        ++open;
    }
  }
  return open;
}

}  // namespace

void define_open_requests() {
  const uint64_t open = count_open([](const Request&) { return true; });
  if (open == 0) return;
  char text[32];
  std::snprintf(text, sizeof text, "%llu", static_cast<unsigned long long>(open));
  define_setting("open_requests", text);
}

bool may_receive() {
  return freed_receives.load() ||
         count_open([](const Request& request) { return request.kind == Request::kReceive; }) != 0;
}

}  // namespace pathline::record
