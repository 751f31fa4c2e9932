// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace pathline::trace {

// clang-format off
/// Every kind of event that a trace can hold, X(name, number, fields), after the event records of
/// OTF2 3.0, whose names, numbers and field order these are. A field takes one 32-bit word; with
/// '*' it is an unsigned and with '-' a signed 64-bit number, two words, low word first. "..." says
/// that n items follow: for Metric type and 64-bit value (three words each), for ProgramBegin one
/// string each. The numbers are stored in columns only, never on disk.
#define PATHLINE_EVENT_KINDS(X) \
  X(BufferFlush, 10, "stop_time*") \
  X(MeasurementOnOff, 11, "mode") \
  X(Enter, 12, "region") \
  X(Leave, 13, "region") \
  X(MpiSend, 14, "receiver comm tag bytes*") \
  X(MpiIsend, 15, "receiver comm tag bytes* request*") \
  X(MpiIsendComplete, 16, "request*") \
  X(MpiIrecvRequest, 17, "request*") \
  X(MpiRecv, 18, "sender comm tag bytes*") \
  X(MpiIrecv, 19, "sender comm tag bytes* request*") \
  X(MpiRequestTest, 20, "request*") \
  X(MpiRequestCancelled, 21, "request*") \
  X(MpiCollectiveBegin, 22, "") \
  X(MpiCollectiveEnd, 23, "operation comm root bytes_sent* bytes_received*") \
  X(OmpFork, 24, "requested_threads") \
  X(OmpJoin, 25, "") \
  X(OmpAcquireLock, 26, "lock order") \
  X(OmpReleaseLock, 27, "lock order") \
  X(OmpTaskCreate, 28, "task*") \
  X(OmpTaskSwitch, 29, "task*") \
  X(OmpTaskComplete, 30, "task*") \
  X(Metric, 31, "metric n ...") \
  X(ParameterString, 32, "parameter string") \
  X(ParameterInt, 33, "parameter value-") \
  X(ParameterUnsignedInt, 34, "parameter value*") \
  X(RmaWinCreate, 35, "win") \
  X(RmaWinDestroy, 36, "win") \
  X(RmaCollectiveBegin, 37, "") \
  X(RmaCollectiveEnd, 38, "operation sync_level win root bytes_sent* bytes_received*") \
  X(RmaGroupSync, 39, "sync_level win group") \
  X(RmaRequestLock, 40, "win remote lock* lock_type") \
  X(RmaAcquireLock, 41, "win remote lock* lock_type") \
  X(RmaTryLock, 42, "win remote lock* lock_type") \
  X(RmaReleaseLock, 43, "win remote lock*") \
  X(RmaSync, 44, "win remote sync_type") \
  X(RmaWaitChange, 45, "win") \
  X(RmaPut, 46, "win remote bytes* matching*") \
  X(RmaGet, 47, "win remote bytes* matching*") \
  X(RmaAtomic, 48, "win remote type bytes_sent* bytes_received* matching*") \
  X(RmaOpCompleteBlocking, 49, "win matching*") \
  X(RmaOpCompleteNonBlocking, 50, "win matching*") \
  X(RmaOpTest, 51, "win matching*") \
  X(RmaOpCompleteRemote, 52, "win matching*") \
  X(ThreadFork, 53, "model requested_threads") \
  X(ThreadJoin, 54, "model") \
  X(ThreadTeamBegin, 55, "thread_team") \
  X(ThreadTeamEnd, 56, "thread_team") \
  X(ThreadAcquireLock, 57, "model lock order") \
  X(ThreadReleaseLock, 58, "model lock order") \
  X(ThreadTaskCreate, 59, "thread_team creating_thread generation") \
  X(ThreadTaskSwitch, 60, "thread_team creating_thread generation") \
  X(ThreadTaskComplete, 61, "thread_team creating_thread generation") \
  X(ThreadCreate, 62, "thread_contingent sequence*") \
  X(ThreadBegin, 63, "thread_contingent sequence*") \
  X(ThreadWait, 64, "thread_contingent sequence*") \
  X(ThreadEnd, 65, "thread_contingent sequence*") \
  X(CallingContextEnter, 66, "calling_context unwind_distance") \
  X(CallingContextLeave, 67, "calling_context") \
  X(CallingContextSample, 68, "calling_context unwind_distance interrupt_generator") \
  X(IoCreateHandle, 69, "handle mode creation_flags status_flags") \
  X(IoDestroyHandle, 70, "handle") \
  X(IoDuplicateHandle, 71, "old_handle new_handle status_flags") \
  X(IoSeek, 72, "handle offset_request- whence offset_result*") \
  X(IoChangeStatusFlags, 73, "handle status_flags") \
  X(IoDeleteFile, 74, "io_paradigm file") \
  X(IoOperationBegin, 75, "handle mode flags bytes_request* matching*") \
  X(IoOperationTest, 76, "handle matching*") \
  X(IoOperationIssued, 77, "handle matching*") \
  X(IoOperationComplete, 78, "handle bytes_result* matching*") \
  X(IoOperationCancelled, 79, "handle matching*") \
  X(IoAcquireLock, 80, "handle lock_type") \
  X(IoReleaseLock, 81, "handle lock_type") \
  X(IoTryLock, 82, "handle lock_type") \
  X(ProgramBegin, 83, "program n ...") \
  X(ProgramEnd, 84, "exit_status-") \
  X(NonBlockingCollectiveRequest, 85, "request*") \
  X(NonBlockingCollectiveComplete, 86, "operation comm root bytes_sent* bytes_received* request*") \
  X(CommCreate, 87, "comm") \
  X(CommDestroy, 88, "comm")
// clang-format on

enum class EventKind : uint8_t {
  kNone = 0,
#define PATHLINE_ENUMERATOR(name, number, fields) k##name = (number),
  PATHLINE_EVENT_KINDS(PATHLINE_ENUMERATOR)
#undef PATHLINE_ENUMERATOR
  /// A Leave to which no Enter belongs; everywhere outside the trace it is a Leave.
  kUnmatchedLeave = 89,
};

inline constexpr size_t kEventKindCount = 90;

/// "MpiSend"; "" for a number that is no kind, "Leave" for kUnmatchedLeave.
std::string_view event_name(EventKind kind);

/// The fields as in PATHLINE_EVENT_KINDS.
std::string_view event_fields(EventKind kind);

/// Words of the fields of `kind`, without the items that a variable kind has in addition.
constexpr unsigned fixed_words(std::string_view fields) {
  unsigned words = 0;
  bool in_field = false;
  for (const char c : fields) {
    if (c == '.') break;
    if (c == '*' || c == '-') ++words;
    if (c != ' ' && !in_field) ++words;
    in_field = c != ' ';
  }
  return words;
}

namespace detail {
constexpr std::array<uint8_t, kEventKindCount> event_word_table() {
  std::array<uint8_t, kEventKindCount> table{};
#define PATHLINE_WORDS(name, number, fields) \
  table[number] = static_cast<uint8_t>(fixed_words(fields));
  PATHLINE_EVENT_KINDS(PATHLINE_WORDS)
#undef PATHLINE_WORDS
  table[static_cast<size_t>(EventKind::kUnmatchedLeave)] = 1;
  return table;
}
inline constexpr auto kEventWords = event_word_table();
}  // namespace detail

/// Words of the fixed fields of `kind`.
constexpr unsigned event_words(EventKind kind) {
  return detail::kEventWords[static_cast<size_t>(kind)];
}

}  // namespace pathline::trace
