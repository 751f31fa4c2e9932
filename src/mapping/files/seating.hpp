// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mapping/files/placement_file.hpp"

namespace pathline::mapping {

/// Collects what the lines of a placement file say, in any order, and makes a placement of it.
class Seating {
 public:
  Seating(std::string_view file_name, const NodeNames& names, const PlacementQuestion& question);

  /// An error that begins with the file's name, and the line if that is not 0.
  [[nodiscard]] base::Error fault(base::ErrorCode code, size_t line, std::string_view fact,
                                  std::string advice = {}) const;
  [[nodiscard]] base::Error corrupt(size_t line, std::string_view fact) const {
    return fault(base::ErrorCode::kCorrupt, line, fact);
  }
  [[nodiscard]] const NodeNames& names() const { return names_; }
  [[nodiscard]] const PlacementQuestion& question() const { return question_; }
  [[nodiscard]] uint32_t rank_count() const { return static_cast<uint32_t>(line_.size()); }

  /// slot  where the rank is on its node; see number_slots(). Any order will do.
  base::Status place(size_t line, uint32_t rank, network::Vertex node, uint64_t slot);
  base::Result<network::Vertex> node_of_host(size_t line, std::string_view host) const;
  base::Result<uint32_t> rank_in(size_t line, std::string_view word) const;
  /// Slots are no numbers of cores: those of a node are numbered in their order, equal ones in the
  /// order of ranks.
  void number_slots() { number_slots_ = true; }

  base::Result<Placement> finish();

 private:
  [[nodiscard]] std::string who(uint32_t rank) const;
  [[nodiscard]] base::Status check_missing() const;
  [[nodiscard]] base::Status check_node(const std::vector<uint32_t>& ranks, size_t begin,
                                        size_t end) const;

  std::string file_name_;
  const NodeNames& names_;
  PlacementQuestion question_;
  bool number_slots_ = false;
  // Per rank; line 0: not placed.
  std::vector<size_t> line_;
  std::vector<network::Vertex> node_;
  std::vector<uint64_t> slot_;
};

}  // namespace pathline::mapping
