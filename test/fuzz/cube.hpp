// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace pathline::fuzz {

/// A whole Cube profile, "plain", or "packed" by zlib and in the other byte order. The anchor is
/// never packed: mutations would not get behind gzip's checksum.
std::string cube_example(std::string_view kind);

/// Reads a profile. Returns which promise of the reader is broken, "" if none is: an error names
/// the file, and one of corrupt content the place; what is read is a tree with finite values, no
/// more than the file may become, and the same when only one metric is asked for.
std::string probe_cube(std::span<const uint8_t> content);

}  // namespace pathline::fuzz
