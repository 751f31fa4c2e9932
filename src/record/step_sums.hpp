// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "record/process.hpp"

// What this rank has done in the open time step, added up while the program runs: for adapters of
// ParaView Catalyst, ours and the program's own. Nothing is counted where messages are sent. The
// records that are written anyway are read once more, when somebody asks and before a chunk of them
// goes away: some nanoseconds for each, in recorded steps only, and only with PATHLINE_INSITU.
//
// Names and meaning of the figures are those of `pathline mesh` (doc/insitu.md). They are the same
// on all ranks and in all steps, as ParaView wants it; so regions and destinations must be named:
// PATHLINE_INSITU_REGIONS=a,b and PATHLINE_INSITU_TO=0,13.

namespace pathline::record {

/// At the start, before any region is defined.
void start_sums();
/// Every region, when it is defined.
void sum_region(uint32_t region, const char* name, uint32_t role_paradigm);
/// A stream of the thread that calls.
void sum_stream(chunk::Stream& stream);

/// World ranks that have figures of their own. returns  how many
PATHLINE_EXPORT unsigned sum_destinations(const int*& world_ranks);
/// ranks  of these in the communicator, negative where one is no member.
PATHLINE_EXPORT void sum_communicator(uint32_t comm, const int* ranks);
PATHLINE_EXPORT void sum_window(uint32_t window, uint32_t comm);

/// A time step begins.
void sum_step();

/// Adds up the open step until now. returns  how many figures there are, 0 where nobody wants any.
PATHLINE_EXPORT uint32_t insitu_count();
/// nullptr behind the last one.
PATHLINE_EXPORT const char* insitu_name(uint32_t figure);
/// As insitu_count() found it. Of a step that is not recorded times are not a number, counts 0.
PATHLINE_EXPORT double insitu_value(uint32_t figure);
/// Whether it counts something, rather than being a time.
PATHLINE_EXPORT bool insitu_is_count(uint32_t figure);

}  // namespace pathline::record
