// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>

#include "vtk/grid.hpp"

namespace pathline::vtk {

/// How a file of VTK stores its numbers.
struct Encoding {
  enum class Compressor : uint8_t { kNone, kZlib, kLz4 };

  bool big_endian = false;
  unsigned header_bytes = 8;  ///< Of the numbers that tell sizes: 4 or 8.
  Compressor compressor = Compressor::kZlib;
};

/// A <DataArray> with its data inside it, as base64: the one tuple of `array`, so many times.
///
/// array  not of strings
/// cost   with a compressor O(times / 2^18), else O(times) in time and memory
std::string constant_array_xml(const Array& array, uint64_t times, const Encoding& encoding);

}  // namespace pathline::vtk
