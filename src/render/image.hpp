// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace pathline::render {

/// Pixels, 4 bytes each: red, green, blue, alpha (straight, not premultiplied), row by row from
/// the top.
struct Image {
  uint32_t width = 0;
  uint32_t height = 0;
  std::vector<uint8_t> rgba;

  const uint8_t* pixel(uint32_t x, uint32_t y) const {
    return &rgba[(static_cast<size_t>(y) * width + x) * 4];
  }
};

/// Keyword (1 to 79 Latin-1 letters, "Title", "Description", "Software", ...) and UTF-8 text.
using TextMetadata = std::vector<std::pair<std::string, std::string>>;

/// The image as a PNG file. Alpha is left out when every pixel is opaque. The same image and
/// metadata give the same bytes; no time is written.
///
/// errors  kInvalidArgument for an image without pixels or a bad keyword.
base::Result<std::vector<uint8_t>> encode_png(const Image& image,
                                              const TextMetadata& metadata = {});

/// Writes encode_png(image) to `path`, replacing what is there.
///
/// errors  as encode_png; kIo with the path and the system's reason.
base::Status write_png(const Image& image, const std::string& path,
                       const TextMetadata& metadata = {});

}  // namespace pathline::render
