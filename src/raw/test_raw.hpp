// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <algorithm>
#include <deque>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "chunk/writer.hpp"

namespace pathline::raw {

/// Writes the raw file of one process as the recorder would, for tests.
class ProcessWriter {
 public:
  using Kind = chunk::RecordKind;
  struct Options {
    uint32_t rank = 0;
    uint32_t rank_count = 1;
    uint32_t world = 1000;
    uint32_t process_id = 0;
    std::string host = "node1";
    std::string program;  ///< With a name there is a call around all the others.
    uint64_t ticks_per_second = 2'000'000'000;
    uint32_t chunk_bytes = 65536;
    uint64_t max_bytes = 1ULL << 30U;
    chunk::Buffering buffering = chunk::Buffering::kFile;
  };

  ProcessWriter(const std::filesystem::path& folder, const Options& options)
      : path_((folder / fmt::format("{}-{}.raw", options.world, options.rank)).string()) {
    std::filesystem::create_directories(folder);
    chunk::Identity who{};
    who.rank = options.rank;
    who.rank_count = options.rank_count;
    who.world = options.world;
    who.process_id = options.process_id;
    who.clock = chunk::ClockSource::kTsc;
    who.ticks_per_second = options.ticks_per_second;
    options.host.copy(who.host, sizeof who.host - 1);
    options.program.copy(who.program, sizeof who.program - 1);
    writer_ = std::make_unique<chunk::Writer>();
    if (!writer_->open({.path = path_.c_str(),
                        .buffering = options.buffering,
                        .chunk_bytes = options.chunk_bytes,
                        .max_bytes = options.max_bytes},
                       who)) {
      std::abort();
    }
    definitions_.start(writer_.get(), chunk::kDefinitionStream);
  }
  ProcessWriter(ProcessWriter&&) = default;

  ProcessWriter& define(Kind kind, std::initializer_list<uint64_t> numbers) {
    definitions_.define(kind, numbers.begin(), static_cast<unsigned>(numbers.size()));
    return *this;
  }
  ProcessWriter& define(Kind kind, std::initializer_list<uint64_t> numbers, std::string_view text) {
    definitions_.define_text(kind, numbers.begin(), static_cast<unsigned>(numbers.size()),
                             text.data(), text.size());
    return *this;
  }
  ProcessWriter& define_list(Kind kind, std::initializer_list<uint64_t> numbers,
                             const std::vector<uint64_t>& list) {
    definitions_.define_list(kind, numbers.begin(), static_cast<unsigned>(numbers.size()),
                             list.data(), list.size());
    return *this;
  }
  /// Role and paradigm as in OTF2.
  ProcessWriter& region(uint64_t id, std::string_view name, uint64_t role = 1,
                        uint64_t paradigm = 1) {
    return define(Kind::kRegion, {id, role | paradigm << 8U, 0, 0}, name);
  }
  /// `ticks` are `ns` of CLOCK_MONOTONIC and `realtime_ns` on the wall.
  ProcessWriter& clock_pair(uint64_t ticks, uint64_t ns, uint64_t realtime_ns) {
    return define(Kind::kClockPair, {ticks, ns, realtime_ns});
  }
  ProcessWriter& clock_offset(uint64_t ns, int64_t offset_ns, uint64_t error_ns) {
    return define(Kind::kClockOffset, {ns, base::zigzag(offset_ns), error_ns});
  }
  /// MPI_COMM_WORLD as communicator `id`, with its members if this is rank 0.
  ProcessWriter& world(uint64_t id, uint32_t rank, uint32_t rank_count) {
    define(Kind::kCommunicator, {id, 0, 0, 0});
    if (rank == 0) define_list(Kind::kMembers, {id, 0}, {0, base::zigzag(1), rank_count});
    return *this;
  }
  template <class... Numbers>
  ProcessWriter& event(uint64_t ticks, Kind kind, Numbers... numbers) {
    return event_on(0, ticks, kind, numbers...);
  }
  template <class... Numbers>
  ProcessWriter& event_on(uint32_t stream, uint64_t ticks, Kind kind, Numbers... numbers) {
    stream_of(stream).add(kind, ticks, numbers...);
    return *this;
  }
  /// The one kind of event with a list.
  ProcessWriter& metric(uint64_t ticks, uint64_t set, const std::vector<uint64_t>& values) {
    uint8_t* at = stream_of(0).begin(Kind::kMetric, ticks);
    if (at == nullptr) return *this;
    at = base::put_varint(base::put_varint(at, set), values.size());
    for (const uint64_t value : values) at = base::put_varint(at, value);
    stream_of(0).commit(at);
    return *this;
  }
  chunk::Writer& writer() { return *writer_; }

  /// Ends as MPI_Finalize does. Without it the file is that of a process that was killed.
  std::filesystem::path finish() {
    for (auto& [number, stream] : streams_) stream->finish();
    definitions_.finish();
    writer_->close();
    return path_;
  }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  chunk::Stream& stream_of(uint32_t number) {
    auto& stream = streams_[number];
    if (stream == nullptr) {
      stream = std::make_unique<chunk::Stream>();
      stream->start(writer_.get(), number);
    }
    return *stream;
  }

  std::string path_;
  std::unique_ptr<chunk::Writer> writer_;
  chunk::Stream definitions_;
  std::map<uint32_t, std::unique_ptr<chunk::Stream>> streams_;
};

}  // namespace pathline::raw
