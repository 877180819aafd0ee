// SPDX-License-Identifier: Apache-2.0
// SharedEvents: uses events of one process in another (cuIpc*EventHandle).
//
// 64 bytes name an event and the process that made it. A process that opens them asks that process
// for the block that the two share; after that they no longer need each other.
//
// Threads: any.
#pragma once

#include <array>
#include <cstdint>

#include "sim/base/error.hpp"
#include "sim/base/ref.hpp"
#include "sim/device/stream/event.hpp"
#include "sim/interop/external/exchange.hpp"

namespace cuvette::interop {

// CUipcEventHandle's bytes.
using EventName = std::array<char, 64>;

namespace shared_events {

// Returns the name of an event of this process. Errors: invalid_handle if it cannot be shared or is
// another process's; operating_system.
Result<EventName> name_of(const device::Event& event);

// Opens the shared part of the event that `name` names, for an event of this process. If this
// process has it open already, the other process is not asked. Errors: map_failed for bytes that
// name nothing (any more) and for an event of a process that has ended, invalid_context in the
// process that made it, out_of_memory.
Result<Ref<device::SharedEvent>> open(const EventName& name);

}  // namespace shared_events
}  // namespace cuvette::interop
