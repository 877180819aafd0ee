// SPDX-License-Identifier: Apache-2.0
// Finding the driver's functions by name: flags and answers.
//
// Reference: CUDA Runtime API, "Driver Entry Point Access".
#pragma once

#include "platform.h"

// Which default stream the function found will use; default is what the caller was compiled for.
enum cudaGetDriverEntryPointFlags {
  cudaEnableDefault = 0x0,
  cudaEnableLegacyStream = 0x1,
  cudaEnablePerThreadDefaultStream = 0x2,
};

// Why no function was found.
enum cudaDriverEntryPointQueryResult {
  cudaDriverEntryPointSuccess = 0,
  cudaDriverEntryPointSymbolNotFound = 1,
  cudaDriverEntryPointVersionNotSufficent = 2,
};
