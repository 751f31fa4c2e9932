// SPDX-License-Identifier: BSD-3-Clause
#include "app/reduce.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <numeric>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <utility>

#include <fmt/format.h>

#include "app/judge_file.hpp"
#include "app/judged_run.hpp"
#include "app/open_run.hpp"
#include "app/part_of_run.hpp"
#include "base/file.hpp"
#include "base/parse.hpp"
#include "input/input.hpp"
#include "otf2/reader.hpp"
#include "summary/file.hpp"
#include "summary/reduce.hpp"
#include "trace/warnings.hpp"

namespace pathline::app {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;

/// What an event of a window takes: its columns, its words, the ends and rows of its messages, and
/// room to grow.
constexpr uint64_t kBytesAnEvent = 96;
constexpr uint64_t kLeastWindowEvents = 10'000;
const std::string kNoFindings = "no findings: ";  // Of a run without calls of MPI.

base::Result<Reduced> reduce_whole(const fs::path& input, const ReduceOptions& options,
                                   base::ThreadPool& pool, base::Progress& progress,
                                   std::vector<std::string>& notes) {
  auto trace = input::need_trace(
      open_input(input, {.partial = options.partial}, pool, progress, notes), input);
  if (!trace) return trace.error();
  return Reduced{.summary = summary::reduce(std::move(trace).value(), pool)};
}

/// The findings of a run as its summary keeps them; none of a run without calls of MPI.
base::Result<std::string> judged_text(const fs::path& input, const ReduceOptions& options,
                                      base::ThreadPool& pool, base::Progress& progress,
                                      std::vector<std::string>& notes) {
  std::vector<std::string> said_before;
  const auto trace = open_run(input, {.partial = options.partial}, pool, progress, said_before);
  if (!trace) return trace.error();
  const auto judged = judge_run(trace.value(), input.string(), *options.findings, pool, progress);
  if (judged) return to_text(judged.value());
  if (judged.error().code != ErrorCode::kUnsupported) return judged.error();
  notes.push_back(kNoFindings + judged.error().message);
  return std::string();
}

/// errors  kUnsupported for what is to be read as a whole
base::Result<otf2::Archive> open_archive(const fs::path& input, const ReduceOptions& options,
                                         base::ThreadPool& pool, base::Progress& progress,
                                         const exchange::Exchange& exchange) {
  if (options.partial) return Error{ErrorCode::kUnsupported, ""};
  const auto anchor = input::archive_of(input);
  if (!anchor || !anchor.value()) return Error{ErrorCode::kUnsupported, ""};
  return otf2::open_archive(*anchor.value(), pool, progress,
                            [&](const trace::Trace& trace, const std::vector<uint64_t>& bytes) {
                              return summary::Share::owned(exchange, trace, bytes);
                            });
}

/// errors  as above, for all processes the same
base::Result<Reduced> reduce_in_windows(const fs::path& input, const ReduceOptions& options,
                                        base::ThreadPool& pool, base::Progress& progress,
                                        exchange::Exchange& exchange) {
  auto archive = open_archive(input, options, pool, progress, exchange);
  const base::Status opened = archive ? base::Status() : archive.error();
  if (const auto agreed = exchange.agree(opened); !agreed) return agreed.error();
  const auto& bytes = archive.value().event_bytes;
  const uint64_t input_bytes = std::accumulate(bytes.begin(), bytes.end(), uint64_t{0});
  const summary::WindowSize size{
      .events = std::max(kLeastWindowEvents, options.memory_bytes / kBytesAnEvent)};
  std::optional<summary::Scratch> scratch;
  if (!options.scratch.empty()) scratch = {options.scratch, options.memory_bytes};
  auto summary =
      summary::reduce(std::move(archive).value(), size, pool, progress, exchange, scratch);
  if (!summary) return summary.error();
  trace::recall_warnings(summary.value().run);
  return Reduced{.summary = std::move(summary).value(), .input_bytes = input_bytes};
}

}  // namespace

base::Result<exchange::Exchange> join(const exchange::Job& job) {
  std::error_code failed;
  const fs::path folder = fs::read_symlink("/proc/self/exe", failed).parent_path();
  return exchange::Exchange::join(job, {folder / "../lib", folder / ".." / PATHLINE_LIBDIR});
}

unsigned threads_of(const exchange::Job& job) {
  const unsigned allowed = std::thread::hardware_concurrency();
  const bool bound = static_cast<long>(allowed) < ::sysconf(_SC_NPROCESSORS_ONLN);
  if (job.local_size == 1 || bound) return 0;
  return std::max(1U, allowed / job.local_size);
}

base::Result<Reduced> reduce_run(const fs::path& input, const ReduceOptions& options,
                                 base::ThreadPool& pool, base::Progress& progress,
                                 std::vector<std::string>& notes, exchange::Exchange& exchange) {
  auto reduced = reduce_in_windows(input, options, pool, progress, exchange);
  const bool first = exchange.rank() == 0;
  exchange.leave();
  if (!first) {
    if (reduced || reduced.error().code != ErrorCode::kUnsupported) return reduced;
    return Reduced{};
  }
  if (!reduced && reduced.error().code == ErrorCode::kUnsupported) {
    const std::string why = reduced.error().message;
    reduced = reduce_whole(input, options, pool, progress, notes);
    if (reduced) {
      reduced.value().in_one_piece = why;
    } else if (reduced.error().code == ErrorCode::kUnsupported && !why.empty()) {
      Error error = reduced.error();
      error.advice = fmt::format("It is to be read as a whole: {}.", why);
      return error;
    }
  }
  if (!reduced || !options.findings) return reduced;
  if (options.scratch.empty() && !fits_into_memory(reduced.value().summary)) {
    reduced.value().lacks_findings = true;
    return reduced;
  }
  auto judged = judged_text(input, options, pool, progress, notes);
  if (!judged) return judged.error();
  reduced.value().summary.judged = std::move(judged).value();
  return reduced;
}

base::Status write_summary(Reduced& reduced, const fs::path& input, const fs::path& file) {
  std::error_code failed;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const fs::path source = fs::proximate(input, folder, failed);
  reduced.summary.source = (failed ? input : source).string();
  constexpr uint64_t kOfFindings = 2 << 20U;
  return summary::write(reduced.summary, file, reduced.lacks_findings ? kOfFindings : 0);
}

base::Status add_findings(const fs::path& input, const fs::path& file, const ReduceOptions& options,
                          base::ThreadPool& pool, base::Progress& progress,
                          std::vector<std::string>& notes) {
  const auto added = judge_file_in_parts(file, *options.findings, pool, progress, notes);
  if (!added && added.error().code == ErrorCode::kUnsupported) {
    notes.push_back(kNoFindings + added.error().message);
    return {};
  }
  if (!added) return added.error();
  if (added.value()) return {};
  const auto judged = judged_text(input, options, pool, progress, notes);
  if (!judged) return judged.error();
  return judged.value().empty() ? base::Status() : summary::add_judged(file, judged.value());
}

base::Result<uint64_t> parse_memory(const std::string& text) {
  std::string_view number = text;
  for (const std::string_view end : {"iB", "B"}) {
    if (number.ends_with(end)) {
      number.remove_suffix(end.size());
      break;
    }
  }
  unsigned shift = 0;
  constexpr std::string_view kUnits = "KMGT";
  if (!number.empty() && kUnits.find(number.back()) != std::string_view::npos) {
    shift = 10 * static_cast<unsigned>(kUnits.find(number.back()) + 1);
    number.remove_suffix(1);
  }
  constexpr double kLeast = 1U << 20U;
  constexpr double kMost = 1ULL << 62U;
  const auto value = base::number_in<double>(number);
  const double bytes = std::ldexp(value.value_or(0), static_cast<int>(shift));
  if (!(bytes >= kLeast && bytes <= kMost)) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("--memory {}: expected at least 1M, as in 512M or 1.5G", text)};
  }
  return static_cast<uint64_t>(bytes);
}

}  // namespace pathline::app
