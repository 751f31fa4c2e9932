// SPDX-License-Identifier: BSD-3-Clause
#include "input/input.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "base/file.hpp"
#include "chunk/format.hpp"
#include "input/message_csv.hpp"
#include "input/raw_run.hpp"
#include "otf2/anchor.hpp"
#include "otf2/reader.hpp"
#include "trace/finish.hpp"

namespace pathline::input {
namespace {

namespace fs = std::filesystem;

/// The other side of keep_warnings.
void recall_warnings(trace::Trace& trace) {
  std::vector<std::string> warnings;
  for (const auto& [name, value] : trace.properties) {
    if (!name.starts_with(kWarningProperty)) continue;
    warnings.push_back(value);
    if (value.starts_with("incomplete")) trace.complete = false;
  }
  trace.warnings.insert(trace.warnings.begin(), warnings.begin(), warnings.end());
}

base::Result<trace::Trace> read_raw_trace(const std::vector<fs::path>& files,
                                          base::ThreadPool& pool, base::Progress& progress) {
  auto run = read_raw_run(files, pool, progress);
  if (!run) return run.error();
  return std::move(run.value().trace);
}

class Otf2Reader final : public Reader {
 public:
  [[nodiscard]] bool accepts(const fs::path& file, std::span<const uint8_t> head) const override {
    // By its name too: a damaged anchor file deserves a better word than "unknown kind".
    return otf2::looks_like_anchor(head) || file.extension() == ".otf2";
  }
  [[nodiscard]] base::Result<trace::Trace> read(const fs::path& file, const OpenOptions& options,
                                                base::ThreadPool& pool,
                                                base::Progress& progress) const override {
    auto trace = otf2::read(file, {.partial = options.partial}, pool, progress);
    if (trace) recall_warnings(trace.value());
    return trace;
  }
};

class RawFileReader final : public Reader {
 public:
  [[nodiscard]] bool accepts(const fs::path& file, std::span<const uint8_t> head) const override {
    const std::string_view magic(chunk::kMagic, sizeof chunk::kMagic);
    const std::string_view text(reinterpret_cast<const char*>(head.data()), head.size());
    return text.starts_with(magic) || file.extension() == ".raw";
  }
  [[nodiscard]] base::Result<trace::Trace> read(const fs::path& file,
                                                const OpenOptions& /*options*/,
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
  [[nodiscard]] base::Result<trace::Trace> read(const fs::path& file, const OpenOptions& options,
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
    return trace;
  }
};

const auto& readers() {
  static const std::array<std::unique_ptr<Reader>, 3> list = {std::make_unique<Otf2Reader>(),
                                                              std::make_unique<RawFileReader>(),
                                                              std::make_unique<MessageCsvReader>()};
  return list;
}

/// The one anchor file in a folder.
base::Result<fs::path> anchor_in(const fs::path& folder) {
  std::vector<fs::path> anchors;
  std::error_code code;
  for (const auto& entry : fs::directory_iterator(folder, code)) {
    if (entry.path().extension() == ".otf2") anchors.push_back(entry.path());
  }
  if (code) {
    return base::Error{base::ErrorCode::kIo,
                       fmt::format("cannot list {}: {}", folder.string(), code.message())};
  }
  if (anchors.size() == 1) return anchors[0];
  if (anchors.empty()) {
    return base::Error{base::ErrorCode::kNotFound,
                       fmt::format("cannot open {}: the folder holds no OTF2 anchor file (*.otf2)",
                                   folder.string())};
  }
  std::sort(anchors.begin(), anchors.end());
  return base::Error{base::ErrorCode::kInvalidArgument,
                     fmt::format("cannot open {}: the folder holds {} OTF2 anchor files",
                                 folder.string(), anchors.size()),
                     fmt::format("Name one of them, for instance {}.", anchors[0].string())};
}

}  // namespace

void keep_warnings(trace::Trace& trace, std::span<const std::string> warnings) {
  for (size_t i = 0; i < warnings.size(); ++i) {
    trace.properties.emplace_back(fmt::format("{}{:04}", kWarningProperty, i), warnings[i]);
  }
}

base::Result<trace::Trace> open(const fs::path& path, const OpenOptions& options,
                                base::ThreadPool& pool, base::Progress& progress) {
  fs::path file = path;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    auto anchor = anchor_in(path);
    if (!anchor && anchor.error().code == base::ErrorCode::kNotFound) {
      // A run that is not finished yet.
      const auto files = raw_files(path / "raw");
      if (!files.empty()) return read_raw_trace(files, pool, progress);
    }
    if (!anchor) return anchor.error();
    file = anchor.value();
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
