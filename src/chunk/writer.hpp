// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>

#include "base/varint.hpp"
#include "chunk/format.hpp"
#include "chunk/record_kind.hpp"

namespace pathline::chunk {

enum class Buffering : uint8_t {
  kFile,  ///< Each chunk is a shared mapping of the file: nothing committed is ever lost.
  kRam,   ///< Chunks stay in memory until close(): for slow file systems. A crash loses them.
  kRing,  ///< As kFile, but each stream keeps its last chunks only.
};

struct WriterOptions {
  const char* path = nullptr;  ///< Absolute; must not exist.
  Buffering buffering = Buffering::kFile;
  uint32_t chunk_bytes = 512U << 10U;
  uint64_t max_bytes = 1ULL << 30U;  ///< Of the file; what comes later is lost and counted.
  uint32_t ring_chunks = 8;          ///< Kept of each stream by kRing.
  uint64_t (*now)() = nullptr;       ///< With it each further chunk begins with a Flush record.
};

/// The raw file of this process, written while a foreign program runs: no exceptions, no output, no
/// signal handler, nothing but system calls and the memory mapped here. Whatever goes wrong (full
/// disk, quota, no descriptor, no memory) ends the recording, is written into the file's header and
/// never reaches the program. No descriptor stays open between chunks: the program may close all
/// there are, and open others under the same number.
///
/// begin_chunk and end_chunk may be called from several threads at once.
class Writer {
 public:
  /// returns  false, with errno, if the file cannot be made.
  bool open(const WriterOptions& options, const Identity& who);

  /// A chunk for `stream`, its header filled in; nullptr when there is none, which counts as the
  /// loss of one event. Cost: a few system calls and chunk_bytes / 4096 pages. ring  where the
  /// chunks of this stream lie (kRing), 0 before its first one.
  ChunkHeader* begin_chunk(uint32_t stream, uint32_t sequence, uint64_t ticks, uint64_t& ring);
  /// `chunk` is full or its stream over.
  void end_chunk(ChunkHeader* chunk);

  /// Events that could not be recorded at all. loss  why, where stop() has not said it.
  void lose(uint64_t ticks, uint64_t events = 1, Loss loss = Loss::kNone);

  /// Writes what is in memory (kRam) and marks the file finished. Streams may go on, and the file
  /// may be completed again.
  void complete();
  /// Completes the file and lets go of it. No stream may be in use.
  void close();
  /// Forgets the file without touching it: after fork, in the child.
  void abandon();

  [[nodiscard]] bool is_open() const { return header_ != nullptr; }
  [[nodiscard]] const FileHeader* header() const { return header_; }
  [[nodiscard]] uint32_t chunk_bytes() const { return chunk_bytes_; }
  /// The time now in ticks, 0 without a clock.
  [[nodiscard]] uint64_t now() const { return now_ == nullptr ? 0 : now_(); }

 private:
  struct Kept;
  void stop(Loss loss, int error);
  ChunkHeader* map_chunk(uint64_t offset);
  ChunkHeader* chunk_in_memory(uint64_t offset);
  uint64_t place_of(uint32_t stream, uint32_t sequence, uint64_t& ring);

  FileHeader* header_ = nullptr;
  char path_[1024] = {};
  Buffering buffering_ = Buffering::kFile;
  uint32_t chunk_bytes_ = 0;
  uint32_t ring_chunks_ = 0;
  uint64_t max_bytes_ = 0;
  uint64_t (*now_)() = nullptr;
  std::atomic<uint64_t> next_offset_ = 0;
  std::atomic<bool> stopped_ = false;
  std::atomic<Kept*> kept_ = nullptr;
};

/// Is told of the chunks of a stream, to read its records while it is written: those before
/// ChunkHeader::committed, until the chunk goes away. Called by the thread of the stream.
struct Watch {
  void (*begins)(Watch* self, const ChunkHeader* chunk);
  void (*ends)(Watch* self);
};

/// One stream of records. Belongs to one thread (the definitions' to whoever holds their lock).
///
/// cost  a comparison, the bytes of the record and one store to publish it.
class __attribute__((visibility("default"))) Stream {  // Used by the libraries of the recorder.
 public:
  void start(Writer* writer, uint32_t stream) {
    writer_ = writer;
    stream_ = stream;
  }
  [[nodiscard]] bool started() const { return writer_ != nullptr; }
  /// watch  lives as long as the stream; from its next chunk on
  void watch(Watch* watch) { watch_ = watch; }

  /// Room for one record without a tail, at `ticks`; nullptr if it cannot be recorded.
  uint8_t* begin(RecordKind kind, uint64_t ticks) {
    if (at_ >= limit_) [[unlikely]] {
      if (!next_chunk(ticks)) return nullptr;
    }
    return start_record(kind, ticks);
  }
  /// Publishes the record that ends at `end`.
  void commit(uint8_t* end) {
    at_ = end;
    chunk_->committed.store(static_cast<uint64_t>(end - payload()), std::memory_order_release);
  }
  /// A whole record of a few numbers.
  template <class... Numbers>
  void add(RecordKind kind, uint64_t ticks, Numbers... numbers) {
    if (at_ >= limit_) [[unlikely]] {
      add_to_next_chunk(kind, ticks, numbers...);
      return;
    }
    commit(put(start_record(kind, ticks), numbers...));
  }
  // An Enter or Leave with the record that belongs to it, of the same time, published together:
  // what stands on the way of every message is kept short.
  template <class... Numbers>
  void add_behind_enter(uint64_t ticks, uint64_t region, RecordKind kind, Numbers... numbers) {
    if (at_ >= limit_) [[unlikely]] {
      add_to_next_chunk(RecordKind::kEnter, ticks, region);
      add(kind, ticks, numbers...);
      return;
    }
    uint8_t* at = put(start_record(RecordKind::kEnter, ticks), region);
    commit(put(start_at_same_time(at, kind), numbers...));
  }
  template <class... Numbers>
  void add_before_leave(uint64_t ticks, uint64_t region, RecordKind kind, Numbers... numbers) {
    if (at_ >= limit_) [[unlikely]] {
      add_to_next_chunk(kind, ticks, numbers...);
      add(RecordKind::kLeave, ticks, region);
      return;
    }
    uint8_t* at = put(start_record(kind, ticks), numbers...);
    commit(put(start_at_same_time(at, RecordKind::kLeave), region));
  }

  /// A definition: no time, some numbers and a text or a list, cut at kMaxTailBytes. false if it
  /// could not be recorded.
  bool define(RecordKind kind, const uint64_t* numbers, unsigned count);
  bool define_text(RecordKind kind, const uint64_t* numbers, unsigned count, const char* text,
                   size_t bytes);
  bool define_list(RecordKind kind, const uint64_t* numbers, unsigned count, const uint64_t* list,
                   size_t items);

  /// Ends the open chunk. The stream may go on with another one.
  void finish();
  /// Forgets everything: after fork, in the child.
  void abandon() { *this = Stream(); }

  [[nodiscard]] uint64_t last_ticks() const { return last_ticks_; }
  [[nodiscard]] uint64_t bytes() const {
    return bytes_before_ + (at_ == nullptr ? 0 : static_cast<uint64_t>(at_ - payload()));
  }

 private:
  // With an Enter or Leave of the same time.
  static constexpr size_t kMaxRecordBytes = 4 + base::kMaxVarintBytes * (kMaxNumbers + 2);
  static constexpr size_t kMaxTailBytes = 2048;

  [[nodiscard]] uint8_t* payload() const {
    return reinterpret_cast<uint8_t*>(chunk_) + sizeof(ChunkHeader);
  }
  template <class... Numbers>
  static uint8_t* put(uint8_t* at, Numbers... numbers) {
    ((at = base::put_varint(at, static_cast<uint64_t>(numbers))), ...);
    return at;
  }
  uint8_t* start_record(RecordKind kind, uint64_t ticks) {
    uint8_t* at = at_;
    *at++ = static_cast<uint8_t>(kind);
    // Clocks of other cores may be a little behind; a stream never goes back.
    const uint64_t delta = ticks > last_ticks_ ? ticks - last_ticks_ : 0;
    last_ticks_ += delta;
    return base::put_varint(at, delta);
  }
  static uint8_t* start_at_same_time(uint8_t* at, RecordKind kind) {
    at[0] = static_cast<uint8_t>(kind);
    at[1] = 0;
    return at + 2;
  }
  bool next_chunk(uint64_t ticks);
  bool make_next_chunk(uint64_t ticks);
  template <class... Numbers>
  [[gnu::noinline, gnu::cold]] void add_to_next_chunk(RecordKind kind, uint64_t ticks,
                                                      Numbers... numbers) {
    if (next_chunk(ticks)) commit(put(start_record(kind, ticks), numbers...));
  }
  uint8_t* begin_definition(RecordKind kind, const uint64_t* numbers, unsigned count,
                            size_t tail_bytes);

  // What each record needs stands first, in one cache line.
  uint8_t* at_ = nullptr;
  uint8_t* limit_ = nullptr;  // A record that begins before it fits.
  uint64_t last_ticks_ = 0;
  ChunkHeader* chunk_ = nullptr;
  Writer* writer_ = nullptr;
  uint32_t stream_ = 0;
  uint32_t sequence_ = 0;
  uint64_t bytes_before_ = 0;
  uint64_t ring_ = 0;
  Watch* watch_ = nullptr;
};

}  // namespace pathline::chunk
