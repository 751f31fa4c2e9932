// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <vector>

#include "base/thread_pool.hpp"
#include "figure/timeline/states.hpp"
#include "trace/trace.hpp"

namespace pathline::figure {

/// How much of each pixel of a row each region has, before the picture makes colours and means of
/// it. Columns of equal length, by row, column, and first occurrence in the pixel.
struct PixelShares {
  std::vector<uint32_t> row;  ///< Of Rows::rows.
  std::vector<uint32_t> column;
  std::vector<uint32_t> region;
  std::vector<double> share;  ///< Of the time of the pixel, more than 0.
};

/// Where column `column` of `columns` begins; that of column `columns` is the end of the range.
uint64_t column_begin(TimeRange range, uint32_t columns, uint32_t column);

/// The range cut into `columns` of equal length, but for whole ticks. Regions of one function, and
/// of one name, stay apart; times without a call have no share.
///
/// cost  O(events + rows x columns), parallel over rows.
PixelShares pixel_shares(const trace::Trace& trace, const Rows& rows, TimeRange range,
                         uint32_t columns, base::ThreadPool& pool);

}  // namespace pathline::figure
