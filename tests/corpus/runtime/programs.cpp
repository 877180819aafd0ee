// SPDX-License-Identifier: Apache-2.0
// The functions that nvcc's host code calls by itself: registering what a program holds, and
// launches.
#include "programs.hpp"

#include <deque>
#include <map>
#include <string>
#include <vector>

namespace corpus {
namespace {

struct Image {
  const void* data;
  CUlibrary library = nullptr;
  struct Managed {
    void** pointer;
    std::string name;
  };
  std::vector<Managed> managed;

  CUresult load() {
    if (library) return CUDA_SUCCESS;
    CUresult result = ready();
    if (result == CUDA_SUCCESS)
      result = cuLibraryLoadData(&library, data, nullptr, nullptr, 0, nullptr, nullptr, 0);
    for (const Managed& variable : managed) {
      CUdeviceptr address = 0;
      size_t bytes = 0;
      if (result == CUDA_SUCCESS)
        result = cuLibraryGetManaged(&address, &bytes, library, variable.name.c_str());
      *variable.pointer = reinterpret_cast<void*>(address);
    }
    return result;
  }
};

struct Named {
  Image* image;
  std::string name;
  CUkernel kernel = nullptr;
};

// Registered before main() begins, by static constructors of other files.
struct Registry {
  std::deque<Image> images;
  std::map<const void*, Named> kernels, variables;
};
Registry& registry() {
  static Registry* const all = new Registry;
  return *all;
}

thread_local cudaError_t last_error = cudaSuccess;

struct Configuration {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
};
thread_local std::vector<Configuration> configurations;

}  // namespace

cudaError_t keep(cudaError_t error) {
  if (error != cudaSuccess && error != cudaErrorNotReady) last_error = error;
  return error;
}
cudaError_t keep(CUresult result) { return keep(static_cast<cudaError_t>(result)); }

CUresult ready() {
  CUcontext context = nullptr;
  if (cuCtxGetCurrent(&context) == CUDA_SUCCESS && context) return CUDA_SUCCESS;
  CUresult result = cuInit(0);
  CUdevice device = 0;
  if (result == CUDA_SUCCESS) result = cuDeviceGet(&device, 0);
  if (result == CUDA_SUCCESS) result = cuDevicePrimaryCtxRetain(&context, device);
  return result == CUDA_SUCCESS ? cuCtxSetCurrent(context) : result;
}

CUresult kernel_of(const void* host, CUkernel* kernel) {
  const auto known = registry().kernels.find(host);
  if (known == registry().kernels.end())
    return static_cast<CUresult>(cudaErrorInvalidDeviceFunction);
  Named& entry = known->second;
  if (!entry.kernel) {
    CUresult result = entry.image->load();
    if (result == CUDA_SUCCESS)
      result = cuLibraryGetKernel(&entry.kernel, entry.image->library, entry.name.c_str());
    if (result != CUDA_SUCCESS) return result;
  }
  *kernel = entry.kernel;
  return CUDA_SUCCESS;
}

CUresult function_of(const void* host, CUfunction* function) {
  CUkernel kernel = nullptr;
  const CUresult result = kernel_of(host, &kernel);
  return result == CUDA_SUCCESS ? cuKernelGetFunction(function, kernel) : result;
}

CUresult variable_of(const void* host, CUdeviceptr* address, size_t* bytes) {
  const auto known = registry().variables.find(host);
  if (known == registry().variables.end()) return static_cast<CUresult>(cudaErrorInvalidSymbol);
  const CUresult result = known->second.image->load();
  if (result != CUDA_SUCCESS) return result;
  return cuLibraryGetGlobal(address, bytes, known->second.image->library,
                            known->second.name.c_str());
}

}  // namespace corpus

using namespace corpus;

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  registry().images.push_back({wrapper, nullptr, {}});
  return reinterpret_cast<void**>(&registry().images.back());
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void** image) {
  return reinterpret_cast<Image*>(image)->load() == CUDA_SUCCESS;
}

void __cudaRegisterFunction(void** image, const char* host, char*, const char* name, int, uint3*,
                            uint3*, dim3*, dim3*, int*) {
  registry().kernels[host] = {reinterpret_cast<Image*>(image), name};
}
void __cudaRegisterVar(void** image, char* host, char*, const char* name, int, size_t, int, int) {
  registry().variables[host] = {reinterpret_cast<Image*>(image), name};
}
void __cudaRegisterManagedVar(void** image, void** host, char*, const char* name, int, size_t, int,
                              int) {
  reinterpret_cast<Image*>(image)->managed.push_back({host, name});
  registry().variables[host] = {reinterpret_cast<Image*>(image), name};
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, CUstream_st* stream) {
  configurations.push_back({grid, block, shared, stream});
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
  if (configurations.empty()) return cudaErrorMissingConfiguration;
  const Configuration& last = configurations.back();
  *grid = last.grid, *block = last.block, *shared = last.shared;
  *static_cast<cudaStream_t*>(stream) = last.stream;
  configurations.pop_back();
  return cudaSuccess;
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host) {
  CUkernel found = nullptr;
  const CUresult result = kernel_of(host, &found);
  *kernel = reinterpret_cast<cudaKernel_t>(found);
  return keep(result);
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               size_t shared, cudaStream_t stream) {
  if (!kernel) return keep(last_error == cudaSuccess ? cudaErrorInvalidDeviceFunction : last_error);
  CUfunction function = nullptr;
  const CUresult result = cuKernelGetFunction(&function, reinterpret_cast<CUkernel>(kernel));
  if (result != CUDA_SUCCESS) return keep(result);
  FORWARD(cuLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                         static_cast<unsigned>(shared), stream, arguments, nullptr));
}

cudaError_t cudaLaunchKernel(const void* host, dim3 grid, dim3 block, void** arguments,
                             size_t shared, cudaStream_t stream) {
  CUfunction function = nullptr;
  const CUresult result = function_of(host, &function);
  if (result != CUDA_SUCCESS) return keep(result);
  FORWARD(cuLaunchKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                         static_cast<unsigned>(shared), stream, arguments, nullptr));
}
cudaError_t cudaLaunchCooperativeKernel(const void* host, dim3 grid, dim3 block, void** arguments,
                                        size_t shared, cudaStream_t stream) {
  CUfunction function = nullptr;
  const CUresult result = function_of(host, &function);
  if (result != CUDA_SUCCESS) return keep(result);
  FORWARD(cuLaunchCooperativeKernel(function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                                    static_cast<unsigned>(shared), stream, arguments));
}
// The attributes of both APIs have the same numbers and the same form.
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* host,
                                void** arguments) {
  CUfunction function = nullptr;
  const CUresult result = function_of(host, &function);
  if (result != CUDA_SUCCESS) return keep(result);
  CUlaunchConfig launch{};
  launch.gridDimX = config->gridDim.x, launch.gridDimY = config->gridDim.y,
  launch.gridDimZ = config->gridDim.z;
  launch.blockDimX = config->blockDim.x, launch.blockDimY = config->blockDim.y,
  launch.blockDimZ = config->blockDim.z;
  launch.sharedMemBytes = static_cast<unsigned>(config->dynamicSmemBytes);
  launch.hStream = config->stream;
  launch.attrs = reinterpret_cast<CUlaunchAttribute*>(config->attrs);
  launch.numAttrs = config->numAttrs;
  FORWARD(cuLaunchKernelEx(&launch, function, arguments, nullptr));
}

cudaError_t cudaGetLastError() {
  const cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}
cudaError_t cudaPeekAtLastError() { return last_error; }
}
