// SPDX-License-Identifier: Apache-2.0
// The memory at both ends of a copy, according to its cudaMemcpyKind.
#pragma once

#include <cuda.h>

#include "api/runtime/status.hpp"

namespace cuvette::runtime {

struct Direction {
  CUmemorytype from = CU_MEMORYTYPE_UNIFIED, to = CU_MEMORYTYPE_UNIFIED;
};

// Fails with cudaErrorInvalidMemcpyDirection for a number that is not a kind.
inline Status find_direction(cudaMemcpyKind kind, Direction* direction) {
  switch (kind) {
    case cudaMemcpyHostToHost:
      *direction = {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_HOST};
      return {};
    case cudaMemcpyHostToDevice:
      *direction = {CU_MEMORYTYPE_HOST, CU_MEMORYTYPE_DEVICE};
      return {};
    case cudaMemcpyDeviceToHost:
      *direction = {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_HOST};
      return {};
    case cudaMemcpyDeviceToDevice:
      *direction = {CU_MEMORYTYPE_DEVICE, CU_MEMORYTYPE_DEVICE};
      return {};
    case cudaMemcpyDefault:
      *direction = {};
      return {};
  }
  return cudaErrorInvalidMemcpyDirection;
}

}  // namespace cuvette::runtime
