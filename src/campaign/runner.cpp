// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/runner.hpp"

#include <algorithm>
#include <optional>
#include <thread>
#include <unordered_map>

#include <fmt/format.h>

#include "base/text.hpp"
#include "campaign/folder.hpp"
#include "campaign/run_notes.hpp"
#include "campaign/slurm.hpp"
#include "campaign/work_queue.hpp"

namespace pathline::campaign {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr uint32_t kMostJobs = 1000;  // Of Slurm at a time, where cores do not say it.
constexpr std::string_view kSlurmMark = "slurm ";

/// A run that has begun.
struct Task {
  uint32_t package = 0;
  bool is_check = false;  ///< The command is done.
  bool is_late = false;   ///< Was told to end, as its time was over.
  Process process;        ///< Of a job of Slurm none, until it is checked.
  std::string identity;
  std::string job;  ///< Of Slurm.
  Clock::time_point began;
  double seconds = 0;  ///< Of the command, once it is done.
};

class Runner {
 public:
  Runner(State& state, const Study& study, const Plan& plan, const Extractor& extractor,
         Attention& attention, const RunnerOptions& options, base::ThreadPool& pool,
         base::Progress& progress)
      : state_(state),
        study_(study),
        plan_(plan),
        extractor_(extractor),
        attention_(attention),
        options_(options),
        pool_(pool),
        progress_(progress),
        notes_(options.note) {
    std::error_code ignored;
    folder_ = fs::absolute(state.folder(), ignored).lexically_normal();
    by_slurm_ = study.backend == Backend::kSlurm;
  }

  base::Result<RunnerReport> run() {
    const auto began = Clock::now();
    if (auto status = prepare(); !status) return status.error();
    base::Status status = adopt_jobs();
    while (status && (!tasks_.empty() || queue_->any_ready())) {
      status = start_what_fits();
      if (!status || tasks_.empty()) break;
      report_.signal = attention_.wait(patience());
      if (report_.signal != 0) break;
      status = take_ended();
    }
    if (auto stopped = stop_all(); status) status = stopped;
    if (!status) return status.error();
    report_.seconds = std::chrono::duration<double>(Clock::now() - began).count();
    return report_;
  }

 private:
  base::Status prepare() {
    auto runs = state_.runs();
    if (!runs) return runs.error();
    std::unordered_map<std::string_view, size_t> row_of;
    for (size_t i = 0; i < runs.value().size(); ++i) row_of[runs.value()[i].key] = i;
    runs_.reserve(plan_.packages.size());
    std::vector<uint32_t> cores;
    for (const Package& package : plan_.packages) {
      const auto row = row_of.find(package.key);
      if (row == row_of.end()) {
        return base::Error{base::ErrorCode::kCorrupt,
                           fmt::format("{} does not know the run '{}'",
                                       (folder_ / kStateFile).string(), package.key)};
      }
      runs_.push_back(runs.value()[row->second]);
      auto wanted = cores_of(study_, plan_, package);
      if (!wanted) return wanted.error();
      cores.push_back(wanted.value());
    }
    budget_ = options_.cores != 0 ? options_.cores : study_.cores;
    if (budget_ == 0 && !by_slurm_) budget_ = std::max(1U, std::thread::hardware_concurrency());
    queue_.emplace(std::move(cores), budget_);
    return queue_all();
  }

  /// What is left to do, and what it waits for.
  base::Status queue_all() {
    std::vector<int64_t> again;
    uint64_t wide = 0;
    for (uint32_t i = 0; i < runs_.size(); ++i) {
      Run& run = runs_[i];
      if (run.state == RunState::kDone) {
        ++report_.kept;
        report_.changed += run.definition != definition_of(order_of(i)) ? 1 : 0;
        continue;
      }
      const bool in_slurm = run.state == RunState::kRunning && run.process.starts_with(kSlurmMark);
      if (in_slurm) {
        jobs_.push_back(i);
      } else if (run.state != RunState::kPlanned) {
        // Of a campaign that was killed: what it started may still write.
        if (run.state == RunState::kRunning) end_session(run.process, folder_ / run.folder);
        again.push_back(run.id);
      }
      run.state = RunState::kPlanned;
      for (const uint32_t before : plan_.packages[i].after) {
        queue_->comes_after(i, before, runs_[before].state == RunState::kDone);
      }
      if (queue_->may_begin(i) && !in_slurm) queue_->make_ready(i);
      wide += queue_->is_too_wide(i) ? 1 : 0;
    }
    progress_.begin("running", "runs", runs_.size() - report_.kept);
    if (wide > 0) {
      notes_.say(
          fmt::format("{} more cores than the {} there are: one at a time, and times mean little",
                      wide == 1 ? "1 run wants" : fmt::format("{} runs want", wide), budget_));
    }
    return again.empty() ? base::Status() : state_.put_back(again);
  }

  [[nodiscard]] WorkOrder order_of(uint32_t i) const {
    const Package& package = plan_.packages[i];
    WorkOrder order{.study = &study_,
                    .plan = &plan_,
                    .package = &package,
                    .folder = folder_ / runs_[i].folder,
                    .before = {},
                    .record = options_.record,
                    .id = runs_[i].id};
    for (const uint32_t before : package.after) {
      order.before.emplace_back(runs_[before].step, folder_ / runs_[before].folder);
    }
    return order;
  }

  [[nodiscard]] const Step& step_of(uint32_t i) const {
    return study_.steps[plan_.packages[i].step];
  }

  base::Status start_what_fits() {
    // Slurm has a queue of its own, and bounds for what is in it.
    while (!slurm_is_full_ && !(by_slurm_ && tasks_.size() >= kMostJobs)) {
      const uint32_t i = queue_->take();
      if (i == UINT32_MAX) return {};
      const size_t before = tasks_.size();
      if (auto status = start(i); !status) return status;
      if (tasks_.size() == before) queue_->give_back(i);
    }
    return {};
  }

  base::Status start(uint32_t i) {
    const WorkOrder order = order_of(i);
    if (auto made = make_folder(order); !made) return fail(i, 0, made.error().message);
    Task task{.package = i, .began = Clock::now()};
    if (step_of(i).command.empty()) {
      auto status = state_.begin(runs_[i].id, "", definition_of(order));
      return status ? complete(task) : status;
    }
    if (by_slurm_) return submit(std::move(task), order);
    return start_process(std::move(task), {"/bin/sh", "-e", std::string("./") + kCommandFile},
                         kOutputFile, kErrorFile);
  }

  base::Status start_process(Task task, const std::vector<std::string>& words,
                             const std::string& output, const std::string& errors) {
    const uint32_t i = task.package;
    const fs::path folder = folder_ / runs_[i].folder;
    auto process = campaign::start_process(folder, words, output, errors);
    if (!process) return fail(i, 0, process.error().message);
    task.process = process.value();
    task.identity = identity_of(task.process);
    auto status = state_.begin(runs_[i].id, task.identity, definition_of(order_of(i)));
    task.began = Clock::now();
    const auto runs = let_run(task.process, words, folder);
    if (!status) return status;
    if (!runs) return fail(i, 0, runs.error().message);
    tasks_.push_back(std::move(task));
    return {};
  }

  [[nodiscard]] std::string job_name(uint32_t i) const {
    const std::string folder = folder_.string();
    const std::string_view texts[] = {folder};
    return fmt::format(
        "pathline-{:08x}-{}",
        static_cast<uint32_t>(campaign::definition_of(std::span<const std::string_view>(texts))),
        runs_[i].id);
  }

  base::Status submit(Task task, const WorkOrder& order) {
    const uint32_t i = task.package;
    const Step& step = step_of(i);
    const SlurmJob job{
        .name = job_name(i),
        .folder = order.folder,
        .cores = queue_->cores_of(i),
        .timeout_s = step.timeout_s,
        .options = filled_in(step.slurm, plan_, order.package->point, names_of(order))};
    // Killed between here and the number, it is found by its name.
    auto status = state_.begin(runs_[i].id, fmt::format("{}?", kSlurmMark), definition_of(order));
    if (!status) return status;
    auto number = slurm_.submit(job);
    if (!number) {
      const int64_t id = runs_[i].id;
      if (status = state_.put_back({&id, 1}); !status) return status;
      if (tasks_.empty()) return number.error();
      // A limit of jobs in the queue: the next one is tried when one of ours has ended.
      slurm_is_full_ = true;
      queue_->make_ready(i);
      return {};
    }
    task.job = number.value();
    status =
        state_.begin(runs_[i].id, fmt::format("{}{}", kSlurmMark, task.job), definition_of(order));
    tasks_.push_back(std::move(task));
    return status;
  }

  /// Jobs that an earlier process submitted: still there, or ended meanwhile.
  base::Status adopt_jobs() {
    for (const uint32_t i : jobs_) {
      std::string number = runs_[i].process.substr(kSlurmMark.size());
      const fs::path folder = folder_ / runs_[i].folder;
      if (number == "?") {
        auto found = slurm_.find(job_name(i));
        if (!found) return found.error();
        number = found.value();
      }
      if (number.empty() && !fs::exists(folder / "status")) {
        const int64_t id = runs_[i].id;
        if (auto status = state_.put_back({&id, 1}); !status) return status;
        queue_->make_ready(i);
        continue;
      }
      tasks_.push_back({.package = i, .job = number, .began = Clock::now()});
      queue_->use(i);
    }
    return {};
  }

  [[nodiscard]] std::chrono::milliseconds patience() const {
    auto limit = std::chrono::milliseconds(by_slurm_ ? 250 : 1000);
    for (const Task& task : tasks_) {
      const double timeout = step_of(task.package).timeout_s;
      if (timeout <= 0 || task.process.id == 0) continue;
      const double left =
          timeout - std::chrono::duration<double>(Clock::now() - task.began).count();
      limit = std::min(limit, std::chrono::milliseconds(
                                  static_cast<int64_t>(std::clamp(left * 1000 + 1, 1.0, 1e6))));
    }
    return limit;
  }

  base::Status take_ended() {
    for (Task& task : tasks_) {
      const double timeout = step_of(task.package).timeout_s;
      if (timeout <= 0 || task.is_late || task.process.id == 0) continue;
      if (std::chrono::duration<double>(Clock::now() - task.began).count() < timeout) continue;
      task.is_late = true;
      end_session(task.identity, folder_ / runs_[task.package].folder);
    }
    while (const auto ended = reap()) {
      const auto at = std::find_if(tasks_.begin(), tasks_.end(),
                                   [&](const Task& task) { return task.process.id == ended->id; });
      if (at == tasks_.end()) continue;
      Task task = take(at);
      if (auto status = ended_process(std::move(task), *ended); !status) return status;
    }
    for (size_t t = 0; by_slurm_ && t < tasks_.size(); ++t) {
      if (tasks_[t].process.id != 0) continue;
      const uint32_t i = tasks_[t].package;
      const auto end = slurm_.ended(tasks_[t].job, folder_ / runs_[i].folder, step_of(i).timeout_s);
      if (!end) continue;
      slurm_is_full_ = false;
      Task task = take(tasks_.begin() + static_cast<ptrdiff_t>(t--));
      if (auto status = ended_job(std::move(task), *end); !status) return status;
    }
    if (by_slurm_) notes_.waits_for_slurm(slurm_.trouble());
    return {};
  }

  base::Status ended_job(Task task, const SlurmEnd& end) {
    const uint32_t i = task.package;
    task.seconds = end.seconds;
    if (!end.reason.empty()) return fail(i, 0, end.reason);
    if (end.is_late) return fail(i, end.seconds, late_text(i));
    if (end.status != 0) return fail(i, end.seconds, ending_text({.status = end.status}));
    return check(std::move(task));
  }

  [[nodiscard]] std::string late_text(uint32_t i) const {
    return fmt::format("did not end in {} (timeout_s)", base::human_seconds(step_of(i).timeout_s));
  }

  Task take(std::vector<Task>::iterator at) {
    Task task = std::move(*at);
    tasks_.erase(at);
    queue_->give_back(task.package);
    return task;
  }

  base::Status ended_process(Task task, const Ended& ended) {
    const double seconds = std::chrono::duration<double>(Clock::now() - task.began).count();
    const bool failed = task.is_late || ended.signal != 0 || ended.status != 0;
    const std::string reason = task.is_late ? late_text(task.package) : ending_text(ended);
    if (task.is_check) {
      if (!failed) return complete(task);
      return fail(task.package, task.seconds, "the check failed: " + reason);
    }
    task.seconds = seconds;
    if (failed) return fail(task.package, seconds, reason);
    return check(std::move(task));
  }

  /// The command came to its end: is what it did right?
  base::Status check(Task task) {
    const std::string command = check_of(order_of(task.package));
    if (command.empty()) return complete(task);
    task.is_check = true;
    queue_->use(task.package);
    const uint32_t i = task.package;
    const size_t before = tasks_.size();
    auto status =
        start_process(std::move(task), {"/bin/sh", "-ec", command}, kCheckFile, kCheckFile);
    if (tasks_.size() == before) queue_->give_back(i);
    return status;
  }

  base::Status complete(const Task& task) {
    const uint32_t i = task.package;
    Run& run = runs_[i];
    const Extracted extracted = extractor_.read(plan_.packages[i], folder_ / run.folder, pool_);
    for (const std::string& warning : extracted.warnings) notes_.warn(run, warning);
    auto status = state_.finish(run.id, task.seconds, extracted.values,
                                extracted.profile ? &*extracted.profile : nullptr);
    if (!status) return status;
    run.state = RunState::kDone;
    ++report_.done;
    ++progress_.done;
    for (const uint32_t next : queue_->behind(i)) {
      queue_->one_done(next);
      if (queue_->may_begin(next) && runs_[next].state == RunState::kPlanned) {
        queue_->make_ready(next);
      }
    }
    return {};
  }

  base::Status fail(uint32_t i, double seconds, const std::string& reason) {
    Run& run = runs_[i];
    if (auto space = check_space(folder_); !space) {
      (void)state_.put_back({&run.id, 1});
      return space;
    }
    run.state = RunState::kFailed;
    ++report_.failed;
    ++progress_.done;
    ++progress_.failed;
    notes_.failed(run, reason, folder_);
    if (auto status = state_.fail(run.id, RunState::kFailed, reason, seconds); !status) {
      return status;
    }
    return block(i);
  }

  base::Status block(uint32_t failed) {
    std::vector<uint32_t> left = {failed};
    while (!left.empty()) {
      const uint32_t i = left.back();
      left.pop_back();
      for (const uint32_t next : queue_->behind(i)) {
        Run& run = runs_[next];
        if (run.state != RunState::kPlanned) continue;
        run.state = RunState::kBlocked;
        ++report_.blocked;
        ++progress_.done;
        auto status = state_.fail(run.id, RunState::kBlocked, "after " + runs_[failed].folder, 0);
        if (!status) return status;
        left.push_back(next);
      }
    }
    return {};
  }

  /// Ends what runs here; jobs of Slurm go on.
  base::Status stop_all() {
    std::vector<int64_t> back;
    for (const Task& task : tasks_) {
      if (task.process.id == 0) {
        ++report_.in_queue;
        continue;
      }
      end_session(task.identity, folder_ / runs_[task.package].folder);
      back.push_back(runs_[task.package].id);
    }
    while (reap()) {
    }
    for (const Run& run : runs_) report_.waiting += run.state == RunState::kPlanned ? 1 : 0;
    report_.waiting -= report_.in_queue;
    return back.empty() ? base::Status() : state_.put_back(back);
  }

  State& state_;
  const Study& study_;
  const Plan& plan_;
  const Extractor& extractor_;
  Attention& attention_;
  const RunnerOptions& options_;
  base::ThreadPool& pool_;
  base::Progress& progress_;
  fs::path folder_;
  bool by_slurm_ = false;
  Slurm slurm_;
  bool slurm_is_full_ = false;

  std::vector<Run> runs_;  // By package; what is not done counts as planned.
  std::optional<WorkQueue> queue_;
  std::vector<uint32_t> jobs_;  // Packages that an earlier process submitted.
  std::vector<Task> tasks_;
  uint32_t budget_ = 0;  // Cores at a time; 0: no bound.
  RunNotes notes_;
  RunnerReport report_;
};

}  // namespace

base::Result<RunnerReport> run_packages(State& state, const Study& study, const Plan& plan,
                                        const Extractor& extractor, Attention& attention,
                                        const RunnerOptions& options, base::ThreadPool& pool,
                                        base::Progress& progress) {
  return Runner(state, study, plan, extractor, attention, options, pool, progress).run();
}

}  // namespace pathline::campaign
