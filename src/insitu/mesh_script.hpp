// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "insitu/figures.hpp"

namespace pathline::insitu {

/// A Python state for ParaView that opens mesh.pvd beside it, coloured by the bytes that the ranks
/// sent, all steps on one scale. Run by pvpython it writes a picture of each step, of another array
/// if that is named.
std::string mesh_script(const Figures& figures, std::span<const uint32_t> destinations);

}  // namespace pathline::insitu
