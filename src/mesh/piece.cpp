// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/piece.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/parse.hpp"
#include "base/text.hpp"
#include "mesh/xml_tags.hpp"
#include "vtk/write.hpp"

namespace pathline::mesh {
namespace {

using base::ErrorCode;

/// No mesh of one rank has more; the arrays of such a piece still fit in memory.
constexpr uint64_t kMostCells = uint64_t{1} << 31;

struct Kind {
  std::string_view type;
  const char* suffix;
};
constexpr Kind kKinds[] = {{"UnstructuredGrid", ".vtu"},
                           {"PolyData", ".vtp"},
                           {"StructuredGrid", ".vts"},
                           {"RectilinearGrid", ".vtr"},
                           {"ImageData", ".vti"}};

std::optional<uint64_t> count_in(const Tag& tag, std::string_view name) {
  const auto text = tag.attribute(name);
  return text ? base::number_in<uint64_t>(*text) : std::nullopt;
}

/// Cells between the points from "x0 x1 y0 y1 z0 z1": an axis with one point has no cells of its
/// own, one with none has no points at all.
std::optional<uint64_t> cells_in_extent(std::string_view text) {
  uint64_t cells = 1;
  for (int axis = 0; axis < 3; ++axis) {
    std::array<int64_t, 2> ends{};
    for (int64_t& end : ends) {
      text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
      const auto number = base::take_number<int32_t>(text);
      if (!number) return std::nullopt;
      end = *number;
    }
    if (ends[1] < ends[0]) return 0;
    cells *= static_cast<uint64_t>(std::max<int64_t>(ends[1] - ends[0], 1));
    if (cells > kMostCells) return cells;
  }
  return cells;
}

/// Cells of a tag <Piece>; nothing if it does not say.
std::optional<uint64_t> cells_of(const Tag& piece, std::string_view suffix) {
  if (suffix == ".vtu") return count_in(piece, "NumberOfCells");
  if (suffix == ".vtp") {
    uint64_t cells = 0;
    for (const char* kind : {"NumberOfVerts", "NumberOfLines", "NumberOfStrips", "NumberOfPolys"}) {
      const bool is_there = piece.attribute(kind).has_value();
      const auto count = count_in(piece, kind);
      if (is_there && !count) return std::nullopt;
      cells += std::min(count.value_or(0), kMostCells + 1);
    }
    return cells;
  }
  const auto extent = piece.attribute("Extent");
  return extent ? cells_in_extent(*extent) : std::nullopt;
}

/// How numbers are stored, by the tag <VTKFile>.
base::Result<vtk::Encoding> encoding_of(const Tag& file, const XmlTags& tags) {
  const auto word = [&](std::string_view name, std::string_view otherwise) {
    return std::string(file.attribute(name).value_or(otherwise));
  };
  const auto unknown = [&](std::string_view name, const std::string& value) {
    return tags.error(ErrorCode::kUnsupported,
                      fmt::format("{} is '{}'", name, base::printable(value)),
                      "Write the mesh anew with zlib, LZ4 or no compression: ParaView does.");
  };
  vtk::Encoding encoding;
  const std::string order = word("byte_order", "LittleEndian");
  if (order != "LittleEndian" && order != "BigEndian") return unknown("byte_order", order);
  encoding.big_endian = order == "BigEndian";
  const std::string header = word("header_type", "UInt32");
  if (header != "UInt32" && header != "UInt64") return unknown("header_type", header);
  encoding.header_bytes = header == "UInt32" ? 4 : 8;
  const std::string compressor = word("compressor", "");
  if (compressor.empty()) {
    encoding.compressor = vtk::Encoding::Compressor::kNone;
  } else if (compressor == "vtkLZ4DataCompressor") {
    encoding.compressor = vtk::Encoding::Compressor::kLz4;
  } else if (compressor != "vtkZLibDataCompressor") {
    return unknown("compressor", compressor);
  }
  return encoding;
}

}  // namespace

base::Result<Piece> Piece::parse(std::string text, const std::string& name) {
  Piece piece;
  piece.text_ = std::move(text);
  if (auto status = piece.find_slots(name); !status) return status.error();
  return piece;
}

base::Result<Piece> Piece::read(const std::filesystem::path& path) {
  auto file = base::MappedFile::open(path);
  if (!file) return file.error();
  const std::string_view text = file.value().text();
  if (text.starts_with("# vtk DataFile")) {
    return base::Error{
        ErrorCode::kUnsupported,
        fmt::format("{} is a legacy VTK file, expected one of XML", base::printable(path.string())),
        "Open it in ParaView and save it as .vtu."};
  }
  return parse(std::string(text), path.string());
}

Piece Piece::of(const vtk::Grid& grid) {
  auto piece = parse(vtk::grid_text(grid), "the mesh");
  return std::move(piece).value();
}

base::Status Piece::find_slots(const std::string& name) {
  XmlTags tags(text_, name);
  const auto corrupt = [&](std::string_view fact) { return tags.error(ErrorCode::kCorrupt, fact); };
  std::optional<Slot> open;  // Of the piece that we are in.
  bool has_file = false;
  bool in_cell_data = false;
  bool ended = false;
  while (!ended) {
    auto next = tags.next();
    if (!next) return next.error();
    if (!next.value()) break;
    const Tag& tag = *next.value();
    if (!has_file) {
      const std::string type(tag.attribute("type").value_or(""));
      const auto kind = std::find_if(std::begin(kKinds), std::end(kKinds),
                                     [&](const Kind& k) { return k.type == type; });
      if (tag.name != "VTKFile" || kind == std::end(kKinds)) {
        return tags.error(
            ErrorCode::kUnsupported,
            tag.name == "VTKFile"
                ? fmt::format("it holds '{}', expected the mesh of one rank", base::printable(type))
                : fmt::format("it begins with <{}>, expected <VTKFile>", base::printable(tag.name)),
            "Meshes are XML files of VTK: .vtu, .vtp, .vts, .vtr or .vti.");
      }
      const auto encoding = encoding_of(tag, tags);
      if (!encoding) return encoding.error();
      encoding_ = encoding.value();
      suffix_ = kind->suffix;
      has_file = true;
    } else if (tag.name == "Piece" && !tag.closes) {
      if (open) return corrupt("a <Piece> begins inside another one");
      const auto cells = cells_of(tag, suffix_);
      if (!cells) return corrupt("a <Piece> does not say how many cells it has");
      if (*cells > kMostCells) {
        return tags.error(ErrorCode::kUnsupported,
                          fmt::format("a <Piece> has more than {} cells", kMostCells));
      }
      if (!tag.is_whole) {
        open = Slot{.begin = 0, .end = 0, .before = "", .behind = "", .cells = *cells};
      } else if (*cells != 0) {
        return corrupt("a <Piece> has cells, but nothing is in it");
      }
    } else if (tag.name == "Piece") {
      if (!open || in_cell_data) return corrupt("this </Piece> ends nothing");
      if (open->begin == 0) {
        open->begin = open->end = tag.begin;
        open->before = "<CellData>\n";
        open->behind = "</CellData>\n";
      }
      slots_.push_back(*open);
      open.reset();
    } else if (tag.name == "CellData" && open) {
      if (!tag.closes && (in_cell_data || open->begin != 0)) {
        return corrupt("a <Piece> has a second <CellData>");
      }
      if (tag.is_whole) {
        // Its end, "/>", becomes ">".
        open->begin = tag.end - 2;
        open->end = tag.end;
        open->before = ">\n";
        open->behind = "</CellData>";
      } else if (tag.closes) {
        if (!in_cell_data) return corrupt("this </CellData> ends nothing");
        open->begin = open->end = tag.begin;
        in_cell_data = false;
      } else {
        in_cell_data = true;
      }
    } else if (in_cell_data && !tag.closes) {
      if (const auto array = tag.attribute("Name")) taken_.insert(without_entities(*array));
    } else if (tag.name == "AppendedData") {
      ended = true;
    }
  }
  if (!has_file) return corrupt("it is no XML, expected <VTKFile>");
  if (open) return corrupt("a <Piece> does not end: the file is damaged or ends early");
  return {};
}

uint64_t Piece::cell_count() const {
  uint64_t cells = 0;
  for (const Slot& slot : slots_) cells += slot.cells;
  return cells;
}

uint64_t Piece::bytes_with(size_t arrays) const {
  constexpr uint64_t kTag = 512;
  // Eight bytes of four, in base64; a block of them is compressed to a two hundredth.
  const bool is_raw = encoding_.compressor == vtk::Encoding::Compressor::kNone;
  const uint64_t of_cells = cell_count() * 11 / (is_raw ? 1 : 100);
  const uint64_t each = kTag * slots_.size() + of_cells;
  return text_.size() + arrays * each;
}

std::string Piece::with_arrays(std::span<const vtk::Array> arrays) const {
  std::string out;
  size_t position = 0;
  for (const Slot& slot : slots_) {
    out.append(text_, position, slot.begin - position);
    out += slot.before;
    for (const vtk::Array& array : arrays) {
      if (!taken_.contains(array.name)) {
        out += vtk::constant_array_xml(array, slot.cells, encoding_);
      } else {
        vtk::Array renamed = array;
        renamed.name += " (run)";
        out += vtk::constant_array_xml(renamed, slot.cells, encoding_);
      }
    }
    out += slot.behind;
    position = slot.end;
  }
  out.append(text_, position, std::string::npos);
  return out;
}

}  // namespace pathline::mesh
