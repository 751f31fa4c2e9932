// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

#include "base/result.hpp"

namespace pathline::cube {

/// The members of a profile's tar archive by name: "anchor.xml", "3.index", "3.data". Others are
/// passed over. They point into the bytes of the archive.
struct Archive {
  std::map<std::string, std::span<const uint8_t>, std::less<>> members;
  size_t header_count = 0;     ///< Of all members.
  size_t wrong_checksums = 0;  ///< Cube 4.8 writes such headers.
};

/// Finds the members; `file` is what errors call the archive.
///
/// errors  kCorrupt: no tar archive, a header that is none, a size that is no number, a member that
///         is cut or there twice.
/// cost    O(members).
base::Result<Archive> open_archive(std::span<const uint8_t> bytes, const std::string& file);

}  // namespace pathline::cube
