// SPDX-License-Identifier: BSD-3-Clause
#include "cli/figure_kinds.hpp"

#include <array>

#include <fmt/format.h>

namespace pathline::cli {
namespace {

using app::FigureKind;

/// Kinds as bits, in the order in which texts name them.
using Kinds = unsigned;
constexpr Kinds bit(FigureKind kind) { return 1U << static_cast<unsigned>(kind); }

constexpr std::array<const char*, 13> kNames = {
    "timeline", "matrix", "chord",  "flow",    "profile", "steps",     "efficiency",
    "topology", "graph",  "routes", "ranking", "model",   "prediction"};
static_assert(static_cast<size_t>(FigureKind::kPrediction) + 1 == kNames.size());

constexpr Kinds kTimeline = bit(FigureKind::kTimeline);
constexpr Kinds kMatrix = bit(FigureKind::kMatrix);
constexpr Kinds kChord = bit(FigureKind::kChord);
constexpr Kinds kFlow = bit(FigureKind::kFlow);
constexpr Kinds kProfile = bit(FigureKind::kProfile);
constexpr Kinds kSteps = bit(FigureKind::kSteps);
constexpr Kinds kEfficiency = bit(FigureKind::kEfficiency);
constexpr Kinds kTopology = bit(FigureKind::kTopology);
constexpr Kinds kGraph = bit(FigureKind::kGraph);
constexpr Kinds kRoutes = bit(FigureKind::kRoutes);
constexpr Kinds kRanking = bit(FigureKind::kRanking);
constexpr Kinds kModel = bit(FigureKind::kModel);
constexpr Kinds kPrediction = bit(FigureKind::kPrediction);
constexpr Kinds kPairs = kMatrix | kChord | kFlow;
constexpr Kinds kAll = (1U << kNames.size()) - 1;
constexpr Kinds kOfRun = kAll & ~(kModel | kPrediction);

struct Belongs {
  const char* what;  ///< An option, or the headline of a group.
  Kinds kinds;
  const char* advice = "";
};

constexpr Belongs kOptions[] = {
    {"--from", kOfRun},
    {"--until", kOfRun},
    {"--ranks", kOfRun & ~kEfficiency, "Efficiencies are of all ranks together."},
    {"--metric", kTimeline | kPairs | kTopology | kModel},
    {"--messages", kTimeline},
    {"--no-trim", kTimeline},
    {"--palette", kTimeline | kChord | kRoutes},
    {"--blend", kTimeline | kChord},
    {"--opacity", kTimeline | kChord},
    {"--bundle", kTimeline},
    {"--degree", kTimeline},
    {"--beta", kTimeline | kChord | kFlow},
    {"--levels", kTimeline},
    {"--grid", kTimeline},
    {"--show-hierarchy", kTimeline},
    {"--bursts", kTimeline},
    {"--critical", kTimeline},
    {"--order", kTimeline | kPairs},
    {"--width", kFlow},
    {"--slurm", kTopology},
    {"--step", kPairs | kTopology, "A part of the run is chosen with --from and --until."},
    {"--pick", kTimeline},
    {"--color", kGraph | kRoutes},
    {"--compare", kTimeline | kMatrix | kProfile | kSteps | kGraph | kRoutes | kRanking},
    {"--cells", kRoutes},
    {"--rank", kRanking},
    // Of a group are the options above that stand in it, and all others of it.
    {kNetworkGroup, kGraph | kRoutes | kRanking},
    {kModelGroup, kModel},
    {kPredictionGroup, kPrediction},
    {"--threads", kAll & ~kPrediction},
    {"--partial", kAll & ~kPrediction},
};

/// nullptr for an option of all kinds.
const Belongs* find(const Command::Given& option) {
  for (const Belongs& row : kOptions) {
    if (option.name == row.what || option.group == row.what) return &row;
  }
  return nullptr;
}

/// "timeline, chord and flow".
std::string text_of(Kinds kinds) {
  if (kinds == kOfRun) return "pictures of a run";
  std::string text;
  for (size_t i = 0; i < kNames.size(); ++i) {
    if ((kinds >> i & 1) == 0) continue;
    const bool is_last = kinds >> (i + 1) == 0;
    text += fmt::format("{}{}", text.empty() ? "" : is_last ? " and " : ", ", kNames[i]);
  }
  return text;
}

}  // namespace

std::vector<std::string> figure_kind_words() { return {kNames.begin(), kNames.end()}; }

base::Status check_figure_options(FigureKind kind, const std::vector<Command::Given>& given) {
  for (const Command::Given& option : given) {
    const Belongs* row = find(option);
    if (row == nullptr || (row->kinds & bit(kind)) != 0) continue;
    return base::Error{base::ErrorCode::kInvalidArgument,
                       fmt::format("{} belongs to {}, not to {}", option.name, text_of(row->kinds),
                                   kNames[static_cast<size_t>(kind)]),
                       row->advice};
  }
  return {};
}

base::Error bad_option(const char* option, const std::string& value, std::string_view expected) {
  return {base::ErrorCode::kInvalidArgument,
          fmt::format("{} is '{}', expected {}", option, value, expected)};
}

}  // namespace pathline::cli
