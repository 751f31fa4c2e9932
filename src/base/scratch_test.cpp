// SPDX-License-Identifier: BSD-3-Clause
#include "base/scratch.hpp"

#include <cstdint>
#include <cstdlib>

#include <gtest/gtest.h>

#include "base/packed_column.hpp"
#include "base/scratch_folder.hpp"

namespace pathline::base {
namespace {

TEST(Scratch, WantsAFolderOnADisk) {
  EXPECT_EQ(offer_scratch("/nowhere/at/all").error().code, ErrorCode::kNotFound);
  EXPECT_EQ(offer_scratch("/proc").error().code, ErrorCode::kIo);
  if (std::filesystem::exists("/dev/shm")) {
    EXPECT_EQ(offer_scratch("/dev/shm").error().code, ErrorCode::kInvalidArgument);
  }
  EXPECT_FALSE(use_scratch());
}

bool holds(const Column<uint64_t>& column, size_t rows, uint64_t first) {
  if (column.size() != rows) return false;
  for (size_t i = 0; i < rows; ++i) {
    if (column[i] != first + i) return false;
  }
  return true;
}

/// Columns that grow, shrink and go, some from before the file was in use.
bool columns_keep_their_rows(const std::filesystem::path& folder) {
  constexpr size_t kRows = 1 << 19;
  Column<uint64_t> before;
  for (uint64_t i = 0; i < kRows; ++i) before.push_back(7 + i);
  if (!offer_scratch(folder) || !use_scratch()) return false;
  Column<uint64_t> columns[8];
  for (uint64_t i = 0; i < kRows; ++i) {
    for (uint64_t k = 0; k < 8; ++k) columns[k].push_back(k + i);
    before.push_back(7 + kRows + i);
  }
  bool all = holds(before, 2 * kRows, 7);
  for (uint64_t k = 0; k < 8; ++k) all = all && holds(columns[k], kRows, k);
  // Blocks that were given back are others' now.
  for (uint64_t k = 0; k < 8; k += 2) columns[k] = Column<uint64_t>();
  Column<uint64_t> later;
  for (uint64_t i = 0; i < 2 * kRows; ++i) later.push_back(1 + i);
  later.resize(3);
  later.shrink_to_fit();
  for (uint64_t k = 1; k < 8; k += 2) all = all && holds(columns[k], kRows, k);
  all = all && holds(later, 3, 1);
  Arena arena;
  PackedColumn<uint64_t> packed(std::move(before));
  packed.pack(&arena);
  for (uint64_t i = 0; i < 2 * kRows; i += 1001) all = all && packed[i] == 7 + i;
  // Nothing has a name there.
  return all && std::filesystem::is_empty(folder);
}

TEST(Scratch, TakesThePlaceOfMemory) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer leaves no room for a mapping of 4 TiB";
#endif
  const ScratchFolder folder;
  if (!offer_scratch(folder.path())) GTEST_SKIP() << "the folder for tests lies in memory";
  // In a process of its own: once used, it stays so.
  EXPECT_EXIT(std::exit(columns_keep_their_rows(folder.path()) ? 0 : 1), testing::ExitedWithCode(0),
              "");
}

}  // namespace
}  // namespace pathline::base
