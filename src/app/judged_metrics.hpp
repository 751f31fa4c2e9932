// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <string>
#include <string_view>

#include "base/progress.hpp"
#include "base/result.hpp"
#include "base/thread_pool.hpp"
#include "profile/metric_table.hpp"
#include "trace/trace.hpp"

namespace pathline::app {

/// Whether models can be made of this metric although no profile has it: it is concluded from a
/// run.
///
///   efficiency  factors of POP, from 0 to 1: "parallel", "load balance" ...
///   lost_time   seconds of a rank: "useful", and what is lost by imbalance, serialisation and
///               transfer; together the length of the run
///   findings    seconds to gain, "main->solve->slow_rank"
bool is_judged_metric(std::string_view name);

/// Values of such a metric as roots of call trees, with one location.
///
/// input   what the run was opened from
/// errors  those of find_findings()
base::Result<profile::MetricTable> judged_metric(const trace::Trace& trace,
                                                 const std::string& input, std::string_view name,
                                                 base::ThreadPool& pool, base::Progress& progress);

}  // namespace pathline::app
