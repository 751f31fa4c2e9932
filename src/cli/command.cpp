// SPDX-License-Identifier: BSD-3-Clause
#include "cli/command.hpp"

#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <filesystem>
#include <mutex>
#include <thread>
#include <unistd.h>

#include <fmt/format.h>

#include "app/finish.hpp"
#include "base/file.hpp"
#include "base/text.hpp"

namespace pathline::cli {

std::string run_name(const std::string& input) {
  std::filesystem::path path = std::filesystem::path(input).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();
  if (path.extension() == ".otf2" && path.has_parent_path()) path = path.parent_path();
  return base::printable(path.filename().string());
}

void add_input(CLI::App& command, CommonOptions& options, bool required) {
  command
      .add_option("INPUT", options.input,
                  "Run directory, OTF2 anchor file (*.otf2), folder that holds one, or CSV file of "
                  "messages")
      ->required(required);
  command.add_option("--threads", options.threads, "Threads to use; 0 is one per core")
      ->check(CLI::Range(0U, 4096U))
      ->capture_default_str();
  command.add_flag("--partial", options.partial,
                   "Read a damaged input as far as it goes and say so");
  command.add_flag("--quiet", options.quiet, "No progress and no notes on standard error");
}

void add_output(CLI::App& command, CommonOptions& options) {
  command.add_option("-o,--output", options.output, "File to write, '-' for standard output")
      ->capture_default_str();
}

void add_format(CLI::App& command, CommonOptions& options) {
  command
      .add_option("--format", options.format,
                  "How to print: table on a terminal and csv elsewhere unless you say")
      ->check(CLI::IsMember({"table", "csv", "json"}));
}

void add_selection(CLI::App& command, CommonOptions& options) {
  command.add_option("--from", options.from_s, "Only from this time on, seconds since the start");
  command.add_option("--until", options.until_s, "Only before this time, seconds since the start");
  command.add_option("--ranks", options.ranks, "Only these ranks: 0-31,64");
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
    const auto start = Clock::now();
    bool shown = false;
    std::unique_lock lock(mutex);
    // On a terminal one line that changes; in a log file a new line now and then.
    while (!changed.wait_for(lock,
                             terminal && shown ? std::chrono::milliseconds(200)
                             : shown           ? std::chrono::milliseconds(5000)
                                               : std::chrono::milliseconds(1000),
                             [&] { return finished; })) {
      const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
      const auto done = static_cast<double>(progress.done.load());
      const auto total = static_cast<double>(progress.total.load());
      const std::string_view unit = progress.unit.load();
      std::string line = fmt::format("pathline: {}", progress.stage.load());
      if (!unit.empty() && total > 0) {
        const auto amount = [&](double value) {
          return unit == "B"
                     ? base::human_bytes(value)
                     : base::human_count(static_cast<uint64_t>(value)) + ' ' + std::string(unit);
        };
        line += fmt::format(" {:3.0f} %, {} of {}, {}/s", 100 * done / total, amount(done),
                            amount(total), amount(done / seconds));
      }
      fmt::print(stderr, "{}{}{}", terminal ? "\r\033[K" : "", line, terminal ? "" : "\n");
      std::fflush(stderr);
      shown = true;
    }
    if (terminal && shown) fmt::print(stderr, "\r\033[K");
  });
  job();
  {
    const std::lock_guard lock(mutex);
    finished = true;
  }
  changed.notify_all();
  watcher.join();
}

namespace {

/// Says in which input something was not found: a command may have several.
base::Error about(const CommonOptions& options, base::Error error) {
  if (error.code == base::ErrorCode::kNotFound) {
    error.message = fmt::format("{}: {}", options.input, error.message);
  }
  return error;
}

}  // namespace

base::Result<std::unique_ptr<Opened>> open(const CommonOptions& options) {
  auto opened = std::make_unique<Opened>(options.threads);
  std::optional<base::Result<trace::Trace>> trace;
  std::vector<std::string> notes;
  with_progress(opened->progress, options.quiet, [&] {
    trace = app::open_run(options.input, {.partial = options.partial}, opened->pool,
                          opened->progress, notes);
  });
  if (!options.quiet) {
    for (const std::string& note : notes) {
      fmt::print(stderr, "pathline: {}\n", base::printable(note));
    }
  }
  if (!*trace) return trace->error();
  opened->trace = std::move(*trace).value();
  if (!opened->trace.complete && !options.quiet) {
    for (const std::string& warning : opened->trace.warnings) {
      if (warning.starts_with("incomplete")) fmt::print(stderr, "pathline: {}\n", warning);
    }
  }
  auto selection =
      trace::select(opened->trace,
                    {.from_s = options.from_s, .until_s = options.until_s, .ranks = options.ranks});
  if (!selection) return about(options, selection.error());
  opened->selection = std::move(selection).value();
  return opened;
}

base::Status check_step(const CommonOptions& options, const trace::Trace& trace,
                        std::optional<uint32_t> step) {
  if (!step) return {};
  const auto status = trace::require_step(trace, *step);
  return status ? status : about(options, status.error());
}

int report_error(const base::Error& error) {
  // Messages name files, and the name of a file may hold line ends and commands to a terminal.
  fmt::print(stderr, "pathline: {}\n", base::printable(error.message));
  if (!error.advice.empty()) fmt::print(stderr, "  {}\n", base::printable(error.advice));
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
