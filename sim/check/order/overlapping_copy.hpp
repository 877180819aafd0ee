// SPDX-License-Identifier: Apache-2.0
// OverlappingCopyObserver: reports copies between ranges that share bytes: their result depends on
// the order in which the bytes are copied. A copy of memory onto itself changes nothing and is left
// alone.
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
