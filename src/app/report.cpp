// SPDX-License-Identifier: BSD-3-Clause
#include "app/report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "app/picture.hpp"
#include "base/text.hpp"
#include "comm/summary.hpp"
#include "profile/profile.hpp"

namespace pathline::app {
namespace {

constexpr const char* kStyle = R"(
:root { color-scheme: light dark; --fg: #1b1f24; --muted: #57606a; --bg: #ffffff; --line: #d0d7de;
        --warn: #fff4d6; }
@media (prefers-color-scheme: dark) {
  :root { --fg: #e6edf3; --muted: #9da7b1; --bg: #14171b; --line: #3a4149; --warn: #3d3213; } }
body { font: 15px/1.5 system-ui, "DejaVu Sans", sans-serif; color: var(--fg);
       background: var(--bg); max-width: 1280px; margin: 0 auto; padding: 24px; }
h1 { font-size: 26px; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 19px; margin: 36px 0 10px; }
p { margin: 0 0 10px; } .muted { color: var(--muted); }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(170px, 1fr)); gap: 14px 24px; }
dt { color: var(--muted); font-size: 13px; } dd { margin: 0; font-size: 18px; }
.warn { background: var(--warn); border-radius: 6px; padding: 10px 16px 10px 32px;
        margin: 0 0 10px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { padding: 4px 12px; text-align: right; border-bottom: 1px solid var(--line);
         white-space: nowrap; }
th { color: var(--muted); font-weight: 600; font-size: 13px; }
th:first-child, td:first-child { text-align: left; white-space: normal; overflow-wrap: anywhere;
                                 min-width: 16em; }
img { width: 100%; height: auto; display: block; }
footer { margin-top: 40px; color: var(--muted); font-size: 13px; }
)";

class Report {
 public:
  Report(const trace::Trace& trace, const trace::Selection& selection, base::ThreadPool& pool)
      : trace_(trace), selection_(selection), pool_(pool) {}

  base::Result<std::string> make(const std::string& name) {
    const std::string title = base::html_escaped(base::printable(name));
    add("<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<title>{} - Pathline</title>\n<style>{}</style>\n</head>\n<body>\n",
        title, kStyle);
    add("<h1>{}</h1>\n<p class=\"muted\">{}, written by {}</p>\n", title,
        base::html_escaped(trace_.format),
        trace_.creator.empty() ? "an unknown recorder"
                               : base::html_escaped(base::printable(trace_.creator)));
    if (!selection_.everything()) {
      add("<p class=\"warn\">{}</p>\n", base::html_escaped(selection_text()));
    }
    facts();
    warnings();
    const bool has_calls = !trace_.locations.empty();
    if (auto status = picture("Timeline", FigureKind::kTimeline, "Calls and messages over time");
        !status) {
      return status.error();
    }
    if (has_calls) profile();
    if (auto status =
            picture("Communication matrix", FigureKind::kMatrix, "Bytes by sender and receiver");
        !status) {
      return status.error();
    }
    if (marked_steps_ > 0) {
      const char* alternative = "Time of each step, and the share of MPI in it by rank";
      if (auto status = picture("Time steps", FigureKind::kSteps, alternative); !status) {
        return status.error();
      }
    }
    add("<footer>Made with Pathline {}.</footer>\n</body>\n</html>\n", PATHLINE_VERSION);
    return std::move(html_);
  }

 private:
  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(html_), format, std::forward<Arguments>(arguments)...);
  }

  void fact(const char* name, const std::string& value) {
    add("<div><dt>{}</dt><dd>{}</dd></div>\n", name, base::html_escaped(value));
  }

  std::string selection_text() const {
    const double from = trace_.seconds(std::max(selection_.from_ticks, trace_.start_ticks));
    const double until = trace_.seconds(std::min(selection_.until_ticks, trace_.end_ticks));
    return fmt::format(
        "Profile and pictures show {} from {:g} s to {:g} s. "
        "The figures at the top are of the whole run.",
        figure::ranks_text(trace_, selection_), from, until);
  }

  void facts() {
    const comm::Summary summary = comm::summarise(trace_);
    add("<dl>\n");
    fact("duration", base::human_seconds(trace_.duration_seconds()));
    fact("ranks", base::human_count(trace_.rank_count));
    fact("threads", base::human_count(summary.cpu_threads));
    fact("hosts", base::human_count(summary.hosts));
    fact("events", base::human_count(summary.events));
    fact("regions visited", base::human_count(summary.regions_visited));
    fact("messages", base::human_count(trace_.messages.size()));
    fact("sent", base::human_bytes(static_cast<double>(summary.message_bytes)));
    fact("collective operations", base::human_count(trace_.collectives.size()));
    if (summary.io_operations > 0) {
      fact("read", base::human_bytes(static_cast<double>(summary.io_bytes_read)));
      fact("written", base::human_bytes(static_cast<double>(summary.io_bytes_written)));
    }
    marked_steps_ = summary.marked_steps;
    if (summary.marked_steps > 0) fact("time steps", base::human_count(summary.marked_steps));
    add("</dl>\n");
  }

  void warnings() {
    if (trace_.warnings.empty()) return;
    add("<h2>Warnings</h2>\n<ul class=\"warn\">\n");
    for (const std::string& warning : trace_.warnings) {
      add("<li>{}</li>\n", base::html_escaped(base::printable(warning)));
    }
    add("</ul>\n");
  }

  void profile() {
    constexpr size_t kMostRows = 40;
    const profile::Profile profile = profile::from_trace(trace_, selection_, pool_);
    const auto rows = profile::by_region(trace_, selection_, profile);
    const auto labels = profile::region_labels(trace_, profile);
    double total = 0;
    for (const auto& row : rows) total += static_cast<double>(row.exclusive_ticks);
    add("<h2>Profile</h2>\n<p class=\"muted\">Times are sums over all threads and streams of the "
        "ranks; minimum and maximum are those of one rank; imbalance is the maximum over the "
        "mean.</p>\n<div class=\"scroll\">"
        "<table>\n<tr><th>region</th><th>visits</th><th>exclusive</th><th>share</th>"
        "<th>inclusive</th><th>min</th><th>max</th><th>imbalance</th></tr>\n");
    for (size_t i = 0; i < std::min(rows.size(), kMostRows); ++i) {
      const auto& row = rows[i];
      const auto time = [&](uint64_t ticks) {
        return base::human_seconds(trace_.span_seconds(ticks));
      };
      add("<tr><td>{}</td><td>{}</td><td>{}</td><td>{:.1f} %</td><td>{}</td><td>{}</td><td>{}</td>"
          "<td>{}</td></tr>\n",
          base::html_escaped(labels[row.region]), base::human_count(row.visits),
          time(row.exclusive_ticks),
          total > 0 ? 100 * static_cast<double>(row.exclusive_ticks) / total : 0,
          time(row.inclusive_ticks), time(row.exclusive_min_ticks), time(row.exclusive_max_ticks),
          row.imbalance > 0 ? fmt::format("{:.2f}", row.imbalance) : "");
    }
    add("</table></div>\n");
    if (rows.size() > kMostRows) {
      add("<p class=\"muted\">and {} regions more with less time</p>\n", rows.size() - kMostRows);
    }
  }

  base::Status picture(const char* title, FigureKind kind, const char* alternative) {
    std::string urls[2];
    for (const auto theme : {layout::ThemeName::kLight, layout::ThemeName::kDark}) {
      figure::Options options;
      options.theme = theme;
      options.title = title;
      auto scene = make_scene(kind, trace_, selection_, options, {}, pool_);
      if (!scene) {
        add("<h2>{}</h2>\n<p class=\"muted\">{}</p>\n", title,
            base::html_escaped(scene.error().message));
        return {};
      }
      const auto image = render::draw(scene.value(), pool_);
      if (!image) return image.error();
      const auto png = render::encode_png(image.value());
      if (!png) return png.error();
      urls[theme == layout::ThemeName::kDark ? 1 : 0] =
          "data:image/png;base64," + base::base64(png.value());
    }
    add("<h2>{}</h2>\n<picture><source media=\"(prefers-color-scheme: dark)\" srcset=\"{}\">"
        "<img src=\"{}\" alt=\"{}\"></picture>\n",
        title, urls[1], urls[0], alternative);
    return {};
  }

  const trace::Trace& trace_;
  const trace::Selection& selection_;
  base::ThreadPool& pool_;
  uint64_t marked_steps_ = 0;
  std::string html_;
};

}  // namespace

base::Result<std::string> report_html(const trace::Trace& trace, const trace::Selection& selection,
                                      const std::string& name, base::ThreadPool& pool) {
  return Report(trace, selection, pool).make(name);
}

}  // namespace pathline::app
