// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <atomic>
#include <cstdint>

namespace pathline::chunk {

/// A raw file belongs to one process: a header of kHeaderBytes, then chunks of `chunk_bytes` each.
/// A chunk holds records of one stream (a thread, or the definitions of the process) and can be
/// decoded alone. Both are written through a shared mapping, so that whatever kills the process,
/// the kernel keeps what was committed. Little endian. doc/raw-format.md tells more.
constexpr char kMagic[8] = {'P', 'a', 't', 'h', 'r', 'a', 'w', '\n'};
constexpr uint32_t kVersion = 1;
constexpr uint32_t kHeaderBytes = 4096;
constexpr uint32_t kMinChunkBytes = 4096;
constexpr uint32_t kMaxChunkBytes = 64U << 20U;
constexpr uint32_t kChunkMagic = 0x4b4e4843;  // "CHNK"
constexpr uint32_t kDefinitionStream = UINT32_MAX;

enum class ClockSource : uint32_t { kUnknown, kTsc, kMonotonicRaw, kSimulated };

/// Why events are missing; stored on disk.
enum class Loss : uint32_t {
  kNone,
  kNoSpace,
  kNoFile,
  kNoMemory,
  kMaxSize,
  kRing,
  kDefect,
  kDepth
};

/// Whose file it is; known when it is made.
struct Identity {
  uint32_t rank;  ///< In MPI_COMM_WORLD; UINT32_MAX without MPI.
  uint32_t rank_count;
  uint32_t world;  ///< Spawned programs have worlds of their own: process id of its rank 0.
  uint32_t process_id;
  ClockSource clock;
  uint32_t thread_level;      ///< What MPI provides.
  uint64_t ticks_per_second;  ///< As known at the start; ClockPair records know better.
  char host[256];
  char program[1024];
};

struct FileHeader {
  char magic[8];
  uint32_t version;
  uint32_t chunk_bytes;
  Identity who;
  // Written while the process runs:
  std::atomic<uint32_t> finished;  ///< 1 once everything is complete.
  std::atomic<Loss> loss;          ///< Why the first event was lost.
  std::atomic<int32_t> loss_errno;
  uint32_t reserved;
  std::atomic<uint64_t> lost_events;
  std::atomic<uint64_t> lost_since_ticks;
  std::atomic<uint64_t> overwritten_bytes;  ///< Of records that the ring let go.
};
static_assert(sizeof(FileHeader) <= kHeaderBytes);
static_assert(std::atomic<uint64_t>::is_always_lock_free);

struct ChunkHeader {
  uint32_t magic;  ///< Written last: a chunk without it was never begun.
  uint32_t stream;
  uint32_t sequence;  ///< Of the chunks of its stream, from 0.
  uint32_t reserved;
  uint64_t begin_ticks;             ///< The first record's time counts from here.
  uint64_t begin_ns;                ///< CLOCK_MONOTONIC then; 0 in streams without times.
  std::atomic<uint64_t> committed;  ///< Bytes of complete records behind this header.
  uint64_t reserved_too[3];
};
static_assert(sizeof(ChunkHeader) == 64);

}  // namespace pathline::chunk
