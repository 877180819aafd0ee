// SPDX-License-Identifier: Apache-2.0
// Launches one kernel with hundreds of shapes of blocks and grids in turn: each thread must see its
// own place, both with code compiled in this process and with code from the cache. Each test is a
// process of its own.
#include <cuda.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <vector>

#include "tests/api/driver/child.hpp"
#include "tests/api/driver/gate.hpp"

namespace {

namespace fs = std::filesystem;

// The number of words that each thread writes: the indices and sizes that it sees, its lane, a
// number widened from its index, and how often it ran.
constexpr size_t words = 16;
constexpr const char* text = R"(.version 8.0
.target sm_90
.address_size 64
.visible .entry where(.param .u64 memory) {
  .reg .b32 %r<30>; .reg .b64 %d<9>;
  mov.u32 %r0,%tid.x; mov.u32 %r1,%tid.y; mov.u32 %r2,%tid.z;
  mov.u32 %r3,%ntid.x; mov.u32 %r4,%ntid.y; mov.u32 %r5,%ntid.z;
  mov.u32 %r6,%ctaid.x; mov.u32 %r7,%ctaid.y; mov.u32 %r8,%ctaid.z;
  mov.u32 %r9,%nctaid.x; mov.u32 %r10,%nctaid.y; mov.u32 %r11,%nctaid.z;
  mov.u32 %r12,%laneid;
  mad.lo.u32 %r13,%r2,%r4,%r1; mad.lo.u32 %r13,%r13,%r3,%r0;
  mad.lo.u32 %r14,%r8,%r10,%r7; mad.lo.u32 %r14,%r14,%r9,%r6;
  mul.lo.u32 %r15,%r3,%r4; mul.lo.u32 %r15,%r15,%r5;
  mad.lo.u32 %r16,%r14,%r15,%r13;
  ld.param.u64 %d0,[memory]; mul.wide.u32 %d1,%r16,64; add.u64 %d0,%d0,%d1;
  st.global.u32 [%d0],%r0; st.global.u32 [%d0+4],%r1; st.global.u32 [%d0+8],%r2;
  st.global.u32 [%d0+12],%r3; st.global.u32 [%d0+16],%r4; st.global.u32 [%d0+20],%r5;
  st.global.u32 [%d0+24],%r6; st.global.u32 [%d0+28],%r7; st.global.u32 [%d0+32],%r8;
  st.global.u32 [%d0+36],%r9; st.global.u32 [%d0+40],%r10; st.global.u32 [%d0+44],%r11;
  st.global.u32 [%d0+48],%r12;
  mad.lo.u32 %r17,%r6,%r3,%r0; mul.lo.u32 %r17,%r17,2654435761;
  cvt.u64.u32 %d2,%r17; st.global.u64 [%d0+56],%d2;
  red.global.add.u32 [%d0+52],1;
  ret;
})";

struct Shape {
  uint32_t grid[3], block[3];
};

// Shapes of blocks that programs choose, and arbitrary ones.
Shape random_shape(std::mt19937& random) {
  const auto below = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  Shape shape;
  do {
    switch (below(4)) {
      case 0:
        std::generate_n(shape.block, 3, [&] { return 1u << below(8); });
        break;
      case 1:
        shape.block[0] = 16u << below(3), shape.block[1] = 1 + below(8),
        shape.block[2] = 1 + below(3);
        break;
      case 2:
        shape.block[0] = 1 + below(1024), shape.block[1] = 1, shape.block[2] = 1;
        break;
      default:
        std::generate_n(shape.block, 3, [&] { return 1 + below(40); });
    }
    std::shuffle(shape.block, shape.block + (below(3) == 0 ? 3 : 0), random);
  } while (shape.block[0] * shape.block[1] * shape.block[2] > 1024 || shape.block[2] > 64);
  for (uint32_t& n : shape.grid) n = 1 + below(4);
  return shape;
}

void expect_every_thread(CUfunction kernel, CUdeviceptr memory, const Shape& s) {
  const uint32_t in_block = s.block[0] * s.block[1] * s.block[2];
  const uint32_t threads = s.grid[0] * s.grid[1] * s.grid[2] * in_block;
  OK(cuMemsetD32(memory, 0, threads * words));
  void* arguments[] = {&memory};
  OK(cuLaunchKernel(kernel, s.grid[0], s.grid[1], s.grid[2], s.block[0], s.block[1], s.block[2], 0,
                    nullptr, arguments, nullptr));
  std::vector<uint32_t> seen(threads * words);
  OK(cuMemcpyDtoH(seen.data(), memory, seen.size() * 4));
  for (uint32_t n = 0; n < threads; ++n) {
    const uint32_t thread = n % in_block, block = n / in_block;
    const uint32_t x = thread % s.block[0], column = block % s.grid[0];
    const uint32_t expected[words] = {x,
                                      thread / s.block[0] % s.block[1],
                                      thread / s.block[0] / s.block[1],
                                      s.block[0],
                                      s.block[1],
                                      s.block[2],
                                      column,
                                      block / s.grid[0] % s.grid[1],
                                      block / s.grid[0] / s.grid[1],
                                      s.grid[0],
                                      s.grid[1],
                                      s.grid[2],
                                      thread % 32,
                                      1,
                                      (column * s.block[0] + x) * 2654435761u,
                                      0};
    ASSERT_TRUE(std::equal(expected, expected + words, &seen[n * words]))
        << "thread " << n << " of blocks (" << s.block[0] << "," << s.block[1] << "," << s.block[2]
        << ") in a grid (" << s.grid[0] << "," << s.grid[1] << "," << s.grid[2] << ")";
  }
}

void launch_shapes(uint32_t seed, int count) {
  const Scene scene;
  CUmodule module = nullptr;
  CUfunction kernel = nullptr;
  CUdeviceptr memory = 0;
  OK(cuModuleLoadData(&module, text));
  OK(cuModuleGetFunction(&kernel, module, "where"));
  OK(cuMemAlloc(&memory, 64 * 1024 * words * 4));
  std::mt19937 random(seed);
  for (int i = 0; i < count && !testing::Test::HasFatalFailure(); ++i)
    expect_every_thread(kernel, memory, random_shape(random));
  OK(cuMemFree(memory));
  OK(cuModuleUnload(module));
}

// A temporary folder.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "cuvette-shapes-XXXXXX").string();
    EXPECT_NE(mkdtemp(name.data()), nullptr);
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string path() const { return path_.string(); }
  size_t files() const {
    return static_cast<size_t>(
        std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }

 private:
  fs::path path_;
};

int shapes() {
  const char* const more = getenv("CUVETTE_TEST_SEEDS");
  return more ? atoi(more) : 150;
}

void expect_shapes(const char* vectors) {
  const Folder cache;
  const std::string place = cache.path();
  const Environment environment{{"CUVETTE_CACHE", place.c_str()}, {"CUVETTE_VECTORS", vectors}};
  run_in_child(environment, [] { launch_shapes(1, shapes()); });
  const size_t kept = cache.files();
  EXPECT_GT(kept, 4u);
  // The same shapes in another order: everything is in the cache.
  run_in_child(environment, [] { launch_shapes(2, shapes()); });
  run_in_child(environment, [] { launch_shapes(1, shapes()); });
  EXPECT_LE(cache.files(), 16u);
}

TEST(cuLaunchKernel, ShapesAreWhatThreadsSee) { expect_shapes(nullptr); }
TEST(cuLaunchKernel, ShapesAreWhatThreadsSeeWithSse) { expect_shapes("sse"); }
TEST(cuLaunchKernel, ShapesAreWhatThreadsSeeWithAvx2) { expect_shapes("avx2"); }

}  // namespace
