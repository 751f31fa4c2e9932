// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "base/varint.hpp"
#include "chunk/writer.hpp"
#include "record/process.hpp"

// The records of one thread, read while they are written, and what they add up to in a time step.

namespace pathline::record {

constexpr unsigned kMaxRegions = 24;
constexpr unsigned kMaxDestinations = 24;
/// Functions with figures of their own.
constexpr const char* kFunctions[] = {"MPI_Send", "MPI_Isend", "MPI_Put", "MPI_Get"};
constexpr unsigned kFunctionCount = 4;

/// What a region is: one of kClasses, or behind them one of the chosen regions.
enum : uint8_t { kOther = 0, kIo = 1, kMpi = 2, kFirstFunction = 3, kFirstChosen = 7 };

struct Traffic {
  uint64_t calls = 0;
  uint64_t bytes = 0;
  void add(uint64_t more_bytes) {
    ++calls;
    bytes += more_bytes;
  }
  void add(const Traffic& other) {
    calls += other.calls;
    bytes += other.bytes;
  }
};

/// Of one stream, or of all.
struct Sums {
  uint64_t mpi_ticks;
  uint64_t io_ticks;
  Traffic sent, received, collective, read, written;
  Traffic functions[kFunctionCount];
  Traffic to[kMaxDestinations][kFunctionCount];
  Traffic regions[kMaxRegions];  ///< bytes: inclusive ticks.

  void add(const Sums& other) {
    mpi_ticks += other.mpi_ticks;
    io_ticks += other.io_ticks;
    sent.add(other.sent);
    received.add(other.received);
    collective.add(other.collective);
    read.add(other.read);
    written.add(other.written);
    for (unsigned f = 0; f < kFunctionCount; ++f) functions[f].add(other.functions[f]);
    for (unsigned d = 0; d < kMaxDestinations; ++d) {
      for (unsigned f = 0; f < kFunctionCount; ++f) to[d][f].add(other.to[d][f]);
    }
    for (unsigned r = 0; r < kMaxRegions; ++r) regions[r].add(other.regions[r]);
  }
};

/// What the numbers in records mean, for all streams.
struct Tables {
  uint8_t classes[kMaxProfileRows];  // By region; pages that nobody touches take no memory.
  /// By communicator and destination: 1 + the rank there, 0 if it is no member.
  uint32_t members[kMaxProfileRows][kMaxDestinations];
  uint32_t communicators[kMaxProfileRows];  ///< By window.
  unsigned region_count;                    ///< Of chosen ones.
  unsigned destination_count;
};
/// The records of a stream, and what they add up to in the open step.
class StreamSums : public chunk::Watch {
 public:
  /// tables  outlive this
  explicit StreamSums(const Tables& tables) : Watch{&on_begin, &on_end}, tables_(tables) {}

  /// Adds up what has been recorded so far, and what is open until `ticks`; hands it over.
  void take(uint64_t ticks, bool next_step, Sums& all) {
    const Lock guard(mutex_);
    look();
    Sums open = sums_;
    const uint64_t from = outer_begin_;
    if (outer_depth_ != 0 && ticks > from) {
      (outer_class_ == kIo ? open.io_ticks : open.mpi_ticks) += ticks - from;
    }
    for (unsigned r = 0; r < tables_.region_count; ++r) {
      if (chosen_depth_[r] != 0 && ticks > chosen_begin_[r]) {
        open.regions[r].bytes += ticks - chosen_begin_[r];
      }
    }
    all.add(open);
    if (!next_step) return;
    sums_ = {};
    if (outer_begin_ < ticks) outer_begin_ = ticks;
    for (uint64_t& begin : chosen_begin_) begin = begin < ticks ? ticks : begin;
  }

  StreamSums* next = nullptr;

 private:
  static void on_begin(Watch* watch, const chunk::ChunkHeader* chunk) {
    auto* self = static_cast<StreamSums*>(watch);
    const Lock guard(self->mutex_);
    self->chunk_ = chunk;
    self->done_ = 0;
    self->ticks_ = chunk->begin_ticks;
  }
  static void on_end(Watch* watch) {
    auto* self = static_cast<StreamSums*>(watch);
    const Lock guard(self->mutex_);
    self->look();
    self->chunk_ = nullptr;
  }

  /// Reads what has come since the last time.
  void look() {
    if (chunk_ == nullptr) return;
    const auto* payload = reinterpret_cast<const uint8_t*>(chunk_) + sizeof(chunk::ChunkHeader);
    const uint64_t committed = chunk_->committed.load(std::memory_order_acquire);
    const uint8_t* at = payload + done_;
    const uint8_t* const end = payload + committed;
    while (at != nullptr && at < end) at = read_record(at, end);
    done_ = committed;
  }

  const uint8_t* read_record(const uint8_t* at, const uint8_t* end) {
    const auto kind = static_cast<RecordKind>(*at);
    const chunk::RecordShape& shape = chunk::kRecordShapes[*at++];
    if (!shape.known || !shape.timed) return nullptr;
    uint64_t delta = 0;
    at = base::get_varint(at, end, delta);
    const uint64_t before = ticks_;
    ticks_ += delta;
    uint64_t n[chunk::kMaxNumbers] = {};
    for (unsigned i = 0; i < shape.numbers && at != nullptr; ++i) {
      at = base::get_varint(at, end, n[i]);
    }
    if (at != nullptr && shape.tail == chunk::RecordShape::Tail::kList) {
      uint64_t items = 0;
      uint64_t item = 0;
      at = base::get_varint(at, end, items);
      for (; items > 0 && at != nullptr; --items) at = base::get_varint(at, end, item);
    }
    if (at != nullptr) add_record(kind, before, n);
    return at;
  }

  void add_record(RecordKind kind, uint64_t before, const uint64_t* n) {
    switch (kind) {
      case RecordKind::kEnter: enter(n[0]); break;
      case RecordKind::kLeave: leave(n[0]); break;
      case RecordKind::kPolls:
      case RecordKind::kPollsWithWork: polls(before, n); break;
      case RecordKind::kSend:
      case RecordKind::kIsend:
        last_bytes_ = n[3];
        last_to_ = destination_of(n[0], n[1]);
        sums_.sent.add(n[3]);
        transfer(last_to_, n[3]);
        break;
      case RecordKind::kSendFailed: take_back(); break;
      case RecordKind::kRecv:
      case RecordKind::kIrecv: sums_.received.add(n[3]); break;
      case RecordKind::kCollectiveEnd:
      case RecordKind::kCollectiveComplete: sums_.collective.add(n[3]); break;
      case RecordKind::kRmaPut:
      case RecordKind::kRmaGet:
      case RecordKind::kRmaAtomic: {
        const uint64_t comm = tables_.communicators[n[0] % kMaxProfileRows];
        transfer(destination_of(comm, n[1]), kind == RecordKind::kRmaAtomic ? n[3] + n[4] : n[2]);
        break;
      }
      case RecordKind::kIoBegin: io_begins(n); break;
      case RecordKind::kIoEnd: io_ends(n); break;
      default: break;
    }
  }

  void enter(uint64_t region) {
    const uint8_t is = tables_.classes[region % kMaxProfileRows];
    ++depth_;
    if (depth_ <= kMaxUserDepth) open_[depth_ - 1] = is;
    if (is >= kFirstChosen) {
      const unsigned chosen = is - kFirstChosen;
      ++sums_.regions[chosen].calls;
      if (chosen_depth_[chosen]++ == 0) chosen_begin_[chosen] = ticks_;
    } else if (is != kOther && outer_depth_ == 0) {
      outer_depth_ = depth_;
      outer_class_ = is;
      outer_begin_ = ticks_;
    }
  }
  void leave(uint64_t region) {
    (void)region;  // Regions nest: it is the innermost one.
    if (depth_ == 0) return;
    const uint8_t is = depth_ <= kMaxUserDepth ? open_[depth_ - 1] : uint8_t{kOther};
    if (outer_depth_ == depth_) {
      (outer_class_ == kIo ? sums_.io_ticks : sums_.mpi_ticks) += ticks_ - outer_begin_;
      outer_depth_ = 0;
    }
    if (is >= kFirstChosen) {
      const unsigned chosen = is - kFirstChosen;
      if (--chosen_depth_[chosen] == 0) {
        sums_.regions[chosen].bytes += ticks_ - chosen_begin_[chosen];
      }
    }
    --depth_;
  }
  void polls(uint64_t before, const uint64_t* n) {
    const uint8_t is = tables_.classes[n[0] % kMaxProfileRows];
    if (outer_depth_ != 0 || is == kOther || is >= kFirstChosen) return;
    const uint64_t begin = ticks_ > n[2] ? ticks_ - n[2] : 0;
    sums_.mpi_ticks += ticks_ - (begin > before ? begin : before);
  }

  [[nodiscard]] unsigned function() const {
    return outer_depth_ == 0 || outer_class_ < kFirstFunction
               ? kFunctionCount
               : static_cast<unsigned>(outer_class_ - kFirstFunction);
  }
  [[nodiscard]] unsigned destination_of(uint64_t comm, uint64_t rank) const {
    const uint32_t* members = tables_.members[comm % kMaxProfileRows];
    for (unsigned d = 0; d < tables_.destination_count; ++d) {
      if (members[d] == rank + 1) return d;
    }
    return kMaxDestinations;
  }
  void transfer(unsigned destination, uint64_t bytes) {
    const unsigned f = function();
    if (f == kFunctionCount) return;
    sums_.functions[f].add(bytes);
    if (destination < kMaxDestinations) sums_.to[destination][f].add(bytes);
  }
  /// MPI refused the last send.
  void take_back() {
    const auto less = [this](Traffic& traffic) {
      --traffic.calls;
      traffic.bytes -= last_bytes_;
    };
    less(sums_.sent);
    const unsigned f = function();
    if (f == kFunctionCount) return;
    less(sums_.functions[f]);
    if (last_to_ < kMaxDestinations) less(sums_.to[last_to_][f]);
  }

  // Few transfers are open at once; one that does not fit is not counted.
  static constexpr unsigned kMaxTransfers = 64;
  struct Transfer {
    uint64_t handle;
    uint64_t matching;
    bool write;
    bool open;
  };
  Transfer& slot_of(uint64_t handle, uint64_t matching) {
    return transfers_[(matching + handle * 7) % kMaxTransfers];
  }
  void io_begins(const uint64_t* n) {
    if (n[1] > 1) return;
    slot_of(n[0], n[4]) = {n[0], n[4], n[1] == 1, true};
  }
  void io_ends(const uint64_t* n) {
    Transfer& transfer = slot_of(n[0], n[2]);
    if (!transfer.open || transfer.handle != n[0] || transfer.matching != n[2]) return;
    transfer.open = false;
    if (n[1] != UINT64_MAX) (transfer.write ? sums_.written : sums_.read).add(n[1]);
  }

  const Tables& tables_;
  Mutex mutex_;  // The leading thread reads the streams of all.
  const chunk::ChunkHeader* chunk_ = nullptr;
  uint64_t done_ = 0;
  uint64_t ticks_ = 0;
  Sums sums_{};
  uint32_t depth_ = 0;
  uint32_t outer_depth_ = 0;  // Of the outermost call of MPI or of files; 0: none is open.
  uint8_t outer_class_ = kOther;
  uint64_t outer_begin_ = 0;
  uint32_t chosen_depth_[kMaxRegions] = {};
  uint64_t chosen_begin_[kMaxRegions] = {};
  uint64_t last_bytes_ = 0;
  unsigned last_to_ = kMaxDestinations;
  Transfer transfers_[kMaxTransfers] = {};
  uint8_t open_[kMaxUserDepth] = {};
};

}  // namespace pathline::record
