// SPDX-License-Identifier: BSD-3-Clause
#include "cube/exclusive.hpp"

#include <algorithm>

namespace pathline::cube {

std::vector<uint32_t> cnodes_by_inclusive_row(const std::vector<Cnode>& cnodes) {
  const size_t count = cnodes.size();
  // Children of c: children[first[c] .. first[c + 1]).
  std::vector<uint32_t> first(count + 1);
  for (const Cnode& cnode : cnodes) {
    if (cnode.parent != Cnode::kNoParent) ++first[cnode.parent + 1];
  }
  for (size_t c = 0; c < count; ++c) first[c + 1] += first[c];
  std::vector<uint32_t> children(first[count]);
  std::vector<uint32_t> next(first.begin(), first.end() - 1);
  for (uint32_t c = 0; c < count; ++c) {
    if (cnodes[c].parent != Cnode::kNoParent) children[next[cnodes[c].parent]++] = c;
  }
  std::vector<uint32_t> rows;
  rows.reserve(count);
  for (uint32_t c = 0; c < count; ++c) {
    if (cnodes[c].parent == Cnode::kNoParent) rows.push_back(c);
    rows.insert(rows.end(), children.begin() + first[c], children.begin() + first[c + 1]);
  }
  return rows;
}

void make_exclusive(const std::vector<Cnode>& cnodes, uint32_t location_count,
                    std::vector<double>& values) {
  // Forwards: nothing has been taken from a cnode yet when it is taken from its parent.
  for (size_t c = 0; c < cnodes.size(); ++c) {
    if (cnodes[c].parent == Cnode::kNoParent) continue;
    const double* own = values.data() + c * location_count;
    double* parent = values.data() + size_t{cnodes[c].parent} * location_count;
    for (uint32_t l = 0; l < location_count; ++l) parent[l] -= own[l];
  }
}

uint64_t clamp_negative(std::vector<double>& values) {
  uint64_t count = 0;
  for (double& value : values) {
    if (value >= 0) continue;
    value = 0;
    ++count;
  }
  return count;
}

void include_children(const std::vector<Cnode>& cnodes, uint32_t location_count,
                      profile::Combine combine, std::vector<double>& values) {
  // Backwards: all below a cnode is in its value when that goes to its parent.
  for (size_t c = cnodes.size(); c-- > 0;) {
    if (cnodes[c].parent == Cnode::kNoParent) continue;
    const double* own = values.data() + c * location_count;
    double* parent = values.data() + size_t{cnodes[c].parent} * location_count;
    for (uint32_t l = 0; l < location_count; ++l) {
      parent[l] = combine == profile::Combine::kMin ? std::min(parent[l], own[l])
                                                    : std::max(parent[l], own[l]);
    }
  }
}

}  // namespace pathline::cube
