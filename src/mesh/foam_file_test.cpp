// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/foam_file.hpp"

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "mesh/test_foam.hpp"

namespace pathline::mesh {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kArch = "    arch \"LSB;label=32;scalar=64\";\n";

base::Result<std::vector<int64_t>> labels_in(const std::string& text, uint64_t most = 1000) {
  auto file = FoamFile::parse(text, "owner");
  if (!file) return file.error();
  return file.value().labels(most, "faces");
}
base::Result<std::vector<double>> points_in(const std::string& text) {
  auto file = FoamFile::parse(text, "points");
  if (!file) return file.error();
  return file.value().points();
}
base::Result<NumberLists> faces_in(const std::string& text) {
  auto file = FoamFile::parse(text, "faces");
  if (!file) return file.error();
  return file.value().faces();
}
template <class T>
std::string message_of(const base::Result<T>& result) {
  return result ? "no error" : result.error().message;
}

TEST(FoamFile, ReadsLabelsInAllTheirForms) {
  for (const auto& [list, expected] : {std::pair{"3(4 -1 6)", std::vector<int64_t>{4, -1, 6}},
                                       {"3\n(\n4 // four\n-1\n/* six: */ 6\n)\n", {4, -1, 6}},
                                       {"4{7}", {7, 7, 7, 7}},
                                       {"0()", {}},
                                       {"2(9223372036854775807 0)", {INT64_MAX, 0}}}) {
    const auto labels = labels_in(foam_text("labelList", list));
    ASSERT_TRUE(labels.ok()) << labels.error().message;
    EXPECT_EQ(labels.value(), expected) << list;
  }
}

TEST(FoamFile, ReadsBinaryLabelsOfEitherSizeAndOrder) {
  const auto of = [](const std::string& data, const char* arch) {
    return labels_in(foam_text("labelList", "2\n(" + data + ")", "binary",
                               fmt::format("    arch \"{}\";\n", arch)));
  };
  EXPECT_THAT(of(bytes_of<int32_t>({5, -2}), "LSB;label=32;scalar=64").value(), ElementsAre(5, -2));
  EXPECT_THAT(of(bytes_of<int64_t>({5, -2}), "LSB;label=64;scalar=32").value(), ElementsAre(5, -2));
  EXPECT_THAT(of(std::string("\0\0\0\5\xff\xff\xff\xfe", 8), "MSB;label=32;scalar=64").value(),
              ElementsAre(5, -2));
  EXPECT_THAT(labels_in(foam_text("labelList", "0\n", "binary", kArch)).value(), IsEmpty());
}

TEST(FoamFile, ReadsPoints) {
  EXPECT_THAT(points_in(foam_text("vectorField", "2\n((0 1e-3 -2.5) (1 2 3))")).value(),
              ElementsAre(0, 1e-3, -2.5, 1, 2, 3));
  EXPECT_THAT(points_in(foam_text("vectorField", "1\n(" + bytes_of<double>({1, 2, 0.5}) + ")",
                                  "binary", kArch))
                  .value(),
              ElementsAre(1, 2, 0.5));
  EXPECT_THAT(points_in(foam_text("vectorField", "1\n(" + bytes_of<float>({1, 2, 0.5}) + ")",
                                  "binary", "    arch \"LSB;label=32;scalar=32\";\n"))
                  .value(),
              ElementsAre(1, 2, 0.5));
}

TEST(FoamFile, ReadsFaces) {
  const auto faces = faces_in(foam_text("faceList", "2\n(\n3(0 1 2)\n4(3 4 5 6)\n)"));
  ASSERT_TRUE(faces.ok()) << faces.error().message;
  ASSERT_EQ(faces.value().size(), 2U);
  EXPECT_THAT(faces.value()[0], ElementsAre(0, 1, 2));
  EXPECT_THAT(faces.value()[1], ElementsAre(3, 4, 5, 6));
  // Compact: where each begins and the last ends, then the corners.
  const std::string begins = "3\n(" + bytes_of<int32_t>({0, 3, 7}) + ")";
  const std::string corners = "\n\n7\n(" + bytes_of<int32_t>({0, 1, 2, 3, 4, 5, 6}) + ")";
  const auto compact = faces_in(foam_text("faceCompactList", begins + corners, "binary", kArch));
  ASSERT_TRUE(compact.ok()) << compact.error().message;
  EXPECT_EQ(compact.value().numbers, faces.value().numbers);
  EXPECT_EQ(compact.value().ends, faces.value().ends);
}

TEST(FoamFile, SaysWhereAnAsciiFileIsWrong) {
  EXPECT_EQ(message_of(labels_in("points everywhere")),
            "cannot read owner: line 1: a header 'FoamFile { ... }' was expected");
  EXPECT_THAT(message_of(labels_in("FoamFile { format ascii; class")),
              HasSubstr("line 1: the header is damaged or ends early"));
  EXPECT_THAT(message_of(labels_in(foam_text("labelList", "1(0)", "hex"))),
              HasSubstr("format is 'hex', expected ascii or binary"));
  EXPECT_EQ(message_of(labels_in(foam_text("labelList", "3(0\n1\nx)"))),
            "cannot read owner: line 14: entry 2 of 3 is not a number");
  EXPECT_THAT(message_of(labels_in(foam_text("labelList", "2(0 1 2)"))),
              HasSubstr("line 12: ')' was expected behind 2 entries"));
  EXPECT_THAT(message_of(labels_in(foam_text("labelList", "(1 2)"))),
              HasSubstr("line 12: the length of a list was expected"));
  EXPECT_THAT(message_of(points_in(foam_text("vectorField", "1((0 nan 0))"))),
              HasSubstr("line 12: point 0 of 1 is not three finite numbers"));
  EXPECT_THAT(message_of(points_in(foam_text("vectorField", "2((0 1 0)"))),
              HasSubstr("point 1 of 2 is not"));
}

TEST(FoamFile, TakesNoMemoryForWhatIsNotThere) {
  constexpr const char* kMany = "999999999999999999";
  EXPECT_THAT(message_of(labels_in(foam_text("labelList", std::string(kMany) + "{1}"))),
              HasSubstr("has 999999999999999999 entries, but there are 1000 faces"));
  EXPECT_THAT(message_of(labels_in(foam_text("labelList", std::string(kMany) + "(1)"))),
              HasSubstr("but there are 1000 faces"));
  EXPECT_THAT(message_of(points_in(foam_text("vectorField", std::string(kMany) + "((1 2 3))"))),
              HasSubstr("point 1 of 999999999999999999"));
  EXPECT_THAT(message_of(faces_in(foam_text("faceList", std::string(kMany) + "(3(0 1 2))"))),
              HasSubstr("the length of a list was expected"));
  // A face of equal corners is none, and each could stand for as many as the file has bytes.
  EXPECT_THAT(message_of(faces_in(foam_text("faceList", "2(9{0} 9{0})"))),
              HasSubstr("a list in '(' and ')' was expected"));
  EXPECT_THAT(message_of(points_in(
                  foam_text("vectorField", std::string(kMany) + "\n(12345678)", "binary", kArch))),
              HasSubstr("a list of 999999999999999999 elements of 24 bytes was expected, but there "
                        "are only 10 bytes"));
}

TEST(FoamFile, SaysWhereABinaryFileIsWrong) {
  const std::string text =
      foam_text("labelList", "2\n(" + bytes_of<int32_t>({5, 6}) + "]", "binary", kArch);
  EXPECT_EQ(message_of(labels_in(text)),
            fmt::format("cannot read owner: offset {}: the list of 2 elements does not end in ')'",
                        text.size() - 2));
  const std::string descending = "3\n(" + bytes_of<int32_t>({0, 7, 3}) + ")\n7\n(" +
                                 bytes_of<int32_t>({0, 1, 2, 3, 4, 5, 6}) + ")";
  EXPECT_THAT(message_of(faces_in(foam_text("faceCompactList", descending, "binary", kArch))),
              HasSubstr("must begin at ascending places among their 7 corners"));
  EXPECT_THAT(message_of(labels_in(foam_text("labelList", "1(1)", "binary",
                                             "    arch \"LSB;label=16;scalar=64\";\n"))),
              HasSubstr("arch is 'LSB;label=16;scalar=64'"));
}

TEST(FoamFile, RefusesWhatItCannotRead) {
  EXPECT_EQ(faces_in(foam_text("faceList", "1(3(0 1 2))", "binary", kArch)).error().code,
            base::ErrorCode::kUnsupported);
  const auto collated = labels_in(foam_text("decomposedBlockData", "1(0)"));
  EXPECT_EQ(collated.error().code, base::ErrorCode::kUnsupported);
  EXPECT_THAT(collated.error().advice, HasSubstr("foamFormatConvert"));
}

TEST(FoamFile, EndsAtEveryPlaceWithAnError) {
  for (const std::string& whole :
       {two_cubes_faces(), foam_text("faceList", "2\n(\n3(0 1 2)\n3(3 4 5)\n)")}) {
    const size_t list_end = whole.find_last_of(')');
    for (size_t size = 0; size <= list_end; ++size) {
      EXPECT_FALSE(faces_in(whole.substr(0, size)).ok()) << size;
    }
    EXPECT_TRUE(faces_in(whole.substr(0, list_end + 1)).ok());
  }
}

}  // namespace
}  // namespace pathline::mesh
