// SPDX-License-Identifier: BSD-3-Clause
#include "summary/message_sizes_file.hpp"

#include <vector>

namespace pathline::summary {
namespace {

/// The classes of messages, then the operations.
template <class Sizes, class Visit>
void for_each_sum(Sizes& sizes, Visit visit) {
  uint32_t kind = 0;
  for (auto& sum : sizes.messages) visit(kind++, sum);
  for (auto& sum : sizes.operations) visit(kind++, sum);
}

}  // namespace

void write_message_sizes(const comm::MessageSizes& sizes, ColumnWriter& out) {
  std::vector<uint32_t> kind, sender, receiver;
  std::vector<uint64_t> min, max, count, bytes, timed, ticks, tiny_count, tiny_bytes;
  for_each_sum(sizes, [&](uint32_t number, const comm::SizeSum& sum) {
    if (sum.count == 0) return;
    kind.push_back(number);
    min.push_back(sum.min_bytes);
    max.push_back(sum.max_bytes);
    count.push_back(sum.count);
    bytes.push_back(sum.bytes);
    timed.push_back(sum.timed);
    ticks.push_back(folded(static_cast<uint64_t>(sum.ticks)));
  });
  for (const comm::TinyPair& pair : sizes.tiny) {
    sender.push_back(pair.sender);
    receiver.push_back(pair.receiver);
    tiny_count.push_back(pair.count);
    tiny_bytes.push_back(pair.bytes);
  }
  out.add("sizes.kind", kind);
  out.add("sizes.min_bytes", min);
  out.add("sizes.max_bytes", max);
  out.add("sizes.count", count);
  out.add("sizes.bytes", bytes);
  out.add("sizes.timed", timed);
  out.add("sizes.ticks", ticks);
  out.add("tiny.sender", sender);
  out.add("tiny.receiver", receiver);
  out.add("tiny.count", tiny_count);
  out.add("tiny.bytes", tiny_bytes);
}

std::optional<comm::MessageSizes> read_message_sizes(Columns& in, const trace::Trace& run) {
  if (!in.has("sizes.kind")) return {};
  comm::MessageSizes sizes;
  const auto kind = in.numbers<uint32_t>("sizes.kind");
  const auto min = in.numbers<uint64_t>("sizes.min_bytes");
  const auto max = in.numbers<uint64_t>("sizes.max_bytes");
  const auto count = in.numbers<uint64_t>("sizes.count");
  const auto bytes = in.numbers<uint64_t>("sizes.bytes");
  const auto timed = in.numbers<uint64_t>("sizes.timed");
  const auto ticks = in.numbers<uint64_t>("sizes.ticks");
  const size_t rows = kind.size();
  in.require(min.size() == rows && max.size() == rows && count.size() == rows &&
                 bytes.size() == rows && timed.size() == rows && ticks.size() == rows,
             "sizes", "its columns differ in length");
  if (!in.status()) return {};
  size_t row = 0;
  for_each_sum(sizes, [&](uint32_t number, comm::SizeSum& sum) {
    if (row == rows || kind[row] != number) return;
    sum = {min[row],   max[row],   count[row],
           bytes[row], timed[row], static_cast<int64_t>(unfolded(ticks[row]))};
    ++row;
  });
  in.require(row == rows, "sizes", "row {} is of no kind that could stand there", row);
  const auto sender = in.numbers<uint32_t>("tiny.sender");
  const auto receiver = in.numbers<uint32_t>("tiny.receiver");
  const auto tiny_count = in.numbers<uint64_t>("tiny.count");
  const auto tiny_bytes = in.numbers<uint64_t>("tiny.bytes");
  const size_t pairs = sender.size();
  in.require(receiver.size() == pairs && tiny_count.size() == pairs && tiny_bytes.size() == pairs,
             "tiny", "its columns differ in length");
  for (size_t i = 0; in.status() && i < pairs; ++i) {
    in.require(sender[i] < run.rank_count && receiver[i] < run.rank_count && tiny_count[i] > 0,
               "tiny", "row {} names a rank that does not exist, or no message", i);
    sizes.tiny.push_back({sender[i], receiver[i], tiny_count[i], tiny_bytes[i]});
  }
  return sizes;
}

}  // namespace pathline::summary
