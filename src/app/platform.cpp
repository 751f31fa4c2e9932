// SPDX-License-Identifier: BSD-3-Clause
#include "app/platform.hpp"

#include <algorithm>
#include <climits>
#include <iterator>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>

#include <expat.h>
#include <fmt/format.h>

#include "base/file.hpp"
#include "base/parse.hpp"
#include "base/text.hpp"
#include "network/fat_tree.hpp"
#include "network/torus.hpp"

namespace pathline::app {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;

constexpr uint64_t kMaxHosts = uint64_t{1} << 20;
constexpr uint32_t kMaxCores = 1 << 16;
constexpr size_t kMaxName = 256;

/// The only <cluster>, as the file says it.
struct Cluster {
  uint64_t line = 0;
  std::map<std::string, std::string, std::less<>> attributes;

  /// "" and absent are the same to SimGrid.
  [[nodiscard]] std::string_view operator[](std::string_view name) const {
    const auto found = attributes.find(name);
    return found != attributes.end() ? std::string_view(found->second) : std::string_view();
  }
};

/// Text of the file for a message.
std::string shown(std::string_view text) { return base::printable(text.substr(0, 80)); }

class Reader {
 public:
  explicit Reader(std::string name) : name_(std::move(name)) {}

  Result<Platform> run(std::string_view xml) {
    if (const Status status = parse(xml); !status) return status.error();
    Platform platform;
    for (const auto read : {&Reader::read_hosts, &Reader::read_cores, &Reader::read_network}) {
      if (const Status status = (this->*read)(platform); !status) return status.error();
    }
    return platform;
  }

 private:
  [[nodiscard]] Error error(ErrorCode code, uint64_t line, std::string_view fact) const {
    // A platform may be a program, too.
    const bool other_kind = code == ErrorCode::kUnsupported || !in_platform_;
    return {code, fmt::format("cannot read {}: line {}: {}", base::printable(name_), line, fact),
            other_kind ? "Say what the machine is like by --node, --network and --hosts." : ""};
  }
  [[nodiscard]] Error corrupt(std::string_view fact) const {
    return error(ErrorCode::kCorrupt, cluster_->line, fact);
  }
  [[nodiscard]] Error unsupported(std::string_view fact) const {
    return error(ErrorCode::kUnsupported, cluster_->line, fact);
  }

  Status parse(std::string_view xml) {
    const std::unique_ptr<std::remove_pointer_t<XML_Parser>, void (*)(XML_Parser)> owner(
        XML_ParserCreate(nullptr), XML_ParserFree);
    if (!owner) return error(ErrorCode::kIo, 1, "no memory");
    if (xml.size() > INT_MAX) return error(ErrorCode::kUnsupported, 1, "larger than 2 GiB");
    parser_ = owner.get();
    XML_SetUserData(parser_, this);
    XML_SetStartElementHandler(parser_, on_start);
    XML_SetStartDoctypeDeclHandler(parser_, on_doctype);
    const auto parsed = XML_Parse(parser_, xml.data(), static_cast<int>(xml.size()), XML_TRUE);
    if (!error_ && parsed != XML_STATUS_OK) {
      fail(ErrorCode::kCorrupt,
           fmt::format("no XML: {}", XML_ErrorString(XML_GetErrorCode(parser_))));
    }
    if (!error_ && !cluster_)
      fail(ErrorCode::kUnsupported, "the platform ends without a <cluster>");
    parser_ = nullptr;
    if (error_) return *error_;
    return {};
  }

  static void XMLCALL on_start(void* self, const XML_Char* name, const XML_Char** attributes) {
    static_cast<Reader*>(self)->start(name, attributes);
  }
  static void XMLCALL on_doctype(void* self, const XML_Char* /*name*/, const XML_Char* /*system*/,
                                 const XML_Char* /*public_id*/, int has_internal_subset) {
    // Entities could multiply without end; SimGrid's own document type lies elsewhere and is not
    // read.
    if (has_internal_subset == 0) return;
    static_cast<Reader*>(self)->fail(ErrorCode::kUnsupported,
                                     "a document type with definitions of its own");
  }

  void fail(ErrorCode code, std::string_view fact) {
    if (error_) return;
    error_ = error(code, XML_GetCurrentLineNumber(parser_), fact);
    XML_StopParser(parser_, XML_FALSE);
  }

  void start(std::string_view name, const XML_Char** attributes) {
    // Expat may still report what it has read already.
    if (error_) return;
    if (!in_platform_) return start_platform(name, attributes);
    if (name == "zone" || name == "config" || name == "prop") return;
    if (name != "cluster") {
      return fail(ErrorCode::kUnsupported,
                  fmt::format("<{}> is not understood, only one <cluster> in zones of its own",
                              shown(name)));
    }
    if (cluster_) {
      return fail(ErrorCode::kUnsupported,
                  fmt::format("a second <cluster>, after that of line {}", cluster_->line));
    }
    cluster_.emplace();
    cluster_->line = XML_GetCurrentLineNumber(parser_);
    for (; *attributes != nullptr; attributes += 2) {
      cluster_->attributes.emplace(attributes[0], attributes[1]);
    }
  }

  void start_platform(std::string_view name, const XML_Char** attributes) {
    in_platform_ = true;
    if (name != "platform") {
      return fail(ErrorCode::kCorrupt,
                  fmt::format("the document is a <{}>, expected <platform>", shown(name)));
    }
    for (; *attributes != nullptr; attributes += 2) {
      const std::string_view version(attributes[1]);
      if (attributes[0] != std::string_view("version")) continue;
      if (version != "4" && !version.starts_with("4.")) {
        fail(ErrorCode::kUnsupported,
             fmt::format("platform version {}, only 4 can be read", shown(version)));
      }
    }
  }

  Status read_hosts(Platform& platform) const {
    const Cluster& cluster = *cluster_;
    const std::string_view radical = cluster["radical"];
    std::string_view wrong;
    const auto ranges = base::ranges_in(radical, &wrong);
    if (!ranges) {
      return corrupt(fmt::format("radical '{}': '{}' is neither a number nor a range such as 0-63",
                                 shown(radical), shown(wrong)));
    }
    if (cluster["prefix"].size() + cluster["suffix"].size() > kMaxName) {
      return unsupported(fmt::format("names of more than {} letters", kMaxName));
    }
    std::vector<uint64_t> numbers;
    for (const base::Range& range : *ranges) {
      if (range.last - range.first >= kMaxHosts - numbers.size()) {
        return unsupported(
            fmt::format("radical '{}': more than {} hosts", shown(radical), kMaxHosts));
      }
      const uint64_t count = range.last - range.first + 1;
      for (uint64_t i = 0; i < count; ++i) numbers.push_back(range.first + i);
    }
    for (const uint64_t n : numbers) {
      platform.hosts.push_back(fmt::format("{}{}{}", cluster["prefix"], n, cluster["suffix"]));
    }
    std::sort(numbers.begin(), numbers.end());
    if (const auto twice = std::adjacent_find(numbers.begin(), numbers.end());
        twice != numbers.end()) {
      return corrupt(fmt::format("radical '{}' names host {} twice", shown(radical), *twice));
    }
    return {};
  }

  Status read_cores(Platform& platform) const {
    if (const std::string_view core = (*cluster_)["core"]; !core.empty()) {
      const auto cores = base::number_in<uint32_t>(core);
      if (!cores || *cores == 0 || *cores > kMaxCores) {
        return corrupt(
            fmt::format("core '{}', expected a number from 1 to {}", shown(core), kMaxCores));
      }
      platform.cores = *cores;
    }
    platform.node = fmt::format("core:{} pu:1", platform.cores);
    return {};
  }

  Status read_network(Platform& platform) const {
    const Cluster& cluster = *cluster_;
    const std::string_view topology = cluster["topology"];
    if (topology.empty() || topology == "FLAT") return {};
    if (topology != "TORUS" && topology != "FAT_TREE") {
      return unsupported(fmt::format("topology {} is not understood, only FLAT, TORUS and FAT_TREE",
                                     shown(topology)));
    }
    // Links of the routes that our networks do not have.
    if (!cluster["limiter_link"].empty()) return unsupported("a limiter_link for each host");
    const std::string_view sharing = cluster["sharing_policy"];
    if (!sharing.empty() && sharing != "SPLITDUPLEX") {
      return unsupported(fmt::format(
          "links of sharing_policy {}, expected SPLITDUPLEX: one each way", shown(sharing)));
    }
    const std::string_view parameters = cluster["topo_parameters"];
    auto made = topology == "TORUS" ? torus(parameters) : fat_tree(parameters);
    if (!made) {
      return corrupt(fmt::format("topo_parameters '{}' of a {}: {}", shown(parameters), topology,
                                 made.error().message));
    }
    const network::Network& network = *made.value();
    if (network.node_count() != platform.hosts.size()) {
      return corrupt(fmt::format(
          "topo_parameters '{}' of a {} make {}, but radical '{}' {}", shown(parameters), topology,
          base::counted(network.node_count(), "host", "hosts"), shown(cluster["radical"]),
          base::counted(platform.hosts.size(), "host", "hosts")));
    }
    platform.network = network.spec();
    return {};
  }

  using MadeNetwork = Result<std::unique_ptr<network::Network>>;

  /// "4,4,2": x, y, z. The first is the fastest in the numbers of the hosts and is crossed first;
  /// in ours the last is the fastest.
  static MadeNetwork torus(std::string_view parameters) {
    const auto sizes = base::numbers_in<uint32_t>(parameters, ',');
    if (!sizes) return Error{ErrorCode::kCorrupt, "expected its sizes, such as 4,4,2"};
    network::TorusShape shape;
    shape.sizes.assign(sizes->rbegin(), sizes->rend());
    shape.order.resize(sizes->size());
    std::iota(shape.order.rbegin(), shape.order.rend(), 0U);
    shape.ties = network::Ties::kSimGrid;
    auto made = network::Torus::make(std::move(shape));
    if (!made) return made.error();
    return std::unique_ptr<network::Network>(std::move(made).value());
  }

  /// "2;16,16;1,8;1,1": levels; children; parents; cables.
  static MadeNetwork fat_tree(std::string_view parameters) {
    std::vector<std::vector<uint32_t>> lists;
    for (size_t begin = 0; begin <= parameters.size() && lists.size() < 5;) {
      const size_t end = std::min(parameters.find(';', begin), parameters.size());
      auto list = base::numbers_in<uint32_t>(parameters.substr(begin, end - begin), ',');
      lists.push_back(list ? std::move(*list) : std::vector<uint32_t>());
      begin = end + 1;
    }
    const bool whole = lists.size() == 4 && lists[0].size() == 1 &&
                       std::all_of(lists.begin() + 1, lists.end(), [&](const auto& list) {
                         return list.size() == lists[0].front();
                       });
    if (!whole) {
      return Error{ErrorCode::kCorrupt,
                   "expected levels; children; parents; cables, such as 2;16,16;1,8;1,1"};
    }
    auto made = network::FatTree::make({lists[1], lists[2], lists[3]});
    if (!made) return made.error();
    return std::unique_ptr<network::Network>(std::move(made).value());
  }

  std::string name_;
  XML_Parser parser_ = nullptr;
  bool in_platform_ = false;
  std::optional<Cluster> cluster_;
  std::optional<Error> error_;
};

}  // namespace

Result<Platform> parse_platform(std::string_view xml, const std::string& name) {
  return Reader(name).run(xml);
}

Result<Platform> read_platform(const std::filesystem::path& path) {
  auto file = base::MappedFile::open(path);
  if (!file) return file.error();
  return parse_platform(file.value().text(), path.string());
}

}  // namespace pathline::app
