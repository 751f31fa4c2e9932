// SPDX-License-Identifier: BSD-3-Clause
#include "summary/column_file.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <libdeflate.h>
#include <memory>
#include <new>

#include <fmt/format.h>

namespace pathline::summary {
namespace {

static_assert(std::endian::native == std::endian::little, "numbers are stored as they are");

constexpr size_t kHeaderBytes = 64;
constexpr size_t kBlockHeaderBytes = 12;
constexpr size_t kMostStoredBytes = kBlockBytes + kBlockBytes / 512 + 64;
constexpr uint64_t kMostPacked = 1032;  // Bytes in one: deflate can do no better.

struct Header {
  char magic[8];
  uint16_t major;
  uint16_t minor;
  uint32_t table_crc;
  uint64_t table_offset;
  uint64_t table_bytes;
  uint64_t file_bytes;
  uint8_t unused[20];
  uint32_t crc;  // Of the bytes before.
};
static_assert(sizeof(Header) == kHeaderBytes && std::is_trivially_copyable_v<Header>);

uint32_t crc_of(std::span<const uint8_t> bytes) {
  return libdeflate_crc32(0, bytes.data(), bytes.size());
}

std::span<const uint8_t> bytes_of(const Header& header) {
  return {reinterpret_cast<const uint8_t*>(&header), sizeof header};
}

template <class T>
void append(std::vector<uint8_t>& to, T value) {
  const auto* const bytes = reinterpret_cast<const uint8_t*>(&value);
  to.insert(to.end(), bytes, bytes + sizeof value);
}

constexpr uint32_t kShuffled = uint32_t{1} << 31U;  // In a block's bytes of numbers.

template <class T>
T number_at(std::span<const uint8_t> bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

uint32_t crc_of_block(uint32_t raw, std::span<const uint8_t> content) {
  const auto* const bytes = reinterpret_cast<const uint8_t*>(&raw);
  return libdeflate_crc32(crc_of({bytes, sizeof raw}), content.data(), content.size());
}

/// From numbers of kWidth bytes to their first bytes, their second ones and so on, or back.
template <size_t kWidth>
void shuffle(std::span<const uint8_t> from, std::span<uint8_t> to) {
  const size_t count = from.size() / kWidth;
  for (size_t i = 0; i < count; ++i) {
    for (size_t byte = 0; byte < kWidth; ++byte) to[byte * count + i] = from[i * kWidth + byte];
  }
}
template <size_t kWidth>
void unshuffle(std::span<const uint8_t> from, std::span<uint8_t> to) {
  const size_t count = from.size() / kWidth;
  for (size_t i = 0; i < count; ++i) {
    for (size_t byte = 0; byte < kWidth; ++byte) to[i * kWidth + byte] = from[byte * count + i];
  }
}

using Shuffle = void (*)(std::span<const uint8_t> from, std::span<uint8_t> to);

/// returns  null for a width of which nothing is shuffled.
Shuffle shuffle_of(size_t width, bool back) {
  switch (width) {
    case 2: return back ? unshuffle<2> : shuffle<2>;
    case 4: return back ? unshuffle<4> : shuffle<4>;
    case 8: return back ? unshuffle<8> : shuffle<8>;
    default: return nullptr;
  }
}

}  // namespace

/// Compresses blocks one after the other: what that needs is large.
class Compressor {
 public:
  /// What becomes smaller; the block itself where nothing does.
  std::span<const uint8_t> pack(std::span<const uint8_t> block) {
    packed_.resize(block.size() - 1);
    const size_t bytes = libdeflate_zlib_compress(state_.get(), block.data(), block.size(),
                                                  packed_.data(), packed_.size());
    return bytes > 0 ? std::span<const uint8_t>(packed_).first(bytes) : block;
  }

 private:
  static constexpr int kFast = 1;
  struct Free {
    void operator()(libdeflate_compressor* state) const { libdeflate_free_compressor(state); }
  };
  static libdeflate_compressor* make() {
    libdeflate_compressor* const state = libdeflate_alloc_compressor(kFast);
    if (state == nullptr) throw std::bad_alloc();
    return state;
  }
  std::unique_ptr<libdeflate_compressor, Free> state_{make()};
  std::vector<uint8_t> packed_;
};

namespace {

class Decompressor {
 public:
  /// returns  whether there were as many bytes as there are to be.
  bool unpack(std::span<const uint8_t> packed, std::span<uint8_t> bytes) {
    return libdeflate_zlib_decompress(state_.get(), packed.data(), packed.size(), bytes.data(),
                                      bytes.size(), nullptr) == LIBDEFLATE_SUCCESS;
  }

 private:
  struct Free {
    void operator()(libdeflate_decompressor* state) const { libdeflate_free_decompressor(state); }
  };
  static libdeflate_decompressor* make() {
    libdeflate_decompressor* const state = libdeflate_alloc_decompressor();
    if (state == nullptr) throw std::bad_alloc();
    return state;
  }
  std::unique_ptr<libdeflate_decompressor, Free> state_{make()};
};

}  // namespace

ColumnWriter::ColumnWriter(const std::filesystem::path& path)
    : out_(path), compressor_(std::make_unique<Compressor>()) {
  out_.append(bytes_of(Header{}));
}
ColumnWriter::~ColumnWriter() = default;

void ColumnWriter::add(std::string_view name, const std::vector<std::string_view>& texts) {
  std::string characters;
  std::vector<uint32_t> lengths;
  for (const std::string_view text : texts) {
    characters += text;
    lengths.push_back(static_cast<uint32_t>(text.size()));
  }
  add(name, std::span<const char>(characters));
  add(fmt::format("{}.length", name), lengths);
}

std::vector<uint8_t> ColumnWriter::packed(std::span<const uint8_t> block, Packing& packing) {
  constexpr uint32_t kOneOf = 16;
  const auto stored = [&](std::span<const uint8_t> bytes, uint32_t flag) {
    const std::span<const uint8_t> content = compressor_->pack(bytes);
    std::vector<uint8_t> all;
    all.reserve(kBlockHeaderBytes + content.size());
    const uint32_t raw = static_cast<uint32_t>(block.size()) | flag;
    append(all, raw);
    append(all, static_cast<uint32_t>(content.size()));
    append(all, crc_of_block(raw, content));
    all.insert(all.end(), content.begin(), content.end());
    return all;
  };
  const Shuffle shuffle_bytes = shuffle_of(packing.width, false);
  if (shuffle_bytes == nullptr) return stored(block, 0);
  const auto shuffled = [&] {
    std::vector<uint8_t> bytes(block.size());
    shuffle_bytes(block, bytes);
    return stored(bytes, kShuffled);
  };
  if (packing.blocks++ % kOneOf != 0) return packing.is_shuffled ? shuffled() : stored(block, 0);
  auto plain = stored(block, 0);
  auto other = shuffled();
  packing.is_shuffled = other.size() < plain.size();
  return packing.is_shuffled ? other : plain;
}

void ColumnWriter::add_bytes(std::string_view name, uint32_t width,
                             std::span<const uint8_t> bytes) {
  Entry entry{std::string(name), width, bytes.size() / width, out_.size(), 0};
  Packing packing{width};
  for (size_t begin = 0; begin < bytes.size(); begin += kBlockBytes) {
    out_.append(packed(bytes.subspan(begin, std::min(kBlockBytes, bytes.size() - begin)), packing));
  }
  entry.bytes = out_.size() - entry.offset;
  entries_.push_back(std::move(entry));
}

void ColumnWriter::add_blocks(std::string_view name, uint32_t width, uint64_t rows,
                              Blocks& blocks) {
  Entry entry{std::string(name), width, rows, out_.size(), 0};
  for (auto& block : blocks) {
    out_.append(block);
    std::vector<uint8_t>().swap(block);
  }
  blocks.clear();
  entry.bytes = out_.size() - entry.offset;
  entries_.push_back(std::move(entry));
}

void ColumnWriter::take(const ColumnReader& file) {
  uint64_t end = kHeaderBytes;
  for (const ColumnReader::Entry& entry : file.entries_) {
    entries_.push_back(
        {std::string(entry.name), entry.width, entry.rows, entry.offset, entry.bytes});
    end = std::max(end, entry.offset + entry.bytes);
  }
  out_.append(file.file_.bytes().subspan(kHeaderBytes, end - kHeaderBytes));
}

base::Status ColumnWriter::finish() {
  std::vector<uint8_t> table;
  for (const Entry& entry : entries_) {
    append(table, static_cast<uint32_t>(entry.name.size()));
    append(table, entry.width);
    append(table, entry.rows);
    append(table, entry.offset);
    append(table, entry.bytes);
    table.insert(table.end(), entry.name.begin(), entry.name.end());
  }
  Header header{};
  std::copy(kMagic.begin(), kMagic.end(), header.magic);
  header.major = kMajor;
  header.minor = kMinor;
  header.table_crc = crc_of(table);
  header.table_offset = out_.size();
  header.table_bytes = table.size();
  header.file_bytes = out_.size() + table.size();
  header.crc = crc_of(bytes_of(header).first(offsetof(Header, crc)));
  out_.append(table);
  out_.overwrite(0, bytes_of(header));
  return out_.finish();
}

base::Error ColumnReader::damaged(const std::string& fact) const {
  return {base::ErrorCode::kCorrupt, fmt::format("cannot read {}: {}", path_.string(), fact),
          "Make it again: pathline reduce RUN -o FILE.plsum"};
}

base::Result<ColumnReader> ColumnReader::open(const std::filesystem::path& path) {
  auto file = base::MappedFile::open(path);
  if (!file) return file.error();
  ColumnReader reader(path, std::move(file).value());
  if (auto status = reader.read_table(); !status) return status.error();
  return reader;
}

base::Status ColumnReader::read_table() {
  const std::span<const uint8_t> bytes = file_.bytes();
  if (bytes.size() < kHeaderBytes ||
      !std::equal(kMagic.begin(), kMagic.end(), reinterpret_cast<const char*>(bytes.data()))) {
    return damaged("offset 0: it does not begin as a summary does");
  }
  Header header;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (crc_of(bytes.first(offsetof(Header, crc))) != header.crc) {
    return damaged("offset 0: its header is damaged");
  }
  if (header.major != kMajor) {
    return base::Error{base::ErrorCode::kUnsupported,
                       fmt::format("cannot read {}: it is of format {}.{}, this reads {}.{}",
                                   path_.string(), header.major, header.minor, kMajor, kMinor),
                       "Use the version of Pathline that wrote it, or make it again."};
  }
  if (header.file_bytes != bytes.size() || header.table_offset > bytes.size() ||
      header.table_bytes != bytes.size() - header.table_offset) {
    return damaged(fmt::format("it has {} bytes instead of {}", bytes.size(), header.file_bytes));
  }
  const auto table = bytes.subspan(header.table_offset);
  if (crc_of(table) != header.table_crc) {
    return damaged(fmt::format("offset {}: its table is damaged", header.table_offset));
  }
  constexpr size_t kFixedBytes = 32;
  for (size_t at = 0; at < table.size();) {
    const auto wrong = [&] {
      return damaged(
          fmt::format("offset {}: this is no entry of the table", header.table_offset + at));
    };
    if (table.size() - at < kFixedBytes) return wrong();
    const auto name_bytes = number_at<uint32_t>(table, at);
    const Entry entry{{reinterpret_cast<const char*>(table.data()) + at + kFixedBytes, name_bytes},
                      number_at<uint32_t>(table, at + 4),
                      number_at<uint64_t>(table, at + 8),
                      number_at<uint64_t>(table, at + 16),
                      number_at<uint64_t>(table, at + 24)};
    if (name_bytes > table.size() - at - kFixedBytes || entry.offset < kHeaderBytes ||
        entry.offset > header.table_offset || entry.bytes > header.table_offset - entry.offset) {
      return wrong();
    }
    entries_.push_back(entry);
    at += kFixedBytes + name_bytes;
  }
  return {};
}

const ColumnReader::Entry* ColumnReader::find(std::string_view name) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& entry) { return entry.name == name; });
  return found == entries_.end() ? nullptr : &*found;
}

base::Error ColumnReader::damaged(const Entry& entry, uint64_t offset,
                                  std::string_view fact) const {
  return damaged(fmt::format("offset {}, column {}: {}", entry.offset + offset, entry.name, fact));
}

base::Result<ColumnReader::StoredColumn> ColumnReader::find_blocks(std::string_view name,
                                                                   uint32_t width) const {
  const Entry* const entry = find(name);
  if (entry == nullptr) return damaged(fmt::format("it has no column {}", name));
  if (entry->width != width) return damaged(*entry, 0, "its numbers are of another size");
  const auto bytes = file_.bytes().subspan(entry->offset, entry->bytes);
  StoredColumn column{entry, {}};
  uint64_t all = 0;
  for (size_t at = 0; at < bytes.size();) {
    if (bytes.size() - at < kBlockHeaderBytes) return damaged(*entry, at, "a block ends early");
    const auto raw = number_at<uint32_t>(bytes, at);
    const Block block{at, raw & ~kShuffled, number_at<uint32_t>(bytes, at + 4),
                      number_at<uint32_t>(bytes, at + 8), (raw & kShuffled) != 0};
    if (block.raw_bytes == 0 || block.raw_bytes > kBlockBytes || block.raw_bytes % width != 0 ||
        (block.is_shuffled && width == 1) || block.stored_bytes > kMostStoredBytes ||
        block.raw_bytes > kMostPacked * uint64_t{block.stored_bytes} ||
        block.stored_bytes > bytes.size() - at - kBlockHeaderBytes) {
      return damaged(*entry, at, "this is no block");
    }
    column.blocks.push_back(block);
    all += block.raw_bytes;
    at += kBlockHeaderBytes + block.stored_bytes;
  }
  if (all / width != entry->rows) {
    return damaged(*entry, 0,
                   fmt::format("it has {} rows instead of {}", all / width, entry->rows));
  }
  return column;
}

base::Status ColumnReader::read(const StoredColumn& column, std::span<uint8_t> values) const {
  for (const Block& block : column.blocks) {
    if (auto status = read(column, block, values.first(block.raw_bytes)); !status) return status;
    values = values.subspan(block.raw_bytes);
  }
  return {};
}

base::Status ColumnReader::read(const StoredColumn& column, const Block& block,
                                std::span<uint8_t> values) const {
  const auto content = file_.bytes().subspan(column.entry->offset + block.at + kBlockHeaderBytes,
                                             block.stored_bytes);
  const uint32_t flag = block.is_shuffled ? kShuffled : 0;
  if (crc_of_block(block.raw_bytes | flag, content) != block.crc) {
    return damaged(*column.entry, block.at, "the block is damaged");
  }
  thread_local Decompressor decompressor;
  thread_local std::vector<uint8_t> shuffled;
  shuffled.resize(block.is_shuffled ? block.raw_bytes : 0);
  const std::span<uint8_t> raw = block.is_shuffled ? std::span(shuffled) : values;
  if (block.stored_bytes == block.raw_bytes) {
    std::copy(content.begin(), content.end(), raw.begin());
  } else if (!decompressor.unpack(content, raw)) {
    return damaged(*column.entry, block.at, "the block cannot be unpacked");
  }
  if (block.is_shuffled) shuffle_of(column.entry->width, true)(raw, values);
  return {};
}

uint32_t ColumnReader::checksum(std::string_view name, uint32_t before) const {
  const Entry* const entry = find(name);
  if (entry == nullptr) return before;
  uint32_t sum = libdeflate_crc32(before, name.data(), name.size());
  const auto column = find_blocks(name, entry->width);
  if (!column) return sum;  // Who reads it is told.
  for (const Block& block : column.value().blocks) {
    sum = libdeflate_crc32(sum, &block.crc, sizeof block.crc);
  }
  return sum;
}

base::Result<std::vector<std::string>> ColumnReader::texts(std::string_view name) const {
  auto characters = column<char>(name);
  if (!characters) return characters.error();
  auto lengths = column<uint32_t>(fmt::format("{}.length", name));
  if (!lengths) return lengths.error();
  const std::string_view all(characters.value().data(), characters.value().size());
  std::vector<std::string> texts;
  size_t at = 0;
  for (const uint32_t length : lengths.value()) {
    if (length > all.size() - at) return damaged(fmt::format("column {} ends early", name));
    texts.emplace_back(all.substr(at, length));
    at += length;
  }
  return texts;
}

}  // namespace pathline::summary
