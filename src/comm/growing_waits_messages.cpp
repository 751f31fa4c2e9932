// SPDX-License-Identifier: BSD-3-Clause
//
// What GrowingWaits makes of messages.
#include <algorithm>
#include <utility>

#include "comm/growing_waits.hpp"
#include "comm/growing_waits_window.hpp"

namespace pathline::comm {
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
  for (const WaitPart::Message& one : part.messages) {
    if (one.send_number != WaitPart::kNever) sending_[one.send_number] = {};
  }
}

void GrowingWaits::find_messages(WaitPart& part, Window& window, base::ThreadPool& pool) {
  struct Piece {
    DependencyPart part;
    std::vector<WaitPart::Message> undecided;
    std::vector<std::pair<uint64_t, Sending>> sending;
  };
  const auto find = [&](WaitPart::Message& message, CallFinder& finder, CallFinder& post_finder,
                        Piece& piece) {
    const uint32_t from = message.send_location;
    const uint32_t to = message.recv_location;
    const uint64_t number = message.send_number;
    const auto known = number == WaitPart::kNever ? sending_.end() : sending_.find(number);
    if (known != sending_.end() && known->second.end_ticks > 0) {
      message.send_end_ticks = known->second.end_ticks;
    }
    if (!window.is_settled(to, message.recv_ticks) ||
        !window.is_settled(to, message.recv_post_ticks) ||
        !window.is_settled(from, message.send_ticks) ||
        !window.is_settled(from, message.send_end_ticks)) {
      piece.undecided.push_back(message);
      return;
    }
    const uint64_t without = piece.part.messages_without_call;
    add_message(message, window.calls, finder, post_finder, piece.part);
    if (known == sending_.end() || known->second.end_ticks > 0) return;
    Sending sending;
    const bool has_calls = piece.part.messages_without_call == without;
    const uint32_t send =
        has_calls ? finder.begun_at(window.calls.lane_at(from), message.send_ticks) : kNoCall;
    const uint32_t post =
        has_calls ? finder.begun_at(window.calls.lane_at(to), message.recv_post_ticks) : kNoCall;
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
  pool.for_each(pieces.size(), [&](size_t p) {
    CallFinder finder(window.calls);
    CallFinder post_finder(window.calls);
    if (p == 0) {
      for (WaitPart::Message& message : pending_) find(message, finder, post_finder, pieces[0]);
      return;
    }
    const size_t begin = (p - 1) * kPiece;
    const size_t end = std::min(part.messages.size(), begin + kPiece);
    if (end > begin) pieces[p].part.entries.reserve(end - begin);
    for (size_t i = begin; i < end; ++i) find(part.messages[i], finder, post_finder, pieces[p]);
  });
  pending_.clear();
  for (Piece& piece : pieces) {
    pending_.insert(pending_.end(), piece.undecided.begin(), piece.undecided.end());
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
