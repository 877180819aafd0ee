// SPDX-License-Identifier: Apache-2.0
// A library with thread-local variables that must lie in the reserve for libraries that are opened
// late, as OpenMP's and some allocators have them.

namespace {
[[gnu::tls_model("initial-exec")]] thread_local char own[1024];
}

extern "C" [[gnu::visibility("default")]] char* wants_static_tls() { return own; }
