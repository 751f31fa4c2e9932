// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <functional>
#include <string>

#include "app/findings.hpp"
#include "app/picture.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "trace/select.hpp"
#include "trace/trace.hpp"

namespace pathline::app {

/// Style and script of timeline_section(), for the page's own.
extern const char* const kTimelineStyle;
extern const char* const kTimelineScript;

using DrawScene = std::function<base::Result<layout::Scene>(const figure::Options&)>;

/// A picture of a report in its light and its dark version; "" where there is nothing to draw.
///
/// options      but for its theme
/// alternative  what it is, for who cannot see it
base::Result<std::string> picture_html(const DrawScene& scene_of, figure::Options options,
                                       const std::string& alternative, base::ThreadPool& pool);

/// The number of a finding's own picture in timeline_section(), from 1; 0 for one without: where it
/// is in all of the run, and for those behind the first few. Findings in one place share one.
size_t view_of(const FindingsReport& findings, size_t finding);

/// A timeline with the critical path and what the findings name.
///
/// findings  with FindingsReport::stretches
figure::Options marked_look(const FindingsReport& findings);

/// A timeline of all that a report is about, and behind it, to be chosen, the part of it that shows
/// each finding. "" where there is nothing to draw.
///
/// first     picture_html() of all, and what it is called.
/// trace     the events that were judged.
/// findings  as above
struct NamedPicture {
  std::string name;
  std::string html;
};
base::Result<std::string> timeline_section(const NamedPicture& first, const trace::Trace& trace,
                                           const FindingsReport& findings, base::ThreadPool& pool);

}  // namespace pathline::app
