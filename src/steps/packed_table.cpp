// SPDX-License-Identifier: BSD-3-Clause
#include "steps/packed_table.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

namespace pathline::steps {

PackedTable::PackedTable(std::vector<PackedRows> rows, std::vector<Counters> outside)
    : rows_(std::move(rows)), outside_(std::move(outside)) {
  for (PackedRows& of_rank : rows_) of_rank.sort();
}

void PackedTable::for_each(const std::function<void(const Row&)>& visit) const {
  std::vector<PackedRows::Reader> readers;
  readers.reserve(rows_.size());
  // Ranks mostly go through the same steps: those that come to one stand together, which takes no
  // search for the next of all.
  std::map<uint32_t, std::vector<uint32_t>> ranks_at;  // By the step of their next row.
  for (uint32_t rank = 0; rank < rows_.size(); ++rank) {
    const auto& reader = readers.emplace_back(rows_[rank]);
    if (reader) ranks_at[reader.row().step].push_back(rank);
  }
  while (!ranks_at.empty()) {
    auto first = ranks_at.extract(ranks_at.begin());
    const uint32_t step = first.key();
    std::vector<uint32_t>& ranks = first.mapped();
    if (!std::is_sorted(ranks.begin(), ranks.end())) std::sort(ranks.begin(), ranks.end());
    for (const uint32_t rank : ranks) {
      PackedRows::Reader& reader = readers[rank];
      for (; reader && reader.row().step == step; reader.next()) {
        Row row = reader.row();
        row.rank = rank;
        visit(row);
      }
      if (reader) ranks_at[reader.row().step].push_back(rank);
    }
  }
}

Table PackedTable::table() const {
  Table table;
  table.outside = outside_;
  size_t count = 0;
  for (const PackedRows& of_rank : rows_) count += of_rank.size();
  table.rows.reserve(count);
  for_each([&](const Row& row) { table.rows.push_back(row); });
  return table;
}

}  // namespace pathline::steps
