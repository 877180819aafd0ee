// SPDX-License-Identifier: Apache-2.0
// Semaphores that cuImportExternalSemaphore() accepts and that need no other API: for tests, for
// processes that share nothing but a file descriptor, and for implementations of other APIs.
//
// A semaphore is a memfd. Every process that has a descriptor for it can map its page, signal it
// and wait for it:
//
//   int fd = cuvetteSemaphoreCreate(CUVETTE_SEMAPHORE_TIMELINE, 0);
//   cuvetteSemaphore* mine = cuvetteSemaphoreMap(fd);      // the host's own view
//   description.type = CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD;
//   description.handle.fd = fd;                            // CUDA takes this descriptor over
//   cuImportExternalSemaphore(&semaphore, &description);
//   cuvetteSemaphoreSignal(mine, 1);                       // ends a stream's wait for 1
//
// Import a binary semaphore as CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD. This header is not part
// of CUDA: NVIDIA's driver accepts only semaphores of Vulkan and similar APIs.
//
// Layout of the page, little-endian. The file has CUVETTE_SEMAPHORE_SIZE bytes and is sealed, so
// that its size cannot change:
//
//   offset  bytes
//        0      8  magic: CUVETTE_SEMAPHORE_MAGIC
//        8      4  version of this layout: CUVETTE_SEMAPHORE_VERSION
//       12      4  kind: CUVETTE_SEMAPHORE_BINARY or CUVETTE_SEMAPHORE_TIMELINE
//       16      8  value. Binary: 1 if signalled, else 0; a wait that succeeds resets it to 0.
//                  Timeline: the counter, which only rises
//       24      4  changes: a futex shared between processes; counts signals modulo 2^32, even
//                  if they leave the value as it is
//       28      4  waiters: how many threads may be sleeping on that futex
//       32      -  0
//
// To signal: update the value in one atomic step, add 1 to `changes`, and if `waiters` is not 0,
// wake all threads that sleep on the futex. To wait: add 1 to `waiters`; then, until the value is
// reached, read `changes`, test the value and sleep on the futex while `changes` is unchanged; at
// last subtract 1 from `waiters`. All accesses are atomic and sequentially consistent.
//
// Any thread of any process may call these functions. A process that dies while it waits leaves
// `waiters` too high, which only costs each signal a system call.
#pragma once

#ifndef _GNU_SOURCE
#define _GNU_SOURCE 1
#endif

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CUVETTE_SEMAPHORE_MAGIC 0x31736d6573767563ull /* "cuvsems1" */
#define CUVETTE_SEMAPHORE_VERSION 1u
#define CUVETTE_SEMAPHORE_SIZE 4096u

typedef enum cuvetteSemaphoreKind_enum {
  CUVETTE_SEMAPHORE_BINARY = 1,
  CUVETTE_SEMAPHORE_TIMELINE = 2,
} cuvetteSemaphoreKind;

typedef struct cuvetteSemaphore_st {
  uint64_t magic;
  uint32_t version;
  uint32_t kind;
  uint64_t value;
  uint32_t changes;
  uint32_t waiters;
} cuvetteSemaphore;

// Unmaps a semaphore; NULL is allowed. The semaphore itself lives on.
static inline void cuvetteSemaphoreUnmap(cuvetteSemaphore* semaphore) {
  if (semaphore) munmap(semaphore, CUVETTE_SEMAPHORE_SIZE);
}

// Creates a semaphore and returns its descriptor, which is closed on exec. `initial` is the first
// value of the counter; a binary semaphore starts signalled unless it is 0. -1 and errno if it
// fails.
static inline int cuvetteSemaphoreCreate(cuvetteSemaphoreKind kind, uint64_t initial) {
  cuvetteSemaphore* semaphore;
  const int fd = memfd_create("cuvette-semaphore", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return -1;
  if (ftruncate(fd, CUVETTE_SEMAPHORE_SIZE) != 0 ||
      fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0) {
    close(fd);
    return -1;
  }
  semaphore = (cuvetteSemaphore*)mmap(NULL, CUVETTE_SEMAPHORE_SIZE, PROT_READ | PROT_WRITE,
                                      MAP_SHARED, fd, 0);
  if ((void*)semaphore == MAP_FAILED) {
    close(fd);
    return -1;
  }
  semaphore->version = CUVETTE_SEMAPHORE_VERSION;
  semaphore->kind = (uint32_t)kind;
  semaphore->value = kind == CUVETTE_SEMAPHORE_BINARY ? initial != 0 : initial;
  __atomic_store_n(&semaphore->magic, CUVETTE_SEMAPHORE_MAGIC, __ATOMIC_SEQ_CST);
  cuvetteSemaphoreUnmap(semaphore);
  return fd;
}

// Maps a semaphore into this process. The caller keeps the descriptor and may close it; the mapping
// stays. NULL and errno on failure: EINVAL if the descriptor is not a semaphore.
static inline cuvetteSemaphore* cuvetteSemaphoreMap(int fd) {
  struct stat file;
  cuvetteSemaphore* semaphore;
  if (fstat(fd, &file) != 0) return NULL;
  if (!S_ISREG(file.st_mode) || file.st_size != CUVETTE_SEMAPHORE_SIZE ||
      !(fcntl(fd, F_GET_SEALS) & F_SEAL_SHRINK)) {
    errno = EINVAL;
    return NULL;
  }
  semaphore = (cuvetteSemaphore*)mmap(NULL, CUVETTE_SEMAPHORE_SIZE, PROT_READ | PROT_WRITE,
                                      MAP_SHARED, fd, 0);
  if ((void*)semaphore == MAP_FAILED) return NULL;
  if (__atomic_load_n(&semaphore->magic, __ATOMIC_SEQ_CST) != CUVETTE_SEMAPHORE_MAGIC ||
      semaphore->version != CUVETTE_SEMAPHORE_VERSION) {
    cuvetteSemaphoreUnmap(semaphore);
    errno = EINVAL;
    return NULL;
  }
  return semaphore;
}

// Raises a timeline's counter to `value`, if it is lower; signals a binary semaphore, regardless of
// `value`.
static inline void cuvetteSemaphoreSignal(cuvetteSemaphore* semaphore, uint64_t value) {
  if (semaphore->kind == CUVETTE_SEMAPHORE_BINARY) {
    __atomic_store_n(&semaphore->value, 1, __ATOMIC_SEQ_CST);
  } else {
    uint64_t before = __atomic_load_n(&semaphore->value, __ATOMIC_SEQ_CST);
    while (before < value && !__atomic_compare_exchange_n(&semaphore->value, &before, value, 0,
                                                          __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
    }
  }
  __atomic_fetch_add(&semaphore->changes, 1, __ATOMIC_SEQ_CST);
  if (__atomic_load_n(&semaphore->waiters, __ATOMIC_SEQ_CST) != 0)
    syscall(SYS_futex, &semaphore->changes, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

// Returns whether a timeline's counter has reached `value`, or whether a binary semaphore was
// signalled; the latter resets it.
static inline int cuvetteSemaphoreTryWait(cuvetteSemaphore* semaphore, uint64_t value) {
  uint64_t signalled = 1;
  if (semaphore->kind == CUVETTE_SEMAPHORE_BINARY)
    return __atomic_compare_exchange_n(&semaphore->value, &signalled, 0, 0, __ATOMIC_SEQ_CST,
                                       __ATOMIC_SEQ_CST);
  return __atomic_load_n(&semaphore->value, __ATOMIC_SEQ_CST) >= value;
}

// Waits until cuvetteSemaphoreTryWait() is true and returns 0, or -1 with errno ETIMEDOUT after
// `timeout_ns` nanoseconds. UINT64_MAX waits for ever.
static inline int cuvetteSemaphoreWait(cuvetteSemaphore* semaphore, uint64_t value,
                                       uint64_t timeout_ns) {
  struct timespec now, end;
  int result = 0;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_sec += (time_t)(timeout_ns / 1000000000u);
  end.tv_nsec += (long)(timeout_ns % 1000000000u);
  if (end.tv_nsec >= 1000000000) {
    ++end.tv_sec;
    end.tv_nsec -= 1000000000;
  }
  __atomic_fetch_add(&semaphore->waiters, 1, __ATOMIC_SEQ_CST);
  for (;;) {
    const uint32_t changes = __atomic_load_n(&semaphore->changes, __ATOMIC_SEQ_CST);
    if (cuvetteSemaphoreTryWait(semaphore, value)) break;
    if (timeout_ns != UINT64_MAX) {
      clock_gettime(CLOCK_MONOTONIC, &now);
      if (now.tv_sec > end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec >= end.tv_nsec)) {
        errno = ETIMEDOUT;
        result = -1;
        break;
      }
    }
    // Unlike FUTEX_WAIT, FUTEX_WAIT_BITSET takes an absolute time.
    syscall(SYS_futex, &semaphore->changes, FUTEX_WAIT_BITSET, changes,
            timeout_ns == UINT64_MAX ? NULL : &end, NULL, FUTEX_BITSET_MATCH_ANY);
  }
  __atomic_fetch_sub(&semaphore->waiters, 1, __ATOMIC_SEQ_CST);
  return result;
}

// Returns a timeline's counter; for a binary semaphore 1 if it is signalled, else 0.
static inline uint64_t cuvetteSemaphoreValue(const cuvetteSemaphore* semaphore) {
  return __atomic_load_n(&semaphore->value, __ATOMIC_SEQ_CST);
}

#ifdef __cplusplus
}
#endif
