// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "campaign/plan.hpp"
#include "campaign/study.hpp"
#include "profile/metric_table.hpp"
#include "store/sqlite.hpp"

namespace pathline::campaign {

enum class RunState : uint8_t {
  kPlanned,
  kRunning,
  kDone,
  kFailed,
  kBlocked,  ///< A run that it comes after has failed.
};

/// One package of the plan, and what has become of it.
struct Run {
  int64_t id = 0;      ///< From 1, stays the same.
  std::string key;     ///< Package::key.
  std::string step;    ///< Its name.
  std::string folder;  ///< In that of the campaign.
  RunState state = RunState::kPlanned;
  std::string reason;       ///< Why it failed, "" otherwise.
  double seconds = 0;       ///< Of the command, where it ended.
  std::string process;      ///< What the backend knows it by, while it runs.
  uint64_t definition = 0;  ///< Of what was run: it changes with command, check and files.
};

/// A number or text that was read out of a run.
struct Value {
  std::string column;
  uint64_t definition = 0;  ///< Of the column: it changes with pattern, file and the like.
  std::string text;         ///< "": there was none.
};

/// Per step, how many runs are in which state.
struct StepCounts {
  std::string step;
  uint64_t planned = 0;
  uint64_t running = 0;
  uint64_t done = 0;
  uint64_t failed = 0;
  uint64_t blocked = 0;
  double seconds = 0;  ///< Of all that are done.
};

/// What a campaign's folder remembers of its runs: one SQLite file, in which a run is either done
/// with all its values or not done. Survives a kill at any moment.
class State {
 public:
  using Access = store::Connection::Access;

  /// Makes the file for a study that has not been run in this folder.
  /// cost  O(packages); 10,000 take a tenth of a second.
  static base::Result<State> create(const std::filesystem::path& folder, const Study& study,
                                    const std::vector<std::string>& tags, const Plan& plan);
  /// errors  kNotFound when the folder holds no campaign; kCorrupt; kIo.
  static base::Result<State> open(const std::filesystem::path& folder, Access access);

  /// The study as it was when it was run last, and its tags.
  base::Result<Study> study();
  base::Result<std::vector<std::string>> tags();
  /// Where the study was, and its name.
  base::Result<std::string> file();

  /// Takes over a study that has changed: runs that are new are added; what is done stays done.
  base::Status adopt(const Study& study, const std::vector<std::string>& tags, const Plan& plan);

  /// All runs, ascending ids.
  base::Result<std::vector<Run>> runs();
  base::Result<std::vector<StepCounts>> counts();
  /// Those that failed last, newest first.
  base::Result<std::vector<Run>> failures(uint32_t most);

  base::Status begin(int64_t run, std::string_view process, uint64_t definition);
  /// Puts runs back to where they have not begun.
  base::Status put_back(std::span<const int64_t> runs);
  base::Status fail(int64_t run, RunState state, std::string_view reason, double seconds);
  /// The run is done, with what was read out of it, or neither.
  base::Status finish(int64_t run, double seconds, std::span<const Value> values,
                      const profile::MetricTable* profile);

  /// More values of a run that is done.
  base::Status add(int64_t run, std::span<const Value> values);
  /// Calls take(run, value) for each value, ascending runs.
  base::Status values(const std::function<void(int64_t run, Value value)>& take);
  /// The profile of a run; nullopt for one that was not recorded or is too large to keep.
  base::Result<std::optional<profile::MetricTable>> profile_of(int64_t run);

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }

 private:
  State(std::filesystem::path folder, std::unique_ptr<store::Connection> connection)
      : folder_(std::move(folder)), connection_(std::move(connection)) {}
  static base::Status write_new(const std::filesystem::path& folder,
                                const std::filesystem::path& file, const Study& study,
                                const std::vector<std::string>& tags, const Plan& plan);
  base::Status write_study(const Study& study, const std::vector<std::string>& tags);
  base::Status add_runs(const Study& study, const Plan& plan);
  base::Status write(int64_t run, std::span<const Value> values);
  base::Result<std::string> setting(std::string_view name);

  std::filesystem::path folder_;
  std::unique_ptr<store::Connection> connection_;  // Statements hold on to it.
};

/// FNV-1a of texts one after the other: a name for what they say together.
uint64_t definition_of(std::span<const std::string_view> texts);

/// The name of the file in a campaign's folder.
inline constexpr const char* kStateFile = "campaign.db";

}  // namespace pathline::campaign
