// SPDX-License-Identifier: BSD-3-Clause
#include <nlohmann/json.hpp>

#include "app/efficiency.hpp"
#include "app/findings.hpp"

namespace pathline::app {

namespace {

nlohmann::ordered_json growth_json(const FindingGrowth& growth) {
  return {{"callpath", growth.call_path},          {"grows_as", growth.grows_as},
          {"here_pct", growth.here_pct},           {"there_pct", growth.there_pct},
          {"there_low_pct", growth.there_low_pct}, {"there_high_pct", growth.there_high_pct}};
}

}  // namespace

nlohmann::ordered_json findings_json(const FindingsReport& report) {
  using Json = nlohmann::ordered_json;
  constexpr const char* kFocus[] = {"steps", "run", "time"};
  Json outside = Json::array();
  for (const auto& [what, rank_s] : report.outside_rank_s) {
    outside.push_back({{"what", what}, {"rank_s", rank_s}});
  }
  Json waits = Json::array();
  for (const auto& wait : report.waits) {
    waits.push_back({{"kind", wait.kind}, {"count", wait.count}, {"wait_s", wait.wait_s}});
  }
  Json critical = Json::array();
  for (const auto& part : report.critical) {
    critical.push_back({{"callpath", part.call_path},
                        {"rank", part.rank},
                        {"on_path_s", part.on_path_s},
                        {"imbalance_s", part.imbalance_s}});
  }
  Json causes = Json::array();
  for (const auto& cause : report.causes) {
    causes.push_back({{"rank", cause.rank},
                      {"callpath", cause.call_path},
                      {"short_term_rank_s", cause.short_rank_s},
                      {"long_term_rank_s", cause.long_rank_s}});
  }
  Json rows = Json::array();
  for (const FindingRow& row : report.findings) {
    Json evidence = Json::object();
    for (const auto& [key, value] : row.evidence) evidence[key] = value;
    rows.push_back({{"kind", row.kind},
                    {"confidence", row.confidence},
                    {"recoverable_s", row.recoverable_s},
                    {"recoverable_pct", row.recoverable_pct},
                    {"after_above_s", row.after_above_s ? Json(*row.after_above_s) : Json(nullptr)},
                    {"cost_rank_s", row.cost_rank_s},
                    {"ranks", row.ranks},
                    {"callpath", row.call_path},
                    {"steps", row.steps.empty() ? Json(nullptr) : Json(row.steps)},
                    {"from_s", row.from_s},
                    {"until_s", row.until_s},
                    {"text", row.text},
                    {"advice", row.advice},
                    {"evidence", evidence},
                    {"show", row.show},
                    {"place", row.place.empty() ? Json(nullptr) : Json(row.place)},
                    {"growth", row.grows ? growth_json(*row.grows) : Json(nullptr)}});
  }
  Json growing = Json::array();
  for (const FindingGrowth& growth : report.growing) growing.push_back(growth_json(growth));
  Json at = Json::object();
  for (const auto& [parameter, value] : report.growth_at) at[parameter] = value;
  return {{"focus",
           {{"kind", kFocus[static_cast<size_t>(report.focus)]},
            {"begin_s", report.begin_s},
            {"end_s", report.end_s},
            {"outside", outside}}},
          {"ranks", report.ranks},
          {"threads", report.threads},
          {"steps", report.steps},
          {"efficiency", efficiency_json(report.efficiency, report.ticks_per_second)},
          {"scaling", nullptr},
          {"time",
           {{"rank_s", report.rank_s},
            {"useful_s", report.useful_s},
            {"io_s", report.io_s},
            {"wait_s", report.wait_s},
            {"rest_s", report.rest_s},
            {"polling_s", report.polling_s}}},
          {"waits", waits},
          {"critical_path", critical},
          {"causes", causes},
          {"findings", rows},
          {"growing", growing},
          {"growing_at", report.growth_at.empty() ? Json(nullptr) : at},
          {"nothing_above_pct", report.nothing_above_pct},
          {"not_looked_at", report.not_looked_at},
          {"warnings", report.warnings}};
}

}  // namespace pathline::app
