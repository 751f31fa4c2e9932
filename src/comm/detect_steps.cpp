// SPDX-License-Identifier: BSD-3-Clause
#include "comm/detect_steps.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/text.hpp"
#include "comm/call_items.hpp"
#include "steps/main_loop.hpp"
#include "steps/repetition.hpp"

namespace pathline::comm {
namespace {

using steps::Repetition;

/// A piece that begins the periods of a rank.
struct Cut {
  Detail detail = Detail::kFunction;
  uint64_t key = 0;
  uint32_t length = 0;
  uint64_t count = 0;
  double irregularity = 0;
  uint32_t first =
      0;  // Where it is on this rank; what lies before is start-up, behind it shut-down.
  uint32_t last = 0;
  [[nodiscard]] bool same_piece(const Cut& other) const {
    return detail == other.detail && key == other.key && length == other.length;
  }
};

/// What one rank says.
struct Vote {
  uint64_t calls = 0;
  std::optional<Cut> cut;
  double outermost = 0;  // As in Detection, as are the next two.
  uint64_t outer_count = 0;
  uint64_t outer_holds = 0;
  std::vector<Cut> others;  // Other pieces that cut the same loop by functions, the best first.
};

class Detector {
 public:
  Detector(const trace::Trace& trace, base::ThreadPool& pool)
      : trace_(trace),
        pool_(pool),
        classes_(trace::call_classes(trace.definitions)),
        votes_(trace.rank_count),
        cuts_(trace.rank_count) {}

  Detection run() {
    result_.windows.resize(trace_.rank_count);
    pool_.for_each(votes_.size(), [&](size_t rank) { votes_[rank] = vote(rank); });
    if (!agree()) return std::move(result_);
    std::vector<double> shares(votes_.size());
    std::vector<std::string> beginnings(votes_.size());
    pool_.for_each(votes_.size(), [&](size_t rank) {
      if (cuts_[rank]) cut(rank, shares[rank], beginnings[rank]);
    });
    summarise(shares, beginnings);
    return std::move(result_);
  }

 private:
  [[nodiscard]] const trace::Events* events_of(size_t rank) const {
    const uint32_t location = trace_.rank_location[rank];
    return location == base::IdMap::kNone ? nullptr : &trace_.locations[location].events;
  }

  struct Found : Repetition {
    Detail detail;
  };

  /// The repetitions of one rank at several levels of detail, the outermost loops first.
  static std::vector<Found> repetitions_in(const std::vector<Item>& items,
                                           std::initializer_list<Detail> details) {
    std::vector<Found> all;
    for (const Detail detail : details) {
      for (Repetition& repetition : steps::find_repetitions(symbols_of(items, detail))) {
        all.push_back({std::move(repetition), detail});
      }
    }
    std::vector<uint64_t> calls_before;
    calls_before.reserve(items.size());
    uint64_t calls = 0;
    for (const Item& item : items) {
      calls_before.push_back(calls);
      calls += item.calls;
    }
    for (const Detail detail : details) erase_random(all, detail, calls_before);
    std::stable_sort(all.begin(), all.end(), steps::outer_first);
    return all;
  }

  /// Erases loops that are none, with what was found around them only.
  static void erase_random(std::vector<Found>& all, Detail detail,
                           const std::vector<uint64_t>& calls_before) {
    const auto is_loop = [&](const Found& found) {
      return found.detail == detail && !found.by_inner;
    };
    const bool had_loops = std::any_of(all.begin(), all.end(), is_loop);
    std::erase_if(all, [&](const Found& found) {
      return is_loop(found) && has_random_runs(calls_before, found.starts);
    });
    if (std::any_of(all.begin(), all.end(), is_loop)) return;
    std::erase_if(all, [&](const Found& found) {
      return found.detail == detail && (had_loops || has_random_runs(calls_before, found.starts));
    });
  }

  /// Two functions in random order alternate strictly once the runs of each are joined. The number
  /// of calls from turn to turn tells: for random runs the mean of |x - y| / (x + y) is 0.28 or
  /// more, for loops that do a little more or less from turn to turn about 0.05.
  ///
  /// calls_before  of each item, how many calls stand before it.
  static bool has_random_runs(const std::vector<uint64_t>& calls_before,
                              const std::vector<uint32_t>& starts) {
    constexpr double kRandom = 0.2;
    std::vector<double> calls;
    for (size_t i = 1; i < starts.size(); ++i) {
      calls.push_back(static_cast<double>(calls_before[starts[i]] - calls_before[starts[i - 1]]));
    }
    double sum = 0;
    for (size_t i = 1; i < calls.size(); ++i) {
      sum += std::abs(calls[i] - calls[i - 1]) / (calls[i] + calls[i - 1]);
    }
    return calls.size() > 1 && sum > kRandom * static_cast<double>(calls.size() - 1);
  }

  /// How far one may believe that no larger loop is around the one that was found. The values are
  /// no frequencies, they only put the cases in their order.
  static double outermost(const steps::MainLoop& main, const Repetition& loop,
                          const std::vector<Item>& items) {
    constexpr double kBest = 0.97;  // Only a program that marks its steps knows.
    constexpr double kDoubtful = 0.7;
    constexpr double kFew = 0.8;
    constexpr size_t kFewTurns = 5;
    double sure = loop.starts.size() < kFewTurns ? kBest * kFew : kBest;
    if (main.outer_count > 0) return sure * kDoubtful;
    if (main.holds_loop) return sure;
    // Without a loop inside it may be one itself. Stages and exchanges with one partner have no
    // operation of all ranks, iterations of a solver have several for each exchange.
    uint64_t collectives = 0;
    uint64_t exchanges = 0;
    for (size_t i = loop.starts.front(); i < loop.starts.back(); ++i) {
      const bool is_collective = items[i].by_function.is_collective;
      if (is_collective) ++collectives;
      if (!is_collective && items[i + 1].by_function.is_collective) ++exchanges;
    }
    const size_t turns = loop.starts.size() - 1;
    const bool like_inner = 2 * collectives < turns || collectives >= 2 * exchanges;
    return like_inner ? sure * kDoubtful : sure;
  }

  [[nodiscard]] Vote vote(size_t rank) const {
    Vote vote;
    const trace::Events* events = events_of(rank);
    if (events == nullptr) return vote;
    std::vector<Item> items = items_of(*events, classes_, false);
    for (const Item& item : items) vote.calls += item.calls;
    auto found = peers_say_more(items) ? repetitions_in(items, {Detail::kFunction, Detail::kPeers})
                                       : repetitions_in(items, {Detail::kFunction});
    if (found.empty()) {
      items = items_of(*events, classes_, true);
      found = repetitions_in(items, {Detail::kEachCall});
    }
    if (found.empty()) return vote;
    std::vector<const Repetition*> list;
    list.reserve(found.size());
    for (const Found& repetition : found) list.push_back(&repetition);
    std::vector<uint64_t> details;
    details.reserve(items.size());
    for (const Item& item : items) details.push_back(item.key_by_peers);
    const steps::MainLoop main = steps::main_loop(list, details);
    const size_t best = main.index;
    const auto to_cut = [&](size_t i) {
      return Cut{found[i].detail,        found[i].key,          found[i].length,
                 found[i].starts.size(), found[i].irregularity, found[i].starts.front(),
                 found[i].starts.back()};
    };
    vote.cut = to_cut(best);
    vote.outermost = outermost(main, found[best], items);
    vote.outer_count = main.outer_count;
    vote.outer_holds = main.outer_holds;
    constexpr size_t kMostOthers = 64;
    for (size_t i = 0; i < found.size() && vote.others.size() < kMostOthers; ++i) {
      if (steps::same_loop(found[i].starts.size(), vote.cut->count)) {
        vote.others.push_back(to_cut(i));
      }
    }
    return vote;
  }

  /// Finds the number of periods that most ranks agree on, and one piece that begins them on all of
  /// these ranks if there is one.
  bool agree() {
    uint64_t voters = 0;
    uint64_t most = 0;
    for (const Vote& vote : votes_) {
      if (!vote.cut) continue;
      ++voters;
      const uint64_t count = vote.cut->count;
      const auto support =
          static_cast<uint64_t>(std::count_if(votes_.begin(), votes_.end(), [&](const Vote& other) {
            return other.cut && steps::same_loop(other.cut->count, count);
          }));
      if (support > most || (support == most && count > result_.count)) {
        most = support;
        result_.count = count;
      }
      if (2 * support > votes_.size()) break;  // No other count can have as many.
    }
    if (2 * most <= votes_.size()) {
      result_.count = 0;
      result_.reason = voters == 0
                           ? "the calls of no rank repeat more regularly than chance would have it"
                           : fmt::format(
                                 "only {} of {} ranks find the same number of periods in their "
                                 "calls",
                                 most, votes_.size());
      return false;
    }
    result_.agreeing_ranks = most;
    const Cut shared = shared_cut();
    for (size_t rank = 0; rank < votes_.size(); ++rank) {
      const Vote& vote = votes_[rank];
      if (!vote.cut || !steps::same_loop(vote.cut->count, result_.count)) continue;
      cuts_[rank] = vote.cut;
      for (const Cut& other : vote.others) {
        if (other.same_piece(shared)) cuts_[rank] = other;
      }
    }
    return true;
  }

  /// The piece that the most ranks know; of these the one that comes first on the lowest rank.
  [[nodiscard]] Cut shared_cut() const {
    const auto agreeing = std::find_if(votes_.begin(), votes_.end(), [&](const Vote& vote) {
      return vote.cut && steps::same_loop(vote.cut->count, result_.count);
    });
    Cut best = *agreeing->cut;
    uint64_t best_support = support_of(best);
    for (const Cut& cut : agreeing->others) {
      const uint64_t support = support_of(cut);
      if (support <= best_support) continue;
      best = cut;
      best_support = support;
    }
    return best;
  }
  [[nodiscard]] uint64_t support_of(const Cut& cut) const {
    return static_cast<uint64_t>(std::count_if(votes_.begin(), votes_.end(), [&](const Vote& vote) {
      return std::any_of(vote.others.begin(), vote.others.end(),
                         [&](const Cut& other) { return other.same_piece(cut); });
    }));
  }

  /// Cuts one rank. share: of its calls that lie in periods.
  void cut(size_t rank, double& share, std::string& beginning) {
    const Cut& cut = *cuts_[rank];
    const trace::Events& events = *events_of(rank);
    const std::vector<Item> items = items_of(events, classes_, cut.detail == Detail::kEachCall);
    auto starts = steps::starts_of(symbols_of(items, cut.detail), cut.key, cut.length);
    std::erase_if(starts, [&](uint32_t start) { return start < cut.first || start > cut.last; });
    auto& windows = result_.windows[rank];
    for (size_t i = 0; i < starts.size(); ++i) {
      const uint64_t begin = events.ticks[items[starts[i]].first.enter];
      if (i > 0) windows.back().end_ticks = begin;
      windows.push_back({static_cast<uint32_t>(i), begin, begin});
    }
    // Nobody knows where the last one ends: it is given as many calls as the one before.
    const size_t last =
        std::min<size_t>(items.size(), starts.back() + (starts.back() - starts[starts.size() - 2]));
    windows.back().end_ticks = events.ticks[items[last - 1].first.leave];
    uint64_t inside = 0;
    for (size_t i = starts.front(); i < last; ++i) inside += items[i].calls;
    share = static_cast<double>(inside) / static_cast<double>(votes_[rank].calls);
    for (size_t i = starts.front(); i < starts.front() + cut.length; ++i) {
      if (!beginning.empty()) beginning += ", ";
      beginning +=
          base::printable(trace_.definitions.regions[events.region(items[i].first.enter)].name);
      if (items[i].bytes > 0) beginning += fmt::format(" of {} bytes", items[i].bytes);
    }
  }

  void summarise(const std::vector<double>& shares, const std::vector<std::string>& beginnings) {
    double all_calls = 0;
    double inside_calls = 0;
    uint64_t window_ticks = 0;
    uint64_t window_count = 0;
    double regularity = 0;
    double outermost = 0;
    for (size_t rank = 0; rank < votes_.size(); ++rank) {
      const auto calls = static_cast<double>(votes_[rank].calls);
      all_calls += calls;
      inside_calls += shares[rank] * calls;
      if (!cuts_[rank]) continue;
      if (result_.begins_with.empty()) {
        result_.begins_with = beginnings[rank];
        result_.outer_count = votes_[rank].outer_count;
        result_.outer_holds = votes_[rank].outer_holds;
      }
      outermost += votes_[rank].outermost;
      regularity += 1 - cuts_[rank]->irregularity;
      window_count += result_.windows[rank].size();
      const auto& windows = result_.windows[rank];
      window_ticks += windows.back().end_ticks - windows.front().begin_ticks;
    }
    result_.calls =
        static_cast<uint64_t>(std::llround(inside_calls / static_cast<double>(window_count)));
    result_.call_share = inside_calls / all_calls;
    const double run_ticks = static_cast<double>(trace_.end_ticks - trace_.start_ticks) *
                             static_cast<double>(votes_.size());
    result_.time_share = run_ticks > 0 ? static_cast<double>(window_ticks) / run_ticks : 0;
    const auto agreeing = static_cast<double>(result_.agreeing_ranks);
    result_.regularity = regularity / agreeing;
    result_.outermost = outermost / agreeing;
    result_.certainty = agreeing / static_cast<double>(votes_.size()) * result_.call_share *
                        result_.regularity * result_.outermost;
  }

  const trace::Trace& trace_;
  base::ThreadPool& pool_;
  const std::vector<trace::CallClass> classes_;
  std::vector<Vote> votes_;
  std::vector<std::optional<Cut>> cuts_;  // Per rank that agrees.
  Detection result_;
};

}  // namespace

const char* Detection::certainty_word() const {
  return certainty >= 0.8 ? "high" : certainty >= 0.5 ? "medium" : "low";
}

Detection detect_steps(const trace::Trace& trace, base::ThreadPool& pool) {
  return Detector(trace, pool).run();
}

}  // namespace pathline::comm
