// SPDX-License-Identifier: Apache-2.0
// Shared by tests of external semaphores: a semaphore made by the test, and functions to import,
// signal and wait for it.
#pragma once

#include <cuda.h>
#include <cuvetteSemaphore.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

using Signal = CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS;
using Wait = CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS;

inline Signal signal_of(unsigned long long value) {
  Signal parameters{};
  parameters.params.fence.value = value;
  return parameters;
}
inline Wait wait_of(unsigned long long value) {
  Wait parameters{};
  parameters.params.fence.value = value;
  return parameters;
}

inline CUresult import_fd(CUexternalSemaphore* semaphore, int fd,
                          CUexternalSemaphoreHandleType type) {
  CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC description{};
  description.type = type;
  description.handle.fd = fd;
  return cuImportExternalSemaphore(semaphore, &description);
}
inline constexpr auto as_binary = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;
inline constexpr auto as_timeline = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;

inline CUresult signal(CUexternalSemaphore semaphore, unsigned long long value, CUstream stream) {
  const Signal parameters = signal_of(value);
  return cuSignalExternalSemaphoresAsync(&semaphore, &parameters, 1, stream);
}
inline CUresult wait(CUexternalSemaphore semaphore, unsigned long long value, CUstream stream) {
  const Wait parameters = wait_of(value);
  return cuWaitExternalSemaphoresAsync(&semaphore, &parameters, 1, stream);
}

// A semaphore made by the test, as the host sees it.
class HostSemaphore {
 public:
  explicit HostSemaphore(cuvetteSemaphoreKind kind, uint64_t initial = 0)
      : kind_(kind), fd_(cuvetteSemaphoreCreate(kind, initial)), mapped_(cuvetteSemaphoreMap(fd_)) {
    EXPECT_NE(mapped_, nullptr);
  }
  ~HostSemaphore() {
    cuvetteSemaphoreUnmap(mapped_);
    close(fd_);
  }
  HostSemaphore(const HostSemaphore&) = delete;
  HostSemaphore& operator=(const HostSemaphore&) = delete;

  int fd() const { return fd_; }
  CUexternalSemaphore import() const {
    CUexternalSemaphore semaphore = nullptr;
    const int copy = dup(fd_);
    EXPECT_EQ(
        import_fd(&semaphore, copy, kind_ == CUVETTE_SEMAPHORE_TIMELINE ? as_timeline : as_binary),
        CUDA_SUCCESS);
    return semaphore;
  }
  void signal(uint64_t value = 0) { cuvetteSemaphoreSignal(mapped_, value); }
  bool take(uint64_t value = 0) { return cuvetteSemaphoreTryWait(mapped_, value) != 0; }
  // False after half a minute.
  bool wait(uint64_t value = 0) {
    return cuvetteSemaphoreWait(mapped_, value, uint64_t{30'000'000'000}) == 0;
  }
  uint64_t value() const { return cuvetteSemaphoreValue(mapped_); }

 private:
  const cuvetteSemaphoreKind kind_;
  const int fd_;
  cuvetteSemaphore* const mapped_;
};

struct Timeline : HostSemaphore {
  explicit Timeline(uint64_t initial = 0) : HostSemaphore(CUVETTE_SEMAPHORE_TIMELINE, initial) {}
};
struct Binary : HostSemaphore {
  explicit Binary(uint64_t initial = 0) : HostSemaphore(CUVETTE_SEMAPHORE_BINARY, initial) {}
};
