// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/thread_pool.hpp"
#include "bundle/bundling.hpp"
#include "comm/matrix.hpp"
#include "comm/process_order.hpp"
#include "figure/timeline/cause.hpp"
#include "figure/timeline/critical_path.hpp"
#include "figure/timeline/step_marks.hpp"
#include "figure/timeline/trim.hpp"
#include "findings/efficiency.hpp"
#include "layout/scene.hpp"
#include "layout/theme.hpp"
#include "profile/profile.hpp"
#include "steps/table.hpp"
#include "trace/call_source.hpp"
#include "trace/select.hpp"
#include "trace/trace.hpp"

namespace pathline::figure {

enum class Metric : uint8_t { kMessages, kBytes, kTime, kBandwidth };

/// How a timeline shows messages.
enum class MessageMode : uint8_t {
  kAuto,   ///< As lines where they can be followed or there is nothing below them; else the strip.
  kLines,  ///< Between the rows, straight or bundled.
  kStrip,  ///< As numbers over time below the rows.
  kNone
};

/// Column and row of a pixel of a picture with a scale of 1, from its upper left corner.
struct Pixel {
  uint32_t x = 0;
  uint32_t y = 0;
};

struct Options {
  double width_px = 1280;
  double height_px = 720;
  double scale = 1;  ///< Pixels of the finished picture for one of width and height.
  layout::ThemeName theme = layout::ThemeName::kLight;
  /// Of message lines; see layout::message_gradient. "auto" is ink-pink over regions.
  std::string palette = "auto";
  std::optional<double> opacity;  ///< Of the lightest message line; absent: automatic.
  layout::Blend blend = layout::Blend::kAlpha;
  bundle::BundleOptions bundling;             ///< Of message lines in a timeline.
  MessageMode messages = MessageMode::kAuto;  ///< Of a timeline.
  bool trim = true;          ///< Leaves MPI_Init and MPI_Finalize out of a timeline (trim_of()).
  double axis_s = 0;         ///< Timeline: so much time has room at least, from where it begins.
  double least_name_px = 0;  ///< Timeline: room for the names of rows.
  bool bursts = false;       ///< One mark per sender and burst of messages instead of lines.
  std::shared_ptr<const CriticalPath> critical;  ///< Timeline: drawn over the rows; none if empty.
  std::shared_ptr<const Causes> causes;          ///< Timeline: outlined and named.
  /// Timeline: tells of the calls instead of the events, as of a summary.
  std::shared_ptr<const trace::CallSource> calls;
  std::optional<Pixel> pick;               ///< Timeline: which messages are behind this pixel.
  Metric metric = Metric::kBytes;          ///< Of pictures of pairs.
  Metric line_weight = Metric::kMessages;  ///< What message lines of a timeline add up.
  comm::Order order = comm::Order::kRank;  ///< Of the processes.
  bool linear_width = false;               ///< Of the bands of flow(): in proportion to values.
  std::optional<double> beta;  ///< Strength of bundles, 0 to 1; absent: what suits the figure.
  std::string title;           ///< Usually the name of the run.
};

/// What became of the messages of a timeline, and of its ends.
struct TimelineReport {
  MessageMode mode = MessageMode::kNone;
  Trim trim;
  double axis_s = 0;             ///< How much time has room.
  double name_px = 0;            ///< Room for the names of rows.
  double lines_window_s = 0;     ///< Lines appear where this much time is shown, or less.
  bundle::Bundled bundled;       ///< Of MessageMode::kLines.
  std::vector<uint32_t> picked;  ///< Messages behind the pixel options.pick.
};

/// Regions by location and time, with the messages as lines or bundles from send to receive, or as
/// a strip below the rows where lines would be too close to be followed. Calls that share a column
/// of pixels are stacked in it, each as tall as its share of the time, the first of the legend at
/// the bottom; rows too thin for that show the mean of their colours; where calls change faster
/// than pixels can show, shares are means over the neighbourhood (timeline/smoothing.hpp). Message
/// lines add up, so that density can be read. Locations that recorded no calls have no row. Below
/// the rows a lane has the time steps. The critical path is drawn over rows and messages, and
/// what others wait for is outlined.
///
/// errors  kInvalidArgument for an unknown palette, lines weighed by bandwidth, which has no sum,
///         and a picture too small for its axes.
/// cost    O(events + messages + pixels), parallel over rows.
base::Result<layout::Scene> timeline(const trace::Trace& trace, const trace::Selection& selection,
                                     const Options& options, const StepMarks& steps,
                                     base::ThreadPool& pool, TimelineReport* report = nullptr);

/// The communication matrix as a heat map, senders downwards, receivers to the right, both in the
/// order asked for, with rules between the blocks of that order when there are 2 to 64. Colours are
/// on a linear scale from 0, on a logarithmic one when the largest value is more than 20 times the
/// smallest. With more ranks than pixels neighbours in the order share a cell: messages and bytes
/// are summed, times are means over messages.
///
/// errors  kInvalidArgument for a picture too small.
base::Result<layout::Scene> matrix(const trace::Trace& trace, const trace::Selection& selection,
                                   const comm::Matrix& matrix, const Options& options);

/// Processes on a circle in the order asked for, and what they send to each other as curves inside,
/// bundled along the blocks of the order or else a balanced tree (Holten 2006; layout/chord.hpp),
/// with `beta` 0.85 unless said otherwise. Values as for flow().
///
/// errors  as flow(); kInvalidArgument also for an unknown palette.
/// cost    O(pairs x log ranks) and what render/raster.hpp says.
base::Result<layout::Scene> chord(const trace::Trace& trace, const trace::Selection& selection,
                                  const comm::Matrix& matrix, const Options& options);

/// The sender/receiver diagram (Brendel et al., VPA 2016): senders on the left, receivers on the
/// right, and what groups of processes send to each other as bands along a grid between them; see
/// layout/flow.hpp. Colours tell the group that sends. Values are added up, so time is that of all
/// messages together; negative ones, of clocks that disagree, count as 0.
///
/// errors  kInvalidArgument for the metric bandwidth, which has no sum, for a picture too small,
///         and without ranks.
/// cost    as layout::flow() and render/ribbons.hpp.
base::Result<layout::Scene> flow(const trace::Trace& trace, const trace::Selection& selection,
                                 const comm::Matrix& matrix, const Options& options);

/// The regions with most exclusive time: mean over ranks as a bar in the region's colour, smallest
/// and largest rank as a line across its end.
///
/// profile  of the selection.
/// whole    of the run, which the colours follow from (RegionColors); the same if that is selected.
base::Result<layout::Scene> profile(const trace::Trace& trace, const trace::Selection& selection,
                                    const profile::Profile& profile, const profile::Profile& whole,
                                    const Options& options);

/// What the rows of a table of steps are called.
struct StepsText {
  std::string word = "time step";  ///< One of them.
  std::string axis = "time step";  ///< What their numbers stand for.
  std::string title = "Time steps";
  std::string remark;  ///< Behind the subtitle, for what is only a guess.
};

/// Above, the time per step: a band from the fastest to the slowest rank, the median, and the
/// median time in MPI. Below, steps to the right and ranks downwards, coloured by the share of the
/// step that the rank spent in MPI: the rank that others wait for is the one that stands out light
/// (dark in the dark theme). With more steps or ranks than pixels neighbours share a cell.
///
/// errors  kInvalidArgument for a table without rows, and a picture too small.
base::Result<layout::Scene> steps(const trace::Trace& trace, const trace::Selection& selection,
                                  const steps::Table& table, const StepsText& text,
                                  const Options& options);

/// Load balance and communication efficiency of each time step as lines, their product as an area
/// below, and those of the whole as dashed lines. With more steps than pixels neighbours share a
/// column and are averaged by their length.
///
/// seconds  that `efficiency` is of.
/// errors   kInvalidArgument without steps, and for a picture too small.
base::Result<layout::Scene> efficiency(const findings::Efficiency& efficiency, double seconds,
                                       const Options& options);

/// The order that `options` asks for, scored by what they show: messages, or else bytes.
comm::ProcessOrder process_order(const trace::Trace& trace, const trace::Selection& selection,
                                 const comm::Matrix& matrix, const Options& options);

/// "spectral order (Fiedler vector), mean distance 3.2 ranks; 41 in rank order"
std::string order_text(const comm::ProcessOrder& order);

/// "8 ranks", or "3 of 8 ranks" when the selection leaves some out.
std::string ranks_text(const trace::Trace& trace, const trace::Selection& selection);

}  // namespace pathline::figure
