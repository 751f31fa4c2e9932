// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "base/packing.hpp"
#include "base/thread_pool.hpp"
#include "trace/record_bytes.hpp"
#include "trace/trace.hpp"

namespace pathline::trace {

/// Bytes of event `i` in an OTF2 event file, without its time and its attributes.
uint64_t otf2_bytes(const Definitions& definitions, const Events& events, size_t i);

/// What the events of a run take in an OTF2 archive, as the format writes them, by the call in
/// which they happened.
struct ArchiveBytes {
  std::vector<uint64_t> by_region;  ///< The last entry is of what lies outside of calls.
  std::vector<uint64_t> by_location;
  /// By location, without the calls of regions that are left out. Messages and the like stay when
  /// the call around them is left out.
  std::vector<uint64_t> kept;
};

/// left_out  by region; empty for none.
/// cost      O(events), parallel over locations.
ArchiveBytes archive_bytes(const Trace& trace, const std::vector<bool>& left_out,
                           base::ThreadPool& pool);

/// archive_bytes() without anything left out, of a run that comes in parts of its time.
class GrowingArchiveBytes {
 public:
  explicit GrowingArchiveBytes(const Trace& run);

  /// Several locations may be added at once.
  ///
  /// part  the events of the location begin with `kept` of before, the Enters of all open calls
  ///       among them.
  void add(const Trace& part, size_t location, size_t kept);
  class Follower;
  /// The same event by event, for who walks over them for others, too. A thread follows one
  /// location at a time.
  [[nodiscard]] Follower follow(size_t location);
  [[nodiscard]] ArchiveBytes finish() const { return bytes_; }
  /// For the process that adds up what others saw of locations of their own.
  void pack(base::Packer& out) const;
  void take(base::Unpacker& in);

 private:
  std::mutex joining_;
  ArchiveBytes bytes_;
  std::vector<uint64_t> call_bytes_;  // By region.
  std::vector<uint64_t> last_ticks_;  // By location.
};

/// Takes the new events of a location in their order; end() when all were there.
class GrowingArchiveBytes::Follower {
 public:
  /// An Enter or a Leave.
  void call(Region region, uint64_t ticks) { add(region, call_bytes_[region], ticks); }
  /// Another event.
  ///
  /// region  of the call in which it happened, or none().
  /// bytes   otf2_bytes().
  void other(Region region, uint64_t bytes, uint64_t ticks) {
    add(region.valid() ? size_t{region} : outside_, bytes, ticks);
  }
  void end();

 private:
  friend GrowingArchiveBytes;
  Follower(GrowingArchiveBytes& all, size_t location);
  void add(size_t region, uint64_t bytes, uint64_t ticks) {
    bytes += ticks != last_ ? kTimeRecordBytes : 0;
    last_ = ticks;
    if (sums_[region] == 0) regions_->push_back(static_cast<uint32_t>(region));
    sums_[region] += bytes;
    of_location_ += bytes;
  }

  GrowingArchiveBytes& all_;
  const size_t location_;
  const uint64_t* const call_bytes_;
  const size_t outside_;
  uint64_t last_;             // Time.
  uint64_t of_location_ = 0;  // Bytes.
  uint64_t* sums_;
  std::vector<uint32_t>* regions_;  // With a sum.
};

inline GrowingArchiveBytes::Follower GrowingArchiveBytes::follow(size_t location) {
  return {*this, location};
}

}  // namespace pathline::trace
