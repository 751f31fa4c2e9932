// SPDX-License-Identifier: BSD-3-Clause
#include "summary/states_file.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace pathline::summary {
namespace {

constexpr uint64_t kNone = UINT64_MAX;
constexpr size_t kRowColumns = 3;  // Of "states.0.rows".
constexpr size_t kEndColumns = 7;  // Of "states.ends", one behind the other.

std::string column_of(size_t level, std::string_view what) {
  return fmt::format("states.{}.{}", level, what);
}

void put_call(const std::optional<trace::LocationEnds::Call>& call, std::vector<uint64_t>& to) {
  to.push_back(call ? call->enter : kNone);
  to.push_back(call ? call->leave : kNone);
}

std::optional<trace::LocationEnds::Call> call_at(const std::vector<uint64_t>& numbers, size_t i) {
  if (numbers[i] == kNone) return std::nullopt;
  return trace::LocationEnds::Call{numbers[i], numbers[i + 1]};
}

/// Whether the ends lie in the run, and calls in them.
bool fit(const trace::LocationEnds& ends, const trace::Trace& run) {
  if (ends.events == 0) return !ends.has_calls && !ends.init && !ends.finalize;
  const auto holds = [&](const std::optional<trace::LocationEnds::Call>& call) {
    return !call || (ends.first_ticks <= call->enter && call->enter <= call->leave &&
                     call->leave <= ends.last_ticks);
  };
  return run.start_ticks <= ends.first_ticks && ends.first_ticks <= ends.last_ticks &&
         ends.last_ticks <= run.end_ticks && holds(ends.init) && holds(ends.finalize);
}

/// The narrowest level that has room with all wider ones; the widest has.
size_t first_that_fits(const States& states, uint64_t room_bytes) {
  uint64_t bytes = 0;
  for (const StateLevel& level : states.levels) bytes += level.code.back();
  size_t first = 0;
  while (first + 1 < states.levels.size() && bytes > kCodesPerStoredByte * room_bytes) {
    bytes -= states.levels[first++].code.back();
  }
  return first;
}

}  // namespace

void write_states(const States& states, uint64_t budget_bytes, ColumnWriter& out) {
  std::vector<uint64_t> ends;
  ends.reserve(states.ends.size() * kEndColumns);
  for (const trace::LocationEnds& end : states.ends) {
    ends.push_back(end.has_calls ? 2 * end.events + 1 : 2 * end.events);
    ends.push_back(end.first_ticks);
    ends.push_back(end.last_ticks);
    put_call(end.init, ends);
    put_call(end.finalize, ends);
  }
  out.add("states.ends", ends);
  const size_t first =
      first_that_fits(states, budget_bytes - std::min(budget_bytes, out.size_bytes()));
  std::vector<uint8_t> shifts;
  for (size_t l = first; l < states.levels.size(); ++l) {
    shifts.push_back(static_cast<uint8_t>(states.levels[l].shift));
  }
  out.add("states.shift", shifts);
  for (size_t l = first; l < states.levels.size(); ++l) {
    const StateLevel& level = states.levels[l];
    std::vector<uint64_t> rows;
    for (size_t i = 0; i < level.first_bin.size(); ++i) {
      rows.push_back(level.first_bin[i]);
      rows.push_back(level.code[i + 1] - level.code[i]);
      rows.push_back(level.error[i]);
    }
    out.add(column_of(l - first, "rows"), rows);
    const std::string name = column_of(l - first, "codes");
    if (states.made_codes.empty()) {
      out.add(name, level.codes);
      continue;
    }
    ColumnWriter::Column<uint8_t> codes(out);
    for (const base::ByteList& list : states.made_codes[l]) {
      list.for_each_piece([&](std::span<const uint8_t> bytes) { codes.append(bytes); });
    }
    out.add(name, codes);
  }
}

base::Result<States> read_state_index(const ColumnReader& file, const trace::Trace& run) {
  States states;
  if (!file.has("states.shift")) return states;
  const auto shifts = file.column<uint8_t>("states.shift");
  if (!shifts) return shifts.error();
  const auto ends = file.column<uint64_t>("states.ends");
  if (!ends) return ends.error();
  const auto& numbers = ends.value();
  if (numbers.size() != run.locations.size() * kEndColumns) {
    return file.damaged("table states: it has not the locations of the run");
  }
  for (size_t i = 0; i < numbers.size(); i += kEndColumns) {
    states.ends.push_back({.events = numbers[i] / 2,
                           .first_ticks = numbers[i + 1],
                           .last_ticks = numbers[i + 2],
                           .has_calls = numbers[i] % 2 == 1,
                           .init = call_at(numbers, i + 3),
                           .finalize = call_at(numbers, i + 5)});
    if (!fit(states.ends.back(), run)) {
      return file.damaged(fmt::format("table states: location {} is not in the time of the run",
                                      states.ends.size() - 1));
    }
  }
  for (const uint8_t shift : shifts.value()) {
    const bool ascends = states.levels.empty() || shift > states.levels.back().shift;
    const std::string name = column_of(states.levels.size(), "rows");
    const auto rows = file.column<uint64_t>(name);
    if (!rows) return rows.error();
    if (!ascends || shift < kLeastBinShift || shift > kMostBinShift ||
        rows.value().size() != run.locations.size() * kRowColumns) {
      return file.damaged(fmt::format("table {}: it has not the locations of the run", name));
    }
    StateLevel& level = states.levels.emplace_back();
    level.shift = shift;
    level.code.push_back(0);
    for (size_t i = 0; i < rows.value().size(); i += kRowColumns) {
      level.first_bin.push_back(rows.value()[i]);
      // fits() will see whether the sum makes sense.
      level.code.push_back(level.code.back() + rows.value()[i + 1]);
      level.error.push_back(static_cast<uint16_t>(rows.value()[i + 2]));
    }
  }
  return states;
}

base::Status read_codes(const ColumnReader& file, const trace::Trace& run, size_t number,
                        StateLevel& level) {
  auto codes = file.column<uint8_t>(column_of(number, "codes"));
  if (!codes) return codes.error();
  level.codes = std::move(codes).value();
  if (fits(level, run.locations.size(), run.definitions.regions.size())) return {};
  return file.damaged(fmt::format("table states.{}: its bins make no sense", number));
}

}  // namespace pathline::summary
