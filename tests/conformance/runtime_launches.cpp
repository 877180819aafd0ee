// SPDX-License-Identifier: Apache-2.0
// Launches, configurations that are pushed, attributes of functions, and occupancy.
#include "runtime.hpp"

using namespace conformance;

CASE(rt_launch_shapes) {
  const auto ask = [](const char* question, dim3 grid, dim3 block, size_t shared) {
    const cudaError_t result = launch(&empty, grid, block, shared, nullptr);
    answer_last(question, result);
  };
  ask("1 1", 1, 1, 0);
  ask("grid 0", 0, 1, 0);
  ask("grid y 0", dim3(1, 0, 1), 1, 0);
  ask("grid z 0", dim3(1, 1, 0), 1, 0);
  ask("block 0", 1, 0, 0);
  ask("block y 0", 1, dim3(1, 0, 1), 0);
  ask("block z 0", 1, dim3(1, 1, 0), 0);
  ask("both 0", 0, 0, 0);
  ask("block 1024", 1, 1024, 0);
  ask("block 1025", 1, 1025, 0);
  ask("block 32x33", 1, dim3(32, 33, 1), 0);
  ask("block z 64", 1, dim3(1, 1, 64), 0);
  ask("block z 65", 1, dim3(1, 1, 65), 0);
  ask("block y 1025", 1, dim3(1, 1025, 1), 0);
  ask("grid x 2^31", 0x80000000u, 1, 0);
  ask("grid y 65536", dim3(1, 65536, 1), 1, 0);
  ask("grid z 65536", dim3(1, 1, 65536), 1, 0);
  ask("shared 48 KiB", 1, 1, 49152);
  ask("shared 48 KiB + 1", 1, 1, 49153);
  ask("shared 1 GiB", 1, 1, size_t{1} << 30);
  ask("shared 2^32", 1, 1, size_t{1} << 32);
  TRY(launch(&bounded, 1, 64, 0, nullptr));
  TRY(launch(&bounded, 1, 65, 0, nullptr));
  TRY(cudaDeviceSynchronize());
}

CASE(rt_launch_functions) {
  TRY(launch(nullptr, 1, 1, 0, nullptr));
  TRY(launch(unregistered, 1, 1, 0, nullptr));
  TRY(launch(&missing, 1, 1, 0, nullptr));
  TRY(launch(reinterpret_cast<void*>(unregistered_function), 1, 1, 0, nullptr));
  TRY(launch(numbers, 1, 1, 0, nullptr));
  TRY(launch(unregistered, 0, 1, 0, nullptr));
  TRY(launch(nullptr, 0, 0, 0, nullptr));
  TRY(cudaLaunchKernel(&empty, 1, 1, nullptr, 0, nullptr));
  TRY(cudaLaunchKernel(&add_one, 1, 1, nullptr, 0, nullptr));
  TRY(cudaLaunchCooperativeKernel(&empty, 1, 1, nullptr, 0, nullptr));
  TRY(cudaLaunchCooperativeKernel(&empty, 1 << 20, 1, nullptr, 0, nullptr));
  TRY(cudaLaunchCooperativeKernel(unregistered, 1, 1, nullptr, 0, nullptr));
  TRY(cudaLaunchHostFunc(nullptr, nullptr, nullptr));
  cudaLaunchConfig_t config = {};
  TRY(cudaLaunchKernelExC(&config, &empty, nullptr));
  config.gridDim = config.blockDim = 1;
  TRY(cudaLaunchKernelExC(&config, &empty, nullptr));
  TRY(cudaLaunchKernelExC(&config, nullptr, nullptr));
  config.numAttrs = 1;
  TRY(cudaLaunchKernelExC(&config, &empty, nullptr));
  cudaLaunchAttribute attribute = {};
  config.attrs = &attribute;
  for (int id = 0; id < 20; ++id) {
    attribute = {};
    attribute.id = cudaLaunchAttributeID(id);
    answer_last(("attribute " + std::to_string(id)).c_str(),
                cudaLaunchKernelExC(&config, &empty, nullptr));
  }
  attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {2, 1, 1};
  TRY(cudaLaunchKernelExC(&config, &empty, nullptr));
  config.gridDim = 2;
  TRY(cudaLaunchKernelExC(&config, &empty, nullptr));
  config.gridDim = 16;
  attribute.val.clusterDim = {16, 1, 1};
  TRY(cudaLaunchKernelExC(&config, &empty, nullptr));
  TRY(cudaDeviceSynchronize());
}

CASE(rt_launch_wrong_streams) {
  cudaStream_t stream;
  PREPARE(cudaStreamCreate(&stream));
  TRY(launch(&empty, 1, 1, 0, stream));
  TRY(launch(&empty, 1, 1, 0, cudaStreamLegacy));
  TRY(launch(&empty, 1, 1, 0, cudaStreamPerThread));
  TRY(launch(&empty, 0, 1, 0, stream));
  TRY(cudaDeviceSynchronize());
}

CASE(rt_configurations) {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
  ASK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
  ASK(cudaGetLastError());
  ASK(__cudaPushCallConfiguration(dim3(1, 2, 3), dim3(4, 5, 6), 7, cudaStreamPerThread));
  ASK(__cudaPushCallConfiguration(dim3(11, 12, 13), dim3(14, 15, 16), 17, nullptr));
  ASK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
  ASK(grid.x);
  ASK(grid.z);
  ASK(block.y);
  ASK(shared);
  ASK(stream == nullptr);
  ASK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
  ASK(grid.x);
  ASK(grid.z);
  ASK(block.y);
  ASK(shared);
  ASK(stream == cudaStreamPerThread);
  ASK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
  ASK(cudaGetLastError());
  ASK(__cudaPushCallConfiguration(0, 0, 0, nullptr));
  ASK(cudaGetLastError());
  ASK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
  ASK(grid.x);
}

CASE(rt_launch_results) {
  unsigned* p;
  unsigned host[4] = {5, 6, 7, 8};
  PREPARE(cudaMalloc(reinterpret_cast<void**>(&p), 16));
  TRY(cudaMemcpy(p, host, 16, cudaMemcpyHostToDevice));
  TRY(launch(&add_one, 1, 4, 0, nullptr, p));
  TRY(cudaMemcpy(host, p, 16, cudaMemcpyDeviceToHost));
  ASK(host[0]);
  ASK(host[3]);
  TRY(launch(&store, 1, 1, 0, nullptr, p, 99u));
  TRY(launch(&read_table, 1, 1, 0, nullptr, p + 1));
  TRY(cudaMemcpy(host, p, 16, cudaMemcpyDeviceToHost));
  ASK(host[0]);
  ASK(host[1]);
}

static void say_attributes(const void* kernel) {
  cudaFuncAttributes a = {};
  TRY(cudaFuncGetAttributes(&a, kernel));
  ASK(a.sharedSizeBytes);
  ASK(a.constSizeBytes);
  ASK(a.localSizeBytes);
  ASK(a.maxThreadsPerBlock);
  ASK(a.ptxVersion);
  ASK(a.cacheModeCA);
  ASK(a.maxDynamicSharedSizeBytes);
  ASK(a.preferredShmemCarveout);
  ASK(a.clusterDimMustBeSet);
  ASK(a.requiredClusterWidth);
  ASK(a.clusterSchedulingPolicyPreference);
  ASK(a.nonPortableClusterSizeAllowed);
}

CASE(rt_function_attributes) {
  for (const void* kernel :
       {static_cast<void*>(&empty), static_cast<void*>(&add_one), static_cast<void*>(&fixed_shared),
        static_cast<void*>(&dynamic_shared), static_cast<void*>(&bounded)})
    say_attributes(kernel);
  cudaFuncAttributes a;
  TRY(cudaFuncGetAttributes(&a, nullptr));
  TRY(cudaFuncGetAttributes(nullptr, &empty));
  TRY(cudaFuncGetAttributes(&a, &unregistered));
  TRY(cudaFuncGetAttributes(&a, &missing));
  const char* name = nullptr;
  TRY(cudaFuncGetName(&name, &fixed_shared));
  NOTE("name", name ? name : "null");
  TRY(cudaFuncGetName(&name, &unregistered));
  TRY(cudaFuncGetName(nullptr, &empty));
  TRY(cudaFuncGetName(&name, nullptr));
  size_t offset, size;
  TRY(cudaFuncGetParamInfo(&store, 0, &offset, &size));
  ASK(offset);
  ASK(size);
  TRY(cudaFuncGetParamInfo(&store, 1, &offset, &size));
  ASK(offset);
  ASK(size);
  TRY(cudaFuncGetParamInfo(&store, 2, &offset, &size));
  TRY(cudaFuncGetParamInfo(&store, 0, nullptr, &size));
  TRY(cudaFuncGetParamInfo(&store, 0, &offset, nullptr));
  TRY(cudaFuncGetParamInfo(unregistered, 0, &offset, &size));
}

CASE(rt_function_settings) {
  const auto set = [](cudaFuncAttribute which, int value) {
    answer_last(("attribute " + std::to_string(which) + " = " + std::to_string(value)).c_str(),
                cudaFuncSetAttribute(&dynamic_shared, which, value));
  };
  for (int value : {0, 1024, 49152, 49153, 65536, 232448, 232449, 1 << 30, -1})
    set(cudaFuncAttributeMaxDynamicSharedMemorySize, value);
  for (int value : {-2, -1, 0, 50, 100, 101})
    set(cudaFuncAttributePreferredSharedMemoryCarveout, value);
  for (int which = 0; which < 8; ++which) set(cudaFuncAttribute(which), 0);
  for (int which = 8; which < 17; ++which) set(cudaFuncAttribute(which), 1);
  TRY(cudaFuncSetAttribute(nullptr, cudaFuncAttributeMaxDynamicSharedMemorySize, 0));
  TRY(cudaFuncSetAttribute(unregistered, cudaFuncAttributeMaxDynamicSharedMemorySize, 0));
  TRY(cudaFuncSetAttribute(&missing, cudaFuncAttributeMaxDynamicSharedMemorySize, 0));
  TRY(cudaFuncSetAttribute(&fixed_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 231424));
  TRY(cudaFuncSetAttribute(&fixed_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 231425));
  say_attributes(&fixed_shared);
  for (int cache : {0, 1, 2, 3, 4, -1})
    answer_last(("cache config " + std::to_string(cache)).c_str(),
                cudaFuncSetCacheConfig(&empty, cudaFuncCache(cache)));
  TRY(cudaFuncSetCacheConfig(nullptr, cudaFuncCachePreferL1));
  TRY(cudaFuncSetCacheConfig(unregistered, cudaFuncCachePreferL1));
  for (int bank : {0, 1, 2, 3, -1})
    answer_last(("bank size " + std::to_string(bank)).c_str(),
                cudaFuncSetSharedMemConfig(&empty, cudaSharedMemConfig(bank)));
  TRY(cudaFuncSetAttribute(&dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, 65536));
  void* p;
  PREPARE(cudaMalloc(&p, 4));
  TRY(launch(&dynamic_shared, 1, 2, 65536, nullptr, p));
  TRY(launch(&dynamic_shared, 1, 2, 65537, nullptr, p));
  TRY(cudaDeviceSynchronize());
}

CASE(rt_occupancy) {
  int n = -7;
  size_t s = 77;
  for (int threads : {-1, 0, 1, 32, 33, 128, 1024, 1025, 2048}) {
    n = -7;
    answer_last(("blocks of " + std::to_string(threads)).c_str(),
                cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, &empty, threads, 0));
    ASK(n);
  }
  for (size_t shared : {size_t{1}, size_t{1024}, size_t{49152}, size_t{49153}, size_t{1} << 20}) {
    n = -7;
    answer_last(("blocks with shared memory " + std::to_string(shared)).c_str(),
                cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, &empty, 32, shared));
    ASK(n);
  }
  TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, &empty, 32, 0));
  TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, nullptr, 32, 0));
  TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, unregistered, 32, 0));
  TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, &missing, 32, 0));
  TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, &bounded, 64, 0));
  ASK(n);
  TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, &bounded, 128, 0));
  ASK(n);
  for (unsigned flags : {0u, 1u, 2u, 3u})
    answer_last(("with flags " + std::to_string(flags)).c_str(),
                cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, &empty, 32, 0, flags));
  TRY(cudaOccupancyAvailableDynamicSMemPerBlock(&s, &empty, 1, 32));
  ASK(s);
  TRY(cudaOccupancyAvailableDynamicSMemPerBlock(&s, &empty, 4, 32));
  ASK(s);
  TRY(cudaOccupancyAvailableDynamicSMemPerBlock(&s, &empty, 0, 32));
  TRY(cudaOccupancyAvailableDynamicSMemPerBlock(&s, &empty, 1000, 32));
  TRY(cudaOccupancyAvailableDynamicSMemPerBlock(&s, unregistered, 1, 32));
  cudaLaunchConfig_t config = {};
  config.gridDim = 8;
  config.blockDim = 32;
  TRY(cudaOccupancyMaxPotentialClusterSize(&n, &empty, &config));
  ASK(n);
  TRY(cudaOccupancyMaxActiveClusters(&n, &empty, &config));
  TRY(cudaOccupancyMaxPotentialClusterSize(&n, unregistered, &config));
}

CASE(rt_symbols) {
  void* p = nullptr;
  size_t s = 0;
  unsigned host[8] = {};
  TRY(cudaGetSymbolAddress(&p, numbers));
  ASK(p != nullptr && p != numbers);
  TRY(cudaGetSymbolSize(&s, numbers));
  ASK(s);
  TRY(cudaGetSymbolAddress(&p, table));
  TRY(cudaGetSymbolSize(&s, table));
  ASK(s);
  TRY(cudaGetSymbolAddress(&p, nullptr));
  TRY(cudaGetSymbolAddress(&p, unregistered_variable));
  TRY(cudaGetSymbolAddress(&p, missing_variable));
  TRY(cudaGetSymbolAddress(&p, "numbers"));
  TRY(cudaGetSymbolAddress(&p, &empty));
  TRY(cudaGetSymbolSize(&s, unregistered_variable));
  TRY(cudaGetSymbolSize(&s, missing_variable));
  TRY(cudaMemcpyFromSymbol(host, numbers, 16, 0, cudaMemcpyDeviceToHost));
  ASK(host[0]);
  ASK(host[3]);
  TRY(cudaMemcpyFromSymbol(host, numbers, 4, 8, cudaMemcpyDefault));
  ASK(host[0]);
  TRY(cudaMemcpyFromSymbol(host, numbers, 16, 4, cudaMemcpyDeviceToHost));
  TRY(cudaMemcpyFromSymbol(host, numbers, 17, 0, cudaMemcpyDeviceToHost));
  TRY(cudaMemcpyFromSymbol(host, numbers, 0, 16, cudaMemcpyDeviceToHost));
  TRY(cudaMemcpyFromSymbol(host, numbers, 0, 17, cudaMemcpyDeviceToHost));
  TRY(cudaMemcpyFromSymbol(host, numbers, 4, size_t(-4), cudaMemcpyDeviceToHost));
  TRY(cudaMemcpyFromSymbol(host, numbers, 4, 0, cudaMemcpyHostToDevice));
  TRY(cudaMemcpyFromSymbol(host, numbers, 4, 0, cudaMemcpyHostToHost));
  TRY(cudaMemcpyFromSymbol(host, numbers, 4, 0, cudaMemcpyKind(9)));
  TRY(cudaMemcpyFromSymbol(nullptr, numbers, 4, 0, cudaMemcpyDeviceToHost));
  TRY(cudaMemcpyFromSymbol(host, nullptr, 4, 0, cudaMemcpyDeviceToHost));
  TRY(cudaMemcpyFromSymbol(host, unregistered_variable, 4, 0, cudaMemcpyDeviceToHost));
  TRY(cudaMemcpyFromSymbol(host, unregistered_variable, 0, 0, cudaMemcpyDeviceToHost));
  const unsigned values[] = {21, 22, 23, 24};
  TRY(cudaMemcpyToSymbol(numbers, values, 16, 0, cudaMemcpyHostToDevice));
  TRY(launch(&bump_numbers, 1, 1, 0, nullptr));
  TRY(cudaMemcpyFromSymbol(host, numbers, 16, 0, cudaMemcpyDeviceToHost));
  ASK(host[0]);
  ASK(host[1]);
  TRY(cudaMemcpyToSymbol(numbers, values, 4, 13, cudaMemcpyHostToDevice));
  TRY(cudaMemcpyToSymbol(numbers, values, 4, 0, cudaMemcpyDeviceToHost));
  TRY(cudaMemcpyToSymbol(table, values, 4, 0, cudaMemcpyHostToDevice));
  TRY(cudaMemcpyToSymbolAsync(numbers, values, 4, 4, cudaMemcpyHostToDevice, nullptr));
  TRY(cudaMemcpyToSymbolAsync(numbers, values, 4, 14, cudaMemcpyHostToDevice, nullptr));
  TRY(cudaMemcpyFromSymbolAsync(host, numbers, 16, 0, cudaMemcpyDeviceToHost, nullptr));
  TRY(cudaDeviceSynchronize());
  ASK(host[1]);
  TRY(cudaDeviceReset());
  TRY(cudaMemcpyFromSymbol(host, numbers, 16, 0, cudaMemcpyDeviceToHost));
  ASK(host[0]);
  ASK(host[1]);
  TRY(cudaMemcpyFromSymbol(host, table, 4, 0, cudaMemcpyDeviceToHost));
  ASK(host[0]);
}

CASE(rt_unregistered_binary) {
  static FatBinary binary(kernels_ptx);
  static char host;
  void** handle = __cudaRegisterFatBinary(binary.wrapper());
  ASK(handle != nullptr);
  __cudaRegisterFunction(handle, &host, const_cast<char*>("empty"), "empty", -1, nullptr, nullptr,
                         nullptr, nullptr, nullptr);
  __cudaRegisterFatBinaryEnd(handle);
  TRY(launch(&host, 1, 1, 0, nullptr));
  TRY(cudaDeviceSynchronize());
  __cudaUnregisterFatBinary(handle);
  TRY(launch(&host, 1, 1, 0, nullptr));
  TRY(launch(&empty, 1, 1, 0, nullptr));
}

CASE(rt_registered_late) {
  PREPARE(cudaFree(nullptr));
  static FatBinary broken(
      ".version 6.4\n.target sm_75\n.address_size 64\n.entry k() { nonsense; }\n");
  static char host;
  void** handle = __cudaRegisterFatBinary(broken.wrapper());
  __cudaRegisterFunction(handle, &host, const_cast<char*>("k"), "k", -1, nullptr, nullptr, nullptr,
                         nullptr, nullptr);
  __cudaRegisterFatBinaryEnd(handle);
  TRY(launch(&empty, 1, 1, 0, nullptr));
  TRY(launch(&host, 1, 1, 0, nullptr));
  cudaFuncAttributes a;
  TRY(cudaFuncGetAttributes(&a, &host));
  TRY(cudaDeviceSynchronize());
}

int main(int count, char** names) { return run(count, names); }
