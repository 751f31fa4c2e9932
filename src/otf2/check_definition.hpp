// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>

#include "otf2/scan.hpp"

namespace pathline::otf2 {

/// Walks the fields of a definition and tells if they do not fit into their record. The library
/// decodes past the end of a record into the next one, and reserves memory for as many members as
/// a group claims to have.
///
/// Not for the two kinds of local definitions (5 and 6 in such files). Unknown kinds fit.
std::optional<std::string> check_definition(const RawDefinition& definition);

}  // namespace pathline::otf2
