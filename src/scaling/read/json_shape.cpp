// SPDX-License-Identifier: BSD-3-Clause
#include "scaling/read/json_shape.hpp"

namespace pathline::scaling {

bool is_array_role(Role role) {
  switch (role) {
    case Role::kParameters:
    case Role::kCallPaths:
    case Role::kMetrics:
    case Role::kCoordinates:
    case Role::kPairs:
    case Role::kRows:
    case Role::kEntries:
    case Role::kPoint:
    case Role::kValues: return true;
    default: return false;
  }
}

Role role_within(Role parent, std::string_view key, bool is_array) {
  switch (parent) {
    case Role::kTop:
      if (key == "parameters") return Role::kParameters;
      if (key == "callpaths") return Role::kCallPaths;
      if (key == "metrics") return Role::kMetrics;
      if (key == "coordinates") return Role::kCoordinates;
      if (key == "measurements") return is_array ? Role::kRows : Role::kByPath;
      return Role::kIgnored;
    case Role::kParameters:
    case Role::kCallPaths:
    case Role::kMetrics: return Role::kNamed;
    case Role::kCoordinates: return Role::kCoordinate;
    case Role::kCoordinate: return key == "parameter_value_pairs" ? Role::kPairs : Role::kIgnored;
    case Role::kPairs: return Role::kPair;
    case Role::kRows: return Role::kRow;
    case Role::kByPath: return Role::kByMetric;
    case Role::kByMetric: return Role::kEntries;
    case Role::kEntries: return Role::kEntry;
    case Role::kEntry:
      if (key == "point") return Role::kPoint;
      return key == "values" ? Role::kValues : Role::kIgnored;
    default: return Role::kIgnored;
  }
}

std::string_view field_name(Role role, Field field) {
  if (role == Role::kPair) return field == kFirstId ? "parameter_id" : "parameter_value";
  switch (field) {
    case kId: return "id";
    case kName: return "name";
    case kFirstId: return "callpath_id";
    case kSecondId: return "metric_id";
    case kThirdId: return "coordinate_id";
    default: return "value";
  }
}

std::initializer_list<Field> fields_of(Role role) {
  static constexpr auto kOfNamed = {kId, kName};
  static constexpr auto kOfCoordinate = {kId};
  static constexpr auto kOfPair = {kFirstId, kValue};
  static constexpr auto kOfRow = {kFirstId, kSecondId, kThirdId, kValue};
  switch (role) {
    case Role::kNamed: return kOfNamed;
    case Role::kCoordinate: return kOfCoordinate;
    case Role::kPair: return kOfPair;
    case Role::kRow: return kOfRow;
    default: return {};
  }
}

}  // namespace pathline::scaling
