// SPDX-License-Identifier: BSD-3-Clause
#include "comm/dependency_part.hpp"

namespace pathline::comm {

void add_message(const MessageTimes& message, const MpiCalls& calls, CallFinder& finder,
                 CallFinder& post_finder, DependencyPart& part) {
  const uint32_t sender = calls.lane_at(message.send_location);
  const uint32_t receiver = calls.lane_at(message.recv_location);
  const uint32_t receive =
      receiver == kNoLane ? kNoCall : finder.ended_at(receiver, message.recv_ticks);
  const uint32_t send = sender == kNoLane ? kNoCall : finder.begun_at(sender, message.send_ticks);
  if (receive == kNoCall || send == kNoCall) {
    ++part.messages_without_call;
    return;
  }
  part.add(calls, receive, send, WaitKind::kLateSender, message.recv_ticks);

  const bool blocks = calls.is(send, kSends);
  const uint64_t free_ticks = message.send_end_ticks;
  if (!blocks && free_ticks == message.send_ticks) return;  // Never completed.
  const uint32_t done = blocks ? send : post_finder.ended_at(sender, free_ticks);
  if (done == kNoCall || calls.is(done, kReceives)) return;
  const uint32_t post = post_finder.begun_at(receiver, message.recv_post_ticks);
  if (post == kNoCall) return;
  const uint64_t posted_ticks = calls.begin_ticks[post];
  const uint64_t end_ticks = blocks ? calls.end_ticks[done] : free_ticks;
  if (waits_for_receiver(calls.begin_ticks[done], posted_ticks, end_ticks) ||
      calls.is(send, kSynchronous)) {
    part.add(calls, done, post, WaitKind::kLateReceiver, end_ticks);
  }
}

}  // namespace pathline::comm
