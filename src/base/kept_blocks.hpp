// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>

namespace pathline::base {

/// As long as one lives, large blocks of columns and arenas (scratch.hpp) that are freed are kept
/// for those of about their size that are taken next. A pass over windows, each of which needs the
/// same columns again, would have the system clear their pages each time: the C library keeps no
/// block of more than 32 MiB. Of the process, as a column that ends knows no pass; for any number
/// of threads.
///
/// Where there is no memory, what is kept is given back: columns, arenas, lists of bytes and
/// operator new (by its handler, which must be none before) see to that, what else calls malloc()
/// does not.
class KeptBlocks {
 public:
  /// most_bytes  of what is kept, for this one; those that were kept first go first.
  explicit KeptBlocks(size_t most_bytes);
  ~KeptBlocks();
  KeptBlocks(const KeptBlocks&) = delete;
  KeptBlocks& operator=(const KeptBlocks&) = delete;

  /// Gives back what is kept now.
  static void give_back() noexcept;

  /// For reallocate_block() and free_block(): a large block for std::free(), one that was kept if
  /// any will do. nullptr for a small one, where there is no memory, and where nothing is kept.
  [[nodiscard]] static void* take(size_t bytes) noexcept;
  /// returns  false for a block that is to be freed.
  [[nodiscard]] static bool keep(void* block) noexcept;

 private:
  const size_t most_bytes_;
};

}  // namespace pathline::base
