// SPDX-License-Identifier: Apache-2.0
// `standstill_programs NAME wrong|repaired`: programs that wait for what nobody will do, and their
// repaired twins. Each prints what the wait for its context returned.
#include <cuda.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <thread>

#include "tests/need.hpp"
#include "tests/wrong/ptx_module.hpp"

namespace {

constexpr size_t words = 16;

struct Scene {
  Scene() {
    NEED(cuInit(0));
    NEED(cuCtxCreate(&context, nullptr, 0, 0));
    module = load_ptx(STANDSTILL_PTX);
    NEED(cuMemAlloc(&flags, words * 4));
    NEED(cuMemsetD32(flags, 0, words));
    for (CUstream& stream : streams) NEED(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    NEED(cuCtxSynchronize());
  }
  // Returns what the wait for the context returned.
  CUresult end() {
    const CUresult result = cuCtxSynchronize();
    if (host_flag) cuMemFreeHost(host_flag);
    cuMemFree(flags);
    cuCtxDestroy(context);
    return result;
  }
  void launch(const char* name, CUstream stream, int number, unsigned blocks = 1,
              CUdeviceptr memory = 0, unsigned threads = 1) {
    if (memory == 0) memory = flags;
    void* parameters[] = {&memory, &number};
    NEED(cuLaunchKernel(function_of(module, name), blocks, 1, 1, threads, 1, 1, 0, stream,
                        parameters, nullptr));
  }

  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUdeviceptr flags = 0;
  int* host_flag = nullptr;
  CUstream streams[2] = {};
};

// --- The programs: they submit what waits ---

void waits_for_a_value(Scene& scene, bool repaired) {
  NEED(cuStreamWaitValue32(scene.streams[0], scene.flags, 1, CU_STREAM_WAIT_VALUE_EQ));
  NEED(cuStreamWriteValue32(scene.streams[1], scene.flags, repaired ? 1 : 2, 0));
}

void streams_wait_for_each_other(Scene& scene, bool repaired) {
  const auto [a, b] = scene.streams;
  if (repaired) NEED(cuStreamWriteValue32(a, scene.flags, 1, 0));
  NEED(cuStreamWaitValue32(a, scene.flags + 4, 1, CU_STREAM_WAIT_VALUE_GEQ));
  if (!repaired) NEED(cuStreamWriteValue32(a, scene.flags, 1, 0));
  NEED(cuStreamWaitValue32(b, scene.flags, 1, CU_STREAM_WAIT_VALUE_GEQ));
  NEED(cuStreamWriteValue32(b, scene.flags + 4, 1, 0));
}

void spins_on_a_flag(Scene& scene, bool repaired) {
  scene.launch("wait_for", scene.streams[0], 3);
  scene.launch("set", scene.streams[1], repaired ? 3 : 2);
}

// What would set the flag comes behind the kernel that waits for it.
void sets_the_flag_behind_it(Scene& scene, bool repaired) {
  scene.launch("wait_for", scene.streams[0], 0);
  scene.launch("set", scene.streams[repaired ? 1 : 0], 0);
}

void blocks_wait_for_each_other(Scene& scene, bool repaired) {
  scene.launch("meet", scene.streams[0], repaired ? 1 : -1, 2);
}

void takes_a_lock_twice(Scene& scene, bool repaired) {
  scene.launch("lock", scene.streams[0], repaired ? 1 : 2);
}

// Another thread of the program sets the flag later, or has ended without.
void waits_for_the_host(Scene& scene, bool repaired) {
  int*& flag = scene.host_flag;
  NEED(cuMemHostAlloc(reinterpret_cast<void**>(&flag), 64, CU_MEMHOSTALLOC_DEVICEMAP));
  *flag = 0;
  scene.launch("wait_for", scene.streams[0], 0, 1, reinterpret_cast<CUdeviceptr>(flag));
  std::thread([flag = flag, repaired] {
    if (!repaired) return;
    usleep(2'500'000);
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
  }).detach();
}

void initialises_a_barrier_again(Scene& scene, bool repaired) {
  scene.launch("rounds", scene.streams[0], repaired, 1, 0, 256);
}

// It goes on for seconds, and nobody waits.
void sorts_for_long(Scene& scene, bool) {
  constexpr int count = 1800;
  int numbers[count];
  for (int i = 0; i < count; ++i) numbers[i] = count - i;
  NEED(cuMemFree(scene.flags));
  NEED(cuMemAlloc(&scene.flags, sizeof numbers));
  NEED(cuMemcpyHtoD(scene.flags, numbers, sizeof numbers));
  NEED(cuCtxSynchronize());
  scene.launch("sort", scene.streams[0], count, 1, 0, 64);
}

struct Program {
  const char* name;
  void (*submit)(Scene&, bool);
};
constexpr Program programs[] = {
#define STANDSTILL(name) {#name, name},
#include "tests/wrong/standstill/standstill.def"
#undef STANDSTILL
    {"sorts_for_long", sorts_for_long},
};

}  // namespace

int main(int argc, char** argv) {
  if (argc == 3)
    for (const Program& program : programs)
      if (strcmp(argv[1], program.name) == 0) {
        Scene scene;
        program.submit(scene, strcmp(argv[2], "repaired") == 0);
        printf("%d\n", scene.end());
        return 0;
      }
  fprintf(stderr, "usage: %s NAME wrong|repaired\n", argv[0]);
  return 2;
}
