// SPDX-License-Identifier: BSD-3-Clause
#include "cli/command.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <mutex>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include "app/empty_result.hpp"
#include "app/judged_part.hpp"
#include "app/open_run.hpp"
#include "app/output.hpp"
#include "base/file.hpp"
#include "base/scratch.hpp"
#include "base/text.hpp"
#include "trace/warnings.hpp"

namespace pathline::cli {

std::string run_name(const std::string& input) {
  std::filesystem::path path = std::filesystem::path(input).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  if (path.extension() == ".otf2" && path.has_parent_path()) path = path.parent_path();
  return base::printable(path.filename().string());
}

void add_input(Command& command, CommonOptions& options, bool required, bool with_summaries) {
  command
      .option("INPUT", options.input,
              fmt::format("Run directory, OTF2 anchor file (*.otf2), folder that holds one, {}or "
                          "CSV file of messages",
                          with_summaries ? "summary (*.plsum), " : ""))
      .required(required);
  add_input_options(command, options);
}

void add_input_options(Command& command, CommonOptions& options) {
  command.option("--threads", options.threads, "Threads to use; 0 is one per core")
      .range(0U, 4096U)
      .show_default();
  command.flag("--partial", options.partial, "Read a damaged input as far as it goes and say so");
  command.option("--scratch", options.scratch,
                 "Folder on a disk for a file that holds what does not fit into memory");
  command.flag("--quiet", options.quiet, "No progress and no notes on standard error");
}

void add_output(Command& command, CommonOptions& options) {
  command.option("-o,--output", options.output, "File to write, '-' for standard output")
      .show_default();
}

void add_format(Command& command, CommonOptions& options) {
  command
      .option("--format", options.format,
              "How to print: table on a terminal and csv elsewhere unless you say")
      .one_of({"table", "csv", "json"});
}

void add_rows(Command& command, CommonOptions& options) {
  command.option("--sort", options.sort,
                 "Order of the rows: by this column, amounts from the largest");
  command.option("--top", options.top, "Only so many rows, the first")
      .range<size_t>(1, 1'000'000'000);
}

void add_selection(Command& command, CommonOptions& options) {
  command.option("--from", options.from_s, "Only from this time on, seconds since the start");
  command.option("--until", options.until_s, "Only before this time, seconds since the start");
  command.option("--ranks", options.ranks, "Only these ranks: 0-31,64");
}

void with_progress(base::Progress& progress, bool quiet, const std::function<void()>& job) {
  if (quiet) {
    job();
    return;
  }
  std::mutex mutex;
  std::condition_variable changed;
  bool finished = false;
  const bool terminal = ::isatty(STDERR_FILENO) == 1;
  std::thread watcher([&] {
    using Clock = std::chrono::steady_clock;
    constexpr std::chrono::milliseconds kLook(200);
    auto next = Clock::now() + std::chrono::seconds(1);
    auto begun = Clock::now();
    const char* stage = progress.stage.load();
    uint64_t last_done = 0;
    bool shown = false;
    std::unique_lock lock(mutex);
    // On a terminal one line that changes; in a log file a new line now and then.
    while (!changed.wait_for(lock, kLook, [&] { return finished; })) {
      const auto now = Clock::now();
      // Each stage has a rate of its own, the next one of the same name, too.
      const uint64_t have_done = progress.done.load();
      if (stage != progress.stage.load() || have_done < last_done) {
        stage = progress.stage.load();
        begun = now - kLook / 2;
      }
      last_done = have_done;
      if (now < next) continue;
      next = now + (terminal ? kLook : std::chrono::milliseconds(5000));
      const double seconds = std::chrono::duration<double>(now - begun).count();
      const auto done = static_cast<double>(have_done);
      const auto total = static_cast<double>(progress.total.load());
      const std::string_view unit = progress.unit.load();
      std::string line = fmt::format("pathline: {}", stage);
      if (!unit.empty() && total > 0) {
        const auto amount = [&](double value) {
          return unit == "B"
                     ? base::human_bytes(value)
                     : base::human_count(static_cast<uint64_t>(value)) + ' ' + std::string(unit);
        };
        // Of runs that take a minute each a whole number per second would be 0.
        const double per_second = done / seconds;
        const std::string rate = unit != "B" && per_second < 10
                                     ? fmt::format("{:.2g} {}", per_second, unit)
                                     : amount(per_second);
        line +=
            fmt::format(" {:3.0f} %, {} of {}, {}/s", 100 * done / total,
                        unit == "B" ? amount(done) : base::human_count(static_cast<uint64_t>(done)),
                        amount(total), rate);
        if (const uint64_t failed = progress.failed.load(); failed > 0) {
          line += fmt::format(", {} failed", base::human_count(failed));
        }
        if (done > 0 && done < total) {
          line += fmt::format(", {} left", base::human_seconds((total - done) / done * seconds));
        }
      }
      fmt::print(stderr, "{}{}{}", terminal ? "\r\033[K" : "", line, terminal ? "" : "\n");
      std::fflush(stderr);
      shown = true;
    }
    if (terminal && shown) fmt::print(stderr, "\r\033[K");
  });
  std::exception_ptr thrown;
  try {
    job();
  } catch (...) {
    thrown = std::current_exception();
  }
  {
    const std::lock_guard lock(mutex);
    finished = true;
  }
  changed.notify_all();
  watcher.join();
  if (thrown) std::rethrow_exception(thrown);
}

namespace {

/// Says in which input something was not found: a command may have several.
base::Error about(const CommonOptions& options, base::Error error) {
  if (error.code == base::ErrorCode::kNotFound) {
    error.message = fmt::format("{}: {}", options.input, error.message);
  }
  return error;
}

/// Whether the chosen time leaves nothing out.
bool is_all_time(const CommonOptions& options, const trace::Trace& trace) {
  const auto selection = select(options, trace);
  return selection && !app::leaves_out_time(trace, selection.value());
}

/// That a time is read from the archive, as the tables of the file are of the whole.
void note_time(const CommonOptions& options, const summary::RunSummary& summary,
               const trace::Selection& selection, std::string_view how) {
  const auto seconds = [&](uint64_t ticks) {
    return summary.run.seconds(std::clamp(ticks, summary.run.start_ticks, summary.run.end_ticks));
  };
  note(fmt::format("{} has tables of the whole run: reading {:.6f} s to {:.6f} s of {}{}",
                   options.input, seconds(selection.from_ticks), seconds(selection.until_ticks),
                   input::events_of(summary, options.input).string(), how));
}

/// Of a summary whose events are read: what was found of the run tells of a part of it, too.
summary::Parts parts_beside_events(std::optional<app::PartNeeds> needs) {
  summary::Parts parts = summary::Parts::none();
  parts.judged = needs == app::PartNeeds::kFindings;
  return parts;
}

}  // namespace

base::Result<input::Input> open_input(const CommonOptions& options,
                                      const std::vector<std::string>& metrics,
                                      base::ThreadPool& pool, base::Progress& progress,
                                      const summary::Parts& tables) {
  const auto can_write = options.makes_folder ? app::check_not_read(options.input, options.output)
                                              : app::check_output(options.input, options.output);
  if (!can_write) return can_write.error();
  if (!options.scratch.empty()) {
    if (auto status = base::offer_scratch(options.scratch); !status) return status.error();
  }
  base::Result<input::Input> input = input::Input{};
  std::vector<std::string> notes;
  progress.begin("reading", "", 0);  // Of a file without events nobody says more.
  with_progress(progress, options.quiet, [&] {
    input = app::open_input(options.input,
                            {.partial = options.partial,
                             .metrics = metrics,
                             .tables = tables,
                             .messages = options.messages},
                            pool, progress, notes);
  });
  if (options.quiet) return input;
  for (const std::string& text : notes) note(text);
  if (!input) return input;
  if (const auto* file = std::get_if<profile::ProfileFile>(&input.value())) {
    for (const std::string& warning : file->warnings) note(warning);
    return input;
  }
  const auto* summary = std::get_if<summary::RunSummary>(&input.value());
  const auto& trace = summary != nullptr ? summary->run : std::get<trace::Trace>(input.value());
  for (const std::string& warning : trace::missing(trace)) note(warning);
  return input;
}

base::Result<trace::Selection> select(const CommonOptions& options, const trace::Trace& trace) {
  auto selection = trace::select(
      trace, {.from_s = options.from_s, .until_s = options.until_s, .ranks = options.ranks});
  if (!selection) return about(options, selection.error());
  return selection;
}

Opened::~Opened() {
  if (!summary) return;
  static auto* const kept = new std::vector<trace::Trace>();
  kept->push_back(std::move(trace));
}

comm::Matrix Opened::matrix(std::optional<uint32_t> step) {
  return summary ? comm::chosen(summary->matrix, selection)
                 : comm::matrix(trace, selection, step, pool);
}

std::string Opened::why_no_messages() const {
  return facts ? app::why_no_messages(*facts) : app::why_no_messages(trace, source);
}

base::Result<bool> take_sums(const CommonOptions& options, app::PartNeeds needs, Opened& opened) {
  summary::RunSummary& summary = *opened.summary;
  summary.run = std::move(opened.trace);
  auto sums = sums_of(options, summary, needs, opened.pool, opened.progress, opened.index);
  opened.trace = std::move(summary.run);
  if (!sums) return sums.error();
  if (!sums.value()) return false;
  auto selection = select(options, opened.trace);
  if (!selection) return selection.error();
  opened.selection = std::move(selection).value();
  summary.profile = std::move(sums.value()->profile);
  summary.matrix = std::move(sums.value()->matrix);
  summary.waits = std::move(sums.value()->waits);
  opened.facts = summary.facts;
  opened.is_summed = true;
  opened.lacks_waits = sums.value()->lacks_waits;
  return true;
}

base::Result<std::unique_ptr<Opened>> open(const CommonOptions& options, Takes takes,
                                           const summary::Parts& tables,
                                           std::optional<app::PartNeeds> needs) {
  auto opened = std::make_unique<Opened>(options.threads);
  // Tables are of the whole run.
  const bool has_window = options.from_s || options.until_s;
  const bool needs_tables =
      takes == Takes::kPartsOfSummaries || (takes != Takes::kTraces && !has_window);
  auto input = open_input(options, {}, opened->pool, opened->progress,
                          needs_tables ? tables : parts_beside_events(needs));
  if (!input) return input.error();
  opened->source = options.input;
  if (auto* summary = std::get_if<summary::RunSummary>(&input.value())) {
    opened->trace = std::move(summary->run);
    opened->summary = std::move(*summary);
    if (!needs_tables && takes != Takes::kTraces && is_all_time(options, opened->trace)) {
      CommonOptions all = options;
      all.from_s.reset();
      all.until_s.reset();
      return open(all, takes, tables, needs);
    }
    if (!needs_tables) {
      if (takes == Takes::kSums && needs) {
        auto summed = take_sums(options, *needs, *opened);
        if (!summed) return summed.error();
        if (summed.value()) return opened;
      }
      if (auto status = read_events(options, *opened, has_window ? needs : std::nullopt); !status) {
        base::Error error = status.error();
        if (needs && !has_window && !app::fits_into_memory(*opened->summary)) {
          error.advice +=
              " Of a part of the time, by --from and --until, no more than that is read.";
        }
        return error;
      }
      return opened;
    }
  } else {
    auto trace = input::need_trace(std::move(input), options.input);
    if (!trace) return trace.error();
    opened->trace = std::move(trace).value();
  }
  auto selection = select(options, opened->trace);
  if (!selection) return selection.error();
  opened->selection = std::move(selection).value();
  return opened;
}

base::Result<trace::Trace> events_of(const CommonOptions& options,
                                     const summary::RunSummary& summary, base::ThreadPool& pool,
                                     base::Progress& progress) {
  base::Result<trace::Trace> trace = trace::Trace();
  std::vector<std::string> notes;
  with_progress(progress, options.quiet, [&] {
    trace = app::open_events(options.input, summary,
                             {.partial = options.partial, .messages = options.messages}, pool,
                             progress, notes);
  });
  if (!options.quiet) {
    for (const std::string& text : notes) note(text);
  }
  return trace;
}

base::Result<std::optional<app::SumsOfTime>> sums_of(const CommonOptions& options,
                                                     const summary::RunSummary& summary,
                                                     app::PartNeeds needs, base::ThreadPool& pool,
                                                     base::Progress& progress,
                                                     app::KeptIndex& kept) {
  using Sums = std::optional<app::SumsOfTime>;
  const auto selection = select(options, summary.run);
  if (!selection) return selection.error();
  const auto time = app::time_in_pieces(options.input, summary, selection.value(), needs, &kept);
  if (!time) return time.error();
  if (!time.value()) return Sums();
  if (!options.quiet) {
    note_time(options, summary, selection.value(),
              ", a piece at a time, as memory has no room for all");
  }
  base::Result<app::SumsOfTime> sums = app::SumsOfTime();
  with_progress(progress, options.quiet,
                [&] { sums = app::sums_of_time(*time.value(), summary, needs, pool, progress); });
  if (!sums) return sums.error();
  if (sums.value().lacks_waits) note(app::kLacksWaits);  // Nobody would know it otherwise.
  return Sums(std::move(sums).value());
}

base::Result<std::optional<trace::Trace>> part_of(const CommonOptions& options,
                                                  const summary::RunSummary& summary,
                                                  app::PartNeeds needs, base::ThreadPool& pool,
                                                  app::KeptIndex* kept) {
  const auto selection = select(options, summary.run);
  if (!selection) return selection.error();
  std::vector<std::string> notes;
  auto part = app::read_part(options.input, summary, selection.value(), needs, pool, notes, kept);
  // With a disk in place of memory it can be read all the same, as a part of the whole.
  if (!part && part.error().code == base::ErrorCode::kIo && !options.scratch.empty()) {
    return std::optional<trace::Trace>();
  }
  if (part && part.value() && !options.quiet) {
    note_time(options, summary, selection.value(), "");
    for (const std::string& text : notes) note(text);
  }
  return part;
}

base::Status read_events(const CommonOptions& options, Opened& opened,
                         std::optional<app::PartNeeds> needs) {
  opened.summary->run = std::move(opened.trace);
  std::optional<trace::Trace> events;
  if (needs) {
    auto part = part_of(options, *opened.summary, *needs, opened.pool, &opened.index);
    if (!part) return part.error();
    events = std::move(part).value();
    if (events) opened.facts = opened.summary->facts;
  }
  if (!events) {
    auto all = events_of(options, *opened.summary, opened.pool, opened.progress);
    if (!all) return all.error();
    events = std::move(all).value();
  }
  opened.source = input::events_of(*opened.summary, options.input).string();
  opened.trace = std::move(*events);
  opened.judged = std::move(opened.summary->judged);
  opened.summary.reset();
  auto selection = select(options, opened.trace);
  if (!selection) return selection.error();
  opened.selection = std::move(selection).value();
  return {};
}

base::Result<std::unique_ptr<Opened>> open_step(const CommonOptions& options, uint32_t step,
                                                std::optional<app::PartNeeds> needs) {
  auto opened = open(options, Takes::kPartsOfSummaries, summary::Parts::none());
  if (!opened) return opened;
  Opened& run = *opened.value();
  if (run.summary) {
    run.summary->run = std::move(run.trace);
    const auto time = app::time_of_step(options.input, *run.summary, step);
    run.trace = std::move(run.summary->run);
    if (!time) return about(options, time.error());
    CommonOptions of_step = options;
    of_step.from_s = time.value().from_s;
    of_step.until_s = time.value().until_s;
    if (auto status = read_events(of_step, run, needs); !status) return status.error();
    auto selection = select(options, run.trace);
    if (!selection) return selection.error();
    run.selection = std::move(selection).value();
    return opened;
  }
  if (auto there = trace::require_step(run.trace, step); !there) {
    return about(options, there.error());
  }
  return opened;
}

void note(std::string_view text) {
  std::fputs(fmt::format("pathline: {}\n", base::printable(text)).c_str(), stderr);
}

int report_error(const base::Error& error) {
  note(error.message);
  if (!error.advice.empty()) {
    std::fputs(fmt::format("  {}\n", base::printable(error.advice)).c_str(), stderr);
  }
  return kFailed;
}

base::Status write_result(const std::string& path, const std::string& text) {
  if (path != "-") return base::write_file(path, text);
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    if (errno == EPIPE) return {};  // The reader has seen enough.
    return base::Error{base::ErrorCode::kIo, fmt::format("cannot write to standard output: {}",
                                                         base::system_reason(errno))};
  }
  return {};
}

}  // namespace pathline::cli
