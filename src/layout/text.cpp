// SPDX-License-Identifier: BSD-3-Clause
#include "layout/text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace pathline::layout {
namespace {

constexpr double kUnitsPerEm = 2048;
constexpr size_t kAsciiCount = 0x7f - 0x20;
constexpr size_t kLatin1Count = 0x100 - 0xa0;
using Advances = std::array<uint16_t, kAsciiCount + kLatin1Count>;

// Advance widths of U+0020..U+007E and U+00A0..U+00FF, in font units.
constexpr Advances kRegular = {
    651,  821,  942,  1716, 1303, 1946, 1597, 563,  799,  799,  1024, 1716, 651,  739,  651,  690,
    1303, 1303, 1303, 1303, 1303, 1303, 1303, 1303, 1303, 1303, 690,  690,  1716, 1716, 1716, 1087,
    2048, 1401, 1405, 1430, 1577, 1294, 1178, 1587, 1540, 604,  604,  1343, 1141, 1767, 1532, 1612,
    1235, 1612, 1423, 1300, 1251, 1499, 1401, 2025, 1403, 1251, 1403, 799,  690,  799,  1716, 1024,
    1024, 1255, 1300, 1126, 1300, 1260, 721,  1300, 1298, 569,  569,  1186, 569,  1995, 1298, 1253,
    1300, 1300, 842,  1067, 803,  1298, 1212, 1675, 1212, 1212, 1075, 1303, 690,  1303, 1716, 651,
    821,  1303, 1303, 1303, 1303, 690,  1024, 1024, 2048, 965,  1253, 1716, 739,  2048, 1024, 1024,
    1716, 821,  821,  1024, 1303, 1303, 651,  1024, 821,  965,  1253, 1985, 1985, 1985, 1087, 1401,
    1401, 1401, 1401, 1401, 1401, 1995, 1430, 1294, 1294, 1294, 1294, 604,  604,  604,  604,  1587,
    1532, 1612, 1612, 1612, 1612, 1612, 1716, 1612, 1499, 1499, 1499, 1499, 1251, 1239, 1290, 1255,
    1255, 1255, 1255, 1255, 1255, 2011, 1126, 1260, 1260, 1260, 1260, 569,  569,  569,  569,  1253,
    1298, 1253, 1253, 1253, 1253, 1253, 1716, 1253, 1298, 1298, 1298, 1298, 1212, 1300, 1212};
constexpr Advances kBold = {
    713,  934,  1067, 1716, 1425, 2052, 1786, 627,  936,  936,  1071, 1716, 778,  850,  778,  748,
    1425, 1425, 1425, 1425, 1425, 1425, 1425, 1425, 1425, 1425, 819,  819,  1716, 1716, 1716, 1188,
    2048, 1585, 1561, 1503, 1700, 1399, 1399, 1681, 1714, 762,  762,  1587, 1305, 2038, 1714, 1741,
    1501, 1741, 1577, 1475, 1397, 1663, 1585, 2259, 1579, 1483, 1485, 936,  748,  936,  1716, 1024,
    1024, 1382, 1466, 1214, 1466, 1389, 891,  1466, 1458, 702,  702,  1362, 702,  2134, 1458, 1407,
    1466, 1466, 1010, 1219, 979,  1458, 1335, 1892, 1321, 1335, 1192, 1458, 748,  1458, 1716, 713,
    934,  1425, 1425, 1303, 1425, 748,  1024, 1024, 2048, 1155, 1323, 1716, 850,  2048, 1024, 1024,
    1716, 897,  897,  1024, 1507, 1303, 778,  1024, 897,  1155, 1323, 2120, 2120, 2120, 1188, 1585,
    1585, 1585, 1585, 1585, 1585, 2222, 1503, 1399, 1399, 1399, 1399, 762,  762,  762,  762,  1716,
    1714, 1741, 1741, 1741, 1741, 1741, 1716, 1741, 1663, 1663, 1663, 1663, 1483, 1511, 1473, 1382,
    1382, 1382, 1382, 1382, 1382, 2146, 1214, 1389, 1389, 1389, 1389, 702,  702,  702,  702,  1407,
    1458, 1407, 1407, 1407, 1407, 1407, 1716, 1407, 1458, 1458, 1458, 1458, 1335, 1466, 1335};

constexpr char32_t kEllipsis = U'\u2026';
constexpr std::string_view kEllipsisText = "\u2026";

/// A letter and where its bytes begin.
struct Letter {
  char32_t code;
  size_t offset;
};

/// Bytes that are not UTF-8 count as one letter each; the renderer replaces them.
std::vector<Letter> letters(std::string_view text) {
  std::vector<Letter> result;
  for (size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const size_t length = lead < 0x80 ? 1 : lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    char32_t code = length == 1 ? lead : lead & (0x7fU >> length);
    size_t used = 1;
    while (used < length && i + used < text.size() &&
           (static_cast<unsigned char>(text[i + used]) & 0xc0) == 0x80) {
      code = code << 6 | (static_cast<unsigned char>(text[i + used]) & 0x3fU);
      ++used;
    }
    result.push_back({code, i});
    i += used;
  }
  return result;
}

double advance_px(char32_t code, double size_px, Weight weight) {
  const Advances& advances = weight == Weight::kBold ? kBold : kRegular;
  double units = weight == Weight::kBold ? 1450 : 1300;  // most letters beyond Latin-1
  if (code >= 0x20 && code < 0x7f) {
    units = advances[code - 0x20];
  } else if (code >= 0xa0 && code < 0x100) {
    units = advances[kAsciiCount + code - 0xa0];
  } else if (code == kEllipsis || code >= 0x2e80) {  // East Asian scripts are one em wide
    units = kUnitsPerEm;
  } else if (code >= 0x2190 && code < 0x2300) {  // arrows and mathematical operators
    units = 1716;
  }
  return units / kUnitsPerEm * size_px;
}

}  // namespace

double text_width_px(std::string_view text, double size_px, Weight weight) {
  double width = 0;
  for (const Letter& letter : letters(text)) width += advance_px(letter.code, size_px, weight);
  return width;
}

std::string fit_text(std::string_view text, double max_width_px, double size_px, Weight weight) {
  if (text_width_px(text, size_px, weight) <= max_width_px) return std::string(text);
  double width = advance_px(kEllipsis, size_px, weight);
  size_t end = 0;
  for (const Letter& letter : letters(text)) {
    end = letter.offset;
    width += advance_px(letter.code, size_px, weight);
    if (width > max_width_px) break;
  }
  if (end == 0) return "";
  return std::string(text.substr(0, end)).append(kEllipsisText);
}

std::string fit_text_middle(std::string_view text, double max_width_px, double size_px,
                            Weight weight) {
  if (text_width_px(text, size_px, weight) <= max_width_px) return std::string(text);
  const std::vector<Letter> all = letters(text);
  double width = advance_px(kEllipsis, size_px, weight);
  size_t head = 0;
  size_t tail = all.size();
  // One from the front, one from the back, until nothing more fits.
  for (bool front = true; head < tail; front = !front) {
    width += advance_px(all[front ? head : tail - 1].code, size_px, weight);
    if (width > max_width_px) break;
    front ? ++head : --tail;
  }
  if (head == 0) return "";
  std::string result(text.substr(0, head < all.size() ? all[head].offset : text.size()));
  result.append(kEllipsisText);
  if (tail < all.size()) result.append(text.substr(all[tail].offset));
  return result;
}

}  // namespace pathline::layout
