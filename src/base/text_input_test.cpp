// SPDX-License-Identifier: BSD-3-Clause
#include "base/text_input.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

#include "base/scratch_folder.hpp"

namespace pathline::base {
namespace {

std::string packed(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 9, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

class TextInputTest : public testing::Test {
 protected:
  Result<TextInput> open(const std::string& content) {
    const auto path = folder_.path() / "input";
    EXPECT_TRUE(write_file(path, content));
    return TextInput::open(path);
  }
  ScratchFolder folder_;
};

TEST_F(TextInputTest, GivesAPlainFileAsItIs) {
  const auto input = open("0 1 5\n");
  ASSERT_TRUE(input.ok());
  EXPECT_EQ(input.value().text(), "0 1 5\n");
}

TEST_F(TextInputTest, UnpacksAllMembersOfAGzipFile) {
  // Larger than any buffer, and so regular that the last input still has output behind it.
  const std::string large(1'000'000, 'x');
  const auto input = open(packed(large) + packed("end"));
  ASSERT_TRUE(input.ok()) << input.error().message;
  EXPECT_EQ(input.value().text(), large + "end");
}

TEST_F(TextInputTest, SaysWhereACutFileEnds) {
  const std::string whole = packed(std::string(1000, 'x') + "0123456789");
  for (const size_t size : {size_t{5}, whole.size() / 2, whole.size() - 1}) {
    const auto input = open(whole.substr(0, size));
    ASSERT_FALSE(input.ok()) << size;
    EXPECT_NE(input.error().message.find("ends at byte " + std::to_string(size)), std::string::npos)
        << input.error().message;
  }
}

TEST_F(TextInputTest, RefusesDamagedData) {
  std::string damaged = packed(std::string(1000, 'x') + "0123456789");
  damaged[damaged.size() - 6] = static_cast<char>(damaged[damaged.size() - 6] ^ 0x55);  // Checksum.
  const auto input = open(damaged);
  ASSERT_FALSE(input.ok());
  EXPECT_EQ(input.error().code, ErrorCode::kCorrupt);
}

}  // namespace
}  // namespace pathline::base
