// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/run_grids.hpp"

#include <cstring>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/parse.hpp"
#include "mesh/xml_tags.hpp"

namespace pathline::mesh {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;

/// The number of "step_000012"; nothing for other names.
std::optional<uint32_t> number_in(std::string_view name, std::string_view before,
                                  std::string_view behind) {
  if (!name.starts_with(before) || !name.ends_with(behind)) return std::nullopt;
  if (name.size() <= before.size() + behind.size()) return std::nullopt;
  name.remove_prefix(before.size());
  name.remove_suffix(behind.size());
  return base::number_in<uint32_t>(name);
}

template <class Visit>
base::Status for_each_in(const fs::path& folder, const Visit& visit) {
  std::error_code failure;
  for (fs::directory_iterator it(folder, failure), end; !failure && it != end;
       it.increment(failure)) {
    visit(*it);
  }
  if (!failure) return {};
  return base::Error{ErrorCode::kIo,
                     fmt::format("cannot read {}: {}", folder.string(), failure.message())};
}

/// The data behind the XML: each array has its size in front.
template <class T>
bool take_array(std::string_view data, uint64_t offset, uint64_t count, std::vector<T>& out) {
  uint64_t bytes = 0;
  if (offset > data.size() || data.size() - offset < sizeof bytes) return false;
  std::memcpy(&bytes, data.data() + offset, sizeof bytes);
  const uint64_t room = data.size() - offset - sizeof bytes;
  if (bytes > room || bytes % sizeof(T) != 0 || bytes / sizeof(T) != count) return false;
  out.resize(count);
  if (bytes > 0) std::memcpy(out.data(), data.data() + offset + sizeof bytes, bytes);
  return true;
}

/// What the XML says.
struct Head {
  uint64_t points = 0;
  uint64_t cells = 0;
  std::map<std::string, uint64_t, std::less<>> offsets;  // By name.
  size_t data = 0;                                       // Where it begins.
};

base::Result<Head> head_of(std::string_view text, XmlTags& tags) {
  Head head;
  const auto count = [](const Tag& tag, std::string_view name) {
    const auto found = tag.attribute(name);
    return found ? base::number_in<uint64_t>(*found) : std::nullopt;
  };
  bool has_file = false;
  bool has_piece = false;
  while (true) {
    const auto next = tags.next();
    if (!next) return next.error();
    if (!next.value()) return tags.error(ErrorCode::kCorrupt, "there is no <AppendedData>");
    const Tag& tag = *next.value();
    if (tag.closes) continue;
    if (!has_file) {
      if (tag.name != "VTKFile" || tag.attribute("type") != "UnstructuredGrid" ||
          tag.attribute("byte_order") != "LittleEndian" ||
          tag.attribute("header_type") != "UInt64" || tag.attribute("compressor")) {
        return tags.error(ErrorCode::kUnsupported, "it is no mesh as the recorder writes them");
      }
      has_file = true;
    } else if (tag.name == "Piece") {
      const auto points = count(tag, "NumberOfPoints");
      const auto cells = count(tag, "NumberOfCells");
      // What is in the file cannot be more than its bytes.
      if (!points || !cells || has_piece || *points > text.size() || *cells > text.size()) {
        return tags.error(ErrorCode::kCorrupt, "the counts of points and cells are damaged");
      }
      head.points = *points;
      head.cells = *cells;
      has_piece = true;
    } else if (tag.name == "DataArray") {
      const auto offset = count(tag, "offset");
      const auto name = tag.attribute("Name");
      if (!offset || !name) return tags.error(ErrorCode::kCorrupt, "an array has no name or place");
      head.offsets.try_emplace(std::string(*name), *offset);
    } else if (tag.name == "AppendedData") {
      head.data = text.find('_', tag.end);
      if (head.data == std::string_view::npos || !has_piece) {
        return tags.error(ErrorCode::kCorrupt, "there are no data");
      }
      ++head.data;
      return head;
    }
  }
}

/// The first cell that is none, as an error; what VTK would believe.
base::Status check(const vtk::Grid& grid, const std::string& name) {
  int64_t begin = 0;
  for (size_t cell = 0; cell < grid.cell_count(); ++cell) {
    const int64_t end = grid.offsets[cell];
    bool good = end >= begin && static_cast<uint64_t>(end) <= grid.connectivity.size();
    for (int64_t i = begin; good && i < end; ++i) {
      const int64_t point = grid.connectivity[static_cast<size_t>(i)];
      good = point >= 0 && static_cast<uint64_t>(point) < grid.point_count();
    }
    if (!good) {
      return base::Error{
          ErrorCode::kCorrupt,
          fmt::format("cannot read {}: cell {} has points that are not there", name, cell)};
    }
    begin = end;
  }
  return {};
}

}  // namespace

base::Result<Case> find_run_grids(const fs::path& folder, size_t rank_count) {
  std::error_code failure;
  Case found{.kind = Case::Kind::kRun};
  found.parts.resize(rank_count);
  found.versions.resize(rank_count);
  bool any = false;
  base::Status status;
  const auto take_file = [&](uint32_t step, const fs::path& file) {
    const auto rank = number_in(file.filename().string(), "rank_", ".vtu");
    if (!rank) return;
    if (*rank >= rank_count) {
      status = base::Error{ErrorCode::kInvalidArgument,
                           fmt::format("{} is of rank {}, but the run has the ranks 0 to {}",
                                       file.string(), *rank, rank_count - 1)};
      return;
    }
    found.versions[*rank][step] = file;
    any = true;
  };
  if (fs::is_directory(folder, failure)) {
    const auto listed = for_each_in(folder, [&](const fs::directory_entry& entry) {
      const auto step = number_in(entry.path().filename().string(), "step_", "");
      if (!step || !entry.is_directory(failure)) return;
      const auto of_step = for_each_in(
          entry.path(), [&](const fs::directory_entry& file) { take_file(*step, file.path()); });
      if (!of_step) status = of_step;
    });
    if (!listed) return listed.error();
  }
  if (!status) return status.error();
  if (!any) {
    return base::Error{
        ErrorCode::kNotFound, fmt::format("there is no mesh in {}", folder.string()),
        "Name one with --case, or let the program hand over its own: 'pathline record "
        "--insitu geometry', doc/insitu.md."};
  }
  return found;
}

base::Result<vtk::Grid> parse_run_grid(std::string_view text, const std::string& name) {
  XmlTags tags(text, name);
  const auto head = head_of(text, tags);
  if (!head) return head.error();
  const std::string_view data = text.substr(head.value().data);
  const auto place = [&](std::string_view array) {
    const auto found = head.value().offsets.find(array);
    return found == head.value().offsets.end() ? UINT64_MAX : found->second;
  };
  vtk::Grid grid;
  const uint64_t cells = head.value().cells;
  bool whole = take_array(data, place("Points"), 3 * head.value().points, grid.points) &&
               take_array(data, place("offsets"), cells, grid.offsets) &&
               take_array(data, place("types"), cells, grid.types);
  if (whole) {
    const int64_t corners = cells == 0 ? 0 : grid.offsets.back();
    whole = corners >= 0 && take_array(data, place("connectivity"), static_cast<uint64_t>(corners),
                                       grid.connectivity);
  }
  if (!whole) {
    return tags.error(ErrorCode::kCorrupt, "its arrays are not there as a whole");
  }
  if (auto status = check(grid, name); !status) return status.error();
  return grid;
}

base::Result<vtk::Grid> read_run_grid(const fs::path& path) {
  const auto file = base::MappedFile::open(path);
  if (!file) return file.error();
  return parse_run_grid(file.value().text(), path.string());
}

}  // namespace pathline::mesh
