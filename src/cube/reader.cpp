// SPDX-License-Identifier: BSD-3-Clause
#include "cube/reader.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "base/text_input.hpp"
#include "cube/anchor.hpp"
#include "cube/archive.hpp"
#include "cube/exclusive.hpp"
#include "cube/place.hpp"
#include "cube/rows.hpp"

namespace pathline::cube {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;
using Bytes = std::span<const uint8_t>;

bool is_gzip(Bytes bytes) { return bytes.size() >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b; }

Bytes bytes_of(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

bool is_unsigned(ValueType type) {
  return type == ValueType::kUint8 || type == ValueType::kUint16 || type == ValueType::kUint32 ||
         type == ValueType::kUint64;
}

profile::Combine combine_of(std::string_view dtype) {
  if (dtype == "MINDOUBLE") return profile::Combine::kMin;
  return dtype == "MAXDOUBLE" ? profile::Combine::kMax : profile::Combine::kSum;
}

class Reader {
 public:
  /// max_bytes  What the file may become in memory.
  Reader(const std::string& file, const ReadOptions& options, size_t max_bytes)
      : file_(file), options_(options), max_bytes_(max_bytes) {}

  Result<profile::ProfileFile> run(Bytes bytes) {
    auto archive = open_archive(bytes, file_);
    if (!archive) return archive.error();
    archive_ = std::move(archive).value();
    if (archive_.wrong_checksums > 0) {
      result_.warnings.push_back(fmt::format("{} of {} tar headers have a wrong checksum",
                                             archive_.wrong_checksums, archive_.header_count));
    }
    if (const Status status = read_anchor(); !status) return status.error();
    if (const Status status = add_call_paths(); !status) return status.error();
    for (const MetricDeclaration& metric : anchor_.metrics) {
      const auto& wanted = options_.metrics;
      if (!wanted.empty() && std::find(wanted.begin(), wanted.end(), metric.name) == wanted.end()) {
        continue;
      }
      if (const Status status = read_metric(metric); !status) return status.error();
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] std::optional<Bytes> member(std::string_view name) const {
    const auto found = archive_.members.find(name);
    if (found == archive_.members.end()) return std::nullopt;
    return found->second;
  }

  Status read_anchor() {
    const Place place{file_, "anchor.xml"};
    const auto bytes = member(place.member);
    if (!bytes) {
      return Error{ErrorCode::kCorrupt,
                   fmt::format("cannot read {}: the archive has no anchor.xml, so it is no Cube "
                               "profile",
                               base::printable(file_))};
    }
    std::string unpacked;
    Bytes text = *bytes;
    if (is_gzip(text)) {
      const std::string name = fmt::format("{}: anchor.xml", base::printable(file_));
      auto content = base::unpack_gzip(text, name, max_bytes_);
      if (!content) return content.error();
      unpacked = std::move(content).value();
      text = bytes_of(unpacked);
    }
    auto anchor = parse_anchor({reinterpret_cast<const char*>(text.data()), text.size()}, place);
    if (!anchor) return anchor.error();
    anchor_ = std::move(anchor).value();
    return {};
  }

  /// Counts what is about to be allocated.
  Status take(size_t bytes, const std::string& what) {
    if (bytes <= max_bytes_ - taken_) {
      taken_ += bytes;
      return {};
    }
    const auto human = [](size_t size) { return base::human_bytes(static_cast<double>(size)); };
    return Error{
        ErrorCode::kUnsupported,
        fmt::format("cannot read {}: {} would take {} on top of {}, and a file of this "
                    "size may take {} in all",
                    base::printable(file_), what, human(bytes), human(taken_), human(max_bytes_)),
        taken_ == 0 ? "" : "Fewer metrics take less memory."};
  }

  Status add_call_paths() {
    profile::MetricTable& table = result_.table;
    table.location_count = anchor_.location_count;
    table.rank_of_location = std::move(anchor_.rank_of_location);
    // Regions are short, but the path of a cnode repeats those of all above it.
    std::vector<uint64_t> path_bytes(anchor_.cnodes.size());
    size_t total = 0;
    for (size_t c = 0; c < anchor_.cnodes.size(); ++c) {
      const Cnode& cnode = anchor_.cnodes[c];
      path_bytes[c] = anchor_.regions[cnode.region].size();
      if (cnode.parent != Cnode::kNoParent) path_bytes[c] += path_bytes[cnode.parent] + 2;
      total += sizeof(profile::MetricNode) + path_bytes[c];
    }
    const auto what = fmt::format("the names of its {}",
                                  base::counted(anchor_.cnodes.size(), "call path", "call paths"));
    if (Status status = take(total, what); !status) return status;
    table.call_paths.reserve(anchor_.cnodes.size());
    for (const Cnode& cnode : anchor_.cnodes) {
      table.call_paths.push_back({.parent = cnode.parent, .region = anchor_.regions[cnode.region]});
    }
    return {};
  }

  Status read_metric(const MetricDeclaration& metric) {
    const std::string index_name = fmt::format("{}.index", metric.id);
    const std::string data_name = fmt::format("{}.data", metric.id);
    const auto index_bytes = member(index_name);
    const auto data_bytes = member(data_name);
    if (!index_bytes && !data_bytes) {
      result_.without_data.push_back(metric.name);
      return {};
    }
    const auto type = value_type(metric.type);
    const bool is_inclusive = metric.kind == "INCLUSIVE";
    if (!type || (!is_inclusive && metric.kind != "EXCLUSIVE")) {
      result_.unsupported.push_back(metric.name);
      return {};
    }
    if (!index_bytes || !data_bytes) {
      return Place{file_, index_bytes ? data_name : index_name}.corrupt(fmt::format(
          "the archive has no such member, but {}", index_bytes ? index_name : data_name));
    }
    const auto index =
        read_index(*index_bytes, static_cast<uint32_t>(anchor_.cnodes.size()), {file_, index_name});
    if (!index) return index.error();
    if (index.value().rows.empty()) {
      result_.without_data.push_back(metric.name);
      return {};
    }
    auto rows =
        Rows::open(*data_bytes, index.value(), *type, anchor_.location_count, {file_, data_name});
    if (!rows) return rows.error();
    return add_values(metric, *type, is_inclusive, index.value().rows, rows.value());
  }

  Status add_values(const MetricDeclaration& metric, ValueType type, bool is_inclusive,
                    const std::vector<uint32_t>& row_numbers, Rows& rows) {
    const size_t cnode_count = anchor_.cnodes.size();
    const size_t width = anchor_.location_count;
    const auto what = fmt::format("metric '{}' of {} and {}", base::printable(metric.name),
                                  base::counted(cnode_count, "call path", "call paths"),
                                  base::counted(width, "location", "locations"));
    if (Status status = take(cnode_count * width * sizeof(double), what); !status) return status;
    if (is_inclusive && by_inclusive_row_.empty()) {
      by_inclusive_row_ = cnodes_by_inclusive_row(anchor_.cnodes);
    }
    std::vector<double> values(cnode_count * width);
    for (size_t i = 0; i < row_numbers.size(); ++i) {
      const size_t cnode = is_inclusive ? by_inclusive_row_[row_numbers[i]] : row_numbers[i];
      const Status status = rows.decode(i, {values.data() + cnode * width, width});
      if (!status) return status;
    }

    const profile::Combine combine = combine_of(metric.type);
    if (combine != profile::Combine::kSum) {
      if (!is_inclusive) include_children(anchor_.cnodes, anchor_.location_count, combine, values);
    } else if (is_inclusive) {
      make_exclusive(anchor_.cnodes, anchor_.location_count, values);
      const uint64_t negative = is_unsigned(type) ? clamp_negative(values) : 0;
      if (negative > 0) {
        result_.warnings.push_back(
            fmt::format("{}: {} would be negative and {} taken as 0", base::printable(metric.name),
                        base::counted(negative, "exclusive value", "exclusive values"),
                        negative == 1 ? "was" : "were"));
      }
    }
    result_.table.metrics.push_back({.name = metric.name, .unit = metric.unit, .combine = combine});
    result_.table.values.push_back(std::move(values));
    return {};
  }

  const std::string& file_;
  const ReadOptions& options_;
  size_t max_bytes_;
  size_t taken_ = 0;
  Archive archive_;
  Anchor anchor_;
  std::vector<uint32_t> by_inclusive_row_;  ///< Made when it is needed.
  profile::ProfileFile result_;
};

}  // namespace

Result<profile::ProfileFile> read(const std::filesystem::path& path, const ReadOptions& options) {
  const auto file = base::MappedFile::open(path);
  if (!file) return file.error();
  return read_bytes(file.value().bytes(), path.string(), options);
}

Result<profile::ProfileFile> read_bytes(Bytes bytes, const std::string& name,
                                        const ReadOptions& options) {
  const size_t size = std::min(bytes.size(), kMaxBytes);
  const size_t max_bytes = std::min(kMaxBytes, kFreeBytes + kBytesPerByte * size);
  if (!is_gzip(bytes)) return Reader(name, options, max_bytes).run(bytes);
  const auto archive = base::unpack_gzip(bytes, base::printable(name), max_bytes);
  if (!archive) return archive.error();
  return Reader(name, options, max_bytes).run(bytes_of(archive.value()));
}

}  // namespace pathline::cube
