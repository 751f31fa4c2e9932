// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <iostream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "findings/planted_program.hpp"
#include "findings/program_count.hpp"

namespace pathline::findings {
namespace {

std::string joined(const std::vector<uint32_t>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ","));
}

constexpr std::array kPlanted = {
    FindingKind::kSerialSection,     FindingKind::kSerialIo,        FindingKind::kLateRoot,
    FindingKind::kBottleneckRank,    FindingKind::kSerialisedChain, FindingKind::kGrowingImbalance,
    FindingKind::kSlowRank,          FindingKind::kImbalance,       FindingKind::kJitter,
    FindingKind::kWrongOrder,        FindingKind::kTinyMessages,    FindingKind::kLockContention,
    FindingKind::kLatePostOfReceive, FindingKind::kNeedlessBarrier, FindingKind::kLatePost,
    FindingKind::kFenceCost,         FindingKind::kTransfer,        FindingKind::kCollectiveCost,
    FindingKind::kOmpImbalance,      FindingKind::kOmpSerial};

/// Those that can be small and still are what they are.
constexpr std::array kSmall = {
    FindingKind::kSerialSection,   FindingKind::kSerialIo,         FindingKind::kLateRoot,
    FindingKind::kSerialisedChain, FindingKind::kGrowingImbalance, FindingKind::kSlowRank,
    FindingKind::kImbalance,       FindingKind::kJitter,           FindingKind::kWrongOrder,
    FindingKind::kTinyMessages,    FindingKind::kLockContention,   FindingKind::kLatePostOfReceive,
    FindingKind::kNeedlessBarrier, FindingKind::kLatePost,         FindingKind::kFenceCost};

struct Count {
  uint32_t right = 0;    // The first finding names kind, ranks and call path.
  uint32_t claimed = 0;  // First findings of this kind, whatever was planted.
  uint32_t near = 0;     // Of the right ones: seconds within a tenth.
};

double share(uint32_t part, uint32_t whole) {
  return static_cast<double>(part) / std::max(1U, whole);
}

/// PATHLINE_RANDOM_PROGRAMS=1000 takes a minute, and PATHLINE_TELL=1 prints the table and what was
/// missed.
bool tells() { return std::getenv("PATHLINE_TELL") != nullptr; }

std::string first_of(const Verdict& verdict) {
  if (verdict.judged.findings.empty()) return "nothing";
  const Finding& first = verdict.judged.findings[0];
  return fmt::format("{} of [{}] in {}, {:.0f} ticks", finding_name(first.kind),
                     joined(first.ranks), verdict.region(first), first.recoverable_ticks);
}

/// Whether the first finding is the fault.
bool finds(const Verdict& verdict, const PlantedProgram& program, FindingKind kind) {
  if (verdict.judged.findings.empty()) return false;
  const Finding& first = verdict.judged.findings[0];
  const auto& regions = program.regions();
  return first.kind == kind && first.ranks == program.ranks() &&
         std::find(regions.begin(), regions.end(), verdict.region(first)) != regions.end();
}

TEST(PlantedPrograms, AreFoundWithRanksPathAndSeconds) {
  const uint32_t count = program_count(20);
  std::array<Count, kFindingKindCount> counts{};
  for (const FindingKind kind : kPlanted) {
    Count& of_kind = counts[static_cast<size_t>(kind)];
    for (uint32_t seed = 0; seed < count; ++seed) {
      const PlantedProgram program(static_cast<size_t>(kind), seed);
      const Verdict verdict(program.trace());
      const auto& found = verdict.judged.findings;
      if (!found.empty()) ++counts[static_cast<size_t>(found[0].kind)].claimed;
      const double cost = program.cost();
      const bool right = finds(verdict, program, kind);
      const bool near = right && std::abs(found[0].recoverable_ticks - cost) <= 0.1 * cost;
      of_kind.right += right ? 1 : 0;
      of_kind.near += near ? 1 : 0;
      if (near || !tells()) continue;
      std::cout << fmt::format("seed {}: {}, planted {} of [{}], {:.0f} ticks: {}\n", seed,
                               first_of(verdict), finding_name(kind), joined(program.ranks()), cost,
                               program.text());
    }
  }
  for (const FindingKind kind : kPlanted) {
    const Count& of_kind = counts[static_cast<size_t>(kind)];
    EXPECT_GE(share(of_kind.right, count), 0.95) << finding_name(kind);
    EXPECT_GE(share(of_kind.right, of_kind.claimed), 0.95) << finding_name(kind);
    EXPECT_GE(share(of_kind.near, of_kind.right), 0.95) << finding_name(kind);
    if (!tells()) continue;
    std::cout << fmt::format("{:18} recall {:.3f} precision {:.3f} seconds {:.3f}\n",
                             finding_name(kind), share(of_kind.right, count),
                             share(of_kind.right, of_kind.claimed),
                             share(of_kind.near, of_kind.right));
  }
}

TEST(PlantedPrograms, AreFoundWhereFaultsAreSmall) {
  constexpr double kSizes[] = {0.02, 0.03, 0.05, 0.1, 1};  // Of the time: from one to the next.
  constexpr size_t kSizeCount = std::size(kSizes) - 1;
  const uint32_t count = program_count(10);
  for (const FindingKind kind : kSmall) {
    std::array<Count, kSizeCount> counts{};
    std::array<uint32_t, kSizeCount> planted{};
    for (uint32_t seed = 0; seed < count; ++seed) {
      const PlantedProgram program(static_cast<size_t>(kind), seed, true);
      const Verdict verdict(program.trace());
      const double cost = program.cost();
      const double part = cost / static_cast<double>(verdict.judged.model->window.ticks());
      size_t size = 0;
      while (size < kSizeCount && part >= kSizes[size + 1]) ++size;
      if (part < kSizes[0]) continue;
      ++planted[size];
      const bool right = finds(verdict, program, kind);
      counts[size].right += right ? 1 : 0;
      const auto& found = verdict.judged.findings;
      counts[size].near +=
          right && std::abs(found[0].recoverable_ticks - cost) <= 0.1 * cost ? 1 : 0;
      if (right || !tells()) continue;
      std::cout << fmt::format("seed {}: {}, planted {} of [{}], {:.0f} ticks, {:.3f}: {}\n", seed,
                               first_of(verdict), finding_name(kind), joined(program.ranks()), cost,
                               part, program.text());
    }
    if (tells()) std::cout << fmt::format("{:20}", finding_name(kind));
    for (size_t i = 0; i < kSizeCount && tells(); ++i) {
      std::cout << fmt::format("  {:.0f}-{:.0f} %: {}/{}, near {}", 100 * kSizes[i],
                               100 * kSizes[i + 1], counts[i].right, planted[i], counts[i].near);
    }
    if (tells()) std::cout << '\n';
    // In smaller ones noise may hide whose fault it is, and nobody waits for locks long enough.
    const uint32_t right = counts[2].right + counts[3].right;
    EXPECT_GE(right, 0.95 * (planted[2] + planted[3])) << finding_name(kind);
  }
}

TEST(PlantedPrograms, WithoutAFaultHaveNoFinding) {
  const uint32_t count = program_count(100);
  uint32_t with_findings = 0;
  for (uint32_t seed = 0; seed < count; ++seed) {
    const PlantedProgram program(kFindingKindCount, seed);
    const Verdict verdict(program.trace());
    const auto& found = verdict.judged.findings;
    if (found.empty() || found[0].confidence == Confidence::kLow) continue;  // Low ones are last.
    ++with_findings;
    if (!tells()) continue;
    std::cout << fmt::format("seed {}: {}, nothing planted: {}\n", seed, first_of(verdict),
                             program.text());
  }
  EXPECT_LE(share(with_findings, count), 0.01);
  if (tells()) std::cout << "clean: " << with_findings << " of " << count << '\n';
}

}  // namespace
}  // namespace pathline::findings
