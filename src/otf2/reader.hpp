// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "otf2/read_definitions.hpp"
#include "trace/trace.hpp"

namespace pathline::otf2 {

struct ReadOptions {
  /// Read each damaged file as far as it goes and mark its location incomplete, instead of
  /// returning an error.
  bool partial = false;
  /// Let the library read the events of all locations, not only of those whose ids are mapped: for
  /// comparing.
  bool events_by_library = false;
  /// A location with more bytes than this is decoded in pieces of so many, but whole chunks, by
  /// several threads. What is read does not depend on it; tests make it small.
  uint64_t piece_bytes = 2 << 20;
  /// What there is to be of messages.
  trace::WantedMessages messages = trace::WantedMessages::kList;
  /// What may be taken of memory; nullopt: what the system says. For tests.
  std::optional<uint64_t> available_bytes = std::nullopt;
};

/// Reads the archive whose anchor file is `anchor`: definitions and clock offsets through the OTF2
/// library, events by our own decoder, or through the library where a location maps its ids. In
/// parallel over the locations and pieces of large ones, times corrected and ids made global.
///
/// errors  the library's, and those it does not see: references to what is not defined, times that
///         go back, more definitions than the anchor says. Each names file, offset and fact.
///         kUnsupported where the first of the events show that all will not fit into memory.
/// cost    about 20 ns of CPU an event, matching not counted.
base::Result<trace::Trace> read(const std::filesystem::path& anchor, const ReadOptions& options,
                                base::ThreadPool& pool, base::Progress& progress);

/// Per location what is in its file of local definitions; nothing without one.
using LocalFiles = std::vector<std::vector<uint8_t>>;

/// An archive whose events were not read yet.
struct Archive {
  std::filesystem::path anchor;
  uint64_t event_chunk_bytes;
  std::vector<uint64_t> event_bytes;  ///< Per location, of its file; 0 without one.
  std::vector<std::shared_ptr<const IdMappings>> mappings;  ///< Per location; nullptr for most.
  LocalFiles local_files;  ///< Of the locations that were wanted, if they were read.
  trace::Trace trace;      ///< Definitions, locations with their ranks and clock offsets.
};

/// Which locations are wanted, by what is known of all: ranks, and bytes of their events.
using ChooseLocations = std::function<std::vector<bool>(const trace::Trace& trace,
                                                        const std::vector<uint64_t>& event_bytes)>;

/// Reads all of an archive but its events. Of locations that `choose` leaves out neither clock
/// offsets nor mappings.
///
/// known   what was read before, which saves opening a file for each location; null, and that of
///         another number of locations: it is read.
/// errors  as of read(), and kUnsupported where only the library can read the events of a location.
base::Result<Archive> open_archive(const std::filesystem::path& anchor, base::ThreadPool& pool,
                                   base::Progress& progress, const ChooseLocations& choose = {},
                                   const LocalFiles* known = nullptr);

/// What stopped the decoding of a location's events, as read() says it.
///
/// event  Number of events before it.
base::Error event_fault(const std::filesystem::path& events_file, uint64_t chunk_bytes,
                        const std::string& fault, uint64_t event);

/// "3.0.2", of the library this was built with.
const char* library_version();

}  // namespace pathline::otf2
