// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "cube/place.hpp"
#include "trace/trace.hpp"

namespace pathline::cube {

struct MetricDeclaration {
  uint32_t id = 0;   ///< Members are named after it: "3.index".
  std::string kind;  ///< "INCLUSIVE", "EXCLUSIVE", or how it is derived from others.
  std::string name;  ///< Unique.
  std::string type;  ///< Of its values: "UINT64", "DOUBLE".
  std::string unit;
};

struct Cnode {
  static constexpr uint32_t kNoParent = UINT32_MAX;
  uint32_t parent;  ///< Index into Anchor::cnodes.
  uint32_t region;  ///< Index into Anchor::regions.
};

/// What `anchor.xml` says about metrics, call paths and locations.
struct Anchor {
  std::vector<MetricDeclaration> metrics;  ///< In the order of the document, also nested ones.
  std::vector<std::string> regions;        ///< Names.
  std::vector<Cnode> cnodes;               ///< In the order of the document: depth first.
  uint32_t location_count = 0;
  /// Of the locations by rising ids, the order of their values. none() where the group of the
  /// location names no number below location_count.
  std::vector<trace::Rank> rank_of_location;
};

/// Elements may be nested this deep.
constexpr size_t kMaxDepth = size_t{1} << 20;

/// errors  kCorrupt naming the line: no XML, a document type (Cube writes none, and its entities
///         could stand for any amount of text), ids that are no numbers or there twice, cnodes of
///         unknown regions, nothing to read at all; kUnsupported for another version than 4 and
///         beyond kMaxDepth.
/// cost    O(size of the text) time and memory; no recursion.
base::Result<Anchor> parse_anchor(std::string_view xml, const Place& place);

}  // namespace pathline::cube
