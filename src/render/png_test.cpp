// SPDX-License-Identifier: BSD-3-Clause
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>
#include <png.h>

#include "render/image.hpp"

namespace pathline::render {
namespace {

Image gradient(uint8_t alpha) {
  Image image{7, 5, {}};
  for (uint8_t i = 0; i < 35; ++i) {
    for (const int value : {i * 7, 255 - i, i * 3, int{alpha}}) {
      image.rgba.push_back(static_cast<uint8_t>(value));
    }
  }
  return image;
}

Image decoded(const std::vector<uint8_t>& bytes) {
  png_image reader{};
  reader.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_memory(&reader, bytes.data(), bytes.size()), 0);
  reader.format = PNG_FORMAT_RGBA;
  Image image{reader.width, reader.height, std::vector<uint8_t>(PNG_IMAGE_SIZE(reader))};
  EXPECT_NE(png_image_finish_read(&reader, nullptr, image.rgba.data(), 0, nullptr), 0);
  return image;
}

bool contains(const std::vector<uint8_t>& bytes, std::string_view text) {
  return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()).find(text) !=
         std::string_view::npos;
}

TEST(EncodePng, KeepsEveryPixelWithAndWithoutAlpha) {
  for (const uint8_t alpha : {uint8_t{255}, uint8_t{99}}) {
    const Image image = gradient(alpha);
    const auto bytes = encode_png(image);
    ASSERT_TRUE(bytes.ok()) << bytes.error().message;
    const Image back = decoded(bytes.value());
    EXPECT_EQ(back.width, image.width);
    EXPECT_EQ(back.rgba, image.rgba);
  }
}

TEST(EncodePng, GivesTheSameBytesForTheSameImage) {
  const TextMetadata metadata{{"Title", "a \u00b5 figure"}};
  const auto bytes = encode_png(gradient(255), metadata);
  EXPECT_EQ(bytes.value(), encode_png(gradient(255), metadata).value());
  EXPECT_TRUE(contains(bytes.value(), "a \u00b5 figure"));
}

TEST(EncodePng, RefusesImagesAndKeywordsThatMakeNoSense) {
  EXPECT_FALSE(encode_png(Image{}).ok());
  EXPECT_FALSE(encode_png(Image{2, 2, {1, 2, 3}}).ok());
  EXPECT_FALSE(encode_png(gradient(255), {{"", "text"}}).ok());
  EXPECT_FALSE(encode_png(gradient(255), {{std::string(80, 'k'), "text"}}).ok());
}

TEST(WritePng, WritesTheFileAndNamesItWhenItCannot) {
  const auto path = std::filesystem::temp_directory_path() /
                    ("pathline-png-test-" + std::to_string(getpid()) + ".png");
  ASSERT_TRUE(write_png(gradient(255), path.string()).ok());
  EXPECT_EQ(std::filesystem::file_size(path), encode_png(gradient(255)).value().size());
  std::filesystem::remove(path);
  const auto failed = write_png(gradient(255), "/no/such/folder/x.png");
  ASSERT_FALSE(failed.ok());
  EXPECT_NE(failed.error().message.find("/no/such/folder/x.png"), std::string::npos);
}

}  // namespace
}  // namespace pathline::render
