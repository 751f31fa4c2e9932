// SPDX-License-Identifier: BSD-3-Clause
#include "cube/archive.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include <fmt/format.h>

#include "base/text.hpp"

namespace pathline::cube {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using Bytes = std::span<const uint8_t>;

/// A header and the data behind it are padded to blocks of this size.
constexpr size_t kBlock = 512;

struct Field {
  size_t offset;
  size_t size;
};
constexpr Field kName{0, 100};
constexpr Field kSize{124, 12};
constexpr Field kChecksum{148, 8};
constexpr Field kType{156, 1};
constexpr Field kMagic{257, 5};

Bytes field(Bytes header, Field which) { return header.subspan(which.offset, which.size); }

/// Octal digits, or a binary number where the first bit is set.
std::optional<uint64_t> number(Bytes text) {
  uint64_t value = 0;
  if ((text[0] & 0x80U) != 0) {
    for (size_t i = 0; i < text.size(); ++i) {
      if (value >> 55U != 0) return std::nullopt;
      value = value << 8U | (i == 0 ? text[i] & 0x7fU : text[i]);
    }
    return value;
  }
  size_t i = 0;
  while (i < text.size() && text[i] == ' ') ++i;
  for (; i < text.size() && text[i] != ' ' && text[i] != 0; ++i) {
    if (text[i] < '0' || text[i] > '7') return std::nullopt;
    value = value << 3U | (text[i] - '0');
  }
  return value;
}

/// The sum counts its own field as blanks; old writers took bytes as signed.
bool has_right_checksum(Bytes header) {
  int64_t sum = 0;
  int64_t signed_sum = 0;
  for (size_t i = 0; i < kBlock; ++i) {
    const bool own = i >= kChecksum.offset && i < kChecksum.offset + kChecksum.size;
    const uint8_t byte = own ? ' ' : header[i];
    sum += byte;
    signed_sum += static_cast<int8_t>(byte);
  }
  const auto stored = number(field(header, kChecksum));
  if (!stored) return false;
  return *stored == static_cast<uint64_t>(sum) || *stored == static_cast<uint64_t>(signed_sum);
}

std::string_view name_of(Bytes header) {
  const Bytes bytes = field(header, kName);
  const auto end = std::find(bytes.begin(), bytes.end(), 0);
  std::string_view name(reinterpret_cast<const char*>(bytes.data()),
                        static_cast<size_t>(end - bytes.begin()));
  if (name.starts_with("./")) name.remove_prefix(2);
  return name;
}

bool belongs_to_profile(std::string_view name) {
  if (name == "anchor.xml") return true;
  const size_t digits = std::min(name.find_first_not_of("0123456789"), name.size());
  const std::string_view kind = name.substr(digits);
  return digits > 0 && (kind == ".index" || kind == ".data");
}

class Walk {
 public:
  Walk(Bytes bytes, const std::string& file) : bytes_(bytes), file_(file) {}

  Result<Archive> run() {
    if (bytes_.empty()) return corrupt("it is empty, expected a tar archive");
    size_t at = 0;
    while (at < bytes_.size()) {
      const Bytes header = bytes_.subspan(at, std::min(kBlock, bytes_.size() - at));
      // The end is marked by empty blocks; what may follow is padding.
      if (std::all_of(header.begin(), header.end(), [](uint8_t byte) { return byte == 0; })) break;
      auto data = data_of(header, at);
      if (!data) return data.error();
      const auto size = data.value().size();
      if (const auto status = add(header, data.value()); !status) return status.error();
      at += kBlock + (size + kBlock - 1) / kBlock * kBlock;
    }
    return std::move(archive_);
  }

 private:
  [[nodiscard]] Error corrupt(std::string_view fact) const {
    return {ErrorCode::kCorrupt, fmt::format("cannot read {}: {}", base::printable(file_), fact)};
  }

  Result<Bytes> data_of(Bytes header, size_t at) {
    if (header.size() < kBlock) {
      return corrupt(
          fmt::format("byte {}: it ends within a tar header (file is truncated)", bytes_.size()));
    }
    ++archive_.header_count;
    if (!has_right_checksum(header)) {
      if (std::memcmp(field(header, kMagic).data(), "ustar", kMagic.size) != 0) {
        return corrupt(at == 0 ? "byte 0: no tar header, expected the archive that Cube writes"
                               : fmt::format("byte {}: no tar header", at));
      }
      ++archive_.wrong_checksums;
    }
    const std::string name = base::printable(name_of(header));
    const auto size = number(field(header, kSize));
    if (!size) return corrupt(fmt::format("byte {}: the size of {} is no number", at, name));
    // Links and devices have a size that no data follow.
    const uint8_t type = field(header, kType)[0];
    if (type >= '1' && type <= '6') return Bytes();
    const size_t rest = bytes_.size() - at - kBlock;
    if (*size > rest) {
      return corrupt(fmt::format("byte {}: {} has {} bytes, but only {} follow (file is truncated)",
                                 at, name, *size, rest));
    }
    return bytes_.subspan(at + kBlock, *size);
  }

  base::Status add(Bytes header, Bytes data) {
    const uint8_t type = field(header, kType)[0];
    const bool is_file = type == 0 || type == '0' || type == '7';
    const std::string_view name = name_of(header);
    if (!is_file || !belongs_to_profile(name)) return {};
    if (!archive_.members.emplace(name, data).second) {
      return corrupt(fmt::format("byte {}: the archive has {} twice",
                                 static_cast<size_t>(header.data() - bytes_.data()), name));
    }
    return {};
  }

  Bytes bytes_;
  const std::string& file_;
  Archive archive_;
};

}  // namespace

Result<Archive> open_archive(std::span<const uint8_t> bytes, const std::string& file) {
  return Walk(bytes, file).run();
}

}  // namespace pathline::cube
