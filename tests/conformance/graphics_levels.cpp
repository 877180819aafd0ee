// SPDX-License-Identifier: Apache-2.0
// Levels, layers and faces of mapped images as arrays: which exist, how long they last, and what
// may be done with them.
#include "graphics.hpp"

namespace {

using graphics::new_texture;
using graphics::say;
using graphics::shape;

struct Kind {
  const char* name;
  GLenum target;
  int width, height, depth;
};
constexpr Kind kinds[] = {
    {"2D", GL_TEXTURE_2D, 32, 16, 1},           {"rectangle", GL_TEXTURE_RECTANGLE, 32, 16, 1},
    {"3D", GL_TEXTURE_3D, 32, 16, 8},           {"cube", GL_TEXTURE_CUBE_MAP, 32, 32, 1},
    {"layers", GL_TEXTURE_2D_ARRAY, 32, 16, 5},
};

CUgraphicsResource new_mapped(const Kind& kind, int levels, unsigned flags) {
  const GLuint texture =
      new_texture(kind.target, GL_RGBA8, levels, kind.width, kind.height, kind.depth);
  CUgraphicsResource resource = nullptr;
  PREPARE(cuGraphicsGLRegisterImage(&resource, texture, kind.target, flags));
  PREPARE(cuGraphicsMapResources(1, &resource, nullptr));
  return resource;
}

void ask_levels(const Kind& kind, int levels, unsigned flags) {
  CUgraphicsResource resource = new_mapped(kind, levels, flags);
  const std::string about = std::string(kind.name) + ", levels " + std::to_string(levels) +
                            ", flags " + std::to_string(flags) + ": ";
  CUmipmappedArray whole = nullptr;
  const CUresult result = cuGraphicsResourceGetMappedMipmappedArray(&whole, resource);
  say(about + "mipmapped array", graphics::name(result));
  for (unsigned level : {0u, 1u, 3u, 4u, 6u, 20u}) {
    if (result != CUDA_SUCCESS) break;
    CUarray array = nullptr;
    const CUresult found = cuMipmappedArrayGetLevel(&array, whole, level);
    const std::string question = about + "level " + std::to_string(level);
    say(question, found == CUDA_SUCCESS ? shape(array) : graphics::name(found));
    CUarray sub = nullptr;
    if (found == CUDA_SUCCESS &&
        cuGraphicsSubResourceGetMappedArray(&sub, resource, 0, level) == CUDA_SUCCESS)
      say(question + " is the subresource", array == sub ? "true" : "false");
  }
  for (unsigned index : {0u, 1u, 4u, 5u, 6u, 8u, 0xffffffffu})
    say(about + "index " + std::to_string(index), shape(resource, index, 0));
  for (unsigned level : {1u, 3u, 4u, 6u, 20u})
    say(about + "index 0 of level " + std::to_string(level), shape(resource, 0, level));
  PREPARE(cuGraphicsUnmapResources(1, &resource, nullptr));
}

CASE(levels_2d) {
  graphics::start();
  for (int levels : {1, 4}) ask_levels(kinds[0], levels, 0);
  ask_levels(kinds[0], 4, CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST);
}
CASE(levels_rectangle) {
  graphics::start();
  ask_levels(kinds[1], 1, 0);
}
CASE(levels_3d) {
  graphics::start();
  for (int levels : {1, 4}) ask_levels(kinds[2], levels, 0);
  ask_levels(kinds[2], 4, CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST);
}
CASE(levels_cube) {
  graphics::start();
  for (int levels : {1, 4}) ask_levels(kinds[3], levels, 0);
  ask_levels(kinds[3], 4, CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST);
}
CASE(levels_layers) {
  graphics::start();
  for (int levels : {1, 4}) ask_levels(kinds[4], levels, 0);
  ask_levels(kinds[4], 4, CU_GRAPHICS_REGISTER_FLAGS_SURFACE_LDST);
}
CASE(levels_renderbuffer) {
  graphics::start();
  GLuint name = 0;
  glGenRenderbuffers(1, &name);
  glBindRenderbuffer(GL_RENDERBUFFER, name);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, 32, 16);
  CUgraphicsResource r = nullptr;
  CUmipmappedArray m = nullptr;
  CUarray a = nullptr;
  PREPARE(cuGraphicsGLRegisterImage(&r, name, GL_RENDERBUFFER, 0));
  PREPARE(cuGraphicsMapResources(1, &r, nullptr));
  ASK(cuGraphicsResourceGetMappedMipmappedArray(&m, r));
  if (m) ASK(cuMipmappedArrayGetLevel(&a, m, 0));
  if (a) say("level 0", shape(a));
  for (unsigned index : {0u, 1u}) say("index " + std::to_string(index), shape(r, index, 0));
  for (unsigned level : {1u, 4u}) say("level " + std::to_string(level), shape(r, 0, level));
}
CASE(levels_largest_index) {
  graphics::start();
  CUgraphicsResource r = new_mapped(kinds[0], 4, 0);
  CUarray a = nullptr;
  SURVIVE(cuGraphicsSubResourceGetMappedArray(&a, r, 0, 100));
  SURVIVE(cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0x7fffffff));
  SURVIVE(cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0xffffffff));
}

CASE(levels_same_in_next_mapping) {
  graphics::start();
  for (const Kind& kind : kinds) {
    CUgraphicsResource r = new_mapped(kind, 1, 0);
    CUarray a = nullptr, b = nullptr, level = nullptr, other = nullptr;
    CUmipmappedArray m = nullptr, n = nullptr;
    conformance::say("kind", kind.name);
    PREPARE(cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0));
    PREPARE(cuGraphicsResourceGetMappedMipmappedArray(&m, r));
    PREPARE(cuGraphicsResourceGetMappedMipmappedArray(&n, r));
    ASK(m == n);
    PREPARE(cuMipmappedArrayGetLevel(&level, m, 0));
    PREPARE(cuMipmappedArrayGetLevel(&other, m, 0));
    ASK(level == other);
    ASK(a == level);
    PREPARE(cuGraphicsUnmapResources(1, &r, nullptr));
    PREPARE(cuGraphicsMapResources(1, &r, nullptr));
    PREPARE(cuGraphicsSubResourceGetMappedArray(&b, r, 0, 0));
    PREPARE(cuGraphicsResourceGetMappedMipmappedArray(&n, r));
    PREPARE(cuMipmappedArrayGetLevel(&other, n, 0));
    ASK(a == b);
    ASK(m == n);
    ASK(level == other);
  }
}

CASE(levels_array_destroyed) {
  graphics::start();
  CUgraphicsResource r = new_mapped(kinds[0], 4, 0);
  CUarray a = nullptr;
  PREPARE(cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0));
  CUDA_ARRAY3D_DESCRIPTOR d;
  SURVIVE(cuArrayDestroy(a));
  SURVIVE(cuArray3DGetDescriptor(&d, a));
  SURVIVE(cuGraphicsUnmapResources(1, &r, nullptr));
  SURVIVE(cuArrayDestroy(a));
  SURVIVE(cuGraphicsUnregisterResource(r));
}
CASE(levels_array_of_level_destroyed) {
  graphics::start();
  CUgraphicsResource r = new_mapped(kinds[0], 4, 0);
  CUmipmappedArray m = nullptr;
  CUarray a = nullptr;
  PREPARE(cuGraphicsResourceGetMappedMipmappedArray(&m, r));
  PREPARE(cuMipmappedArrayGetLevel(&a, m, 1));
  SURVIVE(cuArrayDestroy(a));
  SURVIVE(cuGraphicsUnmapResources(1, &r, nullptr));
  SURVIVE(cuGraphicsUnregisterResource(r));
}
CASE(levels_mipmapped_array_destroyed) {
  graphics::start();
  CUgraphicsResource r = new_mapped(kinds[0], 4, 0);
  CUmipmappedArray m = nullptr;
  CUarray a = nullptr;
  PREPARE(cuGraphicsResourceGetMappedMipmappedArray(&m, r));
  PREPARE(cuMipmappedArrayGetLevel(&a, m, 1));
  CUDA_ARRAY3D_DESCRIPTOR d;
  SURVIVE(cuMipmappedArrayDestroy(m));
  SURVIVE(cuArrayDestroy(a));
  SURVIVE(cuArray3DGetDescriptor(&d, a));
  SURVIVE(cuMipmappedArrayGetLevel(&a, m, 1));
  SURVIVE(cuGraphicsUnmapResources(1, &r, nullptr));
  SURVIVE(cuGraphicsUnregisterResource(r));
}

CUDA_MEMCPY2D plain(CUarray array, unsigned* data) {
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.srcArray = array;
  copy.dstMemoryType = CU_MEMORYTYPE_HOST;
  copy.dstHost = data;
  copy.WidthInBytes = 4;
  copy.Height = 1;
  return copy;
}

CUresult copied(CUarray array) {
  static unsigned data;
  const CUDA_MEMCPY2D copy = plain(array, &data);
  return cuMemcpy2D(&copy);
}

CUresult texture_of(CUarray array, CUtexObject* texture) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  const CUDA_TEXTURE_DESC how{};
  return cuTexObjectCreate(texture, &resource, &how, nullptr);
}
CUresult surface_of(CUarray array, CUsurfObject* surface) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  return cuSurfObjectCreate(surface, &resource);
}
CUresult texture_of(CUmipmappedArray array, CUtexObject* texture) {
  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  resource.res.mipmap.hMipmappedArray = array;
  CUDA_TEXTURE_DESC how{};
  how.flags = CU_TRSF_NORMALIZED_COORDINATES;
  return cuTexObjectCreate(texture, &resource, &how, nullptr);
}

CASE(levels_after_unmap) {
  graphics::start();
  CUgraphicsResource r = new_mapped(kinds[0], 4, 0);
  CUarray a = nullptr, level = nullptr;
  CUmipmappedArray m = nullptr;
  CUtexObject t = 0, late = 0;
  PREPARE(cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0));
  PREPARE(cuGraphicsResourceGetMappedMipmappedArray(&m, r));
  PREPARE(cuMipmappedArrayGetLevel(&level, m, 1));
  ASK(texture_of(a, &t));
  ASK(cuGraphicsUnmapResources(1, &r, nullptr));
  say("shape", shape(a));
  say("shape of level 1", shape(level));
  SURVIVE(cuMipmappedArrayGetLevel(&level, m, 1));
  SURVIVE(copied(a));
  SURVIVE(copied(level));
  SURVIVE(texture_of(a, &late));
  SURVIVE(cuTexObjectDestroy(t));
  SURVIVE(cuCtxSynchronize());
}
CASE(levels_shape_after_unregister) {
  graphics::start();
  CUgraphicsResource r = new_mapped(kinds[0], 4, 0);
  CUarray a = nullptr;
  CUDA_ARRAY3D_DESCRIPTOR d;
  PREPARE(cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0));
  PREPARE(cuGraphicsUnmapResources(1, &r, nullptr));
  PREPARE(cuGraphicsUnregisterResource(r));
  SURVIVE(cuArray3DGetDescriptor(&d, a));
}
CASE(levels_copied_after_unregister) {
  graphics::start();
  CUgraphicsResource r = new_mapped(kinds[0], 4, 0);
  CUarray a = nullptr;
  PREPARE(cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0));
  PREPARE(cuGraphicsUnmapResources(1, &r, nullptr));
  PREPARE(cuGraphicsUnregisterResource(r));
  SURVIVE(copied(a));
  SURVIVE(cuCtxSynchronize());
}
CASE(levels_texture_after_unregister) {
  graphics::start();
  CUgraphicsResource r = new_mapped(kinds[0], 4, 0);
  CUarray a = nullptr;
  CUtexObject t = 0;
  CUDA_RESOURCE_DESC d;
  PREPARE(cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0));
  PREPARE(texture_of(a, &t));
  PREPARE(cuGraphicsUnmapResources(1, &r, nullptr));
  PREPARE(cuGraphicsUnregisterResource(r));
  SURVIVE(cuTexObjectGetResourceDesc(&d, t));
  ASK(d.res.array.hArray == a);
  SURVIVE(cuTexObjectDestroy(t));
}

CASE(levels_texture_and_surface_objects) {
  graphics::start();
  for (const Kind& kind : kinds) {
    for (unsigned flags : {0u, 1u, 2u, 4u, 8u}) {
      const std::string about = std::string(kind.name) + ", flags " + std::to_string(flags);
      const GLuint texture =
          new_texture(kind.target, GL_RGBA8, 1, kind.width, kind.height, kind.depth);
      CUgraphicsResource r = nullptr;
      CUarray a = nullptr;
      CUmipmappedArray m = nullptr;
      CUtexObject t = 0;
      CUsurfObject s = 0;
      const CUresult result = cuGraphicsGLRegisterImage(&r, texture, kind.target, flags);
      say(about, graphics::name(result));
      if (result != CUDA_SUCCESS) continue;
      PREPARE(cuGraphicsMapResources(1, &r, nullptr));
      PREPARE(cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0));
      PREPARE(cuGraphicsResourceGetMappedMipmappedArray(&m, r));
      say(about + ": texture", graphics::name(texture_of(a, &t)));
      say(about + ": texture of levels", graphics::name(texture_of(m, &t)));
      say(about + ": surface", graphics::name(surface_of(a, &s)));
    }
  }
}

CASE(levels_asked_about) {
  graphics::start();
  CUgraphicsResource r = new_mapped(kinds[0], 4, 0);
  CUarray a = nullptr, plane = nullptr;
  CUmipmappedArray m = nullptr;
  CUDA_ARRAY_SPARSE_PROPERTIES sparse;
  CUDA_ARRAY_MEMORY_REQUIREMENTS needed;
  CUDA_ARRAY_DESCRIPTOR flat;
  PREPARE(cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0));
  PREPARE(cuGraphicsResourceGetMappedMipmappedArray(&m, r));
  ASK(cuArrayGetDescriptor(&flat, a));
  ASK(flat.Width);
  ASK(flat.Height);
  ASK(cuArrayGetPlane(&plane, a, 0));
  ASK(cuArrayGetSparseProperties(&sparse, a));
  ASK(cuArrayGetMemoryRequirements(&needed, a, 0));
  ASK(cuMipmappedArrayGetSparseProperties(&sparse, m));
  ASK(cuMipmappedArrayGetMemoryRequirements(&needed, m, 0));
}

// What CUDA writes into the last subresource, OpenGL reads there.
CASE(levels_data) {
  graphics::start();
  for (const Kind& kind : kinds) {
    const int level = kind.target == GL_TEXTURE_RECTANGLE ? 0 : 2;
    CUgraphicsResource r = new_mapped(kind, level + 1, 0);
    const unsigned last = kind.target == GL_TEXTURE_CUBE_MAP ? 5 : kind.depth == 5 ? 4 : 0;
    CUarray a = nullptr;
    PREPARE(cuGraphicsSubResourceGetMappedArray(&a, r, last, static_cast<unsigned>(level)));
    unsigned data[32 * 32] = {}, read[32 * 32 * 8] = {};
    data[0] = 0x04030201;
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = data;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.dstArray = a;
    copy.WidthInBytes = 32;
    copy.Height = 1;
    conformance::say("kind", kind.name);
    ASK(cuMemcpy2D(&copy));
    ASK(copied(a));
    PREPARE(cuGraphicsUnmapResources(1, &r, nullptr));
    const GLenum target =
        kind.target == GL_TEXTURE_CUBE_MAP ? GL_TEXTURE_CUBE_MAP_NEGATIVE_Z : kind.target;
    glGetTexImage(target, level, GL_RGBA, GL_UNSIGNED_BYTE, read);
    ASK(read[static_cast<unsigned>((kind.width >> level) * (kind.height >> level)) *
             (kind.depth == 5 ? 4 : 0)] == data[0]);
  }
}

}  // namespace
