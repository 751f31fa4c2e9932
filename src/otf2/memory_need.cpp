// SPDX-License-Identifier: BSD-3-Clause
#include "otf2/memory_need.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/memory.hpp"
#include "base/scratch.hpp"
#include "base/text.hpp"

namespace pathline::otf2 {
namespace {

// A byte of an archive never becomes more than this; less than 2 are usual.
constexpr uint64_t kMostGrowth = 16;
constexpr uint64_t kSample = 32;

// An end while it is matched, and of a send the row of its message.
constexpr uint64_t kBytesASend = 72;
constexpr uint64_t kBytesAReceive = 16;

uint64_t bytes_of(const trace::Events& events) {
  uint64_t bytes = events.size_bytes();
  for (size_t i = 0; i < events.size(); ++i) {
    switch (events.kind[i]) {
      case trace::EventKind::kMpiSend:
      case trace::EventKind::kMpiIsend: bytes += kBytesASend; break;
      case trace::EventKind::kMpiRecv:
      case trace::EventKind::kMpiIrecv: bytes += kBytesAReceive; break;
      default: break;
    }
  }
  return bytes;
}

}  // namespace

MemoryNeed::MemoryNeed(uint64_t archive_bytes, std::optional<uint64_t> available_bytes)
    : archive_bytes_(archive_bytes),
      available_bytes_(available_bytes.value_or(base::available_memory().value_or(UINT64_MAX))) {}

void MemoryNeed::add(const trace::Events& events, uint64_t file_bytes) {
  if (archive_bytes_ <= available_bytes_ / kMostGrowth) return;
  events_ += events.size();
  need_bytes_ += bytes_of(events);
  read_bytes_ += file_bytes;
  if (read_bytes_ < archive_bytes_ / kSample) return;
  // What is asked of a trace takes a good deal of what it takes itself.
  if (bytes() + bytes() / 2 > available_bytes_ && base::use_scratch()) return;
  if (with_reserve() > available_bytes_) is_too_large_ = true;
}

base::Error MemoryNeed::error(const std::filesystem::path& anchor) const {
  const auto text = [](uint64_t count) { return base::human_bytes(static_cast<double>(count)); };
  const auto run = anchor.parent_path().filename();
  return {
      base::ErrorCode::kUnsupported,
      fmt::format("{} has about {} events and needs {} of memory; {} can be had", anchor.string(),
                  base::human_count(whole(events_)), text(with_reserve()), text(available_bytes_)),
      fmt::format("'pathline reduce {} -o {}.plsum' makes a file of its tables, which takes its "
                  "place; or a disk in place of memory: --scratch DIR.",
                  anchor.string(), run.empty() ? "run" : run.string())};
}

uint64_t MemoryNeed::whole(uint64_t of_read) const {
  const auto read = static_cast<double>(std::max<uint64_t>(1, read_bytes_));
  const double share = static_cast<double>(archive_bytes_) / read;
  return static_cast<uint64_t>(static_cast<double>(of_read) * std::max(1.0, share));
}

}  // namespace pathline::otf2
