// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/findings.hpp"
#include "findings/judge.hpp"

namespace pathline::app {

/// The part of a run that `request` chooses, with what its calls depend on. Neither may move.
struct JudgedPart {
  comm::Dependencies all;
  findings::Focus focus = findings::Focus::kRun;
  findings::Window program{0, 0};
  findings::Window window{0, 0};
};

/// The time of a focus on a time.
/// errors  kInvalidArgument for one outside of the run.
base::Result<trace::Selection> select_focus(const trace::Trace& trace,
                                            const FindingsRequest& request);
/// Whether a selection leaves out some of the time of a run.
bool leaves_out_time(const trace::Trace& trace, const trace::Selection& selection);
/// The focus on the time of a selection; of one that leaves none out the focus stays.
void focus_on(const trace::Trace& trace, const trace::Selection& selection,
              FindingsRequest& request);

/// errors  kInvalidArgument for a focus outside of the run, kUnsupported for a run without MPI
/// calls.
base::Result<std::unique_ptr<JudgedPart>> judged_part(const trace::Trace& trace,
                                                      const std::string& input,
                                                      const FindingsRequest& request,
                                                      base::ThreadPool& pool);

/// part  must outlive the model.
findings::Model model_of(const trace::Trace& trace, const JudgedPart& part, base::ThreadPool& pool);

/// Names of the call paths of a model.
class PathNames {
 public:
  PathNames(const trace::Trace& trace, const std::vector<profile::CallPathNode>& call_paths);
  PathNames(const trace::Trace& trace, const findings::Model& model)
      : PathNames(trace, model.call_paths) {}
  /// "main->solve"; "" for findings::kNone.
  [[nodiscard]] std::string text(uint32_t path) const;
  [[nodiscard]] std::string text(const std::vector<trace::Region>& path) const;
  [[nodiscard]] const std::string& region(trace::Region region) const { return labels_[region]; }

 private:
  profile::Profile profile_;
  std::vector<std::string> labels_;
};

}  // namespace pathline::app
