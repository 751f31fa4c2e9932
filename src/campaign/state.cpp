// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/state.hpp"

#include <chrono>
#include <cstring>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/file.hpp"
#include "base/text.hpp"
#include "campaign/profile_text.hpp"
#include "campaign/text_list.hpp"

namespace pathline::campaign {
namespace {

namespace fs = std::filesystem;
using store::Connection;
using store::each_row;
using store::execute;
using store::Statement;
using store::Transaction;

/// Marks the file (PRAGMA application_id): "PTLC".
constexpr int64_t kApplication = 0x50544c43;
constexpr int64_t kVersion = 1;
constexpr size_t kMostProfileBytes = size_t{256} << 20;

constexpr const char* kTables = R"(
CREATE TABLE setting(name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE text(ord INTEGER PRIMARY KEY, path TEXT NOT NULL, content TEXT NOT NULL) STRICT;
CREATE TABLE run(
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, step TEXT NOT NULL, folder TEXT NOT NULL,
  state INTEGER NOT NULL DEFAULT 0, reason TEXT NOT NULL DEFAULT '',
  seconds REAL NOT NULL DEFAULT 0, ended INTEGER NOT NULL DEFAULT 0,
  process TEXT NOT NULL DEFAULT '', definition INTEGER NOT NULL DEFAULT 0) STRICT;
CREATE TABLE value(
  run INTEGER NOT NULL REFERENCES run, name TEXT NOT NULL, definition INTEGER NOT NULL,
  content TEXT NOT NULL, PRIMARY KEY(run, name)) STRICT, WITHOUT ROWID;
CREATE TABLE shape(id INTEGER PRIMARY KEY, content TEXT NOT NULL UNIQUE) STRICT;
CREATE TABLE profile(
  run INTEGER PRIMARY KEY REFERENCES run, shape INTEGER NOT NULL REFERENCES shape,
  locations INTEGER NOT NULL, ranks TEXT NOT NULL, amounts BLOB NOT NULL) STRICT;
)";

/// A folder's name for what a run is: its step and those of its parameters that vary.
std::string folder_name(int64_t id, const Study& study, const Plan& plan, const Package& package) {
  constexpr size_t kMostLetters = 100;
  const auto safe = [](std::string_view text) {
    std::string name;
    for (const char c : text.substr(0, 24)) {
      const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '+' ||
                         (c == '.' && !name.empty());
      name += plain ? c : '_';
    }
    return name;
  };
  std::string name = fmt::format("{:04}.{}", id, safe(study.steps[package.step].name));
  for (const uint32_t parameter : plan.used[package.step]) {
    if (!plan.varies[parameter]) continue;
    const std::string part =
        fmt::format(".{}{}", plan.names[parameter], safe(plan.points[package.point][parameter]));
    if (name.size() + part.size() > kMostLetters) break;
    name += part;
  }
  if (plan.repeated[package.step]) name += fmt::format(".r{}", package.repetition + 1);
  return name;
}

int64_t now_s() {
  return std::chrono::duration_cast<std::chrono::seconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

base::Error damaged(const fs::path& file, std::string_view what) {
  return {base::ErrorCode::kCorrupt, fmt::format("{} is damaged: {}", file.string(), what),
          "sqlite3 FILE .recover | sqlite3 NEW.db saves what can be read."};
}

}  // namespace

uint64_t definition_of(std::span<const std::string_view> texts) {
  uint64_t hash = 0xcbf29ce484222325;
  const auto add = [&](unsigned char c) { hash = (hash ^ c) * 0x100000001b3; };
  for (const std::string_view text : texts) {
    for (const char c : text) add(static_cast<unsigned char>(c));
    add(0);
  }
  return hash;
}

base::Result<State> State::create(const fs::path& folder, const Study& study,
                                  const std::vector<std::string>& tags, const Plan& plan) {
  // Under another name until it is whole: a file of the right name is a campaign, whenever somebody
  // is killed.
  const fs::path part = folder / (std::string(kStateFile) + ".new");
  std::error_code failure;
  if (fs::exists(folder / kStateFile, failure)) {
    return base::Error{base::ErrorCode::kIo,
                       fmt::format("{} exists already", (folder / kStateFile).string())};
  }
  fs::remove(part, failure);
  if (auto written = write_new(folder, part, study, tags, plan); !written) return written.error();
  fs::rename(part, folder / kStateFile, failure);
  if (failure) {
    return base::Error{base::ErrorCode::kIo,
                       fmt::format("cannot rename {}: {}", part.string(), failure.message())};
  }
  auto opened = Connection::open(folder / kStateFile, Access::kWrite);
  if (!opened) return opened.error();
  // A run that ended is in the file once its transaction is, also after a kill; a power cut may
  // cost the last ones, never the file.
  auto status = opened.value().run("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
  if (!status) return status.error();
  return State(folder, std::make_unique<Connection>(std::move(opened).value()));
}

base::Status State::write_new(const fs::path& folder, const fs::path& file, const Study& study,
                              const std::vector<std::string>& tags, const Plan& plan) {
  auto opened = Connection::open(file, Access::kCreate);
  if (!opened) return opened.error();
  State state(folder, std::make_unique<Connection>(std::move(opened).value()));
  Connection& connection = *state.connection_;
  auto transaction = Transaction::begin(connection);
  if (!transaction) return transaction.error();
  if (auto status = connection.run(kTables); !status) return status;
  const std::string marks =
      fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplication, kVersion);
  if (auto status = connection.run(marks.c_str()); !status) return status;
  if (auto status = state.write_study(study, tags); !status) return status;
  if (auto status = state.add_runs(study, plan); !status) return status;
  return transaction.value().commit();
}

base::Result<State> State::open(const fs::path& folder, Access access) {
  std::error_code ignored;
  const fs::path file = folder / kStateFile;
  if (!fs::exists(file, ignored)) {
    return base::Error{base::ErrorCode::kNotFound,
                       fmt::format("there is no campaign in {}", folder.string()),
                       "'pathline campaign run FILE.toml' makes one."};
  }
  auto opened = Connection::open(file, access);
  if (!opened) return opened.error();
  State state(folder, std::make_unique<Connection>(std::move(opened).value()));
  auto application = state.connection_->number("PRAGMA application_id");
  if (!application) return application.error();
  auto version = state.connection_->number("PRAGMA user_version");
  if (!version) return version.error();
  if (application.value() != kApplication) {
    return base::Error{base::ErrorCode::kUnsupported,
                       fmt::format("{} is no database of a campaign", file.string())};
  }
  if (version.value() > kVersion) {
    return base::Error{base::ErrorCode::kUnsupported,
                       fmt::format("{} has version {} of the tables, expected at most {}",
                                   file.string(), version.value(), kVersion),
                       "It was written by a newer Pathline, which is needed to use it."};
  }
  if (access != Access::kRead) {
    auto status = state.connection_->run("PRAGMA synchronous = NORMAL");
    if (!status) return status.error();
  }
  return state;
}

base::Status State::write_study(const Study& study, const std::vector<std::string>& tags) {
  Connection& connection = *connection_;
  const auto set = [&](const char* name, const std::string& value) {
    return execute(connection, "INSERT OR REPLACE INTO setting VALUES(?, ?)", name, value);
  };
  std::error_code ignored;
  const fs::path file = fs::absolute(study.file, ignored).lexically_normal();
  if (auto status = set("file", file.string()); !status) return status;
  if (auto status = set("name", study.name); !status) return status;
  if (auto status = set("tags", joined(tags)); !status) return status;
  if (auto status = connection.run("DELETE FROM text"); !status) return status;
  for (size_t i = 0; i < study.texts.size(); ++i) {
    auto status = execute(connection, "INSERT INTO text VALUES(?, ?, ?)", i, study.texts[i].path,
                          study.texts[i].text);
    if (!status) return status;
  }
  return {};
}

base::Status State::add_runs(const Study& study, const Plan& plan) {
  std::unordered_set<std::string> known;
  int64_t last = 0;
  auto read = each_row(*connection_, "SELECT id, key FROM run", [&](Statement& row) {
    last = std::max(last, row.number());
    known.insert(row.text());
  });
  if (!read) return read;
  auto insert = connection_->prepare("INSERT INTO run(id, key, step, folder) VALUES(?, ?, ?, ?)");
  if (!insert) return insert.error();
  for (const Package& package : plan.packages) {
    if (known.contains(package.key)) continue;
    ++last;
    insert.value().bind_all(last, package.key, study.steps[package.step].name,
                            folder_name(last, study, plan, package));
    if (auto status = insert.value().run(); !status) return status;
  }
  return {};
}

base::Status State::adopt(const Study& study, const std::vector<std::string>& tags,
                          const Plan& plan) {
  auto transaction = Transaction::begin(*connection_);
  if (!transaction) return transaction.error();
  if (auto status = write_study(study, tags); !status) return status;
  if (auto status = add_runs(study, plan); !status) return status;
  return transaction.value().commit();
}

base::Result<std::string> State::setting(std::string_view name) {
  std::optional<std::string> value;
  auto status = each_row(
      *connection_, "SELECT value FROM setting WHERE name = ?",
      [&](Statement& row) { value = row.text(); }, name);
  if (!status) return status.error();
  if (!value) return damaged(connection_->path(), fmt::format("it has no {}", name));
  return std::move(*value);
}

base::Result<std::string> State::file() { return setting("file"); }

base::Result<std::vector<std::string>> State::tags() {
  auto text = setting("tags");
  if (!text) return text.error();
  auto tags = split(text.value());
  if (!tags) return damaged(connection_->path(), "its tags cannot be read");
  return std::move(*tags);
}

base::Result<Study> State::study() {
  auto file = setting("file");
  if (!file) return file.error();
  auto tags = this->tags();
  if (!tags) return tags.error();
  std::vector<StudyText> texts;
  auto status =
      each_row(*connection_, "SELECT path, content FROM text ORDER BY ord", [&](Statement& row) {
        std::string path = row.text();
        texts.push_back({std::move(path), row.text()});
      });
  if (!status) return status.error();
  if (texts.empty()) return damaged(connection_->path(), "it has no study");
  return read_study_again(texts, tags.value());
}

base::Result<std::vector<Run>> State::runs() {
  std::vector<Run> runs;
  int64_t unknown = 0;
  auto status = each_row(*connection_,
                         "SELECT id, key, step, folder, state, reason, seconds, process, "
                         "definition FROM run ORDER BY id",
                         [&](Statement& row) {
                           Run& run = runs.emplace_back();
                           run.id = row.number();
                           run.key = row.text();
                           run.step = row.text();
                           run.folder = row.text();
                           const int64_t state = row.number();
                           if (state < 0 || state > static_cast<int64_t>(RunState::kBlocked)) {
                             unknown = run.id;
                           }
                           run.state = static_cast<RunState>(state);
                           run.reason = row.text();
                           run.seconds = row.real();
                           run.process = row.text();
                           run.definition = row.number<uint64_t>();
                         });
  if (!status) return status.error();
  if (unknown != 0)
    return damaged(connection_->path(), fmt::format("the state of run {}", unknown));
  return runs;
}

base::Result<std::vector<StepCounts>> State::counts() {
  std::vector<StepCounts> steps;
  auto status =
      each_row(*connection_,
               "SELECT step, sum(state = 0), sum(state = 1), sum(state = 2), sum(state = 3), "
               "sum(state = 4), total(CASE state WHEN 2 THEN seconds END) FROM run GROUP BY step "
               "ORDER BY min(id)",
               [&](Statement& row) {
                 StepCounts& step = steps.emplace_back();
                 step.step = row.text();
                 step.planned = row.number<uint64_t>();
                 step.running = row.number<uint64_t>();
                 step.done = row.number<uint64_t>();
                 step.failed = row.number<uint64_t>();
                 step.blocked = row.number<uint64_t>();
                 step.seconds = row.real();
               });
  if (!status) return status.error();
  return steps;
}

base::Result<std::vector<Run>> State::failures(uint32_t most) {
  std::vector<Run> runs;
  auto status = each_row(
      *connection_,
      "SELECT id, key, step, folder, reason, seconds FROM run WHERE state = 3 "
      "ORDER BY ended DESC, id DESC LIMIT ?",
      [&](Statement& row) {
        Run& run = runs.emplace_back();
        run.state = RunState::kFailed;
        run.id = row.number();
        run.key = row.text();
        run.step = row.text();
        run.folder = row.text();
        run.reason = row.text();
        run.seconds = row.real();
      },
      most);
  if (!status) return status.error();
  return runs;
}

base::Status State::begin(int64_t run, std::string_view process, uint64_t definition) {
  return execute(*connection_,
                 "UPDATE run SET state = 1, reason = '', process = ?, definition = ? WHERE id = ?",
                 process, static_cast<int64_t>(definition), run);
}

base::Status State::put_back(std::span<const int64_t> runs) {
  auto transaction = Transaction::begin(*connection_);
  if (!transaction) return transaction.error();
  for (const int64_t run : runs) {
    auto status = execute(*connection_,
                          "UPDATE run SET state = 0, reason = '', process = '' WHERE id = ?", run);
    if (!status) return status;
  }
  return transaction.value().commit();
}

base::Status State::fail(int64_t run, RunState state, std::string_view reason, double seconds) {
  return execute(*connection_,
                 "UPDATE run SET state = ?, reason = ?, seconds = ?, ended = ?, process = '' "
                 "WHERE id = ?",
                 static_cast<int>(state), reason, seconds, now_s(), run);
}

base::Status State::write(int64_t run, std::span<const Value> values) {
  for (const Value& value : values) {
    auto status = execute(*connection_, "INSERT OR REPLACE INTO value VALUES(?, ?, ?, ?)", run,
                          value.column, static_cast<int64_t>(value.definition), value.text);
    if (!status) return status;
  }
  return {};
}

base::Status State::add(int64_t run, std::span<const Value> values) {
  auto transaction = Transaction::begin(*connection_);
  if (!transaction) return transaction.error();
  if (auto status = write(run, values); !status) return status;
  return transaction.value().commit();
}

base::Status State::finish(int64_t run, double seconds, std::span<const Value> values,
                           const profile::MetricTable* profile) {
  auto transaction = Transaction::begin(*connection_);
  if (!transaction) return transaction.error();
  auto status = execute(*connection_,
                        "UPDATE run SET state = 2, reason = '', seconds = ?, ended = ?, "
                        "process = '' WHERE id = ?",
                        seconds, now_s(), run);
  if (!status) return status;
  if (status = write(run, values); !status) return status;
  const PackedProfile packed = profile != nullptr ? packed_profile(*profile) : PackedProfile{};
  if (profile != nullptr && packed.amounts.size() * sizeof(double) <= kMostProfileBytes) {
    status = execute(*connection_, "INSERT OR IGNORE INTO shape(content) VALUES(?)", packed.shape);
    if (!status) return status;
    status = execute(*connection_,
                     "INSERT OR REPLACE INTO profile SELECT ?, id, ?, ?, ? FROM shape "
                     "WHERE content = ?",
                     run, packed.locations, packed.ranks, std::span<const double>(packed.amounts),
                     packed.shape);
    if (!status) return status;
  }
  return transaction.value().commit();
}

base::Status State::values(const std::function<void(int64_t run, Value value)>& take) {
  return each_row(*connection_,
                  "SELECT run, name, definition, content FROM value ORDER BY run, name",
                  [&](Statement& row) {
                    const int64_t run = row.number();
                    Value value;
                    value.column = row.text();
                    value.definition = row.number<uint64_t>();
                    value.text = row.text();
                    take(run, std::move(value));
                  });
}

base::Result<std::optional<profile::MetricTable>> State::profile_of(int64_t run) {
  std::optional<profile::MetricTable> table;
  bool is_whole = true;
  auto status = each_row(
      *connection_,
      "SELECT shape.content, locations, ranks, amounts FROM profile "
      "JOIN shape ON shape.id = profile.shape WHERE run = ?",
      [&](Statement& row) {
        PackedProfile packed;
        packed.shape = row.text();
        packed.locations = row.number<uint32_t>();
        packed.ranks = row.text();
        packed.amounts = row.reals();
        table = unpacked_profile(packed);
        is_whole = table.has_value();
      },
      run);
  if (!status) return status.error();
  if (!is_whole) return damaged(connection_->path(), fmt::format("the profile of run {}", run));
  return table;
}

}  // namespace pathline::campaign
