// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>

#include "record/process.hpp"

namespace pathline::record {

/// The name of the node that this process runs on: what Slurm calls it where Slurm started this
/// process as task `rank`, else the host's own.
PATHLINE_EXPORT void node_name(uint32_t rank, char* name, size_t size);

/// The switches above the node and the node itself as Slurm's tree plug-in tells each task,
/// "spine.leaf1.n2"; "" where it says nothing or speaks of another node.
const char* switches_above(uint32_t rank);

/// The file of the program that runs.
void program_file(char* path, size_t size);
/// What it was called when it was started, without folders.
void program_name(char* name, size_t size);

}  // namespace pathline::record
