// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "exchange/test_processes.hpp"
#include "otf2/reader.hpp"
#include "summary/reduce.hpp"

namespace pathline::summary {

/// For tests only.
///
/// known  files of local definitions that are not read again.
inline otf2::Archive opened(const std::filesystem::path& anchor,
                            const otf2::LocalFiles* known = nullptr) {
  base::ThreadPool pool(2);
  base::Progress progress;
  auto archive = otf2::open_archive(anchor, pool, progress, {}, known);
  EXPECT_TRUE(archive.ok()) << archive.error().message;
  return std::move(archive).value();
}

/// For tests only.
inline base::Result<RunSummary> in_windows(const std::filesystem::path& anchor,
                                           const WindowSize& size) {
  base::ThreadPool pool(2);
  base::Progress progress;
  auto archive = otf2::open_archive(anchor, pool, progress);
  if (!archive) return archive.error();
  exchange::Exchange alone;
  return reduce(std::move(archive).value(), size, pool, progress, alone);
}

/// For tests only. With the definitions of what a process owns.
///
/// opening  held meanwhile: outside of tests each process has an OTF2 library of its own.
inline base::Result<otf2::Archive> opened_by(const exchange::Exchange& exchange,
                                             const std::filesystem::path& anchor,
                                             base::ThreadPool& pool, std::mutex& opening) {
  const std::lock_guard lock(opening);
  base::Progress progress;
  const auto choose = [&](const trace::Trace& trace, const std::vector<uint64_t>& bytes) {
    return Share::owned(exchange, trace, bytes);
  };
  return otf2::open_archive(anchor, pool, progress, choose);
}

/// For tests only. By several processes, of which the first has the tables.
inline base::Result<RunSummary> in_processes(unsigned count, const std::filesystem::path& anchor,
                                             const WindowSize& size,
                                             const std::optional<Scratch>& scratch = {}) {
  base::Result<RunSummary> result = RunSummary{};
  std::vector<base::Status> outcomes(count);
  std::mutex opening;
  exchange::TestProcesses::run(count, [&](exchange::Exchange& exchange) {
    base::ThreadPool pool(1);
    base::Progress progress;
    auto archive = opened_by(exchange, anchor, pool, opening);
    const auto opened = exchange.agree(archive ? base::Status() : archive.error());
    const unsigned rank = exchange.rank();
    auto mine = opened ? reduce(std::move(archive).value(), size, pool, progress, exchange, scratch)
                       : base::Result<RunSummary>(opened.error());
    if (!mine) outcomes[rank] = mine.error();
    if (rank == 0) result = std::move(mine);
  });
  for (const base::Status& outcome : outcomes) {
    EXPECT_EQ(outcome.ok(), outcomes[0].ok());
    if (outcome || outcomes[0]) continue;
    EXPECT_EQ(outcome.error().message, outcomes[0].error().message);
  }
  return result;
}

}  // namespace pathline::summary
