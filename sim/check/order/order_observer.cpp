// SPDX-License-Identifier: Apache-2.0
#include "sim/check/order/order_observer.hpp"

namespace cuvette::check {

using device::Operation;
using device::Stream;

void OrderObserver::each(void (OrderClient::*call)()) {
  for (OrderClient* const client : clients_) (client->*call)();
}

void OrderObserver::submitted(const Stream& stream, uint64_t number, const Operation& operation) {
  {
    MutexLock lock(mutex);
    each(&OrderClient::order_changes);
    const Point point = happens.submitted(stream, number, operation);
    for (OrderClient* const client : clients_)
      client->order_submitted(stream, number, operation, point);
  }
  each(&OrderClient::report_found);
}

void OrderObserver::started(const Stream& stream, uint64_t number, const Operation& operation) {
  if (!HappensBefore::is_told_by_start(operation)) return;
  {
    MutexLock lock(mutex);
    each(&OrderClient::order_changes);
    happens.started(stream, number, operation);
    for (OrderClient* const client : clients_) client->order_started(operation);
    each(&OrderClient::host_learnt);
  }
  each(&OrderClient::report_found);
}

void OrderObserver::completed(const Stream& stream, uint64_t number, const Operation& operation) {
  if (!HappensBefore::is_told_by_end(operation)) return;
  MutexLock lock(mutex);
  each(&OrderClient::order_changes);
  for (OrderClient* const client : clients_) client->order_completed(operation);
  happens.completed(stream, number);
  each(&OrderClient::host_learnt);
}

void OrderObserver::waited_for(const Stream& stream, uint64_t number) {
  {
    MutexLock lock(mutex);
    each(&OrderClient::order_changes);
    happens.waited_for(stream, number);
    each(&OrderClient::host_learnt);
  }
  each(&OrderClient::report_found);
}

void OrderObserver::synchronising(const device::Context& context, device::Streams which) {
  MutexLock lock(mutex);
  happens.synchronising(context, which);
}

void OrderObserver::synchronised(const device::Context&, device::Streams) {
  {
    MutexLock lock(mutex);
    each(&OrderClient::order_changes);
    if (!happens.synchronised()) return;
    each(&OrderClient::host_learnt);
  }
  each(&OrderClient::report_found);
}

void OrderObserver::joined_context(const Stream& stream) {
  MutexLock lock(mutex);
  happens.joins_context(stream);
}

void OrderObserver::ended(const Stream& stream) {
  MutexLock lock(mutex);
  each(&OrderClient::order_changes);
  happens.ended(stream);
}

}  // namespace cuvette::check
