// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "base/packing.hpp"
#include "base/result.hpp"
#include "comm/step_table.hpp"
#include "comm/wait_stream.hpp"
#include "exchange/exchange.hpp"
#include "otf2/reader.hpp"
#include "trace/match.hpp"
#include "trace/ranks.hpp"
#include "trace/trace.hpp"

namespace pathline::summary {

/// Which part of an archive this process reduces, when several processes of a job share that.
///
/// Each one owns the locations of some ranks of the program and reads their files. A window of time
/// is a whole trace at each of them, in which the locations of others hold nothing but their sends
/// to ranks that are owned here. So a message is found by the owner of its receiver, and by nobody
/// else; all else is known where it happened. What the processes count adds up.
///
/// Functions that say so are collective, as those of Exchange.
class Share {
 public:
  /// Cuts the locations into stretches of about as many bytes, one for each process.
  /// exchange, trace  must outlive this; the trace is that of the archive, with its ranks.
  Share(exchange::Exchange& exchange, const trace::Trace& trace,
        const std::vector<uint64_t>& event_bytes);

  /// What the constructor cuts: whether this process owns a location, by location. For
  /// otf2::open_archive().
  static std::vector<bool> owned(const exchange::Exchange& exchange, const trace::Trace& trace,
                                 const std::vector<uint64_t>& event_bytes);

  [[nodiscard]] bool alone() const { return exchange_.size() == 1; }
  [[nodiscard]] bool owns(size_t location) const {
    return owner_of_location_[location] == exchange_.rank();
  }

  /// What the processes have to agree on after each window, to go on alike.
  struct Window {
    uint64_t events;  ///< New ones, those that others told of included: most of a process.
    bool ended;       ///< Nothing follows: for none of them.
  };
  /// Collective.
  Window agree(const Window& mine);
  /// The first end of a window that one of them wants. Collective.
  uint64_t agree(uint64_t until_ticks);
  /// Collective, as Exchange::agree().
  base::Status agree(const base::Status& mine, uint64_t place = 0) {
    return exchange_.agree(mine, place);
  }

  /// Tells the owners of their receivers what was sent in a window, and what became of the requests
  /// of that. Collective.
  ///
  /// earlier  how many of a location's events are of windows before.
  void exchange_sends(const trace::Trace& window, const std::function<size_t(size_t)>& earlier);
  /// Adds what the last exchange_sends() brought of a location of others.
  void add_sends(size_t location, trace::EventsBuilder& builder) const;
  [[nodiscard]] bool has_sends(size_t location) const { return !received_[location].empty(); }
  /// How many events it brought.
  [[nodiscard]] uint64_t received() const { return received_events_; }
  /// Something that only shows in the whole: recording was switched on, or a send cancelled of
  /// which the owner of its receiver may have made a message.
  [[nodiscard]] bool needs_whole() const { return needs_whole_; }

  /// Takes out sends to receivers of others: they were told.
  void forget_sends(const trace::Trace& window, std::vector<trace::Unmatched>& unmatched) const;
  void forget_sends(const trace::Trace& window, trace::OpenEnds& open) const;

  /// Ranks of the program that others own, by rank; empty if there are none.
  [[nodiscard]] std::vector<bool> others() const;
  /// Tells the owners of their senders which messages were found, and returns what the others found
  /// of ranks that are owned here. Collective.
  std::vector<comm::GrowingStepTable::Sent> exchange_found(const trace::Messages& messages);

  /// Brings what all processes saw of a window to rank 0, which gets it in the order of ranks.
  /// Collective.
  ///
  /// returns  whether this is rank 0.
  bool gather(comm::WaitPart& part);

  /// Brings what all others have to rank 0, which takes it in the order of ranks. Collective.
  ///
  /// returns  whether this is rank 0.
  bool collect(const std::function<void(base::Packer&)>& pack,
               const std::function<void(base::Unpacker&)>& take);

 private:
  /// The process that owns the receiver of a send; this one, if there is no receiver.
  [[nodiscard]] unsigned receiver_owner(const trace::Trace& window, size_t location,
                                        size_t event) const;
  [[nodiscard]] bool is_others(const trace::Trace& window, size_t location, size_t event) const;
  std::vector<exchange::Bytes> all_to_all(std::vector<base::Packer>& out);
  void pack_sends(const trace::Trace& window, size_t location, size_t earlier,
                  std::vector<base::Packer>& out);

  /// A send that has not ended, to a receiver of others.
  struct Sending {
    unsigned owner;
    uint64_t window;
  };

  exchange::Exchange& exchange_;
  std::unique_ptr<trace::CommunicatorRanks> members_;
  std::vector<unsigned> owner_of_location_;
  std::vector<unsigned> owner_of_rank_;
  std::vector<std::unordered_map<uint64_t, Sending>> sending_;  // Per location, by request.
  std::vector<exchange::Bytes> bytes_;                          // That the others sent.
  std::vector<std::span<const uint8_t>> received_;              // Of them, per location.
  uint64_t received_events_ = 0;
  uint64_t window_ = 0;
  bool needs_whole_ = false;
};

}  // namespace pathline::summary
