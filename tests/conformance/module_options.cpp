// SPDX-License-Identifier: Apache-2.0
// The options for loading and linking: logs, their sizes, and values that are returned.
#include "modules.hpp"

namespace {

using namespace conformance;

void* number(size_t value) { return reinterpret_cast<void*>(value); }

CUresult with(std::vector<CUjit_option> options, std::vector<void*> values,
              const char* text = program) {
  CUmodule m = nullptr;
  const CUresult result = cuModuleLoadDataEx(&m, text, static_cast<unsigned>(options.size()),
                                             options.data(), values.data());
  if (result == CUDA_SUCCESS) cuModuleUnload(m);
  return result;
}

CASE(jit_logs) {
  start();
  CUmodule m;
  char error[4096], info[4096];
  memset(error, 'x', sizeof error);
  memset(info, 'x', sizeof info);
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_INFO_LOG_BUFFER,  CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_LOG_VERBOSE,      CU_JIT_WALL_TIME};
  void* values[] = {error, number(sizeof error), info, number(sizeof info), number(1), nullptr};
  ASK(cuModuleLoadDataEx(&m, wrong_body, 6, options, values));
  const auto length = [](const char* log) { return strnlen(log, 4096); };
  ASK(length(error) > 0 && length(error) < 4096);
  ASK(strstr(error, "line 6") != nullptr);
  ASK(strstr(error, "addd") != nullptr);
  ASK(reinterpret_cast<size_t>(values[1]) == length(error));
  ASK(reinterpret_cast<size_t>(values[1]) == length(error) + 1);
  ASK(reinterpret_cast<size_t>(values[1]) == 4096);
  ASK(length(info) == 0);
  ASK(length(info) == 4096);
  ASK(reinterpret_cast<size_t>(values[3]));
  fprintf(stderr, "error log: <%.4096s>\ninfo log: <%.4096s>\n%zu %zu\n", error, info,
          reinterpret_cast<size_t>(values[1]), reinterpret_cast<size_t>(values[3]));

  values[1] = values[3] = number(4096);
  values[5] = nullptr;
  memset(error, 'x', sizeof error);
  memset(info, 'x', sizeof info);
  ASK(cuModuleLoadDataEx(&m, program, 6, options, values));
  ASK(length(error));
  ASK(reinterpret_cast<size_t>(values[1]));
  ASK(length(info) > 0 && length(info) < 4096);
  float milliseconds;
  const unsigned bits = static_cast<unsigned>(reinterpret_cast<size_t>(values[5]));
  memcpy(&milliseconds, &bits, sizeof milliseconds);
  ASK(milliseconds >= 0 && milliseconds < 100000);
  fprintf(stderr, "error log: <%.4096s>\ninfo log: <%.4096s>\n%zu %zu, %g ms\n", error, info,
          reinterpret_cast<size_t>(values[1]), reinterpret_cast<size_t>(values[3]), milliseconds);

  for (size_t size : {0, 1, 8}) {
    memset(error, 'x', sizeof error);
    void* small[] = {error, number(size)};
    ASK(cuModuleLoadDataEx(&m, wrong_body, 2, options, small));
    ASK(memchr(error, 0, sizeof error) ? static_cast<long>(strlen(error)) : -1L);
    ASK(error[size] == 'x');
    ASK(reinterpret_cast<size_t>(small[1]));
  }
  void* alone[] = {error};
  memset(error, 'x', sizeof error);
  ASK(cuModuleLoadDataEx(&m, wrong_body, 1, options, alone));
  ASK(error[0] == 'x');
  void* without[] = {nullptr, number(4096)};
  ASK(cuModuleLoadDataEx(&m, wrong_body, 2, options, without));
  ASK(reinterpret_cast<size_t>(without[1]));
}

CASE(jit_options) {
  start();
  CUmodule m;
  CUjit_option option = CU_JIT_MAX_REGISTERS;
  void* value = number(32);
  ASK(cuModuleLoadDataEx(&m, program, 0, nullptr, nullptr));
  SURVIVE(cuModuleLoadDataEx(&m, program, 1, nullptr, &value));
  SURVIVE(cuModuleLoadDataEx(&m, program, 1, &option, nullptr));
  ASK(cuModuleLoadDataEx(nullptr, program, 0, nullptr, nullptr));
  ASK(cuModuleLoadDataEx(&m, nullptr, 0, nullptr, nullptr));
  for (int i : {35, 36, 1000, -1}) ASK(with({static_cast<CUjit_option>(i)}, {number(0)}));
  for (int i : {0, 7, 8, 11, 12, 13, 14}) ASK(with({static_cast<CUjit_option>(i)}, {number(0)}));
  for (int i : {0, 1, 7, 8, 11, 12, 13, 14}) ASK(with({static_cast<CUjit_option>(i)}, {number(1)}));
  for (int level = 2; level < 6; ++level)
    ASK(with({CU_JIT_OPTIMIZATION_LEVEL}, {number(static_cast<size_t>(level))}));
  ASK(with({CU_JIT_MAX_REGISTERS, CU_JIT_MAX_REGISTERS}, {number(32), number(64)}));
  CUjit_option threads = CU_JIT_THREADS_PER_BLOCK;
  value = number(256);
  ASK(cuModuleLoadDataEx(&m, program, 1, &threads, &value));
  ASK(reinterpret_cast<size_t>(value));
  for (int i : {9, 10, 15, 16, 20, 21, 22, 23, 24, 29, 30, 31, 32, 33, 34})
    SURVIVE(with({static_cast<CUjit_option>(i)}, {number(1)}));
  for (int i : {9, 10, 15, 16, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34})
    SURVIVE(with({static_cast<CUjit_option>(i)}, {number(0)}));
}

CASE(jit_targets) {
  start();
  for (int target : {50, 75, 80, 90, 100, 120, 77})
    ASK(with({CU_JIT_TARGET}, {number(static_cast<size_t>(target))}));
  ASK(with({CU_JIT_TARGET}, {number(CU_TARGET_COMPUTE_90A)}));
  ASK(with({CU_JIT_TARGET}, {number(90)}, "bad"));
  for (int config : {2, 3}) ASK(with({CU_JIT_CACHE_MODE}, {number(static_cast<size_t>(config))}));
  ASK(with({CU_JIT_FALLBACK_STRATEGY}, {number(2)}));
}

}  // namespace
