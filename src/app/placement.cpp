// SPDX-License-Identifier: BSD-3-Clause
#include "app/placement.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/csv.hpp"
#include "base/file.hpp"
#include "base/parse.hpp"
#include "base/text.hpp"
#include "host/topology.hpp"

namespace pathline::app {
namespace {

/// "0-3,8" of ascending numbers, "-1" of none.
std::string ranges(const std::vector<uint32_t>& numbers) {
  std::string text;
  for (size_t begin = 0; begin < numbers.size();) {
    size_t end = begin + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    if (!text.empty()) text += ',';
    text += std::to_string(numbers[begin]);
    if (end - begin > 1) text += fmt::format("-{}", numbers[end - 1]);
    begin = end;
  }
  return text.empty() ? "-1" : text;
}

/// The topologies of the hosts, each read when it is first asked for.
class Hosts {
 public:
  Hosts(const std::filesystem::path& folder, std::vector<std::string>& problems)
      : folder_(folder), problems_(problems) {}

  /// nullptr when there is none that can be read.
  const host::Topology* find(const std::string& name) {
    const auto known = topologies_.find(name);
    if (known != topologies_.end()) return known->second ? &*known->second : nullptr;
    std::optional<host::Topology>& topology = topologies_[name];
    const std::filesystem::path file = topology_file(folder_, name);
    if (file.empty()) {
      problems_.push_back(fmt::format("'{}' is no name of a host", name));
      return nullptr;
    }
    auto read = host::Topology::read(file);
    if (!read) {
      problems_.push_back(read.error().message);
      return nullptr;
    }
    topology.emplace(std::move(read).value());
    return &*topology;
  }

 private:
  std::filesystem::path folder_;
  std::vector<std::string>& problems_;
  std::map<std::string, std::optional<host::Topology>> topologies_;
};

}  // namespace

base::Result<std::vector<std::string>> write_placement(std::span<const RankPlace> ranks,
                                                       const std::filesystem::path& topology,
                                                       const std::filesystem::path& path) {
  std::vector<std::string> problems;
  Hosts hosts(topology, problems);
  std::string text = "rank,host,package,numa,core,pu,switches\n";
  for (const RankPlace& place : ranks) {
    host::Binding binding;
    if (const host::Topology* host = hosts.find(place.host); host != nullptr) {
      if (place.cpus.empty()) {
        problems.push_back(fmt::format("rank {} does not say which CPUs it may use", place.rank));
      } else if (auto bound = host->binding(place.cpus)) {
        binding = std::move(bound).value();
      } else {
        problems.push_back(
            fmt::format("rank {} on {}: {}", place.rank, place.host, bound.error().message));
      }
    }
    text += fmt::format("{},{}", place.rank, base::csv_field(base::printable(place.host)));
    for (const auto* numbers :
         {&binding.packages, &binding.numa_nodes, &binding.cores, &binding.pus}) {
      text += ',' + base::csv_field(ranges(*numbers));
    }
    text += ',' + base::csv_field(base::printable(place.switches)) + '\n';
  }
  if (auto status = base::write_file(path, text); !status) return status.error();
  return problems;
}

base::Result<std::vector<RankPlace>> read_placement_table(const std::filesystem::path& path) {
  const auto file = base::MappedFile::open(path);
  if (!file) return file.error();
  std::string_view text = file.value().text();
  std::vector<RankPlace> places;
  std::set<uint32_t> seen;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const auto rank = base::number_in<uint32_t>(base::take_csv_field(line));
    if (!rank || !seen.insert(*rank).second) continue;  // The header, too.
    RankPlace place{.rank = *rank, .host = base::take_csv_field(line)};
    for (int skipped = 0; skipped < 3; ++skipped) base::take_csv_field(line);
    place.cpus = base::take_csv_field(line);
    if (place.cpus == "-1") place.cpus.clear();
    place.switches = base::take_csv_field(line);
    places.push_back(std::move(place));
  }
  return places;
}

std::filesystem::path topology_file(const std::filesystem::path& topology, std::string_view host) {
  if (host.empty() || host.find('/') != std::string_view::npos || host.starts_with('.')) return {};
  return topology / fmt::format("{}.xml", host);
}

}  // namespace pathline::app
