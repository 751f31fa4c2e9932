// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>

#include "comm/message_sizes.hpp"
#include "summary/column_file.hpp"
#include "summary/columns.hpp"
#include "trace/trace.hpp"

namespace pathline::summary {

void write_message_sizes(const comm::MessageSizes& sizes, ColumnWriter& out);
/// nullopt for a file without them.
std::optional<comm::MessageSizes> read_message_sizes(Columns& in, const trace::Trace& run);

}  // namespace pathline::summary
