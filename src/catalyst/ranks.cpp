// SPDX-License-Identifier: BSD-3-Clause
#include "catalyst/ranks.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>

namespace pathline::catalyst {
namespace {

/// FNV-1a of all names and types, in their order.
uint64_t hash_of(const std::vector<SharedArray>& arrays) {
  uint64_t hash = 1469598103934665603ULL;
  const auto add = [&](uint8_t byte) { hash = (hash ^ byte) * 1099511628211ULL; };
  for (const SharedArray& array : arrays) {
    for (const char c : array.name) add(static_cast<uint8_t>(c));
    add(0);
    add(static_cast<uint8_t>(array.type));
  }
  return hash;
}

void reduce(std::vector<double>& values, MPI_Op operation, MPI_Comm world) {
  MPI_Allreduce(MPI_IN_PLACE, values.data(), static_cast<int>(values.size()), MPI_DOUBLE, operation,
                world);
}

}  // namespace

Ranks::Ranks(MPI_Comm world) : world_(world) {
  MPI_Comm_rank(world, &rank_);
  MPI_Comm_size(world, &count_);
}

bool Ranks::all(bool here) const {
  int value = here ? 1 : 0;
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MIN, world_);
  return value != 0;
}

std::string Ranks::first(const std::string& text) const {
  int speaker = text.empty() ? count_ : rank_;
  MPI_Allreduce(MPI_IN_PLACE, &speaker, 1, MPI_INT, MPI_MIN, world_);
  if (speaker == count_) return {};
  char buffer[1024] = "";
  if (speaker == rank_) std::strncpy(buffer, text.c_str(), sizeof buffer - 1);
  MPI_Bcast(buffer, sizeof buffer, MPI_CHAR, speaker, world_);
  return buffer;
}

std::vector<SharedArray> Ranks::union_of(std::vector<SharedArray> here) const {
  // A type, the name and a zero for each.
  std::string own;
  for (const SharedArray& array : here) {
    own += static_cast<char>('0' + array.type);
    own += array.name;
    own += '\0';
  }
  auto size = static_cast<int>(own.size());
  std::vector<int> sizes(static_cast<size_t>(count_));
  MPI_Allgather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, world_);
  std::vector<int> begins(sizes.size());
  for (size_t i = 1; i < sizes.size(); ++i) begins[i] = begins[i - 1] + sizes[i - 1];
  std::string all(static_cast<size_t>(begins.back() + sizes.back()), '\0');
  MPI_Allgatherv(own.data(), size, MPI_CHAR, all.data(), sizes.data(), begins.data(), MPI_CHAR,
                 world_);
  std::map<std::string, SharedArray> found;
  for (size_t at = 0; at < all.size();) {
    const char* name = all.c_str() + at + 1;
    found.try_emplace(name, SharedArray{.name = name, .type = all[at] - '0'});
    at += std::strlen(name) + 2;
  }
  for (const SharedArray& array : here) found[array.name].value = array.value;
  std::vector<SharedArray> arrays;
  for (auto& [name, array] : found) arrays.push_back(std::move(array));
  return arrays;
}

std::vector<SharedArray> Ranks::share(std::span<const PathlineCatalystArray> given,
                                      bool counts) const {
  std::vector<SharedArray> arrays;
  for (const PathlineCatalystArray& array : given) {
    arrays.push_back({.name = array.name, .type = array.type, .value = array.value});
  }
  const uint64_t hash = hash_of(arrays);
  uint64_t extremes[2] = {hash, ~hash};
  MPI_Allreduce(MPI_IN_PLACE, extremes, 2, MPI_UINT64_T, MPI_MAX, world_);
  if (extremes[0] != ~extremes[1]) arrays = union_of(std::move(arrays));

  const size_t n = arrays.size();
  if (n == 0) return arrays;
  constexpr double kNone = -std::numeric_limits<double>::infinity();
  std::vector<double> limits(2 * n, kNone);  // Minus the least, the most.
  std::vector<double> sums(2 * n, 0);        // Ranks with a value, their sum.
  const auto is_value = [&](size_t i) { return counts && !std::isnan(arrays[i].value); };
  for (size_t i = 0; i < n; ++i) {
    if (!is_value(i)) continue;
    limits[2 * i] = -arrays[i].value;
    limits[2 * i + 1] = arrays[i].value;
    sums[2 * i] = 1;
    sums[2 * i + 1] = arrays[i].value;
  }
  reduce(limits, MPI_MAX, world_);
  reduce(sums, MPI_SUM, world_);
  std::vector<double> squares(n, 0);
  for (size_t i = 0; i < n; ++i) {
    if (sums[2 * i] == 0) continue;
    arrays[i].mean = sums[2 * i + 1] / sums[2 * i];
    arrays[i].least = -limits[2 * i];
    arrays[i].most = limits[2 * i + 1];
    if (is_value(i)) squares[i] = std::pow(arrays[i].value - arrays[i].mean, 2);
    if (arrays[i].mean > 0) arrays[i].imbalance = arrays[i].most / arrays[i].mean - 1;
  }
  reduce(squares, MPI_SUM, world_);
  for (size_t i = 0; i < n; ++i) {
    if (sums[2 * i] != 0) arrays[i].deviation = std::sqrt(squares[i] / sums[2 * i]);
  }
  return arrays;
}

}  // namespace pathline::catalyst
