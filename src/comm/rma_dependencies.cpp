// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <tuple>

#include "comm/dependency_part.hpp"

namespace pathline::comm {
namespace {

using trace::EventKind;

enum class Access : uint8_t { kNone, kPost, kStart, kComplete, kWait };

/// The first call from `first` to `last` that had not ended when `target` began: where a lane stood
/// that waited for it. It may be any of them: MPI_Win_start and MPI_Win_lock return at once where
/// the library waits later.
uint32_t waiting_call(const MpiCalls& calls, uint32_t first, uint32_t last, uint32_t target) {
  for (uint32_t call = first; call < last; ++call) {
    if (calls.is(call, kTalks) && calls.end_ticks[call] >= calls.begin_ticks[target]) return call;
  }
  return last;
}

class RmaDependencies {
 public:
  RmaDependencies(const trace::Trace& trace, const MpiCalls& calls, uint32_t first_set,
                  DependencyPart& part)
      : trace_(trace), calls_(calls), first_set_(first_set), part_(part) {
    for (const trace::RegionDefinition& region : trace.definitions.regions) {
      std::string name(region.name);
      for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      access_.push_back(name == "mpi_win_post"                             ? Access::kPost
                        : name == "mpi_win_start"                          ? Access::kStart
                        : name == "mpi_win_complete"                       ? Access::kComplete
                        : name == "mpi_win_wait" || name == "mpi_win_test" ? Access::kWait
                                                                           : Access::kNone);
    }
  }

  uint32_t run() {
    for (uint32_t lane = 0; lane < calls_.rma.size(); ++lane) collect(lane);
    for (const auto& [key, members] : groups_) {
      part_.add_group(WaitKind::kFence, first_set_ + std::get<0>(key), members);
    }
    for (const auto& [key, channel] : channels_) add_channel(channel);
    for (auto& [key, epochs] : locks_) add_locks(epochs);
    return static_cast<uint32_t>(windows_.size());
  }

 private:
  enum What : uint8_t { kCreate, kSynchronise, kDestroy };
  struct Start {
    uint32_t start;
    uint32_t complete;
  };
  /// What an origin and a target of a window do, in the order of time: the k-th of one belongs to
  /// the k-th of the others.
  struct Channel {
    std::vector<Start> starts;
    std::vector<uint32_t> posts;
    std::vector<uint32_t> waits;
  };
  struct Epoch {
    uint32_t lock;
    uint32_t unlock;
    bool exclusive;
  };

  /// Windows by the order in which they appear.
  uint32_t window(uint32_t id) {
    return windows_.try_emplace(id, static_cast<uint32_t>(windows_.size())).first->second;
  }

  void collect(uint32_t lane) {
    if (calls_.rma[lane].empty()) return;
    std::map<std::pair<uint32_t, What>, uint32_t> sequence;
    std::map<std::pair<uint32_t, uint32_t>, Epoch> open;
    uint32_t synchronised = kNoCall;  // The call that told of itself as a collective operation.
    const std::vector<RmaEvent>& list = calls_.rma[lane];
    for (size_t k = 0; k < list.size(); ++k) {
      const uint32_t call = list[k].call;
      const auto& fields = list[k].fields;
      const auto join_group = [&](uint32_t win, What what) {
        const uint32_t of = window(win);
        groups_[{of, what, sequence[{of, what}]++}].push_back({call, call, calls_.end_ticks[call]});
      };
      switch (list[k].kind) {
        case EventKind::kRmaCollectiveEnd:
          synchronised = call;
          join_group(fields[2], kSynchronise);
          break;
        case EventKind::kRmaWinCreate:
        case EventKind::kRmaWinDestroy: {
          const bool told =
              synchronised == call || (k + 1 < list.size() && list[k + 1].call == call &&
                                       list[k + 1].kind == EventKind::kRmaCollectiveEnd);
          const bool creates = list[k].kind == EventKind::kRmaWinCreate;
          if (!told) join_group(fields[0], creates ? kCreate : kDestroy);
          break;
        }
        case EventKind::kRmaGroupSync: synchronise(lane, call, fields[1], fields[2]); break;
        case EventKind::kRmaRequestLock:
        case EventKind::kRmaAcquireLock:
          open.try_emplace({window(fields[0]), fields[1]}, Epoch{call, call, fields[4] == 0});
          break;
        case EventKind::kRmaReleaseLock: {
          const auto at = open.find({window(fields[0]), fields[1]});
          if (at == open.end()) break;
          at->second.unlock = call;
          locks_[at->first].push_back(at->second);
          open.erase(at);
          break;
        }
        default: break;
      }
    }
  }

  /// Ranks of a group of MPI.
  [[nodiscard]] std::vector<uint32_t> ranks_of(uint32_t group_id) const {
    std::vector<uint32_t> ranks;
    const uint32_t index = trace_.definitions.group_index(group_id);
    if (index == base::IdMap::kNone) return ranks;
    const trace::Group& group = trace_.definitions.groups[index];
    for (const uint64_t member : group.members) {
      if (!group.global_members) {
        if (member < trace_.rank_count) ranks.push_back(static_cast<uint32_t>(member));
        continue;
      }
      const uint32_t location = trace_.definitions.location_index(member);
      if (location == base::IdMap::kNone) continue;
      const trace::Rank rank = trace_.locations[location].rank;
      if (rank.valid()) ranks.push_back(rank);
    }
    return ranks;
  }

  void synchronise(uint32_t lane, uint32_t call, uint32_t win, uint32_t group) {
    const uint32_t region = calls_.region[call];
    if (region >= access_.size() || access_[region] == Access::kNone) return;
    const uint32_t me = calls_.lanes[lane].rank;
    for (const uint32_t peer : ranks_of(group)) {
      const bool is_origin =
          access_[region] == Access::kStart || access_[region] == Access::kComplete;
      Channel& channel = channels_[{window(win), is_origin ? me : peer, is_origin ? peer : me}];
      switch (access_[region]) {
        case Access::kPost: channel.posts.push_back(call); break;
        case Access::kStart: channel.starts.push_back({call, kNoCall}); break;
        case Access::kComplete:
          if (!channel.starts.empty()) channel.starts.back().complete = call;
          break;
        case Access::kWait: channel.waits.push_back(call); break;
        case Access::kNone: break;
      }
    }
  }

  void add_channel(const Channel& channel) {
    for (size_t k = 0; k < channel.starts.size(); ++k) {
      const auto [start, complete] = channel.starts[k];
      if (k < channel.posts.size()) {
        const uint32_t post = channel.posts[k];
        const uint32_t last = complete == kNoCall ? start : complete;
        const uint32_t call = waiting_call(calls_, start, last, post);
        part_.add(calls_, call, post, WaitKind::kLatePost, calls_.end_ticks[call]);
      }
      if (k < channel.waits.size() && complete != kNoCall) {
        part_.add(calls_, channel.waits[k], complete, WaitKind::kLateComplete,
                  calls_.end_ticks[channel.waits[k]]);
      }
    }
  }

  /// A lock goes from holder to holder in the order in which they release it. One that had to wait
  /// itself hands on whom it waited for: several in a row wait for the one that held it long.
  void add_locks(std::vector<Epoch>& epochs) {
    std::stable_sort(epochs.begin(), epochs.end(), [&](const Epoch& a, const Epoch& b) {
      return calls_.end_ticks[a.unlock] < calls_.end_ticks[b.unlock];
    });
    uint32_t exclusive = kNoCall;  // Whose unlock the next one waits for, by what went before.
    uint32_t shared = kNoCall;
    const auto later = [&](uint32_t a, uint32_t b) {
      if (a == kNoCall || b == kNoCall) return a == kNoCall ? b : a;
      return calls_.begin_ticks[b] > calls_.begin_ticks[a] ? b : a;
    };
    for (const Epoch& epoch : epochs) {
      const uint32_t holder = epoch.exclusive ? later(exclusive, shared) : exclusive;
      if (holder != kNoCall) {
        const uint32_t call = waiting_call(calls_, epoch.lock, epoch.unlock, holder);
        // In a lane of its own the order is known.
        if (calls_.lane_of(call) != calls_.lane_of(holder)) {
          part_.add(calls_, call, holder, WaitKind::kLock, calls_.end_ticks[call]);
        }
      }
      const uint32_t released = later(holder, epoch.unlock);
      (epoch.exclusive ? exclusive : shared) = epoch.exclusive ? released : later(shared, released);
      if (epoch.exclusive) shared = kNoCall;
    }
  }

  const trace::Trace& trace_;
  const MpiCalls& calls_;
  const uint32_t first_set_;
  DependencyPart& part_;
  std::vector<Access> access_;  // By region.
  std::map<uint32_t, uint32_t> windows_;
  std::map<std::tuple<uint32_t, What, uint32_t>, std::vector<GroupMember>> groups_;
  std::map<std::tuple<uint32_t, uint32_t, uint32_t>, Channel> channels_;  // Window, origin, target.
  std::map<std::pair<uint32_t, uint32_t>, std::vector<Epoch>> locks_;     // Window, target.
};

}  // namespace

uint32_t add_rma(const trace::Trace& trace, const MpiCalls& calls, uint32_t first_set,
                 DependencyPart& part) {
  return RmaDependencies(trace, calls, first_set, part).run();
}

}  // namespace pathline::comm
