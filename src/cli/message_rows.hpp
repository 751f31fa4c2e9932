// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "cli/command.hpp"
#include "cli/table.hpp"
#include "trace/trace.hpp"

namespace pathline::cli {

/// The table that lists messages, wherever it is printed.
Table message_table(const CommonOptions& options);

/// Adds message `i` to it.
void add_message(Table& table, const trace::Trace& trace, size_t i);

}  // namespace pathline::cli
