// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace pathline::record {

/// Writes topology/<node>.xml into the run directory; one process of each node does it. Uses the
/// hwloc library if the machine has one, loaded for this moment only.
void export_topology(bool first_of_host);

}  // namespace pathline::record
