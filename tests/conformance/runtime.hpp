// SPDX-License-Identifier: Apache-2.0
// What the suites of the CUDA runtime share: kernels and variables that are registered as a
// compiled program registers its own, and answers that say which error became the last one.
#pragma once

#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>

#include "harness.hpp"

// What a compiled program calls; the public headers do not declare it.
extern "C" {
void** __cudaRegisterFatBinary(void* wrapper);
void __cudaRegisterFatBinaryEnd(void** handle);
void __cudaUnregisterFatBinary(void** handle);
void __cudaRegisterFunction(void** handle, const char* host, char* device, const char* name,
                            int threads, uint3* tid, uint3* bid, dim3* block, dim3* grid,
                            int* warp);
void __cudaRegisterVar(void** handle, char* host, char* device, const char* name, int external,
                       size_t size, int constant, int global);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, CUstream_st* stream);
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream);
}

namespace conformance {

inline void answer(const char* question, cudaError_t result) {
  say(question, cudaGetErrorName(result));
}

// Says what a call gave, and the last error where that is another one. The last error is cleared.
inline void answer_last(const char* question, cudaError_t result) {
  const cudaError_t last = cudaGetLastError();
  std::string text = cudaGetErrorName(result);
  if (last != result) text += std::string(", last error ") + cudaGetErrorName(last);
  say(question, text.c_str());
}

inline void prepared(const char* call, cudaError_t result) {
  if (result == cudaSuccess) return;
  answer((std::string("cannot be asked: ") + call).c_str(), result);
  _exit(3);
}

// A fat binary that holds one PTX text.
class FatBinary {
 public:
  explicit FatBinary(const char* ptx) {
    const uint64_t size = strlen(ptx) + 1, padded = (size + 7) / 8 * 8;
    bytes_.resize(16 + 80 + padded);
    put<uint32_t>(0, 0xBA55ED50);
    put<uint16_t>(4, 1);
    put<uint16_t>(6, 16);
    put<uint64_t>(8, 80 + padded);
    put<uint16_t>(16, 1);  // PTX
    put<uint16_t>(18, 0x0101);
    put<uint32_t>(20, 80);
    put<uint64_t>(24, padded);
    put<uint32_t>(36, 64);  // options: none
    put<uint16_t>(40, 4);
    put<uint16_t>(42, 6);
    put<uint32_t>(44, 75);
    put<uint64_t>(56, 0x11);  // 64 bits, Linux
    put<uint32_t>(80, 72);
    memcpy(bytes_.data() + 96, ptx, size);
    wrapper_ = {0x466243B1, 1, bytes_.data(), nullptr};
  }
  void* wrapper() { return &wrapper_; }
  const void* data() const { return bytes_.data(); }

 private:
  template <typename T>
  void put(size_t offset, T value) {
    memcpy(bytes_.data() + offset, &value, sizeof value);
  }
  struct Wrapper {
    uint32_t magic, version;
    void* data;
    void* file;
  } wrapper_;
  std::vector<char> bytes_;
};

inline const char* const kernels_ptx =
    ".version 6.4\n.target sm_75\n.address_size 64\n"
    ".visible .global .align 4 .b8 numbers[16] = {1,0,0,0,2,0,0,0,3,0,0,0,4,0,0,0};\n"
    ".visible .const .align 4 .b8 table[32] = {7,0,0,0,8,0,0,0};\n"
    ".global .align 1 .b8 text[8] = {111,110,101,61,61,50,0,0};\n"
    ".extern .shared .align 16 .b8 dynamic_memory[];\n"
    ".extern .func __assertfail(.param .b64 a, .param .b64 b, .param .b32 c, .param .b64 d, "
    ".param .b64 e);\n"
    ".visible .entry empty() { ret; }\n"
    ".visible .entry add_one(.param .u64 a) { .reg .b32 %r<3>; .reg .b64 %d<4>; ld.param.u64 "
    "%d0,[a]; mov.u32 %r0,%tid.x; mul.wide.u32 %d1,%r0,4; add.s64 %d2,%d0,%d1; ld.global.u32 "
    "%r1,[%d2]; add.u32 %r1,%r1,1; st.global.u32 [%d2],%r1; ret; }\n"
    ".visible .entry store(.param .u64 a, .param .u32 v) { .reg .b32 %r0; .reg .b64 %d0; "
    "ld.param.u64 %d0,[a]; ld.param.u32 %r0,[v]; st.global.u32 [%d0],%r0; ret; }\n"
    ".visible .entry trap_now() { trap; ret; }\n"
    ".visible .entry assert_now() { .reg .b64 %d<2>; .reg .b32 %r0; mov.u64 %d0,text; "
    "cvta.global.u64 %d1,%d0; mov.u32 %r0,5; { .param .b64 p0; .param .b64 p1; .param .b32 p2; "
    ".param .b64 p3; .param .b64 p4; st.param.b64 [p0],%d1; st.param.b64 [p1],%d1; st.param.b32 "
    "[p2],%r0; st.param.b64 [p3],%d1; mov.u64 %d0,1; st.param.b64 [p4],%d0; call.uni "
    "__assertfail,(p0,p1,p2,p3,p4); } ret; }\n"
    ".visible .entry spin(.param .u64 ns) { .reg .b64 %d<4>; .reg .pred %p; ld.param.u64 %d0,[ns]; "
    "mov.u64 %d1,%globaltimer; again: mov.u64 %d2,%globaltimer; sub.u64 %d3,%d2,%d1; setp.lt.u64 "
    "%p,%d3,%d0; @%p bra again; ret; }\n"
    ".visible .entry fixed_shared(.param .u64 a) { .reg .b32 %r<3>; .reg .b64 %d<2>; .shared "
    ".align "
    "4 .b8 fixed[1024]; mov.u32 %r0,%tid.x; st.shared.u32 [fixed],%r0; bar.sync 0; ld.shared.u32 "
    "%r1,[fixed+4]; ld.param.u64 %d0,[a]; st.global.u32 [%d0],%r1; ret; }\n"
    ".visible .entry dynamic_shared(.param .u64 a) { .reg .b32 %r<3>; .reg .b64 %d<2>; mov.u32 "
    "%r0,%tid.x; st.shared.u32 [dynamic_memory],%r0; bar.sync 0; ld.shared.u32 "
    "%r1,[dynamic_memory+4]; ld.param.u64 %d0,[a]; st.global.u32 [%d0],%r1; ret; }\n"
    ".visible .entry bounded() .maxntid 64, 1, 1 { ret; }\n"
    ".visible .entry read_table(.param .u64 a) { .reg .b32 %r<2>; .reg .b64 %d<2>; ld.const.u32 "
    "%r0,[table]; ld.param.u64 %d0,[a]; st.global.u32 [%d0],%r0; ret; }\n"
    ".visible .entry bump_numbers() { .reg .b32 %r<2>; ld.global.u32 %r0,[numbers]; add.u32 "
    "%r0,%r0,100; st.global.u32 [numbers],%r0; ret; }\n";

// Not among the kernels above, which a case counts.
inline const char* const hold_ptx =
    ".version 6.4\n.target sm_75\n.address_size 64\n"
    ".visible .entry hold(.param .u64 flag) { .reg .b64 %d0; .reg .b32 %r0; .reg .pred %p; "
    "ld.param.u64 %d0,[flag]; again: ld.volatile.global.u32 %r0,[%d0]; setp.eq.u32 %p,%r0,0; "
    "@%p bra again; ret; }\n";

// The host's side of a kernel is any address that is its own.
inline char empty, add_one, store, trap_now, assert_now, spin, hold, fixed_shared, dynamic_shared,
    bounded, read_table, bump_numbers, missing;
inline char unregistered[4096];
inline void unregistered_function() {}
inline char numbers[16], table[32], missing_variable[4], unregistered_variable[4];

struct Registration {
  Registration() {
    static FatBinary binary(kernels_ptx);
    handle = __cudaRegisterFatBinary(binary.wrapper());
    const auto function = [this](char& host, const char* name) {
      __cudaRegisterFunction(handle, &host, const_cast<char*>(name), name, -1, nullptr, nullptr,
                             nullptr, nullptr, nullptr);
    };
    function(empty, "empty");
    function(add_one, "add_one");
    function(store, "store");
    function(trap_now, "trap_now");
    function(assert_now, "assert_now");
    function(spin, "spin");
    function(fixed_shared, "fixed_shared");
    function(dynamic_shared, "dynamic_shared");
    function(bounded, "bounded");
    function(read_table, "read_table");
    function(bump_numbers, "bump_numbers");
    function(missing, "missing");
    __cudaRegisterVar(handle, numbers, const_cast<char*>("numbers"), "numbers", 0, 16, 0, 0);
    __cudaRegisterVar(handle, table, const_cast<char*>("table"), "table", 0, 32, 1, 0);
    __cudaRegisterVar(handle, missing_variable, const_cast<char*>("missing_variable"),
                      "missing_variable", 0, 4, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);
    static FatBinary held(hold_ptx);
    void** const other = __cudaRegisterFatBinary(held.wrapper());
    __cudaRegisterFunction(other, &hold, const_cast<char*>("hold"), "hold", -1, nullptr, nullptr,
                           nullptr, nullptr, nullptr);
    __cudaRegisterFatBinaryEnd(other);
  }
  void** handle;
};
inline Registration registration;

// Launches with arguments that are already behind pointers.
template <typename... Arguments>
cudaError_t launch(const void* kernel, dim3 grid, dim3 block, size_t shared, cudaStream_t stream,
                   Arguments... arguments) {
  void* pointers[] = {&arguments..., nullptr};
  return cudaLaunchKernel(kernel, grid, block, pointers, shared, stream);
}

// Says which context is current and whether the primary one is active.
inline std::string contexts() {
  CUcontext current = nullptr;
  const CUresult result = cuCtxGetCurrent(&current);
  if (result == CUDA_ERROR_NOT_INITIALIZED) return "driver not initialized";
  unsigned flags = 0;
  int active = 0;
  prepared("cuDevicePrimaryCtxGetState", cuDevicePrimaryCtxGetState(0, &flags, &active));
  return std::string(current ? "a context is current" : "no context is current") +
         (active ? ", primary active" : ", primary inactive") + ", flags " + std::to_string(flags);
}

}  // namespace conformance

// TRY prints what a call gives and clears the last error.
#define TRY(call) conformance::answer_last(#call, (call))
// NOTE prints a text of any kind.
#define NOTE(question, text) conformance::say(question, std::string(text).c_str())
