// SPDX-License-Identifier: Apache-2.0
// OrderObserver: the HappensBefore of this process. It follows what the program submits and waits
// for, and calls the observers that ask it around each change, so that what they note and what the
// order says belong to one moment.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/mutex.hpp"
#include "sim/check/order/happens_before.hpp"
#include "sim/device/stream/observer.hpp"

namespace cuvette::check {

// Somebody who asks the order. All of this but report() is called with the order's mutex held.
class OrderClient {
 public:
  // The order is about to change: the host may learn something.
  virtual void order_changes() {}
  virtual void order_submitted(const device::Stream& stream, uint64_t number,
                               const device::Operation& operation, const Point& point) {}
  // A command has begun, or has ended, by which the host or others may learn something.
  virtual void order_started(const device::Operation& operation) {}
  virtual void order_completed(const device::Operation& operation) {}
  // The host has learnt something.
  virtual void host_learnt() {}
  // After all of these, without the mutex: the time to write reports.
  virtual void report_found() {}

 protected:
  ~OrderClient() = default;
};

class OrderObserver final : public device::Observer {
 public:
  // The clients are added before the observer is attached, and live on.
  void add(OrderClient& client) { clients_.push_back(&client); }

  void submitted(const device::Stream& stream, uint64_t number,
                 const device::Operation& operation) override EXCLUDES(mutex);
  void started(const device::Stream& stream, uint64_t number,
               const device::Operation& operation) override EXCLUDES(mutex);
  void completed(const device::Stream& stream, uint64_t number,
                 const device::Operation& operation) override EXCLUDES(mutex);
  void waited_for(const device::Stream& stream, uint64_t number) override EXCLUDES(mutex);
  void synchronising(const device::Context& context, device::Streams which) override
      EXCLUDES(mutex);
  void synchronised(const device::Context& context, device::Streams which) override EXCLUDES(mutex);
  void joined_context(const device::Stream& stream) override EXCLUDES(mutex);
  void ended(const device::Stream& stream) override EXCLUDES(mutex);
  bool wants_edges() const override { return true; }

  // Taken before a client's own, if it has one.
  Mutex mutex;
  HappensBefore happens GUARDED_BY(mutex);

 private:
  void each(void (OrderClient::*call)());

  std::vector<OrderClient*> clients_;
};

}  // namespace cuvette::check
