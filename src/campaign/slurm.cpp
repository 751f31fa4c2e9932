// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/slurm.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <unistd.h>

#include <fmt/format.h>

#include "base/child_process.hpp"
#include "base/text.hpp"
#include "campaign/folder.hpp"

namespace pathline::campaign {
namespace {

namespace fs = std::filesystem;

constexpr auto kBetweenLooks = std::chrono::seconds(3);
/// A file that a job wrote last may come later than its end, through a network's file system.
constexpr auto kPatience = std::chrono::seconds(20);

/// In the folder of the run: "status begin_s end_s".
constexpr const char* kStatusFile = "status";

/// What sbatch gets: the command, and what it leaves for ended().
std::string script_of(const SlurmJob& job) {
  const std::string folder = shell_word(job.folder.string());
  return fmt::format(
      "#!/bin/sh\n"
      "cd {} || exit 1\n"
      "began=$(date +%s.%N)\n"
      "sh -e ./{} > {} 2> {} < /dev/null\n"
      "echo \"$? $began $(date +%s.%N)\" > {}.part && mv {}.part {}\n",
      folder, kCommandFile, kOutputFile, kErrorFile, kStatusFile, kStatusFile, kStatusFile);
}

std::optional<SlurmEnd> end_in(const fs::path& folder) {
  std::ifstream file(folder / kStatusFile);
  SlurmEnd end;
  double began = 0;
  double ended = 0;
  if (!(file >> end.status >> began >> ended)) return std::nullopt;
  end.seconds = std::max(ended - began, 0.0);
  return end;
}

/// The word behind "JobState=" and the like in what scontrol says.
std::string field_of(const std::string& text, std::string_view name) {
  const size_t at = text.find(name);
  if (at == std::string::npos) return "";
  const size_t begin = at + name.size();
  return text.substr(begin, text.find_first_of(" \n", begin) - begin);
}

}  // namespace

base::Result<std::string> Slurm::submit(const SlurmJob& job) {
  const fs::path script = job.folder / "job.sh";
  std::ofstream out(script);
  out << script_of(job);
  out.close();
  if (!out) {
    return base::Error{base::ErrorCode::kIo, fmt::format("cannot write {}", script.string())};
  }
  std::error_code ignored;
  fs::remove(job.folder / kStatusFile, ignored);
  const std::string folder = job.folder.string();
  // A shell splits the user's options as he would expect.
  const std::string line =
      fmt::format("exec sbatch --parsable --job-name={} --ntasks={} --output={} --error={} {} {}",
                  shell_word(job.name), job.cores, shell_word(folder + "/slurm.out"),
                  shell_word(folder + "/slurm.out"), job.options, shell_word(script.string()));
  std::string number;
  std::string said;
  const auto ending = base::run_reading(
      {"/bin/sh", "-c", line},
      [&](std::string_view text) {
        if (number.empty()) number = text.substr(0, text.find(';'));
        return true;
      },
      said);
  if (!ending) return ending.error();
  const int status = ending.value().exit_status();
  if (status == 0 && !number.empty()) return number;
  while (said.ends_with('\n')) said.pop_back();
  return base::Error{
      status == 127 ? base::ErrorCode::kNotFound : base::ErrorCode::kIo,
      fmt::format("sbatch did not take the job in {}: {}", folder,
                  said.empty() ? fmt::format("exit status {}", status) : base::printable(said)),
      status == 127 ? "Slurm's programs are in none of the folders of PATH." : ""};
}

std::string Slurm::find(const std::string& name) {
  std::string number;
  std::string said;
  (void)base::run_reading(
      {"squeue", "--noheader", "--format=%i", "--name=" + name},
      [&](std::string_view line) {
        if (number.empty()) number = line;
        return true;
      },
      said);
  return number;
}

void Slurm::look() {
  looked_ = Clock::now();
  std::map<std::string, std::string> queued;
  std::string said;
  const auto ending = base::run_reading(
      {"squeue", "--noheader", "--format=%i %T", fmt::format("--user={}", ::getuid())},
      [&](std::string_view line) {
        const size_t blank = line.find(' ');
        if (blank != std::string_view::npos) {
          queued[std::string(line.substr(0, blank))] = line.substr(blank + 1);
        }
        return true;
      },
      said);
  // A controller that does not answer says nothing of any job.
  could_look_ = ending && ending.value().exit_status() == 0;
  if (could_look_) queued_ = std::move(queued);
}

std::optional<SlurmEnd> Slurm::ended(const std::string& number, const fs::path& folder) {
  if (auto end = end_in(folder)) return end;
  if (!looked_ || Clock::now() - *looked_ >= kBetweenLooks) look();
  if (!could_look_) return std::nullopt;
  if (const auto found = queued_.find(number); found != queued_.end()) {
    gone_.erase(number);
    return std::nullopt;
  }
  const auto since = gone_.try_emplace(number, Clock::now()).first->second;
  if (Clock::now() - since < kPatience) {
    const std::string text = base::output_of({"scontrol", "--oneliner", "show", "job", number},
                                             std::chrono::seconds(10));
    const std::string state = field_of(text, "JobState=");
    // What Slurm ended leaves no file; what came to its end by itself does, and a job that was
    // submitted since the last look is in the queue by now.
    static constexpr std::array<std::string_view, 8> kEnded = {
        "CANCELLED", "TIMEOUT",   "NODE_FAIL", "OUT_OF_MEMORY",
        "PREEMPTED", "BOOT_FAIL", "DEADLINE",  "REVOKED"};
    if (std::find(kEnded.begin(), kEnded.end(), state) == kEnded.end()) return std::nullopt;
    const std::string why = field_of(text, "Reason=");
    return SlurmEnd{.reason = why.empty() || why == "None" || why == state
                                  ? state
                                  : fmt::format("{} ({})", state, why)};
  }
  return SlurmEnd{.reason = "it is in no queue and left no exit status"};
}

void Slurm::cancel(const std::string& number) {
  (void)base::output_of({"scancel", number}, std::chrono::seconds(10));
}

}  // namespace pathline::campaign
