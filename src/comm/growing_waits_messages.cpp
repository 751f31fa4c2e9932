// SPDX-License-Identifier: BSD-3-Clause
//
// What GrowingWaits makes of messages.
#include <algorithm>
#include <utility>

#include "comm/growing_waits.hpp"
#include "comm/growing_waits_window.hpp"

namespace pathline::comm {
namespace {

constexpr uint64_t kNoNumber = UINT64_MAX;

void append(const trace::Messages& from, size_t i, trace::Messages& to) {
  to.sender.push_back(from.sender[i]);
  to.receiver.push_back(from.receiver[i]);
  to.send_ticks.push_back(from.send_ticks[i]);
  to.send_end_ticks.push_back(from.send_end_ticks[i]);
  to.recv_post_ticks.push_back(from.recv_post_ticks[i]);
  to.recv_ticks.push_back(from.recv_ticks[i]);
  to.bytes.push_back(from.bytes[i]);
  to.tag.push_back(from.tag[i]);
  to.comm.push_back(from.comm[i]);
  to.send_location.push_back(from.send_location[i]);
  to.recv_location.push_back(from.recv_location[i]);
}

}  // namespace

/// What has become of sends whose messages were found before.
void GrowingWaits::end_sends(const WaitPart& part) {
  for (const WaitPart::SendEnd& end : part.send_ends) {
    const auto found = sending_.find(end.number);
    if (found == sending_.end()) continue;
    Sending& send = found->second;
    const bool is_found = send.is_found;
    send.end_ticks = end.ticks;
    if (is_found && end.ticks != WaitPart::kNever) send_ends_.push_back(send);
    if (is_found || end.ticks == WaitPart::kNever) sending_.erase(found);
  }
  for (const WaitPart::Sending& one : part.sending) sending_[one.number] = {};
}

void GrowingWaits::find_messages(WaitPart& part, Window& window, base::ThreadPool& pool) {
  std::vector<uint64_t> numbers(part.messages.size(), kNoNumber);
  for (const WaitPart::Sending& one : part.sending) numbers[one.message] = one.number;
  struct Piece {
    DependencyPart part;
    std::vector<uint32_t> undecided;
    std::vector<std::pair<uint64_t, Sending>> sending;
  };
  const auto find = [&](trace::Messages& messages, size_t i, uint64_t number, CallFinder& finder,
                        CallFinder& post_finder, Piece& piece) {
    const uint32_t from = messages.send_location[i];
    const uint32_t to = messages.recv_location[i];
    const auto known = number == kNoNumber ? sending_.end() : sending_.find(number);
    if (known != sending_.end() && known->second.end_ticks > 0) {
      messages.send_end_ticks[i] = known->second.end_ticks;
    }
    if (!window.is_settled(to, messages.recv_ticks[i]) ||
        !window.is_settled(to, messages.recv_post_ticks[i]) ||
        !window.is_settled(from, messages.send_ticks[i]) ||
        !window.is_settled(from, messages.send_end_ticks[i])) {
      piece.undecided.push_back(static_cast<uint32_t>(i));
      return;
    }
    const uint64_t without = piece.part.messages_without_call;
    add_message(messages, i, window.calls, finder, post_finder, piece.part);
    if (known == sending_.end() || known->second.end_ticks > 0) return;
    Sending sending;
    const bool has_calls = piece.part.messages_without_call == without;
    const uint32_t send =
        has_calls ? finder.begun_at(window.calls.lane_at(from), messages.send_ticks[i]) : kNoCall;
    const uint32_t post =
        has_calls ? finder.begun_at(window.calls.lane_at(to), messages.recv_post_ticks[i])
                  : kNoCall;
    if (send != kNoCall && post != kNoCall && !window.calls.is(send, kSends)) {
      sending = {true,
                 window.calls.is(send, kSynchronous),
                 from,
                 0,
                 {window.calls.begin_ticks[post], lane_key_[to], window.number[post],
                  WaitKind::kLateReceiver}};
    }
    piece.sending.emplace_back(number, sending);
  };
  constexpr size_t kPiece = 1U << 16U;
  std::vector<Piece> pieces(part.messages.size() / kPiece + 2);
  trace::Messages before = std::move(pending_);
  const std::vector<uint64_t> before_numbers = std::move(pending_number_);
  pool.for_each(pieces.size(), [&](size_t p) {
    CallFinder finder(window.calls);
    CallFinder post_finder(window.calls);
    if (p == 0) {
      for (size_t i = 0; i < before.size(); ++i) {
        find(before, i, before_numbers[i], finder, post_finder, pieces[0]);
      }
      return;
    }
    const size_t begin = (p - 1) * kPiece;
    const size_t end = std::min(part.messages.size(), begin + kPiece);
    if (end > begin) pieces[p].part.entries.reserve(end - begin);
    for (size_t i = begin; i < end; ++i) {
      find(part.messages, i, numbers[i], finder, post_finder, pieces[p]);
    }
  });
  pending_ = {};
  pending_number_.clear();
  for (Piece& piece : pieces) {
    const bool is_before = &piece == pieces.data();
    for (const uint32_t i : piece.undecided) {
      append(is_before ? before : part.messages, i, pending_);
      pending_number_.push_back(is_before ? before_numbers[i] : numbers[i]);
    }
    for (const auto& [number, sending] : piece.sending) {
      if (sending.is_found) {
        sending_[number] = sending;
      } else {
        sending_.erase(number);
      }
    }
    window.parts.push_back(std::move(piece.part));
  }
}

/// Sends that ended behind their messages: whether their ends waited for the receivers.
void GrowingWaits::find_send_ends(Window& window) {
  CallFinder finder(window.calls);
  std::vector<Sending> open;
  for (const Sending& send : send_ends_) {
    if (!window.is_settled(send.location, send.end_ticks)) {
      open.push_back(send);
      continue;
    }
    const uint32_t lane = window.calls.lane_at(send.location);
    const uint32_t done = lane == kNoLane ? kNoCall : finder.ended_at(lane, send.end_ticks);
    if (done == kNoCall || window.calls.is(done, kReceives)) continue;
    if (send.post.lane == lane_key_[send.location] && send.post.number == window.number[done]) {
      continue;
    }
    if (send.is_synchronous ||
        waits_for_receiver(window.calls.begin_ticks[done], send.post.ticks, send.end_ticks)) {
      Latest post = send.post;
      post.ticks = std::min(post.ticks, send.end_ticks);
      keep_latest(window, done, post);
    }
  }
  send_ends_ = std::move(open);
}

}  // namespace pathline::comm
