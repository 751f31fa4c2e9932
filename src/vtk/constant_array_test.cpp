// SPDX-License-Identifier: BSD-3-Clause
#include "vtk/constant_array.hpp"

#include <algorithm>
#include <cstring>

#include <gtest/gtest.h>
#include <zlib.h>

namespace pathline::vtk {
namespace {

/// RFC 4648, one text with padding at its end; takes it off the front.
std::string take_base64(std::string_view& text, size_t bytes) {
  const auto value = [](char c) -> unsigned {
    constexpr std::string_view kAlphabet =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    return c == '=' ? 0 : static_cast<unsigned>(kAlphabet.find(c));
  };
  std::string out;
  while (out.size() < bytes && text.size() >= 4) {
    const unsigned word =
        value(text[0]) << 18U | value(text[1]) << 12U | value(text[2]) << 6U | value(text[3]);
    for (const unsigned shift : {16U, 8U, 0U}) out.push_back(static_cast<char>(word >> shift));
    text.remove_prefix(4);
  }
  out.resize(bytes);
  return out;
}

/// A decoder after LZ4's description of its blocks.
std::string unpacked_lz4(std::string_view in) {
  std::string out;
  size_t at = 0;
  const auto byte = [&] { return static_cast<uint8_t>(in[at++]); };
  const auto length = [&](unsigned half) {
    size_t total = half;
    if (half != 15) return total;
    for (uint8_t next = 255; next == 255;) total += next = byte();
    return total;
  };
  while (at < in.size()) {
    const unsigned token = byte();
    const size_t literals = length(token >> 4U);
    out.append(in.substr(at, literals));
    at += literals;
    if (at == in.size()) break;
    const size_t back = byte() | byte() << 8U;
    const size_t match = length(token & 15U) + 4;
    // As encoders must leave it.
    EXPECT_GE(in.size() - at, 6U);
    for (size_t i = 0; i < match; ++i) out.push_back(out[out.size() - back]);
  }
  return out;
}

std::string unpacked(std::string_view in, size_t size, Encoding::Compressor compressor) {
  if (compressor == Encoding::Compressor::kLz4) return unpacked_lz4(in);
  std::string out(size, '\0');
  uLongf length = size;
  EXPECT_EQ(uncompress(reinterpret_cast<Bytef*>(out.data()), &length,
                       reinterpret_cast<const Bytef*>(in.data()), in.size()),
            Z_OK);
  out.resize(length);
  return out;
}

std::string data_of(const std::string& xml) {
  const size_t begin = xml.find(">\n") + 2;
  return xml.substr(begin, xml.find("\n</DataArray>") - begin);
}

/// The bytes of all tuples, as VTK takes them out of the text.
std::string read(const std::string& xml, const Encoding& encoding) {
  const std::string text = data_of(xml);
  std::string_view rest = text;
  const unsigned width = encoding.header_bytes;
  const auto number = [&](const std::string& bytes, size_t index) {
    uint64_t value = 0;
    for (unsigned i = 0; i < width; ++i) {
      const unsigned at = encoding.big_endian ? width - 1 - i : i;
      value |= static_cast<uint64_t>(static_cast<uint8_t>(bytes[index * width + at])) << 8U * i;
    }
    return value;
  };
  std::string_view peek = rest;
  const size_t count = number(take_base64(peek, width), 0);
  if (encoding.compressor == Encoding::Compressor::kNone) {
    return take_base64(rest, width + count).substr(width);
  }
  const std::string header = take_base64(rest, (3 + count) * width);
  size_t total = 0;
  for (size_t i = 0; i < count; ++i) total += number(header, 3 + i);
  const std::string data = take_base64(rest, total);
  EXPECT_TRUE(rest.empty());
  std::string out;
  size_t at = 0;
  for (size_t i = 0; i < count; ++i) {
    const size_t packed = number(header, 3 + i);
    const size_t last = number(header, 2);
    const size_t size = i + 1 == count && last != 0 ? last : number(header, 1);
    const std::string block =
        unpacked(std::string_view(data).substr(at, packed), size, encoding.compressor);
    EXPECT_EQ(block.size(), size);
    out += block;
    at += packed;
  }
  return out;
}

TEST(ConstantArray, ComesBackInEveryEncoding) {
  using C = Encoding::Compressor;
  for (const C compressor : {C::kNone, C::kZlib, C::kLz4}) {
    for (const unsigned header : {4U, 8U}) {
      for (const bool big : {false, true}) {
        const Encoding encoding{big, header, compressor};
        // Two whole blocks of 2^15 tuples and a rest; one block; too few for a match of LZ4; none.
        for (const size_t times : {70000, 32768, 65536, 3, 2, 1, 0}) {
          const Array array{.name = "a", .values = std::vector<double>{-1.25}};
          const std::string bytes = read(constant_array_xml(array, times, encoding), encoding);
          ASSERT_EQ(bytes.size(), 8 * times);
          std::string tuple(8, '\0');
          constexpr double kValue = -1.25;
          std::memcpy(tuple.data(), &kValue, sizeof kValue);
          if (big) std::reverse(tuple.begin(), tuple.end());
          for (size_t i = 0; i < times; ++i) ASSERT_EQ(bytes.compare(8 * i, 8, tuple), 0) << i;
        }
      }
    }
  }
}

TEST(ConstantArray, Lz4TakesNumbersOfFourBytes) {
  const Encoding encoding{.compressor = Encoding::Compressor::kLz4};
  for (size_t times = 0; times < 100; ++times) {
    const Array array{.name = "a", .values = std::vector<uint32_t>{0x01020304}};
    const std::string bytes = read(constant_array_xml(array, times, encoding), encoding);
    ASSERT_EQ(bytes.size(), 4 * times);
    for (size_t i = 0; i < times; ++i) ASSERT_EQ(bytes.substr(4 * i, 4), "\4\3\2\1");
  }
}

TEST(ConstantArray, SaysNameAndType) {
  const auto xml = [](Array::Values values) {
    return constant_array_xml({.name = "a < \"b\"", .values = std::move(values)}, 1, {});
  };
  EXPECT_TRUE(
      xml(std::vector<int32_t>{1})
          .starts_with(
              "<DataArray type=\"Int32\" Name=\"a &lt; &quot;b&quot;\" NumberOfComponents=\"1\" "
              "format=\"binary\">"));
  EXPECT_NE(xml(std::vector<uint64_t>{1}).find("type=\"UInt64\""), std::string::npos);
  EXPECT_NE(xml(std::vector<double>{1}).find("type=\"Float64\""), std::string::npos);
}

}  // namespace
}  // namespace pathline::vtk
