// SPDX-License-Identifier: BSD-3-Clause
#include "trace/definitions.hpp"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

namespace pathline::trace {
namespace {

base::Error defined_twice(DefinitionKind kind, uint64_t id) {
  return {base::ErrorCode::kCorrupt,
          fmt::format("{} {} is defined twice", definition_name(kind), id)};
}

}  // namespace

void Definitions::add(DefinitionKind kind, std::span<const uint32_t> words) {
  kinds_.push_back(kind);
  for (const uint32_t word : words) words_.push_back(word);
  starts_.push_back(words_.size());
}

void Definitions::add_string(uint32_t id, std::string_view text) {
  const uint32_t words[] = {id, static_cast<uint32_t>(texts_.size())};
  texts_.emplace_back(text);
  add(DefinitionKind::kString, words);
}

bool Definitions::same_as(const Definitions& other) const {
  return std::equal(kinds_.begin(), kinds_.end(), other.kinds_.begin(), other.kinds_.end()) &&
         starts_ == other.starts_ && texts_ == other.texts_ &&
         std::equal(words_.begin(), words_.end(), other.words_.begin(), other.words_.end());
}

std::string_view Definitions::string(uint32_t id) const {
  if (id == kUndefined) return "";
  const uint32_t index = string_ids_.find(id);
  return index == base::IdMap::kNone ? "<undefined string>" : std::string_view(texts_[index]);
}

std::string_view Definitions::text_of(uint32_t string_id) {
  if (string_id != kUndefined && string_ids_.find(string_id) == base::IdMap::kNone) {
    if (undefined_names_.empty()) {
      warnings_.push_back(
          fmt::format("a name refers to string {}, which is not defined", string_id));
    }
    return undefined_names_.emplace_back(fmt::format("<string {} is not defined>", string_id));
  }
  return string(string_id);
}

base::Status Definitions::finish() {
  // Definitions may refer to strings and metric classes that stand behind them.
  for (size_t i = 0; i < size(); ++i) {
    if (kind(i) == DefinitionKind::kString && !string_ids_.insert(words(i)[0])) {
      fault_record_ = i;
      return defined_twice(DefinitionKind::kString, words(i)[0]);
    }
  }
  bool has_clock = false;
  for (size_t i = 0; i < size(); ++i) {
    has_clock = has_clock || kind(i) == DefinitionKind::kClockProperties;
    if (base::Status status = resolve(kind(i), words(i)); !status) {
      fault_record_ = i;
      return status;
    }
  }
  for (size_t i = 0; i < size(); ++i) {
    if (kind(i) != DefinitionKind::kMetricInstance) continue;
    const uint32_t own = metric_ids_.find(words(i)[0]);
    const uint32_t of_class = metric_ids_.find(words(i)[1]);
    if (of_class != base::IdMap::kNone && of_class != own) {
      metrics[own].members = metrics[of_class].members;
    }
  }
  join_sites();
  if (!has_clock) {
    warnings_.emplace_back("no clock properties are defined: times are taken as nanoseconds");
  }
  return {};
}

void Definitions::join_sites() {
  const bool any = std::any_of(regions.begin(), regions.end(),
                               [](const RegionDefinition& region) { return !region.site.empty(); });
  if (!any) return;
  std::unordered_map<std::string_view, Region> functions;
  for (const bool with_site : {false, true}) {
    for (size_t i = 0; i < regions.size(); ++i) {
      RegionDefinition& region = regions[i];
      if (region.paradigm != kParadigmMpi || region.site.empty() == with_site) continue;
      const Region first = functions.try_emplace(region.name, Region(i)).first->second;
      if (with_site) region.function = first;
    }
  }
}

base::Status Definitions::resolve(DefinitionKind kind, std::span<const uint32_t> words) {
  WordReader in(words);
  const auto once = [&](base::IdMap& ids, uint64_t id) -> base::Status {
    if (ids.insert(id)) return {};
    return defined_twice(kind, id);
  };
  switch (kind) {
    case DefinitionKind::kClockProperties: {
      clock.ticks_per_second = in.u64();
      clock.global_offset = in.u64();
      clock.trace_length = in.u64();
      clock.realtime_ns = in.u64();
      if (clock.ticks_per_second == 0) {
        return base::Error{base::ErrorCode::kCorrupt,
                           "the clock has 0 ticks per second, expected at least 1"};
      }
      return {};
    }
    case DefinitionKind::kRegion: {
      const uint32_t id = in.u32();
      RegionDefinition region{.id = id,
                              .name = text_of(in.u32()),
                              .role = {},
                              .paradigm = 0,
                              .file = {},
                              .line = 0,
                              .site = {},
                              .function = Region(regions.size())};
      in.u32();  // canonical name
      const std::string_view description = string(in.u32());
      region.role = static_cast<RegionRole>(in.u32());
      region.paradigm = static_cast<uint8_t>(in.u32());
      in.u32();  // flags
      region.file = text_of(in.u32());
      region.line = in.u32();
      if (region.line == kUndefined) region.line = 0;
      if (region.paradigm == kParadigmMpi && description.starts_with(kCalledFrom)) {
        region.site = description.substr(std::string_view(kCalledFrom).size());
      }
      regions.push_back(region);
      return once(region_ids_, id);
    }
    case DefinitionKind::kSystemTreeNode: {
      const uint32_t id = in.u32();
      const std::string_view name = text_of(in.u32());
      const std::string_view class_name = text_of(in.u32());
      nodes.push_back({.id = id, .name = name, .class_name = class_name, .parent = in.u32()});
      return once(node_ids_, id);
    }
    case DefinitionKind::kLocationGroup: {
      const uint32_t id = in.u32();
      const std::string_view name = text_of(in.u32());
      const auto type = static_cast<LocationGroupType>(in.u32());
      const uint32_t node = in.u32();
      location_groups.push_back(
          {.id = id, .name = name, .type = type, .node = node, .creator = in.u32()});
      return once(group_ids_, id);
    }
    case DefinitionKind::kLocation: {
      const uint64_t id = in.u64();
      const std::string_view name = text_of(in.u32());
      const auto type = static_cast<LocationType>(in.u32());
      const uint64_t event_count = in.u64();
      locations.push_back(
          {.id = id, .name = name, .type = type, .event_count = event_count, .group = in.u32()});
      return once(location_ids_, id);
    }
    case DefinitionKind::kGroup: {
      const uint32_t id = in.u32();
      const std::string_view name = text_of(in.u32());
      const auto type = static_cast<GroupType>(in.u32());
      const auto paradigm = static_cast<uint8_t>(in.u32());
      const bool global_members = (in.u32() & 1U) != 0;
      std::vector<uint64_t> members(in.u32());
      for (uint64_t& member : members) member = in.u64();
      groups.push_back({.id = id,
                        .name = name,
                        .type = type,
                        .paradigm = paradigm,
                        .global_members = global_members,
                        .members = std::move(members)});
      // No definition refers to the list of all locations. EZTrace 2.0 gives it the id of a group.
      constexpr uint64_t kOfNobody = 1ULL << 32U;
      return once(rank_group_ids_, type == GroupType::kCommLocations ? id | kOfNobody : id);
    }
    case DefinitionKind::kComm: {
      const uint32_t id = in.u32();
      const std::string_view name = text_of(in.u32());
      communicators.push_back(
          {.id = id, .name = name, .group = in.u32(), .remote_group = kUndefined});
      return once(comm_ids_, id);
    }
    case DefinitionKind::kInterComm: {
      const uint32_t id = in.u32();
      const std::string_view name = text_of(in.u32());
      const uint32_t group = in.u32();
      communicators.push_back({.id = id, .name = name, .group = group, .remote_group = in.u32()});
      return once(comm_ids_, id);
    }
    case DefinitionKind::kMetricMember: {
      const uint32_t id = in.u32();
      const std::string_view name = text_of(in.u32());
      in.u32();  // description
      in.u32();  // type
      const auto mode = static_cast<uint8_t>(in.u32());
      in.u32();  // value type
      const auto number_base = static_cast<uint8_t>(in.u32());
      const auto exponent = static_cast<int64_t>(in.u64());
      metric_members.push_back({.id = id,
                                .name = name,
                                .unit = text_of(in.u32()),
                                .mode = mode,
                                .base = number_base,
                                .exponent = exponent});
      return once(metric_member_ids_, id);
    }
    case DefinitionKind::kMetricClass: {
      const uint32_t id = in.u32();
      std::vector<uint32_t> members(in.u32());
      for (uint32_t& member : members) member = in.u32();
      metrics.push_back({.id = id, .members = std::move(members)});
      return once(metric_ids_, id);
    }
    case DefinitionKind::kMetricInstance: {
      const uint32_t id = in.u32();
      metrics.push_back({.id = id, .members = {}});
      return once(metric_ids_, id);
    }
    case DefinitionKind::kCallingContext: {
      const uint32_t id = in.u32();
      context_regions_.push_back(in.u32());
      return once(context_ids_, id);
    }
    case DefinitionKind::kParameter: {
      const uint32_t id = in.u32();
      parameter_names_.push_back(text_of(in.u32()));
      return once(parameter_ids_, id);
    }
    case DefinitionKind::kAttribute: {
      const uint32_t id = in.u32();
      attribute_names_.push_back(text_of(in.u32()));
      return once(attribute_ids_, id);
    }
    default: return {};  // Kept as words only.
  }
}

const SystemTreeNode* Definitions::node(uint64_t id) const {
  const uint32_t index = node_ids_.find(id);
  return index == base::IdMap::kNone ? nullptr : &nodes[index];
}

const MetricMember* Definitions::metric_member(uint64_t id) const {
  const uint32_t index = metric_member_ids_.find(id);
  return index == base::IdMap::kNone ? nullptr : &metric_members[index];
}

const Metric* Definitions::metric(uint64_t id) const {
  const uint32_t index = metric_ids_.find(id);
  return index == base::IdMap::kNone ? nullptr : &metrics[index];
}

Region Definitions::calling_context_region(uint64_t id) const {
  const uint32_t index = context_ids_.find(id);
  return index == base::IdMap::kNone ? Region::none() : region(context_regions_[index]);
}

std::string_view Definitions::parameter_name(uint64_t id) const {
  const uint32_t index = parameter_ids_.find(id);
  return index == base::IdMap::kNone ? "" : parameter_names_[index];
}

std::string_view Definitions::attribute_name(uint64_t id) const {
  const uint32_t index = attribute_ids_.find(id);
  return index == base::IdMap::kNone ? "" : attribute_names_[index];
}

bool definition_fits(DefinitionKind kind, std::span<const uint32_t> words) {
  const auto list = [&](size_t count_at, uint64_t item_words) {
    return words.size() > count_at && words.size() - count_at - 1 >= item_words * words[count_at];
  };
  switch (kind) {
    case DefinitionKind::kClockProperties: return words.size() >= 8;
    case DefinitionKind::kRegion: return words.size() >= 9;
    case DefinitionKind::kSystemTreeNode: return words.size() >= 4;
    case DefinitionKind::kLocationGroup: return words.size() >= 5;
    case DefinitionKind::kLocation: return words.size() >= 7;
    case DefinitionKind::kGroup: return list(5, 2);
    case DefinitionKind::kComm: return words.size() >= 3;
    case DefinitionKind::kInterComm: return words.size() >= 4;
    case DefinitionKind::kMetricMember: return words.size() >= 10;
    case DefinitionKind::kMetricClass: return list(1, 1);
    case DefinitionKind::kMetricInstance:
    case DefinitionKind::kCallingContext:
    case DefinitionKind::kParameter:
    case DefinitionKind::kAttribute: return words.size() >= 2;
    default: return true;
  }
}

}  // namespace pathline::trace
