// SPDX-License-Identifier: BSD-3-Clause
#include "cube/anchor.hpp"

#include <algorithm>
#include <climits>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include <expat.h>
#include <fmt/format.h>

#include "base/parse.hpp"
#include "base/text.hpp"

namespace pathline::cube {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;

enum class Kind : uint8_t {
  kOther,
  kCube,
  kMetrics,
  kMetric,
  kProgram,
  kRegion,
  kCnode,
  kSystem,  // and its nodes
  kLocationGroup,
  kLocation,
  kText,
};

/// What an element means depends on the one around it.
Kind kind_of(Kind around, std::string_view name) {
  switch (around) {
    case Kind::kCube:
      if (name == "metrics") return Kind::kMetrics;
      if (name == "program") return Kind::kProgram;
      if (name == "system") return Kind::kSystem;
      break;
    case Kind::kMetrics:
      if (name == "metric") return Kind::kMetric;
      break;
    case Kind::kMetric:
      if (name == "metric") return Kind::kMetric;
      if (name == "uniq_name" || name == "dtype" || name == "uom") return Kind::kText;
      break;
    case Kind::kProgram:
      if (name == "region") return Kind::kRegion;
      if (name == "cnode") return Kind::kCnode;
      break;
    case Kind::kRegion:
      if (name == "name") return Kind::kText;
      break;
    case Kind::kCnode:
      if (name == "cnode") return Kind::kCnode;
      break;
    case Kind::kSystem:
    case Kind::kLocationGroup:
      if (name == "location") return Kind::kLocation;
      if (name == "systemtreenode") return Kind::kSystem;
      if (name == "locationgroup") return Kind::kLocationGroup;
      if (name == "rank" && around == Kind::kLocationGroup) return Kind::kText;
      break;
    default: break;
  }
  return Kind::kOther;
}

std::optional<uint32_t> first_twice(std::vector<uint32_t> ids) {
  std::sort(ids.begin(), ids.end());
  const auto twice = std::adjacent_find(ids.begin(), ids.end());
  if (twice == ids.end()) return std::nullopt;
  return *twice;
}

class Parser {
 public:
  explicit Parser(const Place& place) : place_(place) {}

  Result<Anchor> run(std::string_view xml) {
    const std::unique_ptr<std::remove_pointer_t<XML_Parser>, void (*)(XML_Parser)> owner(
        XML_ParserCreate(nullptr), XML_ParserFree);
    if (!owner) return place_.error(ErrorCode::kIo, "no memory");
    if (xml.size() > INT_MAX) return place_.error(ErrorCode::kUnsupported, "larger than 2 GiB");
    parser_ = owner.get();
    XML_SetUserData(parser_, this);
    XML_SetElementHandler(parser_, on_start, on_end);
    XML_SetCharacterDataHandler(parser_, on_text);
    XML_SetStartDoctypeDeclHandler(parser_, on_doctype);
    // In one piece: tokens of any length are then looked at once.
    const auto parsed = XML_Parse(parser_, xml.data(), static_cast<int>(xml.size()), XML_TRUE);
    if (error_) return *error_;
    if (parsed != XML_STATUS_OK) {
      fail(fmt::format("no XML: {}", XML_ErrorString(XML_GetErrorCode(parser_))));
      return *error_;
    }
    if (const Status status = resolve(); !status) return status.error();
    return std::move(anchor_);
  }

 private:
  struct Open {
    Kind kind;
    uint32_t index;  ///< Of a metric, cnode or group of locations.
  };

  static void XMLCALL on_start(void* self, const XML_Char* name, const XML_Char** attributes) {
    static_cast<Parser*>(self)->start(name, attributes);
  }
  static void XMLCALL on_end(void* self, const XML_Char* /*name*/) {
    auto& parser = *static_cast<Parser*>(self);
    if (parser.open_.back().kind == Kind::kText) parser.text_ = nullptr;
    parser.open_.pop_back();
  }
  static void XMLCALL on_text(void* self, const XML_Char* text, int length) {
    auto& parser = *static_cast<Parser*>(self);
    if (parser.text_ == nullptr || parser.open_.back().kind != Kind::kText) return;
    parser.text_->append(text, static_cast<size_t>(length));
  }
  static void XMLCALL on_doctype(void* self, const XML_Char* /*name*/, const XML_Char* /*system*/,
                                 const XML_Char* /*public_id*/, int /*has_internal_subset*/) {
    static_cast<Parser*>(self)->fail("a document type, which no Cube profile has");
  }

  void fail(std::string_view fact, ErrorCode code = ErrorCode::kCorrupt) {
    // Expat may still report what it has read already.
    if (error_) return;
    error_ =
        place_.error(code, fmt::format("line {}: {}", XML_GetCurrentLineNumber(parser_), fact));
    XML_StopParser(parser_, XML_FALSE);
  }

  /// The unsigned number in an attribute; Cube writes "id" and "Id".
  std::optional<uint32_t> number(const XML_Char* element, const XML_Char** attributes,
                                 std::string_view name, std::string_view other_name) {
    const XML_Char* found = nullptr;
    for (; *attributes != nullptr; attributes += 2) {
      if (attributes[0] == name || attributes[0] == other_name) found = attributes[1];
    }
    if (found == nullptr) {
      fail(fmt::format("a {} without {}", element, name));
      return std::nullopt;
    }
    const std::string_view text(found);
    const auto value = base::number_in<uint32_t>(text);
    if (!value) {
      fail(fmt::format("the {} of a {} is '{}', expected a number", name, element,
                       base::printable(text.substr(0, 40))));
    }
    return value;
  }

  void start(const XML_Char* name, const XML_Char** attributes) {
    if (open_.size() == kMaxDepth) {
      fail(fmt::format("elements are nested more than {} deep", kMaxDepth),
           ErrorCode::kUnsupported);
    }
    if (error_) return open_.push_back({Kind::kOther, 0});
    if (open_.empty()) return start_root(name, attributes);
    const Open around = open_.back();
    open_.push_back({kind_of(around.kind, name), 0});
    switch (open_.back().kind) {
      case Kind::kMetric: return start_metric(name, attributes);
      case Kind::kRegion: return start_region(name, attributes);
      case Kind::kCnode: return start_cnode(around, name, attributes);
      case Kind::kLocationGroup:
        open_.back().index = static_cast<uint32_t>(group_ranks_.size());
        group_ranks_.emplace_back();
        return;
      case Kind::kLocation: return start_location(around, name, attributes);
      case Kind::kText:
        text_ = around.kind == Kind::kRegion ? &anchor_.regions.back()
                : around.kind == Kind::kLocationGroup
                    ? &group_ranks_[around.index]
                    : &text_of(anchor_.metrics[around.index], name);
        text_->clear();
        return;
      default: return;
    }
  }

  void start_root(std::string_view name, const XML_Char** attributes) {
    open_.push_back({Kind::kCube, 0});
    if (name != "cube") {
      return fail(fmt::format("the document is a <{}>, expected <cube>",
                              base::printable(name.substr(0, 40))));
    }
    for (; *attributes != nullptr; attributes += 2) {
      const std::string_view version(attributes[1]);
      if (attributes[0] != std::string_view("version") || version == "4") continue;
      if (!version.starts_with("4.")) {
        return fail(fmt::format("Cube version {}, only 4 can be read",
                                base::printable(version.substr(0, 40))),
                    ErrorCode::kUnsupported);
      }
    }
  }

  void start_metric(const XML_Char* name, const XML_Char** attributes) {
    const auto id = number(name, attributes, "id", "Id");
    if (!id) return;
    open_.back().index = static_cast<uint32_t>(anchor_.metrics.size());
    MetricDeclaration& metric = anchor_.metrics.emplace_back();
    metric.id = *id;
    for (; *attributes != nullptr; attributes += 2) {
      if (attributes[0] == std::string_view("type")) metric.kind = attributes[1];
    }
  }

  void start_region(const XML_Char* name, const XML_Char** attributes) {
    const auto id = number(name, attributes, "id", "Id");
    if (!id) return;
    region_ids_.push_back(*id);
    anchor_.regions.emplace_back();
  }

  void start_cnode(const Open& around, const XML_Char* name, const XML_Char** attributes) {
    const auto id = number(name, attributes, "id", "Id");
    if (!id) return;
    const auto region = number(name, attributes, "calleeId", "calleeid");
    if (!region) return;
    const uint32_t parent = around.kind == Kind::kCnode ? around.index : Cnode::kNoParent;
    open_.back().index = static_cast<uint32_t>(anchor_.cnodes.size());
    cnode_ids_.push_back(*id);
    anchor_.cnodes.push_back({parent, *region});
  }

  void start_location(const Open& around, const XML_Char* name, const XML_Char** attributes) {
    const auto id = number(name, attributes, "Id", "id");
    if (!id) return;
    location_ids_.push_back(*id);
    location_groups_.push_back(around.kind == Kind::kLocationGroup ? around.index : kNoGroup);
  }

  static std::string& text_of(MetricDeclaration& metric, std::string_view element) {
    if (element == "uniq_name") return metric.name;
    return element == "dtype" ? metric.type : metric.unit;
  }

  /// What can be told only when all has been read: regions may stand behind the cnodes.
  Status resolve() {
    anchor_.location_count = static_cast<uint32_t>(location_ids_.size());
    if (anchor_.metrics.empty()) return place_.corrupt("it declares no metric");
    if (anchor_.cnodes.empty()) return place_.corrupt("it declares no cnode (call path)");
    if (location_ids_.empty()) return place_.corrupt("it declares no location");
    if (const Status status = check_ids(); !status) return status;
    resolve_ranks();
    return resolve_regions();
  }

  Status check_ids() {
    std::vector<uint32_t> metric_ids;
    std::vector<std::string_view> names;
    for (const MetricDeclaration& metric : anchor_.metrics) {
      if (metric.name.empty()) {
        return place_.corrupt(fmt::format("metric {} has no unique name (uniq_name)", metric.id));
      }
      metric_ids.push_back(metric.id);
      names.push_back(metric.name);
    }
    const std::pair<const char*, const std::vector<uint32_t>&> all[] = {
        {"metric", metric_ids},
        {"region", region_ids_},
        {"cnode", cnode_ids_},
        {"location", location_ids_}};
    for (const auto& [what, ids] : all) {
      if (const auto id = first_twice(ids)) {
        return place_.corrupt(fmt::format("{} {} is declared twice", what, *id));
      }
    }
    std::sort(names.begin(), names.end());
    if (const auto twice = std::adjacent_find(names.begin(), names.end()); twice != names.end()) {
      return place_.corrupt(fmt::format("two metrics have the unique name '{}'",
                                        base::printable(twice->substr(0, 100))));
    }
    return {};
  }

  void resolve_ranks() {
    std::vector<trace::Rank> of_group;
    for (const std::string& text : group_ranks_) {
      const auto rank = base::number_in<uint32_t>(text);
      const bool is_rank = rank && *rank < anchor_.location_count;
      of_group.push_back(is_rank ? trace::Rank(*rank) : trace::Rank::none());
    }
    std::vector<std::pair<uint32_t, uint32_t>> by_id;
    for (size_t l = 0; l < location_ids_.size(); ++l) {
      by_id.emplace_back(location_ids_[l], location_groups_[l]);
    }
    std::sort(by_id.begin(), by_id.end());
    for (const auto& [id, group] : by_id) {
      anchor_.rank_of_location.push_back(group == kNoGroup ? trace::Rank::none() : of_group[group]);
    }
  }

  Status resolve_regions() {
    std::vector<std::pair<uint32_t, uint32_t>> index_of;
    for (const uint32_t id : region_ids_) {
      index_of.emplace_back(id, static_cast<uint32_t>(index_of.size()));
    }
    std::sort(index_of.begin(), index_of.end());
    for (size_t i = 0; i < anchor_.cnodes.size(); ++i) {
      uint32_t& region = anchor_.cnodes[i].region;
      const auto found =
          std::lower_bound(index_of.begin(), index_of.end(), std::pair(region, uint32_t{0}));
      if (found == index_of.end() || found->first != region) {
        return place_.corrupt(
            fmt::format("cnode {} calls region {}, which is not declared", cnode_ids_[i], region));
      }
      region = found->second;
    }
    // As Cube calls them.
    for (std::string& name : anchor_.regions) {
      if (name.empty()) name = "UNKNOWN";
    }
    return {};
  }

  const Place& place_;
  XML_Parser parser_ = nullptr;
  Anchor anchor_;
  std::vector<uint32_t> region_ids_;  ///< As anchor_.regions.
  std::vector<uint32_t> cnode_ids_;   ///< As anchor_.cnodes.
  static constexpr uint32_t kNoGroup = UINT32_MAX;
  std::vector<uint32_t> location_ids_;
  std::vector<uint32_t> location_groups_;  ///< As location_ids_: index into group_ranks_.
  std::vector<std::string> group_ranks_;   ///< As the file writes them.
  std::vector<Open> open_;                 ///< From the root to the current element.
  std::string* text_ = nullptr;            ///< Where the text of the current element goes.
  std::optional<Error> error_;
};

}  // namespace

Result<Anchor> parse_anchor(std::string_view xml, const Place& place) {
  return Parser(place).run(xml);
}

}  // namespace pathline::cube
