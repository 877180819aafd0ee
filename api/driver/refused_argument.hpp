// SPDX-License-Identifier: Apache-2.0
// The handle or address for which the running call is about to be refused, for reports. A call may
// take a handle for one kind and then for another, so nothing is reported until it has failed.
//
// Without CUVETTE_CHECK=api nothing is kept.
//
// Threads: any; each has its own.
#pragma once

#include "sim/base/error.hpp"
#include "sim/check/api/api_misuse.hpp"

namespace cuvette::driver {

// Note what the running call refuses with `error`.
void note_refused(const check::RefusedHandle& handle, Error error);
void note_refused(const check::RefusedAddress& address, Error error = Error::invalid_value);

// Reports now, from a call of the function that `entry` lies in, which is about to succeed, if it
// ends what has ended before.
void note_passed(const check::RefusedAddress& address, const void* entry);

namespace detail {
// Forgets what calls before this one have noted.
void forget_refused();
// The call of the function that `entry` lies in has failed with `error`: reports what it has noted
// with that error. Returns whether there is such a report, made now or before.
bool tell_refused(const void* entry, Error error);
// The call was refused because the process ends, and the driver with it.
void tell_too_late(const void* entry);
}  // namespace detail

}  // namespace cuvette::driver
