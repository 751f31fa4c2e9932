// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>

#include "base/thread_pool.hpp"
#include "exchange/exchange.hpp"
#include "otf2/reader.hpp"
#include "summary/growing_states.hpp"

namespace pathline::summary {

/// What the codes of a run will take, judged by those of the begins of some files, which are the
/// same for any windows, threads and processes. Collective, as the functions of Exchange.
///
/// archive  whose events are read there by who owns them (Share::owned()), and forgotten.
/// returns  nothing for a run that is so small that its codes fit into the budget anyhow.
/// cost     some tens of milliseconds.
CodeBytes sampled_code_bytes(otf2::Archive& archive, uint64_t budget_bytes, base::ThreadPool& pool,
                             exchange::Exchange& exchange);

}  // namespace pathline::summary
