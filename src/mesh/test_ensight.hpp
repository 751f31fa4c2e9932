// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace pathline::mesh {

/// Writes what a file of EnSight Gold consists of.
class EnsightText {
 public:
  enum class Form : uint8_t { kAscii, kLittle, kBig };

  explicit EnsightText(Form form) : form_(form) {}

  EnsightText& line(std::string_view text) {
    out_ += text;
    if (form_ == Form::kAscii) {
      out_ += '\n';
    } else {
      out_.append(80 - text.size(), ' ');
    }
    return *this;
  }
  EnsightText& integers(std::initializer_list<int32_t> values) {
    for (const int32_t value : values) add(value, fmt::format("{:10}", value));
    return end();
  }
  EnsightText& floats(std::initializer_list<float> values) {
    for (const float value : values) add(value, fmt::format("{:12.5e}\n", value));
    return *this;
  }
  [[nodiscard]] const std::string& text() const { return out_; }

 private:
  template <class T>
  void add(T value, const std::string& text) {
    if (form_ == Form::kAscii) {
      out_ += text;
      return;
    }
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    if (form_ == Form::kBig) std::reverse(bytes, bytes + sizeof value);
    out_.append(bytes, sizeof bytes);
  }
  EnsightText& end() {
    if (form_ == Form::kAscii) out_ += '\n';
    return *this;
  }

  Form form_;
  std::string out_;
};

/// Part 1: a tetrahedron on a wedge. Part 3: the tetrahedron as a polyhedron, and a triangle.
inline std::string ensight_geometry(EnsightText::Form form, bool has_ids = false) {
  EnsightText out(form);
  if (form != EnsightText::Form::kAscii) out.line("C Binary");
  out.line("a mesh").line("of two parts");
  out.line(has_ids ? "node id given" : "node id assign");
  out.line(has_ids ? "element id given" : "element id off");
  out.line("extents").floats({0, 1}).floats({0, 1}).floats({-1, 2});
  out.line("part").integers({1}).line("fluid").line("coordinates").integers({7});
  if (has_ids) out.integers({1, 2, 3, 4, 5, 6, 7});
  out.floats({0, 1, 0, 0, 1, 0, 0}).floats({0, 0, 1, 0, 0, 1, 0}).floats({0, 0, 0, 1, 1, 1, 2});
  out.line("tetra4").integers({1});
  if (has_ids) out.integers({10});
  out.integers({4, 5, 6, 7}).line("penta6").integers({1});
  if (has_ids) out.integers({11});
  out.integers({1, 2, 3, 4, 5, 6});
  out.line("part").integers({3}).line("solid").line("coordinates").integers({4});
  if (has_ids) out.integers({1, 2, 3, 4});
  out.floats({5, 6, 5, 5}).floats({0, 0, 1, 0}).floats({0, 0, 0, 1});
  out.line("nfaced").integers({1});
  if (has_ids) out.integers({12});
  out.integers({4}).integers({3, 3, 3, 3});
  out.integers({1, 3, 2}).integers({1, 2, 4}).integers({2, 3, 4}).integers({3, 1, 4});
  out.line("nsided").integers({1});
  if (has_ids) out.integers({13});
  out.integers({3}).integers({2, 3, 4});
  return out.text();
}
/// The wedge is rank 0's, the rest rank 2's but for the triangle, which is rank 1's.
inline std::string ensight_field(EnsightText::Form form) {
  EnsightText out(form);
  out.line("mpi_rank_id").line("part").integers({1});
  out.line("tetra4").floats({2}).line("penta6").floats({0});
  out.line("part").integers({3}).line("nfaced").floats({2}).line("nsided").floats({1});
  return out.text();
}
inline const char* ensight_case() {
  return "FORMAT\ntype: ensight gold\n\nGEOMETRY\nmodel: 1 mesh.geo\n\nVARIABLE\n"
         "scalar per element:        mpi_rank_id       mesh.rank\n"
         "scalar per element: 1 1 \"p q\" mesh.p\nscalar per node: 1 T mesh.T.****\n";
}

}  // namespace pathline::mesh
