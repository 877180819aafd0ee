// SPDX-License-Identifier: Apache-2.0
// The result of an entry point's body: an error of the runtime, made from one of the driver
// where the driver answered.
//
// Both number their errors alike since CUDA 10.1, so an error of the driver is the runtime's error
// of the same number; what a function answers otherwise is in its body.
#pragma once

#include <cuda.h>
#include "api/runtime/cuda_runtime.hpp"

namespace cuvette::runtime {

class [[nodiscard]] Status {
 public:
  Status() : error_(cudaSuccess) {}
  Status(cudaError_t error) : error_(error) {}
  Status(CUresult result) : error_(static_cast<cudaError_t>(result)) {}

  bool ok() const { return error_ == cudaSuccess; }
  cudaError_t error() const { return error_; }

 private:
  cudaError_t error_;
};

}  // namespace cuvette::runtime

// Returns from the function around it with the status of `expression`, unless that is a success.
#define CHECK(expression)                                                                       \
  do {                                                                                          \
    if (const ::cuvette::runtime::Status status_of_check = (expression); !status_of_check.ok()) \
        [[unlikely]]                                                                            \
      return status_of_check;                                                                   \
  } while (false)
