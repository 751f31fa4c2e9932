// SPDX-License-Identifier: BSD-3-Clause
#include "input/message_csv.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "base/parse.hpp"
#include "base/radix_sort.hpp"
#include "base/text.hpp"
#include "trace/warnings.hpp"

namespace pathline::input {
namespace {

constexpr size_t kFieldCount = 6;
/// More ranks than any machine runs: a larger number is a mistake, and would cost memory per rank.
constexpr uint32_t kMaxRank = 4'194'303;

struct Row {
  int64_t send_ns;
  int64_t recv_ns;
  uint64_t bytes;
  uint32_t sender;
  uint32_t receiver;
  uint32_t tag;
};

template <class Number>
bool parse(std::string_view text, Number& value) {
  const auto number = base::number_in<Number>(text);
  if (number) value = *number;
  return number.has_value();
}

bool parse_seconds(std::string_view text, int64_t& ns) {
  constexpr double kMostSeconds = 4e9;  // The distance of two times must fit into 64 bits.
  double seconds = 0;
  if (!parse(text, seconds) || !(std::abs(seconds) <= kMostSeconds)) return false;
  ns = std::llround(seconds * 1e9);
  return true;
}

/// Reads one line; returns what is wrong with it.
std::optional<std::string> parse_row(std::string_view line, Row& row) {
  std::array<std::string_view, kFieldCount> fields;
  size_t count = 0;
  for (std::string_view rest = line;; ++count) {
    const size_t comma = rest.find(',');
    if (count < kFieldCount) fields[count] = rest.substr(0, comma);
    if (comma == std::string_view::npos) break;
    rest.remove_prefix(comma + 1);
  }
  if (++count != kFieldCount) {
    return fmt::format("{}, expected {}", base::counted(count, "field", "fields"), kFieldCount);
  }
  const auto bad = [&](size_t field, const char* name, const char* expected) {
    return fmt::format("{} is '{}', expected {}", name,
                       base::printable(fields[field].substr(0, 40)), expected);
  };
  if (!parse(fields[0], row.sender) || row.sender > kMaxRank) return bad(0, "sender", "a rank");
  if (!parse(fields[1], row.receiver) || row.receiver > kMaxRank) {
    return bad(1, "receiver", "a rank");
  }
  if (!parse_seconds(fields[2], row.send_ns)) return bad(2, "send_s", "seconds");
  if (!parse_seconds(fields[3], row.recv_ns)) return bad(3, "recv_s", "seconds");
  if (!parse(fields[4], row.bytes)) return bad(4, "bytes", "a number of bytes");
  if (!parse(fields[5], row.tag)) return bad(5, "tag", "a number");
  return std::nullopt;
}

std::string_view take_line(std::string_view& text) {
  const size_t end = text.find('\n');
  std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return line;
}

}  // namespace

base::Result<trace::Trace> parse_message_csv(std::string_view text, bool partial) {
  if (take_line(text) != kMessageHeader) {
    return base::Error{base::ErrorCode::kCorrupt,
                       fmt::format("line 1 is not the header '{}'", kMessageHeader)};
  }
  trace::Trace trace;
  trace.format = "CSV";
  base::Column<Row> rows;
  for (size_t number = 2; !text.empty(); ++number) {
    const std::string_view line = take_line(text);
    if (line.empty()) continue;
    Row row{};
    if (const auto fault = parse_row(line, row)) {
      const std::string message = fmt::format("line {}: {}", number, *fault);
      if (!partial) return base::Error{base::ErrorCode::kCorrupt, message};
      trace::mark_incomplete(trace, message);
      break;
    }
    trace.rank_count = std::max({trace.rank_count, row.sender + 1, row.receiver + 1});
    rows.push_back(row);
  }
  // Times count from the start of the run, which is 0 unless something came before.
  int64_t start_ns = 0;
  for (const Row& row : rows) start_ns = std::min({start_ns, row.send_ns, row.recv_ns});
  const auto ticks = [&](int64_t ns) { return static_cast<uint64_t>(ns - start_ns); };
  base::radix_sort(rows, [](const Row& row) { return uint64_t{row.sender}; });
  base::radix_sort(rows, [&](const Row& row) { return ticks(row.send_ns); });

  trace.messages.resize(rows.size());
  trace::Messages& messages = trace.messages;
  for (size_t i = 0; i < rows.size(); ++i) {
    messages.sender.set(i, rows[i].sender);
    messages.receiver.set(i, rows[i].receiver);
    messages.send_ticks.set(i, ticks(rows[i].send_ns));
    messages.send_end_ticks.set(i, ticks(rows[i].send_ns));
    messages.recv_post_ticks.set(i, ticks(rows[i].recv_ns));
    messages.recv_ticks.set(i, ticks(rows[i].recv_ns));
    messages.bytes.set(i, rows[i].bytes);
    messages.tag.set(i, rows[i].tag);
    messages.comm.set(i, base::IdMap::kNone);
    messages.send_location.set(i, base::IdMap::kNone);
    messages.recv_location.set(i, base::IdMap::kNone);
  }
  trace.rank_location.assign(trace.rank_count, base::IdMap::kNone);
  return trace;
}

}  // namespace pathline::input
