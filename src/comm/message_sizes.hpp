// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/packing.hpp"
#include "trace/collective_stream.hpp"
#include "trace/select.hpp"
#include "trace/trace.hpp"

namespace pathline::comm {

/// Messages of similar size, or collective operations of a kind.
struct SizeSum {
  uint64_t min_bytes = UINT64_MAX;  ///< Of a message; of a member of an operation.
  uint64_t max_bytes = 0;           ///< The same: sent or received.
  uint64_t count = 0;               ///< Messages, or operations.
  uint64_t bytes = 0;               ///< Sent, of an operation by all its members.
  uint64_t timed = 0;               ///< Messages, or members of the operations.
  int64_t ticks = 0;                ///< From send to receive; of a member in the operation.

  void size(uint64_t value) {
    min_bytes = std::min(min_bytes, value);
    max_bytes = std::max(max_bytes, value);
  }
  void time(uint64_t begin, uint64_t end) {
    ticks = static_cast<int64_t>(static_cast<uint64_t>(ticks) + (end - begin));
    ++timed;
  }
  void add(const SizeSum& other);
};

/// The tiny messages of a pair of ranks.
struct TinyPair {
  uint32_t sender = 0;
  uint32_t receiver = 0;
  uint64_t count = 0;
  uint64_t bytes = 0;
};

inline constexpr uint64_t kTinyBytes = 256;

struct MessageSizes {
  /// By powers of eight: no bytes, less than 8, less than 64 ...
  std::array<SizeSum, 24> messages{};
  std::array<SizeSum, 256> operations{};  ///< By the numbers of OTF2.
  /// Pairs with messages of up to kTinyBytes, by sender, then receiver.
  std::vector<TinyPair> tiny;
};

/// cost  O(messages + members of operations + tiny messages log tiny messages)
MessageSizes message_sizes(const trace::Trace& trace, const trace::Selection& selection);

/// The same of a whole run that comes in parts.
class GrowingMessageSizes {
 public:
  void add(const trace::Messages& messages);
  /// An operation with all its members, by location.
  void add(const std::vector<trace::CollectivePart>& members);
  [[nodiscard]] MessageSizes finish();
  /// For the process that adds up what others saw.
  void pack(base::Packer& out);
  void take(base::Unpacker& in);

 private:
  friend MessageSizes message_sizes(const trace::Trace& trace, const trace::Selection& selection);
  struct TinyMessage {
    uint64_t pair;
    uint64_t bytes;
  };

  void add_message(const trace::Messages& messages, size_t i);
  void join(const std::vector<TinyPair>& others);
  void join_pending();

  MessageSizes sizes_;
  std::vector<TinyMessage> pending_;  // Not yet in sizes_.tiny.
};

}  // namespace pathline::comm
