// SPDX-License-Identifier: Apache-2.0
// Loads PTX into the current context.
#pragma once

#include <cuda.h>

#include <fstream>
#include <iterator>
#include <string>

#include "tests/need.hpp"

inline CUmodule load_ptx(const std::string& path) {
  std::ifstream file(path);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  CUmodule module = nullptr;
  NEED(cuModuleLoadData(&module, text.c_str()));
  return module;
}

inline CUfunction function_of(CUmodule module, const std::string& name) {
  CUfunction function = nullptr;
  NEED(cuModuleGetFunction(&function, module, name.c_str()));
  return function;
}

// Returns a kernel that stores 1 to the address that it is given.
inline CUfunction store_kernel() {
  CUmodule module = nullptr;
  NEED(cuModuleLoadData(&module,
                        ".version 8.0\n.target sm_80\n.address_size 64\n"
                        ".visible .entry store(.param .u64 to) {\n"
                        "  .reg .b64 %r;\n"
                        "  ld.param.u64 %r, [to];\n"
                        "  st.global.u32 [%r], 1;\n"
                        "  ret;\n"
                        "}\n"));
  return function_of(module, "store");
}
