// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "base/new_file.hpp"
#include "base/result.hpp"

namespace pathline::summary {

/// The bytes behind `*.plsum`: named columns of numbers, each in blocks that are compressed (zlib's
/// format, by libdeflate) and checked (CRC-32) by themselves, and a table of the columns at the
/// end. Little-endian. Readers skip columns that they do not know; a higher major version is
/// refused.
///
///   header   64 bytes: magic, major, minor, offset and bytes of the table, its CRC, bytes of the
///            file, CRC of the 60 bytes before
///   blocks   bytes of numbers, bytes stored, CRC of the first of these and of what is stored (32
///            bits each), then that
///   table    per column: name, bytes of a number, rows, offset, bytes
///
/// Where that is smaller a block has the first bytes of all its numbers, then the second bytes and
/// so on (Blosc calls it shuffle); the top bit of its bytes of numbers says so.
inline constexpr std::string_view kMagic = "PLSUM\r\n\x1a";
inline constexpr uint16_t kMajor = 3;
inline constexpr uint16_t kMinor = 0;
inline constexpr size_t kBlockBytes = 64 << 10;  ///< Of numbers; a multiple of the size of each.

template <class T>
concept Number = std::is_arithmetic_v<T> && std::is_trivially_copyable_v<T>;

class ColumnReader;
class Compressor;

/// Writes column after column; finish() gives the file its name.
class ColumnWriter {
 public:
  template <Number T>
  class Column;

  explicit ColumnWriter(const std::filesystem::path& path);
  ~ColumnWriter();  // Leaves nothing of what was not finished.
  ColumnWriter(const ColumnWriter&) = delete;
  ColumnWriter& operator=(const ColumnWriter&) = delete;

  template <Number T>
  void add(std::string_view name, std::span<const T> values) {
    add_bytes(name, sizeof(T),
              {reinterpret_cast<const uint8_t*>(values.data()), values.size_bytes()});
  }
  template <Number T>
  void add(std::string_view name, const std::vector<T>& values) {
    add(name, std::span<const T>(values));
  }
  /// Two columns: `name` with the characters of all, `name`.length with their numbers.
  void add(std::string_view name, const std::vector<std::string_view>& texts);
  /// What it holds, which it forgets.
  template <Number T>
  void add(std::string_view name, Column<T>& column) {
    column.pack();
    add_blocks(name, sizeof(T), column.rows_, column.blocks_);
  }

  /// All columns of another file as they are stored there, before any other.
  void take(const ColumnReader& file);

  [[nodiscard]] uint64_t size_bytes() const { return out_.size(); }  ///< So far.
  /// errors  kIo with the system's reason, of everything before too.
  base::Status finish();

 private:
  struct Entry {
    std::string name;
    uint32_t width;
    uint64_t rows;
    uint64_t offset;
    uint64_t bytes;
  };
  using Blocks = std::vector<std::vector<uint8_t>>;  // As they stand in the file.
  /// How the blocks of a column are packed: one of them in some is tried both ways.
  struct Packing {
    uint32_t width;
    uint32_t blocks = 0;
    bool is_shuffled = false;
  };

  void add_bytes(std::string_view name, uint32_t width, std::span<const uint8_t> bytes);
  void add_blocks(std::string_view name, uint32_t width, uint64_t rows, Blocks& blocks);
  std::vector<uint8_t> packed(std::span<const uint8_t> block, Packing& packing);

  base::NewFile out_;
  std::vector<Entry> entries_;
  std::unique_ptr<Compressor> compressor_;
};

/// A column of which the numbers come one by one, beside others that are made at the same time. Of
/// it only compressed blocks are in memory.
template <Number T>
class ColumnWriter::Column {
 public:
  /// file  that it will be added to; must outlive this.
  explicit Column(ColumnWriter& file) : file_(&file) {}

  void push_back(T value) {
    if (values_.size() == kBlockBytes / sizeof(T)) pack();
    values_.push_back(value);
    ++rows_;
  }
  void append(std::span<const T> values) {
    while (!values.empty()) {
      if (values_.size() == kBlockBytes / sizeof(T)) pack();
      const size_t count = std::min(values.size(), kBlockBytes / sizeof(T) - values_.size());
      values_.insert(values_.end(), values.begin(), values.begin() + static_cast<ptrdiff_t>(count));
      rows_ += count;
      values = values.subspan(count);
    }
  }

 private:
  friend ColumnWriter;
  void pack() {
    if (values_.empty()) return;
    blocks_.push_back(file_->packed(
        {reinterpret_cast<const uint8_t*>(values_.data()), values_.size() * sizeof(T)}, packing_));
    values_.clear();
  }

  ColumnWriter* file_;
  uint64_t rows_ = 0;
  std::vector<T> values_;  // Of the last block.
  Packing packing_{sizeof(T)};
  Blocks blocks_;
};

/// Trusts nothing in the file: a damaged one is an error that names the offset.
class ColumnReader {
 public:
  /// errors  kNotFound, kIo, kUnsupported for another version, kCorrupt.
  static base::Result<ColumnReader> open(const std::filesystem::path& path);

  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }
  /// Of each column its name and the bytes of a number, in the order of the file.
  [[nodiscard]] std::vector<std::pair<std::string, uint32_t>> columns() const {
    std::vector<std::pair<std::string, uint32_t>> all;
    for (const Entry& entry : entries_) all.emplace_back(entry.name, entry.width);
    return all;
  }
  /// errors  kCorrupt: without such a column, for one of other numbers, for damage.
  template <Number T>
  [[nodiscard]] base::Result<std::vector<T>> column(std::string_view name) const {
    const auto stored = find_blocks(name, sizeof(T));
    if (!stored) return stored.error();
    std::vector<T> values(stored.value().entry->rows);
    const std::span bytes(reinterpret_cast<uint8_t*>(values.data()), values.size() * sizeof(T));
    if (auto status = read(stored.value(), bytes); !status) return status.error();
    return values;
  }
  /// A column of which one block is in memory at a time, for those that are read side by side.
  template <Number T>
  class Cursor;
  /// errors  those of column() but for damage of a block, which the cursor tells.
  template <Number T>
  [[nodiscard]] base::Result<Cursor<T>> cursor(std::string_view name) const {
    auto stored = find_blocks(name, sizeof(T));
    if (!stored) return stored.error();
    return Cursor<T>(*this, std::move(stored).value());
  }
  [[nodiscard]] base::Result<std::vector<std::string>> texts(std::string_view name) const;
  /// Of the checksums that the blocks of a column have; `before` where there is no such column.
  [[nodiscard]] uint32_t checksum(std::string_view name, uint32_t before) const;
  [[nodiscard]] base::Error damaged(const std::string& fact) const;

 private:
  friend ColumnWriter;
  struct Entry {
    std::string_view name;
    uint32_t width;
    uint64_t rows;
    uint64_t offset;
    uint64_t bytes;
  };
  struct Block {
    size_t at;  // In the column.
    uint32_t raw_bytes;
    uint32_t stored_bytes;
    uint32_t crc;
    bool is_shuffled;
  };
  /// Its blocks have as many numbers as the table says.
  struct StoredColumn {
    const Entry* entry = nullptr;
    std::vector<Block> blocks;
  };
  explicit ColumnReader(std::filesystem::path path, base::MappedFile file)
      : path_(std::move(path)), file_(std::move(file)) {}
  base::Status read_table();
  [[nodiscard]] const Entry* find(std::string_view name) const;
  [[nodiscard]] base::Result<StoredColumn> find_blocks(std::string_view name, uint32_t width) const;
  [[nodiscard]] base::Status read(const StoredColumn& column, std::span<uint8_t> values) const;
  [[nodiscard]] base::Status read(const StoredColumn& column, const Block& block,
                                  std::span<uint8_t> values) const;
  [[nodiscard]] base::Error damaged(const Entry& entry, uint64_t offset,
                                    std::string_view fact) const;

  std::filesystem::path path_;
  base::MappedFile file_;
  std::vector<Entry> entries_;
};

/// Must not outlive its reader.
template <Number T>
class ColumnReader::Cursor {
 public:
  [[nodiscard]] uint64_t rows() const { return column_.entry->rows; }
  /// The next number, of which there must be one. 0 from a damaged block on.
  T next() {
    if (at_ == values_.size()) read_block();
    return values_[at_++];
  }
  [[nodiscard]] const base::Status& status() const { return status_; }

 private:
  friend ColumnReader;
  Cursor(const ColumnReader& file, StoredColumn column)
      : file_(&file), column_(std::move(column)) {}
  void read_block() {
    const Block& block = column_.blocks[block_++];
    at_ = 0;
    values_.assign(block.raw_bytes / sizeof(T), 0);
    if (!status_) return;
    status_ =
        file_->read(column_, block, {reinterpret_cast<uint8_t*>(values_.data()), block.raw_bytes});
    if (!status_) std::fill(values_.begin(), values_.end(), T{0});
  }

  const ColumnReader* file_;
  StoredColumn column_;
  size_t block_ = 0;  // The next one.
  std::vector<T> values_;
  size_t at_ = 0;
  base::Status status_;
};

}  // namespace pathline::summary
