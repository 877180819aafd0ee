// SPDX-License-Identifier: Apache-2.0
// Translates the locations of pools' memory and the access rights to it.
//
// Threads: any.
#pragma once

#include "api/driver/cuda.hpp"

#include <cstdint>

#include "sim/base/error.hpp"
#include "sim/device/pools/memory_pool.hpp"

namespace cuvette::driver {

// Why a place's pool is requested, which decides the error for places that do not exist (measured).
enum class Asks : uint8_t { for_new_pool, for_pool_of_place };

// Errors: invalid_value, invalid_device, not_supported.
Result<device::MemoryPool::Home> home_of(const CUmemLocation* location, CUmemAllocationType type,
                                         Asks asks);

// Errors: invalid_value, invalid_device, not_supported.
Result<> set_access(device::MemoryPool& pool, const CUmemAccessDesc& access);
Result<bool> has_access(const device::MemoryPool& pool, const CUmemLocation& location);

}  // namespace cuvette::driver
