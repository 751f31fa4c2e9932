// SPDX-License-Identifier: BSD-3-Clause
#include "comm/message_sizes.hpp"

#include <algorithm>
#include <bit>
#include <iterator>
#include <utility>

namespace pathline::comm {
namespace {

size_t size_class(uint64_t bytes) { return (static_cast<size_t>(std::bit_width(bytes)) + 2) / 3; }

uint64_t key_of(const TinyPair& pair) { return uint64_t{pair.sender} << 32U | pair.receiver; }

template <class Visit>
void for_each_sum(MessageSizes& sizes, Visit visit) {
  for (SizeSum& sum : sizes.messages) visit(sum);
  for (SizeSum& sum : sizes.operations) visit(sum);
}

}  // namespace

void SizeSum::add(const SizeSum& other) {
  min_bytes = std::min(min_bytes, other.min_bytes);
  max_bytes = std::max(max_bytes, other.max_bytes);
  count += other.count;
  bytes += other.bytes;
  timed += other.timed;
  ticks = static_cast<int64_t>(static_cast<uint64_t>(ticks) + static_cast<uint64_t>(other.ticks));
}

MessageSizes message_sizes(const trace::Trace& trace, const trace::Selection& selection) {
  GrowingMessageSizes growing;
  for (size_t i = 0; i < trace.messages.size(); ++i) {
    if (selection.has_message(trace.messages, i)) growing.add_message(trace.messages, i);
  }
  const trace::Collectives& all = trace.collectives;
  for (size_t operation = 0; operation < all.size(); ++operation) {
    SizeSum& sum = growing.sizes_.operations[all.operation[operation]];
    bool counted = false;
    for (uint32_t m = all.first[operation]; m < all.first[operation + 1]; ++m) {
      const trace::Rank rank = trace.locations[all.location[m]].rank;
      if (!selection.has_time(all.begin_ticks[m])) continue;
      if (!rank.valid() ? !selection.ranks.empty() : !selection.has_rank(rank)) continue;
      sum.count += counted ? 0 : 1;
      counted = true;
      sum.bytes += all.bytes_sent[m];
      sum.size(std::max(all.bytes_sent[m], all.bytes_received[m]));
      sum.time(all.begin_ticks[m], all.end_ticks[m]);
    }
  }
  return growing.finish();
}

void GrowingMessageSizes::add(const trace::Messages& messages) {
  for (size_t i = 0; i < messages.size(); ++i) add_message(messages, i);
}

void GrowingMessageSizes::add_message(const trace::Messages& messages, size_t i) {
  const uint64_t bytes = messages.bytes[i];
  SizeSum& sum = sizes_.messages[size_class(bytes)];
  ++sum.count;
  sum.bytes += bytes;
  sum.size(bytes);
  sum.time(messages.send_ticks[i], messages.recv_ticks[i]);
  if (bytes > kTinyBytes) return;
  pending_.push_back({key_of({messages.sender[i], messages.receiver[i]}), bytes});
  constexpr size_t kMostPending = 1 << 20;
  if (pending_.size() >= kMostPending) join_pending();
}

void GrowingMessageSizes::add(const std::vector<trace::CollectivePart>& members) {
  SizeSum& sum = sizes_.operations[members.front().operation];
  ++sum.count;
  for (const trace::CollectivePart& one : members) {
    sum.bytes += one.bytes_sent;
    sum.size(std::max(one.bytes_sent, one.bytes_received));
    sum.time(one.begin_ticks, one.end_ticks);
  }
}

void GrowingMessageSizes::join_pending() {
  std::sort(pending_.begin(), pending_.end(),
            [](const TinyMessage& a, const TinyMessage& b) { return a.pair < b.pair; });
  std::vector<TinyPair> pairs;
  for (const TinyMessage& one : pending_) {
    if (pairs.empty() || key_of(pairs.back()) != one.pair) {
      pairs.push_back({static_cast<uint32_t>(one.pair >> 32U), static_cast<uint32_t>(one.pair)});
    }
    ++pairs.back().count;
    pairs.back().bytes += one.bytes;
  }
  pending_.clear();
  join(pairs);
}

/// others  by their pair
void GrowingMessageSizes::join(const std::vector<TinyPair>& others) {
  if (others.empty()) return;
  std::vector<TinyPair> all;
  all.reserve(sizes_.tiny.size() + others.size());
  std::merge(sizes_.tiny.begin(), sizes_.tiny.end(), others.begin(), others.end(),
             std::back_inserter(all),
             [](const TinyPair& a, const TinyPair& b) { return key_of(a) < key_of(b); });
  size_t last = 0;
  for (size_t i = 1; i < all.size(); ++i) {
    if (key_of(all[i]) == key_of(all[last])) {
      all[last].count += all[i].count;
      all[last].bytes += all[i].bytes;
    } else {
      all[++last] = all[i];
    }
  }
  all.resize(last + 1);
  sizes_.tiny = std::move(all);
}

MessageSizes GrowingMessageSizes::finish() {
  join_pending();
  return std::exchange(sizes_, {});
}

void GrowingMessageSizes::pack(base::Packer& out) {
  join_pending();
  for_each_sum(sizes_, [&](const SizeSum& sum) { out.put(sum); });
  out.put_list(sizes_.tiny);
}

void GrowingMessageSizes::take(base::Unpacker& in) {
  join_pending();
  for_each_sum(sizes_, [&](SizeSum& sum) { sum.add(in.get<SizeSum>()); });
  join(in.list<TinyPair>());
}

}  // namespace pathline::comm
