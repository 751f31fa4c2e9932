// SPDX-License-Identifier: BSD-3-Clause
#include "otf2/write_events.hpp"

#include <array>
#include <tuple>

#include <fmt/format.h>

#include "otf2/clock.hpp"

namespace pathline::otf2 {
namespace {

using trace::EventKind;

struct DeleteList {
  void operator()(OTF2_AttributeList* list) const { OTF2_AttributeList_Delete(list); }
};

template <class Field>
Field take(trace::WordReader& in) {
  return static_cast<Field>(words_of<Field>() == 2 ? in.u64() : in.u32());
}

/// Calls one of the library's functions with the fields in `in`; its type says which they are.
template <class... Fields>
OTF2_ErrorCode write_fields(OTF2_EvtWriter* writer, OTF2_AttributeList* attributes, uint64_t time,
                            OTF2_ErrorCode (*function)(OTF2_EvtWriter*, OTF2_AttributeList*,
                                                       OTF2_TimeStamp, Fields...),
                            [[maybe_unused]] trace::WordReader in) {
  // Braces, not parentheses: they order the evaluation.
  const std::tuple<Fields...> fields{take<Fields>(in)...};
  return std::apply([&](auto... field) { return function(writer, attributes, time, field...); },
                    fields);
}

OTF2_ErrorCode write_metric(OTF2_EvtWriter* writer, OTF2_AttributeList* attributes, uint64_t time,
                            trace::WordReader in) {
  std::array<OTF2_Type, 256> types{};
  std::array<OTF2_MetricValue, 256> values{};
  const uint32_t metric = in.u32();
  const auto count = static_cast<uint8_t>(in.u32());
  for (size_t i = 0; i < count; ++i) {
    types[i] = static_cast<OTF2_Type>(in.u32());
    values[i].unsigned_int = in.u64();
  }
  return OTF2_EvtWriter_Metric(writer, attributes, time, metric, count, types.data(),
                               values.data());
}

/// Writes the fields of one event of kind kKind, whose function in the library is `kFunction`.
template <EventKind kKind, auto kFunction>
OTF2_ErrorCode write_kind(OTF2_EvtWriter* writer, OTF2_AttributeList* attributes, uint64_t time,
                          const trace::Fields& fields) {
  if constexpr (kKind == EventKind::kMetric) {
    return write_metric(writer, attributes, time, trace::WordReader(fields));
  } else if constexpr (kKind == EventKind::kProgramBegin) {
    const std::vector<uint32_t> arguments(fields.begin() + 2, fields.end());
    return OTF2_EvtWriter_ProgramBegin(writer, attributes, time, fields[0], fields[1],
                                       arguments.data());
  } else {
    return write_fields(writer, attributes, time, kFunction, trace::WordReader(fields));
  }
}

using WriteKind = OTF2_ErrorCode (*)(OTF2_EvtWriter*, OTF2_AttributeList*, uint64_t,
                                     const trace::Fields&);

constexpr std::array<WriteKind, trace::kEventKindCount> write_table() {
  std::array<WriteKind, trace::kEventKindCount> table{};
#define PATHLINE_ENTRY(name, number, fields) \
  table[number] = write_kind<EventKind::k##name, OTF2_EvtWriter_##name>;
  PATHLINE_EVENT_KINDS(PATHLINE_ENTRY)
#undef PATHLINE_ENTRY
  return table;
}

}  // namespace

base::Status write_location_events(OTF2_EvtWriter* writer, const trace::Definitions& definitions,
                                   const trace::Location& location, bool with_offsets) {
  static constexpr auto kTable = write_table();
  const trace::Events& events = location.events;
  const trace::Attributes& attributes = events.attributes;
  const std::unique_ptr<OTF2_AttributeList, DeleteList> list(OTF2_AttributeList_New());
  const auto local_time = [&](uint64_t ticks) {
    return with_offsets ? local_ticks(ticks, location.clock_offsets).value_or(ticks) : ticks;
  };

  size_t next_attribute = 0;
  for (size_t i = 0; i < events.size(); ++i) {
    while (next_attribute < attributes.event.size() && attributes.event[next_attribute] == i) {
      OTF2_AttributeValue value{};
      value.uint64 = attributes.value[next_attribute];
      OTF2_AttributeList_AddAttribute(list.get(), attributes.attribute[next_attribute],
                                      attributes.type[next_attribute], value);
      ++next_attribute;
    }
    const uint64_t time = local_time(events.ticks[i]);
    const EventKind kind = events.kind[i];
    OTF2_ErrorCode code = OTF2_SUCCESS;
    if (kind == EventKind::kEnter) {
      code =
          OTF2_EvtWriter_Enter(writer, list.get(), time, definitions.regions[events.region(i)].id);
    } else if (kind == EventKind::kLeave || kind == EventKind::kUnmatchedLeave) {
      code =
          OTF2_EvtWriter_Leave(writer, list.get(), time, definitions.regions[events.region(i)].id);
    } else if (kind == EventKind::kBufferFlush) {
      // Its one field is a time and is corrected like the event's own.
      code = OTF2_EvtWriter_BufferFlush(writer, list.get(), time, local_time(events.word64(i)));
    } else {
      code = kTable[static_cast<size_t>(kind)](writer, list.get(), time, events.fields(i));
    }
    if (code != OTF2_SUCCESS) {
      return base::Error{base::ErrorCode::kIo,
                         fmt::format("the OTF2 library refuses event {} of location {}, a {} ({})",
                                     i, location.id, event_name(kind), QuietLibrary::reason(code))};
    }
  }
  return {};
}

}  // namespace pathline::otf2
