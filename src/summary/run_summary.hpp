// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/spill_file.hpp"
#include "comm/matrix.hpp"
#include "comm/message_sizes.hpp"
#include "comm/summary.hpp"
#include "comm/waits.hpp"
#include "profile/profile.hpp"
#include "steps/packed_table.hpp"
#include "steps/table.hpp"
#include "summary/archive_index.hpp"
#include "summary/marks.hpp"
#include "summary/states.hpp"
#include "trace/archive_bytes.hpp"
#include "trace/trace.hpp"

namespace pathline::summary {

/// Which of its tables a command needs; the others may be empty, which saves the time to read them.
struct Parts {
  bool profile = true;
  bool pairs = true;
  bool waits = true;
  bool bytes = true;
  bool steps = true;
  bool judged = true;
  bool sizes = false;  ///< `messages --summary` alone asks for them.
  static constexpr Parts none() { return {false, false, false, false, false, false}; }
};

/// A run in tables: what a trace says of the whole run, without its events.
struct RunSummary {
  std::unique_ptr<base::SpillFile> scratch;  ///< Where some of the tables below lie, if any.
  std::string source;  ///< What it was made of, as a path beside the file of the summary.
  /// Definitions, locations, ranks, time range and warnings; neither events nor messages.
  trace::Trace run;
  comm::Summary facts;
  profile::Profile profile;  ///< Call paths in the order of canonical().
  comm::Matrix matrix;
  comm::Waits waits;
  std::optional<comm::MessageSizes> sizes;  ///< nullopt in files of before they were kept.
  trace::ArchiveBytes bytes;                ///< Without `kept`.
  /// Those that the program marked; without such steps nothing lies outside, either.
  steps::Table steps;
  /// Instead of `steps`, of a run that was read in windows.
  steps::PackedTable packed_steps;
  /// As it was made; what a file has of it is read when it is asked for (states_file.hpp,
  /// read_back.hpp).
  States states;
  ArchiveIndex archive;
  Marks marks;
  /// What was concluded from all events at once, in the words of who concluded it; "" if nobody
  /// did.
  std::string judged;
};

}  // namespace pathline::summary
