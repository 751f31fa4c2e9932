// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace pathline::campaign {

/// Packages that are to run: which may begin, and which of them fits.
class WorkQueue {
 public:
  /// budget  cores at a time; 0: no bound.
  WorkQueue(std::vector<uint32_t> cores, uint32_t budget)
      : cores_(std::move(cores)),
        waits_for_(cores_.size()),
        behind_(cores_.size()),
        budget_(budget) {}

  /// `package` begins once `before` is done.
  void comes_after(uint32_t package, uint32_t before, bool is_done) {
    behind_[before].push_back(package);
    waits_for_[package] += is_done ? 0 : 1;
  }
  [[nodiscard]] bool may_begin(uint32_t package) const { return waits_for_[package] == 0; }
  [[nodiscard]] const std::vector<uint32_t>& behind(uint32_t package) const {
    return behind_[package];
  }
  /// One less that it waits for.
  void one_done(uint32_t package) { --waits_for_[package]; }

  void make_ready(uint32_t package) { ready_[share_of(package)].insert(package); }
  [[nodiscard]] bool any_ready() const { return !ready_.empty(); }

  /// The first of those that are ready and fit beside what runs; UINT32_MAX for none. It is taken
  /// out, and its cores are in use until give_back().
  uint32_t take();
  void use(uint32_t package) { used_ += share_of(package); }
  void give_back(uint32_t package) { used_ -= share_of(package); }

  [[nodiscard]] uint32_t cores_of(uint32_t package) const { return cores_[package]; }
  [[nodiscard]] bool is_too_wide(uint32_t package) const {
    return budget_ > 0 && cores_[package] > budget_;
  }

 private:
  /// Cores that a run takes of the budget: not more than there are.
  [[nodiscard]] uint32_t share_of(uint32_t package) const {
    return is_too_wide(package) ? budget_ : cores_[package];
  }

  std::vector<uint32_t> cores_;
  std::vector<uint32_t> waits_for_;
  std::vector<std::vector<uint32_t>> behind_;
  std::map<uint32_t, std::set<uint32_t>> ready_;  // By cores.
  uint32_t budget_;
  uint32_t used_ = 0;
};

}  // namespace pathline::campaign
