// SPDX-License-Identifier: BSD-3-Clause
#include "input/input.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/file.hpp"
#include "chunk/format.hpp"
#include "cube/reader.hpp"
#include "input/message_csv.hpp"
#include "otf2/anchor.hpp"
#include "otf2/reader.hpp"
#include "raw/run.hpp"
#include "summary/file.hpp"
#include "trace/finish.hpp"
#include "trace/warnings.hpp"

namespace pathline::input {
namespace {

namespace fs = std::filesystem;

base::Result<Input> read_raw_trace(const std::vector<fs::path>& files, base::ThreadPool& pool,
                                   base::Progress& progress) {
  auto run = raw::read_run(files, pool, progress);
  if (!run) return run.error();
  return Input(std::move(run.value().trace));
}

class Otf2Reader final : public Reader {
 public:
  [[nodiscard]] bool accepts(const fs::path& file, std::span<const uint8_t> head) const override {
    // By its name too: a damaged anchor file deserves a better word than "unknown kind".
    return otf2::looks_like_anchor(head) || file.extension() == ".otf2";
  }
  [[nodiscard]] base::Result<Input> read(const fs::path& file, const OpenOptions& options,
                                         base::ThreadPool& pool,
                                         base::Progress& progress) const override {
    auto trace = otf2::read(file, {.partial = options.partial, .messages = options.messages}, pool,
                            progress);
    if (!trace) return trace.error();
    trace::recall_warnings(trace.value());
    return Input(std::move(trace).value());
  }
};

class RawFileReader final : public Reader {
 public:
  [[nodiscard]] bool accepts(const fs::path& file, std::span<const uint8_t> head) const override {
    const std::string_view magic(chunk::kMagic, sizeof chunk::kMagic);
    const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
    return text.starts_with(magic) || file.extension() == ".raw";
  }
  [[nodiscard]] base::Result<Input> read(const fs::path& file, const OpenOptions& /*options*/,
                                         base::ThreadPool& pool,
                                         base::Progress& progress) const override {
    return read_raw_trace({file}, pool, progress);
  }
};

class MessageCsvReader final : public Reader {
 public:
  [[nodiscard]] bool accepts(const fs::path& file, std::span<const uint8_t> head) const override {
    const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
    return text.starts_with(kMessageHeader) || file.extension() == ".csv";
  }
  [[nodiscard]] base::Result<Input> read(const fs::path& file, const OpenOptions& options,
                                         base::ThreadPool& pool,
                                         base::Progress& progress) const override {
    const auto mapped = base::MappedFile::open(file);
    if (!mapped) return mapped.error();
    auto trace = parse_message_csv(mapped.value().text(), options.partial);
    if (!trace) {
      base::Error error = trace.error();
      error.message = fmt::format("cannot read {}: {}", file.string(), error.message);
      return error;
    }
    trace::finish(trace.value(), pool, progress);
    return Input(std::move(trace).value());
  }
};

class CubeReader final : public Reader {
 public:
  [[nodiscard]] bool accepts(const fs::path& file,
                             std::span<const uint8_t> /*head*/) const override {
    return file.extension() == ".cubex";
  }
  [[nodiscard]] base::Result<Input> read(const fs::path& file, const OpenOptions& options,
                                         base::ThreadPool& /*pool*/,
                                         base::Progress& /*progress*/) const override {
    auto profile = cube::read(file, {.metrics = options.metrics});
    if (!profile) return profile.error();
    return Input(std::move(profile).value());
  }
};

class SummaryReader final : public Reader {
 public:
  [[nodiscard]] bool accepts(const fs::path& file, std::span<const uint8_t> head) const override {
    return summary::looks_like_summary(head) || file.extension() == ".plsum";
  }
  [[nodiscard]] base::Result<Input> read(const fs::path& file, const OpenOptions& options,
                                         base::ThreadPool& /*pool*/,
                                         base::Progress& /*progress*/) const override {
    auto summary = summary::read(file, options.tables);
    if (!summary) return summary.error();
    return Input(std::move(summary).value());
  }
};

/// The first that accepts a file reads it. Profiles are told by their names alone, so that they are
/// first: many are opened at a time, by threads of the pool that other readers need.
const auto& readers() {
  static const std::array<std::unique_ptr<Reader>, 5> list = {
      std::make_unique<CubeReader>(), std::make_unique<SummaryReader>(),
      std::make_unique<Otf2Reader>(), std::make_unique<RawFileReader>(),
      std::make_unique<MessageCsvReader>()};
  return list;
}

base::Result<std::vector<fs::path>> files_in(const fs::path& folder, const char* suffix) {
  std::vector<fs::path> files;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(folder, code)) {
    if (entry.path().extension() == suffix) files.push_back(entry.path());
  }
  if (code) {
    return base::Error{base::ErrorCode::kIo,
                       fmt::format("cannot list {}: {}", folder.string(), code.message())};
  }
  std::sort(files.begin(), files.end());
  return files;
}

/// The one file of a folder that can be read; nothing for a run that is not finished yet.
base::Result<std::optional<fs::path>> file_in(const fs::path& folder) {
  auto anchors = files_in(folder, ".otf2");
  if (!anchors) return anchors.error();
  const size_t count = anchors.value().size();
  if (count > 1) {
    return base::Error{
        base::ErrorCode::kInvalidArgument,
        fmt::format("cannot open {}: the folder holds {} OTF2 anchor files", folder.string(),
                    count),
        fmt::format("Name one of them, for instance {}.", anchors.value()[0].string())};
  }
  if (count == 1) return std::optional(anchors.value()[0]);
  if (!raw::find_files(folder / "raw").empty()) return std::optional<fs::path>();
  const auto profiles = files_in(folder, ".cubex");
  if (profiles && profiles.value().size() == 1) return std::optional(profiles.value()[0]);
  return base::Error{base::ErrorCode::kNotFound,
                     fmt::format("cannot open {}: the folder holds no OTF2 anchor file (*.otf2)",
                                 folder.string())};
}

}  // namespace

fs::path events_of(const summary::RunSummary& summary, const fs::path& path) {
  return (path.parent_path() / summary.source).lexically_normal();
}

base::Result<trace::Trace> need_trace(base::Result<Input> input, const fs::path& path) {
  if (!input) return input.error();
  if (auto* trace = std::get_if<trace::Trace>(&input.value())) return std::move(*trace);
  if (const auto* summary = std::get_if<summary::RunSummary>(&input.value())) {
    return base::Error{base::ErrorCode::kUnsupported,
                       fmt::format("{} is a summary: it has tables of the whole run, but no events",
                                   path.string()),
                       fmt::format("Its events are in {}.", events_of(*summary, path).string())};
  }
  return base::Error{base::ErrorCode::kUnsupported,
                     fmt::format("{} is a profile: it has times, but no events", path.string()),
                     "'pathline profile' shows it, 'pathline model' compares several."};
}

base::Result<std::optional<fs::path>> archive_of(const fs::path& path) {
  std::error_code ignored;
  fs::path file = path;
  if (fs::is_directory(path, ignored)) {
    auto found = file_in(path);
    if (!found) return found.error();
    if (!found.value()) return std::optional<fs::path>();
    file = *found.value();
  }
  const auto mapped = base::MappedFile::open(file);
  if (!mapped) return mapped.error();
  const auto head =
      mapped.value().bytes().first(std::min<size_t>(64, mapped.value().bytes().size()));
  if (!otf2::looks_like_anchor(head)) return std::optional<fs::path>();
  return std::optional(file);
}

base::Result<Input> open(const fs::path& path, const OpenOptions& options, base::ThreadPool& pool,
                         base::Progress& progress) {
  fs::path file = path;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    auto found = file_in(path);
    if (!found) return found.error();
    if (!found.value()) return read_raw_trace(raw::find_files(path / "raw"), pool, progress);
    file = *found.value();
  }
  std::array<uint8_t, 64> head{};
  std::span<const uint8_t> known;
  {
    const auto mapped = base::MappedFile::open(file);
    if (!mapped) return mapped.error();
    const auto bytes = mapped.value().bytes();
    const size_t count = std::min(head.size(), bytes.size());
    std::copy_n(bytes.begin(), count, head.begin());
    known = std::span<const uint8_t>(head).first(count);
  }
  for (const auto& reader : readers()) {
    if (reader->accepts(file, known)) return reader->read(file, options, pool, progress);
  }
  return base::Error{base::ErrorCode::kUnsupported,
                     fmt::format("cannot open {}: this is neither an OTF2 anchor file nor a CSV "
                                 "file of messages",
                                 file.string()),
                     fmt::format("A CSV file begins with the line {}", kMessageHeader)};
}

}  // namespace pathline::input
