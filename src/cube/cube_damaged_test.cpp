// SPDX-License-Identifier: BSD-3-Clause
//
// Damaged and hostile profiles: what each is told.
#include <filesystem>
#include <functional>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cube/anchor.hpp"
#include "cube/reader.hpp"
#include "cube/test_cube.hpp"

namespace pathline::cube {
namespace {

using base::ErrorCode;
using ::testing::HasSubstr;

base::Result<profile::ProfileFile> read_text(const std::string& bytes) {
  return read_bytes({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()}, "run.cubex");
}

void expect_error(const std::string& bytes, ErrorCode code, const std::string& message) {
  const auto file = read_text(bytes);
  ASSERT_FALSE(file.ok()) << "it was read, expected: " << message;
  EXPECT_EQ(file.error().message, message);
  EXPECT_EQ(file.error().code, code) << message;
}
void expect_corrupt(const std::string& bytes, const std::string& message) {
  expect_error(bytes, ErrorCode::kCorrupt, message);
}

/// main -> solve, two locations, one metric with id 7.
TestCube small(bool packed = false) {
  TestCube cube(2);
  cube.call_path("solve", cube.call_path("main"));
  cube.metric({.values = {{1, 2}, {3, 4}}, .packed = packed});
  return cube;
}

/// Index, data and anchor, in this order.
std::string changed(bool packed, const std::function<void(TestCube::Members&)>& change) {
  const TestCube cube = small(packed);
  auto members = cube.members();
  change(members);
  return cube.bytes(members);
}
constexpr bool kRaw = false;
constexpr bool kPacked = true;

std::string with_anchor(const std::string& from, const std::string& to) {
  return changed(kRaw, [&](TestCube::Members& members) {
    std::string& anchor = members[2].second;
    const size_t at = anchor.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    anchor.replace(at, from.size(), to);
  });
}
std::string with_index(size_t at, const std::string& bytes) {
  return changed(kRaw, [&](auto& members) { members[0].second.replace(at, bytes.size(), bytes); });
}
std::string with_packed(size_t at, uint64_t value) {
  return changed(kPacked, [&](auto& members) {
    std::string bytes;
    TestCube(1).put(bytes, value);
    members[1].second.replace(at, bytes.size(), bytes);
  });
}

TEST(DamagedCube, IsWholeToBeginWith) {
  EXPECT_TRUE(read_text(small().bytes()).ok());
  EXPECT_TRUE(read_text(small(kPacked).bytes()).ok());
}

TEST(DamagedCube, ThatDoesNotExistOrIsAFolderIsNoCrash) {
  const auto missing = read("/nowhere/run.cubex");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kNotFound);
  EXPECT_THAT(missing.error().message, HasSubstr("/nowhere/run.cubex"));
  const auto folder = read(std::filesystem::temp_directory_path());
  ASSERT_FALSE(folder.ok());
  EXPECT_EQ(folder.error().code, ErrorCode::kIo);
}

TEST(DamagedCube, CutAnywhereIsAnErrorOrLosesOnlyItsEndMark) {
  for (const bool packed : {kRaw, kPacked}) {
    TestCube cube = small(packed);
    for (const bool gzip : {false, true}) {
      cube.gzip_all = gzip;
      const std::string bytes = cube.bytes();
      // The anchor is the last member; what is behind its data is padding.
      const size_t data_end = bytes.find("</cube>\n") + 8;
      for (size_t size = 0; size < bytes.size(); ++size) {
        const auto file = read_text(bytes.substr(0, size));
        const bool is_complete = !gzip && size >= data_end;
        ASSERT_EQ(file.ok(), is_complete) << size << " of " << bytes.size() << " bytes";
        if (is_complete) continue;
        ASSERT_THAT(file.error().message, HasSubstr("run.cubex"));
      }
    }
  }
}

TEST(DamagedCube, ThatIsNoTarArchive) {
  expect_corrupt("", "cannot read run.cubex: it is empty, expected a tar archive");
  expect_corrupt(std::string(600, 'x'),
                 "cannot read run.cubex: byte 0: no tar header, expected the archive that Cube "
                 "writes");
  expect_corrupt("hello",
                 "cannot read run.cubex: byte 5: it ends within a tar header (file is "
                 "truncated)");
  expect_corrupt(TestCube::tar({{"0.index", "x"}}).substr(0, 1024) + std::string(512, 'x'),
                 "cannot read run.cubex: byte 1024: no tar header");
  expect_corrupt(std::string(2048, '\0'),
                 "cannot read run.cubex: the archive has no anchor.xml, so it is no Cube profile");
}

TEST(DamagedCube, WithSizesThatAreNone) {
  std::string bytes = small().bytes();
  bytes.replace(124, 11, "0000000x032");
  expect_corrupt(bytes, "cannot read run.cubex: byte 0: the size of 7.index is no number");
  bytes.replace(124, 12, std::string(12, '\xff'));
  expect_corrupt(bytes, "cannot read run.cubex: byte 0: the size of 7.index is no number");
  bytes.replace(124, 12, std::string("\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff", 12));
  expect_corrupt(bytes,
                 "cannot read run.cubex: byte 0: 7.index has 9223372036854775807 bytes, but only "
                 "4096 follow (file is truncated)");
  bytes.replace(124, 12, std::string("77777777777\0", 12));
  expect_corrupt(bytes,
                 "cannot read run.cubex: byte 0: 7.index has 8589934591 bytes, but only 4096 "
                 "follow (file is truncated)");
}

TEST(DamagedCube, WithMembersTwiceOrMissing) {
  expect_corrupt(changed(kRaw, [](auto& members) { members.push_back(members[1]); }),
                 "cannot read run.cubex: byte 3584: the archive has 7.data twice");
  expect_corrupt(changed(kRaw, [](auto& members) { members.pop_back(); }),
                 "cannot read run.cubex: the archive has no anchor.xml, so it is no Cube profile");
  expect_corrupt(changed(kRaw, [](auto& members) { members.erase(members.begin()); }),
                 "cannot read run.cubex: 7.index: the archive has no such member, but 7.data");
  expect_corrupt(changed(kRaw, [](auto& members) { members.erase(members.begin() + 1); }),
                 "cannot read run.cubex: 7.data: the archive has no such member, but 7.index");
}

TEST(DamagedCube, WithAnAnchorThatIsNoXml) {
  expect_corrupt(with_anchor("</metrics>", "</metric>"),
                 "cannot read run.cubex: anchor.xml: line 5: no XML: mismatched tag");
  expect_corrupt(changed(kRaw, [](auto& members) { members[2].second.clear(); }),
                 "cannot read run.cubex: anchor.xml: line 1: no XML: no element found");
  expect_corrupt(with_anchor("main", "\xff"),
                 "cannot read run.cubex: anchor.xml: line 7: no XML: not well-formed (invalid "
                 "token)");
  expect_corrupt(with_anchor("<cube ", "<html "),
                 "cannot read run.cubex: anchor.xml: line 2: the document is a <html>, expected "
                 "<cube>");
  expect_error(with_anchor("version=\"4.4\"", "version=\"3.0\""), ErrorCode::kUnsupported,
               "cannot read run.cubex: anchor.xml: line 2: Cube version 3.0, only 4 can be read");
  expect_corrupt(changed(kRaw,
                         [](auto& members) {
                           members[2].second = TestCube::gzip(members[2].second).substr(0, 100);
                         }),
                 "cannot unpack run.cubex: anchor.xml: it ends at byte 100, within packed data");
}

TEST(DamagedCube, WithEntitiesThatStandForMuchText) {
  std::string bomb = "<?xml version=\"1.0\"?><!DOCTYPE cube [<!ENTITY a0 \"ha\">";
  for (int i = 1; i < 40; ++i) bomb += fmt::format("<!ENTITY a{} \"&a{};&a{};\">", i, i - 1, i - 1);
  expect_corrupt(TestCube::tar({{"anchor.xml", bomb + "]><cube>&a39;</cube>"}}),
                 "cannot read run.cubex: anchor.xml: line 1: a document type, which no Cube "
                 "profile has");
  expect_corrupt(
      TestCube::tar({{"anchor.xml", "<!DOCTYPE cube SYSTEM \"file:///etc/passwd\"><cube/>"}}),
      "cannot read run.cubex: anchor.xml: line 1: a document type, which no Cube profile has");
  expect_corrupt(with_anchor("main", "&a;"),
                 "cannot read run.cubex: anchor.xml: line 7: no XML: undefined entity");
}

TEST(DamagedCube, WithIdsThatAreNone) {
  const std::string place = "cannot read run.cubex: anchor.xml: ";
  expect_corrupt(with_anchor("<metric id=\"7\"", "<metric"), place + "line 4: a metric without id");
  expect_corrupt(with_anchor("<metric id=\"7\"", "<metric id=\"-7\""),
                 place + "line 4: the id of a metric is '-7', expected a number");
  expect_corrupt(with_anchor("<region id=\"500\"", "<region id=\"\""),
                 place + "line 7: the id of a region is '', expected a number");
  expect_corrupt(with_anchor("<cnode id=\"1\"", "<cnode id=\"4294967296\""),
                 place + "line 9: the id of a cnode is '4294967296', expected a number");
  expect_corrupt(with_anchor("calleeId=\"500\"", "calleeId=\"0x1\""),
                 place + "line 9: the calleeId of a cnode is '0x1', expected a number");
  expect_corrupt(with_anchor("<location Id=\"1\"", "<location Id=\"one\""),
                 place + "line 14: the Id of a location is 'one', expected a number");
  expect_corrupt(with_anchor("calleeId=\"500\"", "calleeId=\"99\""),
                 place + "cnode 1 calls region 99, which is not declared");
}

TEST(DamagedCube, WithIdsTwice) {
  const std::string place = "cannot read run.cubex: anchor.xml: ";
  expect_corrupt(
      with_anchor("<metrics>", "<metrics><metric id=\"7\"><uniq_name>x</uniq_name></metric>"),
      place + "metric 7 is declared twice");
  expect_corrupt(
      with_anchor("<metrics>", "<metrics><metric id=\"8\"><uniq_name>time</uniq_name></metric>"),
      place + "two metrics have the unique name 'time'");
  expect_corrupt(with_anchor("<region id=\"500\"", "<region id=\"501\""),
                 place + "region 501 is declared twice");
  expect_corrupt(with_anchor("<cnode id=\"1\"", "<cnode id=\"0\""),
                 place + "cnode 0 is declared twice");
  expect_corrupt(with_anchor("<location Id=\"1\"", "<location Id=\"0\""),
                 place + "location 0 is declared twice");
}

TEST(DamagedCube, WithNothingToRead) {
  const std::string place = "cannot read run.cubex: anchor.xml: ";
  const auto anchor = [](const std::string& xml) {
    return TestCube::tar({{"anchor.xml", "<cube>" + xml + "</cube>"}});
  };
  const std::string metric =
      "<metrics><metric id=\"0\"><uniq_name>a</uniq_name></metric></metrics>";
  const std::string cnode = "<program><region id=\"0\"/><cnode id=\"0\" calleeId=\"0\"/></program>";
  expect_corrupt(anchor(""), place + "it declares no metric");
  expect_corrupt(anchor(metric), place + "it declares no cnode (call path)");
  expect_corrupt(anchor(metric + cnode), place + "it declares no location");
  expect_corrupt(anchor("<metrics><metric id=\"3\"/></metrics>" + cnode +
                        "<system><location Id=\"0\"/></system>"),
                 place + "metric 3 has no unique name (uniq_name)");
}

TEST(DamagedCube, WithAnIndexThatIsNone) {
  const std::string place = "cannot read run.cubex: 7.index: ";
  using std::string_literals::operator""s;
  expect_corrupt(with_index(0, "D"), place + "byte 0: no index of rows");
  expect_corrupt(changed(kRaw, [](auto& members) { members[0].second.resize(21); }),
                 place + "byte 21: it is cut");
  expect_corrupt(with_index(11, "\2"), place + "byte 11: the mark of byte order is 2, expected 1");
  expect_error(with_index(15, "\1"), ErrorCode::kUnsupported,
               place +
                   "byte 15: an index of version 1 and form 1, only lists of rows (version 0, "
                   "form 1) can be read");
  expect_error(with_index(17, "\2"), ErrorCode::kUnsupported,
               place +
                   "byte 15: an index of version 0 and form 2, only lists of rows (version 0, "
                   "form 1) can be read");
  expect_corrupt(with_index(18, "\xff\xff\xff\xff"),
                 place +
                     "byte 18: it counts 4294967295 rows, but has 30 bytes, expected "
                     "17179869202");
  expect_corrupt(changed(kRaw, [](auto& members) { members[0].second += '\0'; }),
                 place + "byte 18: it counts 2 rows, but has 31 bytes, expected 30");
  expect_corrupt(with_index(22, "\1\0\0\0\0"s), place + "byte 26: row 0 stands behind row 1");
  expect_corrupt(with_index(26, "\0"s), place + "byte 26: row 0 stands behind row 0");
  expect_corrupt(with_index(26, "\2"), place + "byte 26: row 2, but there are 2 call paths");
  // In the other byte order everything but the mark changes its meaning.
  expect_error(with_index(11, "\0\0\0\1\0\1"s), ErrorCode::kUnsupported,
               place +
                   "byte 15: an index of version 1 and form 1, only lists of rows (version 0, "
                   "form 1) can be read");
}

TEST(DamagedCube, WithDataThatAreNone) {
  const std::string place = "cannot read run.cubex: 7.data: ";
  expect_corrupt(changed(kRaw, [](auto& members) { members[1].second[0] = 'X'; }),
                 place + "byte 0: no rows of values");
  expect_corrupt(changed(kRaw, [](auto& members) { members[1].second.resize(41); }),
                 place + "byte 41: it ends, but 2 rows of 16 bytes end at byte 42");
  expect_corrupt(changed(kRaw, [](auto& members) { members[1].second.resize(43); }),
                 place + "byte 43: it ends, but 2 rows of 16 bytes end at byte 42");
  expect_corrupt(changed(kPacked, [](auto& members) { members[1].second.resize(18); }),
                 place + "byte 18: it is cut");
  expect_corrupt(changed(kPacked, [](auto& members) { members[1].second.resize(66); }),
                 place + "byte 66: it ends within the table of its 2 rows");
  expect_corrupt(with_packed(11, 3), place + "byte 11: it counts 3 rows, but the index counts 2");
  expect_corrupt(with_packed(11, UINT64_MAX),
                 place + "byte 11: it counts 18446744073709551615 rows, but the index counts 2");
}

TEST(DamagedCube, WithStreamsThatLieOutside) {
  const std::string data = small(kPacked).members()[1].second;
  const size_t streams = data.size() - 19 - 48;
  const auto outside = [&](uint64_t size, uint64_t from) {
    return fmt::format(
        "cannot read run.cubex: 7.data: byte 43: the data of row 1 are {} bytes at {}, but there "
        "are {}",
        size, from, streams);
  };
  // The table begins at 19; the second entry is (24 bytes on) place unpacked, place, size.
  uint64_t size = 0;
  uint64_t from = 0;
  std::memcpy(&from, data.data() + 19 + 24 + 8, 8);
  std::memcpy(&size, data.data() + 19 + 24 + 16, 8);
  expect_corrupt(with_packed(19 + 24 + 8, UINT64_MAX), outside(size, UINT64_MAX));
  expect_corrupt(with_packed(19 + 24 + 8, streams + 1), outside(size, streams + 1));
  expect_corrupt(with_packed(19 + 24 + 16, size + 1), outside(size + 1, from));
  // Their sum overflows.
  expect_corrupt(with_packed(19 + 24 + 16, UINT64_MAX - 3), outside(UINT64_MAX - 3, from));
}

/// One row of two locations: 16 bytes.
std::string with_stream(const std::string& stream) {
  TestCube cube(2);
  cube.call_path("main");
  cube.metric({.values = {{1, 2}}, .packed = true});
  auto members = cube.members();
  std::string& data = members[1].second;
  data.resize(11 + 8 + 16);
  cube.put<uint64_t>(data, stream.size());
  data += stream;
  return cube.bytes(members);
}

TEST(DamagedCube, WithStreamsThatDoNotUnpackToTheirRow) {
  const std::string place = "cannot read run.cubex: 7.data: the stream of row 0 ";
  const std::string row(16, '\0');
  ASSERT_TRUE(read_text(with_stream(TestCube::zip(row))).ok());
  expect_corrupt(with_stream(TestCube::zip(row.substr(1))),
                 place + "unpacks to 15 bytes, expected 16");
  expect_corrupt(with_stream(TestCube::zip("")), place + "unpacks to 0 bytes, expected 16");
  expect_corrupt(with_stream(TestCube::zip(row + row)), place + "unpacks to more than 16 bytes");
  expect_corrupt(with_stream(TestCube::zip(std::string(100'000'000, '\0'))),
                 place + "unpacks to more than 16 bytes");
  expect_corrupt(with_stream(TestCube::zip(row) + "more"), place + "has 4 bytes behind its end");
  const std::string stream = TestCube::zip(row);
  expect_corrupt(with_stream(stream.substr(0, stream.size() - 4)),
                 place + "is cut: it has 16 bytes of 16");
  expect_corrupt(with_stream(stream.substr(0, 3)), place + "is cut: it has 0 bytes of 16");
  expect_corrupt(with_stream("no zlib stream"), place + "is damaged: incorrect header check");
  std::string wrong_sum = stream;
  wrong_sum.back() = static_cast<char>(wrong_sum.back() ^ 1);
  expect_corrupt(with_stream(wrong_sum), place + "is damaged: incorrect data check");
}

TEST(DamagedCube, WithValuesThatAreNoNumbers) {
  TestCube cube(2);
  cube.call_path("main");
  cube.metric({.values = {{1, std::numeric_limits<double>::quiet_NaN()}}});
  expect_corrupt(cube.bytes(),
                 "cannot read run.cubex: 7.data: row 0: the value of location 1 is nan, no number");
  TestCube infinite(1);
  infinite.call_path("main");
  infinite.metric({.values = {{std::numeric_limits<double>::infinity()}}, .packed = true});
  expect_corrupt(infinite.bytes(),
                 "cannot read run.cubex: 7.data: row 0: the value of location 0 is inf, no number");
}

std::string repeated(std::string_view text, size_t count) {
  std::string result;
  result.reserve(text.size() * count);
  for (size_t i = 0; i < count; ++i) result += text;
  return result;
}

constexpr const char* kMetricAndRegion =
    "<cube><metrics><metric id=\"0\" type=\"EXCLUSIVE\"><uniq_name>time</uniq_name>"
    "<dtype>DOUBLE</dtype></metric></metrics><program><region id=\"0\"><name>f</name></region>";
constexpr const char* kOneLocation = "</program><system><location Id=\"0\"/></system></cube>";

TEST(DamagedCube, WithAMillionCnodesInEachOtherIsRefusedForTheirNames) {
  std::string xml = kMetricAndRegion;
  constexpr size_t kDepth = 1'000'000;
  for (size_t i = 0; i < kDepth; ++i) xml += fmt::format("<cnode id=\"{}\" calleeId=\"0\">", i);
  xml += repeated("</cnode>", kDepth) + kOneLocation;
  expect_error(TestCube::tar({{"anchor.xml", xml}}), ErrorCode::kUnsupported,
               "cannot read run.cubex: the names of its 1,000,000 call paths would take 1.50 TB on "
               "top of 0 B, and a file of this size may take 2.15 GB in all");
}

TEST(DamagedCube, WithAThousandCnodesInEachOtherIsRead) {
  std::string xml = kMetricAndRegion;
  constexpr size_t kDepth = 1000;
  for (size_t i = 0; i < kDepth; ++i) xml += fmt::format("<cnode id=\"{}\" calleeId=\"0\">", i);
  xml += repeated("</cnode>", kDepth) + kOneLocation;
  const auto file = read_text(TestCube::tar({{"anchor.xml", xml}}));
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file.value().table.call_paths.size(), kDepth);
  EXPECT_EQ(profile::path_names(file.value().table).back().size(), 3 * kDepth - 2);
}

TEST(DamagedCube, WithElementsNestedTooDeepIsRefused) {
  const std::string xml = "<cube>" + repeated("<a>", kMaxDepth + 1);
  expect_error(TestCube::tar({{"anchor.xml", xml}}), ErrorCode::kUnsupported,
               "cannot read run.cubex: anchor.xml: line 1: elements are nested more than 1048576 "
               "deep");
}

TEST(DamagedCube, ThatUnpacksToTooMuchIsRefused) {
  // An anchor in an archive in gzip, so that 20 kB stand for 100 MB twice packed.
  const std::string bomb = TestCube::gzip("<cube>" + std::string(200'000'000, ' ') + "</cube>");
  const std::string bytes = TestCube::gzip(TestCube::tar({{"anchor.xml", bomb}}));
  ASSERT_LT(bytes.size(), 10'000U);
  const size_t limit = kFreeBytes + kBytesPerByte * bytes.size();
  expect_error(
      bytes, ErrorCode::kUnsupported,
      fmt::format("cannot read run.cubex: anchor.xml: it unpacks to more than {} bytes", limit));
}

TEST(DamagedCube, WithMoreValuesThanItsSizeAllowsIsRefused) {
  // 3,000 x 3,000 values of one row.
  std::string xml = kMetricAndRegion;
  constexpr size_t kCount = 3000;
  for (size_t i = 0; i < kCount; ++i) xml += fmt::format("<cnode id=\"{}\" calleeId=\"0\"/>", i);
  xml += "</program><system>";
  for (size_t i = 0; i < kCount; ++i) xml += fmt::format("<location Id=\"{}\"/>", i);
  const std::string anchor = TestCube::gzip(xml + "</system></cube>");
  TestCube one(kCount);
  one.call_path("f");
  one.metric({.values = {std::vector<double>(kCount)}, .packed = true});
  const auto members = one.members();
  const std::string bytes = TestCube::tar(
      {{"0.index", members[0].second}, {"0.data", members[1].second}, {"anchor.xml", anchor}});
  const auto file = read_text(bytes);
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(file.error().message,
              HasSubstr("metric 'time' of 3,000 call paths and 3,000 locations would take 72.0 MB "
                        "on top of "));
  EXPECT_EQ(file.error().advice, "Fewer metrics take less memory.");
}

TEST(DamagedCube, WithALongNameForManyCallPathsIsRefused) {
  std::string xml = kMetricAndRegion;
  xml.replace(xml.find(">f<") + 1, 1, std::string(100'000, 'f'));
  for (size_t i = 0; i < 10'000; ++i) xml += fmt::format("<cnode id=\"{}\" calleeId=\"0\"/>", i);
  const auto file = read_text(TestCube::tar({{"anchor.xml", TestCube::gzip(xml + kOneLocation)}}));
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().code, ErrorCode::kUnsupported);
  EXPECT_THAT(file.error().message,
              HasSubstr("the names of its 10,000 call paths would take 1.00 GB"));
}

TEST(DamagedCube, IsNamedPrintably) {
  const auto file = read_bytes({}, "a\x1b[31m");
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().message.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace pathline::cube
