// SPDX-License-Identifier: Apache-2.0
// Loads a file of PTX into the current context.
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
