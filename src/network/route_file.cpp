// SPDX-License-Identifier: BSD-3-Clause
#include "network/route_file.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <unordered_map>

#include <fmt/format.h>

#include "base/parse.hpp"
#include "base/text.hpp"
#include "network/dragonfly.hpp"

namespace pathline::network {
namespace {

constexpr uint32_t kMaxRank = (1U << 24) - 1;
constexpr size_t kMaxAddress = 17;

/// One line while it is read.
struct HopLine {
  uint32_t number = 0;
  uint32_t sender = 0;
  uint32_t receiver = 0;
  std::array<uint32_t, 2> end{};
  std::array<std::array<uint32_t, kMaxAddress>, 2> address{};
  std::array<size_t, 2> address_size{};
};

/// Reads from the front of a line.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}
  bool skip(std::string_view word) {
    skip_blanks();
    if (!text_.starts_with(word)) return false;
    text_.remove_prefix(word.size());
    return true;
  }
  bool take(uint32_t& number) {
    skip_blanks();
    const auto taken = base::take_number<uint32_t>(text_);
    if (taken) number = *taken;
    return taken.has_value();
  }
  bool at_end() {
    skip_blanks();
    return text_.empty();
  }

 private:
  void skip_blanks() {
    const size_t begin = text_.find_first_not_of(" \t\r");
    text_.remove_prefix(std::min(begin, text_.size()));
  }
  std::string_view text_;
};

std::optional<HopLine> parse_hop(std::string_view text) {
  HopLine line;
  Scanner scan(text);
  if (!scan.skip("Hop") || !scan.take(line.number) || !scan.skip(":") || !scan.skip("[") ||
      !scan.take(line.sender) || !scan.skip("-") || !scan.take(line.receiver) || !scan.skip("]")) {
    return std::nullopt;
  }
  for (size_t e = 0; e < 2; ++e) {
    if (e == 1 && !scan.skip("->")) return std::nullopt;
    if (!scan.take(line.end[e]) || !scan.skip("(")) return std::nullopt;
    while (!scan.skip(")")) {
      if (line.address_size[e] == kMaxAddress) return std::nullopt;
      if (!scan.take(line.address[e][line.address_size[e]++])) return std::nullopt;
    }
  }
  if (!scan.at_end() || line.number == 0 || line.sender > kMaxRank || line.receiver > kMaxRank ||
      line.address_size[0] != line.address_size[1] || line.address_size[0] == 0) {
    return std::nullopt;
  }
  return line;
}

uint64_t key(uint32_t sender, uint32_t receiver) { return (uint64_t{sender} << 32U) | receiver; }

/// Routes of each pair that may still go on.
class Assembly {
 public:
  explicit Assembly(RouteFile& file) : file_(file) {}

  void add(size_t hop, const HopLine& line) {
    std::vector<uint32_t>& open = open_[key(line.sender, line.receiver)];
    const auto last = [&](uint32_t route) { return file_.routes[route].hops.back(); };
    if (line.number > 1) {
      // Best the route that ends where this hop begins, else any that waits for a later hop.
      auto next = std::find_if(open.begin(), open.end(),
                               [&](uint32_t route) { return file_.follows(last(route), hop); });
      if (next == open.end()) {
        next = std::find_if(open.begin(), open.end(), [&](uint32_t route) {
          return file_.hops[last(route)].number < line.number;
        });
      }
      if (next != open.end()) {
        RouteFile::Route& route = file_.routes[*next];
        route.gap = route.gap || !file_.follows(last(*next), hop);
        route.hops.push_back(hop);
        if (line.end[1] == line.receiver) open.erase(next);
        return;
      }
    }
    // Of a pair with very many repeats only the newest are looked at, so that time stays bounded.
    constexpr size_t kOpenRoutes = 64;
    if (open.size() == kOpenRoutes) open.erase(open.begin());
    if (line.end[1] != line.receiver) open.push_back(static_cast<uint32_t>(file_.routes.size()));
    file_.routes.push_back(
        {line.sender, line.receiver, file_.hops[hop].line, {hop}, line.number != 1});
  }

 private:
  RouteFile& file_;
  std::unordered_map<uint64_t, std::vector<uint32_t>> open_;
};

}  // namespace

namespace {

/// Coordinates of most waypoints of a file; the smaller number of several.
size_t usual_address_size(std::string_view text) {
  std::array<size_t, kMaxAddress + 1> lines{};
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    if (const auto hop = parse_hop(text.substr(at, end - at))) ++lines[hop->address_size[0]];
    at = end + 1;
  }
  return static_cast<size_t>(std::max_element(lines.begin(), lines.end()) - lines.begin());
}

}  // namespace

bool RouteFile::follows(size_t before, size_t hop) const {
  return hops[before].number + 1 == hops[hop].number &&
         (hops[before].to_number == hops[hop].from_number ||
          std::ranges::equal(to_address(before), from_address(hop)));
}

base::Result<RouteFile> parse_route_file(std::string_view text, const std::string& file) {
  RouteFile out;
  out.address_size = usual_address_size(text);
  Assembly assembly(out);
  size_t number = 0;
  const auto malformed = [&](std::string_view line) {
    if (out.malformed_lines++ > 0) return;
    constexpr size_t kShown = 60;
    out.first_malformed =
        fmt::format("line {}: '{}'", number, base::printable(line.substr(0, kShown)));
  };
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    if (line.ends_with('\r')) line.remove_suffix(1);
    at = end + 1;
    ++number;
    if (line.find_first_not_of(" \t") == std::string_view::npos) continue;
    ++out.line_count;
    const auto hop = parse_hop(line);
    if (!hop || hop->address_size[0] != out.address_size) {
      malformed(line);
      continue;
    }
    out.hops.push_back({hop->number, hop->end[0], hop->end[1], number});
    for (const auto& address : hop->address) {
      out.addresses.insert(out.addresses.end(), address.begin(),
                           address.begin() + static_cast<ptrdiff_t>(out.address_size));
    }
    out.rank_count = std::max({out.rank_count, hop->sender + 1, hop->receiver + 1});
    assembly.add(out.hops.size() - 1, *hop);
  }
  if (2 * out.malformed_lines > out.line_count) {
    return base::Error{base::ErrorCode::kCorrupt,
                       fmt::format("cannot read {}: {} is not 'Hop K: [SRC-DST] N (c1 .. ck) -> N "
                                   "(c1 .. ck)', nor are most others ({} of {})",
                                   base::printable(file), out.first_malformed, out.malformed_lines,
                                   base::counted(out.line_count, "line", "lines"))};
  }
  return out;
}

Vertex node_of_address(const Network& network, std::span<const uint32_t> address) {
  const size_t dimensions = network.dimensions().size();
  if (const auto* xc40 = dynamic_cast<const Xc40*>(&network);
      xc40 != nullptr && address.size() == 5) {
    constexpr uint32_t kChassisOfCabinet = 3;
    return xc40->node(std::array{address[0], address[1] / kChassisOfCabinet,
                                 address[1] % kChassisOfCabinet, address[2], address[3]});
  }
  if (address.size() == dimensions + 1) address = address.first(dimensions);
  return network.node(address);
}

namespace {

/// Puts one route after the other on the network.
class Binder {
 public:
  Binder(const RouteFile& file, const Network& network, std::span<const Vertex> node_of_rank,
         const std::string& name, RouteNotes& notes)
      : file_(file), network_(network), node_of_rank_(node_of_rank), name_(name), notes_(notes) {}

  /// The links of a route as recorded into links(); what is wrong with it as an error.
  base::Status bind(const RouteFile::Route& route, uint32_t ranks_per_node) {
    links_.clear();
    const Vertex from = node_of_rank_[route.sender];
    const Vertex to = node_of_rank_[route.receiver];
    complete_ = !route.gap;
    Vertex before;
    for (size_t i = 0; i < route.hops.size(); ++i) {
      const size_t hop = route.hops[i];
      const Vertex a = i > 0 && file_.follows(route.hops[i - 1], hop)
                           ? before
                           : node_of_address(network_, file_.from_address(hop));
      const Vertex b = node_of_address(network_, file_.to_address(hop));
      if (!a.valid() || !b.valid()) {
        return fault(
            hop, fmt::format("{} is no node of {}",
                             text_of(a.valid() ? file_.to_address(hop) : file_.from_address(hop)),
                             network_.spec()));
      }
      if (file_.hops[hop].number == 1 && a != from) {
        return fault(hop, fmt::format("the route begins at {}, but rank {} is on {}",
                                      network_.name(a), route.sender, network_.name(from)));
      }
      if (ranks_per_node > 0) {
        notes_.stale_numbers += file_.hops[hop].to_number / ranks_per_node != b ? 1 : 0;
      }
      before = b;
      if (i + 1 == route.hops.size()) complete_ = complete_ && b == to;
      if (a == b) continue;  // From one core of a node to another.
      const Link link = network_.link(a, b);
      if (!link.valid()) {
        return fault(hop, fmt::format("no link of {} leads from {} to {}", network_.spec(),
                                      network_.name(a), network_.name(b)));
      }
      links_.push_back(link);
    }
    return {};
  }
  [[nodiscard]] const std::vector<Link>& links() const { return links_; }
  [[nodiscard]] bool complete() const { return complete_; }

 private:
  [[nodiscard]] base::Error fault(size_t hop, std::string_view fact) const {
    return {base::ErrorCode::kInvalidArgument,
            fmt::format("{}: line {}: {}", base::printable(name_), file_.hops[hop].line, fact),
            "'pathline infer' finds the network of a route file; --partial leaves such routes "
            "out."};
  }
  static std::string text_of(std::span<const uint32_t> address) {
    return fmt::format("({})", fmt::join(address, " "));
  }

  const RouteFile& file_;
  const Network& network_;
  std::span<const Vertex> node_of_rank_;
  const std::string& name_;
  RouteNotes& notes_;
  std::vector<Link> links_;
  bool complete_ = false;
};

/// Bytes of `pair` in the traffic, nullopt if it has none.
std::optional<size_t> entry_of(const graph::Traffic& traffic, uint32_t sender, uint32_t receiver) {
  if (sender >= traffic.rank_count()) return std::nullopt;
  const auto begin = traffic.receiver.begin() + static_cast<ptrdiff_t>(traffic.row[sender]);
  const auto end = traffic.receiver.begin() + static_cast<ptrdiff_t>(traffic.row[sender + 1]);
  const auto found = std::lower_bound(begin, end, receiver);
  if (found == end || *found != receiver) return std::nullopt;
  return static_cast<size_t>(found - traffic.receiver.begin());
}

uint64_t pairs_on_two_nodes(const graph::Traffic& traffic, std::span<const Vertex> node_of_rank) {
  uint64_t count = 0;
  for (uint32_t sender = 0; sender < traffic.rank_count(); ++sender) {
    for (size_t i = traffic.row[sender]; i < traffic.row[sender + 1]; ++i) {
      count += node_of_rank[sender] != node_of_rank[traffic.receiver[i]] ? 1 : 0;
    }
  }
  return count;
}

}  // namespace

base::Result<Routes> bind_routes(const RouteFile& file, const Network& network,
                                 std::span<const Vertex> node_of_rank, const RouteBinding& binding,
                                 const std::string& name, RouteNotes& notes) {
  std::unordered_map<uint64_t, uint32_t> repeats;
  for (const auto& route : file.routes) ++repeats[key(route.sender, route.receiver)];
  std::unordered_map<uint64_t, uint32_t> used;
  Routes out;
  Binder binder(file, network, node_of_rank, name, notes);
  uint64_t pairs_with_route = 0;
  std::vector<Link> completed;
  for (const auto& route : file.routes) {
    if (auto status = binder.bind(route, binding.ranks_per_node); !status) {
      if (!binding.partial) return status.error();
      ++notes.left_out;
      continue;
    }
    const Vertex from = node_of_rank[route.sender];
    const Vertex to = node_of_rank[route.receiver];
    if (from == to) continue;
    uint64_t bytes = 1;
    uint64_t messages = 1;
    if (binding.traffic != nullptr) {
      const auto entry = entry_of(*binding.traffic, route.sender, route.receiver);
      const uint64_t pair = key(route.sender, route.receiver);
      const uint32_t count = repeats[pair];
      const uint32_t before = used[pair]++;
      const auto share = [&](uint64_t total) { return total / count + (before < total % count); };
      bytes = entry ? share(binding.traffic->bytes[*entry]) : 0;
      messages = entry ? share(binding.traffic->messages[*entry]) : 0;
      pairs_with_route += entry && before == 0 ? 1 : 0;
      notes.without_traffic += entry ? 0 : 1;
    }
    notes.incomplete += binder.complete() ? 0 : 1;
    if (!binder.complete() && binding.complete) {
      completed.clear();
      network.route(from, to, completed);
      out.add(from, to, bytes, messages, completed);
    } else {
      out.add(from, to, bytes, messages, binder.links(), !binder.complete());
    }
    out.sender.push_back(route.sender);
    out.receiver.push_back(route.receiver);
  }
  if (binding.traffic != nullptr) {
    notes.pairs_without_route =
        pairs_on_two_nodes(*binding.traffic, node_of_rank) - pairs_with_route;
  }
  return out;
}

base::Result<std::string> format_route_file(const Network& network, const Routes& routes,
                                            const graph::Traffic& traffic,
                                            std::span<const Vertex> node_of_rank) {
  if (network.dimensions().empty() || network.vertex_count() != network.node_count()) {
    return base::Error{base::ErrorCode::kUnsupported,
                       fmt::format("a route file has no form for {}: it names waypoints by the "
                                   "coordinates of nodes",
                                   network.spec())};
  }
  // Ranks of each pair of nodes, and the first of each node.
  std::map<std::pair<uint32_t, uint32_t>, std::vector<std::pair<uint32_t, uint32_t>>> ranks_of;
  if (routes.sender.empty()) {
    for (uint32_t sender = 0; sender < traffic.rank_count(); ++sender) {
      for (size_t i = traffic.row[sender]; i < traffic.row[sender + 1]; ++i) {
        const uint32_t receiver = traffic.receiver[i];
        ranks_of[{node_of_rank[sender], node_of_rank[receiver]}].emplace_back(sender, receiver);
      }
    }
  }
  // A waypoint has the number of a rank of its node, or one that no rank has: a route ends where it
  // reads the number of its receiver.
  std::vector<uint32_t> number_of_node(network.node_count());
  for (uint32_t node = 0; node < number_of_node.size(); ++node) {
    number_of_node[node] = static_cast<uint32_t>(node_of_rank.size()) + node;
  }
  for (size_t rank = node_of_rank.size(); rank-- > 0;) {
    number_of_node[node_of_rank[rank]] = static_cast<uint32_t>(rank);
  }
  // One more coordinate, the core.
  std::vector<uint32_t> address(network.dimensions().size() + 1, 0);
  std::string text;
  const auto write = [&](size_t route, uint32_t sender, uint32_t receiver) {
    uint32_t hop = 0;
    const auto links = routes.links_of(route);
    for (const Link link : links) {
      const bool first = hop == 0;
      const bool last = hop + 1 == links.size();
      fmt::format_to(std::back_inserter(text), "Hop {}: [{}-{}]", ++hop, sender, receiver);
      for (const bool begin : {true, false}) {
        const Vertex at = begin ? network.source(link) : network.target(link);
        network.coordinates(at, std::span(address).first(address.size() - 1));
        const uint32_t number = begin && first   ? sender
                                : !begin && last ? receiver
                                                 : number_of_node[at];
        fmt::format_to(std::back_inserter(text), "{} {} ({})", begin ? "" : " ->", number,
                       fmt::join(address, " "));
      }
      text += '\n';
    }
  };
  for (size_t r = 0; r < routes.size(); ++r) {
    if (!routes.sender.empty()) {
      write(r, routes.sender[r], routes.receiver[r]);
      continue;
    }
    for (const auto& [sender, receiver] : ranks_of[{routes.from[r], routes.to[r]}]) {
      write(r, sender, receiver);
    }
  }
  return text;
}

}  // namespace pathline::network
