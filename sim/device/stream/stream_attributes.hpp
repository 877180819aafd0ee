// SPDX-License-Identifier: Apache-2.0
// Sets the attributes of streams that a program may change (cuStreamSetAttribute): each function
// checks the value by what the stream's device can do.
//
// Threads: any.
#pragma once

#include <cstdint>

#include "sim/base/error.hpp"
#include "sim/device/stream/stream.hpp"

namespace cuvette::device {

// Errors: invalid_value.
Result<> set_access_window(Stream& stream, const AccessWindow& window);

// How host threads wait for the stream: CUsynchronizationPolicy. Errors: invalid_value.
Result<> set_sync_policy(Stream& stream, int policy);

// Which domains of memory synchronisation default and remote map to. Errors: invalid_value.
Result<> set_sync_domains(Stream& stream, uint8_t default_domain, uint8_t remote_domain);
// Which of the two the stream uses: CUlaunchMemSyncDomain. Errors: invalid_value.
Result<> set_sync_domain(Stream& stream, int domain);

// "It will automatically be clamped", as at a stream's creation.
void set_clamped_priority(Stream& stream, int priority);

// Gives `to` the sync policy and the hints of `from`.
void copy_attributes(Stream& to, Stream& from);

}  // namespace cuvette::device
