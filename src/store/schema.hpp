// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "base/result.hpp"
#include "store/sqlite.hpp"

namespace pathline::store {

/// Makes sure that the tables are those that this Pathline knows: makes them in an empty file, and
/// changes those of an older version, all or nothing.
/// errors  kUnsupported for a newer version, for a file of another program, and for what would have
///         to be changed where nothing may be written; kCorrupt.
base::Status bring_up_to_date(Connection& connection, Connection::Access access);

}  // namespace pathline::store
