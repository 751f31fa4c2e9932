// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "app/data_table.hpp"
#include "app/sums_of_time.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "profile/profile_file.hpp"
#include "summary/run_summary.hpp"
#include "trace/select.hpp"
#include "trace/trace.hpp"

namespace pathline::app {

// The results of commands as columns, with the columns of their CSV in its order and the numbers
// that it prints, before they are rounded for it. Columns of the trace that are shown as they are
// keep it alive and are not copied.
//
// by      as the command's --by.
// errors  kInvalidArgument for another `by`; those of the command.
// cost    that of the command.

using SharedTrace = std::shared_ptr<const trace::Trace>;

/// by     "region", "callpath", "rank", "host"
/// whole  where `trace` is of a part of the time: what a region is called depends on which others
///        there are.
base::Result<DataTable> profile_table(const SharedTrace& trace, const trace::Selection& selection,
                                      std::string_view by, base::ThreadPool& pool,
                                      const profile::Profile* whole = nullptr);

/// by    "rank", "host", "callpath"
/// step  only the messages sent in this marked time step
base::Result<DataTable> matrix_table(const SharedTrace& trace, const trace::Selection& selection,
                                     std::string_view by, std::optional<uint32_t> step,
                                     base::ThreadPool& pool);

/// by  "rank", "callpath", "cause"
base::Result<DataTable> waits_table(const SharedTrace& trace, const trace::Selection& selection,
                                    std::string_view by, base::ThreadPool& pool);

/// A row per time step and rank. The first column is "step", or "period" for a guess.
///
/// detect  where the program marks none, look for a period in its calls
base::Result<DataTable> steps_table(const SharedTrace& trace, const trace::Selection& selection,
                                    bool detect, base::ThreadPool& pool);

/// With send_ticks and recv_ticks behind the columns of the CSV, the times as they were recorded.
/// Of everything, sender, receiver, bytes, tag and ticks are not copied.
DataTable messages_table(const SharedTrace& trace, const trace::Selection& selection);

/// As `pathline export --to csv` writes them.
DataTable locations_table(const SharedTrace& trace);
DataTable regions_table(const SharedTrace& trace);

/// time_s, event, region ("" for events that are no call), ticks: every event of the location with
/// index `location` in the time of `selection`, in the order recorded.
///
/// cost  O(events)
DataTable events_table(const SharedTrace& trace, uint32_t location,
                       const trace::Selection& selection);
/// The same of all locations, one after the other, with a column `location` in front: their ids.
///
/// cost  O(events), parallel over locations.
DataTable events_table(const SharedTrace& trace, const trace::Selection& selection,
                       base::ThreadPool& pool);

/// A summary that was opened.
struct SummaryFile {
  std::filesystem::path path;
  std::shared_ptr<const summary::RunSummary> tables;
};

// The same of a summary, of the ranks of `selection`; its times count for the steps only.
//
// errors  kInvalidArgument for another `by`, and for what needs events.
base::Result<DataTable> profile_table(const SummaryFile& file, const trace::Selection& selection,
                                      std::string_view by);
base::Result<DataTable> matrix_table(const SummaryFile& file, const trace::Selection& selection,
                                     std::string_view by);
base::Result<DataTable> waits_table(const SummaryFile& file, const trace::Selection& selection,
                                    std::string_view by);
DataTable steps_table(const SummaryFile& file, const trace::Selection& selection);
/// errors  those of reading the file.
base::Result<DataTable> locations_table(const SummaryFile& file);
DataTable regions_table(const SummaryFile& file);

/// The same of a chosen time of a summary, whose sums have what is asked of them.
///
/// selection  what the sums are of.
base::Result<DataTable> profile_table(const SummaryFile& file, const SumsOfTime& sums,
                                      const trace::Selection& selection, std::string_view by);
base::Result<DataTable> matrix_table(const SummaryFile& file, const SumsOfTime& sums,
                                     std::string_view by);
base::Result<DataTable> waits_table(const SummaryFile& file, const SumsOfTime& sums,
                                    std::string_view by);

/// The same of a profile that was read from a file; what that does not hold is not known.
base::Result<DataTable> profile_table(const profile::TableProfile& file,
                                      const trace::Selection& selection, std::string_view by);

}  // namespace pathline::app
