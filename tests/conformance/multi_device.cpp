// SPDX-License-Identifier: Apache-2.0
// Two devices: what one may do with the other's memory, streams and events. The expected lines come
// from two H200s.
#include "gate.hpp"

namespace {

constexpr size_t n = 1 << 16;
CUcontext c0, c1;
CUdeviceptr p0, p1;
CUstream s0, s1;

void start() {
  PREPARE(cuInit(0));
  PREPARE(cuDevicePrimaryCtxRetain(&c1, 1));
  PREPARE(cuDevicePrimaryCtxRetain(&c0, 0));
  PREPARE(cuCtxSetCurrent(c1));
  PREPARE(cuMemAlloc(&p1, n));
  PREPARE(cuMemsetD8(p1, 1, n));
  PREPARE(cuStreamCreate(&s1, CU_STREAM_NON_BLOCKING));
  PREPARE(cuCtxSynchronize());
  PREPARE(cuCtxSetCurrent(c0));
  PREPARE(cuMemAlloc(&p0, n));
  PREPARE(cuMemsetD8(p0, 0, n));
  PREPARE(cuStreamCreate(&s0, CU_STREAM_NON_BLOCKING));
  PREPARE(cuCtxSynchronize());
}

// Returns the byte that the last copy left in p0, and clears p0 for the next one.
int byte() {
  unsigned char b = 99;
  PREPARE(cuCtxSynchronize());
  PREPARE(cuMemcpyDtoH(&b, p0 + n - 1, 1));
  PREPARE(cuMemsetD8(p0, 0, n));
  PREPARE(cuCtxSynchronize());
  return b;
}

// Prints what a call answers while `stream` is held up, and whether it waited for that stream.
#define BEHIND(stream, expected, call)                               \
  {                                                                  \
    conformance::Gate gate(stream, conformance::Expected::expected); \
    conformance::answer(#call, (call));                              \
    conformance::answer("waited", gate.is_open());                   \
  }

CASE(peer_attributes) {
  PREPARE(cuInit(0));
  int v = -7;
  for (int a = 0; a < 2; ++a)
    for (int b = 0; b < 2; ++b) {
      ASK(cuDeviceCanAccessPeer(&v, a, b));
      ASK(v);
      for (int k = 0; k < 7; ++k) {
        v = -7;
        ASK(cuDeviceGetP2PAttribute(&v, static_cast<CUdevice_P2PAttribute>(k), a, b));
        ASK(v);
      }
    }
  const auto rank = CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK;
  ASK(cuDeviceGetP2PAttribute(nullptr, rank, 0, 1));
  ASK(cuDeviceGetP2PAttribute(nullptr, rank, 99, 1));
  ASK(cuDeviceGetP2PAttribute(&v, rank, 99, 1));
  ASK(cuDeviceGetP2PAttribute(&v, rank, 0, 99));
  ASK(cuDeviceGetP2PAttribute(&v, static_cast<CUdevice_P2PAttribute>(0), 99, 1));
  for (int a = 0; a < 2; ++a)
    for (int op = 0; op < 15; ++op) {
      const auto o = static_cast<CUatomicOperation>(op);
      unsigned c = 77777;
      ASK(cuDeviceGetP2PAtomicCapabilities(&c, &o, 1, 0, a));
      ASK(c);
    }
  const auto o = static_cast<CUatomicOperation>(0);
  unsigned c = 0;
  ASK(cuDeviceGetP2PAtomicCapabilities(&c, &o, 0, 0, 1));
  ASK(cuDeviceGetP2PAtomicCapabilities(nullptr, &o, 1, 0, 1));
  ASK(cuDeviceGetP2PAtomicCapabilities(&c, nullptr, 1, 0, 1));
  ASK(cuDeviceGetP2PAtomicCapabilities(&c, &o, 1, 0, 99));
}

CASE(peer_access) {
  start();
  ASK(cuCtxDisablePeerAccess(c1));
  ASK(cuCtxDisablePeerAccess(nullptr));
  ASK(cuCtxEnablePeerAccess(nullptr, 0));
  ASK(cuCtxEnablePeerAccess(nullptr, 1));
  ASK(cuCtxEnablePeerAccess(c1, 1));
  ASK(cuCtxEnablePeerAccess(c0, 0));
  ASK(cuCtxEnablePeerAccess(c0, 1));
  ASK(cuCtxEnablePeerAccess(c1, 0));
  ASK(cuCtxEnablePeerAccess(c1, 0));
  ASK(cuCtxEnablePeerAccess(c1, 1));
  CUcontext a, b, d;
  PREPARE(cuCtxCreate(&a, nullptr, 0, 0));
  ASK(cuCtxEnablePeerAccess(c0, 0));
  ASK(cuCtxDisablePeerAccess(c1));
  ASK(cuCtxEnablePeerAccess(c1, 0));
  PREPARE(cuCtxCreate(&b, nullptr, 0, 1));
  ASK(cuCtxDisablePeerAccess(a));
  PREPARE(cuCtxSetCurrent(c0));
  ASK(cuCtxDisablePeerAccess(b));
  ASK(cuCtxEnablePeerAccess(b, 0));
  PREPARE(cuCtxCreate(&d, nullptr, 0, 1));
  PREPARE(cuCtxDestroy(b));
  PREPARE(cuCtxSetCurrent(c0));
  ASK(cuCtxDisablePeerAccess(d));
  ASK(cuCtxDisablePeerAccess(c1));
  ASK(cuCtxDisablePeerAccess(c1));
  ASK(cuCtxEnablePeerAccess(c1, 0));
  PREPARE(cuCtxSetCurrent(nullptr));
  ASK(cuCtxEnablePeerAccess(c1, 0));
  ASK(cuCtxDisablePeerAccess(c1));
  PREPARE(cuCtxSetCurrent(c0));
  PREPARE(cuDevicePrimaryCtxReset(1));
  ASK(cuCtxDisablePeerAccess(c1));
  ASK(cuCtxEnablePeerAccess(c1, 0));
}

CASE(copies_between_devices) {
  start();
  char h[64] = {};
  for (int round = 0; round < 3; ++round) {
    ASK(round);
    if (round == 1) ASK(cuCtxEnablePeerAccess(c1, 0));
    if (round == 2) ASK(cuCtxDisablePeerAccess(c1));
    ASK(cuMemcpyDtoD(p0, p1, n));
    ASK(byte());
    ASK(cuMemcpyDtoDAsync(p0, p1, n, s0));
    ASK(byte());
    ASK(cuMemcpyDtoDAsync(p0, p1, n, s1));
    ASK(cuStreamSynchronize(s1));
    ASK(byte());
    ASK(cuMemcpy(p0, p1, n));
    ASK(byte());
    ASK(cuMemcpyPeer(p0, c0, p1, c1, n));
    ASK(byte());
    ASK(cuMemcpyPeer(p0, c1, p1, c0, n));
    ASK(byte());
    ASK(cuMemcpyPeer(p0, c0, p1, c0, n));
    ASK(byte());
    ASK(cuMemcpyPeer(p0, c0, p1, c1, n + 1));
    ASK(cuMemcpyPeer(p0, c0, p1, c1, 0));
    ASK(cuMemcpyPeerAsync(p0, c0, p1, c1, n, s0));
    ASK(byte());
    ASK(cuMemcpyPeerAsync(p0, c0, p1, c1, n, s1));
    ASK(cuStreamSynchronize(s1));
    ASK(byte());
    ASK(cuMemsetD8(p1, 1, n));
    ASK(cuMemsetD8Async(p1, 1, n, s0));
    ASK(cuMemcpyDtoH(h, p1, 64));
    ASK(h[63]);
    ASK(cuMemcpyHtoD(p1, h, 64));
    CUDA_MEMCPY3D_PEER box{};
    box.srcMemoryType = box.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    box.srcDevice = p1;
    box.dstDevice = p0;
    box.srcContext = c1;
    box.dstContext = c0;
    box.srcPitch = box.dstPitch = box.WidthInBytes = 256;
    box.srcHeight = box.dstHeight = box.Height = n / 256;
    box.Depth = 1;
    ASK(cuMemcpy3DPeer(&box));
    ASK(byte());
    ASK(cuMemcpy3DPeerAsync(&box, s0));
    ASK(byte());
    box.srcContext = c0;
    ASK(cuMemcpy3DPeer(&box));
    ASK(byte());
    ASK(cuCtxSynchronize());
  }
  CUarray array;
  const CUDA_ARRAY_DESCRIPTOR d = {64, 1, CU_AD_FORMAT_UNSIGNED_INT8, 1};
  PREPARE(cuCtxSetCurrent(c1));
  PREPARE(cuArrayCreate(&array, &d));
  PREPARE(cuCtxSetCurrent(c0));
  ASK(cuMemcpyHtoA(array, 0, h, 64));
  ASK(cuMemcpyDtoA(array, 0, p0, 64));
  ASK(cuMemcpyAtoD(p0, array, 0, 64));
  ASK(cuMemFree(p1));
  ASK(cuArrayDestroy(array));
}

CASE(pointers_of_the_other_device) {
  start();
  void *pinned, *portable;
  CUdeviceptr q, managed;
  size_t size;
  PREPARE(cuCtxSetCurrent(c1));
  PREPARE(cuMemHostAlloc(&pinned, n, 0));
  PREPARE(cuMemHostAlloc(&portable, n, CU_MEMHOSTALLOC_PORTABLE));
  PREPARE(cuMemAllocManaged(&managed, n, CU_MEM_ATTACH_GLOBAL));
  PREPARE(cuCtxSetCurrent(c0));
  const CUdeviceptr all[] = {p1, reinterpret_cast<CUdeviceptr>(pinned),
                             reinterpret_cast<CUdeviceptr>(portable), managed};
  for (int round = 0; round < 2; ++round) {
    if (round == 1) ASK(cuCtxEnablePeerAccess(c1, 0));
    for (const CUdeviceptr p : all) {
      CUcontext owner = nullptr;
      int device = -7, flags = -7;
      ASK(cuPointerGetAttribute(&owner, CU_POINTER_ATTRIBUTE_CONTEXT, p));
      ASK(owner == c1);
      ASK(cuPointerGetAttribute(&device, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, p));
      ASK(device);
      ASK(cuPointerGetAttribute(&q, CU_POINTER_ATTRIBUTE_DEVICE_POINTER, p));
      ASK(q == p);
      ASK(cuPointerGetAttribute(&flags, CU_POINTER_ATTRIBUTE_ACCESS_FLAGS, p));
      ASK(flags);
      ASK(cuMemGetAddressRange(&q, &size, p));
      ASK(q == p && size == n);
    }
    ASK(cuMemHostGetDevicePointer(&q, pinned, 0));
    ASK(cuMemHostGetDevicePointer(&q, portable, 0));
    ASK(cuMemcpyDtoD(p0, all[1], n));
    ASK(cuMemcpyDtoD(p0, managed, n));
    ASK(cuMemsetD8(all[1], 1, n));
  }
}

CASE(events_of_the_other_device) {
  start();
  CUevent e0, f0, e1;
  float ms = -7;
  PREPARE(cuEventCreate(&e0, 0));
  PREPARE(cuEventCreate(&f0, 0));
  PREPARE(cuCtxSetCurrent(c1));
  PREPARE(cuEventCreate(&e1, 0));
  PREPARE(cuCtxSetCurrent(c0));
  ASK(cuStreamQuery(s1));
  ASK(cuStreamSynchronize(s1));
  ASK(cuEventRecord(e1, s0));
  ASK(cuEventRecord(e0, s1));
  ASK(cuEventRecord(e1, nullptr));
  ASK(cuEventElapsedTime(&ms, e0, e1));
  ASK(cuEventRecord(e1, s1));
  ASK(cuEventElapsedTime(&ms, e0, e1));
  ASK(cuEventRecord(e0, s0));
  ASK(cuEventRecord(f0, s0));
  ASK(cuEventSynchronize(e1));
  ASK(cuEventSynchronize(f0));
  ASK(cuEventElapsedTime(&ms, e0, f0));
  ASK(cuEventElapsedTime(&ms, e0, e1));
  ASK(cuEventElapsedTime(&ms, e1, e0));
  {
    conformance::Gate gate(s1, conformance::Expected::comes_back);
    ASK(cuEventRecord(e1, s1));
    ASK(cuStreamWaitEvent(s0, e1, 0));
    ASK(cuEventQuery(e1));
    ASK(cuEventElapsedTime(&ms, e0, e1));
    ASK(cuStreamQuery(s0));
    ASK(cuStreamQuery(s1));
    ASK(gate.is_open());
    gate.open();
    ASK(cuStreamSynchronize(s0));
    ASK(cuEventQuery(e1));
  }
  ASK(cuEventDestroy(e1));
  ASK(cuStreamDestroy(s1));
}

CASE(order_between_devices) {
  start();
  CUstream b1;
  PREPARE(cuCtxSetCurrent(c1));
  PREPARE(cuStreamCreate(&b1, 0));
  PREPARE(cuCtxSetCurrent(c0));
  BEHIND(b1, comes_back, cuCtxSynchronize());
  BEHIND(b1, comes_back, cuMemcpyDtoD(p0, p0 + n / 2, n / 2));
  BEHIND(b1, comes_back, cuStreamSynchronize(nullptr));
  BEHIND(b1, waits, (cuMemcpyDtoD(p0, p1, n), cuStreamSynchronize(nullptr)));
  BEHIND(b1, comes_back, cuMemcpyPeer(p0, c0, p1, c1, n));
  BEHIND(b1, waits, (cuMemcpyPeer(p0, c0, p1, c1, n), cuStreamSynchronize(nullptr)));
  BEHIND(s1, comes_back, (cuMemcpyPeer(p0, c0, p1, c1, n), cuStreamSynchronize(nullptr)));
  BEHIND(b1, comes_back, (cuMemcpyPeerAsync(p0, c0, p1, c1, n, s0), cuStreamSynchronize(s0)));
  BEHIND(s0, comes_back, (cuMemcpyPeer(p0, c0, p1, c1, n), cuStreamSynchronize(nullptr)));
  BEHIND(b1, comes_back, cuMemFree(p0));
  BEHIND(b1, waits, cuMemFree(p1));
}

CASE(devices_apart) {
  start();
  size_t free0, total0, free1, total1, later;
  CUdeviceptr big;
  PREPARE(cuMemGetInfo(&free0, &total0));
  PREPARE(cuCtxSetCurrent(c1));
  PREPARE(cuMemGetInfo(&free1, &total1));
  ASK(total0 == total1);
  PREPARE(cuMemAlloc(&big, size_t{1} << 30));
  PREPARE(cuMemGetInfo(&later, &total1));
  ASK(free1 - later);
  PREPARE(cuCtxSetCurrent(c0));
  PREPARE(cuMemGetInfo(&later, &total0));
  ASK(free0 - later);
  const int differing[] = {CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD,
                           CU_DEVICE_ATTRIBUTE_MULTI_GPU_BOARD_GROUP_ID,
                           CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID, CU_DEVICE_ATTRIBUTE_NUMA_ID,
                           CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_FABRIC_SUPPORTED};
  for (int d = 0; d < 2; ++d) {
    int v;
    for (const int k : differing) {
      PREPARE(cuDeviceGetAttribute(&v, static_cast<CUdevice_attribute>(k), d));
      ASK(v);
    }
    char id[16];
    CUdevice back = -7;
    PREPARE(cuDeviceGetPCIBusId(id, sizeof id, d));
    ASK(cuDeviceGetByPCIBusId(&back, id));
    ASK(back);
  }
  const auto sms = CU_EXEC_AFFINITY_TYPE_SM_COUNT;
  const auto none = static_cast<CUexecAffinityType>(9);
  int v = -7;
  CUexecAffinityParam affinity{};
  ASK(cuDeviceGetExecAffinitySupport(&v, sms, 1));
  ASK(v);
  ASK(cuDeviceGetExecAffinitySupport(&v, none, 1));
  ASK(v);
  ASK(cuDeviceGetExecAffinitySupport(&v, none, 99));
  ASK(cuDeviceGetExecAffinitySupport(&v, sms, 99));
  ASK(cuDeviceGetExecAffinitySupport(nullptr, sms, 0));
  ASK(cuDeviceGetExecAffinitySupport(nullptr, sms, 99));
  ASK(cuCtxGetExecAffinity(&affinity, sms));
  ASK(cuCtxGetExecAffinity(&affinity, none));
  ASK(cuCtxGetExecAffinity(nullptr, none));
  char attributes[4096];
  ASK(cuDeviceGetNvSciSyncAttributes(attributes, 0, 3));
  ASK(cuDeviceGetNvSciSyncAttributes(nullptr, 0, 3));
  ASK(cuDeviceGetNvSciSyncAttributes(attributes, 99, 3));
  const auto target = CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX;
  ASK(cuFlushGPUDirectRDMAWrites(target, CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER));
  ASK(cuFlushGPUDirectRDMAWrites(target, CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_ALL_DEVICES));
  using Scope = CUflushGPUDirectRDMAWritesScope;
  ASK(cuFlushGPUDirectRDMAWrites(target, static_cast<Scope>(7)));
  using Target = CUflushGPUDirectRDMAWritesTarget;
  ASK(cuFlushGPUDirectRDMAWrites(static_cast<Target>(7), static_cast<Scope>(100)));
}

}  // namespace

int main(int count, char** names) { return conformance::run(count, names); }
