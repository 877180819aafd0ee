// SPDX-License-Identifier: Apache-2.0
// Checkpoints of another process's CUDA state, by its process id. Times are in milliseconds.
//
// Reference: CUDA Driver API, "CUDA Checkpointing".
#pragma once

#include "error.h"
#include "handle.h"
#include "platform.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct CUcheckpointCheckpointArgs_st {
  cuuint64_t reserved[8];
} CUcheckpointCheckpointArgs;

typedef struct CUcheckpointGpuPair_st {
  CUuuid oldUuid;
  CUuuid newUuid;
} CUcheckpointGpuPair;

typedef struct CUcheckpointLockArgs_st {
  unsigned int timeoutMs;
  unsigned int reserved0;
  cuuint64_t reserved1[7];
} CUcheckpointLockArgs;

typedef struct CUcheckpointRestoreArgs_st {
  CUcheckpointGpuPair* gpuPairs;
  unsigned int gpuPairsCount;
  char reserved[52 - sizeof(CUcheckpointGpuPair*)];
  cuuint64_t reserved1;
} CUcheckpointRestoreArgs;

typedef struct CUcheckpointUnlockArgs_st {
  cuuint64_t reserved[8];
} CUcheckpointUnlockArgs;

typedef enum CUprocessState_enum {
  CU_PROCESS_STATE_RUNNING = 0,
  CU_PROCESS_STATE_LOCKED = 1,
  CU_PROCESS_STATE_CHECKPOINTED = 2,
  CU_PROCESS_STATE_FAILED = 3,
} CUprocessState;

// Moves a locked process's device state into host memory.
CUresult CUDAAPI cuCheckpointProcessCheckpoint(int pid, CUcheckpointCheckpointArgs* args);

// Writes the id of a process's restore thread.
CUresult CUDAAPI cuCheckpointProcessGetRestoreThreadId(int pid, int* tid);

// Writes whether a process is running, locked, checkpointed or failed.
CUresult CUDAAPI cuCheckpointProcessGetState(int pid, CUprocessState* state);

// Locks a process: its further CUDA calls block.
CUresult CUDAAPI cuCheckpointProcessLock(int pid, CUcheckpointLockArgs* args);

// Restores a checkpointed process's state to the device. The process stays locked.
CUresult CUDAAPI cuCheckpointProcessRestore(int pid, CUcheckpointRestoreArgs* args);

// Unlocks a process: its CUDA calls go on.
CUresult CUDAAPI cuCheckpointProcessUnlock(int pid, CUcheckpointUnlockArgs* args);

#ifdef __cplusplus
}
#endif
