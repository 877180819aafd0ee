// SPDX-License-Identifier: Apache-2.0
// OverlappingCopyObserver: reports copies whose source and destination share bytes, which gives
// what the order of the bytes happens to give. A copy of memory onto itself changes nothing and is
// left alone.
//
// Threads: any.
#pragma once

#include <optional>

#include "sim/device/stream/observer.hpp"
#include "sim/memory/address.hpp"

namespace cuvette::check {

// Returns the first address that both regions hold, if any; none for boxes of very many rows.
std::optional<memory::DevicePtr> first_shared(const memory::Region& a, const memory::Region& b);

class OverlappingCopyObserver final : public device::Observer {
 public:
  void submitted(const device::Stream& stream, uint64_t number,
                 const device::Operation& operation) override;
};

}  // namespace cuvette::check
