// SPDX-License-Identifier: BSD-3-Clause
#include "otf2/reader.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "otf2/anchor.hpp"
#include "otf2/bytes.hpp"
#include "otf2/check_definition.hpp"
#include "otf2/decode_events.hpp"
#include "otf2/library.hpp"
#include "otf2/memory_need.hpp"
#include "otf2/read_definitions.hpp"
#include "otf2/read_events.hpp"
#include "otf2/scan.hpp"
#include "trace/finish.hpp"
#include "trace/ranks.hpp"
#include "trace/warnings.hpp"

namespace pathline::otf2 {
namespace {

constexpr const char* kPartialAdvice =
    "The program may have been killed while it was recorded. '--partial' reads what is there.";

base::Error cannot_read(const std::filesystem::path& file, const std::string& fact) {
  return {base::ErrorCode::kCorrupt, fmt::format("cannot read {}: {}", file.string(), fact)};
}

/// What to say of a file of the archive that MappedFile::open did not open.
base::Error cannot_open(const std::filesystem::path& file, const base::Error& error) {
  return error.code == base::ErrorCode::kNotFound ? cannot_read(file, "the file is missing")
                                                  : error;
}

base::Result<ReaderHandle> open_reader(const std::filesystem::path& anchor) {
  QuietLibrary::forget();
  ReaderHandle reader(OTF2_Reader_Open(anchor.c_str()));
  if (reader == nullptr) {
    return cannot_read(anchor, "offset 0: the OTF2 library refuses it (" +
                                   QuietLibrary::reason(OTF2_ERROR_INVALID) + ")");
  }
  OTF2_Reader_SetSerialCollectiveCallbacks(reader.get());
  return reader;
}

/// Turns what stopped the library into file, offset and fact: the place where the file's framing
/// breaks if it does, else where event `event` stands.
std::string locate(const std::filesystem::path& file, FileKind kind, uint64_t chunk_bytes,
                   const std::string& fault, uint64_t record) {
  const auto mapped = base::MappedFile::open(file);
  if (!mapped) {
    return mapped.error().code == base::ErrorCode::kNotFound ? "the file is missing"
                                                             : mapped.error().message;
  }
  const auto bytes = mapped.value().bytes();
  const auto damage = find_damage(bytes, kind, chunk_bytes);
  if (damage && damage->records_before <= record) {
    const std::string before =
        kind == FileKind::kEvents
            ? base::counted(damage->records_before, "event", "events")
            : base::counted(damage->records_before, "definition", "definitions");
    return fmt::format("offset {}, after {}: {}", damage->offset, before, damage->fact);
  }
  const uint64_t offset = record_offset(bytes, kind, chunk_bytes, record);
  return fmt::format("offset {}, {} {}: {}", offset,
                     kind == FileKind::kEvents ? "event" : "definition", record, fault);
}

/// One piece of work: locations that are read one after the other by one library reader.
struct Piece {
  std::vector<uint32_t> locations;
};

/// Cuts the locations into pieces of about the same number of bytes, the same ones for any number
/// of threads.
std::vector<Piece> cut(const std::vector<uint64_t>& file_bytes) {
  constexpr uint64_t kMinPieceBytes = 4 << 20;
  constexpr uint64_t kMaxPieces = 64;
  uint64_t sum = 0;
  for (const uint64_t bytes : file_bytes) sum += bytes;
  const uint64_t piece_bytes = std::max(kMinPieceBytes, sum / kMaxPieces);
  std::vector<Piece> pieces;
  uint64_t filled = piece_bytes;
  for (size_t i = 0; i < file_bytes.size(); ++i) {
    if (filled >= piece_bytes) {
      pieces.emplace_back();
      filled = 0;
    }
    pieces.back().locations.push_back(static_cast<uint32_t>(i));
    filled += file_bytes[i];
  }
  return pieces;
}

class ArchiveReader {
 public:
  ArchiveReader(std::filesystem::path anchor_path, const ReadOptions& options,
                base::ThreadPool& pool, base::Progress& progress)
      : anchor_path_(std::move(anchor_path)), options_(options), pool_(pool), progress_(progress) {}

  base::Result<trace::Trace> read() {
    const QuietLibrary quiet;
    if (auto status = read_anchor(); !status) return status.error();
    if (auto status = read_definitions(); !status) return status.error();
    if (auto status = read_locations(); !status) return status.error();
    look_for_markers();
    trace::finish(trace_, pool_, progress_, options_.messages);
    return std::move(trace_);
  }

  base::Result<Archive> open(const ChooseLocations& choose, const LocalFiles* known) {
    const QuietLibrary quiet;
    if (auto status = read_anchor(); !status) return status.error();
    if (auto status = read_definitions(); !status) return status.error();
    name_locations();
    trace::assign_ranks(trace_);
    faults_.resize(trace_.locations.size());
    mappings_.resize(trace_.locations.size());
    const auto wanted = choose ? choose(trace_, file_bytes_) : std::vector<bool>();
    if (known != nullptr && known->size() != trace_.locations.size()) known = nullptr;
    LocalFiles files(trace_.locations.size());
    for (uint32_t i = 0; i < trace_.locations.size(); ++i) {
      if (choose && !wanted[i]) continue;
      const LocalDefinitions local =
          known != nullptr ? known_local(i, (*known)[i]) : read_local(i, &files[i]);
      if (!faults_[i].empty()) return with_advice({base::ErrorCode::kCorrupt, faults_[i]});
      trace_.locations[i].clock_offsets = local.clock_offsets;
      mappings_[i] = local.mappings;
      if (!local.odd_mappings) continue;
      return base::Error{base::ErrorCode::kUnsupported,
                         fmt::format("{} maps the ids of location {} in an unusual way",
                                     anchor_path_.string(), trace_.locations[i].id)};
    }
    look_for_markers();
    return Archive{anchor_path_,         anchor_.event_chunk_bytes, std::move(file_bytes_),
                   std::move(mappings_), std::move(files),          std::move(trace_)};
  }

 private:
  base::Status read_anchor() {
    const auto file = base::MappedFile::open(anchor_path_);
    if (!file) return file.error();
    const auto anchor = parse_anchor(file.value().bytes());
    if (!anchor) {
      base::Error error = anchor.error();
      error.message = fmt::format("cannot read {}: {}", anchor_path_.string(), error.message);
      return error;
    }
    anchor_ = anchor.value();
    auto reader = open_reader(anchor_path_);
    if (!reader) return reader.error();
    reader_ = std::move(reader).value();
    trace_.format =
        fmt::format("OTF2 {}.{}.{}", anchor_.version[0], anchor_.version[1], anchor_.version[2]);
    trace_.creator = text_of(reader_.get(), OTF2_Reader_GetCreator);
    trace_.machine = text_of(reader_.get(), OTF2_Reader_GetMachineName);
    trace_.description = text_of(reader_.get(), OTF2_Reader_GetDescription);
    trace_.properties = properties_of(reader_.get());
    return {};
  }

  base::Status read_definitions() {
    progress_.begin("reading definitions", "", 0);
    const std::filesystem::path path = definitions_path(anchor_path_);
    trace::Definitions& definitions = trace_.definitions;
    std::optional<uint64_t> whole;  // Definitions in front of the first damage.
    {
      // The library trusts lengths inside a definition file: look at them first.
      const auto file = base::MappedFile::open(path);
      if (!file) return cannot_open(path, file.error());
      const auto damage = for_each_definition(file.value().bytes(), anchor_.definition_chunk_bytes,
                                              check_definition);
      if (damage) {
        const auto error = cannot_read(
            path, fmt::format("offset {}, after {}: {}", damage->offset,
                              base::counted(damage->records_before, "definition", "definitions"),
                              damage->fact));
        if (!options_.partial) return with_advice(error);
        trace::mark_incomplete(trace_, error.message);
        whole = damage->records_before;
      }
    }
    if (auto status =
            read_global_definitions(reader_.get(), whole, definitions, trace_.unknown_definitions);
        !status) {
      const auto error =
          cannot_read(path, locate(path, FileKind::kDefinitions, anchor_.definition_chunk_bytes,
                                   status.error().message, definitions.size()));
      if (!options_.partial) return with_advice(error);
      trace::mark_incomplete(trace_, error.message);
    }
    if (auto status = definitions.finish(); !status) {
      const auto file = base::MappedFile::open(path);
      const uint64_t offset =
          file ? record_offset(file.value().bytes(), FileKind::kDefinitions,
                               anchor_.definition_chunk_bytes, definitions.fault_record())
               : 0;
      return cannot_read(path, fmt::format("offset {}, definition {}: {}", offset,
                                           definitions.fault_record(), status.error().message));
    }
    return {};
  }

  base::Status read_locations() {
    name_locations();
    const size_t count = trace_.locations.size();
    uint64_t total_bytes = 0;
    for (const uint64_t bytes : file_bytes_) total_bytes += bytes;
    progress_.begin("reading events", "B", total_bytes);
    need_.emplace(total_bytes, options_.available_bytes);

    const EventCallbacks callbacks = make_event_callbacks();
    const std::vector<Piece> pieces = cut(file_bytes_);
    faults_.resize(count);
    unknown_.resize(count);
    mappings_.resize(count);
    std::vector<std::optional<base::Error>> errors(pieces.size());
    pool_.for_each(pieces.size(), [&](size_t i) {
      if (auto status = read_piece(pieces[i], callbacks.get()); !status) {
        errors[i] = status.error();
      }
    });
    for (const auto& error : errors) {
      if (error) return *error;
    }
    if (need_->is_too_large()) return need_->error(anchor_path_);
    for (size_t i = 0; i < count; ++i) {
      trace_.unknown_events += unknown_[i];
      if (faults_[i].empty()) continue;
      if (!options_.partial) {
        return with_advice({base::ErrorCode::kCorrupt, faults_[i]});
      }
      trace::mark_incomplete(trace_, faults_[i]);
    }
    return {};
  }

  void name_locations() {
    const auto& defined = trace_.definitions.locations;
    trace_.locations.resize(defined.size());
    file_bytes_.assign(defined.size(), 0);
    for (size_t i = 0; i < defined.size(); ++i) {
      trace::Location& location = trace_.locations[i];
      location.id = defined[i].id;
      location.name = defined[i].name;
      location.type = defined[i].type;
      std::error_code missing;
      const uint64_t size =
          std::filesystem::file_size(events_path(anchor_path_, location.id), missing);
      if (!missing) file_bytes_[i] = size;
    }
  }

  base::Status read_piece(const Piece& piece, const OTF2_EvtReaderCallbacks* callbacks) {
    std::vector<uint32_t> mapped;  // Locations whose events the library reads.
    std::vector<uint32_t> with_local;
    for (const uint32_t i : piece.locations) {
      const LocalDefinitions local = read_local(i);
      trace_.locations[i].clock_offsets = local.clock_offsets;
      mappings_[i] = local.mappings;
      if (local.odd_mappings) mapped.push_back(i);
      if (local.mappings != nullptr || !local.clock_offsets.empty()) with_local.push_back(i);
    }
    if (options_.events_by_library) {
      mapped = piece.locations;
    } else {
      with_local = mapped;
    }
    ReaderHandle reader;
    if (!mapped.empty()) {
      auto opened = open_reader(anchor_path_);
      if (!opened) return opened.error();
      reader = std::move(opened).value();
      for (const uint32_t i : mapped) {
        OTF2_Reader_SelectLocation(reader.get(), trace_.locations[i].id);
      }
      // It must know mappings and clock offsets before the first event of a location.
      OTF2_Reader_OpenDefFiles(reader.get());
      for (const uint32_t i : with_local) {
        const auto status = load_mappings(reader.get(), trace_.locations[i].id);
        if (!status) {
          fail(i, cannot_read(local_definitions_path(anchor_path_, trace_.locations[i].id),
                              status.error().message));
        }
      }
      OTF2_Reader_CloseDefFiles(reader.get());
    }

    if (!mapped.empty()) OTF2_Reader_OpenEvtFiles(reader.get());
    trace::EventsBuilder builder(trace_.arena.get());
    for (const uint32_t i : piece.locations) {
      if (need_->is_too_large()) break;
      if (faults_[i].empty() || options_.partial) {
        const bool by_library = std::binary_search(mapped.begin(), mapped.end(), i);
        read_events(by_library ? reader.get() : nullptr, i, file_bytes_[i], callbacks, builder);
        need_->add(trace_.locations[i].events, file_bytes_[i]);
      } else {
        progress_.done += file_bytes_[i];
      }
    }
    if (!mapped.empty()) OTF2_Reader_CloseEvtFiles(reader.get());
    return {};
  }

  /// A location without a file of local definitions has none.
  ///
  /// bytes  gets what is in the file.
  LocalDefinitions read_local(uint32_t i, std::vector<uint8_t>* bytes = nullptr) {
    const auto path = local_definitions_path(anchor_path_, trace_.locations[i].id);
    const auto file = base::MappedFile::open_briefly(path);
    if (!file) {
      if (file.error().code != base::ErrorCode::kNotFound) fail(i, cannot_open(path, file.error()));
      return {};
    }
    const auto content = file.value().bytes();
    auto local = decode_local_definitions(content, anchor_.definition_chunk_bytes);
    if (!local) {
      fail(i, cannot_read(path, local.error().message));
      return {};
    }
    if (bytes != nullptr) bytes->assign(content.begin(), content.end());
    return std::move(local).value();
  }

  /// bytes  of such a file; where they are not right, the file is asked.
  LocalDefinitions known_local(uint32_t i, const std::vector<uint8_t>& bytes) {
    if (bytes.empty()) return {};
    auto local = decode_local_definitions(bytes, anchor_.definition_chunk_bytes);
    return local ? std::move(local).value() : read_local(i);
  }

  /// reader  the library's, or nullptr for our decoder.
  void read_events(OTF2_Reader* reader, uint32_t i, uint64_t file_bytes,
                   const OTF2_EvtReaderCallbacks* callbacks, trace::EventsBuilder& builder) {
    trace::Location& location = trace_.locations[i];
    const uint64_t stated = trace_.definitions.locations[i].event_count;
    const size_t expected = std::min(stated, file_bytes / kMinEventBytes);
    const auto path = events_path(anchor_path_, location.id);
    LocationEvents read;
    if (reader != nullptr) {
      read = read_location_events(reader, location.id, callbacks, trace_.definitions, expected,
                                  builder);
      progress_.done += file_bytes;
    } else {
      const auto file = base::MappedFile::open_briefly(path);
      if (!file) {
        return fail(i, cannot_open(path, file.error()));
      }
      const auto bytes = file.value().bytes();
      const uint64_t chunk_bytes = anchor_.event_chunk_bytes;
      const auto pieces = cut_events(bytes, chunk_bytes, options_.piece_bytes);
      if (pieces.empty()) {
        read =
            decode_location_events(bytes, chunk_bytes, trace_.definitions, location.clock_offsets,
                                   mappings_[i].get(), expected, builder);
        progress_.done += file_bytes;
      } else {
        read =
            decode_location_events(bytes, chunk_bytes, trace_.definitions, location.clock_offsets,
                                   mappings_[i].get(), pieces, pool_, progress_);
      }
    }
    location.events = std::move(read.events);
    unknown_[i] = read.unknown;
    if (!read.fault) return;
    fail(i, cannot_read(path, locate(path, FileKind::kEvents, anchor_.event_chunk_bytes,
                                     *read.fault, read.fault_event)));
  }

  /// Notes of a user about a trace, which tools other than the recorder write. Nothing shows them
  /// yet, so that at least their user knows.
  void look_for_markers() {
    const auto path = markers_path(anchor_path_);
    const auto file = base::MappedFile::open(path);
    if (!file) return;
    const auto bytes = file.value().bytes();
    if (record_offset(bytes, FileKind::kDefinitions, anchor_.definition_chunk_bytes, 0) <
        bytes.size()) {
      trace_.warnings.push_back(
          fmt::format("{} holds markers, which are not read", path.filename().string()));
    }
  }

  void fail(uint32_t i, const base::Error& error) {
    trace_.locations[i].complete = false;
    if (faults_[i].empty()) faults_[i] = error.message;
  }

  static base::Error with_advice(base::Error error) {
    error.advice = kPartialAdvice;
    return error;
  }

  const std::filesystem::path anchor_path_;
  const ReadOptions options_;
  base::ThreadPool& pool_;
  base::Progress& progress_;
  Anchor anchor_;
  ReaderHandle reader_;
  trace::Trace trace_;
  std::vector<uint64_t> file_bytes_;                         // Per location.
  std::vector<std::shared_ptr<const IdMappings>> mappings_;  // Per location.
  std::optional<MemoryNeed> need_;
  std::vector<std::string> faults_;  // Per location; written by the piece it belongs to.
  std::vector<uint64_t> unknown_;    // Per location.
};

}  // namespace

base::Result<trace::Trace> read(const std::filesystem::path& anchor, const ReadOptions& options,
                                base::ThreadPool& pool, base::Progress& progress) {
  return ArchiveReader(anchor, options, pool, progress).read();
}

base::Result<Archive> open_archive(const std::filesystem::path& anchor, base::ThreadPool& pool,
                                   base::Progress& progress, const ChooseLocations& choose,
                                   const LocalFiles* known) {
  return ArchiveReader(anchor, {}, pool, progress).open(choose, known);
}

base::Error event_fault(const std::filesystem::path& events_file, uint64_t chunk_bytes,
                        const std::string& fault, uint64_t event) {
  const auto file = base::MappedFile::open(events_file);
  if (!file && file.error().code != base::ErrorCode::kNotFound) return file.error();  // A limit.
  const std::string fact = locate(events_file, FileKind::kEvents, chunk_bytes, fault, event);
  return {base::ErrorCode::kCorrupt, fmt::format("cannot read {}: {}", events_file.string(), fact),
          kPartialAdvice};
}

const char* library_version() {
  static const std::string version =
      fmt::format("{}.{}.{}", OTF2_VERSION_MAJOR, OTF2_VERSION_MINOR, OTF2_VERSION_BUGFIX);
  return version.c_str();
}

}  // namespace pathline::otf2
