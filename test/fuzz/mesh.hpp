// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

namespace pathline::fuzz {

/// A whole text of what describes the mesh of a simulation: a file of OpenFOAM ("points", "faces",
/// "owner", "neighbour", and "binary_points", "binary_faces"), an XML file of VTK ("vtu", "vti"),
/// one as the recorder writes it ("run_grid"), the "index" of several, or a file of EnSight
/// ("ensight_case", "ensight_text", "ensight_binary", "ensight_field_text",
/// "ensight_field_binary").
std::string mesh_example(std::string_view kind);

/// Reads a text as that, the rest of the mesh being whole. Returns which promise of the
/// reader is broken, "" if none is: an error names the file and the place; the cells of a grid have
/// points and offsets that are in range; what arrays were added to can be read again.
std::string probe_mesh(std::string_view kind, std::string_view text);

}  // namespace pathline::fuzz
