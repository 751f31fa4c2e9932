// SPDX-License-Identifier: BSD-3-Clause
#include "app/finish.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <map>
#include <set>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/placement.hpp"
#include "app/run_json.hpp"
#include "app/step_rows.hpp"
#include "app/step_source.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "comm/step_table.hpp"
#include "otf2/reader.hpp"
#include "otf2/writer.hpp"
#include "raw/run.hpp"
#include "trace/backwards.hpp"
#include "trace/warnings.hpp"

namespace pathline::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// Where the archive is written until it is complete.
constexpr const char* kPartFolder = ".finish";
constexpr const char* kArchive = "traces";

/// Holds the run's raw folder while it lives, so that two do not finish one run at the same time.
/// File systems without locks do without.
class Lock {
 public:
  explicit Lock(const fs::path& folder)
      : descriptor_(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    while (descriptor_ >= 0 && ::flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {
    }
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() {
    if (descriptor_ >= 0) ::close(descriptor_);
  }

 private:
  int descriptor_;
};

/// The archive is complete: its anchor file comes last.
bool has_archive(const fs::path& run) {
  std::error_code ignored;
  return fs::exists(run / fmt::format("{}.otf2", kArchive), ignored);
}

bool is_finished(const fs::path& run) { return has_archive(run) && read_run_json(run).finished; }

base::Error cannot(const char* what, const fs::path& path, const std::error_code& code) {
  return {base::ErrorCode::kIo,
          fmt::format("cannot {} {}: {}", what, path.string(), code.message())};
}

uint64_t size_of(const fs::path& path) {
  std::error_code code;
  if (!fs::is_directory(path, code)) {
    const auto size = fs::file_size(path, code);
    return code ? 0 : size;
  }
  uint64_t sum = 0;
  for (fs::recursive_directory_iterator i(path, code), end; !code && i != end; i.increment(code)) {
    std::error_code ignored;
    const auto size = fs::file_size(i->path(), ignored);
    if (!ignored) sum += size;
  }
  return sum;
}

/// Names of the archive's files in the order in which they are put in place.
std::vector<std::string> archive_names() {
  return {kArchive, fmt::format("{}.def", kArchive), fmt::format("{}.otf2", kArchive)};
}

base::Status write_archive(const trace::Trace& trace, const fs::path& run,
                           base::Progress& progress) {
  const fs::path part = run / kPartFolder;
  std::error_code code;
  fs::remove_all(part, code);
  if (code) return cannot("remove", part, code);
  if (auto status = otf2::write(trace, part, kArchive, progress); !status) {
    fs::remove_all(part, code);
    return status;
  }
  // What an earlier attempt left; the anchor first, as without it the rest is no archive.
  const auto names = archive_names();
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    fs::remove_all(run / *name, code);
    if (code) return cannot("remove", run / *name, code);
  }
  for (const std::string& name : names) {
    fs::rename(part / name, run / name, code);
    if (code) return cannot("write", run / name, code);
  }
  fs::remove_all(part, code);
  return {};
}

std::string profile_csv(const raw::Run& raw) {
  std::string text = "region,rank,thread,calls,exclusive_s\n";
  for (const raw::CountedCalls& row : raw.counted) {
    text += fmt::format("{},{},{},{},{:.9f}\n", base::csv_field(base::printable(row.region)),
                        row.rank, row.thread, row.calls, row.exclusive_s);
  }
  return text;
}

/// "2026-11-21T09:30:05.123Z"; null when it is not known.
Json time_text(const trace::Trace& trace) {
  const trace::Clock& clock = trace.definitions.clock;
  if (clock.realtime_ns == UINT64_MAX) return {};
  const auto since = static_cast<int64_t>(trace.start_ticks - clock.global_offset);
  const auto ns = static_cast<int64_t>(clock.realtime_ns) + since;
  if (const auto text = utc_time(ns)) return *text;
  return {};
}

const char* loss_word(chunk::Loss loss) {
  switch (loss) {
    case chunk::Loss::kNoSpace: return "no space";
    case chunk::Loss::kNoFile: return "no file";
    case chunk::Loss::kNoMemory: return "no memory";
    case chunk::Loss::kMaxSize: return "largest size";
    case chunk::Loss::kRing: return "ring";
    case chunk::Loss::kDefect: return "defect";
    case chunk::Loss::kDepth: return "depth";
    default: return "none";
  }
}

/// The processes that something is missing of.
Json losses_json(const raw::Run& raw) {
  Json losses = Json::array();
  for (const raw::RunProcess& process : raw.processes) {
    const bool lost = process.loss != chunk::Loss::kNone || process.lost_events > 0;
    if (process.finished && !lost) continue;
    losses.push_back({{"rank", process.rank},
                      {"finished", process.finished},
                      {"last_event_s", process.last_s},
                      {"reason", loss_word(process.loss)},
                      {"errno", process.loss_errno},
                      {"lost_events", process.lost_events},
                      {"overwritten_bytes", process.overwritten_bytes}});
  }
  return losses;
}

Json describe(const raw::Run& raw, const FinishReport& report) {
  const trace::Trace& trace = raw.trace;
  Json json;
  json["complete"] = report.complete;
  json["ranks"] = trace.rank_count;
  json["threads"] = report.threads;
  Json hosts = Json::array();
  std::set<std::string> seen;
  uint32_t worlds = 0;
  std::string program;
  for (const raw::RunProcess& process : raw.processes) {
    if (seen.insert(process.host).second) hosts.push_back(base::printable(process.host));
    worlds = std::max(worlds, process.world + 1);
    if (program.empty()) program = process.program;
  }
  json["hosts"] = hosts;
  json["program"] = base::printable(program);
  json["worlds"] = worlds;
  json["begin"] = time_text(trace);
  json["duration_s"] = report.duration_s;
  json["events"] = report.events;
  json["messages"] = trace.messages.size();
  json["raw_bytes"] = report.raw_bytes;
  json["archive_bytes"] = report.archive_bytes;
  Json settings = Json::object();
  for (const auto& [key, value] : raw.settings) {
    settings[base::printable(key)] = base::printable(value);
  }
  json["recorder"] = settings;
  const double error_s = static_cast<double>(raw.clocks.error_ns) / 1e9;
  json["clock"] = {{"source", raw.clocks.source},
                   {"ticks_per_second", raw.clocks.ticks_per_second},
                   {"synchronised", raw.clocks.synchronised},
                   {"error_bound_s", error_s}};
  const Causality& causality = report.causality;
  json["causality"] = {{"messages", causality.messages},
                       {"violations", causality.violations},
                       {"worst_s", causality.worst_s},
                       {"error_bound_s", causality.error_bound_s},
                       {"within_error_bound", causality.within_error_bound()}};
  json["losses"] = losses_json(raw);
  Json warnings = Json::array();
  for (const std::string& warning : report.warnings) warnings.push_back(base::printable(warning));
  json["warnings"] = warnings;
  json["versions"] = {{"pathline", PATHLINE_VERSION}, {"otf2", otf2::library_version()}};
  return json;
}

/// Everything of the run to the disk, so that the raw files are not the only copy any more.
base::Status to_disk(const fs::path& run) {
  const int descriptor = ::open(run.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const int failed = descriptor < 0 || ::syncfs(descriptor) != 0 ? errno : 0;
  if (descriptor >= 0) ::close(descriptor);
  if (failed == 0) return {};
  return base::Error{base::ErrorCode::kIo, fmt::format("cannot write {} to the disk: {}",
                                                       run.string(), base::system_reason(failed))};
}

base::Status remove_raw(const fs::path& run, const std::vector<fs::path>& files) {
  std::error_code code;
  for (const fs::path& file : files) {
    fs::remove(file, code);
    if (code) return cannot("remove", file, code);
  }
  // Folders that are empty now; what else lies there stays.
  std::set<fs::path, std::greater<>> folders;
  for (const fs::path& file : files) {
    for (fs::path folder = file.parent_path(); folder != run && folder.has_relative_path();
         folder = folder.parent_path()) {
      if (!folders.insert(folder).second) break;
    }
  }
  for (const fs::path& folder : folders) ::rmdir(folder.c_str());
  return {};
}

base::Status write_tables(const raw::Run& raw, const fs::path& run, base::ThreadPool& pool) {
  const trace::Trace& trace = raw.trace;
  const auto steps = find_steps(trace, {}, pool);
  if (!steps) return steps.error();
  const auto table = comm::step_table(trace, steps.value().windows, {}, pool);
  if (auto status = base::write_file(run / "steps.csv", step_csv(trace, table)); !status) {
    return status;
  }
  std::vector<RankPlace> places;
  for (const raw::RunProcess& process : raw.processes) {
    places.push_back({process.rank, process.host, process.cpus, process.switches});
  }
  // What is not known stands in the table as -1; that is no fault of the run.
  const auto placed = write_placement(places, run / "topology", run / "placement.csv");
  if (!placed) return placed.error();
  if (raw.counted.empty()) return {};
  return base::write_file(run / "profile.csv", profile_csv(raw));
}

}  // namespace

Causality check_causality(const trace::Trace& trace, double error_bound_s, base::ThreadPool& pool) {
  const trace::Backwards backwards = trace::find_backwards(trace.messages, trace.definitions, pool);
  return {.messages = trace.messages.size(),
          .violations = backwards.of_clocks,
          .worst_s = trace.span_seconds(backwards.worst_ticks),
          .error_bound_s = error_bound_s};
}

bool needs_finish(const fs::path& run) {
  return !raw::find_files(run / "raw").empty() && !is_finished(run);
}

base::Result<FinishReport> finish_run(const fs::path& run, const FinishOptions& options,
                                      base::ThreadPool& pool, base::Progress& progress) {
  std::error_code code;
  if (!fs::is_directory(run, code)) {
    return base::Error{base::ErrorCode::kNotFound,
                       fmt::format("cannot finish {}: it is not a directory", run.string())};
  }
  FinishReport report;
  const Lock lock(run / "raw");
  const auto files = raw::find_files(run / "raw");
  if (is_finished(run)) {
    // Interrupted between the last two steps, or kept until now.
    if (!files.empty() && !options.keep_raw) {
      if (auto status = remove_raw(run, files); !status) return status.error();
    }
    return report;
  }
  if (files.empty()) {
    if (has_archive(run)) return report;
    return base::Error{base::ErrorCode::kNotFound,
                       fmt::format("cannot finish {}: there are no raw files in {}", run.string(),
                                   (run / "raw").string()),
                       "A run directory is what 'pathline record' makes."};
  }

  using Clock = std::chrono::steady_clock;
  const auto until = Clock::now() + std::chrono::duration<double>(options.patience_s);
  while (Clock::now() < until && raw::any_alive(files)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  auto read = raw::read_run(files, pool, progress,
                            {.ended_realtime_ns = read_run_json(run).command_end_ns});
  if (!read) return read.error();
  raw::Run& raw = read.value();
  trace::Trace& trace = raw.trace;
  report.ranks = trace.rank_count;
  report.threads = trace.locations.size();
  std::set<std::string> hosts;
  for (const raw::RunProcess& process : raw.processes) hosts.insert(process.host);
  report.hosts = hosts.size();
  report.events = trace.event_count();
  report.duration_s = trace.duration_seconds();
  report.complete = trace.complete;
  for (const fs::path& file : files) report.raw_bytes += size_of(file);
  // Either clock of a pair may be wrong by the bound.
  report.causality =
      check_causality(trace, 2 * static_cast<double>(raw.clocks.error_ns) / 1e9, pool);
  report.warnings = trace.warnings;
  if (report.causality.violations > 0) {
    const std::string warning = fmt::format(
        "{} of {} messages end before their send begins, by {} at most; the clocks are "
        "known to {}",
        report.causality.violations, report.causality.messages,
        base::human_seconds(report.causality.worst_s),
        base::human_seconds(report.causality.error_bound_s));
    report.warnings.push_back(warning);
    raw.warnings.push_back(warning);
  }
  const bool may_run =
      raw.may_be_alive && !options.has_ended && read_run_json(run).command_end_ns == 0;
  if (raw.alive || may_run) {
    report.outcome = raw.alive ? Finish::kStillRuns : Finish::kMayRun;
    return report;
  }

  trace::keep_warnings(trace, raw.warnings);
  if (auto status = write_archive(trace, run, progress); !status) return status.error();
  for (const std::string& name : archive_names()) report.archive_bytes += size_of(run / name);
  progress.begin("writing tables", "", 0);
  if (auto status = write_tables(raw, run, pool); !status) return status.error();
  Json json = describe(raw, report);
  if (auto status = write_run_json(run, json); !status) return status.error();
  if (auto status = to_disk(run); !status) return status.error();
  // From here on the archive counts and the raw files do not.
  if (auto status = write_run_json(run, {{"finished", true}}); !status) return status.error();
  if (auto status = to_disk(run); !status) return status.error();
  if (!options.keep_raw) {
    if (auto status = remove_raw(run, files); !status) return status.error();
  }
  report.outcome = Finish::kDone;
  return report;
}

}  // namespace pathline::app
