// SPDX-License-Identifier: BSD-3-Clause
#include "app/summary_timeline.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/open_run.hpp"
#include "app/part_of_run.hpp"
#include "base/text.hpp"
#include "figure/timeline/states.hpp"
#include "figure/timeline/trim.hpp"
#include "input/input.hpp"
#include "summary/read_back.hpp"
#include "summary/states_file.hpp"

namespace pathline::app {
namespace {

namespace fs = std::filesystem;

/// The calls that a summary knows: how they begin and end in the whole run, and those of one width
/// of bins, if there is one.
class SummaryCalls final : public trace::CallSource {
 public:
  SummaryCalls(std::vector<trace::LocationEnds> ends, std::vector<uint64_t> run_ticks)
      : ends_(std::move(ends)), run_ticks_(std::move(run_ticks)) {}

  [[nodiscard]] trace::LocationEnds ends(uint32_t location) const override {
    return ends_[location];
  }
  [[nodiscard]] std::vector<uint64_t> run_ticks() const override { return run_ticks_; }
  [[nodiscard]] bool has_stretches() const override { return level_.has_value(); }
  void stretches(uint32_t location, uint64_t from, uint64_t until,
                 std::vector<trace::CallStretch>& stretches) const override {
    stretches.clear();
    summary::append_stretches(*level_, location, from, until, stretches);
  }
  [[nodiscard]] std::string messages_text() const override { return messages_text_; }
  [[nodiscard]] std::vector<std::string> remarks() const override { return remarks_; }

  void use(summary::StateLevel level) { level_ = std::move(level); }
  /// The others have no calls then, so that they get no row.
  void leave_out_all_but(const std::vector<uint32_t>& locations) {
    std::vector<bool> is_shown(ends_.size(), false);
    for (const uint32_t location : locations) is_shown[location] = true;
    for (size_t i = 0; i < ends_.size(); ++i)
      ends_[i].has_calls = ends_[i].has_calls && is_shown[i];
  }
  void say_of_messages(std::string text) { messages_text_ = std::move(text); }
  void remark(std::string text) { remarks_.push_back(std::move(text)); }

 private:
  std::vector<trace::LocationEnds> ends_;
  std::vector<uint64_t> run_ticks_;
  std::optional<summary::StateLevel> level_;
  std::string messages_text_;
  std::vector<std::string> remarks_;
};

std::vector<uint64_t> region_ticks(const profile::Profile& profile, size_t region_count) {
  std::vector<uint64_t> ticks(region_count);
  for (const auto& costs : profile.by_location) {
    for (const profile::Cost& cost : costs) {
      const trace::Region region = profile.call_paths[cost.call_path].region;
      if (region.valid()) ticks[region] += cost.exclusive_ticks;
    }
  }
  return ticks;
}

/// What is seen of a run.
struct View {
  figure::Rows rows;
  figure::TimeRange range;
  double px_ticks;

  [[nodiscard]] double bins_per_px(const summary::StateLevel& level) const {
    return px_ticks / static_cast<double>(level.bin_ticks());
  }
};

/// As the figure will choose it.
View view_of(const trace::Trace& run, const trace::Selection& selection, const TimelineLook& look,
             const SummaryCalls& calls) {
  View view{figure::choose_rows(run, selection, nullptr, &calls),
            figure::visible_range(run, selection), 0};
  if (look.trim) {
    const figure::Trim trim = figure::trim_of(run, view.rows, selection);
    view.range.from += trim.begin_ticks;
    view.range.until -= trim.end_ticks;
  }
  view.px_ticks =
      static_cast<double>(view.range.until - view.range.from) / std::max(1.0, look.columns);
  return view;
}

/// The share of a pixel that a row shows wrong, where it has events.
double error_of(const summary::StateLevel& level, const View& view, const figure::Row& row) {
  if (row.location == base::IdMap::kNone) return 0;
  return level.error_of(row.location) / std::max(1.0, view.bins_per_px(level));
}

/// Whether bins show as much as the calls would.
bool is_sharp(const summary::StateLevel& level, const View& view,
              const std::vector<trace::LocationEnds>& all_ends) {
  if (view.bins_per_px(level) < 1) return false;
  const auto span = static_cast<double>(view.range.until - view.range.from);
  double sum = 0;
  for (const figure::Row& row : view.rows.rows) {
    if (row.location == base::IdMap::kNone) continue;
    const trace::LocationEnds& ends = all_ends[row.location];
    const uint64_t from = std::max(view.range.from, ends.first_ticks);
    const uint64_t until = std::min(view.range.until, ends.last_ticks);
    if (from < until) sum += error_of(level, view, row) * static_cast<double>(until - from) / span;
  }
  return sum <= summary::kSharp * static_cast<double>(view.rows.rows.size());
}

/// The widest bins that are sharp; nothing if none are.
std::optional<size_t> sharp_level(const summary::States& states, const View& view) {
  for (size_t i = states.levels.size(); i-- > 0;) {
    if (is_sharp(states.levels[i], view, states.ends)) return i;
  }
  return std::nullopt;
}

/// The widest bins of a pixel or less, or else the narrowest.
size_t narrow_level(const summary::States& states, const View& view) {
  size_t level = states.levels.size() - 1;
  while (level > 0 && view.bins_per_px(states.levels[level]) < 1) --level;
  return level;
}

void say_of_messages(const summary::RunSummary& summary, bool has_archive, SummaryCalls& calls) {
  if (summary.facts.messages == 0) return;
  calls.say_of_messages(
      fmt::format("{} in the run", base::counted(summary.facts.messages, "message", "messages")));
  if (has_archive) calls.remark("messages: zoom in");
}

constexpr uint64_t kFewEvents = uint64_t{1} << 20U;
constexpr uint64_t kMostEvents = uint64_t{1} << 26U;

/// One row of each group of neighbours, not always the same one of them.
std::vector<uint32_t> some_rows(const View& view, size_t each) {
  constexpr size_t kMix = 0x9e3779b97f4a7c15;
  const auto& rows = view.rows.rows;
  std::vector<uint32_t> locations;
  for (size_t first = 0; first < rows.size(); first += each) {
    const size_t count = std::min(each, rows.size() - first);
    locations.push_back(rows[first + (first * kMix >> 32U) % count].location);
  }
  std::sort(locations.begin(), locations.end());
  return locations;
}

/// What is seen, from the archive.
struct ReadPart {
  std::optional<trace::Trace> trace;  ///< None where it is too much, or nobody knows where it is.
  bool has_messages = false;
  size_t rows_for_one = 1;  ///< Of so many, events of one were read: those of `locations`.
  std::vector<uint32_t> locations;
};

/// As few rows for one as can be read, where bins tell no more of any row than that one does of its
/// neighbours. 0 in a picture of so few rows that each has a line of pixels, or where all is too
/// much.
template <class IsLittle>
size_t rows_for_one(const View& view, const TimelineLook& look, summary::PartOfRun part,
                    IsLittle is_little) {
  constexpr double kLinesOfRows = 0.7;  // The others are texts.
  const size_t row_count = view.rows.rows.size();
  const auto least = static_cast<size_t>(kLinesOfRows * look.lines);
  if (least == 0) return 0;
  for (size_t each = 2; row_count / each >= least; each += each / 4 + 1) {
    part.locations = some_rows(view, each);
    if (is_little(part)) return each;
  }
  return 0;
}

/// The events of the rows, with messages if they are not too many from mark to mark; or those of
/// some rows, without messages.
///
/// has_bins  there are bins that show as much of the calls: only what takes a moment is read.
base::Result<ReadPart> read_rows(const fs::path& source, const summary::ColumnReader& file,
                                 const trace::Trace& run, const View& view,
                                 const trace::Selection& selection, const TimelineLook& look,
                                 bool has_bins, base::ThreadPool& pool) {
  const auto index = summary::read_archive_index(file, run);
  if (!index) return index.error();
  if (index.value().empty()) return ReadPart();
  summary::PartOfRun part{view.range.from, view.range.until, chosen_locations(run, selection)};
  const auto is_little = [&](const summary::PartOfRun& some) {
    return summary::events_to_read(index.value(), some) <= (has_bins ? kFewEvents : kMostEvents) &&
           summary::events_to_keep(index.value(), run, some) <= look.most_events;
  };
  ReadPart result;
  if (!is_little(part)) {
    result.rows_for_one = has_bins ? 0 : rows_for_one(view, look, part, is_little);
    if (result.rows_for_one == 0) return ReadPart();
    result.locations = part.locations = some_rows(view, result.rows_for_one);
  }
  const bool wants_messages = look.wants_messages && result.rows_for_one == 1;
  base::Result<summary::Marks> marks = summary::Marks();
  if (wants_messages) marks = summary::read_marks(file, run);
  if (!marks) return marks.error();
  auto archive = open_archive_of(source, index.value(), part.locations, pool);
  if (!archive) return archive.error();
  const summary::PartOfRun wide = summary::between_marks(marks.value(), part);
  result.has_messages = wants_messages && is_little(wide);
  auto trace = result.has_messages
                   ? summary::read_back_messages(std::move(archive).value(), index.value(),
                                                 marks.value(), run, wide, pool)
                   : summary::read_back(std::move(archive).value(), index.value(), run, part, pool);
  if (!trace) return trace.error();
  result.trace = std::move(trace).value();
  return result;
}

/// What the picture has to say of its bins.
void remark_on(const summary::StateLevel& level, const View& view, const trace::Trace& run,
               SummaryCalls& calls) {
  constexpr double kBlurred = 0.05;
  const std::string width = base::human_seconds(run.span_seconds(level.bin_ticks()));
  if (view.bins_per_px(level) < 1) calls.remark(fmt::format("bins of {}", width));
  const auto blurred = static_cast<uint64_t>(
      std::count_if(view.rows.rows.begin(), view.rows.rows.end(),
                    [&](const figure::Row& row) { return error_of(level, view, row) > kBlurred; }));
  if (blurred == 0) return;
  calls.remark(fmt::format("{} too fast for bins of {}",
                           base::counted(blurred, "row is", "rows are"), width));
}

}  // namespace

base::Error needs_archive(const fs::path& file, const summary::RunSummary& summary,
                          std::string_view why) {
  const fs::path source = input::events_of(summary, file);
  return {base::ErrorCode::kUnsupported, fmt::format("{} is a summary{}", file.string(), why),
          fmt::format("'pathline figure timeline {}' has them.", source.string())};
}

base::Result<TimelineSource> timeline_source(const fs::path& file,
                                             const summary::RunSummary& summary,
                                             const trace::Trace& run,
                                             const trace::Selection& selection, TimelineLook look,
                                             base::ThreadPool& pool) {
  look.wants_messages = look.wants_messages && summary.facts.messages > 0;
  const auto columns = summary::ColumnReader::open(file);
  if (!columns) return columns.error();
  auto read = summary::read_state_index(columns.value(), run);
  if (!read) return read.error();
  summary::States& states = read.value();
  if (states.levels.empty()) return needs_archive(file, summary, " without calls over time");
  auto calls = std::make_shared<SummaryCalls>(
      states.ends, region_ticks(summary.profile, run.definitions.regions.size()));
  const View view = view_of(run, selection, look, *calls);
  auto level = sharp_level(states, view);
  auto part = read_rows(input::events_of(summary, file), columns.value(), run, view, selection,
                        look, level.has_value(), pool);
  if (part && part.value().trace) {
    ReadPart& shown = part.value();
    if (!shown.has_messages) say_of_messages(summary, true, *calls);
    if (shown.rows_for_one > 1) {
      calls->leave_out_all_but(shown.locations);
      calls->remark(fmt::format("one of {} rows", shown.rows_for_one));
    }
    return TimelineSource{std::move(shown.trace), std::move(calls), 0, shown.rows_for_one};
  }
  if (!level) {
    level = narrow_level(states, view);
    // Without the archive, bins are better than nothing where they show the whole run.
    const bool is_zoomed = selection.from_ticks != 0 || selection.until_ticks != UINT64_MAX;
    if (!part && is_zoomed && view.bins_per_px(states.levels[*level]) < 1) {
      base::Error error = part.error();
      error.message = fmt::format("{} has no events of its own for so short a time: {}",
                                  file.string(), error.message);
      if (error.code == base::ErrorCode::kNotFound) error.advice = kWhereEventsAre;
      if (error.advice.empty()) error.advice = "Its tables and the picture of the whole run work.";
      return error;
    }
  }
  if (!part) calls->remark("the archive cannot be read");
  summary::StateLevel& bins = states.levels[*level];
  if (auto status = summary::read_codes(columns.value(), run, *level, bins); !status) {
    return status.error();
  }
  remark_on(bins, view, run, *calls);
  say_of_messages(summary, part.ok(), *calls);
  const uint64_t bin_ticks = bins.bin_ticks();
  calls->use(std::move(bins));
  return TimelineSource{std::nullopt, std::move(calls), bin_ticks};
}

}  // namespace pathline::app
