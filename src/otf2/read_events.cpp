// SPDX-License-Identifier: BSD-3-Clause
#include "otf2/read_events.hpp"

#include <stdexcept>
#include <type_traits>

#include <fmt/format.h>

namespace pathline::otf2 {
namespace {

using trace::EventKind;

/// What the callbacks of one location write to.
struct Target {
  const trace::Definitions& definitions;
  trace::EventsBuilder& builder;
  uint64_t last_ticks = 0;
  uint64_t unknown = 0;
  std::optional<std::string> fault = {};

  OTF2_CallbackCode stop(std::string why) {
    fault = std::move(why);
    return OTF2_CALLBACK_INTERRUPT;
  }
};

OTF2_CallbackCode time_goes_back(Target& target, uint64_t time) {
  return target.stop(fmt::format("its time {} is before that of the event in front of it, {}", time,
                                 target.last_ticks));
}

void copy_attributes(Target& target, OTF2_AttributeList* attributes, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    OTF2_AttributeRef attribute = 0;
    OTF2_Type type = 0;
    OTF2_AttributeValue value{};
    OTF2_AttributeList_GetAttributeByIndex(attributes, i, &attribute, &type, &value);
    target.builder.attribute(attribute, type, value_bits(type, value));
  }
}

/// Checks the time, runs `add`, which adds one event to the builder, and attaches the attributes.
/// An exception must not cross the library's C frames.
template <class Add>
inline OTF2_CallbackCode add_event(void* user, OTF2_TimeStamp time, OTF2_AttributeList* attributes,
                                   Add add) {
  Target& target = *static_cast<Target*>(user);
  if (time < target.last_ticks) [[unlikely]] {
    return time_goes_back(target, time);
  }
  try {
    if (const OTF2_CallbackCode code = add(target); code != OTF2_CALLBACK_SUCCESS) [[unlikely]] {
      return code;
    }
    target.last_ticks = time;
    const uint32_t count = OTF2_AttributeList_GetNumberOfElements(attributes);
    if (count > 0) [[unlikely]] {
      copy_attributes(target, attributes, count);
    }
    return OTF2_CALLBACK_SUCCESS;
  } catch (const std::bad_alloc&) {
    return target.stop("there is not enough memory for the events");
  } catch (const std::length_error& error) {
    return target.stop(fmt::format("the location is too large: {}", error.what()));
  }
}

/// Callback of all events with scalar fields only; the library's function types say which.
template <EventKind kKind>
struct Callback {
  template <class... Fields>
  static OTF2_CallbackCode call(OTF2_LocationRef /*location*/, OTF2_TimeStamp time,
                                uint64_t /*position*/, void* user, OTF2_AttributeList* attributes,
                                Fields... fields) {
    constexpr unsigned kWords = (words_of<Fields>() + ... + 0U);
    static_assert(kWords == trace::event_words(kKind), "fields as in PATHLINE_EVENT_KINDS");
    return add_event(user, time, attributes, [&](Target& target) {
      if constexpr (kWords <= 1) {
        target.builder.add(kKind, time, (static_cast<uint32_t>(fields) + ... + 0U));
      } else {
        trace::WordWriter out(target.builder.add_words(kKind, time, kWords));
        (out.put(static_cast<uint64_t>(fields), words_of<Fields>()), ...);
      }
      return OTF2_CALLBACK_SUCCESS;
    });
  }
};

OTF2_CallbackCode undefined_region(Target& target, OTF2_RegionRef region) {
  return target.stop(fmt::format("it refers to region {}, which is not defined", region));
}

template <>
struct Callback<EventKind::kEnter> {
  static OTF2_CallbackCode call(OTF2_LocationRef /*location*/, OTF2_TimeStamp time,
                                uint64_t /*position*/, void* user, OTF2_AttributeList* attributes,
                                OTF2_RegionRef id) {
    return add_event(user, time, attributes, [&](Target& target) {
      const trace::Region region = target.definitions.region(id);
      if (!region.valid()) return undefined_region(target, id);
      target.builder.enter(time, region);
      return OTF2_CALLBACK_SUCCESS;
    });
  }
};

template <>
struct Callback<EventKind::kLeave> {
  static OTF2_CallbackCode call(OTF2_LocationRef /*location*/, OTF2_TimeStamp time,
                                uint64_t /*position*/, void* user, OTF2_AttributeList* attributes,
                                OTF2_RegionRef id) {
    return add_event(user, time, attributes, [&](Target& target) {
      const trace::Region region = target.definitions.region(id);
      if (!region.valid()) return undefined_region(target, id);
      target.builder.leave(time, region);
      return OTF2_CALLBACK_SUCCESS;
    });
  }
};

template <>
struct Callback<EventKind::kMetric> {
  static OTF2_CallbackCode call(OTF2_LocationRef /*location*/, OTF2_TimeStamp time,
                                uint64_t /*position*/, void* user, OTF2_AttributeList* attributes,
                                OTF2_MetricRef metric, uint8_t count, const OTF2_Type* types,
                                const OTF2_MetricValue* values) {
    return add_event(user, time, attributes, [&](Target& target) {
      trace::WordWriter out(
          target.builder.add_words(EventKind::kMetric, time, 2 + 3 * size_t{count}));
      out.put(metric, 1);
      out.put(count, 1);
      for (size_t i = 0; i < count; ++i) {
        out.put(types[i], 1);
        out.put(values[i].unsigned_int, 2);
      }
      return OTF2_CALLBACK_SUCCESS;
    });
  }
};

template <>
struct Callback<EventKind::kProgramBegin> {
  static OTF2_CallbackCode call(OTF2_LocationRef /*location*/, OTF2_TimeStamp time,
                                uint64_t /*position*/, void* user, OTF2_AttributeList* attributes,
                                OTF2_StringRef program, uint32_t count,
                                const OTF2_StringRef* arguments) {
    return add_event(user, time, attributes, [&](Target& target) {
      trace::WordWriter out(
          target.builder.add_words(EventKind::kProgramBegin, time, 2 + size_t{count}));
      out.put(program, 1);
      out.put(count, 1);
      for (size_t i = 0; i < count; ++i) out.put(arguments[i], 1);
      return OTF2_CALLBACK_SUCCESS;
    });
  }
};

OTF2_CallbackCode on_unknown(OTF2_LocationRef /*location*/, OTF2_TimeStamp /*time*/,
                             uint64_t /*position*/, void* user,
                             OTF2_AttributeList* /*attributes*/) {
  ++static_cast<Target*>(user)->unknown;
  return OTF2_CALLBACK_SUCCESS;
}

}  // namespace

EventCallbacks make_event_callbacks() {
  EventCallbacks callbacks(OTF2_EvtReaderCallbacks_New());
#define PATHLINE_REGISTER(name, number, fields) \
  OTF2_EvtReaderCallbacks_Set##name##Callback(callbacks.get(), &Callback<EventKind::k##name>::call);
  PATHLINE_EVENT_KINDS(PATHLINE_REGISTER)
#undef PATHLINE_REGISTER
  OTF2_EvtReaderCallbacks_SetUnknownCallback(callbacks.get(), on_unknown);
  return callbacks;
}

LocationEvents read_location_events(OTF2_Reader* reader, uint64_t location,
                                    const OTF2_EvtReaderCallbacks* callbacks,
                                    const trace::Definitions& definitions, size_t expected_events,
                                    trace::EventsBuilder& builder) {
  LocationEvents result;
  QuietLibrary::forget();
  OTF2_EvtReader* events = OTF2_Reader_GetEvtReader(reader, location);
  if (events == nullptr) {
    result.fault = QuietLibrary::reason(OTF2_ERROR_INVALID);
    return result;
  }
  Target target{definitions, builder};
  target.builder.reserve(expected_events);
  OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, &target);
  uint64_t read = 0;
  const OTF2_ErrorCode code = OTF2_Reader_ReadAllLocalEvents(reader, events, &read);
  if (code != OTF2_SUCCESS) {
    result.fault = target.fault ? *target.fault : QuietLibrary::reason(code);
    result.fault_event = target.builder.size() + target.unknown;
  }
  OTF2_Reader_CloseEvtReader(reader, events);
  result.unknown = target.unknown;
  result.events = target.builder.finish();
  return result;
}

}  // namespace pathline::otf2
