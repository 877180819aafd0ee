// SPDX-License-Identifier: Apache-2.0
// Peers: which contexts may reach the memory of which other devices' contexts, and over what.
//
// A right leads one way, from one context to a context of another device. Copies need no right;
// what a device does by itself (fills, kernels) needs one.
//
// Threads: any. Its lock is a leaf.
#pragma once

#include <cstdint>
#include <vector>

#include "sim/base/error.hpp"
#include "sim/base/mutex.hpp"
#include "sim/device/model/profile.hpp"

namespace cuvette::device {

class Device;

// One end of a right.
struct Peer {
  uint64_t context;  // its generation
  const Device& device;
};

class Peers {
 public:
  // Over PCI Express: "each device can support a system-wide maximum of eight peer connections".
  static constexpr size_t most_connections = 8;

  // The one object of the process.
  static Peers& get();

  // The link between two devices: their model's, or none if the models differ.
  static PeerLink link(const Device& from, const Device& to);

  // Lets `from` reach the memory that `to` has and will have. Errors: peer_access_unsupported (also
  // between contexts of one device), peer_access_already_enabled, too_many_peers.
  Result<> enable(const Peer& from, const Peer& to) EXCLUDES(mutex_);
  // Errors: peer_access_not_enabled.
  Result<> disable(const Peer& from, const Peer& to) EXCLUDES(mutex_);
  // Ends the rights that a context has and has given, because the context ends.
  void forget(uint64_t generation) EXCLUDES(mutex_);

  // Whether the context of generation `from` may reach the memory of the one of generation `to`.
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
