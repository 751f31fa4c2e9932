// SPDX-License-Identifier: BSD-3-Clause
#include "app/reduce.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "app/finish.hpp"
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

base::Result<Reduced> reduce_whole(const fs::path& input, const ReduceOptions& options,
                                   base::ThreadPool& pool, base::Progress& progress,
                                   std::vector<std::string>& notes) {
  auto trace = open_run(input, {.partial = options.partial}, pool, progress, notes);
  if (!trace) return trace.error();
  return Reduced{.summary = summary::reduce(std::move(trace).value(), pool)};
}

}  // namespace

base::Result<Reduced> reduce_run(const fs::path& input, const ReduceOptions& options,
                                 base::ThreadPool& pool, base::Progress& progress,
                                 std::vector<std::string>& notes) {
  if (options.partial) return reduce_whole(input, options, pool, progress, notes);
  const auto anchor = input::archive_of(input);
  if (!anchor || !anchor.value()) return reduce_whole(input, options, pool, progress, notes);
  auto archive = otf2::open_archive(*anchor.value(), pool, progress);
  std::string why;
  if (archive) {
    const auto& bytes = archive.value().event_bytes;
    const uint64_t input_bytes = std::accumulate(bytes.begin(), bytes.end(), uint64_t{0});
    const summary::WindowSize size{
        .events = std::max(kLeastWindowEvents, options.memory_bytes / kBytesAnEvent)};
    auto summary = summary::reduce(std::move(archive).value(), size, pool, progress);
    if (summary) {
      trace::recall_warnings(summary.value().run);
      return Reduced{.summary = std::move(summary).value(), .input_bytes = input_bytes};
    }
    if (summary.error().code != ErrorCode::kUnsupported) return summary.error();
    why = summary.error().message;
  } else {
    if (archive.error().code != ErrorCode::kUnsupported) return archive.error();
    why = archive.error().message;
  }
  auto whole = reduce_whole(input, options, pool, progress, notes);
  if (whole) whole.value().in_one_piece = why;
  return whole;
}

base::Status write_summary(Reduced& reduced, const fs::path& input, const fs::path& file) {
  std::error_code failed;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const fs::path source = fs::proximate(input, folder, failed);
  reduced.summary.source = (failed ? input : source).string();
  return summary::write(reduced.summary, file);
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
  constexpr uint64_t kLeast = 1U << 20U;
  const auto value = base::number_in<uint64_t>(number);
  if (!value || *value > (UINT64_MAX >> shift) || *value << shift < kLeast) {
    return Error{ErrorCode::kInvalidArgument,
                 fmt::format("--memory {}: expected at least 1M, as in 512M or 2G", text)};
  }
  return *value << shift;
}

}  // namespace pathline::app
