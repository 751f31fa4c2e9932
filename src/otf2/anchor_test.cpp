// SPDX-License-Identifier: BSD-3-Clause
#include "otf2/anchor.hpp"

#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace pathline::otf2 {
namespace {

using testing::HasSubstr;

/// An anchor file as OTF2 3.0 writes it, field by field.
class AnchorBytes {
 public:
  explicit AnchorBytes(bool big_endian) : big_endian_(big_endian) {
    byte(0x03).byte(big_endian ? 0x23 : 0x42);
    text("OTF2");
    byte(3).byte(2).byte(3).byte(0).byte(2);
    number(1 << 20, 8).number(4 << 20, 8);
    byte(1).byte(1);
    number(4, 8).number(99, 8);
    text("machine").text("creator").text("");
    number(1, 4).text("PATHLINE::A").text("true");
    trace_id_offset_ = bytes_.size();
    number(0x1122334455667788, 8).number(0, 4).number(0, 4);
    byte(2).byte(1).byte(0);
  }
  std::vector<uint8_t> bytes() const { return bytes_; }
  size_t trace_id_offset() const { return trace_id_offset_; }

 private:
  AnchorBytes& byte(uint8_t value) {
    bytes_.push_back(value);
    return *this;
  }
  AnchorBytes& number(uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; ++i) {
      byte(static_cast<uint8_t>(value >> 8 * (big_endian_ ? size - 1 - i : i)));
    }
    return *this;
  }
  AnchorBytes& text(std::string_view value) {
    bytes_.insert(bytes_.end(), value.begin(), value.end());
    return byte(0);
  }

  bool big_endian_;
  std::vector<uint8_t> bytes_;
  size_t trace_id_offset_ = 0;
};

class BothByteOrders : public testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(ParseAnchor, BothByteOrders, testing::Bool());

TEST_P(BothByteOrders, GivesTheFieldsThatAreInTheFile) {
  const AnchorBytes file(GetParam());
  const auto anchor = parse_anchor(file.bytes());
  ASSERT_TRUE(anchor.ok()) << anchor.error().message;
  EXPECT_THAT(anchor.value().version, testing::ElementsAre(3, 0, 2));
  EXPECT_EQ(anchor.value().event_chunk_bytes, 1 << 20);
  EXPECT_EQ(anchor.value().definition_chunk_bytes, 4 << 20);
  EXPECT_EQ(anchor.value().location_count, 4);
  EXPECT_EQ(anchor.value().definition_count, 99);
  EXPECT_EQ(anchor.value().trace_id_offset, file.trace_id_offset());
}

TEST_P(BothByteOrders, RefusesEveryTruncation) {
  const auto whole = AnchorBytes(GetParam()).bytes();
  for (size_t size = 0; size + 2 < whole.size(); ++size) {
    const auto anchor = parse_anchor(std::span(whole).first(size));
    ASSERT_FALSE(anchor.ok()) << size << " bytes";
    EXPECT_THAT(anchor.error().message, HasSubstr("offset ")) << size << " bytes";
  }
}

TEST(ParseAnchor, SaysWhyItCannotReadAnArchive) {
  const struct {
    size_t at;
    uint8_t byte;
    base::ErrorCode code;
    const char* fact;
  } cases[] = {{0, 0x04, base::ErrorCode::kCorrupt, "no OTF2 anchor file"},
               {1, 0x24, base::ErrorCode::kCorrupt, "byte order 0x24"},
               {3, 'X', base::ErrorCode::kCorrupt, "no OTF2 anchor file"},
               {7, 0, base::ErrorCode::kCorrupt, "anchor format 0"},
               {8, 3, base::ErrorCode::kUnsupported, "trace format 3"},
               {14, 0, base::ErrorCode::kCorrupt, "event chunk size 0"},
               {23, 0xff, base::ErrorCode::kCorrupt, "definition chunk size"},
               {28, 2, base::ErrorCode::kUnsupported, "SION"},
               {28, 3, base::ErrorCode::kCorrupt, "file substrate 3"},
               {29, 2, base::ErrorCode::kUnsupported, "zlib"},
               {29, 9, base::ErrorCode::kCorrupt, "compression 9"}};
  for (const auto& [at, byte, code, fact] : cases) {
    SCOPED_TRACE(fact);
    auto bytes = AnchorBytes(false).bytes();
    bytes[at] = byte;
    const auto anchor = parse_anchor(bytes);
    ASSERT_FALSE(anchor.ok());
    EXPECT_EQ(anchor.error().code, code);
    EXPECT_THAT(anchor.error().message, HasSubstr(fact));
  }
}

TEST(ParseAnchor, DoesNotTrustTheNumberOfProperties) {
  auto bytes = AnchorBytes(false).bytes();
  constexpr size_t kPropertyCount = 46 + 8 + 8 + 1;
  bytes[kPropertyCount + 3] = 0xff;
  const auto anchor = parse_anchor(bytes);
  ASSERT_FALSE(anchor.ok());
  EXPECT_THAT(anchor.error().message, HasSubstr("properties"));
}

TEST(ArchivePaths, StandBesideTheAnchor) {
  EXPECT_EQ(definitions_path("run/a.b.otf2"), "run/a.b.def");
  EXPECT_EQ(events_path("run/a.b.otf2", 1ULL << 40), "run/a.b/1099511627776.evt");
  EXPECT_EQ(local_definitions_path("a.otf2", 7), "a/7.def");
  EXPECT_EQ(markers_path("a.otf2"), "a.marker");
}

}  // namespace
}  // namespace pathline::otf2
