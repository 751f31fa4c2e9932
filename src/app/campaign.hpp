// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/model_input.hpp"
#include "base/progress.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "campaign/compare.hpp"
#include "campaign/extract.hpp"
#include "campaign/plan.hpp"
#include "campaign/process.hpp"
#include "campaign/result_table.hpp"
#include "campaign/runner.hpp"
#include "campaign/state.hpp"
#include "campaign/study.hpp"

namespace pathline::app {

/// A study and what it comes to. Parts know one another by address: it is not moved.
struct PlannedStudy {
  campaign::Study study;
  campaign::Plan plan;
  std::optional<campaign::Extractor> extractor;
  std::vector<std::string> tags;
};

/// Reads and plans the study in a file, and looks at all that can be wrong before a run begins.
/// errors  those of campaign::read_study(), plan() and Extractor::make(); kNotFound for files
/// beside
///         it that are not there.
base::Result<std::unique_ptr<PlannedStudy>> plan_study(const std::filesystem::path& file,
                                                       const std::vector<std::string>& tags);

/// Which campaign somebody means, and how.
struct CampaignRequest {
  /// A study, whose newest campaign is meant, or the folder of a campaign.
  std::string input;
  std::string folder;             ///< Where the campaign is or shall be; "": beside the study.
  std::vector<std::string> tags;  ///< Of the study; of a campaign that exists those it has.
};

/// One that exists.
struct OpenCampaign {
  std::unique_ptr<PlannedStudy> planned;
  std::optional<campaign::State> state;
  bool may_write = false;
};

/// Whether `input` is a study or the folder of a campaign, for commands that take other inputs too.
bool is_campaign(const std::string& input);

/// The folder of the campaign that is meant.
/// errors  kNotFound, naming what makes one.
base::Result<std::filesystem::path> find_campaign(const CampaignRequest& request);

/// A study is read as it is now; of a folder, as it was when it was run last.
base::Result<OpenCampaign> open_campaign(const CampaignRequest& request, bool may_write);

struct CampaignRun {
  std::filesystem::path folder;
  campaign::RunnerReport report;
};

/// Makes a folder for the study, NAME.campaign or with -2, -3 behind it, and runs everything.
/// errors  those of plan_study() and campaign::run_packages(); kIo.
base::Result<CampaignRun> run_campaign(const CampaignRequest& request, PlannedStudy& planned,
                                       campaign::Attention& attention,
                                       const campaign::RunnerOptions& options,
                                       base::ThreadPool& pool, base::Progress& progress);

/// Runs what is not done: what was interrupted, what failed, and what has come to the study. Where
/// the study's file is no longer there, as it was.
/// errors  kIo while another process runs the campaign, and those of run_campaign().
base::Result<CampaignRun> continue_campaign(const CampaignRequest& request,
                                            campaign::Attention& attention,
                                            const campaign::RunnerOptions& options,
                                            base::ThreadPool& pool, base::Progress& progress);

}  // namespace pathline::app
