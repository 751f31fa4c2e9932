// SPDX-License-Identifier: BSD-3-Clause
#include "trace/backwards.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace pathline::trace {
namespace {

/// Inter-communicators of a trace of several programs, each with a world of its own.
std::set<uint32_t> between_worlds(const Definitions& definitions) {
  size_t worlds = 0;
  std::set<uint32_t> found;
  for (uint32_t i = 0; i < definitions.communicators.size(); ++i) {
    const Communicator& communicator = definitions.communicators[i];
    worlds += communicator.name == "MPI_COMM_WORLD" ? 1 : 0;
    if (communicator.remote_group != kUndefined) found.insert(i);
  }
  if (worlds < 2) found.clear();
  return found;
}

/// Rows of messages that were received before being sent.
std::vector<size_t> backward_rows(const Messages& messages, base::ThreadPool& pool) {
  constexpr size_t kPiece = 1U << 16U;
  std::vector<std::vector<size_t>> rows(messages.size() / kPiece + 1);
  pool.for_each(rows.size(), [&](size_t piece) {
    const size_t end = std::min(messages.size(), (piece + 1) * kPiece);
    for (size_t i = piece * kPiece; i < end; ++i) {
      if (messages.recv_ticks[i] < messages.send_ticks[i]) rows[piece].push_back(i);
    }
  });
  for (size_t piece = 1; piece < rows.size(); ++piece) {
    rows[0].insert(rows[0].end(), rows[piece].begin(), rows[piece].end());
  }
  return std::move(rows[0]);
}

}  // namespace

Backwards find_backwards(const Messages& messages, const Definitions& definitions,
                         base::ThreadPool& pool) {
  using Key = std::tuple<uint32_t, uint32_t, uint32_t, uint32_t>;
  struct Stream {
    uint64_t backwards = 0;
    uint64_t worst_ticks = 0;
    uint32_t send_location = UINT32_MAX;
    uint32_t recv_location = UINT32_MAX;
    bool of_threads = false;
  };
  const auto key = [&](size_t i) {
    return Key(messages.sender[i], messages.receiver[i], messages.comm[i], messages.tag[i]);
  };
  Backwards all;
  std::map<Key, Stream> streams;
  constexpr size_t kMostStreams = 1U << 16U;  // With more of them it is the clocks.
  for (const size_t i : backward_rows(messages, pool)) {
    const uint64_t ticks = messages.send_ticks[i] - messages.recv_ticks[i];
    ++all.of_clocks;
    all.worst_ticks = std::max(all.worst_ticks, ticks);
    if (streams.size() == kMostStreams) continue;
    Stream& stream = streams[key(i)];
    ++stream.backwards;
    stream.worst_ticks = std::max(stream.worst_ticks, ticks);
  }
  if (streams.empty() || streams.size() == kMostStreams) return all;
  for (size_t i = 0; i < messages.size(); ++i) {
    const auto stream = streams.find(key(i));
    if (stream == streams.end()) continue;
    Stream& one = stream->second;
    one.of_threads = one.of_threads || (one.send_location != UINT32_MAX &&
                                        (one.send_location != messages.send_location[i] ||
                                         one.recv_location != messages.recv_location[i]));
    one.send_location = messages.send_location[i];
    one.recv_location = messages.recv_location[i];
  }
  Backwards found;
  const std::set<uint32_t> uncertain = between_worlds(definitions);
  for (const auto& [key_of_stream, stream] : streams) {
    if (uncertain.contains(std::get<2>(key_of_stream))) {
      found.of_worlds += stream.backwards;
    } else if (stream.of_threads) {
      found.of_threads += stream.backwards;
    } else {
      found.of_clocks += stream.backwards;
      found.worst_ticks = std::max(found.worst_ticks, stream.worst_ticks);
    }
  }
  return found;
}

}  // namespace pathline::trace
