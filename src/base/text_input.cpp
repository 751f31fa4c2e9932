// SPDX-License-Identifier: BSD-3-Clause
#include "base/text_input.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <memory>

#include <fmt/format.h>
#include <zlib.h>

namespace pathline::base {

Result<std::string> unpack_gzip(std::span<const uint8_t> packed, const std::string& name,
                                size_t max_bytes) {
  z_stream stream{};
  constexpr int kGzipOnly = 16 + MAX_WBITS;
  if (inflateInit2(&stream, kGzipOnly) != Z_OK) {
    return Error{ErrorCode::kIo, fmt::format("cannot unpack {}: no memory", name)};
  }
  const std::unique_ptr<z_stream, int (*)(z_stream*)> owner(&stream, inflateEnd);
  std::string text;
  std::array<char, 1 << 16> piece;
  size_t at = 0;
  while (at < packed.size()) {
    const auto room = static_cast<uInt>(std::min<size_t>(packed.size() - at, UINT_MAX));
    stream.next_in = const_cast<Bytef*>(packed.data() + at);
    stream.avail_in = room;
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    const int status = inflate(&stream, Z_NO_FLUSH);
    at += room - stream.avail_in;
    text.append(piece.data(), piece.size() - stream.avail_out);
    if (text.size() > max_bytes) {
      return Error{
          ErrorCode::kUnsupported,
          fmt::format("cannot read {}: it unpacks to more than {} bytes", name, max_bytes)};
    }
    if (status == Z_STREAM_END) {
      if (at == packed.size()) return text;
      inflateReset(&stream);
    } else if (status != Z_OK) {
      return Error{ErrorCode::kCorrupt,
                   fmt::format("cannot unpack {}: byte {}: {}", name, at,
                               stream.msg != nullptr ? stream.msg : "damaged data")};
    }
  }
  // The last of the input may still have more output behind it.
  for (int status = Z_OK; status == Z_OK;) {
    stream.avail_in = 0;
    stream.next_out = reinterpret_cast<Bytef*>(piece.data());
    stream.avail_out = static_cast<uInt>(piece.size());
    status = inflate(&stream, Z_NO_FLUSH);
    text.append(piece.data(), piece.size() - stream.avail_out);
    if (status == Z_STREAM_END) return text;
  }
  return Error{ErrorCode::kCorrupt,
               fmt::format("cannot unpack {}: it ends at byte {}, within packed data", name, at),
               "The file was cut; pack or copy it again."};
}

Result<TextInput> TextInput::open(const std::filesystem::path& path) {
  auto file = MappedFile::open(path);
  if (!file) return file.error();
  TextInput input(std::move(file).value());
  const auto bytes = input.file_.bytes();
  if (bytes.size() >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b) {
    auto text = unpack_gzip(bytes, path.string());
    if (!text) return text.error();
    input.unpacked_ = std::move(text).value();
  }
  return input;
}

}  // namespace pathline::base
