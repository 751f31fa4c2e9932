// SPDX-License-Identifier: BSD-3-Clause
#include "summary/states.hpp"

#include <algorithm>
#include <array>

namespace pathline::summary {
namespace {

using trace::Region;

/// Goes over the codes of a location.
class BinReader {
 public:
  BinReader(const StateLevel& level, uint32_t location)
      : at_(level.codes.data() + level.code[location]),
        end_(level.codes.data() + level.code[location + 1]) {}

  /// returns  false at the end, and where the codes make no sense.
  bool next() {
    if (at_ == end_) return false;
    const uint64_t head = number();
    const uint64_t kind = head % 8;
    if (kind == 0) {
      count = head / 8;
      size = 1;
      regions[0] = number();
      return !failed_ && (count > 0 || fail());
    }
    if (head > kMostBinRegions || head < 2) return fail();
    count = 1;
    size = head;
    for (size_t i = 0; i < size; ++i) regions[i] = number();
    uint32_t sum = 0;
    for (size_t i = 0; i + 1 < size; ++i) {
      if (at_ == end_) return fail();
      sum += *at_++;
      until[i] = sum;
    }
    until[size - 1] = kBinShares;
    return !failed_ && (sum <= kBinShares || fail());
  }
  [[nodiscard]] bool failed() const { return failed_; }

  uint64_t count = 0;  ///< Bins, all alike.
  uint64_t size = 0;   ///< Of `regions`.
  std::array<uint64_t, kMostBinRegions> regions{};
  std::array<uint32_t, kMostBinRegions>
      until{};  ///< Where in the bin each ends, if it has several.

 private:
  bool fail() {
    failed_ = true;
    return false;
  }
  uint64_t number() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
      if (at_ == end_) break;
      const uint8_t byte = *at_++;
      value |= uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) return value;
    }
    failed_ = true;
    return 0;
  }

  const uint8_t* at_;
  const uint8_t* end_;
  bool failed_ = false;
};

/// Where in a bin the share ends.
uint64_t ticks_of(uint32_t share, int shift) {
  const uint64_t width = uint64_t{1} << shift;
  return width / kBinShares * share + width % kBinShares * share / kBinShares;
}

}  // namespace

void append_stretches(const StateLevel& level, uint32_t location, uint64_t from, uint64_t until,
                      std::vector<trace::CallStretch>& stretches) {
  BinReader bins(level, location);
  uint64_t bin = level.first_bin[location];
  const auto add = [&](uint64_t code, uint64_t begin, uint64_t end) {
    begin = std::max(begin, from);
    end = std::min(end, until);
    if (begin >= end) return;
    const Region region =
        code == kNoCall ? Region::none() : Region(static_cast<uint32_t>(code - 1));
    if (!stretches.empty() && stretches.back().region == region &&
        stretches.back().until == begin) {
      stretches.back().until = end;
    } else {
      stretches.push_back({region, begin, end});
    }
  };
  while (bins.next()) {
    const uint64_t begin = bin << level.shift;
    if (begin >= until) return;
    bin += bins.count;
    const uint64_t end = bin << level.shift;
    if (end <= from) continue;
    if (bins.size == 1) {
      add(bins.regions[0], begin, end);
      continue;
    }
    uint64_t at = begin;
    for (size_t i = 0; i < bins.size; ++i) {
      const uint64_t next = begin + ticks_of(bins.until[i], level.shift);
      add(bins.regions[i], at, next);
      at = next;
    }
  }
}

bool fits(const StateLevel& level, size_t location_count, size_t region_count) {
  if (level.shift < kLeastBinShift || level.shift > kMostBinShift) return false;
  if (level.first_bin.size() != location_count || level.error.size() != location_count ||
      level.code.size() != location_count + 1 || level.code.front() != 0 ||
      level.code.back() != level.codes.size() ||
      !std::is_sorted(level.code.begin(), level.code.end())) {
    return false;
  }
  const uint64_t most_bins = (kMostBinTicks >> level.shift) + 1;
  for (uint32_t i = 0; i < location_count; ++i) {
    BinReader bins(level, i);
    uint64_t bin = level.first_bin[i];
    if (bin > most_bins) return false;
    while (bins.next()) {
      if (bins.count > most_bins - bin) return false;
      bin += bins.count;
      for (size_t k = 0; k < bins.size; ++k) {
        if (bins.regions[k] > region_count) return false;
      }
    }
    if (bins.failed()) return false;
  }
  return true;
}

}  // namespace pathline::summary
