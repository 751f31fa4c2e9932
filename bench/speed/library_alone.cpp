// SPDX-License-Identifier: BSD-3-Clause
#include "bench/speed/library_alone.hpp"

#include <vector>

#include <otf2/otf2.h>

#include "trace/event_kind.hpp"

namespace pathline::bench {
namespace {

template <class... Fields>
OTF2_CallbackCode count(OTF2_LocationRef /*location*/, OTF2_TimeStamp /*time*/,
                        uint64_t /*position*/, void* user, OTF2_AttributeList* /*attributes*/,
                        Fields... /*fields*/) {
  ++*static_cast<uint64_t*>(user);
  return OTF2_CALLBACK_SUCCESS;
}

OTF2_CallbackCode add_location(void* user, OTF2_LocationRef id, OTF2_StringRef /*name*/,
                               OTF2_LocationType /*type*/, uint64_t /*event_count*/,
                               OTF2_LocationGroupRef /*group*/) {
  static_cast<std::vector<OTF2_LocationRef>*>(user)->push_back(id);
  return OTF2_CALLBACK_SUCCESS;
}

}  // namespace

uint64_t count_events_with_library(const std::filesystem::path& anchor) {
  OTF2_Reader* reader = OTF2_Reader_Open(anchor.c_str());
  if (reader == nullptr) return 0;
  OTF2_Reader_SetSerialCollectiveCallbacks(reader);

  std::vector<OTF2_LocationRef> locations;
  uint64_t read = 0;
  OTF2_GlobalDefReader* definitions = OTF2_Reader_GetGlobalDefReader(reader);
  OTF2_GlobalDefReaderCallbacks* on_definition = OTF2_GlobalDefReaderCallbacks_New();
  OTF2_GlobalDefReaderCallbacks_SetLocationCallback(on_definition, add_location);
  OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, on_definition, &locations);
  OTF2_GlobalDefReaderCallbacks_Delete(on_definition);
  OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &read);

  for (const OTF2_LocationRef location : locations) OTF2_Reader_SelectLocation(reader, location);
  if (OTF2_Reader_OpenDefFiles(reader) == OTF2_SUCCESS) {
    for (const OTF2_LocationRef location : locations) {
      OTF2_DefReader* local = OTF2_Reader_GetDefReader(reader, location);
      if (local == nullptr) continue;
      OTF2_Reader_ReadAllLocalDefinitions(reader, local, &read);
      OTF2_Reader_CloseDefReader(reader, local);
    }
    OTF2_Reader_CloseDefFiles(reader);
  }

  uint64_t events = 0;
  OTF2_EvtReaderCallbacks* on_event = OTF2_EvtReaderCallbacks_New();
#define PATHLINE_COUNT(name, number, fields) \
  OTF2_EvtReaderCallbacks_Set##name##Callback(on_event, count);
  PATHLINE_EVENT_KINDS(PATHLINE_COUNT)
#undef PATHLINE_COUNT
  OTF2_Reader_OpenEvtFiles(reader);
  for (const OTF2_LocationRef location : locations) {
    OTF2_EvtReader* local = OTF2_Reader_GetEvtReader(reader, location);
    if (local == nullptr) continue;
    OTF2_Reader_RegisterEvtCallbacks(reader, local, on_event, &events);
    OTF2_Reader_ReadAllLocalEvents(reader, local, &read);
    OTF2_Reader_CloseEvtReader(reader, local);
  }
  OTF2_Reader_CloseEvtFiles(reader);
  OTF2_EvtReaderCallbacks_Delete(on_event);
  OTF2_Reader_Close(reader);
  return events;
}

}  // namespace pathline::bench
