// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "base/packing.hpp"
#include "base/thread_pool.hpp"
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

}  // namespace pathline::trace
