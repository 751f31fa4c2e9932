// SPDX-License-Identifier: BSD-3-Clause
#include "raw/process.hpp"

#include <cerrno>
#include <csignal>
#include <ctime>
#include <fstream>
#include <iterator>
#include <limits>
#include <unistd.h>

#include <fmt/format.h>

#include "base/parse.hpp"

namespace pathline::raw {
namespace {

using chunk::Record;
using chunk::RecordKind;

void take(const Record& record, Definitions& out) {
  const auto& n = record.numbers;
  switch (record.kind) {
    case RecordKind::kRegion: out.regions.push_back({n[0], n[1], n[2], n[3], record.text}); break;
    case RecordKind::kCallSite: out.call_sites.push_back({n[0], n[1], record.text}); break;
    case RecordKind::kOmpTasks: out.omp_tasks.push_back(n[0]); break;
    case RecordKind::kFile: out.files.push_back({n[0], record.text}); break;
    case RecordKind::kStream: out.streams.push_back({n[0], record.text}); break;
    case RecordKind::kCommunicator: out.communicators.push_back({n[0], n[1], n[2], n[3]}); break;
    case RecordKind::kOtherWorld: out.other_worlds.push_back({n[0], n[1], n[2], n[3]}); break;
    case RecordKind::kMembers:
      out.members.push_back({n[0], n[1], {record.list.begin(), record.list.end()}});
      break;
    case RecordKind::kCommunicatorName:
      out.communicator_names.push_back({n[0], record.text});
      break;
    case RecordKind::kWindow: out.windows.push_back({n[0], n[1]}); break;
    case RecordKind::kWindowName: out.window_names.push_back({n[0], record.text}); break;
    case RecordKind::kIoHandle: out.io_handles.push_back({n[0], n[1], n[2], record.text}); break;
    case RecordKind::kClockPair:
      out.clock_pairs.push_back({n[0], n[1]});
      out.realtime_pairs.push_back({n[1], n[2]});
      break;
    case RecordKind::kClockOffset:
      out.clock_offsets.push_back({n[0], static_cast<int64_t>(n[1]), static_cast<double>(n[2])});
      break;
    case RecordKind::kSetting: out.settings.push_back(record.text); break;
    case RecordKind::kMetricSet: out.metric_sets.push_back({n[0], record.text}); break;
    case RecordKind::kProfile: out.profile.push_back({n[0], n[1], n[2], n[3]}); break;
    default: break;  // An event: it belongs to no thread here.
  }
}

/// When process `id` of this host began, in seconds since 1970; 0 if that cannot be told, infinity
/// for one that is dead and whose parent has not asked how it died (a zombie).
double start_of_process(uint32_t id) {
  std::ifstream file(fmt::format("/proc/{}/stat", id));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  // The name in parentheses may hold anything; the start is the 20th word behind it.
  size_t at = text.rfind(')');
  if (at != std::string::npos && at + 2 < text.size() &&
      (text[at + 2] == 'Z' || text[at + 2] == 'X')) {
    return std::numeric_limits<double>::infinity();
  }
  if (at == std::string::npos) return 0;
  for (int word = 0; word < 20; ++word) {
    at = text.find(' ', at + 1);
    if (at == std::string::npos) return 0;
  }
  std::string_view rest = std::string_view(text).substr(at + 1);
  const uint64_t ticks = base::take_number<uint64_t>(rest).value_or(0);
  timespec boot{};
  timespec now{};
  clock_gettime(CLOCK_BOOTTIME, &boot);
  clock_gettime(CLOCK_REALTIME, &now);
  const double boot_s = static_cast<double>(now.tv_sec) - static_cast<double>(boot.tv_sec);
  return boot_s + static_cast<double>(ticks) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

}  // namespace

Definitions read_definitions(const chunk::RawFile& file) {
  Definitions definitions;
  for (const chunk::StreamChunks& stream : file.streams) {
    if (stream.stream != chunk::kDefinitionStream) continue;
    uint32_t expected = 0;
    for (const chunk::Chunk& chunk : stream.chunks) {
      if (chunk.sequence != expected) {
        definitions.problems.push_back(
            fmt::format("{}: chunk {} of the definitions is missing (found {} at offset {})",
                        file.path().string(), expected, chunk.sequence,
                        chunk.offset - sizeof(chunk::ChunkHeader)));
      }
      expected = chunk.sequence + 1;
      chunk::RecordReader reader(chunk);
      Record record;
      while (reader.next(record)) take(record, definitions);
      if (*reader.fault() != '\0') {
        definitions.problems.push_back(fmt::format("{}: offset {}: {}", file.path().string(),
                                                   reader.offset(), reader.fault()));
      }
    }
  }
  return definitions;
}

std::vector<TickPair> chunk_pairs(const chunk::RawFile& file) {
  std::vector<TickPair> pairs;
  for (const chunk::StreamChunks& stream : file.streams) {
    if (stream.stream == chunk::kDefinitionStream) continue;
    for (const chunk::Chunk& chunk : stream.chunks) {
      if (chunk.begin_ns != 0) pairs.push_back({chunk.begin_ticks, chunk.begin_ns});
    }
  }
  return pairs;
}

Life life_of(const Process& process) {
  const chunk::RawFile& file = process.file;
  if (file.finished) return Life::kEnded;
  char host[256] = {};
  if (gethostname(host, sizeof host - 1) != 0 || file.host != host) return Life::kUnknown;
  if (file.process_id == 0 || file.process_id > INT32_MAX) return Life::kEnded;
  if (kill(static_cast<pid_t>(file.process_id), 0) != 0 && errno != EPERM) return Life::kEnded;
  // The number may have been given to another process since.
  if (process.definitions.realtime_pairs.empty()) return Life::kAlive;
  const double recorded_s = static_cast<double>(process.definitions.realtime_pairs[0].ns) / 1e9;
  return start_of_process(file.process_id) < recorded_s + 2 ? Life::kAlive : Life::kEnded;
}

}  // namespace pathline::raw
