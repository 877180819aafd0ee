// SPDX-License-Identifier: Apache-2.0
// The C library's function of this name, which LLVM calls for names of temporary files, is newer
// than the oldest glibc that a portable build runs on.
#include <cstdint>
#include <random>

extern "C" uint32_t arc4random() noexcept { return std::random_device{}(); }
