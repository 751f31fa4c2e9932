// SPDX-License-Identifier: BSD-3-Clause
#include "cube/rows.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <climits>
#include <cmath>
#include <cstring>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <zlib.h>

#include "base/text.hpp"

namespace pathline::cube {
namespace {

using base::ErrorCode;
using base::Result;
using base::Status;
using Bytes = std::span<const uint8_t>;

constexpr std::string_view kIndexMark = "CUBEX.INDEX";
constexpr std::string_view kDataMark = "CUBEX.DATA";
constexpr std::string_view kPackedMark = "ZCUBEX.DATA";

template <class T>
T load(const uint8_t* at, bool swapped) {
  std::array<uint8_t, sizeof(T)> raw;
  std::memcpy(raw.data(), at, sizeof(T));
  if (swapped) std::reverse(raw.begin(), raw.end());
  return std::bit_cast<T>(raw);
}

bool starts_with(Bytes bytes, std::string_view mark) {
  return bytes.size() >= mark.size() && std::memcmp(bytes.data(), mark.data(), mark.size()) == 0;
}

template <class T>
void load_all(const uint8_t* from, bool swapped, std::span<double> to) {
  for (size_t i = 0; i < to.size(); ++i) {
    to[i] = static_cast<double>(load<T>(from + i * sizeof(T), swapped));
  }
}

void load_all(ValueType type, const uint8_t* from, bool swapped, std::span<double> to) {
  switch (type) {
    case ValueType::kInt8: return load_all<int8_t>(from, swapped, to);
    case ValueType::kUint8: return load_all<uint8_t>(from, swapped, to);
    case ValueType::kInt16: return load_all<int16_t>(from, swapped, to);
    case ValueType::kUint16: return load_all<uint16_t>(from, swapped, to);
    case ValueType::kInt32: return load_all<int32_t>(from, swapped, to);
    case ValueType::kUint32: return load_all<uint32_t>(from, swapped, to);
    case ValueType::kInt64: return load_all<int64_t>(from, swapped, to);
    case ValueType::kUint64: return load_all<uint64_t>(from, swapped, to);
    case ValueType::kDouble: return load_all<double>(from, swapped, to);
  }
}

/// Unpacks one row after the other with the same memory.
class Inflater {
 public:
  Inflater() = default;
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;
  ~Inflater() {
    if (ready_) inflateEnd(&stream_);
  }

  /// Whether `packed` is one stream of exactly the bytes that fit into `out`. Damage says what
  /// else.
  bool unpack(Bytes packed, std::span<uint8_t> out, std::string& damage) {
    const int begun = ready_ ? inflateReset(&stream_) : inflateInit(&stream_);
    ready_ = ready_ || begun == Z_OK;
    if (begun != Z_OK) {
      damage = "no memory";
      return false;
    }
    size_t read = 0;
    size_t written = 0;
    int status = Z_OK;
    // zlib counts in 32 bits.
    while (status == Z_OK) {
      const auto in = static_cast<uInt>(std::min<size_t>(packed.size() - read, UINT_MAX));
      const auto room = static_cast<uInt>(std::min<size_t>(out.size() - written, UINT_MAX));
      stream_.next_in = const_cast<Bytef*>(packed.data() + read);
      stream_.avail_in = in;
      stream_.next_out = out.data() + written;
      stream_.avail_out = room;
      status = inflate(&stream_, Z_NO_FLUSH);
      read += in - stream_.avail_in;
      written += room - stream_.avail_out;
    }
    if (status == Z_STREAM_END && written == out.size() && read == packed.size()) return true;
    if (status == Z_STREAM_END && written < out.size()) {
      damage = fmt::format("unpacks to {} bytes, expected {}", written, out.size());
    } else if (status == Z_STREAM_END) {
      damage = fmt::format("has {} bytes behind its end", packed.size() - read);
    } else if (status == Z_BUF_ERROR && read < packed.size()) {
      damage = fmt::format("unpacks to more than {} bytes", out.size());
    } else if (status == Z_BUF_ERROR) {
      damage = fmt::format("is cut: it has {} bytes of {}", written, out.size());
    } else {
      damage = fmt::format("is damaged: {}", stream_.msg != nullptr ? stream_.msg : "no zlib data");
    }
    return false;
  }

 private:
  z_stream stream_{};
  bool ready_ = false;
};

}  // namespace

std::optional<ValueType> value_type(std::string_view dtype) {
  static constexpr std::pair<std::string_view, ValueType> kTypes[] = {
      {"INT8", ValueType::kInt8},        {"UINT8", ValueType::kUint8},
      {"INT16", ValueType::kInt16},      {"UINT16", ValueType::kUint16},
      {"INT32", ValueType::kInt32},      {"UINT32", ValueType::kUint32},
      {"INT64", ValueType::kInt64},      {"UINT64", ValueType::kUint64},
      {"DOUBLE", ValueType::kDouble},    {"FLOAT", ValueType::kDouble},
      {"MINDOUBLE", ValueType::kDouble}, {"MAXDOUBLE", ValueType::kDouble},
  };
  for (const auto& [name, type] : kTypes) {
    if (name == dtype) return type;
  }
  return std::nullopt;
}

size_t size_of(ValueType type) {
  switch (type) {
    case ValueType::kInt8:
    case ValueType::kUint8: return 1;
    case ValueType::kInt16:
    case ValueType::kUint16: return 2;
    case ValueType::kInt32:
    case ValueType::kUint32: return 4;
    default: return 8;
  }
}

Result<Index> read_index(Bytes bytes, uint32_t row_count, const Place& place) {
  constexpr size_t kEndian = 11;
  constexpr size_t kVersion = 15;
  constexpr size_t kForm = 17;
  constexpr size_t kCount = 18;
  constexpr size_t kRows = 22;
  constexpr uint8_t kList = 1;
  if (!starts_with(bytes, kIndexMark)) return place.corrupt("byte 0: no index of rows");
  if (bytes.size() < kRows) return place.corrupt(fmt::format("byte {}: it is cut", bytes.size()));
  Index index;
  const auto mark = load<uint32_t>(bytes.data() + kEndian, false);
  index.swapped = mark != 1;
  if (index.swapped && mark != 0x01000000U) {
    return place.corrupt(
        fmt::format("byte {}: the mark of byte order is {}, expected 1", kEndian, mark));
  }
  const auto version = load<uint16_t>(bytes.data() + kVersion, index.swapped);
  if (version != 0 || bytes[kForm] != kList) {
    return place.error(ErrorCode::kUnsupported,
                       fmt::format("byte {}: an index of version {} and form {}, only lists of "
                                   "rows (version 0, form 1) can be read",
                                   kVersion, version, bytes[kForm]));
  }
  const auto count = load<uint32_t>(bytes.data() + kCount, index.swapped);
  const size_t held = (bytes.size() - kRows) / 4;
  if (held != count || (bytes.size() - kRows) % 4 != 0) {
    return place.corrupt(fmt::format("byte {}: it counts {} rows, but has {} bytes, expected {}",
                                     kCount, count, bytes.size(), kRows + 4ULL * count));
  }
  index.rows.reserve(count);
  for (uint32_t i = 0; i < count; ++i) {
    const size_t at = kRows + 4ULL * i;
    const auto row = load<uint32_t>(bytes.data() + at, index.swapped);
    if (row >= row_count) {
      return place.corrupt(
          fmt::format("byte {}: row {}, but there are {} call paths", at, row, row_count));
    }
    if (i > 0 && row <= index.rows.back()) {
      return place.corrupt(
          fmt::format("byte {}: row {} stands behind row {}", at, row, index.rows.back()));
    }
    index.rows.push_back(row);
  }
  return index;
}

struct Rows::Impl {
  Place place;
  std::vector<uint32_t> rows;
  Bytes data;                  ///< Raw rows.
  std::vector<Bytes> streams;  ///< Packed rows.
  bool packed = false;
  bool swapped = false;
  ValueType type = ValueType::kDouble;
  std::vector<uint8_t> unpacked;
  Inflater inflater;
  size_t row_bytes = 0;

  Status open_raw(Bytes bytes) {
    const size_t expected = kDataMark.size() + rows.size() * row_bytes;
    if (bytes.size() != expected) {
      return place.corrupt(fmt::format("byte {}: it ends, but {} rows of {} bytes end at byte {}",
                                       bytes.size(), rows.size(), row_bytes, expected));
    }
    data = bytes.subspan(kDataMark.size());
    return {};
  }

  /// A table of three numbers per row (place in the raw data, place in the packed data, packed
  /// size), then the packed data.
  Status open_packed(Bytes bytes) {
    constexpr size_t kEntry = 24;
    const size_t table = kPackedMark.size() + 8;
    if (bytes.size() < table) return place.corrupt(fmt::format("byte {}: it is cut", bytes.size()));
    const auto count = load<uint64_t>(bytes.data() + kPackedMark.size(), swapped);
    if (count != rows.size()) {
      return place.corrupt(fmt::format("byte {}: it counts {} rows, but the index counts {}",
                                       kPackedMark.size(), count, rows.size()));
    }
    if ((bytes.size() - table) / kEntry < count) {
      return place.corrupt(fmt::format("byte {}: it ends within the table of its {} rows",
                                       bytes.size(), rows.size()));
    }
    const Bytes streams_at = bytes.subspan(table + kEntry * rows.size());
    streams.reserve(rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      const uint8_t* entry = bytes.data() + table + kEntry * i;
      const auto from = load<uint64_t>(entry + 8, swapped);
      const auto size = load<uint64_t>(entry + 16, swapped);
      if (from > streams_at.size() || size > streams_at.size() - from) {
        return place.corrupt(
            fmt::format("byte {}: the data of row {} are {} bytes at {}, but there are {}",
                        table + kEntry * i, rows[i], size, from, streams_at.size()));
      }
      streams.push_back(streams_at.subspan(from, size));
    }
    packed = true;
    return {};
  }
};

Rows::Rows(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Rows::Rows(Rows&&) noexcept = default;
Rows& Rows::operator=(Rows&&) noexcept = default;
Rows::~Rows() = default;

Result<Rows> Rows::open(Bytes bytes, const Index& index, ValueType type, uint32_t location_count,
                        const Place& place) {
  auto impl = std::make_unique<Impl>();
  impl->place = place;
  impl->rows = index.rows;
  impl->swapped = index.swapped;
  impl->type = type;
  impl->row_bytes = size_of(type) * location_count;
  Status status;
  if (starts_with(bytes, kDataMark)) {
    status = impl->open_raw(bytes);
  } else if (starts_with(bytes, kPackedMark)) {
    status = impl->open_packed(bytes);
  } else {
    return place.corrupt("byte 0: no rows of values");
  }
  if (!status) return status.error();
  return Rows(std::move(impl));
}

Status Rows::decode(size_t i, std::span<double> values) {
  Impl& impl = *impl_;
  const uint8_t* from = nullptr;
  if (!impl.packed) {
    from = impl.data.data() + i * impl.row_bytes;
  } else if (impl.streams[i].empty()) {
    std::fill(values.begin(), values.end(), 0.0);
    return {};
  } else {
    impl.unpacked.resize(impl.row_bytes);
    std::string damage;
    if (!impl.inflater.unpack(impl.streams[i], impl.unpacked, damage)) {
      return impl.place.corrupt(fmt::format("the stream of row {} {}", impl.rows[i], damage));
    }
    from = impl.unpacked.data();
  }
  load_all(impl.type, from, impl.swapped, values);
  const auto odd = std::find_if(values.begin(), values.end(),
                                [](double value) { return !std::isfinite(value); });
  if (odd != values.end()) {
    return impl.place.corrupt(fmt::format("row {}: the value of location {} is {}, no number",
                                          impl.rows[i], odd - values.begin(), *odd));
  }
  return {};
}

}  // namespace pathline::cube
