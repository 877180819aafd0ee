// SPDX-License-Identifier: Apache-2.0
// Peers: which contexts may reach the memory of which other devices' contexts, and over what.
//
// A right goes from one context to another one, of another device, and one way. Copies need none;
// what a device does by itself (fills, kernels) does.
//
// Threads: any. Its lock is a leaf.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/error.hpp"
#include "sim/model/profile.hpp"
#include "sim/mutex.hpp"

namespace cuvette::device {

class Device;

// An end of a right.
struct Peer {
  uint64_t context;  // its generation
  const Device& device;
};

class Peers {
 public:
  // Over PCI Express: "each device can support a system-wide maximum of eight peer connections".
  static constexpr size_t most_connections = 8;

  // The process's.
  static Peers& get();

  // What joins two devices: nothing, or what their model has; only devices of one model are joined.
  static PeerLink link(const Device& from, const Device& to);

  // `from` may reach what `to` has and will have. Errors: peer_access_unsupported (also between
  // contexts of one device), peer_access_already_enabled, too_many_peers.
  Result<> enable(const Peer& from, const Peer& to) EXCLUDES(mutex_);
  // Errors: peer_access_not_enabled.
  Result<> disable(const Peer& from, const Peer& to) EXCLUDES(mutex_);
  // A context ends, and with it the rights that it has and has given.
  void forget(uint64_t generation) EXCLUDES(mutex_);

  // Whether the context of generation `from` may reach what the one of generation `to` has.
  bool has_right(uint64_t from, uint64_t to) const EXCLUDES(mutex_);

 private:
  struct Right {
    uint64_t from, to;  // generations of contexts
    unsigned from_device, to_device;
  };
  std::vector<Right>::iterator find(const Peer& from, const Peer& to) REQUIRES(mutex_);
  size_t connections(unsigned device, unsigned besides) const REQUIRES(mutex_);

  mutable Mutex mutex_;
  std::vector<Right> rights_ GUARDED_BY(mutex_);
};

}  // namespace cuvette::device
