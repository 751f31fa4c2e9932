// SPDX-License-Identifier: BSD-3-Clause
//
// What a JSON document of measurements is made of; no interface of the layer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace pathline::scaling {

/// What a container of the document holds.
enum class Role : uint8_t {
  kIgnored,
  kTop,
  kParameters,
  kCallPaths,
  kMetrics,
  kNamed,  ///< {id, name} of one of the three above.
  kCoordinates,
  kCoordinate,  ///< {id, parameter_value_pairs}
  kPairs,
  kPair,    ///< {parameter_id, parameter_value}
  kRows,    ///< "measurements" as an array.
  kRow,     ///< {callpath_id, metric_id, coordinate_id, value}
  kByPath,  ///< "measurements" as an object.
  kByMetric,
  kEntries,
  kEntry,  ///< {point, values}
  kPoint,
  kValues,
};

bool is_array_role(Role role);

/// The role of what stands in a container of some role, under some key if it is an object.
Role role_within(Role parent, std::string_view key, bool is_array);

/// A member of an object that holds a number or a name, or kNone.
enum Field : size_t { kId, kName, kFirstId, kSecondId, kThirdId, kValue, kFieldCount, kNone };

std::string_view field_name(Role role, Field field);

/// Those that every object of a role must have.
std::initializer_list<Field> fields_of(Role role);

}  // namespace pathline::scaling
