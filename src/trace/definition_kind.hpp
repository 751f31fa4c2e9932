// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string_view>

namespace pathline::trace {

// clang-format off
/// Every kind of definition, X(name, number), after the global definition records of OTF2 3.0.
#define PATHLINE_DEFINITION_KINDS(X) \
  X(ClockProperties, 5) \
  X(Paradigm, 6) \
  X(ParadigmProperty, 7) \
  X(IoParadigm, 8) \
  X(String, 10) \
  X(Attribute, 11) \
  X(SystemTreeNode, 12) \
  X(LocationGroup, 13) \
  X(Location, 14) \
  X(Region, 15) \
  X(Callsite, 16) \
  X(Callpath, 17) \
  X(Group, 18) \
  X(MetricMember, 19) \
  X(MetricClass, 20) \
  X(MetricInstance, 21) \
  X(Comm, 22) \
  X(Parameter, 23) \
  X(RmaWin, 24) \
  X(MetricClassRecorder, 25) \
  X(SystemTreeNodeProperty, 26) \
  X(SystemTreeNodeDomain, 27) \
  X(LocationGroupProperty, 28) \
  X(LocationProperty, 29) \
  X(CartDimension, 30) \
  X(CartTopology, 31) \
  X(CartCoordinate, 32) \
  X(SourceCodeLocation, 33) \
  X(CallingContext, 34) \
  X(CallingContextProperty, 35) \
  X(InterruptGenerator, 36) \
  X(IoFileProperty, 37) \
  X(IoRegularFile, 38) \
  X(IoDirectory, 39) \
  X(IoHandle, 40) \
  X(IoPreCreatedHandleState, 41) \
  X(CallpathParameter, 42) \
  X(InterComm, 43)
// clang-format on

enum class DefinitionKind : uint8_t {
#define PATHLINE_ENUMERATOR(name, number) k##name = (number),
  PATHLINE_DEFINITION_KINDS(PATHLINE_ENUMERATOR)
#undef PATHLINE_ENUMERATOR
};

/// "LocationGroup"; "" for a number that is no kind.
std::string_view definition_name(DefinitionKind kind);

}  // namespace pathline::trace
