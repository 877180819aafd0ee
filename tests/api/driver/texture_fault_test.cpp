// SPDX-License-Identifier: Apache-2.0
// Kernels that use textures and surfaces that there are not, or outside of what there is: each is a
// report and the error that the driver gives, which stays.
#include "tests/api/driver/child.hpp"
#include "tests/api/driver/texture_scene.hpp"

namespace {

void faults(const std::string& body, CUresult wanted, const std::string& report,
            unsigned long long (*handle)(), unsigned x = 0, unsigned y = 0) {
  const std::string text = run_in_child({}, [&] {
    CUcontext context;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    Program program(body);
    EXPECT_EQ(program.run(handle(), x, y), wanted);
    // The context is lost.
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

TEST(TextureKernel, HandlesThatAreNone) {
  faults(read_at, CUDA_ERROR_ILLEGAL_ADDRESS, "no live texture object", stale_texture);
  faults(read_at, CUDA_ERROR_ILLEGAL_ADDRESS, "no live texture object", no_handle);
  faults(read_at, CUDA_ERROR_ILLEGAL_ADDRESS, "0xdeadbeefcafebabe", random_handle);
  faults(read_at, CUDA_ERROR_ILLEGAL_ADDRESS, "is gone", texture_without_array);
}

const std::string load_at = "suld.b.2d.b32.trap {%r0},[%O,{%x,%y}];";

TEST(SurfaceKernel, HandlesThatAreNone) {
  faults(load_at, CUDA_ERROR_ILLEGAL_ADDRESS, "no live surface object", stale_surface);
  faults(load_at, CUDA_ERROR_ILLEGAL_ADDRESS, "no live surface object", no_handle);
}

TEST(SurfaceKernel, TrapsOutside) {
  constexpr CUresult illegal = CUDA_ERROR_ILLEGAL_ADDRESS;
  faults(load_at, illegal, "at byte 32 of row 0", good_surface, 32, 0);
  faults(load_at, illegal, "at byte -4 of row 0", good_surface, static_cast<unsigned>(-4), 0);
  faults(load_at, illegal, "of row 8", good_surface, 0, 8);
  faults("sust.b.2d.b32.trap [%O,{%x,%y}],{%x};", illegal, "of row -1", good_surface, 0,
         static_cast<unsigned>(-1));
  faults(load_at, CUDA_ERROR_MISALIGNED_ADDRESS, "no multiple of 4", good_surface, 2, 0);
}

}  // namespace
