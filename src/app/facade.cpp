// SPDX-License-Identifier: BSD-3-Clause
#include "app/open_run.hpp"
#include "comm/matrix.hpp"
#include "pathline/analysis.hpp"

namespace pathline {

struct Run::State {
  base::ThreadPool pool;
  trace::Trace trace;
};

const char* version() { return PATHLINE_VERSION; }

Run::Run(std::unique_ptr<State> state) : state_(std::move(state)) {}
Run::~Run() = default;

std::unique_ptr<Run> Run::open(const std::string& input, std::string& error) {
  auto state = std::make_unique<State>();
  base::Progress progress;
  std::vector<std::string> notes;
  auto trace = app::open_run(input, {}, state->pool, progress, notes);
  if (!trace) {
    error = trace.error().message;
    return nullptr;
  }
  state->trace = std::move(trace).value();
  return std::unique_ptr<Run>(new Run(std::move(state)));
}

uint32_t Run::rank_count() const { return state_->trace.rank_count; }
uint64_t Run::event_count() const { return state_->trace.event_count(); }
double Run::duration_s() const { return state_->trace.duration_seconds(); }

std::vector<Message> Run::messages() const {
  const trace::Trace& trace = state_->trace;
  const trace::Messages& rows = trace.messages;
  std::vector<Message> messages;
  messages.reserve(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    messages.push_back({rows.sender[i], rows.receiver[i], trace.seconds(rows.send_ticks[i]),
                        trace.seconds(rows.recv_ticks[i]), rows.bytes[i], rows.tag[i]});
  }
  return messages;
}

std::vector<Pair> Run::matrix() const {
  const auto matrix = comm::matrix(state_->trace, {}, {}, state_->pool);
  const graph::Traffic& traffic = matrix.traffic;
  std::vector<Pair> pairs;
  pairs.reserve(traffic.entry_count());
  for (uint32_t sender = 0; sender < traffic.rank_count(); ++sender) {
    for (size_t i = traffic.row[sender]; i < traffic.row[sender + 1]; ++i) {
      pairs.push_back({sender, traffic.receiver[i], traffic.messages[i], traffic.bytes[i]});
    }
  }
  return pairs;
}

}  // namespace pathline
