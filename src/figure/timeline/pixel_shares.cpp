// SPDX-License-Identifier: BSD-3-Clause
#include "figure/timeline/pixel_shares.hpp"

#include <algorithm>

#include "base/id_map.hpp"
#include "figure/timeline/walk_row.hpp"

namespace pathline::figure {
namespace {

/// The shares of one row, whose calls come in the order of time.
class RowShares {
 public:
  RowShares(TimeRange range, uint32_t columns, uint32_t row, size_t region_count,
            PixelShares& shares)
      : range_(range),
        columns_(columns),
        row_(row),
        end_(column_begin(range, columns, 1)),
        ticks_(region_count),
        shares_(shares) {}

  void add(uint32_t region, uint64_t from, uint64_t until) {
    while (from < until) {
      while (from >= end_) next();
      const uint64_t part = std::min(until, end_) - from;
      if (ticks_[region] == 0) seen_.push_back(region);
      ticks_[region] += part;
      from += part;
    }
  }
  void finish() { close(); }

 private:
  void next() {
    close();
    ++column_;
    end_ = column_begin(range_, columns_, column_ + 1);
  }
  void close() {
    const auto width = static_cast<double>(end_ - column_begin(range_, columns_, column_));
    for (const uint32_t region : seen_) {
      shares_.row.push_back(row_);
      shares_.column.push_back(column_);
      shares_.region.push_back(region);
      shares_.share.push_back(static_cast<double>(ticks_[region]) / width);
      ticks_[region] = 0;
    }
    seen_.clear();
  }

  const TimeRange range_;
  const uint32_t columns_;
  const uint32_t row_;
  uint32_t column_ = 0;
  uint64_t end_;  ///< Of the column.
  std::vector<uint64_t> ticks_;
  std::vector<uint32_t> seen_;  ///< Regions with ticks.
  PixelShares& shares_;
};

template <class T>
void append(std::vector<T>& all, std::vector<T>& some) {
  all.insert(all.end(), some.begin(), some.end());
  some = {};
}

}  // namespace

uint64_t column_begin(TimeRange range, uint32_t columns, uint32_t column) {
  const uint64_t span = range.until - range.from;
  // In two parts, as the product with the whole may be more than 64 bits hold.
  return range.from + span / columns * column + span % columns * column / columns;
}

PixelShares pixel_shares(const trace::Trace& trace, const Rows& rows, TimeRange range,
                         uint32_t columns, base::ThreadPool& pool) {
  std::vector<PixelShares> parts(rows.rows.size());
  pool.for_each(parts.size(), [&](size_t i) {
    if (rows.rows[i].location == base::IdMap::kNone) return;
    RowShares row(range, columns, static_cast<uint32_t>(i), trace.definitions.regions.size(),
                  parts[i]);
    walk_row(trace, rows, rows.rows[i].location, range,
             [&](trace::Region region, uint64_t from, uint64_t until) {
               if (region.valid()) row.add(region, from, until);
             });
    row.finish();
  });
  PixelShares all;
  size_t count = 0;
  for (const PixelShares& part : parts) count += part.row.size();
  all.row.reserve(count);
  all.column.reserve(count);
  all.region.reserve(count);
  all.share.reserve(count);
  for (PixelShares& part : parts) {
    append(all.row, part.row);
    append(all.column, part.column);
    append(all.region, part.region);
    append(all.share, part.share);
  }
  return all;
}

}  // namespace pathline::figure
