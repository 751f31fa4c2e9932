// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "graph/spectral_order.hpp"
#include "trace/select.hpp"
#include "trace/trace.hpp"

namespace pathline::comm {

enum class Order : uint8_t { kRank, kHost, kCommunicator, kSpectral };

/// "rank", "host", "communicator", "spectral".
/// errors  kInvalidArgument for another name; the message lists the known ones.
base::Result<Order> parse_order(std::string_view name);

/// Where each process stands in a picture.
struct ProcessOrder {
  std::vector<uint32_t> rank_at_position;  ///< The selected ranks.
  std::vector<uint32_t> position_of_rank;  ///< Per rank of the trace; UINT32_MAX if not selected.
  /// Hosts or slices of communicators, none else. A block ends where the next one begins.
  std::vector<uint32_t> block_begin;    ///< Per block: its first position.
  std::vector<std::string> block_name;  ///< Per block: "node17", "communicator row 3", "x = 1".
  std::string name;                     ///< "rank order", "spectral order (reverse Cuthill-McKee)".
  std::string remark;                   ///< Why it is not what was asked for; "" when it is.
  double score = 0;                     ///< Mean distance of a message (a byte), in positions.
  double rank_order_score = 0;          ///< The same in rank order.

  [[nodiscard]] uint32_t size() const { return static_cast<uint32_t>(rank_at_position.size()); }
  /// The position after a block's last.
  [[nodiscard]] uint32_t block_end(size_t block) const {
    return block + 1 < block_begin.size() ? block_begin[block + 1] : size();
  }
};

/// Orders the selected ranks:
///
///   kRank          by number
///   kHost          by the name of the host, numbers in it as numbers, then by rank; also when
///                  all ranks run on one
///   kCommunicator  by the coordinates of a Cartesian topology in the trace, if it has every rank,
///                  in slices of its first dimension; else by the finest partition that
///                  communicators smaller than the world give (rows of a grid), the ranks as they
///                  are numbered in it; of two as fine the one of the smaller score
///   kSpectral      of graph::spectral_order() and graph::rcm_order() the one of the smaller score
///
/// What the trace does not tell (no host, no communicators) gives rank order and a remark.
///
/// traffic  between all ranks of the trace; what goes to ranks not selected is left out.
/// weight   what the score counts; messages where no bytes were sent at all.
/// cost     O(ranks log ranks + pairs + members of communicators); kSpectral as said there.
ProcessOrder process_order(const trace::Trace& trace, const trace::Selection& selection,
                           const graph::Traffic& traffic, graph::Weight weight, Order order);

/// Name of the host that a rank runs on: the nearest node of class "node" or "host" above its
/// location group, else the nearest at all; "" if there is none.
std::string_view host_of(const trace::Trace& trace, uint32_t rank);

}  // namespace pathline::comm
