// SPDX-License-Identifier: BSD-3-Clause
#include "fuzz/summary.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

#include "app/judge_summary.hpp"
#include "app/judged_run.hpp"
#include "app/message_summary.hpp"
#include "app/part_of_run.hpp"
#include "app/reduce.hpp"
#include "app/report.hpp"
#include "app/run_tables.hpp"
#include "app/score.hpp"
#include "app/summary_picture.hpp"
#include "input/input.hpp"
#include "summary/column_file.hpp"

namespace pathline::fuzz {
namespace {

namespace fs = std::filesystem;

using summary::ColumnReader;
using summary::ColumnWriter;

constexpr const char* kJudged = "judged";

/// Of a column, in front of its name and its numbers.
struct Head {
  uint8_t name_bytes;
  uint8_t width;
  uint32_t bytes;
};
constexpr size_t kHeadBytes = 6;

template <class T>
std::vector<T> numbers_of(const ColumnReader& file, const std::string& name) {
  auto numbers = file.column<T>(name);
  if (!numbers) throw std::runtime_error(numbers.error().message);
  return std::move(numbers).value();
}

template <class T>
void unpack(const ColumnReader& file, const std::string& name, std::vector<uint8_t>& content) {
  const std::vector<T> numbers = numbers_of<T>(file, name);
  const auto bytes = static_cast<uint32_t>(numbers.size() * sizeof(T));
  content.push_back(static_cast<uint8_t>(name.size()));
  content.push_back(sizeof(T));
  const auto* const length = reinterpret_cast<const uint8_t*>(&bytes);
  content.insert(content.end(), length, length + sizeof bytes);
  content.insert(content.end(), name.begin(), name.end());
  const auto* const first = reinterpret_cast<const uint8_t*>(numbers.data());
  content.insert(content.end(), first, first + bytes);
}

template <class T>
void pack(std::string_view name, std::span<const uint8_t> bytes, ColumnWriter& out) {
  std::vector<T> numbers(bytes.size() / sizeof(T));
  if (!numbers.empty()) std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(T));
  out.add(name, numbers);
}

/// As many columns as there are whole ones.
void add_columns(std::span<const uint8_t> content, ColumnWriter& out) {
  while (content.size() >= kHeadBytes) {
    Head head{content[0], content[1], 0};
    std::memcpy(&head.bytes, content.data() + 2, sizeof head.bytes);
    content = content.subspan(kHeadBytes);
    if (content.size() < size_t{head.name_bytes} + head.bytes) break;
    const std::string_view name(reinterpret_cast<const char*>(content.data()), head.name_bytes);
    const auto bytes = content.subspan(head.name_bytes, head.bytes);
    switch (head.width) {
      case 1: pack<uint8_t>(name, bytes, out); break;
      case 2: pack<uint16_t>(name, bytes, out); break;
      case 4: pack<uint32_t>(name, bytes, out); break;
      default: pack<uint64_t>(name, bytes, out); break;
    }
    content = content.subspan(size_t{head.name_bytes} + head.bytes);
  }
}

std::vector<uint8_t> content_of(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::string broken_by(const base::Error& error, const fs::path& file) {
  if (error.message.find(file.filename().string()) == std::string::npos) {
    return "this error names no file: " + error.message;
  }
  constexpr size_t kLongest = 2000;
  if (error.message.size() > kLongest) return "an error is too long";
  bool places = false;
  for (const char* place : {"offset ", "table ", "column ", "bytes instead of"}) {
    places = places || error.message.find(place) != std::string::npos;
  }
  const bool corrupt = error.code == base::ErrorCode::kCorrupt;
  return corrupt && !places ? "this error names no place: " + error.message : "";
}

void make_tables(const app::SummaryFile& file, const trace::Selection& selection) {
  for (const char* by : {"region", "callpath", "rank", "host"}) {
    std::ignore = app::profile_table(file, selection, by);
  }
  std::ignore = app::matrix_table(file, selection, "rank");
  std::ignore = app::matrix_table(file, selection, "host");
  std::ignore = app::waits_table(file, selection, "rank");
  std::ignore = app::steps_table(file, selection);
  std::ignore = app::locations_table(file);
  std::ignore = app::regions_table(file);
  std::ignore = app::score(*file.tables, file.tables->run);
  if (file.tables->sizes) std::ignore = app::message_summary(*file.tables, file.tables->run);
}

void draw(const app::SummaryFile& file, const trace::Selection& selection, base::ThreadPool& pool) {
  figure::Options options;
  options.width_px = 400;
  options.height_px = 300;
  using app::FigureKind;
  for (const FigureKind kind : {FigureKind::kTimeline, FigureKind::kMatrix, FigureKind::kChord,
                                FigureKind::kFlow, FigureKind::kProfile, FigureKind::kSteps}) {
    std::ignore = app::make_summary_scene(kind, file.path, *file.tables, file.tables->run,
                                          selection, options, pool, nullptr);
  }
}

/// Some of a run, in its middle; nullopt for what has no time that can be chosen.
std::optional<trace::Selection> middle_of(const trace::Trace& run) {
  const double span = run.seconds(run.end_ticks);
  constexpr double kFrom = 0.45;
  constexpr double kUntil = 0.5;
  const auto chosen =
      trace::select(run, {.from_s = kFrom * span, .until_s = kUntil * span, .ranks = {}});
  if (!chosen) return std::nullopt;
  return chosen.value();
}

/// What reads events of the archive, where the summary says that they are.
void read_events(const app::SummaryFile& file, base::ThreadPool& pool) {
  const auto middle = middle_of(file.tables->run);
  if (!middle) return;
  std::vector<std::string> notes;
  for (const auto needs : {app::PartNeeds::kCalls, app::PartNeeds::kMessages,
                           app::PartNeeds::kWaits, app::PartNeeds::kFindings}) {
    std::ignore = app::read_part(file.path, *file.tables, *middle, needs, pool, notes);
  }
  std::ignore = app::read_recorded(file.path, *file.tables, *middle,
                                   app::chosen_locations(file.tables->run, {}), pool);
  draw(file, *middle, pool);
}

}  // namespace

SummaryProbe::SummaryProbe(const fs::path& folder, std::string_view kind)
    : file_(folder / "run.plsum"), is_file_(kind == "file"), is_judged_(kind == "judged") {
  base::ThreadPool pool(1);
  base::Progress progress;
  std::vector<std::string> notes;
  exchange::Exchange alone;
  app::ReduceOptions options;
  if (is_judged_) options.findings = app::FindingsRequest();
  const fs::path archive = folder / "traces.otf2";
  auto reduced = app::reduce_run(archive, options, pool, progress, notes, alone);
  if (!reduced) throw std::runtime_error(reduced.error().message);
  const auto written = app::write_summary(reduced.value(), archive, file_);
  if (!written) throw std::runtime_error(written.error().message);
  if (is_file_) {
    example_ = content_of(file_);
    return;
  }
  const auto reader = ColumnReader::open(file_);
  if (!reader) throw std::runtime_error(reader.error().message);
  for (const auto& [name, width] : reader.value().columns()) {
    if (is_judged_ && name == kJudged) {
      example_ = numbers_of<uint8_t>(reader.value(), name);
      continue;
    }
    std::vector<uint8_t>& content = is_judged_ ? rest_ : example_;
    switch (width) {
      case 1: unpack<uint8_t>(reader.value(), name, content); break;
      case 2: unpack<uint16_t>(reader.value(), name, content); break;
      case 4: unpack<uint32_t>(reader.value(), name, content); break;
      default: unpack<uint64_t>(reader.value(), name, content); break;
    }
  }
}

void SummaryProbe::write(std::span<const uint8_t> content) const {
  fs::remove(file_);  // To write it anew costs less than to replace it.
  if (is_file_) {
    std::ofstream(file_, std::ios::binary)
        .write(reinterpret_cast<const char*>(content.data()),
               static_cast<std::streamsize>(content.size()));
    return;
  }
  ColumnWriter out(file_);
  if (is_judged_) {
    add_columns(rest_, out);
    out.add(kJudged, content);
  } else {
    add_columns(content, out);
  }
  std::ignore = out.finish();
}

std::string SummaryProbe::probe(std::span<const uint8_t> content) {
  static base::ThreadPool pool(1);
  base::Progress progress;
  write(content);
  const auto opened = input::open(file_, {.tables = {.sizes = true}}, pool, progress);
  if (!opened) return broken_by(opened.error(), file_);
  const auto* const tables = std::get_if<summary::RunSummary>(&opened.value());
  if (tables == nullptr) return "";  // Without its first bytes it is something else.
  // Not owned: all that is made of it is gone before.
  const app::SummaryFile file{
      file_, std::shared_ptr<const summary::RunSummary>(std::shared_ptr<void>(), tables)};
  make_tables(file, {});
  if (runs_ % 4 == 0) draw(file, {}, pool);
  if (runs_ % 8 == 0) read_events(file, pool);
  if (runs_ % 32 == 0) {
    std::vector<std::string> notes;
    const auto judged = app::judge_summary(file_, *tables, pool, progress, notes);
    const auto findings = judged ? std::optional(judged.value().findings) : std::nullopt;
    std::ignore = app::report_html({.trace = tables->run,
                                    .tables = tables,
                                    .file = file_,
                                    .judged = judged ? &judged.value().events : nullptr},
                                   {}, "fuzz", std::nullopt, findings, pool);
  }
  std::ignore = app::judged_run(file_, tables->judged, tables->run);
  ++runs_;
  return "";
}

}  // namespace pathline::fuzz
