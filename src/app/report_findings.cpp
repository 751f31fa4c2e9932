// SPDX-License-Identifier: BSD-3-Clause
#include "app/report_findings.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/findings_words.hpp"
#include "app/report_timeline.hpp"
#include "base/text.hpp"

namespace pathline::app {

// A click on a command selects it as a whole.
const char* const kFindingsStyle = R"(
.finding { border-left: 4px solid var(--far); padding: 2px 0 2px 14px; margin: 0 0 18px; }
.finding.low { border-color: var(--line); }
.finding p { margin: 0 0 3px; } .gain { font-size: 18px; font-weight: 600; }
.finding code { display: block; user-select: all; font-size: 13px; color: var(--muted); }
h3 { font-size: 16px; margin: 20px 0 10px; }
.tree { width: auto; } .tree td:last-child { text-align: left; color: var(--muted); }
.tree td:first-child { white-space: nowrap; }
.tree .bar { display: inline-block; width: 120px; height: 8px; border-radius: 4px;
             background: var(--line); vertical-align: middle; overflow: hidden; }
.tree .bar i { display: block; height: 8px; background: var(--muted); }
)";

namespace {

std::string words(std::string text) {
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::string sentence(const std::string& text) {
  std::string begun = base::html_escaped(text);
  if (!begun.empty() && begun[0] >= 'a' && begun[0] <= 'z') {
    begun[0] = static_cast<char>(begun[0] - 'a' + 'A');
  }
  return begun + '.';
}

/// view  view_of()
void add_finding(std::string& html, const FindingsReport& report, size_t number, size_t view) {
  const FindingRow& row = report.findings[number];
  const auto add = [&](std::string_view line) { html += line; };
  add(fmt::format(
      "<div class=\"finding{}\"{}>\n<p><span class=\"gain\">{}</span>{} "
      "<span class=\"muted\">{}, confidence {}</span></p>\n",
      row.confidence == "low" ? " low" : "",
      view > 0 ? fmt::format(" data-view=\"{}\" title=\"shows it in the timeline\"", view) : "",
      gain_text(row),
      row.after_above_s && number > 0
          ? fmt::format(", {} after those above", base::human_seconds(*row.after_above_s))
          : "",
      words(row.kind), row.confidence));
  add(fmt::format("<p>{}</p>\n", sentence(row.text)));
  if (!row.call_path.empty()) {
    add(fmt::format("<p class=\"muted\">at {}</p>\n", base::html_escaped(place_text(row))));
  }
  if (row.grows) {
    add(fmt::format("<p>{}</p>\n", sentence(growth_text(report, *row.grows))));
  }
  add(fmt::format("<p>&rarr; {}</p>\n", base::html_escaped(row.advice)));
  for (const std::string& command : row.show) {
    add(fmt::format("<code>{}</code>\n", base::html_escaped(command)));
  }
  add("</div>\n");
}

/// of_more  nullptr for that of the findings.
void add_tree(std::string& html, const FindingsReport& report, const EfficiencyReport* of_more) {
  html += "<h3>Efficiency";
  if (report.focus == findings::Focus::kTime) {
    html += fmt::format(" from {:.6g} s to {:.6g} s", of_more ? of_more->begin_s : report.begin_s,
                        of_more ? of_more->end_s : report.end_s);
  }
  html += "</h3>\n<div class=\"scroll\"><table class=\"tree\">\n";
  for (const EfficiencyFactor& factor :
       efficiency_factors(of_more ? of_more->whole : report.efficiency)) {
    html += fmt::format(
        "<tr><td style=\"padding-left:{}px\">{}</td><td>{:.1f} %</td>"
        "<td><span class=\"bar\"><i style=\"width:{:.1f}%\"></i></span></td><td>{}</td></tr>\n",
        12 + 22 * factor.depth, factor.name, 100 * factor.value,
        100 * std::clamp(factor.value, 0.0, 1.0), factor.what);
  }
  html += "</table></div>\n";
}

}  // namespace

std::string findings_section(const FindingsReport& report, const EfficiencyReport* efficiency,
                             bool has_views) {
  std::string html =
      fmt::format("<h2>Findings</h2>\n<p class=\"muted\">{}</p>\n", sentence(focus_text(report)));
  bool said_low = false;
  for (size_t i = 0; i < report.findings.size(); ++i) {
    const FindingRow& row = report.findings[i];
    if (row.is_note) continue;  // It is a warning, too.
    if (row.confidence == "low" && !said_low) {
      html += "<h3>Less certain</h3>\n";
      said_low = true;
    }
    add_finding(html, report, i, has_views ? view_of(report, i) : 0);
  }
  html += fmt::format("<p>{}</p>\n", sentence(nothing_text(report)));
  for (const FindingGrowth& growth : report.growing) {
    if (growth.here_pct > 0) continue;
    html += fmt::format("<p>Will grow: {} {}</p>\n", base::html_escaped(growth.call_path),
                        base::html_escaped(growth_text(report, growth)));
  }
  for (const std::string& warning : report.warnings) {
    html += fmt::format("<p class=\"muted\">Note: {}.</p>\n",
                        base::html_escaped(base::printable(warning)));
  }
  add_tree(html, report, efficiency);
  return html;
}

}  // namespace pathline::app
