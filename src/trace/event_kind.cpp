// SPDX-License-Identifier: BSD-3-Clause
#include "trace/event_kind.hpp"

#include "trace/definition_kind.hpp"

namespace pathline::trace {

std::string_view event_name(EventKind kind) {
  switch (kind) {
#define PATHLINE_NAME(name, number, fields) \
  case EventKind::k##name: return #name;
    PATHLINE_EVENT_KINDS(PATHLINE_NAME)
#undef PATHLINE_NAME
    case EventKind::kUnmatchedLeave: return "Leave";
    case EventKind::kNone: break;
  }
  return "";
}

std::string_view event_fields(EventKind kind) {
  switch (kind) {
#define PATHLINE_FIELDS(name, number, fields) \
  case EventKind::k##name: return fields;
    PATHLINE_EVENT_KINDS(PATHLINE_FIELDS)
#undef PATHLINE_FIELDS
    case EventKind::kUnmatchedLeave: return "region";
    case EventKind::kNone: break;
  }
  return "";
}

std::string_view definition_name(DefinitionKind kind) {
  switch (kind) {
#define PATHLINE_NAME(name, number) \
  case DefinitionKind::k##name: return #name;
    PATHLINE_DEFINITION_KINDS(PATHLINE_NAME)
#undef PATHLINE_NAME
  }
  return "";
}

}  // namespace pathline::trace
