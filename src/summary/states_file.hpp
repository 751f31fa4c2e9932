// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "base/result.hpp"
#include "summary/column_file.hpp"
#include "summary/states.hpp"
#include "trace/trace.hpp"

// The states in the file of a summary. They are most of it, so each width is read when it is asked
// for.
namespace pathline::summary {

/// Leaves out the narrowest levels that would make the file larger than `budget_bytes`, but not the
/// widest one.
void write_states(const States& states, uint64_t budget_bytes, ColumnWriter& out);

/// All but the codes, which are empty; no levels without states.
///
/// run     of the same file.
/// errors  kCorrupt for damage and for rows that do not fit the run.
base::Result<States> read_state_index(const ColumnReader& file, const trace::Trace& run);

/// Reads the codes of a level of read_state_index().
///
/// errors  as above.
/// cost    O(bytes of the level), some ns each.
base::Status read_codes(const ColumnReader& file, const trace::Trace& run, size_t number,
                        StateLevel& level);

}  // namespace pathline::summary
