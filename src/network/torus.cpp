// SPDX-License-Identifier: BSD-3-Clause
#include "network/torus.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include <fmt/format.h>

namespace pathline::network {
namespace {

constexpr uint64_t kMaxNodes = uint64_t{1} << 20;
constexpr uint32_t kMaxSize = 1 << 16;

base::Error invalid(std::string message) {
  return {base::ErrorCode::kInvalidArgument, std::move(message)};
}

/// Steps from `from` to `to` along a dimension; negative: the minus way.
int32_t steps_along(uint32_t from, uint32_t to, uint32_t size, bool wrap, Ties ties) {
  const auto straight = static_cast<int32_t>(to) - static_cast<int32_t>(from);
  if (!wrap) return straight;
  const auto ring = static_cast<int32_t>(size);
  const int32_t plus = straight < 0 ? straight + ring : straight;
  if (2 * plus == ring) {
    const bool minus = ties == Ties::kSimGrid ? 2 * from == size : from % 2 == 1;
    return minus ? -plus : plus;
  }
  return 2 * plus < ring ? plus : plus - ring;
}

}  // namespace

base::Result<std::unique_ptr<Torus>> Torus::make(TorusShape shape) {
  const size_t count = shape.sizes.size();
  if (count == 0 || count > kMaxDimensions) {
    return invalid(fmt::format("a torus has 1 to {} dimensions, not {}", kMaxDimensions, count));
  }
  uint64_t nodes = 1;
  for (const uint32_t size : shape.sizes) {
    if (size == 0) return invalid("a dimension of a torus has size 0");
    nodes *= size;
    if (size > kMaxSize || nodes > kMaxNodes) {
      return invalid(fmt::format("a torus of {} is too large: at most {} nodes, {} in a row",
                                 fmt::join(shape.sizes, "x"), kMaxNodes, kMaxSize));
    }
  }
  shape.wrap.resize(count, true);
  if (shape.order.empty()) {
    shape.order.resize(count);
    std::iota(shape.order.begin(), shape.order.end(), 0U);
  }
  std::vector<uint32_t> sorted = shape.order;
  std::sort(sorted.begin(), sorted.end());
  for (size_t d = 0; d < std::max(count, sorted.size()); ++d) {
    if (sorted.size() != count || sorted[d] != d) {
      return invalid(
          fmt::format("the order of a torus of {} must name each of its {} dimensions once",
                      fmt::join(shape.sizes, "x"), count));
    }
  }
  return std::unique_ptr<Torus>(new Torus(std::move(shape)));
}

Torus::Torus(TorusShape shape) : shape_(std::move(shape)) {
  const size_t count = shape_.sizes.size();
  stride_.assign(count, 1);
  for (size_t d = count - 1; d-- > 0;) stride_[d] = stride_[d + 1] * shape_.sizes[d + 1];
  const uint32_t nodes = stride_[0] * shape_.sizes[0];

  std::vector<Dimension> dimensions;
  for (size_t d = 0; d < count; ++d) {
    dimensions.push_back({torus_dimension_name(d), shape_.sizes[d]});
  }
  address_.resize(size_t{nodes} * count);
  std::vector<Ends> ends(size_t{nodes} * 2 * count);
  for (uint32_t v = 0; v < nodes; ++v) {
    for (size_t d = 0; d < count; ++d) {
      const uint32_t size = shape_.sizes[d];
      const uint32_t at = coordinate(Vertex(v), d);
      address_[v * count + d] = static_cast<uint16_t>(at);
      const size_t link = v * 2 * count + 2 * d;
      const auto join = [&](size_t number, uint32_t to) {
        ends[number] = {Vertex(v), Vertex(v - at * stride_[d] + to * stride_[d])};
      };
      if (at + 1 < size) {
        join(link, at + 1);
      } else if (shape_.wrap[d] && size > 1) {
        join(link, 0);
      }
      if (shape_.wrap[d] && size == 2) continue;
      if (at > 0) {
        join(link + 1, at - 1);
      } else if (shape_.wrap[d] && size > 1) {
        join(link + 1, size - 1);
      }
    }
  }
  set_links(nodes, nodes, std::move(ends), std::move(dimensions));
}

std::string Torus::spec() const { return spec_of(shape_); }

uint32_t Torus::distance(Vertex from, Vertex to) const {
  const size_t count = shape_.sizes.size();
  const uint16_t* a = address_.data() + size_t{from} * count;
  const uint16_t* b = address_.data() + size_t{to} * count;
  uint32_t sum = 0;
  for (size_t d = 0; d < count; ++d) {
    const uint32_t straight = a[d] < b[d] ? b[d] - a[d] : a[d] - b[d];
    sum += shape_.wrap[d] ? std::min(straight, shape_.sizes[d] - straight) : straight;
  }
  return sum;
}

void Torus::route(Vertex from, Vertex to, std::vector<Link>& links) const {
  const size_t count = shape_.sizes.size();
  uint32_t v = from;
  for (const uint32_t d : shape_.order) {
    const uint32_t size = shape_.sizes[d];
    uint32_t at = coordinate(Vertex(v), d);
    int32_t steps = steps_along(at, coordinate(to, d), size, shape_.wrap[d], shape_.ties);
    const bool minus = steps < 0;
    // In a ring of two both ways are the plus link.
    const size_t way = minus && !(shape_.wrap[d] && size == 2) ? 1 : 0;
    for (; steps != 0; steps += minus ? 1 : -1) {
      links.emplace_back(v * 2 * count + 2 * d + way);
      const uint32_t next = minus ? (at == 0 ? size - 1 : at - 1) : (at + 1 == size ? 0 : at + 1);
      v = v - at * stride_[d] + next * stride_[d];
      at = next;
    }
  }
}

uint32_t Torus::diameter() const {
  uint32_t sum = 0;
  for (size_t d = 0; d < shape_.sizes.size(); ++d) {
    sum += shape_.wrap[d] ? shape_.sizes[d] / 2 : shape_.sizes[d] - 1;
  }
  return sum;
}

void Torus::coordinates(Vertex node, std::span<uint32_t> address) const {
  for (size_t d = 0; d < shape_.sizes.size(); ++d) address[d] = coordinate(node, d);
}

Vertex Torus::node(std::span<const uint32_t> address) const {
  if (address.size() != shape_.sizes.size()) return Vertex::none();
  uint32_t v = 0;
  for (size_t d = 0; d < address.size(); ++d) {
    if (address[d] >= shape_.sizes[d]) return Vertex::none();
    v += address[d] * stride_[d];
  }
  return Vertex(v);
}

std::string spec_of(const TorusShape& shape) {
  std::string text;
  const bool any_wrap = std::any_of(shape.wrap.begin(), shape.wrap.end(), [](bool w) { return w; });
  for (size_t d = 0; d < shape.sizes.size(); ++d) {
    text += fmt::format("{}{}{}", d > 0 ? "x" : "", shape.sizes[d],
                        any_wrap && !shape.wrap[d] ? "m" : "");
  }
  text = (any_wrap ? "torus:" : "mesh:") + text + ",order=";
  for (const uint32_t d : shape.order) text += torus_dimension_name(d);
  if (shape.ties == Ties::kSimGrid) text += ",ties=simgrid";
  return text;
}

std::string torus_dimension_name(size_t dimension) {
  return std::string(1, static_cast<char>('A' + dimension));
}

std::vector<uint32_t> known_torus_order(std::span<const uint32_t> sizes) {
  struct Partition {
    std::array<uint32_t, 5> sizes;
    const char* order;
  };
  // Where the data left the place of a dimension open, any order that agrees with all of it.
  static constexpr Partition kPartitions[] = {
      {{2, 2, 2, 2, 2}, "DCBAE"},  {{2, 2, 4, 2, 2}, "DBACE"},  {{2, 2, 4, 4, 2}, "BACDE"},
      {{4, 2, 4, 4, 2}, "BACDE"},  {{4, 4, 4, 4, 2}, "ABCDE"},  {{4, 4, 4, 8, 2}, "DABCE"},
      {{4, 4, 4, 16, 2}, "DBACE"}, {{8, 4, 4, 16, 2}, "DACBE"}, {{4, 4, 16, 16, 2}, "CDABE"}};
  std::vector<uint32_t> order(sizes.size());
  std::iota(order.begin(), order.end(), 0U);
  for (const Partition& known : kPartitions) {
    if (!std::equal(sizes.begin(), sizes.end(), known.sizes.begin(), known.sizes.end())) continue;
    for (size_t i = 0; i < order.size(); ++i)
      order[i] = static_cast<uint32_t>(known.order[i] - 'A');
  }
  return order;
}

}  // namespace pathline::network
