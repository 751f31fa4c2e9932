// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace pathline {

/// "0.1.0".
const char* version();

/// One message of a run.
struct Message {
  uint32_t sender;    ///< Rank.
  uint32_t receiver;  ///< Rank.
  double send_s;      ///< Seconds since the start of the run.
  double recv_s;
  uint64_t bytes;
  uint32_t tag;
};

/// Totals of one sender and receiver.
struct Pair {
  uint32_t sender;
  uint32_t receiver;
  uint64_t messages;
  uint64_t bytes;
};

/// A run that was read: what `pathline info`, `matrix` and `messages` print, for programs. Cheap to
/// move; may be read by several threads at once.
class Run {
 public:
  /// input   an OTF2 anchor file, a folder that holds one, or a CSV file of messages.
  /// error   set to one line when it cannot be read; nullptr is returned then.
  static std::unique_ptr<Run> open(const std::string& input, std::string& error);
  ~Run();
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  [[nodiscard]] uint32_t rank_count() const;
  [[nodiscard]] uint64_t event_count() const;
  [[nodiscard]] double duration_s() const;
  /// Sorted by send time, then sender. cost O(messages).
  [[nodiscard]] std::vector<Message> messages() const;
  /// Sorted by sender, then receiver.
  [[nodiscard]] std::vector<Pair> matrix() const;

 private:
  struct State;
  explicit Run(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace pathline
