// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "base/result.hpp"
#include "otf2/library.hpp"
#include "trace/trace.hpp"

namespace pathline::otf2 {

/// Reads the global definitions into `definitions` (without finishing them), the first `limit` ones
/// if there is a limit.
/// errors  kCorrupt with the library's reason; what was read up to there stays.
base::Status read_global_definitions(OTF2_Reader* reader, std::optional<uint64_t> limit,
                                     trace::Definitions& definitions,
                                     uint64_t& unknown_definitions);

/// From the ids in the events of a location to those of the definitions, one table for each of the
/// library's types of mapping (OTF2_MAPPING_STRING ...). An id without an entry stays.
class IdMappings {
 public:
  static constexpr size_t kTypes = 15;

  [[nodiscard]] uint64_t find(uint8_t type, uint64_t id) const {
    const Table& table = tables_[type];
    if (id < table.dense.size()) return table.dense[id];
    if (table.sparse.empty()) return id;
    const auto at = std::lower_bound(table.sparse.begin(), table.sparse.end(),
                                     std::pair<uint64_t, uint64_t>(id, 0));
    return at != table.sparse.end() && at->first == id ? at->second : id;
  }
  /// dense   by id.
  /// sparse  from and to.
  /// returns  false for a type that is not known or is there already.
  bool add(uint8_t type, std::vector<uint64_t> dense,
           std::vector<std::pair<uint64_t, uint64_t>> sparse);

 private:
  struct Table {
    std::vector<uint64_t> dense;
    std::vector<std::pair<uint64_t, uint64_t>> sparse;  // Ascending.
    bool known = false;
  };
  std::array<Table, kTypes> tables_;
};

/// What the local definitions of a location say.
struct LocalDefinitions {
  std::vector<trace::ClockOffset> clock_offsets;
  std::shared_ptr<const IdMappings> mappings;  ///< nullptr without any.
  bool odd_mappings = false;  ///< Two of one type, or of a type that is not known: the library has
                              ///< to read the events.
};

/// Decodes a file of local definitions. Our own code, because the library clears a whole chunk,
/// usually 4 MiB, for a file of some 60 bytes.
///
/// errors  kCorrupt with offset and fact.
base::Result<LocalDefinitions> decode_local_definitions(std::span<const uint8_t> file,
                                                        uint64_t chunk_bytes);

/// Lets the library read the local definitions of a location, so that it maps the ids of its
/// events. Needed only where the library reads them.
/// errors  kCorrupt with the library's reason.
base::Status load_mappings(OTF2_Reader* reader, uint64_t location);

}  // namespace pathline::otf2
