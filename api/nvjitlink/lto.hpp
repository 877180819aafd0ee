// SPDX-License-Identifier: Apache-2.0
// LTO IR, which NVIDIA's compiler alone reads: its own libnvJitLink makes PTX of it, where the
// machine has one.
//
// Threads: plain functions.
#pragma once

#include <nvJitLink.h>

#include <cstddef>
#include <string>
#include <vector>

#include "api/nvjitlink/link_options.hpp"

namespace cuvette::nvjitlink {

bool is_lto(const void* data, size_t size);

struct LtoInput {
  std::string bytes;
  std::string name;
};

// Makes one PTX text of all inputs with NVIDIA's library: the one in LD_LIBRARY_PATH, in the wheels
// that the program has loaded others of, in CUDA_HOME, CUDA_PATH, /usr/local/cuda or /opt/cuda.
// `log` says what is wrong. Errors: NVIDIA's library's own, NVJITLINK_ERROR_NVVM_COMPILE if there
// is none.
nvJitLinkResult compile_lto(const std::vector<LtoInput>& inputs, const LinkOptions& options,
                            std::string& ptx, std::string& log);

}  // namespace cuvette::nvjitlink
