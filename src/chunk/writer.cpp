// SPDX-License-Identifier: BSD-3-Clause
#include "chunk/writer.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pathline::chunk {
namespace {

// System calls without their wrappers: the program's I/O may be recorded through those.
int sys_open(const char* path, int flags) {
  return static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, flags | O_CLOEXEC, 0644));
}
void sys_close(int fd) { syscall(SYS_close, fd); }

uint64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<uint64_t>(now.tv_nsec);
}

/// Blocks of the file for a range, so that a full disk shows here and not as SIGBUS later.
/// returns  0 or an errno value.
int reserve(int fd, uint64_t offset, uint64_t bytes) {
  rlimit limit{};
  // Beyond its limit the kernel would send a signal that ends the program.
  if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
      offset + bytes > limit.rlim_cur) {
    return EFBIG;
  }
  if (syscall(SYS_fallocate, fd, 0, offset, bytes) == 0) return 0;
  if (errno != EOPNOTSUPP && errno != ENOSYS) return errno;
  static const char zeros[4096] = {};
  for (uint64_t done = 0; done < bytes;) {
    const size_t size = std::min<uint64_t>(sizeof zeros, bytes - done);
    const auto written = syscall(SYS_pwrite64, fd, zeros, size, offset + done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written < 0 ? errno : ENOSPC;
    done += static_cast<uint64_t>(written);
  }
  return 0;
}

Loss loss_of(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG: return Loss::kNoSpace;
    case ENOMEM: return Loss::kNoMemory;
    default: return Loss::kNoFile;
  }
}

bool write_all(int fd, const void* data, size_t bytes, uint64_t offset) {
  const char* at = static_cast<const char*>(data);
  while (bytes > 0) {
    const auto written = syscall(SYS_pwrite64, fd, at, bytes, offset);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    at += written;
    offset += static_cast<uint64_t>(written);
    bytes -= static_cast<size_t>(written);
  }
  return true;
}

void* map_memory(size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

/// A chunk in memory (kRam). Stands in a page of its own.
struct Writer::Kept {
  Kept* next;
  ChunkHeader* chunk;
  uint64_t offset;  // Where it will stand in the file.
};

bool Writer::open(const WriterOptions& options, const Identity& who) {
  const size_t length = std::strlen(options.path);
  if (length >= sizeof path_) {
    errno = ENAMETOOLONG;
    return false;
  }
  std::memcpy(path_, options.path, length + 1);
  const int fd = sys_open(path_, O_RDWR | O_CREAT | O_EXCL);
  if (fd < 0) return false;
  int error = reserve(fd, 0, kHeaderBytes);
  void* memory = MAP_FAILED;
  if (error == 0) {
    memory = mmap(nullptr, kHeaderBytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (memory == MAP_FAILED) error = errno;
  }
  sys_close(fd);
  if (error != 0) {
    syscall(SYS_unlink, path_);
    errno = error;
    return false;
  }
  buffering_ = options.buffering;
  chunk_bytes_ = std::clamp(options.chunk_bytes, kMinChunkBytes, kMaxChunkBytes) / 4096 * 4096;
  max_bytes_ = options.max_bytes;
  now_ = options.now;
  ring_chunks_ = std::max(2U, options.ring_chunks);
  next_offset_ = kHeaderBytes;
  stopped_ = false;
  header_ = new (memory) FileHeader{};
  header_->who = who;
  std::memcpy(header_->magic, kMagic, sizeof kMagic);
  header_->version = kVersion;
  header_->chunk_bytes = chunk_bytes_;
  return true;
}

void Writer::stop(Loss loss, int error) {
  if (stopped_.exchange(true)) return;
  header_->loss_errno = error;
  header_->loss = loss;
}

void Writer::lose(uint64_t ticks, uint64_t events, Loss loss) {
  if (header_ == nullptr) return;
  Loss none = Loss::kNone;
  if (loss != Loss::kNone) header_->loss.compare_exchange_strong(none, loss);
  if (header_->lost_events.fetch_add(events, std::memory_order_relaxed) == 0) {
    header_->lost_since_ticks = ticks;
  }
}

ChunkHeader* Writer::map_chunk(uint64_t offset) {
  const int fd = sys_open(path_, O_RDWR);
  if (fd < 0) {
    stop(Loss::kNoFile, errno);
    return nullptr;
  }
  int error = reserve(fd, offset, chunk_bytes_);
  void* memory = MAP_FAILED;
  if (error == 0) {
    // MAP_POPULATE would only read the pages in; what costs is the first write to each.
    memory = mmap(nullptr, chunk_bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
                  static_cast<off_t>(offset));
    if (memory == MAP_FAILED) error = errno;
  }
  sys_close(fd);
  if (error != 0) {
    stop(loss_of(error), error);
    return nullptr;
  }
  return static_cast<ChunkHeader*>(memory);
}

ChunkHeader* Writer::chunk_in_memory(uint64_t offset) {
  void* memory = map_memory(chunk_bytes_);
  void* kept_memory = memory == nullptr ? nullptr : map_memory(sizeof(Kept));
  if (kept_memory == nullptr) {
    stop(Loss::kNoMemory, ENOMEM);
    return nullptr;
  }
  auto* chunk = static_cast<ChunkHeader*>(memory);
  auto* kept = static_cast<Kept*>(kept_memory);
  *kept = {kept_.load(), chunk, offset};
  while (!kept_.compare_exchange_weak(kept->next, kept)) {
  }
  return chunk;
}

/// returns  the offset of a chunk that nobody else has, or 0.
uint64_t Writer::place_of(uint32_t stream, uint32_t sequence, uint64_t& ring) {
  const bool in_ring = buffering_ == Buffering::kRing && stream != kDefinitionStream;
  if (in_ring && ring != 0) return ring + uint64_t{sequence % ring_chunks_} * chunk_bytes_;
  const uint64_t bytes = uint64_t{chunk_bytes_} * (in_ring ? ring_chunks_ : 1);
  const uint64_t offset = next_offset_.fetch_add(bytes);
  if (offset + bytes > max_bytes_) {
    stop(Loss::kMaxSize, 0);
    return 0;
  }
  if (in_ring) ring = offset;
  return offset;
}

ChunkHeader* Writer::begin_chunk(uint32_t stream, uint32_t sequence, uint64_t ticks,
                                 uint64_t& ring) {
  if (header_ == nullptr) return nullptr;
  // Before the file grows, which takes long: the pair of ticks and time is to be one moment.
  const uint64_t begin_ns = stream == kDefinitionStream ? 0 : monotonic_ns();
  ChunkHeader* chunk = nullptr;
  if (!stopped_.load(std::memory_order_relaxed)) {
    const uint64_t offset = place_of(stream, sequence, ring);
    if (offset != 0) {
      chunk = buffering_ == Buffering::kRam ? chunk_in_memory(offset) : map_chunk(offset);
    }
  }
  if (chunk == nullptr) {
    lose(ticks);
    return nullptr;
  }
#ifdef MADV_POPULATE_WRITE
  // All pages at once instead of a fault for each; a definition chunk is hardly ever filled.
  if (stream != kDefinitionStream) madvise(chunk, chunk_bytes_, MADV_POPULATE_WRITE);
#endif
  if (chunk->magic == kChunkMagic) {  // The oldest one of a ring.
    header_->overwritten_bytes.fetch_add(chunk->committed.load(std::memory_order_relaxed));
    header_->loss = Loss::kRing;
    chunk->magic = 0;
    std::atomic_thread_fence(std::memory_order_release);
  }
  chunk->stream = stream;
  chunk->sequence = sequence;
  chunk->begin_ticks = ticks;
  chunk->begin_ns = begin_ns;
  chunk->committed.store(0, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  chunk->magic = kChunkMagic;
  return chunk;
}

void Writer::end_chunk(ChunkHeader* chunk) {
  if (chunk == nullptr || buffering_ == Buffering::kRam) return;
  munmap(chunk, chunk_bytes_);
}

void Writer::complete() {
  if (header_ == nullptr) return;
  if (const Kept* kept = kept_.load(); kept != nullptr) {
    const int fd = sys_open(path_, O_RDWR);
    for (; kept != nullptr; kept = kept->next) {
      const size_t used = sizeof(ChunkHeader) + kept->chunk->committed.load();
      if (fd < 0 || !write_all(fd, kept->chunk, used, kept->offset)) {
        stop(fd < 0 ? Loss::kNoFile : loss_of(errno), errno);
        lose(kept->chunk->begin_ticks);
      }
    }
    if (fd >= 0) sys_close(fd);
  }
  header_->finished = 1;
}

void Writer::close() {
  if (header_ == nullptr) return;
  complete();
  for (Kept* kept = kept_.exchange(nullptr); kept != nullptr;) {
    Kept* next = kept->next;
    munmap(kept->chunk, chunk_bytes_);
    munmap(kept, sizeof(Kept));
    kept = next;
  }
  munmap(header_, kHeaderBytes);
  header_ = nullptr;
}

void Writer::abandon() {
  header_ = nullptr;
  stopped_ = true;
  kept_ = nullptr;
}

bool Stream::next_chunk(uint64_t ticks) {
  // The program calls us between its own system calls, too.
  const int program_errno = errno;
  const bool made = make_next_chunk(ticks);
  errno = program_errno;
  return made;
}

bool Stream::make_next_chunk(uint64_t ticks) {
  finish();
  if (writer_ == nullptr) return false;
  chunk_ = writer_->begin_chunk(stream_, sequence_, ticks, ring_);
  if (chunk_ == nullptr) return false;
  ++sequence_;
  last_ticks_ = std::max(ticks, last_ticks_);
  chunk_->begin_ticks = last_ticks_;
  if (watch_ != nullptr) watch_->begins(watch_, chunk_);
  at_ = payload();
  limit_ = reinterpret_cast<uint8_t*>(chunk_) + writer_->chunk_bytes() - kMaxRecordBytes;
  if (sequence_ > 1 && stream_ != kDefinitionStream) {
    const uint64_t now = writer_->now();
    if (now > last_ticks_) add(RecordKind::kFlush, last_ticks_, now - last_ticks_);
  }
  return true;
}

void Stream::finish() {
  if (chunk_ == nullptr) return;
  bytes_before_ += static_cast<uint64_t>(at_ - payload());
  if (watch_ != nullptr) watch_->ends(watch_);
  writer_->end_chunk(chunk_);
  chunk_ = nullptr;
  at_ = limit_ = nullptr;
}

uint8_t* Stream::begin_definition(RecordKind kind, const uint64_t* numbers, unsigned count,
                                  size_t tail_bytes) {
  if (at_ == nullptr || at_ + tail_bytes >= limit_) {
    if (!next_chunk(last_ticks_)) return nullptr;
  }
  uint8_t* at = at_;
  *at++ = static_cast<uint8_t>(kind);
  for (unsigned i = 0; i < count; ++i) at = base::put_varint(at, numbers[i]);
  return at;
}

bool Stream::define(RecordKind kind, const uint64_t* numbers, unsigned count) {
  uint8_t* at = begin_definition(kind, numbers, count, 0);
  if (at == nullptr) return false;
  commit(at);
  return true;
}

bool Stream::define_text(RecordKind kind, const uint64_t* numbers, unsigned count, const char* text,
                         size_t bytes) {
  bytes = std::min(bytes, kMaxTailBytes);
  uint8_t* at = begin_definition(kind, numbers, count, bytes + base::kMaxVarintBytes);
  if (at == nullptr) return false;
  at = base::put_varint(at, bytes);
  std::memcpy(at, text, bytes);
  commit(at + bytes);
  return true;
}

bool Stream::define_list(RecordKind kind, const uint64_t* numbers, unsigned count,
                         const uint64_t* list, size_t items) {
  uint8_t* at = begin_definition(kind, numbers, count, (items + 1) * base::kMaxVarintBytes);
  if (at == nullptr) return false;
  at = base::put_varint(at, items);
  for (size_t i = 0; i < items; ++i) at = base::put_varint(at, list[i]);
  commit(at);
  return true;
}

}  // namespace pathline::chunk
