// SPDX-License-Identifier: BSD-3-Clause
#include "figure/region_colors.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <span>
#include <string>

namespace pathline::figure {
namespace {

using layout::Color;
using layout::RegionShades;

/// Regions that choose their colours before all others: no picture names more.
constexpr size_t kMainRegions = 11;

/// FNV-1a.
size_t hash_of(std::string_view name) {
  uint64_t hash = 14695981039346656037U;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return static_cast<size_t>(hash ^ hash >> 32);
}

/// "MPI_File_write_all" as "file_write_all", "mpi_isend_" of Fortran as "isend".
std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char c : name) plain += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  for (const std::string_view prefix : {"pmpi_", "mpi_"}) {
    if (plain.starts_with(prefix)) plain.erase(0, prefix.size());
  }
  while (plain.ends_with('_')) plain.pop_back();
  return plain;
}

bool starts_with_any(std::string_view name, std::span<const std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view prefix) { return name.starts_with(prefix); });
}

/// Shades of one family, and which of them are taken how often.
class Shades {
 public:
  explicit Shades(std::span<const Color> colors, const layout::Theme& theme)
      : colors_(colors), theme_(theme), taken_(colors.size()) {}

  /// The wanted one, lighter or darker if it is taken.
  Color take(size_t wanted) { return theme_.shade(colors_[wanted], taken_[wanted]++); }

  /// The wanted one, or the next that is taken less often.
  Color take_near(size_t wanted) {
    const size_t least = *std::min_element(taken_.begin(), taken_.end());
    size_t at = wanted % colors_.size();
    while (taken_[at] > least) at = (at + 1) % colors_.size();
    return take(at);
  }

 private:
  std::span<const Color> colors_;
  const layout::Theme& theme_;
  std::vector<size_t> taken_;
};

}  // namespace

RegionShades::Mpi mpi_shade(std::string_view name) {
  static constexpr std::string_view kWaits[] = {"wait",   "test",    "probe",      "mprobe",
                                                "iprobe", "improbe", "request_get"};
  static constexpr std::string_view kBarriers[] = {"barrier",  "win_fence", "win_complete",
                                                   "win_post", "win_start", "win_wait"};
  static constexpr std::string_view kReceives[] = {"recv", "mrecv", "sendrecv"};
  static constexpr std::string_view kSends[] = {"send", "bsend", "ssend", "rsend"};
  static constexpr std::string_view kReductions[] = {"allreduce", "reduce", "scan", "exscan"};
  static constexpr std::string_view kExchanges[] = {"bcast",     "gather",   "scatter",
                                                    "allgather", "alltoall", "neighbor_"};
  static constexpr std::string_view kStarts[] = {"start",       "put",          "get_accumulate",
                                                 "rput",        "rget",         "accumulate",
                                                 "raccumulate", "fetch_and_op", "pready"};
  const std::string plain = plain_name(name);
  if (starts_with_any(plain, kWaits)) return RegionShades::kWait;
  if (starts_with_any(plain, kBarriers)) return RegionShades::kBarrier;
  if (starts_with_any(plain, kReceives)) return RegionShades::kReceive;
  if (starts_with_any(plain, kReductions)) return RegionShades::kReduction;
  if (starts_with_any(plain, kExchanges)) return RegionShades::kExchange;
  if (starts_with_any(plain, kSends)) return RegionShades::kSend;
  const bool is_get = plain == "get";
  if (is_get || starts_with_any(plain, kStarts)) return RegionShades::kStart;
  // MPI_Isend, MPI_Ibarrier ...: what only begins something.
  const bool is_nonblocking = plain.starts_with('i') && !plain.starts_with("init") &&
                              !plain.starts_with("info") && !plain.starts_with("is_") &&
                              !plain.starts_with("intercomm");
  return is_nonblocking ? RegionShades::kStart : RegionShades::kOtherMpi;
}

RegionColors::RegionColors(const trace::Definitions& definitions, std::vector<uint64_t> run_ticks,
                           const layout::Theme& theme)
    : colors_(definitions.regions.size()), families_(trace::call_classes(definitions)) {
  run_ticks.resize(colors_.size());
  definitions.join_functions(run_ticks);
  std::vector<uint32_t> order(colors_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::erase_if(order, [&](uint32_t region) {
    return definitions.regions[region].function != trace::Region(region);
  });
  std::stable_sort(order.begin(), order.end(),
                   [&](uint32_t a, uint32_t b) { return run_ticks[a] > run_ticks[b]; });
  const auto main =
      order.begin() + static_cast<std::ptrdiff_t>(std::min(kMainRegions, order.size()));
  std::sort(order.begin(), main, [&](uint32_t a, uint32_t b) {
    return definitions.regions[a].name < definitions.regions[b].name;
  });

  Shades program(theme.regions.program, theme);
  Shades mpi(theme.regions.mpi, theme);
  Shades file_io(theme.regions.file_io, theme);
  for (const uint32_t region : order) {
    const std::string_view name = definitions.regions[region].name;
    switch (families_[region]) {
      case trace::CallClass::kMpi: colors_[region] = mpi.take(mpi_shade(name)); break;
      case trace::CallClass::kFileIo: colors_[region] = file_io.take_near(hash_of(name)); break;
      case trace::CallClass::kOther: colors_[region] = program.take_near(hash_of(name)); break;
    }
  }
  for (size_t i = 0; i < colors_.size(); ++i) {
    colors_[i] = colors_[definitions.regions[i].function];
  }
}

}  // namespace pathline::figure
