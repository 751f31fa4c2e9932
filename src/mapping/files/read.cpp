// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/csv.hpp"
#include "base/text.hpp"
#include "mapping/files/placement_file.hpp"
#include "mapping/files/seating.hpp"
#include "network/host_list.hpp"
#include "network/lines.hpp"

namespace pathline::mapping {
namespace {

using network::Lines;
using network::number_in;

struct Name {
  PlacementFormat format;
  std::string_view text;
};
constexpr std::array<Name, 5> kNames = {{{PlacementFormat::kBlueGene, "bgq"},
                                         {PlacementFormat::kSlurm, "slurm"},
                                         {PlacementFormat::kRankfile, "rankfile"},
                                         {PlacementFormat::kPlain, "plain"},
                                         {PlacementFormat::kRunTable, "placement.csv"}}};

constexpr std::string_view kRunTableHeader = "rank,host,";

std::string shown(std::string_view text) { return base::printable(text.substr(0, 60)); }

std::string_view without_byte_order_mark(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  return text;
}

base::Status read_blue_gene(std::string_view text, Seating& seats) {
  const network::Network& network = seats.names().network();
  const auto& dimensions = network.dimensions();
  std::vector<uint32_t> address(dimensions.size());
  Lines lines(text, '#');
  for (uint32_t rank = 0; lines.next();) {
    const auto words = lines.words();
    if (words.empty()) continue;
    if (words.size() != dimensions.size() + 1) {
      return seats.corrupt(
          lines.number(),
          fmt::format("{}, but {} has {} and a slot",
                      base::counted(words.size(), "field", "fields"), network.spec(),
                      base::counted(dimensions.size(), "coordinate", "coordinates")));
    }
    for (size_t d = 0; d < words.size(); ++d) {
      const bool is_slot = d == dimensions.size();
      const uint32_t fit = seats.question().ranks_per_node;
      const uint32_t size = is_slot ? (fit > 0 ? fit : kMaxSlots) : dimensions[d].size;
      const auto value = number_in<uint32_t>(words[d]);
      if (value && *value < size) {
        if (!is_slot) address[d] = *value;
        continue;
      }
      const std::string what = is_slot ? "slot" : fmt::format("coordinate {}", dimensions[d].name);
      return seats.corrupt(
          lines.number(),
          is_slot ? fmt::format("{} is {}, but slots are 0 to {}", what, shown(words[d]), size - 1)
                  : fmt::format("{} is {}, but {} has {} there (0 to {})", what, shown(words[d]),
                                network.spec(), size, size - 1));
    }
    const network::Vertex node = network.node(address);
    if (!node.valid()) {
      return seats.fault(
          base::ErrorCode::kNotFound, lines.number(),
          fmt::format("{} has no node at ({})", network.spec(), fmt::join(address, " ")));
    }
    const auto slot = number_in<uint32_t>(words.back());
    if (auto status = seats.place(lines.number(), rank++, node, *slot); !status) return status;
  }
  return {};
}

/// "n[1-4]", "n1*8": hosts, and how often each host of the list comes in a row.
base::Status read_hosts(std::string_view word, size_t line, uint32_t& rank, Seating& seats) {
  uint32_t times = 1;
  const size_t star = word.find('*');
  if (star != std::string_view::npos) {
    const auto number = number_in<uint32_t>(word.substr(star + 1));
    if (!number || *number == 0 || *number > kMaxRanks) {
      return seats.corrupt(
          line, fmt::format("'{}' is no number of times for a host", shown(word.substr(star + 1))));
    }
    times = *number;
  }
  auto hosts = network::expand_host_list(word.substr(0, star));
  if (!hosts) return seats.corrupt(line, hosts.error().message);
  for (const std::string& host : hosts.value()) {
    auto node = seats.node_of_host(line, host);
    if (!node) return node.error();
    for (uint32_t i = 0; i < times; ++i) {
      if (auto status = seats.place(line, rank++, node.value(), 0); !status) return status;
    }
  }
  return {};
}

base::Status read_slurm(std::string_view text, Seating& seats) {
  seats.number_slots();
  Lines lines(text, '#');
  uint32_t rank = 0;
  while (lines.next()) {
    const auto words = lines.words();
    if (words.empty()) continue;
    if (words.size() != 1) {
      return seats.corrupt(
          lines.number(),
          fmt::format("{}, expected one host", base::counted(words.size(), "field", "fields")));
    }
    if (auto status = read_hosts(words[0], lines.number(), rank, seats); !status) return status;
  }
  return {};
}

/// "rank 0=host slot=0:1", with blanks around the equals signs or not.
struct RankfileLine {
  std::string_view rank;
  std::string_view host;
  std::string_view slot;
};

bool take_blanks(std::string_view& rest) {
  const size_t end = std::min(rest.find_first_not_of(' '), rest.size());
  rest.remove_prefix(end);
  return end > 0;
}

std::string_view take_until(std::string_view& rest, std::string_view stops) {
  const size_t end = std::min(rest.find_first_of(stops), rest.size());
  const std::string_view word = rest.substr(0, end);
  rest.remove_prefix(end);
  take_blanks(rest);
  return word;
}

bool take(std::string_view& rest, char expected) {
  if (!rest.starts_with(expected)) return false;
  rest.remove_prefix(1);
  take_blanks(rest);
  return true;
}

/// line  words with one blank between.
std::optional<RankfileLine> split_rankfile_line(std::string_view line) {
  RankfileLine result;
  if (take_until(line, " ") != "rank") return std::nullopt;
  result.rank = take_until(line, " =");
  if (!take(line, '=')) return std::nullopt;
  result.host = take_until(line, " =");
  if (take_until(line, " =") != "slot") return std::nullopt;
  if (!take(line, '=')) return std::nullopt;
  result.slot = take_until(line, " ");
  if (result.host.empty() || result.slot.empty() || !line.empty()) return std::nullopt;
  return result;
}

std::string joined(std::span<const std::string_view> words) {
  return fmt::format("{}", fmt::join(words, " "));
}

/// A core "3"; else what orders slots: socket, then first core, of "1:0-3", "0:*", "p4", "0-3,8".
struct Slot {
  uint64_t order = 0;
  bool is_core = false;
};

std::optional<Slot> parse_slot(std::string_view text) {
  if (const auto core = number_in<uint32_t>(text)) {
    if (*core >= kMaxSlots) return std::nullopt;
    return Slot{*core, true};
  }
  if (text.find_first_not_of("0123456789:-,*p") != std::string_view::npos) return std::nullopt;
  const auto first_number = [](std::string_view part) {
    const size_t begin = std::min(part.find_first_not_of("p"), part.size());
    const size_t end = std::min(part.find_first_not_of("0123456789", begin), part.size());
    if (part.substr(begin, 1) == "*") return std::optional<uint32_t>(0);
    return number_in<uint32_t>(part.substr(begin, end - begin));
  };
  const size_t colon = text.find(':');
  const auto socket = colon == std::string_view::npos ? std::optional<uint32_t>(0)
                                                      : first_number(text.substr(0, colon));
  const auto core = first_number(colon == std::string_view::npos ? text : text.substr(colon + 1));
  if (!socket || !core || *socket >= kMaxSlots || *core >= kMaxSlots) return std::nullopt;
  return Slot{uint64_t{*socket} * kMaxSlots + *core, false};
}

base::Result<network::Vertex> rankfile_node(std::string_view host, size_t line,
                                            const Seating& seats) {
  if (!host.starts_with("+n")) return seats.node_of_host(line, host);
  const network::Network& network = seats.names().network();
  const auto number = number_in<uint32_t>(host.substr(2));
  if (!number || *number >= network.node_count()) {
    return seats.fault(base::ErrorCode::kNotFound, line,
                       fmt::format("'{}' is none of the {} (+n0 is the first)", shown(host),
                                   base::counted(network.node_count(), "node", "nodes")));
  }
  return network::Vertex(*number);
}

base::Status read_rankfile(std::string_view text, Seating& seats) {
  Lines lines(text, '#');
  while (lines.next()) {
    if (lines.words().empty()) continue;
    const std::string line = joined(lines.words());
    const auto parts = split_rankfile_line(line);
    if (!parts) {
      return seats.corrupt(lines.number(),
                           fmt::format("'{}' is not like 'rank 0=host slot=3'", shown(line)));
    }
    auto rank = seats.rank_in(lines.number(), parts->rank);
    if (!rank) return rank.error();
    auto node = rankfile_node(parts->host, lines.number(), seats);
    if (!node) return node.error();
    const auto slot = parse_slot(parts->slot);
    if (!slot) {
      return seats.corrupt(lines.number(), fmt::format("slot '{}' is not like 3, 0:1, 0-3 or 0:*",
                                                       shown(parts->slot)));
    }
    const uint32_t fit = seats.question().ranks_per_node;
    if (!slot->is_core || (fit > 0 && slot->order >= fit)) seats.number_slots();
    if (auto status = seats.place(lines.number(), rank.value(), node.value(), slot->order);
        !status) {
      return status;
    }
  }
  return {};
}

base::Result<network::Vertex> plain_node(std::string_view word, size_t line, const Seating& seats) {
  const auto number = number_in<uint32_t>(word);
  if (!number) return seats.node_of_host(line, word);
  const network::Network& network = seats.names().network();
  if (*number < network.node_count()) return network::Vertex(*number);
  return seats.fault(base::ErrorCode::kNotFound, line,
                     fmt::format("there is no node {}: {} has {}, from 0", *number, network.spec(),
                                 base::counted(network.node_count(), "node", "nodes")));
}

base::Status read_plain(std::string_view text, Seating& seats) {
  size_t fields = 0;
  Lines lines(text, '#');
  while (lines.next()) {
    const auto words = lines.words();
    if (words.empty()) continue;
    if (fields == 0) fields = std::clamp<size_t>(words.size(), 2, 3);
    if (words.size() != fields) {
      return seats.corrupt(
          lines.number(),
          fmt::format("{}, expected {}", base::counted(words.size(), "field", "fields"),
                      fields == 2 ? "a rank and a node" : "rank, node and slot"));
    }
    auto rank = seats.rank_in(lines.number(), words[0]);
    if (!rank) return rank.error();
    auto node = plain_node(words[1], lines.number(), seats);
    if (!node) return node.error();
    const auto slot = fields == 2 ? std::optional<uint32_t>(0) : number_in<uint32_t>(words[2]);
    const uint32_t fit = seats.question().ranks_per_node;
    if (!slot || *slot >= (fit > 0 ? fit : kMaxSlots)) {
      return seats.corrupt(lines.number(),
                           fmt::format("'{}' is no slot{}", shown(words[2]),
                                       fit > 0 ? fmt::format(" from 0 to {}", fit - 1) : ""));
    }
    if (auto status = seats.place(lines.number(), rank.value(), node.value(), *slot); !status) {
      return status;
    }
  }
  if (fields == 2) seats.number_slots();
  return {};
}

/// Where the ranks of a recorded run were: "rank,host,package,numa,core,pu", and more.
base::Status read_run_table(std::string_view text, Seating& seats) {
  seats.number_slots();
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with(kRunTableHeader)) continue;
    const std::string rank_word = base::take_csv_field(line);
    const std::string host = base::take_csv_field(line);
    auto rank = seats.rank_in(number, rank_word);
    if (!rank) return rank.error();
    auto node = seats.node_of_host(number, host);
    if (!node) return node.error();
    base::take_csv_field(
        line);  // Package and NUMA node: the numbers of cores count through the machine.
    base::take_csv_field(line);
    const auto core = number_in<uint32_t>(base::take_csv_field(line));
    if (auto status = seats.place(number, rank.value(), node.value(), core.value_or(0)); !status) {
      return status;
    }
  }
  return {};
}

base::Status read_into(Seating& seats, PlacementFormat format, std::string_view text) {
  switch (format) {
    case PlacementFormat::kBlueGene: return read_blue_gene(text, seats);
    case PlacementFormat::kSlurm: return read_slurm(text, seats);
    case PlacementFormat::kRankfile: return read_rankfile(text, seats);
    case PlacementFormat::kPlain: return read_plain(text, seats);
    case PlacementFormat::kRunTable: break;
  }
  return read_run_table(text, seats);
}

}  // namespace

std::string_view format_name(PlacementFormat format) {
  return std::find_if(kNames.begin(), kNames.end(),
                      [&](const Name& name) { return name.format == format; })
      ->text;
}

std::optional<PlacementFormat> find_placement_format(std::string_view name) {
  for (const Name& known : kNames) {
    if (known.text == name) return known.format;
  }
  return std::nullopt;
}

std::optional<PlacementFormat> detect_placement_format(std::string_view text) {
  text = without_byte_order_mark(text);
  if (text.starts_with(kPlainTitle)) return PlacementFormat::kPlain;
  if (text.starts_with(kRunTableHeader)) return PlacementFormat::kRunTable;
  Lines lines(text, '#');
  while (lines.next() && lines.words().empty()) {
  }
  const auto words = lines.words();
  if (words.empty()) return std::nullopt;
  if (words.size() > 1 && words[0] == "rank" && words[1].substr(0, 1) >= "0" &&
      words[1].substr(0, 1) <= "9") {
    return PlacementFormat::kRankfile;
  }
  if (words.size() == 1) return PlacementFormat::kSlurm;
  const bool numbers = std::all_of(words.begin(), words.end(), [](std::string_view word) {
    return number_in<uint32_t>(word).has_value();
  });
  // Two and three numbers may be rank, node and slot.
  if (numbers && words.size() > 3) {
    return PlacementFormat::kBlueGene;
  }
  if (words.size() <= 3 && number_in<uint32_t>(words[0])) return PlacementFormat::kPlain;
  return std::nullopt;
}

base::Result<Placement> read_placement(std::string_view text, std::string_view file_name,
                                       const NodeNames& names, const PlacementQuestion& question) {
  text = without_byte_order_mark(text);
  Seating seats(file_name, names, question);
  auto format = question.format;
  if (!format) format = detect_placement_format(text);
  if (!format) {
    return seats.fault(base::ErrorCode::kCorrupt, 0, "is like no file that places ranks",
                       "Formats that can be read: bgq, slurm, rankfile, plain, placement.csv.");
  }
  if (format == PlacementFormat::kBlueGene && names.network().dimensions().empty()) {
    return seats.fault(
        base::ErrorCode::kUnsupported, 0,
        fmt::format("has coordinates, but the nodes of {} have none", names.network().spec()));
  }
  if (auto status = read_into(seats, *format, text); !status) return status.error();
  return seats.finish();
}

}  // namespace pathline::mapping
