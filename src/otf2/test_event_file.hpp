// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <initializer_list>
#include <random>
#include <vector>

namespace pathline::otf2 {

/// Writes an `.evt` file with chunks much smaller than the library makes them, in both byte orders
/// by turns. For tests only; no program includes this.
class EventFile {
 public:
  explicit EventFile(uint64_t chunk_bytes) : chunk_bytes_(chunk_bytes) { begin_chunk(); }

  void time(uint64_t ticks) {
    if (ticks == ticks_) return;
    ticks_ = ticks;
    if (room() < kTimeBytes) {
      next_chunk();  // Which begins with the time.
    } else {
      put_time();
    }
  }
  /// Enter or Leave of one of the first regions, or another kind with a short number alone.
  void bare(uint8_t type, uint8_t number) { event({type, 1, number}); }
  /// A kind with a length, or an unknown one.
  void record(uint8_t type, std::initializer_list<uint8_t> payload) {
    std::vector<uint8_t> bytes = {type, static_cast<uint8_t>(payload.size())};
    bytes.insert(bytes.end(), payload);
    event(bytes);
  }
  /// One attribute of type uint8 of the next event.
  void attribute(uint8_t id, uint8_t value) { attributes_ = {6, 6, 1, 1, 1, id, 1, value}; }

  std::vector<uint8_t> finish() {
    end_chunk(2);
    return std::move(bytes_);
  }

 private:
  static constexpr uint64_t kTimeBytes = 9;

  uint64_t room() const { return chunk_ + chunk_bytes_ - bytes_.size() - 1; }  // An end mark.
  void number(uint64_t value, size_t at) {
    for (size_t i = 0; i < 8; ++i) {
      const size_t shift = 8 * (big_endian_ ? 7 - i : i);
      bytes_[at + i] = static_cast<uint8_t>(value >> shift);
    }
  }
  void put_time() {
    bytes_.push_back(5);
    bytes_.resize(bytes_.size() + 8);
    number(ticks_, bytes_.size() - 8);
  }
  void event(const std::vector<uint8_t>& record) {
    if (room() < attributes_.size() + record.size()) next_chunk();
    bytes_.insert(bytes_.end(), attributes_.begin(), attributes_.end());
    bytes_.insert(bytes_.end(), record.begin(), record.end());
    attributes_.clear();
    ++events_;
  }
  void begin_chunk() {
    chunk_ = bytes_.size();
    bytes_.insert(bytes_.end(), {3, static_cast<uint8_t>(big_endian_ ? 0x23 : 0x42)});
    bytes_.resize(bytes_.size() + 16);
    number(events_ + 1, chunk_ + 2);
    if (chunk_ > 0) put_time();
  }
  void end_chunk(uint8_t mark) {
    number(events_, chunk_ + 10);
    bytes_.push_back(mark);
  }
  void next_chunk() {
    end_chunk(0);
    bytes_.resize(chunk_ + chunk_bytes_);
    big_endian_ = !big_endian_;
    begin_chunk();
  }

  const uint64_t chunk_bytes_;
  std::vector<uint8_t> bytes_;
  std::vector<uint8_t> attributes_;
  uint64_t chunk_ = 0;
  uint64_t events_ = 0;
  uint64_t ticks_ = 0;
  bool big_endian_ = false;
};

/// A file of so many events. Calls nest but for one of `lost` enters and leaves, which is missing:
/// 0 for none. Of `unknown` records one is of an unknown kind, 0 for none.
inline std::vector<uint8_t> random_event_file(uint32_t seed, uint64_t chunk_bytes, size_t events,
                                              uint32_t lost, uint32_t unknown) {
  std::mt19937 random(seed);
  const auto pick = [&](size_t below) { return static_cast<uint8_t>(random() % below); };
  EventFile file(chunk_bytes);
  std::vector<uint8_t> open;
  uint64_t ticks = 100;
  file.time(ticks);
  for (size_t i = 0; i < events; ++i) {
    file.time(ticks += pick(3));
    if (pick(8) == 0) file.attribute(pick(50), pick(200));
    const bool is_lost = lost > 0 && random() % lost == 0;
    const uint8_t what = pick(10);
    if (unknown > 0 && random() % unknown == 0) {
      file.record(200, {1, 2, 3});
    } else if (what < 4 && open.size() < 6) {
      open.push_back(pick(4));
      if (!is_lost) file.bare(12, open.back());
    } else if (what < 8 && !open.empty()) {
      if (!is_lost) file.bare(13, open.back());
      open.pop_back();
    } else if (what == 8) {
      file.bare(16, pick(100));  // MpiIsendComplete
    } else if (pick(2) == 0) {
      file.record(14, {1, pick(9), 0, 1, pick(200), 1, pick(200)});  // MpiSend
    } else {
      file.record(31, {0, 2, 4, 1, pick(200), 4, 1, pick(200)});  // Metric, two values
    }
  }
  return file.finish();
}

}  // namespace pathline::otf2
