// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

namespace pathline::base {

/// Asks the system for the pages of a large piece of memory at once, which costs less than a page
/// fault for each when they are written. Keeps what is in them. A system that cannot does it fault
/// by fault.
void populate(void* memory, size_t bytes);

/// Memory for many columns that live and die together, taken from the system in large blocks that
/// double: thousands of columns of some 100 KB each would be as many mappings otherwise.
///
/// allocate may be called from several threads at once.
class Arena {
 public:
  Arena() = default;
  ~Arena();
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  /// returns  memory aligned for any plain value, uninitialised, valid as long as the arena.
  /// errors   throws std::bad_alloc.
  void* allocate(size_t bytes);

  /// Forgets what lives in it. Its memory stays for what will.
  void clear();

 private:
  struct Block {
    std::byte* memory;
    size_t bytes;
  };
  /// Sets `is_new` where the memory may be without pages.
  std::byte* take(size_t bytes, bool& is_new);

  std::mutex mutex_;
  std::vector<Block> blocks_;
  std::byte* next_ = nullptr;
  size_t left_bytes_ = 0;
  uint32_t used_blocks_ = 0;  // The last of them is in use.
  uint32_t old_blocks_ = 0;   // They were there at clear().
};

}  // namespace pathline::base
