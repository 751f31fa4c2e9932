// SPDX-License-Identifier: BSD-3-Clause
#include "app/placement.hpp"

#include <iterator>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/file.hpp"
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
    // The name comes from a file: it must not lead out of the folder.
    if (name.empty() || name.find('/') != std::string::npos || name.starts_with('.')) {
      problems_.push_back(fmt::format("'{}' is no name of a host", name));
      return nullptr;
    }
    auto read = host::Topology::read(folder_ / (name + ".xml"));
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
  std::string text = "rank,host,package,numa,core,pu\n";
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
    text += '\n';
  }
  if (auto status = base::write_file(path, text); !status) return status.error();
  return problems;
}

}  // namespace pathline::app
