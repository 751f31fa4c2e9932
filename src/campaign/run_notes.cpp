// SPDX-License-Identifier: BSD-3-Clause
#include "campaign/run_notes.hpp"

#include <fmt/format.h>

#include "campaign/folder.hpp"

namespace pathline::campaign {
namespace {

constexpr uint64_t kMost = 10;

}  // namespace

void RunNotes::warn(const Run& run, const std::string& warning) {
  if (++warnings_ <= kMost) say(fmt::format("{} ({}): {}", run.folder, run.key, warning));
}

void RunNotes::failed(const Run& run, const std::string& reason,
                      const std::filesystem::path& campaign) {
  if (++failures_ > kMost) return;
  const char* more = "\n  (more failures are counted; 'pathline campaign status' lists them)";
  say(fmt::format("{} ({}) failed: {}{}{}", run.folder, run.key, reason,
                  last_words(campaign / run.folder), failures_ == kMost ? more : ""));
}

void RunNotes::waits_for_slurm(const std::string& trouble) {
  if (trouble == trouble_) return;
  trouble_ = trouble;
  say(trouble.empty() ? "Slurm answers again"
                      : "waiting for Slurm, which does not answer: " + trouble);
}

}  // namespace pathline::campaign
