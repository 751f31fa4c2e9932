// SPDX-License-Identifier: BSD-3-Clause
#include "app/run_tables.hpp"

#include <limits>

#include <fmt/format.h>

#include "app/call_path_matrix.hpp"
#include "app/host_matrix.hpp"
#include "app/judged_tables.hpp"
#include "app/profile_rows.hpp"
#include "app/rank_rows.hpp"
#include "app/row_columns.hpp"
#include "app/step_rows.hpp"
#include "app/step_source.hpp"
#include "app/wait_rows.hpp"
#include "comm/matrix.hpp"
#include "comm/waits.hpp"

namespace pathline::app {
namespace {

using Counts = std::vector<std::optional<uint64_t>>;
using Seconds = std::vector<std::optional<double>>;

std::optional<double> imbalance_of(const ProfileRow& row) {
  return row.imbalance > 0 ? std::optional(row.imbalance) : std::nullopt;
}

/// The numbers that all profiles by regions and by ranks have.
void add_times(DataTable& table, const std::vector<ProfileRow>& rows) {
  auto& columns = table.columns;
  columns.push_back(
      optionals<uint64_t>("visits", rows, [](const auto& row) { return row.visits; }));
  columns.push_back(
      optionals<double>("inclusive_s", rows, [](const auto& row) { return row.inclusive_s; }));
  columns.push_back(
      optionals<double>("exclusive_s", rows, [](const auto& row) { return row.exclusive_s; }));
  columns.push_back(optionals<double>("exclusive_min_s", rows,
                                      [](const auto& row) { return row.exclusive_min_s; }));
  columns.push_back(optionals<double>("exclusive_max_s", rows,
                                      [](const auto& row) { return row.exclusive_max_s; }));
  columns.push_back(optionals<double>("imbalance", rows, imbalance_of));
}

DataTable calls_table(const std::vector<ProfileRow>& rows, std::string_view by) {
  DataTable table{.rows = rows.size()};
  table.columns.push_back(texts(std::string(by), rows, [](const auto& row) { return row.name; }));
  add_times(table, rows);
  table.columns.push_back(
      optionals<uint64_t>("max_rank", rows, [](const auto& row) -> std::optional<uint64_t> {
        if (row.imbalance <= 0 || !row.max_rank.valid()) return {};
        return uint32_t{row.max_rank};
      }));
  return table;
}

/// has_waits  else they are not known.
void add_work(DataTable& table, const std::vector<WorkRow>& rows, bool has_waits) {
  auto& columns = table.columns;
  columns.push_back(numbers("compute_s", rows, [](const auto& row) { return row.compute_s; }));
  columns.push_back(numbers("mpi_s", rows, [](const auto& row) { return row.mpi_s; }));
  columns.push_back(numbers("wait_s", rows, [&](const auto& row) {
    return has_waits ? row.wait_s : std::numeric_limits<double>::quiet_NaN();
  }));
  columns.push_back(numbers("io_s", rows, [](const auto& row) { return row.io_s; }));
}

std::string host_name(const std::string& host) { return host.empty() ? "unknown" : host; }

/// rows  of `work`, in their order.
DataTable work_table(const std::vector<ProfileRow>& rows, const std::vector<WorkRow>& work,
                     std::string_view by, bool has_waits) {
  if (by == "host") {
    const auto hosts = work_by_host(work);
    DataTable table{.rows = hosts.size()};
    table.columns.push_back(
        texts("host", hosts, [](const auto& row) { return host_name(row.host); }));
    table.columns.push_back(numbers("ranks", hosts, [](const auto& row) { return row.ranks; }));
    add_work(table, hosts, has_waits);
    return table;
  }
  DataTable table{.rows = work.size()};
  table.columns.push_back(numbers("rank", work, [](const auto& row) { return row.rank; }));
  add_times(table, rows);
  add_work(table, work, has_waits);
  table.columns.push_back(texts("host", work, [](const auto& row) { return row.host; }));
  return table;
}

base::Error no_such_waits(std::string_view by) { return no_such_by(by, "rank, callpath, cause"); }

DataTable ranks_table(const trace::Trace& run, const comm::Waits& waits) {
  const auto& rows = waits.rows;
  DataTable table{.rows = rows.size()};
  auto& columns = table.columns;
  columns.push_back(
      texts("kind", rows, [](const auto& row) { return std::string(comm::wait_name(row.kind)); }));
  columns.push_back(numbers("rank", rows, [](const auto& row) { return row.rank; }));
  columns.push_back(numbers("count", rows, [](const auto& row) { return row.count; }));
  columns.push_back(
      numbers("wait_s", rows, [&](const auto& row) { return run.span_seconds(row.ticks); }));
  return table;
}

/// The numbers of pairs and of call paths; times are of seconds.
template <class Rows>
void add_traffic(DataTable& table, const Rows& rows) {
  auto& columns = table.columns;
  columns.push_back(numbers("messages", rows, [](const auto& row) { return row.messages; }));
  columns.push_back(numbers("bytes", rows, [](const auto& row) { return row.bytes; }));
  columns.push_back(numbers("min_s", rows, [](const auto& row) { return row.min_s; }));
  columns.push_back(numbers("mean_s", rows, [](const auto& row) { return row.mean_s; }));
  columns.push_back(numbers("max_s", rows, [](const auto& row) { return row.max_s; }));
}

struct RankPair {
  uint32_t sender;
  uint32_t receiver;
  uint64_t messages;
  uint64_t bytes;
  double min_s;
  double mean_s;
  double max_s;
};

std::vector<RankPair> rank_pairs(const trace::Trace& trace, const comm::Matrix& matrix) {
  const auto hz = static_cast<double>(trace.definitions.clock.ticks_per_second);
  const graph::Traffic& traffic = matrix.traffic;
  std::vector<RankPair> pairs;
  pairs.reserve(traffic.entry_count());
  for (uint32_t sender = 0; sender < traffic.rank_count(); ++sender) {
    for (size_t i = traffic.row[sender]; i < traffic.row[sender + 1]; ++i) {
      pairs.push_back({sender, traffic.receiver[i], traffic.messages[i], traffic.bytes[i],
                       static_cast<double>(matrix.min_ticks[i]) / hz, matrix.mean_ticks[i] / hz,
                       static_cast<double>(matrix.max_ticks[i]) / hz});
    }
  }
  return pairs;
}

DataTable pairs_table(const trace::Trace& run, const comm::Matrix& matrix, std::string_view by) {
  if (by == "host") {
    const auto pairs = host_matrix(run, matrix);
    DataTable table{.rows = pairs.size()};
    table.columns.push_back(
        texts("sender_host", pairs, [](const auto& row) { return host_name(row.sender_host); }));
    table.columns.push_back(texts("receiver_host", pairs,
                                  [](const auto& row) { return host_name(row.receiver_host); }));
    add_traffic(table, pairs);
    return table;
  }
  const auto pairs = rank_pairs(run, matrix);
  DataTable table{.rows = pairs.size()};
  table.columns.push_back(numbers("sender", pairs, [](const auto& row) { return row.sender; }));
  table.columns.push_back(numbers("receiver", pairs, [](const auto& row) { return row.receiver; }));
  add_traffic(table, pairs);
  return table;
}

base::Status check_pairs_by(std::string_view by) {
  if (by == "rank" || by == "host") return {};
  return no_such_by(by, "rank, host, callpath");
}

/// kRank also for "host".
base::Result<ProfileBy> parse_profile_by(std::string_view by) {
  if (by == "region") return ProfileBy::kRegion;
  if (by == "callpath") return ProfileBy::kCallPath;
  if (by == "rank" || by == "host") return ProfileBy::kRank;
  return no_such_by(by, "region, callpath, rank, host");
}

DataTable step_rows_table(const trace::Trace& run, const char* word, const steps::Table& all) {
  const auto& rows = all.rows;
  DataTable table{.rows = rows.size()};
  auto& columns = table.columns;
  columns.push_back(numbers(word, rows, [](const auto& row) { return uint32_t{row.step}; }));
  columns.push_back(numbers("rank", rows, [](const auto& row) { return uint32_t{row.rank}; }));
  columns.push_back(
      numbers("begin_s", rows, [&](const auto& row) { return run.seconds(row.begin_ticks); }));
  columns.push_back(
      numbers("end_s", rows, [&](const auto& row) { return run.seconds(row.end_ticks); }));
  const auto time = [&](std::string name, uint64_t steps::Counters::*ticks) {
    columns.push_back(
        optionals<double>(std::move(name), rows, [&](const auto& row) -> std::optional<double> {
          if (!row.recorded) return {};
          return run.span_seconds(row.counters.*ticks);
        }));
  };
  const auto number = [&](std::string name, uint64_t steps::Counters::*counter) {
    columns.push_back(
        optionals<uint64_t>(std::move(name), rows, [&](const auto& row) -> std::optional<uint64_t> {
          if (!row.recorded) return {};
          return row.counters.*counter;
        }));
  };
  time("mpi_s", &steps::Counters::mpi_ticks);
  time("io_s", &steps::Counters::io_ticks);
  number("sent_messages", &steps::Counters::sent_messages);
  number("sent_bytes", &steps::Counters::sent_bytes);
  number("received_messages", &steps::Counters::received_messages);
  number("received_bytes", &steps::Counters::received_bytes);
  number("read_bytes", &steps::Counters::read_bytes);
  number("written_bytes", &steps::Counters::written_bytes);
  return table;
}

}  // namespace

base::Result<DataTable> profile_table(const SharedTrace& trace, const trace::Selection& selection,
                                      std::string_view by, base::ThreadPool& pool,
                                      const profile::Profile* whole) {
  const auto choice = parse_profile_by(by);
  if (!choice) return choice.error();
  auto profile = profile::from_trace(*trace, selection, pool);
  if (whole != nullptr) profile::add_paths(whole->call_paths, profile);
  const auto rows = profile_rows(*trace, selection, profile, choice.value());
  if (choice.value() != ProfileBy::kRank) return calls_table(rows, by);
  const auto work = work_by_rank(*trace, profile, comm::waits(*trace, selection, pool));
  return work_table(rows, work, by, true);
}

base::Result<DataTable> profile_table(const SummaryFile& file, const trace::Selection& selection,
                                      std::string_view by) {
  const auto choice = parse_profile_by(by);
  if (!choice) return choice.error();
  const trace::Trace& run = file.tables->run;
  const auto profile = chosen(run, file.tables->profile, selection);
  const auto rows = profile_rows(run, selection, profile, choice.value());
  if (choice.value() != ProfileBy::kRank) return calls_table(rows, by);
  const auto waits = comm::chosen(file.tables->waits, selection);
  return work_table(rows, work_by_rank(run, profile, waits), by, true);
}

base::Result<DataTable> profile_table(const SummaryFile& file, const SumsOfTime& sums,
                                      const trace::Selection& selection, std::string_view by) {
  const auto choice = parse_profile_by(by);
  if (!choice) return choice.error();
  const trace::Trace& run = file.tables->run;
  auto profile = sums.profile;
  profile::add_paths(file.tables->profile.call_paths, profile);
  const auto rows = profile_rows(run, selection, profile, choice.value());
  if (choice.value() != ProfileBy::kRank) return calls_table(rows, by);
  return work_table(rows, work_by_rank(run, profile, sums.waits), by, true);
}

base::Result<DataTable> profile_table(const profile::TableProfile& file,
                                      const trace::Selection& selection, std::string_view by) {
  const auto choice = parse_profile_by(by);
  if (!choice) return choice.error();
  const auto profile = chosen(file, selection);
  auto rows = profile_rows(file.trace, selection, profile, choice.value());
  forget_unmeasured(file, rows);
  if (choice.value() != ProfileBy::kRank) return calls_table(rows, by);
  return work_table(rows, work_by_rank(file.trace, profile, {}), by, false);
}

base::Result<DataTable> matrix_table(const SharedTrace& trace, const trace::Selection& selection,
                                     std::string_view by, std::optional<uint32_t> step,
                                     base::ThreadPool& pool) {
  if (by != "callpath") {
    if (auto status = check_pairs_by(by); !status) return status.error();
  }
  if (step) {
    if (auto status = trace::require_step(*trace, *step); !status) return status.error();
  }
  if (by != "callpath") {
    return pairs_table(*trace, comm::matrix(*trace, selection, step, pool), by);
  }
  const auto paths = call_path_matrix(*trace, selection, step, pool);
  DataTable table{.rows = paths.size()};
  table.columns.push_back(texts("callpath", paths, [](const auto& row) {
    return row.call_path.empty() ? "(outside of calls)" : row.call_path;
  }));
  add_traffic(table, paths);
  return table;
}

base::Result<DataTable> matrix_table(const SummaryFile& file, const trace::Selection& selection,
                                     std::string_view by) {
  if (auto status = check_pairs_by(by); !status) return status.error();
  return pairs_table(file.tables->run, comm::chosen(file.tables->matrix, selection), by);
}

base::Result<DataTable> matrix_table(const SummaryFile& file, const SumsOfTime& sums,
                                     std::string_view by) {
  if (auto status = check_pairs_by(by); !status) return status.error();
  return pairs_table(file.tables->run, sums.matrix, by);
}

base::Result<DataTable> waits_table(const SharedTrace& trace, const trace::Selection& selection,
                                    std::string_view by, base::ThreadPool& pool) {
  if (by == "callpath") {
    return waits_table(
        waits_by_call_path(*trace, comm::dependencies(*trace, pool), selection, pool));
  }
  if (by == "cause") {
    return waits_table(wait_causes(*trace, comm::dependencies(*trace, pool), selection, pool));
  }
  if (by != "rank") return no_such_waits(by);
  return ranks_table(*trace, comm::waits(*trace, selection, pool));
}

base::Result<DataTable> waits_table(const SummaryFile& file, const trace::Selection& selection,
                                    std::string_view by) {
  if (by != "rank") return no_such_waits(by);
  return ranks_table(file.tables->run, comm::chosen(file.tables->waits, selection));
}

base::Result<DataTable> waits_table(const SummaryFile& file, const SumsOfTime& sums,
                                    std::string_view by) {
  if (by != "rank") return no_such_waits(by);
  return ranks_table(file.tables->run, sums.waits);
}

base::Result<DataTable> steps_table(const SharedTrace& trace, const trace::Selection& selection,
                                    bool detect, base::ThreadPool& pool) {
  const auto found = find_steps(*trace, {.detect = detect}, pool);
  if (!found) return found.error();
  return step_rows_table(*trace, found.value().word(),
                         comm::step_table(*trace, found.value().windows, selection, pool));
}

DataTable steps_table(const SummaryFile& file, const trace::Selection& selection) {
  steps::Table own;
  return step_rows_table(file.tables->run, "step",
                         comm::chosen(file.tables->steps, selection, own));
}

}  // namespace pathline::app
