// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/slurm.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <functional>
#include <random>
#include <unistd.h>

#include <fmt/format.h>

#include "base/child_process.hpp"
#include "base/file.hpp"
#include "base/text.hpp"
#include "campaign/folder.hpp"

namespace pathline::campaign {
namespace {

namespace fs = std::filesystem;

constexpr auto kBetweenLooks = std::chrono::seconds(3);
constexpr auto kBetweenQuestions = std::chrono::seconds(1);
constexpr auto kAnswer = std::chrono::seconds(10);
/// A file that a job wrote last may come later than its end, through a network's file system.
constexpr auto kPatience = std::chrono::seconds(20);

// In the folder of a run.
constexpr const char* kScriptFile = "job.sh";
constexpr const char* kStatusFile = "status";  ///< "status begin_s end_s".
constexpr const char* kTicketFile = "ticket";  ///< Of the job that is meant to run.

/// What sbatch gets: the command, and what it leaves for ended().
std::string script_of(const SlurmJob& job, const std::string& ticket) {
  const std::string limited =
      job.timeout_s > 0 ? fmt::format("timeout -k 10 {} ", job.timeout_s) : std::string();
  // Whoever submitted it may have died before he knew, and another job does the same by now.
  return fmt::format(
      "#!/bin/sh\n"
      "cd {} || exit 1\n"
      "[ \"$(cat {})\" = {} ] || exit 0\n"
      "began=$(date +%s.%N)\n"
      "{}sh -e ./{} > {} 2> {} < /dev/null\n"
      "echo \"$? $began $(date +%s.%N)\" > {}.part && mv {}.part {}\n",
      shell_word(job.folder.string()), kTicketFile, ticket, limited, kCommandFile, kOutputFile,
      kErrorFile, kStatusFile, kStatusFile, kStatusFile);
}

/// A name that no other job of the folder has.
std::string new_ticket() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

std::optional<SlurmEnd> end_in(const fs::path& folder, double timeout_s) {
  std::ifstream file(folder / kStatusFile);
  SlurmEnd end;
  double began = 0;
  double ended = 0;
  if (!(file >> end.status >> began >> ended)) return std::nullopt;
  end.seconds = std::max(ended - began, 0.0);
  // The two that timeout(1) has for it; the command's own come earlier.
  end.is_late =
      timeout_s > 0 && end.seconds >= timeout_s && (end.status == 124 || end.status == 137);
  return end;
}

/// Runs one of Slurm's programs. Returns why it has no answer, "" if it has.
std::string ask(const std::vector<std::string>& words,
                const std::function<bool(std::string_view line)>& take) {
  std::string said;
  const auto ending = base::run_reading(words, take, said);
  if (!ending) return ending.error().message;
  const int status = ending.value().exit_status();
  if (status == 0) return "";
  while (said.ends_with('\n')) said.pop_back();
  return said.empty() ? fmt::format("{}: exit status {}", words[0], status) : base::printable(said);
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
  const fs::path script = job.folder / kScriptFile;
  const std::string ticket = new_ticket();
  for (const auto& [file, text] : {std::pair(script, script_of(job, ticket)),
                                   std::pair(job.folder / kTicketFile, ticket + "\n")}) {
    if (auto written = base::write_file(file, text); !written) return written.error();
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

base::Result<std::string> Slurm::find(const std::string& name) {
  std::string number;
  const std::string trouble =
      ask({"squeue", "--noheader", "--format=%i", "--name=" + name}, [&](std::string_view line) {
        if (number.empty()) number = line;
        return true;
      });
  if (trouble.empty()) return number;
  return base::Error{
      base::ErrorCode::kIo,
      fmt::format("Slurm does not say whether it has the job {}: {}", name, trouble),
      "It may run already, so it is not submitted again. Continue when squeue works."};
}

void Slurm::look() {
  looked_ = Clock::now();
  std::map<std::string, std::string> queued;
  trouble_ = ask({"squeue", "--noheader", "--format=%i %T", fmt::format("--user={}", ::getuid())},
                 [&](std::string_view line) {
                   const size_t blank = line.find(' ');
                   if (blank != std::string_view::npos) {
                     queued[std::string(line.substr(0, blank))] = line.substr(blank + 1);
                   }
                   return true;
                 });
  // A controller that does not answer says nothing of any job.
  if (trouble_.empty()) queued_ = std::move(queued);
}

std::optional<SlurmEnd> Slurm::ended(const std::string& number, const fs::path& folder,
                                     double timeout_s) {
  if (auto end = end_in(folder, timeout_s)) return end;
  if (!looked_ || Clock::now() - *looked_ >= kBetweenLooks) look();
  if (!trouble_.empty()) return std::nullopt;
  if (queued_.contains(number)) {
    gone_.erase(number);
    return std::nullopt;
  }
  Gone& gone = gone_.try_emplace(number, Gone{.since = Clock::now(), .asked = {}}).first->second;
  const bool is_over = Clock::now() - gone.since >= kPatience;
  if (!is_over && Clock::now() - gone.asked < kBetweenQuestions) return std::nullopt;
  gone.asked = Clock::now();
  const std::string text =
      number.empty() ? ""
                     : base::output_of({"scontrol", "--oneliner", "show", "job", number}, kAnswer);
  const std::string state = field_of(text, "JobState=");
  // What Slurm ended leaves no file; what came to its end by itself does, and a job that was
  // submitted since the last look is in the queue by now.
  static constexpr std::array<std::string_view, 8> kEnded = {
      "CANCELLED", "TIMEOUT",   "NODE_FAIL", "OUT_OF_MEMORY",
      "PREEMPTED", "BOOT_FAIL", "DEADLINE",  "REVOKED"};
  const std::string why = field_of(text, "Reason=");
  const std::string said =
      why.empty() || why == "None" || why == state ? state : fmt::format("{} ({})", state, why);
  if (std::find(kEnded.begin(), kEnded.end(), state) != kEnded.end()) {
    return SlurmEnd{.reason = "Slurm says " + said};
  }
  if (!is_over) return std::nullopt;
  return SlurmEnd{.reason = fmt::format(
                      "its job left no exit status{}; do the nodes see the folder of the campaign?",
                      said.empty() ? "" : ", and Slurm says " + said)};
}

}  // namespace pathline::campaign
