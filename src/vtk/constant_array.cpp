// SPDX-License-Identifier: BSD-3-Clause
#include "vtk/constant_array.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <string_view>
#include <type_traits>

#include <fmt/format.h>
#include <zlib.h>

#include "base/text.hpp"

namespace pathline::vtk {
namespace {

using Compressor = Encoding::Compressor;

/// Before compression.
constexpr size_t kBlockBytes = size_t{1} << 18;

std::string base64_of(std::string_view bytes) {
  return base::base64({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
}

/// A number as it stands in a file of this byte order.
template <class T>
void append_number(std::string& out, T number, bool big_endian) {
  char bytes[sizeof number];
  std::memcpy(bytes, &number, sizeof number);
  if (big_endian) std::reverse(bytes, bytes + sizeof number);
  out.append(bytes, sizeof bytes);
}

void append_size(std::string& out, uint64_t size, const Encoding& encoding) {
  if (encoding.header_bytes == 4) {
    append_number(out, static_cast<uint32_t>(size), encoding.big_endian);
  } else {
    append_number(out, size, encoding.big_endian);
  }
}

std::string repeated(std::string_view tuple, uint64_t times) {
  std::string out;
  out.reserve(tuple.size() * times);
  for (uint64_t i = 0; i < times; ++i) out += tuple;
  return out;
}

std::string zlib_block(std::string_view tuple, uint64_t times) {
  const std::string bytes = repeated(tuple, times);
  uLongf size = compressBound(bytes.size());
  std::string packed(size, '\0');
  [[maybe_unused]] const int answer =
      compress2(reinterpret_cast<Bytef*>(packed.data()), &size,
                reinterpret_cast<const Bytef*>(bytes.data()), bytes.size(), Z_BEST_SPEED);
  assert(answer == Z_OK);
  packed.resize(size);
  return packed;
}

/// The lengths of LZ4 beyond the 15 that fit in half a byte.
void append_lz4_length(std::string& out, size_t length) {
  for (; length >= 255; length -= 255) out.push_back('\xff');
  out.push_back(static_cast<char>(length));
}

void append_lz4_literals(std::string& out, std::string_view bytes, unsigned match_half) {
  const size_t half = std::min<size_t>(bytes.size(), 15);
  out.push_back(static_cast<char>(half << 4U | match_half));
  if (half == 15) append_lz4_length(out, bytes.size() - 15);
  out += bytes;
}

/// The tuple, a match that goes on from it, and the five literals that must end a block: its format
/// is so simple that we need no library.
std::string lz4_block(std::string_view tuple, uint64_t times) {
  constexpr size_t kLastLiterals = 5;
  constexpr size_t kLeastMatch = 4;
  constexpr size_t kLeastBlock = 13;  // No match begins in the last twelve bytes.
  const size_t size = tuple.size() * times;
  std::string out;
  if (size < tuple.size() + kLeastBlock) {
    append_lz4_literals(out, repeated(tuple, times), 0);
    return out;
  }
  const size_t match = size - tuple.size() - kLastLiterals;
  const auto half = static_cast<unsigned>(std::min<size_t>(match - kLeastMatch, 15));
  append_lz4_literals(out, tuple, half);
  out.push_back(static_cast<char>(tuple.size()));  // How far back, little-endian.
  out.push_back('\0');
  if (half == 15) append_lz4_length(out, match - kLeastMatch - 15);
  const std::string two = repeated(tuple, 2 + kLastLiterals / tuple.size());
  append_lz4_literals(out, std::string_view(two).substr(two.size() - kLastLiterals), 0);
  return out;
}

std::string packed_base64(std::string_view tuple, uint64_t times, const Encoding& encoding) {
  const uint64_t in_block = kBlockBytes / tuple.size();
  const uint64_t whole = times / in_block;
  const uint64_t rest = times % in_block;
  const auto pack = [&](uint64_t count) {
    return encoding.compressor == Compressor::kLz4 ? lz4_block(tuple, count)
                                                   : zlib_block(tuple, count);
  };
  std::string header;
  append_size(header, whole + (rest != 0 ? 1 : 0), encoding);
  append_size(header, in_block * tuple.size(), encoding);
  append_size(header, rest * tuple.size(), encoding);
  const std::string block = whole > 0 ? pack(in_block) : "";
  std::string data;
  for (uint64_t i = 0; i < whole; ++i) {
    append_size(header, block.size(), encoding);
    data += block;
  }
  if (rest != 0) {
    const std::string last = pack(rest);
    append_size(header, last.size(), encoding);
    data += last;
  }
  return base64_of(header) + base64_of(data);
}

std::string raw_base64(std::string_view tuple, uint64_t times, const Encoding& encoding) {
  std::string bytes;
  append_size(bytes, tuple.size() * times, encoding);
  bytes += repeated(tuple, times);
  return base64_of(bytes);
}

template <class T>
std::string type_name() {
  if (std::is_floating_point_v<T>) return fmt::format("Float{}", 8 * sizeof(T));
  return fmt::format("{}Int{}", std::is_signed_v<T> ? "" : "U", 8 * sizeof(T));
}

}  // namespace

std::string constant_array_xml(const Array& array, uint64_t times, const Encoding& encoding) {
  std::string type;
  std::string tuple;
  std::visit(
      [&](const auto& values) {
        using T = typename std::decay_t<decltype(values)>::value_type;
        if constexpr (std::is_arithmetic_v<T>) {
          type = type_name<T>();
          for (const T value : values) append_number(tuple, value, encoding.big_endian);
        }
      },
      array.values);
  assert(!tuple.empty() && tuple.size() <= UINT8_MAX);
  return fmt::format(
      "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"binary\">\n{}\n"
      "</DataArray>\n",
      type, base::html_escaped(base::printable(array.name)), array.components,
      encoding.compressor == Compressor::kNone ? raw_base64(tuple, times, encoding)
                                               : packed_base64(tuple, times, encoding));
}

}  // namespace pathline::vtk
