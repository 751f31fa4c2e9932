// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "app/data_table.hpp"

namespace pathline::python {

/// Tables that somebody still shows, so that who asks for one again gets the same memory and not
/// another copy of what the run keeps packed. Nobody is kept waiting for Python's lock by it.
class ShownTables {
 public:
  /// make(), but for columns of the table of this key that are still there.
  template <class Make>
  app::DataTable get(uint64_t key, Make make) {
    const std::lock_guard lock(mutex_);
    std::vector<Shown>& shown = tables_[key];
    app::DataTable table;
    bool lives = !shown.empty();
    for (const Shown& one : shown) {
      table.rows = one.rows;
      table.columns.push_back(one.column);
      table.columns.back().owner = one.owner.lock();
      lives = lives && table.columns.back().owner != nullptr;
    }
    if (lives) return table;
    app::DataTable made = make();
    for (size_t i = 0; i < table.columns.size(); ++i) {
      if (table.columns[i].owner != nullptr) made.columns[i] = table.columns[i];
    }
    shown.clear();
    for (const app::DataColumn& column : made.columns) {
      shown.push_back({made.rows, column, column.owner});
      shown.back().column.owner.reset();
    }
    return made;
  }

 private:
  struct Shown {
    size_t rows;
    app::DataColumn column;  // Without its owner.
    std::weak_ptr<const void> owner;
  };
  std::mutex mutex_;
  std::map<uint64_t, std::vector<Shown>> tables_;
};

}  // namespace pathline::python
