// SPDX-License-Identifier: BSD-3-Clause
#include "bench/synth/enlarge.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "base/file.hpp"
#include "bench/synth/simulation.hpp"
#include "otf2/bytes.hpp"

namespace pathline::synth {
namespace {

namespace fs = std::filesystem;

constexpr uint8_t kEndOfChunk = 0;
constexpr uint8_t kEndOfBuffer = 1;
constexpr uint8_t kEndOfFile = 2;
constexpr uint8_t kTimestamp = 5;
constexpr size_t kTimestampBytes = 9;

base::Error failed(const fs::path& file, std::string_view fact) {
  return {base::ErrorCode::kIo, fmt::format("cannot enlarge {}: {}", file.string(), fact)};
}

/// The records of a chunked file in its order, each with the time it has.
class Records {
 public:
  Records(std::span<const uint8_t> file, uint64_t chunk_bytes)
      : file_(file), chunk_bytes_(chunk_bytes), in_(file) {
    in_.skip(otf2::kChunkHeaderBytes);
  }

  /// Goes to the next event; false at the end of the file or where it is damaged.
  bool next() {
    while (!in_.failed()) {
      const size_t start = in_.position();
      switch (const uint8_t type = in_.u8()) {
        case kEndOfFile: whole_ = true; return false;
        case kEndOfChunk: {
          const size_t chunk = (start / chunk_bytes_ + 1) * chunk_bytes_;
          if (chunk >= file_.size()) return false;
          in_ = otf2::ByteCursor(file_, chunk);
          in_.skip(otf2::kChunkHeaderBytes);
          break;
        }
        case kTimestamp: ticks_ = in_.u64(); break;
        default:
          if (type < kTimestamp) return false;
          in_.skip(in_.u8());  // All that otf2::write() writes for programs here are short.
          record_ = file_.subspan(start, in_.position() - start);
          return !in_.failed();
      }
    }
    return false;
  }
  [[nodiscard]] std::span<const uint8_t> record() const { return record_; }
  [[nodiscard]] uint64_t ticks() const { return ticks_; }
  [[nodiscard]] bool whole() const { return whole_; }

 private:
  std::span<const uint8_t> file_;
  uint64_t chunk_bytes_;
  otf2::ByteCursor in_;
  std::span<const uint8_t> record_;
  uint64_t ticks_ = 0;
  bool whole_ = false;
};

/// Puts events into chunks and these into a file.
class ChunkWriter {
 public:
  ChunkWriter(const fs::path& file, uint64_t chunk_bytes)
      : out_(file, std::ios::binary | std::ios::trunc), chunk_bytes_(chunk_bytes) {
    begin();
  }

  void add(uint64_t ticks, std::span<const uint8_t> record) {
    constexpr size_t kMarks = 2;
    if (chunk_.size() + kTimestampBytes + record.size() + kMarks > chunk_bytes_) {
      chunk_.push_back(kEndOfChunk);
      chunk_.resize(chunk_bytes_, 0);
      end();
      begin();
    }
    if (chunk_.size() == otf2::kChunkHeaderBytes || ticks != ticks_) {
      chunk_.push_back(kTimestamp);
      append(ticks);
      ticks_ = ticks;
    }
    chunk_.insert(chunk_.end(), record.begin(), record.end());
    ++events_;
  }
  bool finish() {
    chunk_.push_back(kEndOfFile);
    chunk_.push_back(kEndOfBuffer);
    end();
    out_.close();
    return !out_.fail();
  }

 private:
  void append(uint64_t number) {
    const auto* const bytes = reinterpret_cast<const uint8_t*>(&number);
    chunk_.insert(chunk_.end(), bytes, bytes + sizeof number);
  }
  void begin() {
    chunk_ = {otf2::kBlockHeader, otf2::kLittleEndian};
    append(events_ + 1);
    append(0);
  }
  void end() {
    constexpr size_t kLastAt = 10;
    std::memcpy(chunk_.data() + kLastAt, &events_, sizeof events_);
    out_.write(reinterpret_cast<const char*>(chunk_.data()),
               static_cast<std::streamsize>(chunk_.size()));
  }

  std::ofstream out_;
  uint64_t chunk_bytes_;
  std::vector<uint8_t> chunk_;
  uint64_t ticks_ = 0;
  uint64_t events_ = 0;
};

void append_compressed(std::string& to, uint64_t number) {
  std::string bytes;
  for (; number > 0; number >>= 8U) bytes += static_cast<char>(number & 0xffU);
  to += static_cast<char>(bytes.size());
  to += bytes;
}

/// A MappingTable: communicator kWorld is another one.
std::string mapping_of(uint32_t communicator) {
  constexpr char kMappingTable = 5;
  constexpr char kComm = 6;  // OTF2_MAPPING_COMM
  constexpr char kSparse = 1;
  std::string payload = {kComm};
  append_compressed(payload, 1);
  payload += kSparse;
  append_compressed(payload, kWorld);
  append_compressed(payload, communicator);
  return std::string{kMappingTable, static_cast<char>(payload.size())} + payload;
}

}  // namespace

base::Status repeat_events(const fs::path& file, uint64_t chunk_bytes, uint32_t repeat,
                           uint64_t shift_ns) {
  const fs::path longer = base::part_path(file);
  {
    const auto mapped = base::MappedFile::open(file);
    if (!mapped) return mapped.error();
    ChunkWriter out(longer, chunk_bytes);
    for (uint32_t i = 0; i < repeat; ++i) {
      Records records(mapped.value().bytes(), chunk_bytes);
      while (records.next()) out.add(records.ticks() + i * shift_ns, records.record());
      if (!records.whole()) return failed(file, "it has no end mark");
    }
    if (!out.finish()) return failed(longer, base::system_reason(errno));
  }
  std::error_code code;
  fs::rename(longer, file, code);
  if (code) return failed(file, code.message());
  return {};
}

base::Status link_copies(const fs::path& folder, uint32_t rank_count, uint32_t copies) {
  const auto file = [&](uint32_t location, std::string_view suffix) {
    return folder / "traces" / fmt::format("{}.{}", location, suffix);
  };
  std::string local;
  {
    const auto mapped = base::MappedFile::open(file(0, "def"));
    if (!mapped) return mapped.error();
    local = mapped.value().text();
  }
  const auto link = [](const fs::path& from, const fs::path& to) -> base::Status {
    std::error_code code;
    fs::remove(to, code);
    fs::create_hard_link(from, to, code);
    if (code)
      return failed(to, fmt::format("no hard link to {}: {}", from.string(), code.message()));
    return {};
  };
  for (uint32_t copy = 0; copy < copies; ++copy) {
    std::string mapped = local;
    mapped.insert(otf2::kChunkHeaderBytes, mapping_of(kFirstCopy + copy));
    const uint32_t first = copy * rank_count;
    if (auto status = base::write_file(file(first, "def"), mapped); !status) return status;
    for (uint32_t rank = 0; rank < rank_count; ++rank) {
      if (rank > 0) {
        auto status = link(file(first, "def"), file(first + rank, "def"));
        if (!status) return status;
      }
      if (copy > 0) {
        auto status = link(file(rank, "evt"), file(first + rank, "evt"));
        if (!status) return status;
      }
    }
  }
  return {};
}

}  // namespace pathline::synth
