// SPDX-License-Identifier: BSD-3-Clause
#include "app/report.hpp"

#include <regex>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/judged_part.hpp"
#include "app/picture.hpp"
#include "base/text.hpp"
#include "trace/test_trace.hpp"

namespace pathline::app {
namespace {

using testing::HasSubstr;
using testing::Not;
using trace::Region;
using trace::TestTrace;
using trace::Trace;

std::string report(const Trace& trace, const std::string& name = "run7",
                   const trace::Selection& selection = {}) {
  base::ThreadPool pool(2);
  const auto html = report_html({trace}, selection, name, {}, {}, pool);
  EXPECT_TRUE(html.ok()) << html.error().message;
  return html.ok() ? html.value() : std::string();
}

/// The page without what its tables sort by.
std::string without_values(const std::string& html) {
  return std::regex_replace(html, std::regex(" data-v=\"[^\"]*\""), "");
}

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

/// Bytes of RFC 4648 base64; empty if the text is none.
std::vector<uint8_t> from_base64(const std::string& text) {
  const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::vector<uint8_t> bytes;
  uint32_t bits = 0;
  int have = 0;
  for (const char c : text) {
    if (c == '=') break;
    const size_t digit = digits.find(c);
    if (digit == std::string::npos) return {};
    bits = bits << 6U | static_cast<uint32_t>(digit);
    have += 6;
    if (have >= 8) {
      have -= 8;
      bytes.push_back(static_cast<uint8_t>(bits >> static_cast<unsigned>(have)));
    }
  }
  return text.size() % 4 == 0 ? bytes : std::vector<uint8_t>();
}

/// Two ranks, one message; the region is called `name`.
Trace trace_with_region(const std::string& name) {
  TestTrace test(2);
  const Region main = test.region(name);
  test.on(0).enter(0, main).send(100, 1, 64).leave(1000, main);
  test.on(1).enter(0, main).recv(500, 0, 64).leave(500, main);
  return test.finish();
}

TEST(Report, EscapesEveryNameThatComesFromOutside) {
  Trace trace = trace_with_region("<script>alert(\"r\" & 'r')</script>");
  trace.creator = "<b>creator</b>";
  trace.format = "<i>format</i>";
  trace.warnings.push_back("file <img src=x> \x1b[31m");
  const std::string html = report(trace, "<u>name</u>\"");
  EXPECT_THAT(html,
              HasSubstr("&lt;script&gt;alert(&quot;r&quot; &amp; &#39;r&#39;)&lt;/script&gt;"));
  EXPECT_THAT(html, HasSubstr("&lt;b&gt;creator&lt;/b&gt;"));
  EXPECT_THAT(html, HasSubstr("&lt;i&gt;format&lt;/i&gt;"));
  EXPECT_THAT(html, HasSubstr("file &lt;img src=x&gt; "));
  EXPECT_THAT(html, HasSubstr("<title>&lt;u&gt;name&lt;/u&gt;&quot; - Pathline</title>"));
  for (const char* raw : {"<script>alert", "<b>", "<i>", "<u>", "src=x>", "\x1b"}) {
    EXPECT_THAT(html, Not(HasSubstr(raw)));
  }
}

TEST(Report, NeedsNothingFromOutsideItself) {
  const std::string html = report(trace_with_region("main"));
  for (const char* reference :
       {"http:", "https:", "url(", "@import", "<link", "<script ", "<iframe", "fetch("}) {
    EXPECT_THAT(html, Not(HasSubstr(reference)));
  }
  // Whatever is shown stands in the page.
  for (const char* attribute : {" src=\"", " srcset=\""}) {
    EXPECT_EQ(count(html, attribute),
              count(html, attribute + std::string("data:image/png;base64,")));
  }
}

TEST(Report, ClosesEveryElementItOpens) {
  Trace trace = trace_with_region("a<b");
  trace.warnings.push_back("one");
  const std::string html = report(trace);
  static const std::set<std::string> kEmpty = {"!doctype", "meta", "img", "source"};
  const std::regex tag("<(/?)([a-z0-9!]+)[^>]*>");
  std::vector<std::string> open;
  for (std::sregex_iterator
           i(html.begin(), html.begin() + static_cast<ptrdiff_t>(html.find("<picture")), tag),
       end;
       i != end; ++i) {
    const std::string name = (*i)[2];
    if (kEmpty.contains(name)) continue;
    if ((*i)[1].length() == 0) {
      open.push_back(name);
    } else {
      ASSERT_FALSE(open.empty()) << name;
      EXPECT_EQ(open.back(), name);
      open.pop_back();
    }
  }
  EXPECT_THAT(open, testing::ElementsAre("html", "body"));
  EXPECT_THAT(html, HasSubstr("</body>\n</html>\n"));
  EXPECT_EQ(count(html, "<picture>"), count(html, "</picture>"));
}

TEST(Report, HoldsTheFiguresAsTheyAreDrawnAlone) {
  const Trace trace = trace_with_region("main");
  const std::string html = report(trace);
  base::ThreadPool pool(1);
  size_t at = 0;
  // Timeline, then matrix; the dark picture stands first in the page.
  for (const auto& [kind, title] : {std::pair{FigureKind::kTimeline, "Timeline"},
                                    {FigureKind::kMatrix, "Communication matrix"}}) {
    for (const auto theme : {layout::ThemeName::kDark, layout::ThemeName::kLight}) {
      at = html.find("base64,", at);
      ASSERT_NE(at, std::string::npos);
      at += 7;
      const auto found = from_base64(html.substr(at, html.find('"', at) - at));
      figure::Options options;
      options.theme = theme;
      options.title = title;
      const auto scene = make_scene(kind, trace, {}, options, {}, pool);
      ASSERT_TRUE(scene.ok());
      const auto image = render::draw(scene.value(), pool);
      ASSERT_TRUE(image.ok());
      EXPECT_TRUE(found == render::encode_png(image.value()).value()) << title;
    }
  }
  EXPECT_EQ(html.find("base64,", at), std::string::npos);
}

TEST(Report, ListsTheProfileWithShares) {
  TestTrace test(2);
  const Region main = test.region("main");
  const Region work = test.region("work");
  test.on(0).enter(0, main).enter(100, work).leave(700, work).leave(700, main);
  test.on(1).enter(0, main).enter(100, work).leave(300, work).leave(300, main);
  const std::string sorted = report(test.finish());
  EXPECT_THAT(sorted, HasSubstr("<td data-v=\"8e-07\">800 ns</td><td data-v=\"80\">80.0 %</td>"));
  const std::string html = without_values(sorted);
  // Region, visits, exclusive, share, inclusive, minimum, maximum, its rank, imbalance: 600 / 400.
  EXPECT_THAT(
      html, HasSubstr("<tr><td>work</td><td>2</td><td>800 ns</td><td>80.0 %</td>"
                      "<td>800 ns</td><td>200 ns</td><td>600 ns</td><td>0</td><td>1.50</td></tr>"));
  EXPECT_THAT(
      html,
      HasSubstr("<tr><td>main</td><td>2</td><td>200 ns</td><td>20.0 %</td>"
                "<td>1.00 µs</td><td>100 ns</td><td>100 ns</td><td>0</td><td>1.00</td></tr>"));
}

TEST(Report, SaysHowManyRegionsItLeavesOut) {
  TestTrace test(1);
  for (uint64_t i = 0; i < 43; ++i) {
    const Region region = test.region("r" + std::to_string(i));
    test.on(0).enter(100 * i, region).leave(100 * i + 100, region);
  }
  const std::string html = report(test.finish());
  EXPECT_EQ(count(html, "<tr><td>"), 40U);
  EXPECT_THAT(html, HasSubstr("and 3 regions more with less time"));
}

TEST(Report, TakesTheSelection) {
  const Trace trace = trace_with_region("main");
  trace::Selection selection;
  selection.ranks = {false, true};
  const std::string html = without_values(report(trace, "run7", selection));
  EXPECT_THAT(html, HasSubstr("<tr><td>main</td><td>1</td><td>500 ns</td><td>100.0 %</td>"));
}

TEST(Report, OfMessagesAloneHasNoProfile) {
  Trace trace;
  trace.format = "CSV";
  trace.rank_count = 0;
  const std::string html = report(trace);
  EXPECT_THAT(html, Not(HasSubstr("<h2>Profile</h2>")));
  EXPECT_THAT(html, HasSubstr("written by an unknown recorder"));
  EXPECT_THAT(html, Not(HasSubstr("<h2>"))) << "no section without content";
}

TEST(Report, SaysWhatWasRunHowItEndedAndWhoWaits) {
  TestTrace test(4);
  const Region main = test.region("main");
  const Region barrier = test.region("MPI_Barrier");
  for (const uint32_t rank : {0, 1, 2, 3}) {
    const uint64_t until = rank == 2 ? 700 : 300;
    test.on(rank).enter(0, main).enter(until, barrier);
    test.on(rank).collective(until, 800, 0).leave(800, barrier).leave(1000, main);
  }
  const Trace trace = test.finish();
  base::ThreadPool pool(1);
  RunFacts facts{.command = "mpirun -n 4 ./app '<x>'",
                 .start_time = "2026-11-21T09:30:05.123Z",
                 .hosts = {"n1", "n2"},
                 .exit_status = 1,
                 .losses = {"rank 1 lost 7 events"}};
  const std::string html =
      without_values(report_html({trace}, {}, "run7", facts, {}, pool).value());
  EXPECT_THAT(html, HasSubstr("<code>mpirun -n 4 ./app &#39;&lt;x&gt;&#39;</code>"));
  EXPECT_THAT(html, HasSubstr("2026-11-21 09:30:05 UTC, on n1, n2"));
  EXPECT_THAT(html, HasSubstr("The command ended with status 1: the program failed."));
  EXPECT_THAT(html, HasSubstr("rank 1 lost 7 events"));
  EXPECT_THAT(html, HasSubstr("Rank 2 is not like the others"));
  EXPECT_THAT(html, HasSubstr("<td class=\"far\">900 ns</td>"));
  EXPECT_THAT(html, HasSubstr("Of 1.60 µs in MPI 1.20 µs are explained"));
  EXPECT_THAT(html,
              HasSubstr("<td>barrier</td><td>1.20 µs</td><td>3</td><td>0</td><td>400 ns</td>"));
  EXPECT_THAT(html, Not(HasSubstr("<h2>Communication matrix</h2>"))) << "no messages";
}

/// Two ranks; the last one works longer in "solve", three times.
Trace uneven_trace() {
  TestTrace test(2);
  const Region main = test.region("main");
  const Region solve = test.region("so<l>ve");
  const Region barrier = test.region("MPI_Barrier");
  for (const uint32_t rank : {0, 1}) {
    test.on(rank).enter(0, main);
    for (uint64_t i = 0; i < 3; ++i) {
      const uint64_t begin = 1000 * i;
      const uint64_t until = begin + (rank == 1 ? 900 : 300);
      test.on(rank).enter(begin, solve).leave(until, solve).enter(until, barrier);
      test.on(rank).collective(until, begin + 900, 0).leave(begin + 900, barrier);
    }
    test.on(rank).leave(3000, main);
  }
  return test.finish();
}

std::string report_with_findings(const Trace& trace, const FindingsReport& findings) {
  base::ThreadPool pool(1);
  return report_html({trace}, {}, "run7", {}, findings, pool).value();
}

TEST(Report, BeginsWithTheFindingsAndTheirNumbers) {
  const Trace trace = uneven_trace();
  base::ThreadPool pool(1);
  base::Progress progress;
  const auto findings = find_findings(trace, "my run", {}, pool, progress);
  ASSERT_TRUE(findings.ok()) << findings.error().message;
  ASSERT_FALSE(findings.value().findings.empty());
  const FindingRow& first = findings.value().findings.front();
  const std::string html = report_with_findings(trace, findings.value());
  EXPECT_LT(html.find("<h2>Findings</h2>"), html.find("<h2>Timeline</h2>"));
  EXPECT_LT(html.find("</dl>"), html.find("<h2>Findings</h2>"));
  // In each of three rounds 600 ns where the mean is 300 ns less: 900 of 3,000.
  EXPECT_THAT(html, HasSubstr("<span class=\"gain\">900 ns (30.0 %)</span>"));
  // A sentence begins with a capital.
  EXPECT_THAT(html, HasSubstr(base::html_escaped(first.text.substr(1)) + "."));
  EXPECT_THAT(html, HasSubstr("at main-&gt;so&lt;l&gt;ve"));
  EXPECT_THAT(html, HasSubstr(base::html_escaped(first.advice)));
  EXPECT_THAT(html, HasSubstr("confidence " + first.confidence));
  ASSERT_FALSE(first.show.empty());
  for (const std::string& command : first.show) {
    EXPECT_THAT(html, HasSubstr("<code>" + base::html_escaped(command) + "</code>"));
  }
  EXPECT_THAT(html, HasSubstr("Nothing else wrong above"));
  EXPECT_THAT(html, HasSubstr("not looked at: reading and writing of files"));
  // With 100 ns of main each: 400 ns and 1,000 ns, on average 700.
  EXPECT_THAT(html, HasSubstr(">load balance</td><td>70.0 %</td>"));
  EXPECT_THAT(html, Not(HasSubstr("<l>")));
}

TEST(Report, KeepsWhatIsLessCertainApart) {
  FindingsReport findings;
  findings.findings.resize(2);
  findings.findings[0] = {.kind = "slow_rank", .confidence = "high", .text = "rank 5 is slow"};
  findings.findings[1] = {.kind = "jitter", .confidence = "low", .text = "now this, now that"};
  findings.nothing_above_pct = 2;
  const std::string html = report_with_findings(uneven_trace(), findings);
  const size_t apart = html.find("<h3>Less certain</h3>");
  EXPECT_LT(html.find("Rank 5 is slow."), apart);
  EXPECT_GT(html.find("Now this, now that."), apart);
  EXPECT_NE(apart, std::string::npos);
  EXPECT_THAT(html, HasSubstr("slow rank, confidence high"));
  findings.findings.clear();
  const std::string nothing = report_with_findings(uneven_trace(), findings);
  EXPECT_THAT(nothing, HasSubstr("<p>Nothing wrong above 2 % of the time.</p>"));
  EXPECT_THAT(nothing, Not(HasSubstr("Less certain")));
}

TEST(Report, ShowsEachFindingInATimelineOfItsOwn) {
  const Trace trace = uneven_trace();
  base::ThreadPool pool(1);
  base::Progress progress;
  auto findings = find_findings(trace, "run", {.critical_path = true}, pool, progress);
  ASSERT_TRUE(findings.ok());
  FindingsReport& report = findings.value();
  ASSERT_FALSE(report.stretches.empty());
  ASSERT_EQ(report.findings.size(), 1U);
  FindingRow first = report.findings[0];
  EXPECT_GT(first.view.until_s, first.view.from_s);
  first.view = {.from_s = 0.5e-6, .until_s = 1.5e-6, .ranks = {1}};
  report.findings[0] = first;
  // In one place with the first, in all of the run, and elsewhere.
  report.findings.push_back(first);
  report.findings.push_back(first);
  report.findings.back().view = {.from_s = report.begin_s, .until_s = report.end_s, .ranks = {}};
  report.findings.push_back(first);
  report.findings.back().view.from_s = 0;
  const std::string html = report_with_findings(trace, report);
  // With it the whole.
  EXPECT_EQ(count(html, "<div class=\"view\""), 3U);
  EXPECT_EQ(count(html, "<div class=\"view\" hidden>"), 2U);
  EXPECT_EQ(count(html, "<button aria-pressed=\"true\">"), 1U);
  EXPECT_EQ(count(html, "<button aria-pressed=\"false\">1 " + first.kind), 1U);
  EXPECT_EQ(count(html, "<button aria-pressed=\"false\">4 " + first.kind), 1U);
  EXPECT_EQ(count(html, " data-view=\"1\""), 2U);
  EXPECT_EQ(count(html, " data-view=\"2\""), 1U);
  // A part of the run is shown as it was asked for.
  trace::Selection selection;
  selection.ranks = {false, true};
  const std::string part = report_html({trace}, selection, "run", {}, report, pool).value();
  EXPECT_THAT(part, Not(HasSubstr("class=\"view\"")));
  EXPECT_THAT(part, Not(HasSubstr("data-view=\"")));
}

TEST(Report, IsAboutTheTimeThatIsChosen) {
  const Trace trace = uneven_trace();
  base::ThreadPool pool(1);
  base::Progress progress;
  trace::Selection selection;
  selection.from_ticks = 1000;
  selection.until_ticks = 2000;
  FindingsRequest request{.critical_path = true};
  focus_on(trace, selection, request);
  auto findings = find_findings(trace, "run", request, pool, progress);
  ASSERT_TRUE(findings.ok());
  // The path is that of the time, too, from its end back.
  ASSERT_FALSE(findings.value().stretches.empty());
  EXPECT_EQ(findings.value().stretches.front().begin_ticks, 1000U);
  EXPECT_EQ(findings.value().stretches.back().end_ticks, 2000U);
  const std::string html =
      report_html({trace}, selection, "run", {}, findings.value(), pool).value();
  EXPECT_THAT(html, HasSubstr("from 1e-06 s to 2e-06 s. The figures at the top are of the whole "
                              "run.</p>"));
  EXPECT_THAT(html, HasSubstr("<p>Of this time "));
  EXPECT_THAT(html, HasSubstr("<h3>Efficiency from 1e-06 s to 2e-06 s</h3>"));
  selection.ranks = {true, false};
  const std::string one =
      report_html({trace}, selection, "run", {}, findings.value(), pool).value();
  EXPECT_THAT(one, HasSubstr("are of the whole run, findings of all ranks.</p>"));
}

TEST(Report, OfAllOfTheTimeIsOfTheRun) {
  const Trace trace = uneven_trace();
  trace::Selection selection;
  selection.from_ticks = trace.start_ticks;
  selection.until_ticks = trace.end_ticks + 1;
  FindingsRequest request;
  const auto focus = request.focus;
  focus_on(trace, selection, request);
  EXPECT_EQ(request.focus, focus);
  EXPECT_THAT(report(trace, "run", selection), Not(HasSubstr("This is about")));
}

TEST(Report, OfAPartHasTheFiguresOfTheWholeAtItsTop) {
  const Trace part = uneven_trace();
  comm::Summary whole;
  whole.messages = 12'345;
  base::ThreadPool pool(1);
  const auto html = report_html({.trace = part, .facts = &whole}, {}, "run", {}, {}, pool);
  EXPECT_THAT(html.value(), HasSubstr("<dt>messages</dt><dd>12,345</dd>"));
}

TEST(Report, HasNoFindingsOfARunThatCannotBeJudged) {
  EXPECT_THAT(report(uneven_trace()), Not(HasSubstr("Findings")));
}

}  // namespace
}  // namespace pathline::app
