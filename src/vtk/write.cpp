// SPDX-License-Identifier: BSD-3-Clause
#include "vtk/write.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include <fmt/format.h>
#include <zlib.h>

#include "base/file.hpp"
#include "base/text.hpp"

namespace pathline::vtk {
namespace {

static_assert(std::endian::native == std::endian::little);

std::string header(std::string_view type) {
  return fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"{}\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\" "
      "compressor=\"vtkZLibDataCompressor\">\n",
      type);
}

std::string escaped(std::string_view text) { return base::html_escaped(base::printable(text)); }

void append_number(std::string& out, uint64_t number) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  out.append(bytes, sizeof bytes);
}

/// Bytes as VTK's compressor stores them: number of blocks, size of a block, size of the last one
/// if that is not whole, sizes of the compressed ones, these.
class Compressor {
 public:
  explicit Compressor(std::string& out) : out_(out) {}

  void add(std::string_view bytes) {
    const size_t blocks = (bytes.size() + kBlockBytes - 1) / kBlockBytes;
    const size_t header = begin(blocks, kBlockBytes, bytes.size() % kBlockBytes);
    for (size_t i = 0; i < blocks; ++i) {
      add_block(header, i, bytes.substr(i * kBlockBytes, kBlockBytes));
    }
  }
  /// One tuple over and over: all blocks but the last are the same.
  void add_repeated(std::string_view tuple, size_t times) {
    const size_t in_block = std::max<size_t>(kBlockBytes / tuple.size(), 1);
    const size_t whole = times / in_block;
    const size_t rest = times % in_block;
    const size_t header =
        begin(whole + (rest != 0 ? 1 : 0), in_block * tuple.size(), rest * tuple.size());
    std::string block;
    for (size_t i = 0; i < std::min(in_block, times); ++i) block += tuple;
    std::string first;
    for (size_t i = 0; i < whole; ++i) {
      if (i == 0) {
        const size_t at = out_.size();
        add_block(header, i, block);
        first = out_.substr(at);
      } else {
        add_compressed(header, i, first);
      }
    }
    if (rest != 0) add_block(header, whole, std::string_view(block).substr(0, rest * tuple.size()));
  }

 private:
  static constexpr size_t kBlockBytes = size_t{1} << 18;

  /// returns  where the sizes of the blocks go
  size_t begin(size_t blocks, size_t block_bytes, size_t last_bytes) {
    append_number(out_, blocks);
    append_number(out_, block_bytes);
    append_number(out_, last_bytes);
    const size_t sizes = out_.size();
    out_.append(blocks * sizeof(uint64_t), '\0');
    return sizes;
  }
  void add_block(size_t header, size_t block, std::string_view bytes) {
    // The fastest level: what is written is mostly constant.
    constexpr int kLevel = 1;
    uLongf size = compressBound(bytes.size());
    scratch_.resize(size);
    [[maybe_unused]] const int answer =
        compress2(reinterpret_cast<Bytef*>(scratch_.data()), &size,
                  reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), kLevel);
    assert(answer == Z_OK);
    add_compressed(header, block, std::string_view(scratch_).substr(0, size));
  }
  void add_compressed(size_t header, size_t block, std::string_view bytes) {
    const uint64_t size = bytes.size();
    std::memcpy(out_.data() + header + block * sizeof size, &size, sizeof size);
    out_ += bytes;
  }

  std::string& out_;
  std::string scratch_;
};

template <class T>
constexpr const char* type_name() {
  if constexpr (std::is_same_v<T, uint8_t>) return "UInt8";
  if constexpr (std::is_same_v<T, int32_t>) return "Int32";
  if constexpr (std::is_same_v<T, uint32_t>) return "UInt32";
  if constexpr (std::is_same_v<T, int64_t>) return "Int64";
  if constexpr (std::is_same_v<T, uint64_t>) return "UInt64";
  if constexpr (std::is_same_v<T, double>) return "Float64";
  if constexpr (std::is_same_v<T, std::string>) return "String";
}

/// The XML in front, and the data behind it.
class Document {
 public:
  template <class T>
  void array(std::string_view name, const std::vector<T>& values, unsigned components = 1,
             size_t repeated = 0, std::string_view more = "") {
    xml_ += fmt::format(
        "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\"{} format=\"appended\" "
        "offset=\"{}\"/>\n",
        type_name<T>(), escaped(name), components, more, data_.size());
    Compressor compressor(data_);
    if constexpr (std::is_same_v<T, std::string>) {
      std::string text;  // Each with a zero behind it.
      for (const std::string& value : values) text.append(value).push_back('\0');
      if (repeated != 0) return compressor.add_repeated(text, repeated);
      compressor.add(text);
    } else {
      const std::string_view bytes(reinterpret_cast<const char*>(values.data()),
                                   values.size() * sizeof(T));
      if (repeated != 0) return compressor.add_repeated(bytes, repeated);
      compressor.add(bytes);
    }
  }
  void array(const Array& array, bool is_field = false) {
    std::string more;
    for (size_t i = 0; i < array.component_names.size(); ++i) {
      more += fmt::format(" ComponentName{}=\"{}\"", i, escaped(array.component_names[i]));
    }
    if (is_field) more += fmt::format(" NumberOfTuples=\"{}\"", array.tuple_count());
    std::visit(
        [&](const auto& values) {
          this->array(array.name, values, array.components, array.repeated, more);
        },
        array.values);
  }
  void line(std::string_view text) { xml_.append(text).push_back('\n'); }
  void arrays(std::string_view tag, const std::vector<Array>& all) {
    const bool is_field = tag == "FieldData";
    line(fmt::format("<{}>", tag));
    for (const Array& one : all) array(one, is_field);
    line(fmt::format("</{}>", tag));
  }
  [[nodiscard]] std::string text() && {
    xml_ += "<AppendedData encoding=\"raw\">\n_";
    xml_ += data_;
    xml_ += "\n</AppendedData>\n</VTKFile>\n";
    return std::move(xml_);
  }

 private:
  std::string xml_ = header("UnstructuredGrid");
  std::string data_;
};

std::string blocks_text(std::span<const Block> blocks) {
  std::string text;
  for (size_t i = 0; i < blocks.size(); ++i) {
    const Block& block = blocks[i];
    if (block.file.empty()) {
      text += fmt::format("<Block index=\"{}\" name=\"{}\">\n{}</Block>\n", i, escaped(block.name),
                          blocks_text(block.blocks));
    } else {
      text += fmt::format("<DataSet index=\"{}\" name=\"{}\" file=\"{}\"/>\n", i,
                          escaped(block.name), escaped(block.file));
    }
  }
  return text;
}

}  // namespace

size_t Array::tuple_count() const {
  if (repeated != 0) return repeated;
  return std::visit([](const auto& v) { return v.size(); }, values) / components;
}

std::string grid_text(const Grid& grid) {
  Document document;
  document.line("<UnstructuredGrid>");
  if (!grid.field_arrays.empty()) document.arrays("FieldData", grid.field_arrays);
  document.line(fmt::format("<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">",
                            grid.point_count(), grid.cell_count()));
  document.line("<Points>");
  document.array("Points", grid.points, 3);
  document.line("</Points>\n<Cells>");
  document.array("connectivity", grid.connectivity);
  document.array("offsets", grid.offsets);
  document.array("types", grid.types);
  if (!grid.face_offsets.empty()) {
    document.array("faces", grid.faces);
    document.array("faceoffsets", grid.face_offsets);
  }
  document.line("</Cells>");
  document.arrays("PointData", grid.point_arrays);
  document.arrays("CellData", grid.cell_arrays);
  document.line("</Piece>\n</UnstructuredGrid>");
  return std::move(document).text();
}

base::Status write_grid(const Grid& grid, const std::filesystem::path& path) {
  return base::write_file(path, grid_text(grid));
}

base::Status write_blocks(std::span<const Block> blocks, const std::filesystem::path& path) {
  return base::write_file(path, header("vtkMultiBlockDataSet") + "<vtkMultiBlockDataSet>\n" +
                                    blocks_text(blocks) + "</vtkMultiBlockDataSet>\n</VTKFile>\n");
}

double time_behind(std::span<const TimeStep> steps, double time) {
  if (steps.empty() || time > steps.back().time) return time;
  return std::nextafter(steps.back().time, std::numeric_limits<double>::infinity());
}

base::Status write_collection(std::span<const TimeStep> steps, const std::filesystem::path& path) {
  std::string text = header("Collection");
  text += "<Collection>\n";
  for (const TimeStep& step : steps) {
    text += fmt::format("<DataSet timestep=\"{}\" part=\"0\" file=\"{}\"/>\n", step.time,
                        escaped(step.file));
  }
  text += "</Collection>\n</VTKFile>\n";
  return base::write_file(path, text);
}

}  // namespace pathline::vtk
