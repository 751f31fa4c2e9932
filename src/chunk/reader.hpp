// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "base/result.hpp"
#include "chunk/format.hpp"
#include "chunk/record_kind.hpp"

namespace pathline::chunk {

/// One record. Its text and list are valid until the next one is read.
struct Record {
  RecordKind kind;
  uint64_t ticks;                 ///< 0 for a definition.
  uint64_t numbers[kMaxNumbers];  ///< Signed ones as two's complement.
  std::string_view text;
  std::span<const uint64_t> list;
};

/// Part of a stream. `payload` lies in the file's mapping.
struct Chunk {
  uint32_t sequence;
  uint64_t begin_ticks;
  uint64_t begin_ns;
  uint64_t offset;  ///< Of the first record in the file.
  std::span<const uint8_t> payload;
};

struct StreamChunks {
  uint32_t stream;
  std::vector<Chunk> chunks;  ///< In the order of writing. Gaps in `sequence` are the ring's.
};

/// The raw file of one process, whole or left behind by one that was killed.
class RawFile {
 public:
  /// errors  those of MappedFile; kCorrupt if it is no raw file or its header contradicts itself;
  ///         kUnsupported for a version that this Pathline does not know. A fault in the chunks is
  ///         no error, see problems().
  static base::Result<RawFile> open(const std::filesystem::path& path);

  uint32_t rank = 0;
  uint32_t rank_count = 0;
  uint32_t world = 0;
  uint32_t process_id = 0;
  ClockSource clock = ClockSource::kUnknown;
  uint64_t ticks_per_second = 0;
  bool finished = false;
  Loss loss = Loss::kNone;
  int loss_errno = 0;
  uint64_t lost_events = 0;
  uint64_t lost_since_ticks = 0;
  uint64_t overwritten_bytes = 0;
  std::string host;
  std::string program;
  std::vector<StreamChunks> streams;  ///< By number, the definitions (kDefinitionStream) last.

  /// What is wrong with the chunks, each with file and offset; what could be read is in `streams`.
  [[nodiscard]] const std::vector<std::string>& problems() const { return problems_; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  RawFile(std::filesystem::path path, base::MappedFile file)
      : path_(std::move(path)), file_(std::move(file)) {}
  base::Status read_header();
  void find_chunks();

  std::filesystem::path path_;
  base::MappedFile file_;
  uint32_t chunk_bytes_ = 0;
  std::vector<std::string> problems_;
};

/// Reads the records of one chunk, trusting nothing.
class RecordReader {
 public:
  explicit RecordReader(const Chunk& chunk) : chunk_(chunk), ticks_(chunk.begin_ticks) {}

  /// returns  false at the end or at a fault.
  bool next(Record& record);
  /// Why reading ended early, "" if it did not; `offset` is that of the record in the file.
  [[nodiscard]] const char* fault() const { return fault_; }
  [[nodiscard]] uint64_t offset() const { return chunk_.offset + at_; }

 private:
  const Chunk& chunk_;
  uint64_t ticks_;
  size_t at_ = 0;
  const char* fault_ = "";
  std::vector<uint64_t> list_;
};

}  // namespace pathline::chunk
