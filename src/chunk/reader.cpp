// SPDX-License-Identifier: BSD-3-Clause
#include "chunk/reader.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>

#include <fmt/format.h>

#include "base/varint.hpp"

namespace pathline::chunk {
namespace {

/// A field of a mapped structure, which is only looked at byte by byte: the file is not trusted to
/// be aligned or at rest.
template <class T>
T load(std::span<const uint8_t> bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::string text_of(std::span<const uint8_t> bytes) {
  const auto end = std::find(bytes.begin(), bytes.end(), uint8_t{0});
  return {bytes.begin(), end};
}

#define PATHLINE_LOAD(type, structure, field) load<type>(bytes, offsetof(structure, field))

}  // namespace

base::Result<RawFile> RawFile::open(const std::filesystem::path& path) {
  auto file = base::MappedFile::open(path);
  if (!file) return file.error();
  RawFile raw(path, std::move(file).value());
  if (auto status = raw.read_header(); !status) return status.error();
  raw.find_chunks();
  return raw;
}

base::Status RawFile::read_header() {
  const auto bytes = file_.bytes();
  const auto corrupt = [&](const std::string& what) {
    return base::Error{base::ErrorCode::kCorrupt,
                       fmt::format("cannot read {}: {}", path_.string(), what)};
  };
  if (bytes.size() < kHeaderBytes) {
    return corrupt(fmt::format("it has {} bytes, its header alone takes {} (offset 0)",
                               bytes.size(), kHeaderBytes));
  }
  if (std::memcmp(bytes.data(), kMagic, sizeof kMagic) != 0) {
    return corrupt("it does not begin as a raw file of the recorder (offset 0)");
  }
  if (const auto version = PATHLINE_LOAD(uint32_t, FileHeader, version); version != kVersion) {
    return base::Error{base::ErrorCode::kUnsupported,
                       fmt::format("cannot read {}: it is of version {}, this Pathline knows {}",
                                   path_.string(), version, kVersion)};
  }
  chunk_bytes_ = PATHLINE_LOAD(uint32_t, FileHeader, chunk_bytes);
  if (chunk_bytes_ < kMinChunkBytes || chunk_bytes_ > kMaxChunkBytes || chunk_bytes_ % 4096 != 0) {
    return corrupt(fmt::format("chunks of {} bytes cannot be (offset {})", chunk_bytes_,
                               offsetof(FileHeader, chunk_bytes)));
  }
  rank = PATHLINE_LOAD(uint32_t, FileHeader, who.rank);
  rank_count = PATHLINE_LOAD(uint32_t, FileHeader, who.rank_count);
  world = PATHLINE_LOAD(uint32_t, FileHeader, who.world);
  process_id = PATHLINE_LOAD(uint32_t, FileHeader, who.process_id);
  clock = PATHLINE_LOAD(ClockSource, FileHeader, who.clock);
  ticks_per_second = PATHLINE_LOAD(uint64_t, FileHeader, who.ticks_per_second);
  finished = PATHLINE_LOAD(uint32_t, FileHeader, finished) == 1;
  loss = PATHLINE_LOAD(Loss, FileHeader, loss);
  loss_errno = PATHLINE_LOAD(int32_t, FileHeader, loss_errno);
  lost_events = PATHLINE_LOAD(uint64_t, FileHeader, lost_events);
  lost_since_ticks = PATHLINE_LOAD(uint64_t, FileHeader, lost_since_ticks);
  overwritten_bytes = PATHLINE_LOAD(uint64_t, FileHeader, overwritten_bytes);
  host = text_of(bytes.subspan(offsetof(FileHeader, who.host), sizeof(Identity::host)));
  program = text_of(bytes.subspan(offsetof(FileHeader, who.program), sizeof(Identity::program)));
  if (ticks_per_second == 0) {
    return corrupt(fmt::format("its clock does not tick (offset {})",
                               offsetof(FileHeader, who.ticks_per_second)));
  }
  return {};
}

void RawFile::find_chunks() {
  std::map<uint32_t, std::vector<Chunk>> by_stream;
  for (uint64_t begin = kHeaderBytes; begin < file_.bytes().size(); begin += chunk_bytes_) {
    const auto bytes = file_.bytes().subspan(
        begin, std::min<uint64_t>(chunk_bytes_, file_.bytes().size() - begin));
    // Reserved and never begun, or cut off there.
    if (bytes.size() < sizeof(ChunkHeader)) break;
    const auto magic = PATHLINE_LOAD(uint32_t, ChunkHeader, magic);
    if (magic == 0) continue;
    if (magic != kChunkMagic) {
      problems_.push_back(fmt::format("{}: there is no chunk at offset {}", path_.string(), begin));
      continue;
    }
    auto committed = PATHLINE_LOAD(uint64_t, ChunkHeader, committed);
    if (committed > bytes.size() - sizeof(ChunkHeader)) {
      problems_.push_back(
          fmt::format("{}: the chunk at offset {} states {} bytes of records and has room for {}",
                      path_.string(), begin, committed, bytes.size() - sizeof(ChunkHeader)));
      committed = bytes.size() - sizeof(ChunkHeader);
    }
    by_stream[PATHLINE_LOAD(uint32_t, ChunkHeader, stream)].push_back(
        {.sequence = PATHLINE_LOAD(uint32_t, ChunkHeader, sequence),
         .begin_ticks = PATHLINE_LOAD(uint64_t, ChunkHeader, begin_ticks),
         .begin_ns = PATHLINE_LOAD(uint64_t, ChunkHeader, begin_ns),
         .offset = begin + sizeof(ChunkHeader),
         .payload = bytes.subspan(sizeof(ChunkHeader), committed)});
  }
  for (auto& [stream, chunks] : by_stream) {
    std::stable_sort(chunks.begin(), chunks.end(),
                     [](const Chunk& a, const Chunk& b) { return a.sequence < b.sequence; });
    streams.push_back({stream, std::move(chunks)});
  }
}

bool RecordReader::next(Record& record) {
  const uint8_t* const begin = chunk_.payload.data();
  const uint8_t* const end = begin + chunk_.payload.size();
  const uint8_t* at = begin + at_;
  if (at == end || *fault_ != '\0') return false;
  const auto fail = [&](const char* what) {
    fault_ = what;
    return false;
  };
  const uint8_t kind = *at++;
  const RecordShape& shape = kRecordShapes[kind];
  if (!shape.known) return fail("a record is of a kind that this Pathline does not know");
  record = {
      .kind = static_cast<RecordKind>(kind), .ticks = 0, .numbers = {}, .text = {}, .list = {}};
  const auto number = [&](uint64_t& value) {
    at = base::get_varint(at, end, value);
    return at != nullptr;
  };
  constexpr const char* kCut = "a record goes on behind the end of its chunk";
  uint64_t delta = 0;
  if (shape.timed) {
    if (!number(delta)) return fail(kCut);
    if (delta > UINT64_MAX - ticks_) return fail("the time of a record does not fit into 64 bits");
    record.ticks = ticks_ + delta;
  }
  for (unsigned i = 0; i < shape.numbers; ++i) {
    if (!number(record.numbers[i])) return fail(kCut);
    if ((shape.signed_numbers >> i & 1U) != 0) {
      record.numbers[i] = static_cast<uint64_t>(base::unzigzag(record.numbers[i]));
    }
  }
  if (shape.tail != RecordShape::Tail::kNone) {
    uint64_t count = 0;
    // Each item takes a byte at least.
    if (!number(count) || count > static_cast<uint64_t>(end - at)) return fail(kCut);
    if (shape.tail == RecordShape::Tail::kText) {
      record.text = {reinterpret_cast<const char*>(at), count};
      at += count;
    } else {
      list_.resize(count);
      for (uint64_t& item : list_) {
        if (!number(item)) return fail(kCut);
      }
      record.list = list_;
    }
  }
  ticks_ += delta;
  at_ = static_cast<size_t>(at - begin);
  return true;
}

}  // namespace pathline::chunk
