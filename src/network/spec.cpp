// SPDX-License-Identifier: BSD-3-Clause
#include "network/spec.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

#include <fmt/format.h>

#include "base/file.hpp"
#include "base/parse.hpp"
#include "base/text.hpp"
#include "network/dragonfly.hpp"
#include "network/edge_graph.hpp"
#include "network/fat_tree.hpp"
#include "network/lines.hpp"
#include "network/torus.hpp"
#include "network/tree.hpp"

namespace pathline::network {
namespace {

constexpr std::string_view kForms =
    "Networks: torus:4x4x4x8mx2, mesh:8x8, dragonfly:A,P,H, xc40:G, fattree:K,N, xgft:16,16;1,8, "
    "tree:FILE, slurm:FILE, edges:FILE; then ,order=DACBE, ,ties=simgrid and ,ranks-per-node=2 "
    "where needed.";

base::Error invalid(std::string_view spec, std::string_view fact) {
  return {base::ErrorCode::kInvalidArgument,
          fmt::format("cannot use --network '{}': {}", base::printable(spec), fact),
          std::string(kForms)};
}

/// The parts of a specification: KIND:SHAPE and the options behind it.
struct Parts {
  std::string_view kind;
  std::string_view shape;
  std::optional<std::string_view> order;
  std::optional<std::string_view> ties;
  std::optional<std::string_view> ranks_per_node;
};

base::Result<Parts> split(std::string_view spec) {
  Parts parts;
  std::string_view rest = spec;
  // Options are taken from the end: the name of a file may hold commas too.
  while (true) {
    const size_t comma = rest.rfind(',');
    if (comma == std::string_view::npos) break;
    const std::string_view option = rest.substr(comma + 1);
    const size_t equals = option.find('=');
    if (equals == std::string_view::npos) break;
    const std::string_view key = option.substr(0, equals);
    std::optional<std::string_view>* const value = key == "order"            ? &parts.order
                                                   : key == "ties"           ? &parts.ties
                                                   : key == "ranks-per-node" ? &parts.ranks_per_node
                                                                             : nullptr;
    if (value == nullptr) {
      return invalid(spec,
                     fmt::format("unknown option '{}'; expected order, ties or ranks-per-node",
                                 base::printable(key)));
    }
    if (*value) return invalid(spec, fmt::format("{} is given twice", key));
    *value = option.substr(equals + 1);
    rest = rest.substr(0, comma);
  }
  const size_t colon = rest.find(':');
  if (colon == std::string_view::npos) return invalid(spec, "expected KIND:SHAPE");
  parts.kind = rest.substr(0, colon);
  parts.shape = rest.substr(colon + 1);
  return parts;
}

base::Result<std::vector<uint32_t>> order_in(std::string_view order, size_t dimension_count,
                                             std::string_view spec) {
  std::vector<uint32_t> dimensions;
  for (const char c : order) {
    const int d = std::toupper(static_cast<unsigned char>(c)) - 'A';
    if (d < 0 || static_cast<size_t>(d) >= dimension_count ||
        std::find(dimensions.begin(), dimensions.end(), static_cast<uint32_t>(d)) !=
            dimensions.end()) {
      dimensions.clear();
      break;
    }
    dimensions.push_back(static_cast<uint32_t>(d));
  }
  if (dimensions.size() != dimension_count) {
    return invalid(spec,
                   fmt::format("order '{}' must name each of the dimensions A to {} once",
                               base::printable(order), torus_dimension_name(dimension_count - 1)));
  }
  return dimensions;
}

base::Result<std::unique_ptr<Network>> torus(const Parts& parts, std::string_view spec) {
  const bool is_torus = parts.kind == "torus";
  TorusShape shape;
  for (size_t begin = 0; begin <= parts.shape.size();) {
    const size_t end = std::min(parts.shape.find('x', begin), parts.shape.size());
    std::string_view size = parts.shape.substr(begin, end - begin);
    const bool is_mesh = size.ends_with('m');
    if (is_mesh) size.remove_suffix(1);
    const auto number = number_in<uint32_t>(size);
    if (!number || *number == 0) {
      return invalid(spec, fmt::format("'{}' is no size of a dimension",
                                       base::printable(parts.shape.substr(begin, end - begin))));
    }
    shape.sizes.push_back(*number);
    shape.wrap.push_back(is_torus && !is_mesh);
    begin = end + 1;
  }
  if (shape.sizes.size() > Torus::kMaxDimensions) {
    return invalid(spec, fmt::format("{} dimensions, but at most {} are supported",
                                     shape.sizes.size(), Torus::kMaxDimensions));
  }
  shape.order = known_torus_order(shape.sizes);
  if (parts.order) {
    auto order = order_in(*parts.order, shape.sizes.size(), spec);
    if (!order) return order.error();
    shape.order = std::move(order).value();
  }
  if (parts.ties) {
    if (*parts.ties != "parity" && *parts.ties != "simgrid") {
      return invalid(spec, fmt::format("ties '{}' is neither parity nor simgrid",
                                       base::printable(*parts.ties)));
    }
    shape.ties = *parts.ties == "simgrid" ? Ties::kSimGrid : Ties::kParity;
  }
  auto made = Torus::make(std::move(shape));
  if (!made) return invalid(spec, made.error().message);
  return std::unique_ptr<Network>(std::move(made).value());
}

template <class Made>
base::Result<std::unique_ptr<Network>> as_network(base::Result<std::unique_ptr<Made>> made) {
  if (!made) return made.error();
  return std::unique_ptr<Network>(std::move(made).value());
}

template <class Made, class Read>
base::Result<std::unique_ptr<Network>> from_file(std::string_view path, Read read) {
  auto file = base::MappedFile::open(std::string(path));
  if (!file) return file.error();
  return as_network<Made>(read(file.value().text(), std::string(path)));
}

base::Result<std::unique_ptr<Network>> fat_tree(const Parts& parts, std::string_view spec) {
  std::vector<std::vector<uint32_t>> lists;
  for (size_t begin = 0; begin <= parts.shape.size();) {
    const size_t end = std::min(parts.shape.find(';', begin), parts.shape.size());
    auto list = base::numbers_in<uint32_t>(parts.shape.substr(begin, end - begin), ',');
    if (!list || lists.size() == 3) {
      lists.clear();
      break;
    }
    lists.push_back(std::move(*list));
    begin = end + 1;
  }
  if (lists.size() < 2) {
    return invalid(
        spec,
        "expected xgft:M,...;W,... or xgft:M,...;W,...;P,... with whole numbers: children, "
        "parents and cables, the lowest tier first");
  }
  lists.resize(3);
  auto made = FatTree::make({lists[0], lists[1], lists[2]});
  if (!made) return invalid(spec, made.error().message);
  return std::unique_ptr<Network>(std::move(made).value());
}

base::Result<std::unique_ptr<Network>> network_of(const Parts& parts, std::string_view spec) {
  if (parts.kind == "torus" || parts.kind == "mesh") return torus(parts, spec);
  if (parts.order) return invalid(spec, fmt::format("a {} has no order", parts.kind));
  if (parts.ties) return invalid(spec, fmt::format("a {} has no ties", parts.kind));
  if (parts.kind == "xgft") return fat_tree(parts, spec);
  if (parts.kind == "tree") return from_file<Tree>(parts.shape, read_tree);
  if (parts.kind == "slurm") return from_file<Tree>(parts.shape, read_slurm_topology);
  if (parts.kind == "edges") return from_file<EdgeGraph>(parts.shape, read_edges);

  struct Form {
    std::string_view kind;
    size_t count;
    std::string_view expected;
  };
  static constexpr Form kNumbered[] = {
      {"dragonfly", 3, "A,P,H"}, {"xc40", 1, "G"}, {"fattree", 2, "K,N"}};
  const auto* form = std::find_if(std::begin(kNumbered), std::end(kNumbered),
                                  [&](const Form& f) { return f.kind == parts.kind; });
  if (form == std::end(kNumbered)) {
    return invalid(spec, fmt::format("unknown kind '{}'", base::printable(parts.kind)));
  }
  const auto numbers = base::numbers_in<uint32_t>(parts.shape, ',');
  if (!numbers || numbers->size() != form->count) {
    return invalid(spec,
                   fmt::format("expected {}:{} with whole numbers", form->kind, form->expected));
  }
  const std::vector<uint32_t>& n = *numbers;
  auto made = form->kind == "dragonfly" ? as_network<Dragonfly>(Dragonfly::make({n[0], n[1], n[2]}))
              : form->kind == "xc40"    ? as_network<Xc40>(Xc40::make(n[0]))
                                        : as_network<FatTree>(FatTree::make(n[0], n[1]));
  if (!made) return invalid(spec, made.error().message);
  return made;
}

}  // namespace

base::Result<Machine> parse_network(std::string_view spec) {
  auto parts = split(spec);
  if (!parts) return parts.error();
  Machine machine;
  if (const auto& text = parts.value().ranks_per_node) {
    const auto count = number_in<uint32_t>(*text);
    if (!count || *count == 0) {
      return invalid(spec,
                     fmt::format("'{}' is no number of ranks per node", base::printable(*text)));
    }
    machine.ranks_per_node = *count;
  }
  auto network = network_of(parts.value(), spec);
  if (!network) return network.error();
  machine.network = std::move(network).value();
  return machine;
}

}  // namespace pathline::network
