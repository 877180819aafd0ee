// SPDX-License-Identifier: Apache-2.0
// Handles that another process can open.
//
// Reference: CUDA Runtime API, "Device Management".
#pragma once

#include "platform.h"

// In bytes.
#define CUDA_IPC_HANDLE_SIZE 64

// A flag of cudaIpcOpenMemHandle: peer access begins when it is needed.
#define cudaIpcMemLazyEnablePeerAccess 0x01

// An event for another process, opaque.
typedef struct cudaIpcEventHandle_st {
  char reserved[CUDA_IPC_HANDLE_SIZE];
} cudaIpcEventHandle_t;

// Memory for another process, opaque.
typedef struct cudaIpcMemHandle_st {
  char reserved[CUDA_IPC_HANDLE_SIZE];
} cudaIpcMemHandle_t;
