// SPDX-License-Identifier: BSD-3-Clause
#include "summary/state_bins.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "base/varint.hpp"

namespace pathline::summary {
namespace {

constexpr int kQuarterBits = 2;
constexpr int kSampledBits = 2;           // The error of one bin in 2^2 is computed.
constexpr uint64_t kForgotten = 1 << 16;  // All of a bin.
constexpr int kCuts = 3;                  // Between the quarters of a bin.

/// One in 2^2, without a rhythm that a program might have.
bool is_sampled(uint64_t bin) {
  constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;
  return bin * kGolden >> (64 - kSampledBits) == 0;
}

}  // namespace

/// What a bin holds, while it is closed.
struct Bins::Whole {
  std::vector<Part> parts;      // By first occurrence, all quarters together.
  std::vector<uint64_t> exact;  // Per part its ticks so far.

  /// Which part has this code; parts.size() if there is none.
  [[nodiscard]] size_t find(uint32_t code) const {
    const Part* const first = parts.data();
    const size_t count = parts.size();
    size_t i = 0;
    while (i < count && first[i].code != code) ++i;
    return i;
  }
};

void Bins::add(uint32_t code, uint64_t from, uint64_t until, Bins* parent, Bins* end) {
  if (!has_begun_) begin(from);
  at_ = until;
  const uint64_t width = uint64_t{1} << shift_;
  // Most lie inside of the bin that is open.
  if (is_open_ && !is_weighed_ && from < until && until < begin_ + width) {
    return put(code, until - from);
  }
  while (from < until) {
    if (!is_open_ && (from & (width - 1)) == 0 && until - from >= width) {
      const uint64_t count = (until - from) >> shift_;
      run(code, count);
      const uint64_t after = from + (count << shift_);
      if (parent != end) parent->add(code, from, after, parent + 1, end);
      from = after;
      continue;
    }
    const uint64_t after = std::min(until, ((from >> shift_) + 1) << shift_);
    put_in_bin(code, from, after);
    from = after;
    if (from == begin_ + width) close(parent, end);
  }
}

void Bins::finish(Bins* parent, Bins* end) {
  const uint64_t width = uint64_t{1} << shift_;
  if (is_open_) add(kNoCall, at_, begin_ + width, parent, end);
  end_run();
}

void Bins::give_up(Bins& parent, Bins* end) {
  if (!is_open_) return;
  Whole whole;
  sum_up(whole);
  pass(whole, parent, end);
}

void Bins::pack(base::Packer& out) const {
  out.put(first_bin_);
  out.put(bin_count_);
  out.put(forgotten_);
  codes_.pack(out);
}

void Bins::take(base::Unpacker& in) {
  first_bin_ = in.get<uint64_t>();
  bin_count_ = in.get<uint64_t>();
  forgotten_ = in.get<uint64_t>();
  codes_.take(in);
}

uint16_t Bins::error() const {
  if (bin_count_ == 0) return 0;
  const double cut = static_cast<double>(forgotten_ << kSampledBits) / kForgotten / kCuts /
                     static_cast<double>(bin_count_);
  constexpr double kCutBinsPerPixel = 2;
  return static_cast<uint16_t>(std::min(65535.0, kCutBinsPerPixel * cut * 65535 + 0.5));
}

/// The first bin has no call before the first event.
void Bins::begin(uint64_t from) {
  has_begun_ = true;
  first_bin_ = from >> shift_;
  put_in_bin(kNoCall, first_bin_ << shift_, from);
}

void Bins::open(uint64_t at) {
  is_open_ = true;
  begin_ = at >> shift_ << shift_;
  is_weighed_ = is_sampled((begin_ >> shift_) + seed_);
  quarter_ = 0;
  parts_.clear();
}

/// Inside one bin: of one that is weighed quarter by quarter, so that it is known what it forgets.
void Bins::put_in_bin(uint32_t code, uint64_t from, uint64_t until) {
  if (from >= until) return;
  if (!is_open_) open(from);
  if (!is_weighed_) return put(code, until - from);
  const int fine = shift_ - kQuarterBits;
  uint64_t quarter_end = ((from >> fine) + 1) << fine;
  for (auto quarter = static_cast<uint8_t>((from >> fine) % 4);; ++quarter) {
    for (; quarter_ < quarter; ++quarter_)
      quarter_end_[quarter_] = static_cast<uint32_t>(parts_.size());
    const uint64_t after = std::min(until, quarter_end);
    put(code, after - from);
    if (after == until) return;
    from = after;
    quarter_end += uint64_t{1} << fine;
  }
}

/// Into the quarter that is reached.
void Bins::put(uint32_t code, uint64_t ticks) {
  Part* part = parts_.data() + (quarter_ == 0 ? 0 : quarter_end_[quarter_ - 1]);
  for (const Part* const end = parts_.data() + parts_.size(); part != end; ++part) {
    if (part->code != code) continue;
    part->ticks += ticks;
    return;
  }
  parts_.push_back({code, ticks});
}

void Bins::sum_up(Whole& whole) {
  whole.parts.clear();
  if (!is_weighed_) return std::swap(whole.parts, parts_);
  for (const Part& part : parts_) {
    const size_t i = whole.find(part.code);
    if (i == whole.parts.size()) {
      whole.parts.push_back(part);
    } else {
      whole.parts[i].ticks += part.ticks;
    }
  }
}

void Bins::close(Bins* parent, Bins* end) {
  for (; quarter_ < 4; ++quarter_) quarter_end_[quarter_] = static_cast<uint32_t>(parts_.size());
  // While a bin hands on what it had, wider ones may close.
  thread_local std::array<Whole, kMostBinShift + 1> scratch;
  Whole& whole = scratch[shift_];
  sum_up(whole);
  if (whole.parts.size() == 1) {
    run(whole.parts[0].code, 1);
  } else {
    end_run();
    encode(whole);
    ++bin_count_;
  }
  is_open_ = false;
  if (parent != end) pass(whole, *parent, end);
}

void Bins::pass(const Whole& whole, Bins& parent, Bins* end) const {
  uint64_t at = begin_;
  for (const Part& part : whole.parts) {
    parent.add(part.code, at, at + part.ticks, &parent + 1, end);
    at += part.ticks;
  }
}

void Bins::run(uint32_t code, uint64_t count) {
  if (run_code_ != code) end_run();
  run_code_ = code;
  run_ += count;
  bin_count_ += count;
}

void Bins::end_run() {
  if (run_ == 0) return;
  std::array<uint8_t, 2 * base::kMaxVarintBytes> code;
  uint8_t* const end = base::put_varint(base::put_varint(code.data(), run_ * 8), run_code_);
  codes_.append({code.data(), end});
  run_ = 0;
}

/// The regions with most time, in the order of their first occurrence. returns  how many.
size_t Bins::most_of(const Whole& whole, Kept& kept) {
  const std::vector<Part>& parts = whole.parts;
  size_t count = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    size_t at = count;
    while (at > 0 && parts[kept[at - 1]].ticks < parts[i].ticks) --at;
    if (at == kMostBinRegions) continue;
    count = std::min(count + 1, kMostBinRegions);
    for (size_t k = count - 1; k > at; --k) kept[k] = kept[k - 1];
    kept[at] = i;
  }
  std::sort(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(count));
  return count;
}

void Bins::encode(Whole& whole) {
  const Part* const parts = whole.parts.data();
  Kept kept{};
  size_t count = whole.parts.size();
  if (count <= kMostBinRegions) {
    std::iota(kept.begin(), kept.begin() + static_cast<std::ptrdiff_t>(count), size_t{0});
  } else {
    count = most_of(whole, kept);
  }
  uint64_t sum = 0;
  for (size_t k = 0; k < count; ++k) sum += parts[kept[k]].ticks;
  constexpr int kSafeBits = 48;  // times the shares
  const int down = std::max(0, static_cast<int>(std::bit_width(sum)) - kSafeBits);
  std::array<uint8_t, kMostBinRegions*(base::kMaxVarintBytes + 1)> code;
  uint8_t* code_end = base::put_varint(code.data(), count);
  for (size_t k = 0; k < count; ++k) code_end = base::put_varint(code_end, parts[kept[k]].code);
  // All of a bin is a power of two, for which there is something faster than a division.
  const uint64_t all = sum >> down;
  const bool is_power = std::has_single_bit(all);
  const int bits = static_cast<int>(std::bit_width(all)) - 1;
  Until until{};
  uint64_t before = 0;
  uint32_t last = 0;
  for (size_t k = 0; k < count; ++k) {
    before += parts[kept[k]].ticks;
    const uint64_t share = (before >> down) * kBinShares + all / 2;
    until[k] = static_cast<uint32_t>(is_power ? share >> bits : share / all);
    if (k + 1 < count) *code_end++ = static_cast<uint8_t>(until[k] - last);
    last = until[k];
  }
  codes_.append({code.data(), code_end});
  if (is_weighed_) weigh(whole, kept, until, count);
}

/// How far what is kept is from what was, at the cuts between the quarters.
void Bins::weigh(Whole& whole, const Kept& kept, const Until& until, size_t count) {
  const auto width = static_cast<double>(uint64_t{1} << shift_);
  std::vector<uint64_t>& exact = whole.exact;
  exact.assign(whole.parts.size(), 0);
  size_t next = 0;  // Of parts_.
  for (size_t cut = 0; cut < kCuts; ++cut) {
    for (; next < quarter_end_[cut]; ++next)
      exact[whole.find(parts_[next].code)] += parts_[next].ticks;
    const double place = static_cast<double>(cut + 1) / (kCuts + 1);
    double difference = 0;
    size_t k = 0;  // Ascending, as the parts are.
    for (size_t w = 0; w < exact.size(); ++w) {
      double shown = 0;
      if (k < count && kept[k] == w) {
        const double begin = (k > 0 ? until[k - 1] : 0) / double{kBinShares};
        const double end = until[k] / double{kBinShares};
        shown = std::clamp(place, begin, end) - begin;
        ++k;
      }
      difference += std::abs(static_cast<double>(exact[w]) / width - shown);
    }
    forgotten_ += static_cast<uint64_t>(difference / 2 * kForgotten);
  }
}

}  // namespace pathline::summary
