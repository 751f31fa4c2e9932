// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace pathline::chunk {

// clang-format off
/// Every kind of record in a raw file, X(name, number, fields). The numbers are stored on disk: never
/// change one, never use one again. Fields are variable-length numbers in this order; one that ends
/// in '-' is signed. "text" is a length and as many bytes, "list" a count and as many numbers; either
/// can only be the last field. After the kind stands the time since the record before (kEnter to
/// kOmpJoin), or nothing (from kRegion on: definitions, which have no time).
#define PATHLINE_RECORD_KINDS(X) \
  X(Enter, 1, "region") \
  X(Leave, 2, "region") \
  X(Send, 3, "comm receiver tag bytes") \
  X(Isend, 4, "comm receiver tag bytes request") \
  X(IsendComplete, 5, "request") \
  X(IrecvRequest, 6, "request") \
  X(Recv, 7, "comm sender tag bytes") \
  X(Irecv, 8, "comm sender tag bytes request") \
  X(RequestTest, 9, "request") \
  X(RequestCancelled, 10, "request") \
  X(CollectiveBegin, 11, "") \
  X(CollectiveEnd, 12, "operation comm root bytes_sent bytes_received") \
  X(CollectiveRequest, 13, "request") \
  X(CollectiveComplete, 14, "operation comm root bytes_sent bytes_received request") \
  X(WinCreate, 15, "win") \
  X(WinDestroy, 16, "win") \
  X(RmaCollectiveBegin, 17, "") \
  X(RmaCollectiveEnd, 18, "operation level win root bytes_sent bytes_received") \
  X(RmaGroupSync, 19, "level win group") \
  X(RmaLock, 20, "win target lock type") \
  X(RmaUnlock, 21, "win target lock") \
  X(RmaSync, 22, "win target type") \
  X(RmaPut, 23, "win target bytes matching") \
  X(RmaGet, 24, "win target bytes matching") \
  X(RmaAtomic, 25, "win target type bytes_sent bytes_received matching") \
  X(RmaComplete, 26, "win matching") \
  X(IoCreate, 27, "handle mode creation status") \
  X(IoDestroy, 28, "handle") \
  X(IoSeek, 29, "handle offset- whence result") \
  X(IoBegin, 30, "handle mode operation bytes matching") \
  X(IoEnd, 31, "handle bytes matching") \
  X(Step, 32, "step- time_bits") \
  X(Recording, 33, "on") \
  X(Metric, 34, "set list") \
  X(Flush, 35, "duration") \
  X(Polls, 36, "region count duration") \
  X(SendFailed, 37, "") \
  X(NeighborSend, 38, "receiver bytes") \
  X(PollsWithWork, 39, "region count duration work") \
  X(OmpFork, 40, "team threads") \
  X(OmpBegin, 41, "team region") \
  X(OmpEnd, 42, "barrier") \
  X(OmpJoin, 43, "") \
  X(Region, 64, "id role line file text") \
  X(File, 65, "id text") \
  X(Stream, 66, "stream text") \
  X(Communicator, 67, "id creator number kind") \
  X(Members, 68, "id side list") \
  X(CommunicatorName, 69, "id text") \
  X(Window, 70, "id comm") \
  X(WindowName, 71, "id text") \
  X(IoHandle, 72, "id paradigm comm text") \
  X(ClockPair, 73, "ticks monotonic_ns realtime_ns") \
  X(ClockOffset, 74, "monotonic_ns offset_ns- error_ns") \
  X(Setting, 75, "text") \
  X(MetricSet, 76, "set text") \
  X(Profile, 77, "stream region calls ticks") \
  X(OtherWorld, 78, "comm parents size realtime_ns") \
  X(CallSite, 79, "region address text") \
  X(OmpTasks, 80, "region")
// clang-format on

enum class RecordKind : uint8_t {
#define PATHLINE_ENUMERATOR(name, number, fields) k##name = number,
  PATHLINE_RECORD_KINDS(PATHLINE_ENUMERATOR)
#undef PATHLINE_ENUMERATOR
};

/// What stands in a record, worked out from its list of fields.
struct RecordShape {
  enum class Tail : uint8_t { kNone, kText, kList };
  bool known = false;
  bool timed = false;
  uint8_t numbers = 0;          ///< Without the tail.
  uint16_t signed_numbers = 0;  ///< Bit i: number i is signed.
  Tail tail = Tail::kNone;
};

constexpr uint8_t kFirstUntimed = 64;
constexpr unsigned kMaxNumbers = 8;

constexpr RecordShape shape_of(uint8_t number, std::string_view fields) {
  RecordShape shape{.known = true, .timed = number < kFirstUntimed};
  while (!fields.empty()) {
    const size_t end = fields.find(' ');
    const std::string_view field = fields.substr(0, end);
    if (field == "text") {
      shape.tail = RecordShape::Tail::kText;
    } else if (field == "list") {
      shape.tail = RecordShape::Tail::kList;
    } else {
      if (field.back() == '-') shape.signed_numbers |= static_cast<uint16_t>(1U << shape.numbers);
      ++shape.numbers;
    }
    fields = end == std::string_view::npos ? std::string_view() : fields.substr(end + 1);
  }
  return shape;
}

/// Indexed by the number of a kind; unknown ones are not known.
inline constexpr auto kRecordShapes = [] {
  std::array<RecordShape, 256> shapes{};
#define PATHLINE_SHAPE(name, number, fields) shapes[number] = shape_of(number, fields);
  PATHLINE_RECORD_KINDS(PATHLINE_SHAPE)
#undef PATHLINE_SHAPE
  return shapes;
}();

}  // namespace pathline::chunk
