// SPDX-License-Identifier: BSD-3-Clause
#include "base/kept_blocks.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <optional>
#include <sys/resource.h>
#include <vector>

#include <gtest/gtest.h>

#include "base/byte_list.hpp"
#include "base/column.hpp"
#include "base/test_scale.hpp"

namespace pathline::base {
namespace {

constexpr size_t kLarge = (size_t{40} << 20U) + 1;

using Bytes = Column<uint8_t>;

/// Where the memory of a column of so many bytes was, that has ended.
const void* place_of_ended(size_t bytes) { return Bytes(bytes).data(); }

bool is_kept(size_t bytes, const void* place) { return Bytes(bytes).data() == place; }

TEST(KeptBlocks, AreTakenForThoseOfAboutTheirSize) {
  const KeptBlocks kept(8 * kLarge);
  const void* const place = place_of_ended(kLarge);
  const Bytes twice(2 * kLarge);
  EXPECT_NE(twice.data(), place);
  const Bytes more(kLarge + kLarge / 100);
  EXPECT_EQ(more.data(), place);
  const Bytes same(kLarge);  // It is in use.
  EXPECT_NE(same.data(), place);
}

TEST(KeptBlocks, AreNoMoreThanAsked) {
  const KeptBlocks kept(kLarge + kLarge / 2);
  const void* second_place = nullptr;
  {
    const Bytes first(kLarge);
    const Bytes second(kLarge);
    second_place = first.data();  // It ends last, and the other one has to go.
  }
  const Bytes third(kLarge);
  EXPECT_EQ(third.data(), second_place);
}

TEST(KeptBlocks, HaveNoRoomForNonsense) {
  const KeptBlocks kept(kLarge);
  for (const size_t bytes : {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2 + 1}) {
    EXPECT_EQ(KeptBlocks::take(bytes), nullptr) << bytes;
  }
}

TEST(KeptBlocks, EndWithTheLastWhoWantsThem) {
  std::optional<KeptBlocks> first(std::in_place, 2 * kLarge);
  std::optional<KeptBlocks> second(std::in_place, 2 * kLarge);
  EXPECT_NE(std::get_new_handler(), nullptr);
  first.reset();
  const void* const place = place_of_ended(kLarge);
  EXPECT_TRUE(is_kept(kLarge, place));
  second.reset();
  EXPECT_EQ(std::get_new_handler(), nullptr);
  EXPECT_FALSE(KeptBlocks::keep(Bytes(kLarge).data()));
}

/// In a process that has room for half a large block more than it has.
void take_where_there_is_no_room() {
  const KeptBlocks kept(8 * kLarge);
  const auto limit = [](size_t more) {
    size_t pages = 0;
    std::FILE* const file = std::fopen("/proc/self/statm", "r");
    if (file == nullptr || std::fscanf(file, "%zu", &pages) != 1) std::exit(2);
    std::fclose(file);
    const rlimit bytes{pages * 4096 + more, RLIM_INFINITY};
    if (setrlimit(RLIMIT_AS, &bytes) != 0) std::exit(3);
  };
  (void)place_of_ended(2 * kLarge);
  limit(kLarge / 2);
  (void)place_of_ended(kLarge);  // Too small for the block that was kept.
  // As much as there is without what is kept.
  constexpr size_t kAll = 2 * kLarge;
  if (std::vector<uint8_t>(kAll, 1)[kLarge] != 1) std::exit(4);
  (void)place_of_ended(kLarge);
  ByteList list;
  for (size_t i = 0; i < kAll / 1000; ++i) list.append(std::vector<uint8_t>(1000));
  list.clear();
  try {
    if (std::vector<uint8_t>(8 * kLarge, 1)[kLarge] != 1) std::exit(5);
    std::exit(6);
  } catch (const std::bad_alloc&) {
    std::exit(0);
  }
}

TEST(KeptBlocks, AreGivenBackWhereThereIsNoMemory) {
  if (kIsSanitized) GTEST_SKIP() << "a sanitizer takes terabytes of addresses";
  EXPECT_EXIT(take_where_there_is_no_room(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace pathline::base
