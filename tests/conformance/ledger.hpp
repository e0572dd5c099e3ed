// ledger.hpp: every request's way out and back, held to the contract.
#pragma once

#include "tests/conformance/session.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace chronio::conformance {

/// Queues and reaps as a worker does, and throws Failure where the engine loses, invents, repeats
/// or changes a request. Allocates in its constructor only.
class Ledger {
 public:
  using OnDone = std::function<void(const Io&)>;

  /// `on_done` sees each request that comes back.
  explicit Ledger(
      Session& session, OnDone on_done = [](const Io&) {});
  Ledger(const Ledger&) = delete;
  Ledger& operator=(const Ledger&) = delete;
  Ledger(Ledger&&) = delete;
  Ledger& operator=(Ledger&&) = delete;
  /// With requests outstanding, leaves the engine as it is.
  ~Ledger();

  /// Offers the request in `slot` until the engine takes it; a busy engine must make room
  /// meanwhile. REQUIRES: the request is not outstanding.
  void queue(std::uint32_t slot);
  void commit();
  /// Engine::reap() with room for `room` requests; how many came back.
  std::uint32_t reap(std::uint32_t min, std::uint32_t room, std::int64_t timeout_ns);
  /// Until nothing is outstanding.
  void drain();
  /// Requests n = 0, 1, ... below `count`, as many at a time as iodepth allows; `fill(io, n)` makes
  /// each. Returns with nothing outstanding.
  void run(std::uint64_t count, const std::function<void(Io&, std::uint64_t)>& fill);

  [[nodiscard]] std::uint32_t outstanding() const noexcept { return outstanding_; }
  [[nodiscard]] std::uint64_t returned() const noexcept { return returned_; }

 private:
  void make_room();
  /// For one request at least.
  void wait();
  void take_back(Io* io);
  [[nodiscard]] std::int64_t patience_ns() const noexcept {
    return session_.subject().patience.count();
  }

  Session& session_;
  OnDone on_done_;
  std::vector<Io> as_queued_;        ///< by slot
  std::vector<char> is_out_;         ///< by slot
  std::vector<std::uint32_t> free_;  ///< slots
  std::vector<Io*> done_;            ///< twice iodepth long, to see what is written past the end
  std::uint32_t outstanding_ = 0;
  std::uint64_t returned_ = 0;
};

}  // namespace chronio::conformance
