// SPDX-License-Identifier: Apache-2.0
// Kernels that use invalid textures and surfaces, or access them out of bounds: each use is
// reported. Where an H200 lets one pass, the results are the same here. With
// CUVETTE_CONTRACT=strict, and where a GPU stops, the kernel leaves the driver's error, which is
// permanent.
#include <random>
#include <thread>

#include "tests/api/driver/child.hpp"
#include "tests/api/driver/texture_scene.hpp"

namespace {

const Environment strict = {{"CUVETTE_CONTRACT", "strict"}};

void faults(const std::string& body, CUresult wanted, const std::string& report,
            unsigned long long (*handle)(), unsigned x = 0, unsigned y = 0,
            const Environment& environment = {}) {
  const std::string text = run_in_child(environment, [&] {
    CUcontext context;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    Program program(body);
    EXPECT_EQ(program.run(handle(), x, y), wanted);
    // The context is unusable.
    CUarray array;
    const CUDA_ARRAY_DESCRIPTOR shape{4, 4, CU_AD_FORMAT_FLOAT, 1};
    EXPECT_EQ(cuArrayCreate(&array, &shape), wanted);
  });
  EXPECT_NE(text.find(report), std::string::npos) << text;
  EXPECT_NE(text.find("kernel"), std::string::npos) << text;
}

unsigned long long stale_texture() {
  const CUtexObject texture = texture_of(counted_array());
  EXPECT_EQ(cuTexObjectDestroy(texture), CUDA_SUCCESS);
  return texture;
}
unsigned long long no_handle() { return 0; }
unsigned long long random_handle() { return 0xdeadbeefcafebabe; }
unsigned long long texture_without_array() {
  const CUarray array = counted_array();
  const CUtexObject texture = texture_of(array);
  EXPECT_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
  return texture;
}
unsigned long long stale_surface() {
  const CUsurfObject surface = surface_of(counted_array(CUDA_ARRAY3D_SURFACE_LDST));
  EXPECT_EQ(cuSurfObjectDestroy(surface), CUDA_SUCCESS);
  return surface;
}
unsigned long long good_surface() { return surface_of(counted_array(CUDA_ARRAY3D_SURFACE_LDST)); }

const std::string load_at = "suld.b.2d.b32.trap {%r0},[%O,{%x,%y}];";
const std::string store_at =
    "mov.u32 %r1,777; sust.b.2d.b32.trap [%O,{%x,%y}],{%r1}; suld.b.2d.b32.trap "
    "{%r0},[%O,{%x,%y}];";

TEST(TextureKernel, HandlesThatAreNone) {
  constexpr CUresult illegal = CUDA_ERROR_ILLEGAL_ADDRESS;
  faults(read_at, illegal, "0xdeadbeefcafebabe", random_handle);
  faults(read_at, illegal, "destroyed before the kernel", stale_texture, 0, 0, strict);
  faults(read_at, illegal, "null handle", no_handle, 0, 0, strict);
  faults(read_at, illegal, "whose array was destroyed", texture_without_array, 0, 0, strict);
  faults(load_at, illegal, "destroyed before the kernel", stale_surface, 0, 0, strict);
  faults(load_at, illegal, "null handle", no_handle, 0, 0, strict);
  // With memcheck, kernels may touch only what is allocated.
  faults(read_at, illegal, "whose array was destroyed", texture_without_array, 0, 0,
         {{"CUVETTE_MEMCHECK", "1"}});
}

// Runs `body` with this handle at (3, 2), where counted_array() has 19: the result is `wanted`, and
// the use is reported.
void answers(const std::string& body, uint32_t wanted, const std::string& report,
             unsigned long long (*handle)()) {
  const bool in_bytes = body.find("tex.") == std::string::npos;
  const std::string text = run_in_child({}, [&] {
    CUcontext context;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    Program program(body);
    OK(program.run(handle(), in_bytes ? 12 : 3, 2));
    EXPECT_EQ(program.word(), wanted);
  });
  EXPECT_NE(text.find("texture-handle"), std::string::npos) << text;
  EXPECT_NE(text.find(report), std::string::npos) << text;
}

unsigned long long surface_without_array() {
  const CUarray array = counted_array(CUDA_ARRAY3D_SURFACE_LDST);
  const CUsurfObject surface = surface_of(array);
  EXPECT_EQ(cuArrayDestroy(array), CUDA_SUCCESS);
  return surface;
}

// With the results of an H200. CUVETTE_FILL overwrites only the edges of the memory freed here.
TEST(TextureKernel, HandlesThatHardwareLetsPass) {
  answers(read_at, 19, "destroyed before the kernel", stale_texture);
  answers(read_at, 0, "null handle", no_handle);
  answers(load_at, 19, "destroyed before the kernel", stale_surface);
  answers(store_at, 777, "destroyed before the kernel", stale_surface);
  answers(load_at, 0, "null handle", no_handle);
  answers(store_at, 0, "null handle", no_handle);
  answers("suq.width.b32 %r0,[%O];", 0, "null handle", no_handle);
  answers(store_at, 777, "whose array was destroyed", surface_without_array);
}

// Textures and surfaces are made, used in launches and destroyed in random order, as FFmpeg's
// filters do, before any of the kernels runs. There are more of them than a table has slots in
// reserve.
void destroys_behind_launches(unsigned seed) {
  std::mt19937 random(seed);
  CUcontext context;
  CUstream stream;
  OK(cuInit(0));
  OK(cuDevicePrimaryCtxRetain(&context, 0));
  OK(cuCtxSetCurrent(context));
  OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  constexpr unsigned launches = 600;
  Program reader(read_at), loader(load_at);
  // This kernel loads the handle from memory.
  Program chaser("ld.global.u64 %O,[%O];" + read_at);
  CUdeviceptr out, handles;
  OK(cuMemAlloc(&out, 16 * launches));
  OK(cuMemAlloc(&handles, 8 * launches));
  const CUarray array = counted_array(CUDA_ARRAY3D_SURFACE_LDST);
  std::vector<uint32_t> wanted(launches);
  {
    Gate gate(stream);
    for (unsigned i = 0; i < launches; ++i) {
      unsigned x = random() % 8, y = random() % 8;
      wanted[i] = 8 * y + x;
      const unsigned way = random() % 3;
      unsigned long long object = way == 1 ? surface_of(array) : texture_of(array);
      unsigned long long handle = object;
      if (way == 2) {
        handle = handles + 8 * i;
        OK(cuMemcpyHtoD(handle, &object, 8));
      }
      if (way == 1) x *= 4;
      CUdeviceptr place = out + 16 * i;
      void* parameters[] = {&place, &handle, &x, &y};
      const CUfunction kernel = way == 0 ? reader.kernel : way == 1 ? loader.kernel : chaser.kernel;
      OK(cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr));
      if (way == 1)
        OK(cuSurfObjectDestroy(object));
      else
        OK(cuTexObjectDestroy(object));
    }
  }
  OK(cuStreamSynchronize(stream));
  std::vector<uint32_t> words(4 * launches);
  OK(cuMemcpyDtoH(words.data(), out, 16 * launches));
  for (unsigned i = 0; i < launches; ++i) ASSERT_EQ(words[4 * i], wanted[i]) << i;
}

TEST(cuTexObjectDestroy, BehindLaunchesThatHaveNotBegun) {
  const char* const more = getenv("CUVETTE_TEST_SEEDS");
  for (unsigned seed = 0; seed < (more ? static_cast<unsigned>(atoi(more)) : 2u); ++seed) {
    const std::string text = run_in_child({}, [&] { destroys_behind_launches(seed); });
    EXPECT_NE(text.find("destroyed after the kernel was launched"), std::string::npos) << text;
  }
}

// Measured: destroying the array waits for the kernel.
TEST(cuArrayDestroy, BehindALaunchThatHasNotBegun) {
  run_in_child({}, [] {
    CUcontext context;
    CUstream stream;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    Program program(read_at);
    const CUarray array = counted_array();
    unsigned long long texture = texture_of(array);
    unsigned x = 3, y = 2;
    Gate gate(stream);
    void* parameters[] = {&program.out, &texture, &x, &y};
    OK(cuLaunchKernel(program.kernel, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr));
    OK(cuTexObjectDestroy(texture));
    std::thread opener([&] { gate.open(); });
    OK(cuArrayDestroy(array));
    opener.join();
    OK(cuStreamSynchronize(stream));
    EXPECT_EQ(program.word(), 19u);
  });
}

// Measured: a graph captured before the object was destroyed reads what it was, in each launch.
// Destroying one during a capture is refused and invalidates the capture.
TEST(cuTexObjectDestroy, OfWhatAGraphUses) {
  run_in_child({}, [] {
    CUcontext context;
    CUstream stream;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    OK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
    Program program(read_at);
    unsigned long long texture = texture_of(counted_array());
    unsigned x = 3, y = 2;
    void* parameters[] = {&program.out, &texture, &x, &y};
    CUgraph graph;
    CUgraphExec exec;
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    OK(cuLaunchKernel(program.kernel, 1, 1, 1, 1, 1, 1, 0, stream, parameters, nullptr));
    OK(cuStreamEndCapture(stream, &graph));
    OK(cuGraphInstantiate(&exec, graph, 0));
    OK(cuTexObjectDestroy(texture));
    for (int time = 0; time < 2; ++time) {
      OK(cuMemsetD32(program.out, 1, 4));
      OK(cuCtxSynchronize());
      OK(cuGraphLaunch(exec, stream));
      OK(cuStreamSynchronize(stream));
      EXPECT_EQ(program.word(), 19u);
    }
    texture = texture_of(counted_array());
    OK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL));
    EXPECT_EQ(cuTexObjectDestroy(texture), CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    EXPECT_EQ(cuStreamEndCapture(stream, &graph), CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
    OK(cuTexObjectDestroy(texture));
  });
}

TEST(SurfaceKernel, TrapsOutside) {
  constexpr CUresult illegal = CUDA_ERROR_ILLEGAL_ADDRESS;
  faults(load_at, illegal, "at byte 32 of row 0", good_surface, 32, 0);
  faults(load_at, illegal, "at byte -4 of row 0", good_surface, static_cast<unsigned>(-4), 0);
  faults(load_at, illegal, "of row 8", good_surface, 0, 8);
  faults("sust.b.2d.b32.trap [%O,{%x,%y}],{%x};", illegal, "of row -1", good_surface, 0,
         static_cast<unsigned>(-1));
  faults(load_at, CUDA_ERROR_MISALIGNED_ADDRESS, "not a multiple of 4", good_surface, 2, 0);
}

}  // namespace
