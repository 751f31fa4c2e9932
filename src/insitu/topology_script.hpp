// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>

namespace pathline::insitu {

/// A Python state for ParaView that opens topology.pvd beside it: ranks by the time of computation,
/// messages by bytes, empty ones apart, all steps on one colour scale. Run by pvpython it writes a
/// picture of each step.
std::string topology_script();

}  // namespace pathline::insitu
