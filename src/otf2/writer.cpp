// SPDX-License-Identifier: BSD-3-Clause
#include "otf2/writer.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <memory>
#include <unistd.h>

#include <fmt/format.h>

#include "base/file.hpp"
#include "otf2/anchor.hpp"
#include "otf2/clock.hpp"
#include "otf2/library.hpp"
#include "otf2/write_definitions.hpp"
#include "otf2/write_events.hpp"

namespace pathline::otf2 {
namespace {

struct CloseArchive {
  void operator()(OTF2_Archive* archive) const { OTF2_Archive_Close(archive); }
};
using ArchiveHandle = std::unique_ptr<OTF2_Archive, CloseArchive>;

constexpr uint64_t kEventChunkBytes = OTF2_CHUNK_SIZE_EVENTS_DEFAULT;

OTF2_FlushType always_flush(void* /*user*/, OTF2_FileType /*type*/, OTF2_LocationRef /*location*/,
                            void* /*caller*/, bool /*final*/) {
  return OTF2_FLUSH;
}

base::Error cannot_write(const std::filesystem::path& path, const std::string& fact) {
  return {base::ErrorCode::kIo, fmt::format("cannot write {}: {}", path.string(), fact)};
}

/// A record must fit into one chunk. The library clears a chunk for each location's definitions, so
/// that the smallest that will do is taken: with its default of 4 MiB 54,272 locations are 227 GB
/// of zeros.
uint64_t definition_chunk_bytes(const trace::Definitions& definitions) {
  uint64_t largest = 0;
  for (size_t i = 0; i < definitions.size(); ++i) {
    uint64_t bytes = 5 * uint64_t{definitions.words(i).size()} + 64;
    if (definitions.kind(i) == trace::DefinitionKind::kString) {
      bytes += definitions.text(definitions.words(i)[1]).size();
    }
    largest = std::max(largest, bytes);
  }
  return std::clamp<uint64_t>(2 * largest, OTF2_CHUNK_SIZE_MIN, OTF2_CHUNK_SIZE_MAX);
}

/// FNV-1a over 64-bit words.
class Checksum {
 public:
  void add(uint64_t value) { sum_ = (sum_ ^ value) * 0x100000001b3ULL; }
  template <class Number>
  void add_all(std::span<const Number> numbers) {
    for (const Number number : numbers) add(static_cast<uint64_t>(number));
  }
  [[nodiscard]] uint64_t value() const { return sum_ ^ sum_ >> 29U; }

 private:
  uint64_t sum_ = 0xcbf29ce484222325ULL;
};

uint64_t checksum(const trace::Trace& trace) {
  Checksum sum;
  for (size_t i = 0; i < trace.definitions.size(); ++i) {
    sum.add_all(trace.definitions.words(i));
  }
  for (const trace::Location& location : trace.locations) {
    sum.add(location.id);
    for (const uint64_t ticks : location.events.ticks) sum.add(ticks);
    for (const uint32_t word : location.events.words) sum.add(word);
  }
  return sum.value();
}

/// The library takes the archive's id from the clock and offers no way to set it. Same input, same
/// bytes: put ours in its place.
base::Status replace_trace_id(const std::filesystem::path& anchor_path, uint64_t id) {
  size_t offset = 0;
  {
    const auto file = base::MappedFile::open(anchor_path);
    if (!file) return file.error();
    const auto anchor = parse_anchor(file.value().bytes());
    if (!anchor) return anchor.error();
    offset = anchor.value().trace_id_offset;
  }
  const int descriptor = ::open(anchor_path.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return cannot_write(anchor_path, base::system_reason(errno));
  const ssize_t written = ::pwrite(descriptor, &id, sizeof id, static_cast<off_t>(offset));
  const int reason = errno;
  ::close(descriptor);
  if (written != sizeof id) return cannot_write(anchor_path, base::system_reason(reason));
  return {};
}

class ArchiveWriter {
 public:
  ArchiveWriter(const trace::Trace& trace, std::filesystem::path folder, std::string_view name,
                base::Progress& progress)
      : trace_(trace), folder_(std::move(folder)), name_(name), progress_(progress) {}

  base::Status write() {
    const std::filesystem::path anchor_path = folder_ / (name_ + ".otf2");
    if (trace_.definitions.locations.empty()) {
      return base::Error{base::ErrorCode::kUnsupported,
                         "an OTF2 archive needs locations, and this input has none (it holds "
                         "messages only)"};
    }
    std::error_code code;
    const std::array own = {anchor_path, definitions_path(anchor_path), folder_ / name_};
    for (const std::filesystem::path& path : own) {
      if (std::filesystem::exists(path, code)) {
        return base::Error{base::ErrorCode::kInvalidArgument,
                           fmt::format("{} exists already", path.string()),
                           "Remove it or choose another folder."};
      }
    }
    std::filesystem::create_directories(folder_, code);
    if (code) return cannot_write(folder_, code.message());

    const QuietLibrary quiet;
    QuietLibrary::forget();
    base::Status status = write_files(anchor_path);
    if (!status) {
      // Half an archive must not pass for a whole one, nor be in the way of the next attempt.
      archive_.reset();
      for (const std::filesystem::path& path : own) std::filesystem::remove_all(path, code);
    }
    return status;
  }

 private:
  base::Status write_files(const std::filesystem::path& anchor_path) {
    if (auto status = open(); !status) return status;
    progress_.begin("writing events", "events", trace_.event_count());
    if (auto status = write_events(); !status) return status;
    if (auto status = write_offsets(); !status) return status;
    OTF2_GlobalDefWriter* definitions = OTF2_Archive_GetGlobalDefWriter(archive_.get());
    if (definitions == nullptr) return failed(OTF2_ERROR_INVALID);
    if (auto status = write_definitions(definitions, trace_); !status) {
      return cannot_write(definitions_path(anchor_path), status.error().message);
    }
    OTF2_Archive_CloseGlobalDefWriter(archive_.get(), definitions);
    if (const auto closed = OTF2_Archive_Close(archive_.release()); closed != OTF2_SUCCESS) {
      return failed(closed);
    }
    if (const auto error = QuietLibrary::first_error(); error != OTF2_SUCCESS) {
      const std::string reason = OTF2_Error_GetDescription(error);
      return cannot_write(folder_, fmt::format("{} ({})", reason, QuietLibrary::reason(error)));
    }
    return replace_trace_id(anchor_path, checksum(trace_));
  }

  base::Error failed(OTF2_ErrorCode code) const {
    return cannot_write(folder_ / (name_ + ".otf2"), QuietLibrary::reason(code));
  }

  base::Status open() {
    archive_.reset(OTF2_Archive_Open(folder_.c_str(), name_.c_str(), OTF2_FILEMODE_WRITE,
                                     kEventChunkBytes, definition_chunk_bytes(trace_.definitions),
                                     OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE));
    if (archive_ == nullptr) return failed(OTF2_ERROR_INVALID);
    OTF2_Archive* archive = archive_.get();
    // With a callback behind a flush the library would write an event of it, whatever that returns;
    // the archive holds what the program did.
    static const OTF2_FlushCallbacks kFlush = {always_flush, nullptr};
    OTF2_Archive_SetFlushCallbacks(archive, &kFlush, nullptr);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    if (!trace_.creator.empty()) OTF2_Archive_SetCreator(archive, trace_.creator.c_str());
    if (!trace_.machine.empty()) OTF2_Archive_SetMachineName(archive, trace_.machine.c_str());
    if (!trace_.description.empty()) {
      OTF2_Archive_SetDescription(archive, trace_.description.c_str());
    }
    for (const auto& [name, value] : trace_.properties) {
      const auto code = OTF2_Archive_SetProperty(archive, name.c_str(), value.c_str(), true);
      if (code != OTF2_SUCCESS) return failed(code);
    }
    return {};
  }

  base::Status write_events() {
    if (const auto code = OTF2_Archive_OpenEvtFiles(archive_.get()); code != OTF2_SUCCESS) {
      return failed(code);
    }
    for (const trace::Location& location : trace_.locations) {
      // One writer at a time: each holds a whole chunk.
      OTF2_EvtWriter* writer = OTF2_Archive_GetEvtWriter(archive_.get(), location.id);
      if (writer == nullptr) return failed(OTF2_ERROR_INVALID);
      if (auto status =
              write_location_events(writer, trace_.definitions, location, keeps_offsets(location));
          !status) {
        return cannot_write(events_path(folder_ / (name_ + ".otf2"), location.id),
                            status.error().message);
      }
      if (const auto code = OTF2_Archive_CloseEvtWriter(archive_.get(), writer);
          code != OTF2_SUCCESS) {
        return failed(code);
      }
      progress_.done += location.events.size();
    }
    OTF2_Archive_CloseEvtFiles(archive_.get());
    return {};
  }

  base::Status write_offsets() {
    if (const auto code = OTF2_Archive_OpenDefFiles(archive_.get()); code != OTF2_SUCCESS) {
      return failed(code);
    }
    for (const trace::Location& location : trace_.locations) {
      OTF2_DefWriter* writer = OTF2_Archive_GetDefWriter(archive_.get(), location.id);
      if (writer == nullptr) return failed(OTF2_ERROR_INVALID);
      if (keeps_offsets(location)) {
        for (const trace::ClockOffset& offset : location.clock_offsets) {
          OTF2_DefWriter_WriteClockOffset(writer, offset.local_ticks, offset.offset_ticks,
                                          offset.deviation);
        }
      }
      if (const auto code = OTF2_Archive_CloseDefWriter(archive_.get(), writer);
          code != OTF2_SUCCESS) {
        return failed(code);
      }
    }
    OTF2_Archive_CloseDefFiles(archive_.get());
    return {};
  }

  /// False for offsets that cannot be undone at some event: global times are written then, which
  /// need no correction.
  static bool keeps_offsets(const trace::Location& location) {
    if (location.clock_offsets.size() < 2) return true;
    uint64_t last = 0;
    for (const uint64_t ticks : location.events.ticks) {
      const auto local = local_ticks(ticks, location.clock_offsets);
      if (!local || *local < last) return false;
      last = *local;
    }
    return true;
  }

  const trace::Trace& trace_;
  const std::filesystem::path folder_;
  const std::string name_;
  base::Progress& progress_;
  ArchiveHandle archive_;
};

}  // namespace

base::Status write(const trace::Trace& trace, const std::filesystem::path& folder,
                   std::string_view name, base::Progress& progress) {
  return ArchiveWriter(trace, folder, name, progress).write();
}

}  // namespace pathline::otf2
