// SPDX-License-Identifier: Apache-2.0
// OpenGL's textures as graphics resources: formats, flags, levels, layers and data.
#include "gl.hpp"

CASE(gl_register_image) {
  graphics::start();
  CUgraphicsResource r;
  GLuint t = texture(GL_TEXTURE_2D, GL_RGBA8, 1, 64, 32, 1);
  ASK(cuGraphicsGLRegisterImage(nullptr, t, GL_TEXTURE_2D, 0));
  ASK(cuGraphicsGLRegisterImage(&r, 0, GL_TEXTURE_2D, 0));
  ASK(cuGraphicsGLRegisterImage(&r, 9999, GL_TEXTURE_2D, 0));
  ASK(cuGraphicsGLRegisterImage(&r, t, GL_TEXTURE_3D, 0));
  ASK(cuGraphicsGLRegisterImage(&r, t, GL_ARRAY_BUFFER, 0));
  ASK(cuGraphicsGLRegisterImage(&r, t, GL_TEXTURE_2D, 0x80));
  ASK(cuGraphicsGLRegisterImage(&r, t, GL_TEXTURE_2D, 3));
  ASK(cuGraphicsGLRegisterImage(&r, t, GL_TEXTURE_2D, CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST));
  ASK(cuGraphicsUnregisterResource(r));
  ASK(cuGraphicsGLRegisterImage(&r, t, GL_TEXTURE_2D, CU_GRAPHICS_REGISTER_FLAGS_TEXTURE_GATHER));
  GLuint un;
  glGenTextures(1, &un);
  ASK(cuGraphicsGLRegisterImage(&r, un, GL_TEXTURE_2D, 0));
  glBindTexture(GL_TEXTURE_2D, un);
  ASK(cuGraphicsGLRegisterImage(&r, un, GL_TEXTURE_2D, 0));
  struct {
    const char* n;
    GLenum f;
  } fs[] = {{"R8", GL_R8},
            {"RG8", GL_RG8},
            {"RGB8", GL_RGB8},
            {"RGBA8", GL_RGBA8},
            {"SRGB8_ALPHA8", GL_SRGB8_ALPHA8},
            {"R16", GL_R16},
            {"RGBA16", GL_RGBA16},
            {"R16F", GL_R16F},
            {"RGBA16F", GL_RGBA16F},
            {"R32F", GL_R32F},
            {"RG32F", GL_RG32F},
            {"RGB32F", GL_RGB32F},
            {"RGBA32F", GL_RGBA32F},
            {"R8UI", GL_R8UI},
            {"RGBA8UI", GL_RGBA8UI},
            {"RGBA8I", GL_RGBA8I},
            {"R32UI", GL_R32UI},
            {"RGBA32UI", GL_RGBA32UI},
            {"RGBA8_SNORM", GL_RGBA8_SNORM},
            {"RGB10_A2", GL_RGB10_A2},
            {"R11F_G11F_B10F", GL_R11F_G11F_B10F},
            {"DEPTH32F", GL_DEPTH_COMPONENT32F},
            {"DEPTH24_STENCIL8", GL_DEPTH24_STENCIL8},
            {"DEPTH16", GL_DEPTH_COMPONENT16},
            {"RGB565", GL_RGB565},
            {"RGBA4", GL_RGBA4}};
  for (auto& f : fs) {
    GLuint x = texture(GL_TEXTURE_2D, f.f, 1, 64, 32, 1);
    CUresult e = cuGraphicsGLRegisterImage(&r, x, GL_TEXTURE_2D, 0);
    conformance::answer(f.n, e);
    if (e) continue;
    CUarray a;
    e = cuGraphicsMapResources(1, &r, 0);
    if (!e) e = cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0);
    CUDA_ARRAY3D_DESCRIPTOR d;
    if (!e) e = cuArray3DGetDescriptor(&d, a);
    char l[99];
    if (e)
      conformance::answer("  descriptor", e);
    else {
      snprintf(l, 99, "%zux%zux%zu format %d channels %u flags %u", d.Width, d.Height, d.Depth,
               (int)d.Format, d.NumChannels, d.Flags);
      conformance::answer("  descriptor", l);
    }
    cuGraphicsUnmapResources(1, &r, 0);
    cuGraphicsUnregisterResource(r);
  }
  struct {
    const char* n;
    GLenum t;
    int w, h, d;
  } ts[] = {{"1D", GL_TEXTURE_1D, 64, 1, 1},
            {"RECTANGLE", GL_TEXTURE_RECTANGLE, 64, 32, 1},
            {"3D", GL_TEXTURE_3D, 16, 8, 4},
            {"CUBE", GL_TEXTURE_CUBE_MAP, 32, 32, 1},
            {"2D_ARRAY", GL_TEXTURE_2D_ARRAY, 32, 16, 5},
            {"CUBE_ARRAY", GL_TEXTURE_CUBE_MAP_ARRAY, 32, 32, 12}};
  for (auto& x : ts) {
    GLuint g = texture(x.t, GL_RGBA8, 1, x.w, x.h, x.d);
    CUresult e = cuGraphicsGLRegisterImage(&r, g, x.t, CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST);
    conformance::answer(x.n, e);
    if (e) continue;
    CUarray a;
    e = cuGraphicsMapResources(1, &r, 0);
    if (!e) e = cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0);
    CUDA_ARRAY3D_DESCRIPTOR d;
    if (!e) e = cuArray3DGetDescriptor(&d, a);
    char l[99];
    if (e)
      conformance::answer("  descriptor", e);
    else {
      snprintf(l, 99, "%zux%zux%zu format %d channels %u flags %u", d.Width, d.Height, d.Depth,
               (int)d.Format, d.NumChannels, d.Flags);
      conformance::answer("  descriptor", l);
    }
    cuGraphicsUnmapResources(1, &r, 0);
  }
  GLuint rb;
  glGenRenderbuffers(1, &rb);
  glBindRenderbuffer(GL_RENDERBUFFER, rb);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 64, 64);
  ASK(cuGraphicsGLRegisterImage(&r, rb, GL_RENDERBUFFER, 0));
}

CASE(gl_image_subresources) {
  graphics::start();
  CUgraphicsResource r;
  GLuint t = texture(GL_TEXTURE_2D_ARRAY, GL_RGBA8, 4, 64, 32, 5);
  PREPARE(cuGraphicsGLRegisterImage(&r, t, GL_TEXTURE_2D_ARRAY, 0));
  CUarray a, b;
  CUdeviceptr p;
  size_t n;
  CUmipmappedArray m;
  CUDA_ARRAY3D_DESCRIPTOR d;
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, r));
  ASK(cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0));
  ASK(cuGraphicsSubResourceGetMappedArray(&a, r, 9, 0));
  ASK(cuGraphicsResourceGetMappedMipmappedArray(&m, r));
  PREPARE(cuGraphicsMapResources(1, &r, 0));
  ASK(cuGraphicsResourceGetMappedPointer(&p, &n, r));
  ASK(cuGraphicsSubResourceGetMappedArray(&a, r, 4, 3));
  ASK(cuGraphicsSubResourceGetMappedArray(&a, r, 5, 0));
  ASK(cuGraphicsSubResourceGetMappedArray(&a, r, 0, 4));
  ASK(cuGraphicsSubResourceGetMappedArray(&a, r, 5, 4));
  ASK(cuGraphicsSubResourceGetMappedArray(nullptr, r, 0, 0));
  ASK(cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0));
  ASK(cuGraphicsSubResourceGetMappedArray(&b, r, 0, 0));
  ASK(a == b);
  ASK(cuArray3DGetDescriptor(&d, a));
  ASK(d.Width);
  ASK(d.Height);
  ASK(d.Depth);
  ASK(cuGraphicsSubResourceGetMappedArray(&b, r, 1, 2));
  ASK(cuArray3DGetDescriptor(&d, b));
  ASK(d.Width);
  ASK(d.Height);
  ASK(cuGraphicsResourceGetMappedMipmappedArray(&m, r));
  CUarray lv;
  ASK(cuMipmappedArrayGetLevel(&lv, m, 1));
  ASK(cuArray3DGetDescriptor(&d, lv));
  ASK(d.Width);
  ASK(d.Depth);
  ASK(d.Flags);
  ASK(cuMipmappedArrayGetLevel(&lv, m, 4));
  ASK(cuGraphicsUnmapResources(1, &r, 0));
  ASK(cuGraphicsUnregisterResource(r));
}

CASE(gl_image_data) {
  graphics::start();
  CUgraphicsResource r;
  GLuint t = texture(GL_TEXTURE_2D, GL_RGBA8, 1, 16, 8, 1);
  unsigned px[128], h[128];
  for (int i = 0; i < 128; ++i) px[i] = i * 0x01020305u;
  glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 16, 8, GL_RGBA, GL_UNSIGNED_BYTE, px);
  PREPARE(cuGraphicsGLRegisterImage(&r, t, GL_TEXTURE_2D, 0));
  PREPARE(cuGraphicsMapResources(1, &r, 0));
  CUarray a;
  PREPARE(cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0));
  CUDA_MEMCPY2D c;
  memset(&c, 0, sizeof c);
  c.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  c.srcArray = a;
  c.dstMemoryType = CU_MEMORYTYPE_HOST;
  c.dstHost = h;
  c.dstPitch = 64;
  c.WidthInBytes = 64;
  c.Height = 8;
  ASK(cuMemcpy2D(&c));
  ASK(memcmp(h, px, 512) == 0);
  for (auto& v : h) v = ~v;
  memset(&c, 0, sizeof c);
  c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  c.dstArray = a;
  c.srcMemoryType = CU_MEMORYTYPE_HOST;
  c.srcHost = h;
  c.srcPitch = 64;
  c.WidthInBytes = 64;
  c.Height = 8;
  ASK(cuMemcpy2D(&c));
  ASK(cuGraphicsUnmapResources(1, &r, 0));
  unsigned g[128];
  glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, g);
  ASK(memcmp(h, g, 512) == 0);
  ASK(cuGraphicsUnregisterResource(r));
}
