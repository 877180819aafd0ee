// SPDX-License-Identifier: Apache-2.0
// External semaphores, imported by their file descriptors, which are recognised by what they hold:
// Cuvette's own format, binary and timeline, and SwiftShader's, binary.
//
// A process has one object of each semaphore, however often it imports it, so that observers of the
// order of work see one semaphore.
//
// Threads: any.
#pragma once

#include "sim/base/error.hpp"
#include "sim/base/ref.hpp"
#include "sim/device/stream/external_semaphore.hpp"
#include "sim/os/segment.hpp"

namespace cuvette::interop {

// Imports a semaphore. On success `fd` is taken over and the caller's number closed; on failure the
// caller keeps it. Errors: unknown if it is not a semaphore, or not one of this kind (what it is
// goes to stderr).
Result<Ref<device::ExternalSemaphore>> import_semaphore(int fd, device::SemaphoreKind kind);

// Returns why a segment cannot be imported as memory if it is a semaphore; else null.
const char* semaphore_in(const os::Segment& segment, int fd);

}  // namespace cuvette::interop
