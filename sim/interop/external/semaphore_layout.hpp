// SPDX-License-Identifier: Apache-2.0
// The known layouts of an external semaphore's memory. Other processes may write
// it at any time.
//
// Cuvette's own format is documented in api/include/cuvetteSemaphore.h; a test compares the two.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace cuvette::interop {

struct OwnSemaphore {
  static constexpr uint64_t right_magic = 0x31736d6573767563;  // "cuvsems1"
  static constexpr uint32_t right_version = 1, binary = 1, timeline = 2;
  static constexpr size_t size = 4096;  // of the file

  uint64_t magic;
  uint32_t version;
  uint32_t kind;
  std::atomic<uint64_t> value;
  std::atomic<uint32_t> changes;  // a futex
  std::atomic<uint32_t> waiters;
};
static_assert(offsetof(OwnSemaphore, version) == 8 && offsetof(OwnSemaphore, kind) == 12 &&
              offsetof(OwnSemaphore, value) == 16 && offsetof(OwnSemaphore, changes) == 24 &&
              offsetof(OwnSemaphore, waiters) == 28 && sizeof(OwnSemaphore) == 32);

// The interface by which libcuda and the Vulkan layer in one process notify each other of writes to
// a semaphore of this format, so that the other side need not wait until its own thread notices.
// Nothing depends on it.
struct SemaphorePartner {
  // This process has written into the semaphore in that file. The caller holds no lock that the
  // partner could want.
  void (*written)(uint64_t device, uint64_t inode);
  // Whether this side has that semaphore, so that most writes to it are reported.
  bool (*has)(uint64_t device, uint64_t inode);
};
// The layer has a function of this type and name: it takes libcuda's part and returns its own. Both
// stay for ever.
using MeetSemaphorePartner = const SemaphorePartner* (*)(const SemaphorePartner* libcuda);
inline constexpr const char* partner_library = "libVkLayer_cuvette.so";
inline constexpr const char* meet_partner_symbol = "cuvette_meet_semaphore_partner_1";

// SwiftShader's format, a memfd of this name and size: a binary semaphore. The file may be
// truncated.
struct SwiftShaderSemaphore {
  static constexpr const char* name = "/memfd:SwiftShader.Semaphore.";
  static constexpr size_t size = 4096;

  alignas(8) std::byte mutex[40];
  std::byte condition[48];
  int32_t references;  // guarded by the mutex, as is what follows
  uint8_t signalled;
};
static_assert(offsetof(SwiftShaderSemaphore, condition) == 40 &&
              offsetof(SwiftShaderSemaphore, references) == 88 &&
              offsetof(SwiftShaderSemaphore, signalled) == 92);

}  // namespace cuvette::interop
