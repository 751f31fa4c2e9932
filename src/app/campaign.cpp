// SPDX-License-Identifier: BSD-3-Clause
#include "app/campaign.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "app/run_directory.hpp"
#include "campaign/folder.hpp"
#include "campaign/folder_lock.hpp"

namespace pathline::app {
namespace {

namespace fs = std::filesystem;
using campaign::State;

constexpr const char* kEnding = ".campaign";

std::string default_name(const campaign::Study& study) {
  std::string name;
  for (const char c : study.name) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' ||
                       c == '+' || (c == '.' && !name.empty());
    name += plain ? c : '_';
  }
  return name + kEnding;
}

bool has_state(const fs::path& folder) {
  std::error_code ignored;
  return fs::exists(folder / campaign::kStateFile, ignored);
}

/// Which of the folders that run_campaign() makes for a study this is: 1, 2 ...; 0 for none.
uint32_t number_of(const std::string& folder, const std::string& name) {
  if (folder == name) return 1;
  if (!folder.starts_with(name + "-")) return 0;
  const std::string_view rest = std::string_view(folder).substr(name.size() + 1);
  uint32_t number = 0;
  const auto [end, code] = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  return code == std::errc() && end == rest.data() + rest.size() && number > 1 ? number : 0;
}

fs::path folder_beside(const fs::path& study) {
  const fs::path folder = study.parent_path();
  return folder.empty() ? fs::path(".") : folder;
}

base::Result<CampaignRun> run_in(State& state, PlannedStudy& planned,
                                 campaign::Attention& attention,
                                 const campaign::RunnerOptions& options, base::ThreadPool& pool,
                                 base::Progress& progress) {
  auto report = campaign::run_packages(state, planned.study, planned.plan, *planned.extractor,
                                       attention, options, pool, progress);
  if (!report) return report.error();
  return CampaignRun{state.folder(), report.value()};
}

base::Status complete(PlannedStudy& planned) {
  auto plan = campaign::plan(planned.study);
  if (!plan) return plan.error();
  planned.plan = std::move(plan).value();
  auto extractor = campaign::Extractor::make(planned.study, planned.plan);
  if (!extractor) return extractor.error();
  planned.extractor.emplace(std::move(extractor).value());
  return {};
}

}  // namespace

base::Result<std::unique_ptr<PlannedStudy>> plan_study(const fs::path& file,
                                                       const std::vector<std::string>& tags) {
  auto study = campaign::read_study(file, tags);
  if (!study) return study.error();
  auto planned = std::make_unique<PlannedStudy>();
  planned->study = std::move(study).value();
  planned->tags = tags;
  if (auto status = complete(*planned); !status) return status.error();
  if (auto status = campaign::check_files(planned->study); !status) return status.error();
  return planned;
}

bool is_campaign(const std::string& input) {
  std::error_code ignored;
  if (fs::is_directory(input, ignored)) return has_state(input);
  const std::string kind = fs::path(input).extension().string();
  const bool is_study = kind == ".toml" || kind == ".xml" || kind == ".yaml" || kind == ".yml";
  return is_study && fs::is_regular_file(input, ignored);
}

base::Result<fs::path> find_campaign(const CampaignRequest& request) {
  std::error_code ignored;
  const fs::path input = request.folder.empty() ? request.input : request.folder;
  if (fs::is_directory(input, ignored)) {
    if (has_state(input)) return input;
    return base::Error{base::ErrorCode::kNotFound,
                       fmt::format("there is no campaign in {}", input.string()),
                       "'pathline campaign run FILE.toml' makes one."};
  }
  if (!request.folder.empty()) {
    return base::Error{base::ErrorCode::kNotFound,
                       fmt::format("there is no folder {}", request.folder)};
  }
  auto study = campaign::read_study(input, request.tags);
  if (!study) return study.error();
  const std::string name = default_name(study.value());
  fs::path newest;
  uint32_t best = 0;
  for (fs::directory_iterator entry(folder_beside(input), ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    const uint32_t number = number_of(entry->path().filename().string(), name);
    if (number <= best || !has_state(entry->path())) continue;
    best = number;
    newest = entry->path();
  }
  if (best > 0) return newest;
  return base::Error{base::ErrorCode::kNotFound,
                     fmt::format("{} has not been run here: there is no {}", input.string(),
                                 (folder_beside(input) / name).string()),
                     fmt::format("'pathline campaign run {}' runs it; the folder of a campaign "
                                 "elsewhere can be named instead.",
                                 input.string())};
}

base::Result<OpenCampaign> open_campaign(const CampaignRequest& request, bool may_write) {
  auto folder = find_campaign(request);
  if (!folder) return folder.error();
  OpenCampaign campaign;
  auto state =
      State::open(folder.value(), may_write ? State::Access::kWrite : State::Access::kRead);
  campaign.may_write = may_write && state.ok();
  if (!state && may_write) state = State::open(folder.value(), State::Access::kRead);
  if (!state) return state.error();
  campaign.state.emplace(std::move(state).value());
  auto tags = campaign.state->tags();
  if (!tags) return tags.error();
  std::error_code ignored;
  if (fs::is_regular_file(request.input, ignored)) {
    auto study =
        campaign::read_study(request.input, request.tags.empty() ? tags.value() : request.tags);
    if (!study) return study.error();
    campaign.planned = std::make_unique<PlannedStudy>();
    campaign.planned->study = std::move(study).value();
  } else {
    auto study = campaign.state->study();
    if (!study) return study.error();
    campaign.planned = std::make_unique<PlannedStudy>();
    campaign.planned->study = std::move(study).value();
  }
  campaign.planned->tags = request.tags.empty() ? tags.value() : request.tags;
  if (auto status = complete(*campaign.planned); !status) return status.error();
  return campaign;
}

base::Result<CampaignRun> run_campaign(const CampaignRequest& request, PlannedStudy& planned,
                                       campaign::Attention& attention,
                                       const campaign::RunnerOptions& options,
                                       base::ThreadPool& pool, base::Progress& progress) {
  const fs::path wanted = request.folder.empty()
                              ? folder_beside(request.input) / default_name(planned.study)
                              : fs::path(request.folder);
  auto folder = make_run_directory(wanted);
  if (!folder) return folder.error();
  auto lock = campaign::FolderLock::take(folder.value());
  if (!lock) return lock.error();
  progress.begin("planning", "", 0);
  auto state = State::create(folder.value(), planned.study, planned.tags, planned.plan);
  if (!state) return state.error();
  return run_in(state.value(), planned, attention, options, pool, progress);
}

base::Result<CampaignRun> continue_campaign(const CampaignRequest& request,
                                            campaign::Attention& attention,
                                            const campaign::RunnerOptions& options,
                                            base::ThreadPool& pool, base::Progress& progress) {
  auto folder = find_campaign(request);
  if (!folder) return folder.error();
  auto lock = campaign::FolderLock::take(folder.value());
  if (!lock) return lock.error();
  auto state = State::open(folder.value(), State::Access::kWrite);
  if (!state) return state.error();
  CampaignRequest as_it_is = request;
  std::error_code ignored;
  if (!fs::is_regular_file(request.input, ignored)) {
    auto file = state.value().file();
    if (!file) return file.error();
    if (fs::is_regular_file(file.value(), ignored)) as_it_is.input = file.value();
  }
  as_it_is.folder = folder.value().string();
  auto opened = open_campaign(as_it_is, true);
  if (!opened) return opened.error();
  PlannedStudy& planned = *opened.value().planned;
  if (auto status = campaign::check_files(planned.study); !status) return status.error();
  auto adopted = state.value().adopt(planned.study, planned.tags, planned.plan);
  if (!adopted) return adopted.error();
  return run_in(state.value(), planned, attention, options, pool, progress);
}

}  // namespace pathline::app
