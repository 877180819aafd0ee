// SPDX-License-Identifier: Apache-2.0
// The cost of <<<>>> as compilers generate it, for an empty kernel that is queued, and of
// allocations. Floor: the same by the driver API.
#include <benchmark/benchmark.h>
#include <cuda.h>
#include <cuda_runtime_api.h>

#include <algorithm>
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

// Times the runtime's call and the driver's in turns of 100, each waited for, and reports the least
// time of a call of each and the ratio of the two: other work on the machine disturbs some turns of
// both.
template <typename Runtime, typename Driver>
void in_turns(benchmark::State& state, cudaStream_t stream, Runtime runtime, Driver driver) {
  constexpr int calls = 100;
  const auto turn = [stream](const auto& call) {
    const double begin = now_ns();
    for (int i = 0; i < calls; ++i) call();
    const double each = (now_ns() - begin) / calls;
    require(cudaStreamSynchronize(stream));
    return each;
  };
  double least = turn(runtime), floor = turn(driver);
  for (auto _ : state) {
    floor = std::min(floor, turn(driver));
    const double each = turn(runtime);
    least = std::min(least, each);
    state.SetIterationTime(each * 1e-9);
  }
  state.counters["least_ns"] = least;
  state.counters["floor_ns"] = floor;
  state.counters["ratio"] = least / floor;
}
constexpr int turns = 3000;

// Launches by the driver API, of what the kernel is in the current context.
template <typename Runtime>
void against_driver(benchmark::State& state, cudaStream_t stream, Runtime runtime) {
  CUfunction function = nullptr;
  if (cuKernelGetFunction(&function, kernel()) != CUDA_SUCCESS) abort();
  in_turns(state, stream, runtime,
           [=] { cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr); });
}

// The code that nvcc 13 generates for kernel<<<1, 1, 0, stream>>>().
void BM_launch_of_nvcc_13(benchmark::State& state) {
  cudaStream_t stream = nullptr;
  require(cudaStreamCreate(&stream));
  const cudaKernel_t found = kernel();
  against_driver(state, stream, [=] {
    __cudaPushCallConfiguration(1, 1, 0, stream);
    dim3 grid, block;
    size_t shared = 0;
    cudaStream_t popped = nullptr;
    __cudaPopCallConfiguration(&grid, &block, &shared, &popped);
    __cudaLaunchKernel(found, grid, block, nullptr, shared, popped);
  });
  cudaStreamDestroy(stream);
}
BENCHMARK(BM_launch_of_nvcc_13)->UseManualTime()->Iterations(turns);

// The code that clang and older versions of nvcc generate for it.
void BM_cudaLaunchKernel(benchmark::State& state) {
  cudaStream_t stream = nullptr;
  require(cudaStreamCreate(&stream));
  (void)kernel();
  against_driver(state, stream, [=] {
    cudaLaunchKernel(reinterpret_cast<const void*>(&nothing), 1, 1, nullptr, 0, stream);
  });
  cudaStreamDestroy(stream);
}
BENCHMARK(BM_cudaLaunchKernel)->UseManualTime()->Iterations(turns);

void BM_cudaMallocAsync_and_cudaFreeAsync(benchmark::State& state) {
  cudaStream_t stream = nullptr;
  require(cudaStreamCreate(&stream));
  constexpr size_t size = 4096;
  in_turns(
      state, stream,
      [=] {
        void* address;
        cudaMallocAsync(&address, size, stream);
        cudaFreeAsync(address, stream);
      },
      [=] {
        CUdeviceptr address;
        cuMemAllocAsync(&address, size, stream);
        cuMemFreeAsync(address, stream);
      });
  cudaStreamDestroy(stream);
}
BENCHMARK(BM_cudaMallocAsync_and_cudaFreeAsync)->UseManualTime()->Iterations(turns);

}  // namespace
