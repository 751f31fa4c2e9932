// SPDX-License-Identifier: BSD-3-Clause
#include "app/timeline_table.hpp"

#include <limits>

#include <fmt/format.h>

#include "app/summary_timeline.hpp"
#include "base/text.hpp"
#include "figure/timeline/pixel_shares.hpp"

namespace pathline::app {
namespace {

base::Status check(uint32_t columns) {
  if (columns > 0 && columns <= kMostColumns) return {};
  return base::Error{base::ErrorCode::kInvalidArgument,
                     fmt::format("{} columns: expected 1 to {}", columns, kMostColumns)};
}

template <class T, class Get>
DataColumn each(const char* name, const std::vector<uint32_t>& numbers, Get get) {
  std::vector<T> values(numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i) values[i] = get(numbers[i]);
  return own_column(name, std::move(values));
}

/// trace  with the events of the rows, unless `rows` has their calls.
DataTable table_of(const trace::Trace& trace, const figure::Rows& rows, figure::TimeRange range,
                   uint32_t columns, base::ThreadPool& pool) {
  figure::PixelShares shares = figure::pixel_shares(trace, rows, range, columns, pool);
  DataTable table{.rows = shares.row.size()};
  const auto location = [&](uint32_t row) -> const trace::Location& {
    return trace.locations[rows.rows[row].location];
  };
  const auto begin_s = [&](uint32_t column) {
    return trace.seconds(figure::column_begin(range, columns, column));
  };
  Dictionary names;
  std::vector<int32_t> codes;
  for (const auto& region : trace.definitions.regions) codes.push_back(names.code(region.name));
  bool has_ranks = true;
  for (const figure::Row& row : rows.rows) {
    has_ranks = has_ranks && trace.locations[row.location].rank.valid();
  }
  const auto rank = [&](uint32_t row) { return location(row).rank; };
  table.columns.push_back(
      each<uint64_t>("location", shares.row, [&](uint32_t row) { return location(row).id; }));
  table.columns.push_back(
      has_ranks
          ? each<uint32_t>("rank", shares.row, [&](uint32_t row) { return uint32_t{rank(row)}; })
          : each<double>("rank", shares.row, [&](uint32_t row) {
              return rank(row).valid() ? uint32_t{rank(row)}
                                       : std::numeric_limits<double>::quiet_NaN();
            }));
  table.columns.push_back(each<double>("begin_s", shares.column, begin_s));
  table.columns.push_back(
      each<double>("end_s", shares.column, [&](uint32_t column) { return begin_s(column + 1); }));
  table.columns.push_back(
      each<int32_t>("region", shares.region, [&](uint32_t region) { return codes[region]; }));
  table.columns.back().names = names.names();
  table.columns.push_back(own_column("share", std::move(shares.share)));
  table.columns.insert(table.columns.begin(), own_column("row", std::move(shares.row)));
  return table;
}

}  // namespace

base::Result<TimelineTable> timeline_table(const SharedTrace& trace,
                                           const trace::Selection& selection, uint32_t columns,
                                           base::ThreadPool& pool) {
  if (auto status = check(columns); !status) return status.error();
  if (trace->locations.empty()) return TimelineTable{table_of(*trace, {}, {0, 1}, columns, pool)};
  return TimelineTable{table_of(*trace, figure::choose_rows(*trace, selection),
                                figure::visible_range(*trace, selection), columns, pool)};
}

base::Result<TimelineTable> timeline_table(const SummaryFile& file,
                                           const trace::Selection& selection, uint32_t columns,
                                           base::ThreadPool& pool) {
  if (auto status = check(columns); !status) return status.error();
  const trace::Trace& run = file.tables->run;
  if (run.locations.empty()) return TimelineTable{table_of(run, {}, {0, 1}, columns, pool)};
  const auto source =
      timeline_source(file.path, *file.tables, run, selection,
                      {.columns = static_cast<double>(columns), .trim = false}, pool);
  if (!source) return source.error();
  const TimelineSource& made = source.value();
  const figure::Rows rows = figure::choose_rows(run, selection, nullptr, made.calls.get());
  const trace::Trace& shown = made.part ? *made.part : run;
  return TimelineTable{table_of(shown, rows, figure::visible_range(run, selection), columns, pool),
                       run.span_seconds(made.bin_ticks)};
}

}  // namespace pathline::app
