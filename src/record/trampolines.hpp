// SPDX-License-Identifier: BSD-3-Clause
#pragma once

namespace pathline::record {

/// Is this the address of a trampoline?
bool is_trampoline(const void* address);

/// Makes questions for functions of MPI hear what they would without us; once, when the library is
/// loaded.
///
/// has_mpi  the process has an MPI already
/// cost     the relocations of all loaded files, some 100 us
void answer_feature_tests(bool has_mpi);

/// What is there before the program begins.
void look_at_start();

/// When the process ends: says why nothing was recorded if it had an MPI that we did not see start.
void say_why_nothing();

}  // namespace pathline::record
