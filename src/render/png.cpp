// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <csetjmp>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <png.h>

#include "base/file.hpp"
#include "render/image.hpp"

namespace pathline::render {
namespace {

// Flat areas compress well at any level; what costs is the noise of dense lines, where higher
// levels gain little.
constexpr int kCompressionLevel = 5;

struct Encoding {
  bool opaque = false;
  std::vector<uint8_t> row;  // without alpha
  std::vector<png_text> texts;
  std::vector<uint8_t> bytes;
  std::string failure;
};

void append(png_structp png, png_bytep data, png_size_t size) {
  auto* encoding = static_cast<Encoding*>(png_get_io_ptr(png));
  encoding->bytes.insert(encoding->bytes.end(), data, data + size);
}

void fail(png_structp png, png_const_charp message) {
  static_cast<Encoding*>(png_get_error_ptr(png))->failure = message;
  png_longjmp(png, 1);
}

void ignore(png_structp, png_const_charp) {}

bool is_opaque(const Image& image) {
  for (size_t i = 3; i < image.rgba.size(); i += 4) {
    if (image.rgba[i] != 255) return false;
  }
  return true;
}

void write(png_structp png, png_infop info, const Image& image, Encoding& encoding) {
  png_set_compression_level(png, kCompressionLevel);
  png_set_filter(png, 0, PNG_FILTER_UP);
  png_set_IHDR(png, info, image.width, image.height, 8,
               encoding.opaque ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_RGBA, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  if (!encoding.texts.empty()) {
    png_set_text(png, info, encoding.texts.data(), static_cast<int>(encoding.texts.size()));
  }
  png_write_info(png, info);
  for (uint32_t y = 0; y < image.height; ++y) {
    const uint8_t* from = image.pixel(0, y);
    if (!encoding.opaque) {
      png_write_row(png, from);
      continue;
    }
    uint8_t* to = encoding.row.data();
    for (uint32_t x = 0; x < image.width; ++x, from += 4, to += 3) std::copy_n(from, 3, to);
    png_write_row(png, encoding.row.data());
  }
  png_write_end(png, info);
}

}  // namespace

base::Result<std::vector<uint8_t>> encode_png(const Image& image, const TextMetadata& metadata) {
  if (image.width == 0 || image.height == 0 ||
      image.rgba.size() != size_t{4} * image.width * image.height) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       fmt::format("an image of {} x {} pixels with {} bytes cannot be written",
                                   image.width, image.height, image.rgba.size())};
  }
  Encoding encoding;
  for (const auto& [keyword, text] : metadata) {
    if (keyword.empty() || keyword.size() > 79) {
      return base::Error{base::ErrorCode::kInvalidArgument,
                         fmt::format("'{}' is not a PNG keyword (1 to 79 letters)", keyword)};
    }
    png_text entry{};
    entry.compression = PNG_ITXT_COMPRESSION_NONE;
    entry.key = const_cast<char*>(keyword.c_str());  // libpng copies both
    entry.text = const_cast<char*>(text.c_str());
    entry.itxt_length = text.size();
    encoding.texts.push_back(entry);
  }

  encoding.row.resize(size_t{3} * image.width);
  encoding.opaque = is_opaque(image);

  // Everything with a destructor lives outside of what longjmp leaves.
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &encoding, fail, ignore);
  png_infop info = png == nullptr ? nullptr : png_create_info_struct(png);
  if (info == nullptr) {
    png_destroy_write_struct(&png, nullptr);
    return base::Error{base::ErrorCode::kIo, "libpng could not be initialised"};
  }
  if (setjmp(png_jmpbuf(png)) == 0) {
    png_set_write_fn(png, &encoding, append, nullptr);
    write(png, info, image, encoding);
  }
  png_destroy_write_struct(&png, &info);
  if (!encoding.failure.empty()) {
    return base::Error{base::ErrorCode::kInvalidArgument,
                       fmt::format("the image cannot be encoded: {}", encoding.failure)};
  }
  return std::move(encoding.bytes);
}

base::Status write_png(const Image& image, const std::string& path, const TextMetadata& metadata) {
  const auto bytes = encode_png(image, metadata);
  if (!bytes.ok()) return bytes.error();
  const auto& data = bytes.value();
  return base::write_file(path, {reinterpret_cast<const char*>(data.data()), data.size()});
}

}  // namespace pathline::render
