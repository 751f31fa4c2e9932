// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <zlib.h>

namespace pathline::cube {

/// Writes Cube profiles, whole or damaged. For tests, fuzzers and benchmarks only; no program that
/// is installed includes this.
///
///   TestCube cube(2);                                  // locations
///   const uint32_t main = cube.call_path("main");
///   cube.call_path("solve", main);
///   cube.metric({.name = "time", .kind = "INCLUSIVE", .values = {{3, 4}, {1, 2}}});
///   const std::string bytes = cube.bytes();
///
/// Ids in the "file" differ from indices, so that code that takes one for the other fails. What the
/// fields below say holds for the whole file; members can be changed before bytes() by a function.
class TestCube {
 public:
  struct Metric {
    std::string name = "time";
    std::string kind = "EXCLUSIVE";
    std::string type = "DOUBLE";
    std::string unit = "sec";
    /// Per call path; empty: no row. None at all: the metric has no members.
    std::vector<std::vector<double>> values;
    bool packed = false;
  };
  using Members = std::vector<std::pair<std::string, std::string>>;

  explicit TestCube(uint32_t location_count) : location_count_(location_count) {}

  bool big_endian = false;
  bool gzip_anchor = false;
  bool gzip_all = false;
  bool wrong_checksums = false;
  std::string anchor_begin = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<cube version=\"4.4\">\n";

  static constexpr uint32_t kNoParent = UINT32_MAX;
  static constexpr uint32_t kFirstRegion = 500;  ///< Id of the first region.
  static constexpr uint32_t kFirstMetric = 7;    ///< Id of the first metric.

  /// Call paths are written depth first, whatever order they are added in. The index that this
  /// returns is that of their values. Ids fall: the last one has 0.
  uint32_t call_path(std::string region, uint32_t parent = kNoParent) {
    const auto added = static_cast<uint32_t>(nodes_.size());
    nodes_.push_back({std::move(region), {}});
    (parent == kNoParent ? roots_ : nodes_[parent].children).push_back(added);
    return added;
  }
  void metric(Metric metric) { metrics_.push_back(std::move(metric)); }

  /// What goes into the archive, the anchor last.
  [[nodiscard]] Members members() const {
    Members result;
    for (size_t m = 0; m < metrics_.size(); ++m) {
      if (metrics_[m].values.empty()) continue;
      const std::string id = std::to_string(kFirstMetric + m);
      result.emplace_back(id + ".index", index(metrics_[m]));
      result.emplace_back(id + ".data", data(metrics_[m]));
    }
    result.emplace_back("anchor.xml", gzip_anchor ? gzip(anchor()) : anchor());
    return result;
  }
  [[nodiscard]] std::string bytes() const { return bytes(members()); }
  [[nodiscard]] std::string bytes(const Members& members) const {
    std::string archive = tar(members, wrong_checksums);
    return gzip_all ? gzip(archive) : archive;
  }

  [[nodiscard]] std::string anchor() const {
    std::string xml = anchor_begin + "<metrics>\n";
    for (size_t m = 0; m < metrics_.size(); ++m) {
      const Metric& metric = metrics_[m];
      xml += fmt::format(
          "<metric id=\"{}\" type=\"{}\"><disp_name>x</disp_name><uniq_name>{}</uniq_name>"
          "<dtype>{}</dtype><uom>{}</uom></metric>\n",
          kFirstMetric + m, metric.kind, escaped(metric.name), escaped(metric.type),
          escaped(metric.unit));
    }
    xml += "</metrics>\n<program>\n";
    for (size_t n = 0; n < nodes_.size(); ++n) {
      xml += fmt::format("<region id=\"{}\" mod=\"\" begin=\"-1\"><name>{}</name></region>\n",
                         kFirstRegion + n, escaped(nodes_[n].region));
    }
    for (const uint32_t root : roots_) write_cnode(root, xml);
    xml += "</program>\n<system><systemtreenode Id=\"0\"><name>machine</name>\n";
    for (uint32_t l = 0; l < location_count_; ++l) {
      xml += fmt::format(
          "<locationgroup Id=\"{0}\"><rank>{0}</rank><location Id=\"{0}\"><name>thread</name>"
          "</location></locationgroup>\n",
          l);
    }
    return xml + "</systemtreenode></system>\n</cube>\n";
  }
  [[nodiscard]] std::string index(const Metric& metric) const {
    const std::vector<uint32_t> order = rows(metric);
    std::string list;
    uint32_t count = 0;
    for (uint32_t r = 0; r < order.size(); ++r) {
      if (metric.values[order[r]].empty()) continue;
      put<uint32_t>(list, r);
      ++count;
    }
    std::string result = "CUBEX.INDEX";
    put<uint32_t>(result, 1);
    put<uint16_t>(result, 0);
    put<uint8_t>(result, 1);
    put<uint32_t>(result, count);
    return result + list;
  }
  [[nodiscard]] std::string data(const Metric& metric) const {
    std::vector<std::string> raw;
    for (const uint32_t node : rows(metric)) {
      if (!metric.values[node].empty()) raw.push_back(row(metric, metric.values[node]));
    }
    std::string result = metric.packed ? "ZCUBEX.DATA" : "CUBEX.DATA";
    if (!metric.packed) {
      for (const std::string& bytes : raw) result += bytes;
      return result;
    }
    std::string streams;
    put<uint64_t>(result, raw.size());
    uint64_t from = 0;
    for (const std::string& bytes : raw) {
      const std::string stream = zip(bytes);
      put<uint64_t>(result, from);
      put<uint64_t>(result, streams.size());
      put<uint64_t>(result, stream.size());
      from += bytes.size();
      streams += stream;
    }
    return result + streams;
  }

  static std::string tar(const Members& members, bool wrong_checksums = false) {
    std::string archive;
    for (const auto& [name, content] : members) {
      archive += tar_header(name, content.size(), '0', wrong_checksums);
      archive += content;
      archive.resize((archive.size() + 511) / 512 * 512);
    }
    return archive + std::string(1024, '\0');
  }
  static std::string tar_header(const std::string& name, uint64_t size, char type = '0',
                                bool wrong_checksum = false) {
    std::string header(512, '\0');
    header.replace(0, name.size(), name);
    header.replace(100, 7, "0000644");
    header.replace(124, 11, fmt::format("{:011o}", size));
    header.replace(148, 8, "        ");
    header[156] = type;
    header.replace(257, 5, "ustar");
    uint32_t sum = wrong_checksum ? -32U : 0U;
    for (const char byte : header) sum += static_cast<uint8_t>(byte);
    header.replace(148, 7, fmt::format("{:06o}", sum) + '\0');
    return header;
  }
  static std::string zip(const std::string& raw) {
    std::string packed(compressBound(raw.size()), '\0');
    uLongf size = packed.size();
    const int status = compress(reinterpret_cast<Bytef*>(packed.data()), &size,
                                reinterpret_cast<const Bytef*>(raw.data()), raw.size());
    assert(status == Z_OK);
    packed.resize(status == Z_OK ? size : 0);
    return packed;
  }
  static std::string gzip(const std::string& raw) {
    z_stream stream{};
    constexpr int kGzip = 16 + MAX_WBITS;
    deflateInit2(&stream, Z_BEST_COMPRESSION, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY);
    std::string packed(deflateBound(&stream, raw.size()), '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(raw.data()));
    stream.avail_in = static_cast<uInt>(raw.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    deflate(&stream, Z_FINISH);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
  }
  template <class T>
  void put(std::string& to, T value) const {
    char raw[sizeof(T)];
    std::memcpy(raw, &value, sizeof(T));
    const uint16_t one = 1;
    const bool host_is_big = *reinterpret_cast<const uint8_t*>(&one) == 0;
    if (host_is_big != big_endian) std::reverse(raw, raw + sizeof(T));
    to.append(raw, sizeof(T));
  }

 private:
  struct Node {
    std::string region;
    std::vector<uint32_t> children;
  };

  static std::string escaped(const std::string& text) {
    std::string result;
    for (const char c : text) {
      if (c == '<') {
        result += "&lt;";
      } else if (c == '&') {
        result += "&amp;";
      } else {
        result += c;
      }
    }
    return result;
  }
  void write_cnode(uint32_t node, std::string& xml) const {
    xml += fmt::format("<cnode id=\"{}\" calleeId=\"{}\">", nodes_.size() - 1 - node,
                       kFirstRegion + node);
    for (const uint32_t child : nodes_[node].children) write_cnode(child, xml);
    xml += "</cnode>\n";
  }
  /// The two enumerations as the format is described, not as the reader goes about them.
  [[nodiscard]] std::vector<uint32_t> rows(const Metric& metric) const {
    std::vector<uint32_t> order;
    for (const uint32_t root : roots_) {
      order.push_back(root);
      metric.kind == "INCLUSIVE" ? add_wide(root, order) : add_deep(root, order);
    }
    return order;
  }
  void add_deep(uint32_t node, std::vector<uint32_t>& order) const {
    for (const uint32_t child : nodes_[node].children) {
      order.push_back(child);
      add_deep(child, order);
    }
  }
  void add_wide(uint32_t node, std::vector<uint32_t>& order) const {
    for (const uint32_t child : nodes_[node].children) order.push_back(child);
    for (const uint32_t child : nodes_[node].children) add_wide(child, order);
  }
  [[nodiscard]] std::string row(const Metric& metric, const std::vector<double>& values) const {
    std::string result;
    for (const double value : values) {
      if (metric.type == "INT8") {
        put(result, static_cast<int8_t>(value));
      } else if (metric.type == "UINT8") {
        put(result, static_cast<uint8_t>(value));
      } else if (metric.type == "INT16") {
        put(result, static_cast<int16_t>(value));
      } else if (metric.type == "UINT16") {
        put(result, static_cast<uint16_t>(value));
      } else if (metric.type == "INT32") {
        put(result, static_cast<int32_t>(value));
      } else if (metric.type == "UINT32") {
        put(result, static_cast<uint32_t>(value));
      } else if (metric.type == "INT64") {
        put(result, static_cast<int64_t>(value));
      } else if (metric.type == "UINT64") {
        put(result, static_cast<uint64_t>(value));
      } else {
        put(result, value);
      }
    }
    return result;
  }

  uint32_t location_count_;
  std::vector<Node> nodes_;
  std::vector<uint32_t> roots_;
  std::vector<Metric> metrics_;
};

}  // namespace pathline::cube
