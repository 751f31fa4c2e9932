// SPDX-License-Identifier: BSD-3-Clause
#include "mesh/ensight.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.hpp"
#include "mesh/case.hpp"
#include "mesh/test_ensight.hpp"

namespace pathline::mesh {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using Form = EnsightText::Form;

base::Result<std::vector<vtk::Grid>> grids_of(const std::string& geometry,
                                              const std::string& field) {
  return ensight_grids({geometry, field, "mesh.geo", "mesh.rank"});
}
std::string error_of(const std::string& geometry, const std::string& field) {
  const auto grids = grids_of(geometry, field);
  return grids ? "no error" : grids.error().message;
}
std::string replaced(std::string text, std::string_view from, std::string_view to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

TEST(Ensight, CutsTheMeshByRanks) {
  for (const Form form : {Form::kAscii, Form::kLittle, Form::kBig}) {
    for (const bool has_ids : {false, true}) {
      const auto grids = grids_of(ensight_geometry(form, has_ids), ensight_field(form));
      ASSERT_TRUE(grids.ok()) << grids.error().message;
      ASSERT_THAT(grids.value(), SizeIs(3));
      const vtk::Grid& wedge = grids.value()[0];
      EXPECT_THAT(wedge.types, ElementsAre(vtk::kWedge));
      // Points in the order in which the cell needs them: 1 3 2 and 4 6 5 of the file.
      EXPECT_THAT(wedge.points, ElementsAre(0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 1, 1, 1, 0, 1));
      EXPECT_THAT(wedge.connectivity, ElementsAre(0, 1, 2, 3, 4, 5));
      EXPECT_THAT(wedge.face_offsets, IsEmpty());
      EXPECT_THAT(grids.value()[1].types, ElementsAre(vtk::kPolygon));
      EXPECT_THAT(grids.value()[1].points, ElementsAre(6, 0, 0, 5, 1, 0, 5, 0, 1));
      const vtk::Grid& rest = grids.value()[2];
      EXPECT_THAT(rest.types, ElementsAre(vtk::kTetrahedron, vtk::kPolyhedron));
      EXPECT_THAT(rest.offsets, ElementsAre(4, 8));
      EXPECT_THAT(rest.connectivity, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
      EXPECT_THAT(rest.faces, ElementsAre(4, 3, 4, 6, 5, 3, 4, 5, 7, 3, 5, 6, 7, 3, 6, 4, 7));
      EXPECT_THAT(rest.face_offsets, ElementsAre(-1, 17));
    }
  }
}

TEST(Ensight, ReadsTheCase) {
  const auto found = parse_ensight_case(ensight_case(), "mpi_rank_id", "mesh.case");
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found.value().geometry, "mesh.geo");
  EXPECT_EQ(found.value().field, "mesh.rank");
  EXPECT_EQ(parse_ensight_case(ensight_case(), "p q", "mesh.case").value().field, "mesh.p");
  const auto error = [](const std::string& text, const char* field) {
    const auto parsed = parse_ensight_case(text, field, "mesh.case");
    return parsed ? "no error" : parsed.error().message + " / " + parsed.error().advice;
  };
  EXPECT_EQ(
      error(ensight_case(), "T"),
      "cannot read mesh.case: line 10: it has no scalar per element 'T' / It has mpi_rank_id, p "
      "q; --rank-field chooses.");
  EXPECT_THAT(error(replaced(ensight_case(), "mesh.rank", "mesh.rank.***"), "mpi_rank_id"),
              HasSubstr("line 8: mesh.rank.*** changes from step to step"));
  EXPECT_THAT(error(replaced(ensight_case(), "gold", ""), "p q"),
              HasSubstr("its type is not 'ensight gold'"));
  EXPECT_THAT(error("FORMAT\ntype: ensight gold\n", "p"), HasSubstr("it names no model"));
}

TEST(Ensight, SaysWhatIsWrongInTheGeometry) {
  const std::string field = ensight_field(Form::kAscii);
  const std::string whole = ensight_geometry(Form::kAscii);
  const auto error = [&](std::string_view from, std::string_view to) {
    return error_of(replaced(whole, from, to), field);
  };
  EXPECT_EQ(error("         4         5         6         7\n", "4 5 6 8\n"),
            "cannot read mesh.geo: line 40: an element has the corner 8, but part 1 has 7 points");
  EXPECT_THAT(error("         4         5         6         7\n", "4 5 6 0\n"),
              HasSubstr("the corner 0, but part 1 has 7 points"));
  EXPECT_THAT(error("tetra4", "tetra10"), HasSubstr("part 1 has elements 'tetra10'"));
  EXPECT_THAT(error("coordinates", "block rectilinear"),
              HasSubstr("part 1 has 'block rectilinear'"));
  EXPECT_THAT(error("node id assign", "part"), HasSubstr("line 3: a line 'node id'"));
  EXPECT_THAT(error("coordinates\n         7", "coordinates\n2000000000"),
              HasSubstr("2000000000 numbers were expected, but there are only"));
  EXPECT_THAT(error("nsided\n         1\n         3", "nsided\n 1\n -3"),
              HasSubstr("an element has -3 corners or faces"));
  EXPECT_EQ(error_of("Fortran Binary", field),
            "cannot read mesh.geo: line 1: it is binary as Fortran writes");
}

TEST(Ensight, SaysWhatIsWrongInTheField) {
  const std::string geometry = ensight_geometry(Form::kAscii);
  const std::string whole = ensight_field(Form::kAscii);
  const auto error = [&](std::string_view from, std::string_view to) {
    return error_of(geometry, replaced(whole, from, to));
  };
  EXPECT_EQ(error("penta6\n 0.00000e+00", "penta6\n1.5"),
            "cannot read mesh.rank: line 7: 1.5 is the rank of a cell, expected 0 to 3");
  EXPECT_THAT(error("2.00000e+00", "4"), HasSubstr("4 is the rank of a cell, expected 0 to 3"));
  EXPECT_THAT(error("2.00000e+00", "-1"), HasSubstr("-1 is the rank of a cell"));
  EXPECT_THAT(error("penta6", "hexa8"), HasSubstr("values of 'hexa8', which the geometry has not"));
  EXPECT_THAT(error("nsided\n 1.00000e+00\n", ""),
              HasSubstr("there are no values of 'nsided' of part 3"));
}

TEST(Ensight, EndsAtEveryPlaceWithAnError) {
  for (const Form form : {Form::kAscii, Form::kLittle, Form::kBig}) {
    const std::string geometry = ensight_geometry(form);
    const std::string field = ensight_field(form);
    // The last number of a text may lose digits; a blank less is nothing.
    const size_t tail = form == Form::kAscii ? 14 : 1;
    for (size_t size = 0; size + tail <= geometry.size(); ++size) {
      EXPECT_FALSE(grids_of(geometry.substr(0, size), field).ok()) << size;
    }
    for (size_t size = 0; size + tail <= field.size(); ++size) {
      EXPECT_FALSE(grids_of(geometry, field.substr(0, size)).ok()) << size;
    }
  }
}

TEST(Ensight, IsACase) {
  const base::ScratchFolder folder;
  const auto path = folder.write("mesh.case", ensight_case()).string();
  folder.write("mesh.geo", ensight_geometry(Form::kLittle));
  folder.write("mesh.rank", ensight_field(Form::kLittle));
  const auto found = find_case({path});
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(found.value().parts.size(), 3U);
  EXPECT_EQ(read_part(found.value(), 2).value().cell_count(), 2U);
  EXPECT_THAT(find_case({path}, "p q").error().message, HasSubstr("mesh.p"));
}

}  // namespace
}  // namespace pathline::mesh
