// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <vector>

#include "steps/packed_rows.hpp"
#include "steps/table.hpp"

namespace pathline::steps {

/// A table as it comes of a run with millions of rows, which take a fifth of their memory.
class PackedTable {
 public:
  PackedTable() = default;
  /// Both by rank; the rows in the order of time.
  PackedTable(std::vector<PackedRows> rows, std::vector<Counters> outside);

  [[nodiscard]] const std::vector<Counters>& outside() const { return outside_; }
  /// Visits the rows in the order of Table.
  ///
  /// cost  O(rows), and some 130 bytes a rank meanwhile.
  void for_each(const std::function<void(const Row&)>& visit) const;
  /// The same with all that takes.
  [[nodiscard]] Table table() const;

 private:
  std::vector<PackedRows> rows_;  // By step, begin.
  std::vector<Counters> outside_;
};

}  // namespace pathline::steps
