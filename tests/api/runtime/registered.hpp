// SPDX-License-Identifier: Apache-2.0
// Registers by hand what a compiler's host code would: a fat binary of PTX text, with addresses in
// this program that stand for its kernels and variables.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

extern "C" {
void** __cudaRegisterFatBinary(void* fatCubin);
void __cudaRegisterFatBinaryEnd(void** fatCubinHandle);
void __cudaUnregisterFatBinary(void** fatCubinHandle);
void __cudaRegisterFunction(void** fatCubinHandle, const char* hostFun, char* deviceFun,
                            const char* deviceName, int threadLimit, uint3* tid, uint3* bid,
                            dim3* bDim, dim3* gDim, int* wSize);
void __cudaRegisterVar(void** fatCubinHandle, char* hostVar, char* deviceAddress,
                       const char* deviceName, int ext, size_t size, int constant, int global);
void __cudaRegisterManagedVar(void** fatCubinHandle, void** hostVarPtrAddress, char* deviceAddress,
                              const char* deviceName, int ext, size_t size, int constant,
                              int global);
char __cudaInitModule(void** fatCubinHandle);
}

namespace cuvette::runtime_tests {

// A container with one PTX entry, as fatbinary writes it without compression.
class FatBinary {
 public:
  explicit FatBinary(const std::string& ptx) {
    const uint64_t text = ptx.size() + 1, padded = (text + 7) / 8 * 8;
    bytes_.resize(16 + 64 + padded);
    put<uint32_t>(0, 0xBA55ED50);  // container
    put<uint16_t>(4, 1);
    put<uint16_t>(6, 16);
    put<uint64_t>(8, 64 + padded);
    put<uint16_t>(16, 1);  // entry: PTX
    put<uint16_t>(18, 0x0101);
    put<uint32_t>(20, 64);
    put<uint64_t>(24, padded);
    put<uint16_t>(16 + 26, 7);  // PTX ISA 7.0
    put<uint32_t>(16 + 28, 75);
    put<uint64_t>(16 + 40, 0x11);  // 64 bits, Linux
    std::memcpy(bytes_.data() + 80, ptx.c_str(), text);
  }
  const void* data() const { return bytes_.data(); }

 private:
  template <typename Number>
  void put(size_t offset, Number number) {
    std::memcpy(bytes_.data() + offset, &number, sizeof number);
  }
  std::vector<char> bytes_;
};

// A fat binary, registered while this object lives.
class Registered {
 public:
  explicit Registered(const std::string& ptx)
      : binary_(ptx), wrapper_{0x466243B1, 1, binary_.data(), nullptr} {
    handle_ = __cudaRegisterFatBinary(&wrapper_);
  }
  ~Registered() { __cudaUnregisterFatBinary(handle_); }
  Registered(const Registered&) = delete;
  Registered& operator=(const Registered&) = delete;

  // `host` is the address that stands for the kernel.
  void kernel(const void* host, const char* name) {
    __cudaRegisterFunction(handle_, static_cast<const char*>(host), nullptr, name, -1, nullptr,
                           nullptr, nullptr, nullptr, nullptr);
  }
  void variable(void* host, const char* name, size_t bytes) {
    __cudaRegisterVar(handle_, static_cast<char*>(host), nullptr, name, 0, bytes, 0, 0);
  }
  void managed(void** pointer, const char* name, size_t bytes) {
    __cudaRegisterManagedVar(handle_, pointer, nullptr, name, 0, bytes, 0, 0);
  }
  void end() { __cudaRegisterFatBinaryEnd(handle_); }
  bool load() { return __cudaInitModule(handle_) != 0; }

 private:
  struct Wrapper {
    uint32_t magic, version;
    const void* data;
    const void* filename;
  };
  FatBinary binary_;
  Wrapper wrapper_;
  void** handle_;
};

// Kernels and variables for most tests. The functions are never called: their addresses stand for
// kernels.
inline void add(int*, int) {}
inline void nothing() {}
inline void store_far(int*) {}
inline int counter;
inline int* managed_number;

inline const char* const ptx = R"(
.version 7.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 counter = 7;
.visible .global .attribute(.managed) .align 4 .u32 managed_number = 5;
// Adds `value` to the numbers, one for each thread of a block, and one to `counter`.
.visible .entry add(.param .u64 numbers, .param .u32 value)
{
  .reg .b64 %rd<4>;
  .reg .b32 %r<5>;
  ld.param.u64 %rd1, [numbers];
  ld.param.u32 %r1, [value];
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %rd2, %r2, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r3, [%rd3];
  add.u32 %r3, %r3, %r1;
  st.global.u32 [%rd3], %r3;
  atom.global.add.u32 %r4, [counter], 1;
  ret;
}
.visible .entry nothing() { ret; }
.visible .entry store_far(.param .u64 place)
{
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [place];
  st.global.u32 [%rd1], 1;
  ret;
}
)";

// All of the above, registered as a compiler's host code does it, until the program ends.
inline Registered& program() {
  static Registered* const registered = [] {
    auto* const all = new Registered(ptx);
    all->kernel(reinterpret_cast<const void*>(&add), "add");
    all->kernel(reinterpret_cast<const void*>(&nothing), "nothing");
    all->kernel(reinterpret_cast<const void*>(&store_far), "store_far");
    all->variable(&counter, "counter", 4);
    all->managed(reinterpret_cast<void**>(&managed_number), "managed_number", 4);
    all->end();
    return all;
  }();
  return *registered;
}

inline cudaError_t launch_add(dim3 grid, dim3 block, int* numbers, int value,
                              cudaStream_t stream = nullptr, size_t shared = 0) {
  void* arguments[] = {&numbers, &value};
  program();
  return cudaLaunchKernel(reinterpret_cast<const void*>(&add), grid, block, arguments, shared,
                          stream);
}

}  // namespace cuvette::runtime_tests
