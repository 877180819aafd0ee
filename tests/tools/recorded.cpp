// SPDX-License-Identifier: Apache-2.0
// A program for tests of the record: it does one thing, which its first word names.
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cuvetteSemaphore.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

void check(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  fprintf(stderr, "%s: %d\n", call, result);
  std::exit(3);
}
#define CUDA(call) check(call, #call)

void begin() {
  CUdevice device;
  CUcontext context;
  CUDA(cuInit(0));
  CUDA(cuDeviceGet(&device, 0));
  CUDA(cuDevicePrimaryCtxRetain(&context, device));
  CUDA(cuCtxSetCurrent(context));
}

// Allocates, fills and frees; a stream and an event come and go.
void work(unsigned rounds) {
  CUdevice device;
  CUcontext context;
  CUDA(cuDeviceGet(&device, 0));
  CUDA(cuDevicePrimaryCtxRetain(&context, device));
  CUDA(cuCtxSetCurrent(context));
  for (unsigned i = 0; i < rounds; ++i) {
    CUstream stream;
    CUevent event;
    CUdeviceptr memory;
    CUDA(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    CUDA(cuEventCreate(&event, CU_EVENT_DEFAULT));
    CUDA(cuMemAlloc(&memory, 4096));
    for (unsigned j = 0; j < 8; ++j) CUDA(cuMemsetD8Async(memory, 1, 4096, stream));
    CUDA(cuEventRecord(event, stream));
    CUDA(cuStreamWaitEvent(CU_STREAM_PER_THREAD, event, 0));
    CUDA(cuMemsetD8Async(memory, 2, 4096, CU_STREAM_PER_THREAD));
    CUDA(cuStreamSynchronize(CU_STREAM_PER_THREAD));
    CUDA(cuMemFree(memory));
    CUDA(cuEventDestroy(event));
    CUDA(cuStreamDestroy(stream));
  }
  CUDA(cuDevicePrimaryCtxRelease(device));
}

int run_threads(unsigned threads, unsigned rounds) {
  begin();
  std::vector<std::thread> all;
  for (unsigned i = 0; i < threads; ++i) all.emplace_back(work, rounds);
  for (std::thread& one : all) one.join();
  return 0;
}

// The child calls CUDA first, then the parent; each has its own device.
int run_fork() {
  const pid_t child = fork();
  if (child == 0) {
    begin();
    work(1);
    exit(0);
  }
  int status;
  waitpid(child, &status, 0);
  begin();
  work(1);
  // This child finds its parent's driver, which does not work in it.
  const pid_t other = fork();
  if (other == 0) {
    int count;
    _exit(cuDeviceGetCount(&count) == CUDA_ERROR_NOT_INITIALIZED ? 0 : 1);
  }
  int other_status;
  waitpid(other, &other_status, 0);
  work(1);
  return status == 0 && other_status == 0 ? 0 : 1;
}

int run_runtime() {
  void* memory = nullptr;
  if (cudaMalloc(&memory, 1 << 20) != cudaSuccess) return 1;
  if (cudaMemset(memory, 1, 1 << 20) != cudaSuccess) return 1;
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  if (cudaFree(reinterpret_cast<void*>(1)) == cudaSuccess) return 1;
  return cudaFree(memory) == cudaSuccess ? 0 : 1;
}

// A graph of a fill and two copies after it.
int run_graph() {
  begin();
  CUstream stream;
  CUevent event;
  CUstream other;
  CUdeviceptr memory;
  CUDA(cuMemAlloc(&memory, 4096));
  CUDA(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  CUDA(cuStreamCreate(&other, CU_STREAM_NON_BLOCKING));
  CUDA(cuEventCreate(&event, CU_EVENT_DISABLE_TIMING));
  CUDA(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
  CUDA(cuMemsetD8Async(memory, 1, 4096, stream));
  CUDA(cuEventRecord(event, stream));
  CUDA(cuStreamWaitEvent(other, event, 0));
  CUDA(cuMemcpyDtoDAsync(memory, memory + 2048, 1024, other));
  CUDA(cuMemcpyDtoDAsync(memory + 1024, memory + 2048, 1024, stream));
  CUDA(cuEventRecord(event, other));
  CUDA(cuStreamWaitEvent(stream, event, 0));
  CUgraph graph;
  CUgraphExec exec;
  CUDA(cuStreamEndCapture(stream, &graph));
  CUDA(cuGraphInstantiate(&exec, graph, 0));
  for (unsigned i = 0; i < 2; ++i) CUDA(cuGraphLaunch(exec, stream));
  CUDA(cuStreamSynchronize(stream));
  return 0;
}

// A graph of two kernels, one after the other. Each writes an allocation of its own.
int run_kernel_graph() {
  begin();
  constexpr char source[] =
      ".version 6.4\n.target sm_50\n.address_size 64\n"
      ".visible .entry first(.param .u64 to) {\n"
      "  .reg .u64 %a;\n  ld.param.u64 %a, [to];\n  st.global.u32 [%a], 1;\n  ret;\n}\n"
      ".visible .entry second(.param .u64 to) {\n"
      "  .reg .u64 %a;\n  ld.param.u64 %a, [to];\n  st.global.u32 [%a+4], 2;\n  ret;\n}\n";
  CUmodule module;
  CUgraph graph;
  CUgraphExec exec;
  CUgraphNode last = nullptr;
  CUDA(cuModuleLoadData(&module, source));
  CUDA(cuGraphCreate(&graph, 0));
  for (const char* const name : {"first", "second"}) {
    CUdeviceptr memory;
    CUDA_KERNEL_NODE_PARAMS node = {};
    void* values[] = {&memory};
    CUDA(cuMemAlloc(&memory, 4096));
    CUDA(cuModuleGetFunction(&node.func, module, name));
    node.gridDimX = node.gridDimY = node.gridDimZ = 1;
    node.blockDimX = node.blockDimY = node.blockDimZ = 1;
    node.kernelParams = values;
    CUDA(cuGraphAddKernelNode(&last, graph, &last, last ? 1 : 0, &node));
  }
  CUDA(cuGraphInstantiate(&exec, graph, 0));
  for (unsigned i = 0; i < 2; ++i) CUDA(cuGraphLaunch(exec, nullptr));
  CUDA(cuCtxSynchronize());
  return 0;
}

// --- Semaphores ---

CUexternalSemaphore imported(int fd, cuvetteSemaphoreKind kind) {
  CUDA_EXTERNAL_SEMAPHORE_HANDLE_DESC description = {};
  description.type = kind == CUVETTE_SEMAPHORE_TIMELINE
                         ? CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_TIMELINE_SEMAPHORE_FD
                         : CU_EXTERNAL_SEMAPHORE_HANDLE_TYPE_OPAQUE_FD;
  description.handle.fd = dup(fd);
  CUexternalSemaphore semaphore;
  CUDA(cuImportExternalSemaphore(&semaphore, &description));
  return semaphore;
}

void signal(CUexternalSemaphore semaphore, unsigned long long value, CUstream stream) {
  CUDA_EXTERNAL_SEMAPHORE_SIGNAL_PARAMS parameters = {};
  parameters.params.fence.value = value;
  CUDA(cuSignalExternalSemaphoresAsync(&semaphore, &parameters, 1, stream));
}

void wait(CUexternalSemaphore semaphore, unsigned long long value, CUstream stream) {
  CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS parameters = {};
  parameters.params.fence.value = value;
  CUDA(cuWaitExternalSemaphoresAsync(&semaphore, &parameters, 1, stream));
}

// One stream signals, the other waits, in turns, with a semaphore of each kind. Waits come first,
// as they may.
int run_semaphores() {
  begin();
  CUstream a, b;
  CUDA(cuStreamCreate(&a, CU_STREAM_NON_BLOCKING));
  CUDA(cuStreamCreate(&b, CU_STREAM_NON_BLOCKING));
  for (const cuvetteSemaphoreKind kind : {CUVETTE_SEMAPHORE_TIMELINE, CUVETTE_SEMAPHORE_BINARY}) {
    const int fd = cuvetteSemaphoreCreate(kind, 0);
    const CUexternalSemaphore semaphore = imported(fd, kind);
    close(fd);
    for (unsigned long long i = 1; i <= 3; ++i) {
      wait(semaphore, i, b);
      signal(semaphore, i, a);
      CUDA(cuStreamSynchronize(b));
    }
    CUDA(cuDestroyExternalSemaphore(semaphore));
  }
  return 0;
}

// Two processes with a timeline: each waits for what the other signals.
int run_two_processes() {
  const int fd = cuvetteSemaphoreCreate(CUVETTE_SEMAPHORE_TIMELINE, 0);
  const pid_t child = fork();
  begin();
  CUstream stream;
  CUDA(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  const CUexternalSemaphore semaphore = imported(fd, CUVETTE_SEMAPHORE_TIMELINE);
  for (unsigned long long i = 1; i <= 6; ++i) {
    if ((i % 2 == 0) == (child == 0)) {
      wait(semaphore, i, stream);
      CUDA(cuStreamSynchronize(stream));
    } else {
      signal(semaphore, i, stream);
    }
  }
  CUDA(cuStreamSynchronize(stream));
  CUDA(cuDestroyExternalSemaphore(semaphore));
  if (child == 0) exit(0);
  int status;
  return waitpid(child, &status, 0) == child ? status : 1;
}

// Starts this program several times, as mpirun does, and waits for all.
int run_ranks(unsigned count, char* self) {
  std::vector<pid_t> ranks;
  for (unsigned i = 0; i < count; ++i) {
    ranks.push_back(fork());
    if (ranks.back() != 0) continue;
    execl("/proc/self/exe", self, "threads", nullptr);
    _exit(1);
  }
  int failed = 0;
  for (const pid_t rank : ranks) {
    int status;
    if (waitpid(rank, &status, 0) != rank || status != 0) failed = 1;
  }
  return failed;
}

// Physical memory that another process could import, mapped twice.
int run_mapped_twice() {
  begin();
  CUmemAllocationProp properties = {};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  constexpr size_t size = 4 << 20;
  CUmemGenericAllocationHandle memory;
  CUDA(cuMemCreate(&memory, size, &properties, 0));
  CUmemAccessDesc access = {};
  access.location = properties.location;
  access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  CUdeviceptr windows[2];
  for (CUdeviceptr& window : windows) {
    CUDA(cuMemAddressReserve(&window, size, 0, 0, 0));
    CUDA(cuMemMap(window, size, 0, memory, 0));
    CUDA(cuMemSetAccess(window, size, &access, 1));
  }
  CUDA(cuMemsetD8(windows[0], 1, 4096));
  for (const CUdeviceptr window : windows) CUDA(cuMemUnmap(window, size));
  CUDA(cuMemRelease(memory));
  return 0;
}

constexpr const char* kernels = R"(
.version 7.0
.target sm_70
.address_size 64
// Adds one to 256 numbers, by loads and stores.
.visible .entry add_one(.param .u64 to)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd0, [to];
  cvta.to.global.u64 %rd0, %rd0;
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd1, %r0, 4;
  add.s64 %rd1, %rd0, %rd1;
  ld.global.u32 %r1, [%rd1];
  add.u32 %r1, %r1, 1;
  st.global.u32 [%rd1], %r1;
  ret;
}
// Adds one to a number, by an atomic operation.
.visible .entry count(.param .u64 to)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd0, [to];
  cvta.to.global.u64 %rd0, %rd0;
  atom.global.add.u32 %r0, [%rd0], 1;
  ret;
}
)";

// Memory of a pool that is freed while what uses it waits, and memory that takes its place.
int run_pool() {
  begin();
  CUmodule module;
  CUfunction add_one, count;
  CUstream stream;
  CUDA(cuModuleLoadData(&module, kernels));
  CUDA(cuModuleGetFunction(&add_one, module, "add_one"));
  CUDA(cuModuleGetFunction(&count, module, "count"));
  CUDA(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  std::atomic<bool> may_go_on{false};
  CUDA(cuLaunchHostFunc(
      stream,
      [](void* flag) {
        while (!static_cast<std::atomic<bool>*>(flag)->load()) std::this_thread::yield();
      },
      &may_go_on));
  CUdeviceptr first, second;
  CUDA(cuMemAllocAsync(&first, 4096, stream));
  CUDA(cuMemsetD8Async(first, 0, 4096, stream));
  void* arguments[] = {&first};
  CUDA(cuLaunchKernel(add_one, 1, 1, 1, 256, 1, 1, 0, stream, arguments, nullptr));
  CUDA(cuMemFreeAsync(first, stream));
  CUDA(cuMemAllocAsync(&second, 4096, stream));
  if (second != first) return 4;
  CUDA(cuLaunchKernel(count, 1, 1, 1, 256, 1, 1, 0, stream, arguments, nullptr));
  may_go_on = true;
  CUDA(cuMemFreeAsync(second, stream));
  CUDA(cuStreamSynchronize(stream));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  if (name == "threads") return run_threads(4, 4);
  if (name == "many_threads") {
    begin();
    for (unsigned i = 0; i < 300; ++i) std::thread(work, 1).join();
    return 0;
  }
  if (name == "busy") return run_threads(2, ~0u);
  if (name == "fork") return run_fork();
  if (name == "exec") {
    begin();
    work(1);
    execl("/proc/self/exe", argv[0], "threads", nullptr);
    return 1;
  }
  if (name == "many_calls") {
    begin();
    CUcontext context;
    for (unsigned i = 0; i < 40000; ++i) CUDA(cuCtxGetCurrent(&context));
    return 0;
  }
  if (name == "runtime") return run_runtime();
  if (name == "graph") return run_graph();
  if (name == "semaphores") return run_semaphores();
  if (name == "two_processes") return run_two_processes();
  if (name == "ranks") return run_ranks(6, argv[0]);
  if (name == "kernel_graph") return run_kernel_graph();
  if (name == "mapped_twice") return run_mapped_twice();
  if (name == "pool") return run_pool();
  fprintf(stderr, "what is '%s'?\n", name.c_str());
  return 2;
}
