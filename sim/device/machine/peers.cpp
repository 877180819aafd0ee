// SPDX-License-Identifier: Apache-2.0
#include "sim/device/machine/peers.hpp"

#include <algorithm>
#include <set>

#include "sim/device/machine/device.hpp"

namespace cuvette::device {

Peers& Peers::get() {
  static auto* const peers = new Peers;
  return *peers;
}

PeerLink Peers::link(const Device& from, const Device& to) {
  if (from.ordinal() == to.ordinal() || &from.profile() != &to.profile()) return PeerLink::none;
  return from.profile().peer_link;
}

std::vector<Peers::Right>::iterator Peers::find(const Peer& from, const Peer& to) {
  return std::ranges::find_if(rights_, [&](const Right& right) {
    return right.from == from.context && right.to == to.context;
  });
}

// Returns with how many devices other than `besides` the device has a connection, in either
// direction.
size_t Peers::connections(unsigned device, unsigned besides) const {
  std::set<unsigned> others;
  for (const Right& right : rights_) {
    if (right.from_device == device) others.insert(right.to_device);
    if (right.to_device == device) others.insert(right.from_device);
  }
  others.erase(besides);
  return others.size();
}

Result<> Peers::enable(const Peer& from, const Peer& to) {
  const unsigned from_device = from.device.ordinal(), to_device = to.device.ordinal();
  const PeerLink joined = link(from.device, to.device);
  if (joined == PeerLink::none)
    return refuse(Error::peer_access_unsupported, "Device %u cannot reach the memory of device %u.",
                  from_device, to_device);
  MutexLock lock(mutex_);
  if (find(from, to) != rights_.end()) return Error::peer_access_already_enabled;
  if (joined == PeerLink::pci_express && (connections(from_device, to_device) >= most_connections ||
                                          connections(to_device, from_device) >= most_connections))
    return refuse(Error::too_many_peers, "Device %u or %u already has %zu peers.", from_device,
                  to_device, most_connections);
  rights_.push_back({from.context, to.context, from_device, to_device});
  return {};
}

Result<> Peers::disable(const Peer& from, const Peer& to) {
  MutexLock lock(mutex_);
  const auto right = find(from, to);
  if (right == rights_.end()) return Error::peer_access_not_enabled;
  rights_.erase(right);
  return {};
}

void Peers::forget(uint64_t generation) {
  MutexLock lock(mutex_);
  std::erase_if(rights_, [&](const Right& right) {
    return right.from == generation || right.to == generation;
  });
}

bool Peers::has_right(uint64_t from, uint64_t to) const {
  MutexLock lock(mutex_);
  return std::ranges::any_of(
      rights_, [&](const Right& right) { return right.from == from && right.to == to; });
}

}  // namespace cuvette::device
