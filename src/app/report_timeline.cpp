// SPDX-License-Identifier: BSD-3-Clause
#include "app/report_timeline.hpp"

#include <algorithm>
#include <memory>
#include <vector>

#include <fmt/format.h>

#include "base/text.hpp"

namespace pathline::app {

const char* const kTimelineStyle = R"(
.views { display: flex; flex-wrap: wrap; gap: 6px; margin: 0 0 10px; }
button { font: inherit; font-size: 13px; color: var(--fg); background: var(--bg); cursor: pointer;
         border: 1px solid var(--line); border-radius: 6px; padding: 2px 10px; }
button[aria-pressed=true] { border-color: var(--far); color: var(--far); font-weight: 600; }
.finding.shown { background: color-mix(in srgb, var(--far) 7%, transparent); }
.finding[data-view] { cursor: pointer; } .finding[data-view] code { cursor: text; }
)";

// A click on a finding shows its part of the timeline; one on the part's name, too.
const char* const kTimelineScript = R"(
const views = [...document.querySelectorAll('.view')];
const show = (number, finding) => {
  views.forEach((view, i) => { view.hidden = i !== number; });
  document.querySelectorAll('.views button').forEach((button, i) =>
    button.setAttribute('aria-pressed', i === number));
  document.querySelectorAll('.finding').forEach(other =>
    other.classList.toggle('shown', number > 0 && (finding ? other === finding
                                                           : Number(other.dataset.view) === number)));
};
document.querySelectorAll('.views button').forEach((button, i) =>
  button.addEventListener('click', () => show(i)));
for (const finding of document.querySelectorAll('.finding[data-view]')) {
  finding.addEventListener('click', event => {
    if (event.target.closest('code') || String(getSelection())) return;
    show(Number(finding.dataset.view), finding);
    document.querySelector('.views').scrollIntoView({ block: 'start' });
  });
}
)";

namespace {

constexpr size_t kMostViews = 4;

bool is_whole(const FindingsReport& findings, const FindingRow& row) {
  return row.view.ranks.empty() &&
         row.view.until_s - row.view.from_s > 0.9 * (findings.end_s - findings.begin_s);
}

bool is_same(const FindingView& a, const FindingView& b) {
  return a.from_s == b.from_s && a.until_s == b.until_s && a.ranks == b.ranks;
}

/// The first finding of each picture.
std::vector<size_t> views_of(const FindingsReport& findings) {
  std::vector<size_t> views;
  for (size_t i = 0; i < findings.findings.size() && views.size() < kMostViews; ++i) {
    const FindingRow& row = findings.findings[i];
    const bool is_there = std::any_of(views.begin(), views.end(), [&](size_t other) {
      return is_same(findings.findings[other].view, row.view);
    });
    if (!is_there && row.view.until_s > row.view.from_s && !is_whole(findings, row)) {
      views.push_back(i);
    }
  }
  return views;
}

/// "1 slow_rank": as the picture has it.
std::string name_of(const FindingsReport& findings, size_t finding) {
  return fmt::format("{} {}", finding + 1, findings.findings[finding].kind);
}

}  // namespace

base::Result<std::string> picture_html(const DrawScene& scene_of, figure::Options options,
                                       const std::string& alternative, base::ThreadPool& pool) {
  std::string urls[2];
  for (const auto theme : {layout::ThemeName::kLight, layout::ThemeName::kDark}) {
    options.theme = theme;
    auto scene = scene_of(options);
    if (!scene) return std::string();
    const auto image = render::draw(scene.value(), pool);
    if (!image) return image.error();
    const auto png = render::encode_png(image.value());
    if (!png) return png.error();
    urls[theme == layout::ThemeName::kDark ? 1 : 0] =
        "data:image/png;base64," + base::base64(png.value());
  }
  return fmt::format(
      "<picture><source media=\"(prefers-color-scheme: dark)\" srcset=\"{}\">"
      "<img src=\"{}\" alt=\"{}\"></picture>\n",
      urls[1], urls[0], base::html_escaped(alternative));
}

size_t view_of(const FindingsReport& findings, size_t finding) {
  const std::vector<size_t> views = views_of(findings);
  const auto view = std::find_if(views.begin(), views.end(), [&](size_t first) {
    return is_same(findings.findings[first].view, findings.findings[finding].view);
  });
  return view == views.end() ? 0 : static_cast<size_t>(view - views.begin()) + 1;
}

figure::Options marked_look(const FindingsReport& findings) {
  figure::Options look;
  look.critical = std::make_shared<const figure::CriticalPath>(findings.stretches);
  look.causes = std::make_shared<const figure::Causes>(causes_of(findings));
  return look;
}

base::Result<std::string> timeline_section(const NamedPicture& first, const trace::Trace& trace,
                                           const FindingsReport& findings, base::ThreadPool& pool) {
  if (first.html.empty()) return std::string();
  figure::Options options = marked_look(findings);
  std::string buttons = fmt::format("<button aria-pressed=\"true\">{}</button>\n", first.name);
  std::string pictures = "<div class=\"view\">" + first.html + "</div>\n";
  for (const size_t finding : views_of(findings)) {
    const FindingView& view = findings.findings[finding].view;
    const std::string ranks = ranges_text(view.ranks);
    const auto selection =
        trace::select(trace, {.from_s = view.from_s, .until_s = view.until_s, .ranks = ranks});
    options.title = fmt::format("Timeline of finding {}", name_of(findings, finding));
    std::string picture;
    if (selection) {
      const auto scene_of = [&](const figure::Options& look) {
        return make_scene(FigureKind::kTimeline, trace, selection.value(), look, {}, pool);
      };
      auto drawn = picture_html(scene_of, options, options.title, pool);
      if (!drawn) return drawn.error();
      picture = std::move(drawn).value();
    }
    buttons += fmt::format("<button aria-pressed=\"false\">{}</button>\n",
                           base::html_escaped(name_of(findings, finding)));
    pictures += "<div class=\"view\" hidden>" + picture + "</div>\n";
  }
  const bool has_choice = buttons.find("false") != std::string::npos;
  return fmt::format("<h2>Timeline</h2>\n{}{}",
                     has_choice ? "<div class=\"views\">\n" + buttons + "</div>\n" : "", pictures);
}

}  // namespace pathline::app
