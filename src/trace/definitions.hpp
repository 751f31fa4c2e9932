// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/id_map.hpp"
#include "base/result.hpp"
#include "trace/definition_kind.hpp"
#include "trace/events.hpp"

namespace pathline::trace {

inline constexpr uint32_t kUndefined = UINT32_MAX;  ///< A reference that refers to nothing.

/// Numbers of OTF2 enumerations that Pathline asks for.
inline constexpr uint8_t kParadigmOpenMp = 3;
inline constexpr uint8_t kParadigmMpi = 4;
inline constexpr uint8_t kParadigmMeasurementSystem = 6;

/// Begins the description of a region that is one function of MPI where one place in the program
/// calls it; the place follows.
inline constexpr const char* kCalledFrom = "called from ";

// Parameters by which our recorder tells whom a neighbourhood collective sends to: pairs of the
// rank in the world and the bytes.
inline constexpr const char* kNeighbor = "neighbour";
inline constexpr const char* kNeighborBytes = "bytes to neighbour";

// Parameters of a call that stands for polls in a row: how many there were, and, where it is known,
// the time between them that the program used for something else.
inline constexpr const char* kPollCount = "count";
inline constexpr const char* kWorkBetweenPolls = "ns of work between polls";

enum class LocationType : uint8_t { kUnknown, kCpuThread, kAcceleratorStream, kMetric };
enum class LocationGroupType : uint8_t { kUnknown, kProcess, kAccelerator };
enum class GroupType : uint8_t {
  kUnknown,
  kLocations,
  kRegions,
  kMetric,
  kCommLocations,
  kCommGroup,
  kCommSelf
};
enum class RegionRole : uint8_t {
  kUnknown = 0,
  kFunction = 1,
  kLoop = 3,
  kParallel = 5,
  kBarrier = 15,
  kImplicitBarrier = 16,
  kFirstCollective = 23,
  kLastCollective = 26,
  kFileIo = 27,
  kPointToPoint = 28,
  kRma = 29,
  kFileIoMetadata = 38
};

struct RegionDefinition {
  uint32_t id;
  std::string_view name;
  RegionRole role;
  uint8_t paradigm;
  std::string_view file;  ///< "" when not known.
  uint32_t line;          ///< 0 when not known.
  std::string_view site;  ///< "exchange (halo.c:52)", see kCalledFrom; "" for most regions.
  Region function;  ///< The first region of this function of MPI, wherever it is called from; of
                    ///< all that have no site the region itself.
};
struct SystemTreeNode {
  uint32_t id;
  std::string_view name;
  std::string_view class_name;  ///< "machine", "node" ...
  uint32_t parent;              ///< Id, or kUndefined.
};
struct LocationGroup {
  uint32_t id;
  std::string_view name;
  LocationGroupType type;
  uint32_t node;     ///< Id of a system tree node, or kUndefined.
  uint32_t creator;  ///< Id of the location group that created this one, or kUndefined.
};
struct LocationDefinition {
  uint64_t id;
  std::string_view name;
  LocationType type;
  uint64_t event_count;  ///< As the definition states it; not to be trusted.
  uint32_t group;        ///< Id of a location group.
};
struct Group {
  uint32_t id;
  std::string_view name;
  GroupType type;
  uint8_t paradigm;
  bool global_members;  ///< Members are location ids whatever the type.
  std::vector<uint64_t> members;
};
struct Communicator {
  uint32_t id;
  std::string_view name;
  uint32_t group;         ///< Id; of group A for an inter-communicator.
  uint32_t remote_group;  ///< Id of group B of an inter-communicator, kUndefined otherwise.
};
struct MetricMember {
  uint32_t id;
  std::string_view name;
  std::string_view unit;
  uint8_t mode;
  uint8_t base;  ///< 0 binary, 1 decimal; a recorded value counts base^exponent units.
  int64_t exponent;
};
struct Metric {
  uint32_t id;                    ///< Metric classes and instances share one id space.
  std::vector<uint32_t> members;  ///< Ids of metric members; an instance has those of its class.
};

struct Clock {
  uint64_t ticks_per_second = 1'000'000'000;
  uint64_t global_offset = 0;
  uint64_t trace_length = 0;
  uint64_t realtime_ns = UINT64_MAX;  ///< Wall clock at global_offset, or UINT64_MAX.
};

/// What the events of a trace refer to. Everything that was added is kept in order, word by word,
/// so that it can be written again; what analyses need is there as typed tables besides.
///
/// Filled by add() and add_string(), then closed by finish(); read-only and free to share after.
class Definitions {
 public:
  /// Adds a definition with the fields of OTF2's writer functions in their order: 32-bit and
  /// shorter fields in one word, 64-bit ones in two (low first), arrays item by item after the
  /// scalar fields that precede them; the property lists of IoParadigm as property, type and
  /// 64-bit value per item.
  void add(DefinitionKind kind, std::span<const uint32_t> words);
  void add_string(uint32_t id, std::string_view text);

  /// Resolves names and references.
  /// errors  kCorrupt for ids defined twice and for a clock that does not tick.
  base::Status finish();
  /// Number of the definition that finish() refused, in the order of add().
  [[nodiscard]] size_t fault_record() const { return fault_record_; }

  // Typed tables, in the order of definition.
  Clock clock;
  std::vector<RegionDefinition> regions;  ///< Indexed by Region.
  std::vector<SystemTreeNode> nodes;
  std::vector<LocationGroup> location_groups;
  std::vector<LocationDefinition> locations;
  std::vector<Group> groups;
  std::vector<Communicator> communicators;
  std::vector<MetricMember> metric_members;
  std::vector<Metric> metrics;

  /// Adds what stands in `values` for regions that are one function of MPI at one place to that of
  /// the function. values  by Region; may have more behind
  void join_functions(std::vector<uint64_t>& values) const {
    for (size_t i = 0; i < regions.size(); ++i) {
      if (regions[i].function == Region(i)) continue;
      values[regions[i].function] += values[i];
      values[i] = 0;
    }
  }
  [[nodiscard]] Region region(uint64_t id) const { return Region(region_ids_.find(id)); }
  [[nodiscard]] uint32_t location_index(uint64_t id) const { return location_ids_.find(id); }
  [[nodiscard]] uint32_t location_group_index(uint64_t id) const { return group_ids_.find(id); }
  [[nodiscard]] uint32_t communicator_index(uint64_t id) const { return comm_ids_.find(id); }
  [[nodiscard]] uint32_t group_index(uint64_t id) const { return rank_group_ids_.find(id); }
  [[nodiscard]] const SystemTreeNode* node(uint64_t id) const;
  [[nodiscard]] const MetricMember* metric_member(uint64_t id) const;
  [[nodiscard]] const Metric* metric(uint64_t id) const;
  /// The region of a calling context, none() if it does not exist.
  [[nodiscard]] Region calling_context_region(uint64_t id) const;
  /// Text of a string id; "" for kUndefined, "<undefined string>" if it does not exist.
  [[nodiscard]] std::string_view string(uint32_t id) const;
  /// "step" for the id of a Parameter or an Attribute definition.
  [[nodiscard]] std::string_view parameter_name(uint64_t id) const;
  [[nodiscard]] std::string_view attribute_name(uint64_t id) const;

  /// Everything that was added, in order. For a String the words are id and index into texts().
  [[nodiscard]] size_t size() const { return kinds_.size(); }
  [[nodiscard]] DefinitionKind kind(size_t i) const { return kinds_[i]; }
  [[nodiscard]] std::span<const uint32_t> words(size_t i) const {
    return {words_.data() + starts_[i], starts_[i + 1] - starts_[i]};
  }
  [[nodiscard]] const std::string& text(size_t i) const { return texts_[i]; }
  /// Whether the same was added, in the same order.
  [[nodiscard]] bool same_as(const Definitions& other) const;
  [[nodiscard]] std::span<const std::string> warnings() const { return warnings_; }

 private:
  void join_sites();
  base::Status resolve(DefinitionKind kind, std::span<const uint32_t> words);
  std::string_view text_of(uint32_t string_id);

  base::Column<DefinitionKind> kinds_;
  std::vector<size_t> starts_ = {0};
  base::Column<uint32_t> words_;
  std::deque<std::string> texts_;  // A deque: views of its strings stay valid when it grows.

  base::IdMap string_ids_, region_ids_, location_ids_, group_ids_, rank_group_ids_, comm_ids_;
  size_t fault_record_ = 0;
  base::IdMap node_ids_, metric_member_ids_, metric_ids_, context_ids_, parameter_ids_;
  base::IdMap attribute_ids_;
  std::vector<uint32_t> context_regions_;
  std::vector<std::string_view> parameter_names_, attribute_names_;
  std::deque<std::string> undefined_names_;
  std::vector<std::string> warnings_;
};

/// Whether `words` hold all fields of a definition that Definitions::finish() looks at: for words
/// that come from a file. Not for kString.
bool definition_fits(DefinitionKind kind, std::span<const uint32_t> words);

}  // namespace pathline::trace
