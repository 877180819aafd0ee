// SPDX-License-Identifier: Apache-2.0
// What the runtime adds to the driver: each of its calls next to the driver's call that it makes,
// the difference being its own. The runtime is looked for when the program runs.
#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include "bench/gpu_costs/costs.hpp"

namespace cuvette::bench {
namespace {

struct Runtime {
  bool open() {
    for (const char* name : {"libcudart.so.13", "libcudart.so.12", "libcudart.so"}) {
      void* const library = dlopen(name, RTLD_NOW);
      if (!library) continue;
      bool has_all = true;
#define CUVETTE_FIND(name)                                        \
  name = reinterpret_cast<decltype(name)>(dlsym(library, #name)); \
  has_all = has_all && name
      CUVETTE_FIND(cudaMalloc);
      CUVETTE_FIND(cudaFree);
      CUVETTE_FIND(cudaMemcpyAsync);
      CUVETTE_FIND(cudaMemsetAsync);
      CUVETTE_FIND(cudaEventRecord);
      CUVETTE_FIND(cudaEventQuery);
      CUVETTE_FIND(cudaStreamWaitEvent);
      CUVETTE_FIND(cudaStreamSynchronize);
      CUVETTE_FIND(cudaStreamQuery);
      CUVETTE_FIND(cudaGetDevice);
      CUVETTE_FIND(cudaSetDevice);
      CUVETTE_FIND(cudaGetLastError);
      CUVETTE_FIND(cudaLaunchKernel);
      CUVETTE_FIND(cudaLibraryLoadData);
      CUVETTE_FIND(cudaLibraryGetKernel);
#undef CUVETTE_FIND
      return has_all;
    }
    return false;
  }
  cudaError_t (*cudaMalloc)(void**, size_t);
  cudaError_t (*cudaFree)(void*);
  cudaError_t (*cudaMemcpyAsync)(void*, const void*, size_t, cudaMemcpyKind, cudaStream_t);
  cudaError_t (*cudaMemsetAsync)(void*, int, size_t, cudaStream_t);
  cudaError_t (*cudaEventRecord)(cudaEvent_t, cudaStream_t);
  cudaError_t (*cudaEventQuery)(cudaEvent_t);
  cudaError_t (*cudaStreamWaitEvent)(cudaStream_t, cudaEvent_t, unsigned);
  cudaError_t (*cudaStreamSynchronize)(cudaStream_t);
  cudaError_t (*cudaStreamQuery)(cudaStream_t);
  cudaError_t (*cudaGetDevice)(int*);
  cudaError_t (*cudaSetDevice)(int);
  cudaError_t (*cudaGetLastError)();
  cudaError_t (*cudaLaunchKernel)(const void*, dim3, dim3, void**, size_t, cudaStream_t);
  cudaError_t (*cudaLibraryLoadData)(cudaLibrary_t*, const void*, cudaJitOption*, void**, unsigned,
                                     cudaLibraryOption*, void**, unsigned);
  cudaError_t (*cudaLibraryGetKernel)(cudaKernel_t*, cudaLibrary_t, const char*);
};

template <typename Call>
double took(Call call) {
  const double begin = now_ns();
  call();
  return now_ns() - begin;
}

class Pairs {
 public:
  explicit Pairs(Costs& costs) : costs_(costs) {}
  template <typename Of, typename Without>
  void add(const char* function, Of of_runtime, Without of_driver) {
    costs_.add({function, "", "call", "own"}, 1, took(of_runtime) - took(of_driver));
  }

 private:
  Costs& costs_;
};

}  // namespace

void measure_runtime(Costs& costs) {
  Runtime runtime;
  if (!runtime.open()) return costs.skip("the runtime", "no libcudart.so.13 or .12 with all of it");
  const Kernels kernels;
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;
  if (runtime.cudaLibraryLoadData(&library, kernels_ptx, nullptr, nullptr, 0, nullptr, nullptr,
                                  0) ||
      runtime.cudaLibraryGetKernel(&kernel, library, "nothing"))
    return costs.skip("the runtime", "it loads no library");
  CUstream stream = nullptr;
  CUevent event = nullptr;
  void *pinned = nullptr, *memory = nullptr;
  CUdeviceptr address = 0;
  NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  NEED(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  NEED(cuMemAllocHost(&pinned, 1 << 20));
  NEED(cuMemAlloc(&address, 1 << 20));
  const auto at = reinterpret_cast<void*>(address);
  Pairs pairs(costs);
  const auto ready = [&] { cuStreamSynchronize(stream); };
  costs.repeat(200, 1, [&] {
    pairs.add(
        "cudaMalloc", [&] { runtime.cudaMalloc(&memory, 1 << 20); },
        [&] { cuMemAlloc(&address, 1 << 20); });
    pairs.add(
        "cudaFree", [&] { runtime.cudaFree(memory); }, [&] { cuMemFree(address); });
  });
  costs.repeat(300, 1, [&] {
    ready();
    launch(kernels.nothing, stream);
    pairs.add(
        "cudaLaunchKernel",
        [&] {
          runtime.cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(1), dim3(32),
                                   nullptr, 0, stream);
        },
        [&] { launch(kernels.nothing, stream); });
    pairs.add(
        "cudaMemcpyAsync",
        [&] { runtime.cudaMemcpyAsync(at, pinned, 4096, cudaMemcpyHostToDevice, stream); },
        [&] { cuMemcpyHtoDAsync(reinterpret_cast<CUdeviceptr>(at), pinned, 4096, stream); });
    pairs.add(
        "cudaMemsetAsync", [&] { runtime.cudaMemsetAsync(at, 0, 4096, stream); },
        [&] { cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(at), 0, 4096, stream); });
    pairs.add(
        "cudaEventRecord", [&] { runtime.cudaEventRecord(event, stream); },
        [&] { cuEventRecord(event, stream); });
    pairs.add(
        "cudaStreamWaitEvent", [&] { runtime.cudaStreamWaitEvent(stream, event, 0); },
        [&] { cuStreamWaitEvent(stream, event, 0); });
    ready();
    pairs.add(
        "cudaStreamSynchronize", [&] { runtime.cudaStreamSynchronize(stream); },
        [&] { cuStreamSynchronize(stream); });
    pairs.add(
        "cudaStreamQuery", [&] { runtime.cudaStreamQuery(stream); },
        [&] { cuStreamQuery(stream); });
    pairs.add(
        "cudaEventQuery", [&] { runtime.cudaEventQuery(event); }, [&] { cuEventQuery(event); });
    int device = 0;
    pairs.add(
        "cudaGetDevice", [&] { runtime.cudaGetDevice(&device); }, [] {});
    pairs.add(
        "cudaSetDevice", [&] { runtime.cudaSetDevice(0); }, [] {});
    pairs.add(
        "cudaGetLastError", [&] { runtime.cudaGetLastError(); }, [] {});
  });
  cuMemFreeHost(pinned);
  cuMemFree(reinterpret_cast<CUdeviceptr>(at));
  cuEventDestroy(event);
  cuStreamDestroy(stream);
}

}  // namespace cuvette::bench
