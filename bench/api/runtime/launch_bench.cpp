// SPDX-License-Identifier: Apache-2.0
// The cost of <<<>>> as compilers generate it, for an empty kernel that is queued. Floor: the same
// launch by the driver API.
#include <benchmark/benchmark.h>
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdlib>

#include "bench/floor.hpp"

extern "C" {
void** __cudaRegisterFatBinary(void* fatCubin);
void __cudaRegisterFatBinaryEnd(void** fatCubinHandle);
void __cudaRegisterFunction(void** fatCubinHandle, const char* hostFun, char* deviceFun,
                            const char* deviceName, int threadLimit, uint3* tid, uint3* bid,
                            dim3* bDim, dim3* gDim, int* wSize);
unsigned __cudaPushCallConfiguration(dim3 gridDim, dim3 blockDim, size_t sharedMem,
                                     CUstream_st* stream);
cudaError_t __cudaPopCallConfiguration(dim3* gridDim, dim3* blockDim, size_t* sharedMem,
                                       void* stream);
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* hostFun);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 gridDim, dim3 blockDim, void** args,
                               size_t sharedMem, cudaStream_t stream);
}

namespace {

using namespace cuvette::bench;

// Its address stands for the kernel.
void nothing() { benchmark::ClobberMemory(); }

void require(cudaError_t error) {
  if (error != cudaSuccess) abort();
}

cudaKernel_t kernel() {
  static cudaKernel_t const found = [] {
    // The driver takes PTX text where it takes a fat binary.
    static char ptx[] =
        ".version 7.0\n.target sm_75\n.address_size 64\n.visible .entry nothing() { ret; }\n";
    void** const image = __cudaRegisterFatBinary(ptx);
    __cudaRegisterFunction(image, reinterpret_cast<const char*>(&nothing), nullptr, "nothing", -1,
                           nullptr, nullptr, nullptr, nullptr, nullptr);
    __cudaRegisterFatBinaryEnd(image);
    cudaKernel_t kernel = nullptr;
    require(__cudaGetKernel(&kernel, reinterpret_cast<const void*>(&nothing)));
    return kernel;
  }();
  return found;
}

// Waits now and then, as programs do.
template <typename Launch>
auto queued(cudaStream_t stream, Launch launch) {
  return [stream, launch, since = 0u]() mutable {
    launch();
    if (++since % 1000 == 0) cudaStreamSynchronize(stream);
  };
}

double driver_launch_ns(cudaStream_t stream) {
  const auto function = reinterpret_cast<CUfunction>(kernel());
  return floor_ns(queued(
      stream, [=] { cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr); }));
}

// The code that nvcc 13 generates for kernel<<<1, 1, 0, stream>>>().
void BM_launch_of_nvcc_13(benchmark::State& state) {
  cudaStream_t stream = nullptr;
  require(cudaStreamCreate(&stream));
  const cudaKernel_t found = kernel();
  against_floor(state, driver_launch_ns(stream), queued(stream, [=] {
                  __cudaPushCallConfiguration(1, 1, 0, stream);
                  dim3 grid, block;
                  size_t shared = 0;
                  cudaStream_t popped = nullptr;
                  __cudaPopCallConfiguration(&grid, &block, &shared, &popped);
                  __cudaLaunchKernel(found, grid, block, nullptr, shared, popped);
                }));
  cudaStreamDestroy(stream);
}
BENCHMARK(BM_launch_of_nvcc_13)->UseRealTime();

// The code that clang and older versions of nvcc generate for it.
void BM_cudaLaunchKernel(benchmark::State& state) {
  cudaStream_t stream = nullptr;
  require(cudaStreamCreate(&stream));
  (void)kernel();
  against_floor(state, driver_launch_ns(stream), queued(stream, [=] {
                  cudaLaunchKernel(reinterpret_cast<const void*>(&nothing), 1, 1, nullptr, 0,
                                   stream);
                }));
  cudaStreamDestroy(stream);
}
BENCHMARK(BM_cudaLaunchKernel)->UseRealTime();

}  // namespace
