// SPDX-License-Identifier: Apache-2.0
// For programs in which LeakSanitizer cannot tell whose memory is kept for good: libraries are
// unloaded before it looks, or threads of a driver end while it does.
#pragma once

#ifdef CUVETTE_ADDRESS_SANITIZER
extern "C" [[gnu::visibility("default")]] const char* __asan_default_options();
const char* __asan_default_options() { return "detect_leaks=0"; }
#endif
