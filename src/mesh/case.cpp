// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/case.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/natural_order.hpp"
#include "base/parse.hpp"
#include "base/text.hpp"
#include "mesh/ensight.hpp"
#include "mesh/openfoam.hpp"
#include "mesh/run_grids.hpp"
#include "mesh/xml_tags.hpp"

namespace pathline::mesh {
namespace {

namespace fs = std::filesystem;
using base::ErrorCode;

constexpr std::string_view kPieces[] = {".vtu", ".vtp", ".vts", ".vtr", ".vti"};
constexpr std::string_view kIndices[] = {".pvtu", ".pvtp", ".pvts", ".pvtr", ".pvti", ".vtm"};
constexpr const char* kAdvice =
    "Name a decomposed OpenFOAM case, a .pvtu or .vtm, the VTK file of each rank in their order, "
    "or "
    "an EnSight .case.";

template <size_t N>
bool is_one_of(const std::string_view (&suffixes)[N], const fs::path& file) {
  const std::string suffix = file.extension().string();
  return std::find(std::begin(suffixes), std::end(suffixes), suffix) != std::end(suffixes);
}

base::Error invalid(std::string fact, std::string advice = kAdvice) {
  return {ErrorCode::kInvalidArgument, std::move(fact), std::move(advice)};
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The rank of "processor12"; nothing for other names, "processors12" and "processor012" too.
std::optional<uint64_t> processor_in(std::string_view name) {
  constexpr std::string_view kProcessor = "processor";
  if (!name.starts_with(kProcessor)) return std::nullopt;
  name.remove_prefix(kProcessor.size());
  const auto number = base::number_in<uint64_t>(name);
  return number && fmt::format("{}", *number) == name ? number : std::nullopt;
}

/// The names in a folder, numbers as numbers.
base::Result<std::vector<std::string>> names_in(const fs::path& folder) {
  std::error_code failure;
  std::vector<std::string> names;
  for (fs::directory_iterator it(folder, failure), end; !failure && it != end;
       it.increment(failure)) {
    names.push_back(it->path().filename().string());
  }
  if (failure) {
    return base::Error{ErrorCode::kIo,
                       fmt::format("cannot read {}: {}", folder.string(), failure.message())};
  }
  std::sort(names.begin(), names.end(), base::NaturalLess());
  return names;
}

base::Result<Case> read_index(const fs::path& path) {
  const auto file = base::MappedFile::open(path);
  if (!file) return file.error();
  const auto names = files_in_index(file.value().text(), path.string());
  if (!names) return names.error();
  Case found;
  for (const std::string& name : names.value()) found.parts.push_back(path.parent_path() / name);
  return found;
}

base::Result<Case> read_ensight(const fs::path& path, const std::string& rank_field) {
  auto grids = read_ensight_grids(path, rank_field);
  if (!grids) return grids.error();
  Case found{.kind = Case::Kind::kEnsight, .grids = std::move(grids).value()};
  found.parts.assign(found.grids.size(), path);
  return found;
}

base::Result<Case> read_foam_case(const fs::path& folder, const std::vector<uint64_t>& processors) {
  Case found{.kind = Case::Kind::kOpenFoam};
  for (size_t rank = 0; rank < processors.size(); ++rank) {
    // They ascend.
    if (processors[rank] != rank) {
      return invalid(fmt::format("{} has {} processor folders, but none of them is processor{}",
                                 folder.string(), processors.size(), rank),
                     "decomposePar makes them anew.");
    }
    found.parts.push_back(folder / fmt::format("processor{}", rank));
  }
  return found;
}

base::Result<Case> read_folder(const fs::path& folder) {
  const auto names = names_in(folder);
  if (!names) return names.error();
  std::vector<uint64_t> processors;
  std::vector<std::string> pieces;
  std::vector<std::string> indices;
  bool is_collated = false;
  for (const std::string& name : names.value()) {
    if (const auto number = processor_in(name)) processors.push_back(*number);
    if (is_one_of(kPieces, name)) pieces.push_back(name);
    if (is_one_of(kIndices, name)) indices.push_back(name);
    is_collated = is_collated || name.starts_with("processors");
  }
  if (!processors.empty()) {
    std::sort(processors.begin(), processors.end());
    return read_foam_case(folder, processors);
  }
  if (is_collated) {
    return base::Error{ErrorCode::kUnsupported,
                       fmt::format("{} is an OpenFOAM case with the files of several ranks in one",
                                   folder.string()),
                       "foamFormatConvert -fileHandler uncollated makes a folder for each rank."};
  }
  if (indices.size() == 1) return read_index(folder / indices[0]);
  if (indices.size() > 1) {
    return invalid(
        fmt::format("{} holds several parallel files, {} and {} among them", folder.string(),
                    base::printable(indices[0]), base::printable(indices[1])),
        "Name one of them: they may be time steps.");
  }
  if (pieces.empty()) {
    return invalid(
        fmt::format("{} holds no decomposed mesh: no processor0, no VTK file", folder.string()));
  }
  auto ordered = by_rank(std::move(pieces));
  if (!ordered) {
    base::Error error = ordered.error();
    error.message = fmt::format("{}: {}", folder.string(), error.message);
    return error;
  }
  Case found;
  for (const std::string& name : ordered.value()) found.parts.push_back(folder / name);
  return found;
}

/// A name cut into texts and numbers.
struct CutName {
  std::string texts;  ///< With a zero for each number.
  std::vector<std::string> numbers;
};
CutName cut(const std::string& name) {
  CutName out;
  for (size_t i = 0; i < name.size();) {
    const size_t begin = i;
    while (i < name.size() && is_digit(name[i])) ++i;
    if (i > begin) {
      out.numbers.push_back(name.substr(begin, i - begin));
      out.texts.push_back('\0');
    } else {
      out.texts.push_back(name[i++]);
    }
  }
  return out;
}

}  // namespace

base::Result<std::vector<std::string>> by_rank(std::vector<std::string> names) {
  if (names.size() == 1) return names;
  std::vector<CutName> parts;
  parts.reserve(names.size());
  for (const std::string& name : names) parts.push_back(cut(name));
  std::optional<size_t> varies;
  for (size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].texts != parts[0].texts) {
      return invalid(fmt::format("the names {} and {} differ in more than the number of a rank",
                                 base::printable(names[0]), base::printable(names[i])));
    }
    for (size_t n = 0; n < parts[0].numbers.size(); ++n) {
      if (parts[i].numbers[n] == parts[0].numbers[n]) continue;
      if (varies && *varies != n) {
        return invalid(
            fmt::format("the names {} and {} differ in two numbers, of which one may be "
                        "a time step",
                        base::printable(names[0]), base::printable(names[i])));
      }
      varies = n;
    }
  }
  if (!varies) return invalid("the names of the files do not differ");
  std::vector<std::string> ordered(names.size());
  for (size_t i = 0; i < names.size(); ++i) {
    const auto rank = base::number_in<uint64_t>(parts[i].numbers[*varies]);
    if (!rank || *rank >= names.size() || !ordered[*rank].empty()) {
      return invalid(fmt::format("{} is not one of the ranks 0 to {} of so many files",
                                 base::printable(names[i]), names.size() - 1));
    }
    ordered[*rank] = names[i];
  }
  return ordered;
}

base::Result<std::vector<std::string>> files_in_index(std::string_view text,
                                                      const std::string& name) {
  XmlTags tags(text, name);
  std::vector<std::string> files;
  bool has_file = false;
  bool is_multi_block = false;
  while (true) {
    auto next = tags.next();
    if (!next) return next.error();
    if (!next.value()) break;
    const Tag& tag = *next.value();
    if (!has_file) {
      const auto type = tag.attribute("type").value_or("");
      is_multi_block = type == "vtkMultiBlockDataSet";
      if (tag.name != "VTKFile" || (!is_multi_block && !type.starts_with('P'))) {
        return tags.error(ErrorCode::kUnsupported, "it is no index of a parallel VTK file",
                          kAdvice);
      }
      has_file = true;
      continue;
    }
    if (tag.closes || tag.name != (is_multi_block ? "DataSet" : "Piece")) continue;
    const auto source = tag.attribute(is_multi_block ? "file" : "Source");
    if (!source) {
      return tags.error(ErrorCode::kCorrupt, fmt::format("piece {} has no file", files.size()));
    }
    files.push_back(without_entities(*source));
  }
  if (files.empty()) return tags.error(ErrorCode::kCorrupt, "it names no files");
  return files;
}

base::Result<Case> find_case(const std::vector<std::string>& names, const std::string& rank_field) {
  std::error_code failure;
  const bool is_ensight = names.size() == 1 && fs::path(names[0]).extension() == ".case";
  if (!rank_field.empty() && !is_ensight) {
    return invalid("--rank-field is for the .case of an EnSight result: other meshes lie in parts");
  }
  for (const std::string& name : names) {
    if (!fs::exists(name, failure)) {
      return base::Error{ErrorCode::kNotFound, fmt::format("there is no {}", name), kAdvice};
    }
    if (names.size() > 1 && fs::is_directory(name, failure)) {
      return invalid(fmt::format("{} is a folder, expected the VTK file of a rank", name));
    }
  }
  if (names.size() == 1) {
    const fs::path path = names.front();
    if (fs::is_directory(path, failure)) return read_folder(path);
    if (is_one_of(kIndices, path)) return read_index(path);
    if (is_ensight) return read_ensight(path, rank_field.empty() ? kRankField : rank_field);
    if (path.extension() == ".pvd") {
      return base::Error{ErrorCode::kUnsupported,
                         fmt::format("{} is not the mesh of single ranks", path.string()), kAdvice};
    }
  }
  Case found;
  found.parts.assign(names.begin(), names.end());
  return found;
}

fs::path Case::part_at(size_t rank, uint32_t step) const {
  if (kind != Kind::kRun) return parts[rank];
  const auto next = versions[rank].upper_bound(step);
  return next == versions[rank].begin() ? fs::path() : std::prev(next)->second;
}

base::Result<Piece> read_part(const Case& of, size_t rank, uint32_t step) {
  if (of.kind == Case::Kind::kVtk) return Piece::read(of.parts[rank]);
  if (of.kind == Case::Kind::kEnsight) return Piece::of(of.grids[rank]);
  const fs::path part = of.part_at(rank, step);
  if (part.empty()) return Piece::of(vtk::Grid());
  // The files of the simulation's own memory are as they were there. Compressed, the arrays that
  // are added take next to nothing.
  const auto grid = of.kind == Case::Kind::kRun ? read_run_grid(part) : read_foam_grid(part);
  if (!grid) return grid.error();
  return Piece::of(grid.value());
}

}  // namespace pathline::mesh
