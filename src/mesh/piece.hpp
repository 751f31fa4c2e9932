// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "vtk/constant_array.hpp"
#include "vtk/grid.hpp"

namespace pathline::mesh {

/// The mesh of one rank as the text of an XML file of VTK, of which no more is understood than is
/// needed to add constant arrays to its cells.
class Piece {
 public:
  /// text  of a .vtu, .vtp, .vts, .vtr or .vti
  /// name  what errors call it
  ///
  /// errors  kCorrupt naming file and line; kUnsupported for the index of a parallel file, other
  ///         kinds of data, and compressors that we have not.
  /// cost    one pass over the XML; appended data are not looked at.
  static base::Result<Piece> parse(std::string text, const std::string& name);
  /// errors  those of base::MappedFile; kUnsupported for a legacy .vtk.
  static base::Result<Piece> read(const std::filesystem::path& path);
  static Piece of(const vtk::Grid& grid);

  [[nodiscard]] uint64_t cell_count() const;
  [[nodiscard]] const char* suffix() const { return suffix_; }  ///< ".vtu"
  [[nodiscard]] const std::string& text() const { return text_; }

  /// The file with further arrays on its cells, each of one tuple that all cells have. One whose
  /// name is taken gets " (run)" behind it.
  [[nodiscard]] std::string with_arrays(std::span<const vtk::Array> arrays) const;
  /// About what with_arrays() returns, in bytes; rather more.
  [[nodiscard]] uint64_t bytes_with(size_t arrays) const;

 private:
  /// A place for arrays, and what must stand around them there.
  struct Slot {
    size_t begin;  // In the text; what is before `end` is replaced.
    size_t end;
    const char* before;
    const char* behind;
    uint64_t cells;
  };

  Piece() = default;
  base::Status find_slots(const std::string& name);

  std::string text_;
  const char* suffix_ = ".vtu";
  vtk::Encoding encoding_;
  std::vector<Slot> slots_;
  std::set<std::string, std::less<>> taken_;
};

}  // namespace pathline::mesh
