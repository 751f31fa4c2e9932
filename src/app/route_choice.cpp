// SPDX-License-Identifier: BSD-3-Clause
#include "app/route_choice.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/csv.hpp"
#include "base/parse.hpp"
#include "base/text.hpp"
#include "base/text_input.hpp"

namespace pathline::app {
namespace {

base::Error invalid(std::string message) {
  return {base::ErrorCode::kInvalidArgument, std::move(message)};
}

}  // namespace

base::Result<double> parse_percent(const std::string& text, const std::string& option) {
  const auto percent = base::percent_in(text);
  if (!percent || !(*percent > 0) || *percent > 100) {
    return invalid(
        fmt::format("{} is '{}', expected a percentage above 0 and up to 100, such as "
                    "5%",
                    option, text));
  }
  return *percent / 100;
}

base::Result<std::vector<size_t>> parse_dimensions(const std::string& text,
                                                   const network::Network& network) {
  std::vector<std::string> names;
  for (const network::Dimension& dimension : network.dimensions()) names.push_back(dimension.name);
  std::set<size_t> found;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string name = text.substr(begin, end - begin);
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) {
      return invalid(names.empty()
                         ? fmt::format("the nodes of {} have no coordinates", network.spec())
                         : fmt::format("{} has no coordinate '{}'; it has {}", network.spec(), name,
                                       fmt::join(names, ", ")));
    }
    found.insert(static_cast<size_t>(at - names.begin()));
    begin = end + 1;
  }
  return std::vector<size_t>(found.begin(), found.end());
}

base::Result<std::vector<uint32_t>> routes_of_pairs(const std::string& file,
                                                    const NetworkInput& input) {
  auto pairs = network::read_pairs(file, input.placement.rank_count());
  if (!pairs) return pairs.error();
  std::set<std::pair<uint32_t, uint32_t>> wanted;
  for (const auto& [sender, receiver] : pairs.value()) {
    wanted.emplace(input.placement.node_of_rank[sender], input.placement.node_of_rank[receiver]);
  }
  std::vector<uint32_t> routes;
  for (uint32_t r = 0; r < input.routes.size(); ++r) {
    if (wanted.contains({input.routes.from[r], input.routes.to[r]})) routes.push_back(r);
  }
  if (routes.empty()) {
    return base::Error{base::ErrorCode::kNotFound,
                       fmt::format("{}: there is no route between the nodes of any of the {}", file,
                                   base::counted(pairs.value().size(), "pair", "pairs"))};
  }
  return routes;
}

base::Result<std::vector<uint32_t>> routes_of_list(const std::string& file,
                                                   const NetworkInput& input) {
  auto text = base::TextInput::open(file);
  if (!text) return text.error();
  const network::Network& network = *input.machine.network;
  std::vector<std::string> header;
  std::set<std::pair<uint32_t, uint32_t>> pairs;
  std::vector<bool> links(network.link_limit());
  size_t line_number = 0;
  const auto bad = [&](const std::string& fact) {
    return base::Error{base::ErrorCode::kCorrupt,
                       fmt::format("{}: line {}: {}", file, line_number, fact),
                       "It takes what pathline routes --list routes|links --format csv writes."};
  };
  const auto column = [&](const char* name) {
    const auto at = std::find(header.begin(), header.end(), name);
    return static_cast<size_t>(at - header.begin());
  };
  std::string_view rest = text.value().text();
  while (!rest.empty()) {
    ++line_number;
    const size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    std::vector<std::string> fields;
    while (!line.empty()) fields.push_back(base::take_csv_field(line));
    if (header.empty()) {
      header = std::move(fields);
      const bool is_list = column("link") < header.size() ||
                           (column("from") < header.size() && column("to") < header.size());
      if (!is_list) return bad("there are no columns from and to, and none called link");
      continue;
    }
    if (fields.size() != header.size()) {
      return bad(fmt::format("{} instead of {}", base::counted(fields.size(), "field", "fields"),
                             header.size()));
    }
    const auto number = [&](const char* name, uint32_t limit) -> std::optional<uint32_t> {
      const auto value = base::number_in<uint32_t>(fields[column(name)]);
      return value && *value < limit ? value : std::nullopt;
    };
    if (column("link") < header.size()) {
      const auto link = number("link", network.link_limit());
      if (!link)
        return bad(fmt::format("{} is no link of {}", fields[column("link")], network.spec()));
      links[*link] = true;
      continue;
    }
    const auto from = number("from", network.node_count());
    const auto to = number("to", network.node_count());
    if (!from || !to) return bad(fmt::format("not two nodes of {}", network.spec()));
    pairs.emplace(*from, *to);
  }
  std::vector<uint32_t> routes;
  for (uint32_t r = 0; r < input.routes.size(); ++r) {
    const auto crossed = input.routes.links_of(r);
    const bool is_over = std::any_of(crossed.begin(), crossed.end(),
                                     [&](network::Link link) { return bool{links[link]}; });
    if (is_over || pairs.contains({input.routes.from[r], input.routes.to[r]})) routes.push_back(r);
  }
  if (routes.empty()) {
    return base::Error{base::ErrorCode::kNotFound, fmt::format("{}: it names no route", file)};
  }
  return routes;
}

base::Result<std::vector<uint32_t>> select_routes(const std::string& select,
                                                  const NetworkInput& input) {
  const size_t colon = select.find(':');
  const std::string kind = select.substr(0, colon);
  const std::string value = colon == std::string::npos ? "" : select.substr(colon + 1);
  if (kind == "pairs" && !value.empty()) return routes_of_pairs(value, input);
  if (kind == "list" && !value.empty()) return routes_of_list(value, input);
  if (kind != "top-links" || value.empty()) {
    return invalid(
        fmt::format("--select is '{}', expected top-links:5%, pairs:FILE or list:FILE", select));
  }
  auto share = parse_percent(value, "--select top-links");
  if (!share) return share.error();
  const auto loads = network::link_loads(*input.machine.network, input.routes);
  return network::routes_over(input.routes, network::top_links(loads, share.value()),
                              input.machine.network->link_limit());
}

}  // namespace pathline::app
