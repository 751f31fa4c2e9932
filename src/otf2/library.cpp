// SPDX-License-Identifier: BSD-3-Clause
#include "otf2/library.hpp"

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <utility>

namespace pathline::otf2 {
namespace {

thread_local std::string last_message;
thread_local OTF2_ErrorCode last_code = OTF2_SUCCESS;

OTF2_ErrorCode keep_message(void* /*user_data*/, const char* /*file*/, uint64_t /*line*/,
                            const char* /*function*/, OTF2_ErrorCode code, const char* format,
                            va_list arguments) {
  char text[512] = "";
  std::vsnprintf(text, sizeof text, format, arguments);
  // The first message is nearest to the cause; later ones report that a callee failed.
  if (last_message.empty()) {
    last_message = text[0] != '\0' ? text : OTF2_Error_GetDescription(code);
    last_code = code;
  }
  return code;
}

std::mutex mutex;
int users = 0;
OTF2_ErrorCallback previous = nullptr;

}  // namespace

QuietLibrary::QuietLibrary() {
  const std::lock_guard lock(mutex);
  if (users++ == 0) previous = OTF2_Error_RegisterCallback(keep_message, nullptr);
}

QuietLibrary::~QuietLibrary() {
  const std::lock_guard lock(mutex);
  if (--users == 0) OTF2_Error_RegisterCallback(previous, nullptr);
}

std::string QuietLibrary::reason(OTF2_ErrorCode code) {
  const std::string said = std::exchange(last_message, {});
  return said.empty() ? OTF2_Error_GetDescription(code) : said;
}

void QuietLibrary::forget() { last_message.clear(); }

OTF2_ErrorCode QuietLibrary::first_error() {
  return last_message.empty() ? OTF2_SUCCESS : last_code;
}

std::string text_of(OTF2_Reader* reader, OTF2_ErrorCode (*get)(OTF2_Reader*, char**)) {
  char* text = nullptr;
  if (get(reader, &text) != OTF2_SUCCESS || text == nullptr) return "";
  std::string copy(text);
  std::free(text);
  return copy;
}

std::vector<std::pair<std::string, std::string>> properties_of(OTF2_Reader* reader) {
  std::vector<std::pair<std::string, std::string>> properties;
  uint32_t count = 0;
  char** names = nullptr;
  if (OTF2_Reader_GetPropertyNames(reader, &count, &names) != OTF2_SUCCESS) return properties;
  for (uint32_t i = 0; i < count; ++i) {
    char* value = nullptr;
    if (OTF2_Reader_GetProperty(reader, names[i], &value) == OTF2_SUCCESS) {
      properties.emplace_back(names[i], value);
      std::free(value);
    }
  }
  std::free(names);  // One block with the strings behind the pointers.
  std::sort(properties.begin(), properties.end());
  return properties;
}

uint64_t value_bits(OTF2_Type type, const OTF2_AttributeValue& value) {
  switch (type) {
    case OTF2_TYPE_UINT8:
    case OTF2_TYPE_INT8: return value.uint8;
    case OTF2_TYPE_UINT16:
    case OTF2_TYPE_INT16: return value.uint16;
    case OTF2_TYPE_NONE:
    case OTF2_TYPE_UINT64:
    case OTF2_TYPE_INT64:
    case OTF2_TYPE_DOUBLE:
    case OTF2_TYPE_LOCATION: return value.uint64;
    default: break;
  }
  const bool known = type <= OTF2_TYPE_LOCATION_GROUP;
  return known ? value.uint32 : value.uint64;  // 32-bit numbers and references.
}

}  // namespace pathline::otf2
