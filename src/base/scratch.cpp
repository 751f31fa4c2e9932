// SPDX-License-Identifier: BSD-3-Clause
#include "base/scratch.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <linux/magic.h>
#include <map>
#include <mutex>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <unordered_map>
#include <vector>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/heap.hpp"
#include "base/kept_blocks.hpp"
#include "base/scratch_file.hpp"

namespace pathline::base {
namespace {

constexpr size_t kLeastBytes = 1U << 16U;  // Of a block that is worth pages of its own.
constexpr size_t kPageBytes = 1U << 12U;
constexpr size_t kRoomBytes = size_t{1} << 42U;  // Of addresses; the file has holes.

/// Blocks of a file that is mapped. Each is a power of two of pages, or 5, 6 or 7 quarters of one;
/// what is given back is used again for blocks of its size, and its place on the disk is free until
/// then.
class ScratchFile {
 public:
  ScratchFile(int file, std::byte* begin) : file_(file), begin_(begin) {}

  [[nodiscard]] bool holds(const void* block) const {
    const auto* at = static_cast<const std::byte*>(block);
    return at >= begin_ && at < begin_ + kRoomBytes;
  }
  /// nullptr where the disk has no room.
  void* allocate(size_t bytes) {
    const std::lock_guard lock(mutex_);
    const size_t size = size_of(bytes);
    std::vector<size_t>& free = free_[size];
    size_t place = end_;
    if (free.empty()) {
      if (size > kRoomBytes - end_) return nullptr;
    } else {
      place = free.back();
    }
    // A page of a hole that cannot be filled later would be a signal.
    int failed = 0;
    do {
      failed = ::fallocate(file_, 0, static_cast<off_t>(place), static_cast<off_t>(size)) == 0
                   ? 0
                   : errno;
    } while (failed == EINTR);
    if (failed == EOPNOTSUPP) {
      failed = ::posix_fallocate(file_, static_cast<off_t>(place), static_cast<off_t>(size));
    }
    if (failed != 0) return nullptr;
    if (free.empty()) {
      end_ += size;
    } else {
      free.pop_back();
    }
    sizes_[place] = size;
    return begin_ + place;
  }
  void free(void* block) {
    const std::lock_guard lock(mutex_);
    const auto place = static_cast<size_t>(static_cast<std::byte*>(block) - begin_);
    const auto known = sizes_.find(place);
    const size_t size = known->second;
    sizes_.erase(known);
    // Nobody needs what was in it: it is not to be written to the disk.
    ::fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(place),
                static_cast<off_t>(size));
    free_[size].push_back(place);
  }
  [[nodiscard]] size_t room(void* block) {
    const std::lock_guard lock(mutex_);
    return sizes_.at(static_cast<size_t>(static_cast<std::byte*>(block) - begin_));
  }

 private:
  static size_t size_of(size_t bytes) {
    const size_t pages = (bytes + kPageBytes - 1) / kPageBytes;
    const size_t quarter = std::max<size_t>(1, std::bit_floor(pages) / 4);
    return (pages + quarter - 1) / quarter * quarter * kPageBytes;
  }

  const int file_;
  std::byte* const begin_;
  std::mutex mutex_;
  size_t end_ = 0;
  std::unordered_map<size_t, size_t> sizes_;    // Of the blocks in use, by place.
  std::map<size_t, std::vector<size_t>> free_;  // Places by size.
};

std::mutex offering;
std::filesystem::path offered;
// Lives as long as the process: blocks are freed at its very end.
std::atomic<ScratchFile*> in_use = nullptr;

}  // namespace

Result<int> open_scratch_file(const std::filesystem::path& folder) {
  const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0) return file;
  if (errno != EOPNOTSUPP && errno != EISDIR) {
    return Error{errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
                 fmt::format("no scratch file can be made in {}: {}", folder.string(),
                             system_reason(errno))};
  }
  std::string name = (folder / "pathline-XXXXXX").string();
  const int named = ::mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) {
    ::unlink(name.c_str());
    return named;
  }
  return Error{ErrorCode::kIo, fmt::format("no scratch file can be made in {}: {}", folder.string(),
                                           system_reason(errno))};
}

Status offer_scratch(const std::filesystem::path& folder) {
  const auto file = open_scratch_file(folder);
  if (!file) return file.error();
  struct statfs where {};
  const bool is_known = ::fstatfs(file.value(), &where) == 0;
  ::close(file.value());
  if (is_known && (where.f_type == TMPFS_MAGIC || where.f_type == RAMFS_MAGIC)) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("{} lies in memory: scratch files belong on a disk", folder.string())};
  }
  const std::lock_guard lock(offering);
  offered = folder;
  return {};
}

bool use_scratch() {
  const std::lock_guard lock(offering);
  if (in_use != nullptr) return true;
  if (offered.empty()) return false;
  const auto file = open_scratch_file(offered);
  if (!file) return false;
  void* begin = MAP_FAILED;
  if (::ftruncate(file.value(), static_cast<off_t>(kRoomBytes)) == 0) {
    begin = ::mmap(nullptr, kRoomBytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                   file.value(), 0);
  }
  if (begin == MAP_FAILED) {
    ::close(file.value());
    return false;
  }
  in_use = new ScratchFile(file.value(), static_cast<std::byte*>(begin));
  KeptBlocks::give_back();  // None will be taken from now on.
  return true;
}

namespace {
void* reallocate_in_heap(void* block, size_t bytes) {
  void* moved = block == nullptr ? KeptBlocks::take(bytes) : nullptr;
  if (moved == nullptr) moved = std::realloc(block, bytes);
  if (moved == nullptr && bytes > 0) {
    KeptBlocks::give_back();
    moved = std::realloc(block, bytes);
  }
  if (moved != nullptr && bytes >= kTellBytes) took_memory(moved, bytes);
  return moved;
}
}  // namespace

void* reallocate_block(void* block, size_t used_bytes, size_t bytes) {
  ScratchFile* const scratch = in_use.load(std::memory_order_acquire);
  if (scratch == nullptr) return reallocate_in_heap(block, bytes);
  const bool was_there = block != nullptr && scratch->holds(block);
  if (was_there && bytes <= scratch->room(block) && bytes > scratch->room(block) / 2) return block;
  if (!was_there && bytes < kLeastBytes) return std::realloc(block, bytes);
  void* moved = bytes < kLeastBytes ? std::malloc(bytes) : scratch->allocate(bytes);
  if (moved == nullptr) return nullptr;
  if (block != nullptr) std::memcpy(moved, block, std::min(used_bytes, bytes));
  free_block(block);
  return moved;
}

namespace {
/// Apart, so that the usual way saves no registers.
[[gnu::noinline]] void free_with(ScratchFile& scratch, void* block) {
  scratch.holds(block) ? scratch.free(block) : std::free(block);
}
}  // namespace

void free_block(void* block) {
  if (block == nullptr) return;  // Most columns that end never had memory.
  ScratchFile* const scratch = in_use.load(std::memory_order_acquire);
  if (scratch != nullptr) return free_with(*scratch, block);
  if (!KeptBlocks::keep(block)) std::free(block);
}

}  // namespace pathline::base
