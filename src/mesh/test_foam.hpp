// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace pathline::mesh {

/// A file of an OpenFOAM mesh with this list in it.
inline std::string foam_text(std::string_view class_name, std::string_view list,
                             std::string_view format = "ascii", std::string_view more = "") {
  return fmt::format(
      "/* a\n   comment */\nFoamFile\n{{\n    version 2.0;\n    format {};\n{}    class {};\n"
      "    object mesh;\n}}\n// * * //\n\n{}\n",
      format, more, class_name, list);
}

/// The bytes of numbers as they lie in memory.
template <class T>
std::string bytes_of(std::initializer_list<T> numbers) {
  std::string out;
  for (const T number : numbers) {
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    out.append(bytes, sizeof bytes);
  }
  return out;
}

/// Two unit cubes side by side along x: the inner face, then five of the left, then of the right.
inline std::string two_cubes_points() {
  return foam_text("vectorField",
                   "12\n(\n(0 0 0)\n(1 0 0)\n(2 0 0)\n(0 1 0)\n(1 1 0)\n(2 1 0)\n"
                   "(0 0 1)\n(1 0 1)\n(2 0 1)\n(0 1 1)\n(1 1 1)\n(2 1 1)\n)");
}
inline std::string two_cubes_faces() {
  return foam_text(
      "faceList",
      "11\n(\n4(1 4 10 7)\n4(0 6 9 3)\n4(0 1 7 6)\n4(3 9 10 4)\n4(0 3 4 1)\n"
      "4(6 7 10 9)\n4(2 5 11 8)\n4(1 2 8 7)\n4(4 10 11 5)\n4(1 4 5 2)\n4(7 8 11 10)\n)");
}
inline std::string two_cubes_owner() { return foam_text("labelList", "11(0 0 0 0 0 0 1 1 1 1 1)"); }
inline std::string two_cubes_neighbour() { return foam_text("labelList", "1{1}"); }

}  // namespace pathline::mesh
