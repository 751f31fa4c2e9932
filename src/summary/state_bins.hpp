// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/byte_list.hpp"
#include "base/packing.hpp"
#include "summary/states.hpp"

namespace pathline::summary {

/// The bins of one location at one width, while they are made (growing_states.cpp).
///
/// The bins of a location at all widths stand side by side, narrow ones first. A closed bin hands
/// its exact times to the next width, of which it is a quarter.
class Bins {
 public:
  /// seed  so that not all locations take the same samples of what is forgotten.
  Bins(int shift, uint32_t seed) : seed_(seed), shift_(static_cast<uint8_t>(shift)) {}

  /// What is the innermost call until `until`, from where the last one ended.
  ///
  /// code         region + 1, or kNoCall.
  /// parent, end  the next width, and behind the last.
  void add(uint32_t code, uint64_t from, uint64_t until, Bins* parent, Bins* end);
  /// No call follows. To be called for narrow bins first.
  void finish(Bins* parent, Bins* end);
  /// What finish() left, for another process.
  void pack(base::Packer& out) const;
  void take(base::Unpacker& in);
  /// This width will not be kept: what the open bin knows goes to the next one.
  void give_up(Bins& parent, Bins* end);

  [[nodiscard]] uint64_t first_bin() const { return first_bin_; }
  [[nodiscard]] const base::ByteList& codes() const { return codes_; }
  void spill(base::SpillFile& file) { codes_.spill(file); }
  /// Leaves none behind.
  [[nodiscard]] base::ByteList take_codes() { return std::move(codes_); }
  /// See StateLevel::error.
  [[nodiscard]] uint16_t error() const;

 private:
  struct Part {
    uint32_t code;
    uint64_t ticks;
  };
  struct Whole;
  using Kept = std::array<size_t, kMostBinRegions>;  ///< Indices into the parts of a Whole.
  using Until = std::array<uint32_t, kMostBinRegions>;

  void begin(uint64_t from);
  void open(uint64_t at);
  void put(uint32_t code, uint64_t ticks);
  void put_in_bin(uint32_t code, uint64_t from, uint64_t until);
  void close(Bins* parent, Bins* end);
  void pass(const Whole& whole, Bins& parent, Bins* end) const;
  void sum_up(Whole& whole);
  void run(uint32_t code, uint64_t count);
  void end_run();
  static size_t most_of(const Whole& whole, Kept& kept);
  void encode(Whole& whole);
  void weigh(Whole& whole, const Kept& kept, const Until& until, size_t count);

  // A run has millions of these, most of them with few codes: none is larger than it must be.
  uint64_t at_ = 0;                        ///< Until here all is known.
  uint64_t begin_ = 0;                     ///< Of the open bin.
  std::vector<Part> parts_;                ///< Of the open bin; of one that is weighed by quarter.
  std::array<uint32_t, 4> quarter_end_{};  ///< In parts_.
  uint32_t seed_;
  uint8_t shift_;
  uint8_t quarter_ = 0;
  bool has_begun_ = false;
  bool is_open_ = false;
  bool is_weighed_ = false;  ///< The open bin.
  uint32_t run_code_ = 0;
  uint64_t run_ = 0;  ///< Bins with nothing else, not yet in the codes.
  uint64_t first_bin_ = 0;
  uint64_t bin_count_ = 0;
  uint64_t forgotten_ = 0;
  base::ByteList codes_;
};

}  // namespace pathline::summary
