// SPDX-License-Identifier: Apache-2.0
// Registering textures of every kind, extent and number of levels, with every flag.
#include "graphics.hpp"

namespace {

using graphics::new_texture;
using graphics::registration;
using graphics::say;
using graphics::shape;

void ask(const char* question, GLuint texture, GLenum target) {
  say(question, registration(texture, target, 0));
}

// A texture with mutable storage of one level.
GLuint specified(GLenum target, int level, int width, int height, int border) {
  const GLuint texture = new_texture(target);
  glTexImage2D(target, level, GL_RGBA8, width, height, border, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
  return texture;
}

void add_level(int level, int width, int height) {
  glTexImage2D(GL_TEXTURE_2D, level, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE,
               nullptr);
}

CASE(image_levels_specified) {
  graphics::start();
  ask("level 0 of a mipmapped texture", specified(GL_TEXTURE_2D, 0, 64, 32, 0), GL_TEXTURE_2D);
  GLuint texture = specified(GL_TEXTURE_2D, 0, 64, 32, 0);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
  ask("level 0, linear", texture, GL_TEXTURE_2D);
  texture = specified(GL_TEXTURE_2D, 0, 64, 32, 0);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
  ask("level 0, the last", texture, GL_TEXTURE_2D);
  texture = specified(GL_TEXTURE_2D, 0, 64, 32, 0);
  add_level(1, 32, 16);
  ask("levels 0 and 1", texture, GL_TEXTURE_2D);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 1);
  ask("levels 0 and 1, the last", texture, GL_TEXTURE_2D);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, 1);
  ask("levels 0 and 1, the base", texture, GL_TEXTURE_2D);
  texture = specified(GL_TEXTURE_2D, 0, 64, 32, 0);
  add_level(1, 31, 16);
  ask("a level 1 that does not fit", texture, GL_TEXTURE_2D);
  texture = specified(GL_TEXTURE_2D, 0, 64, 32, 0);
  add_level(2, 16, 8);
  ask("levels 0 and 2", texture, GL_TEXTURE_2D);
  ask("level 1 alone", specified(GL_TEXTURE_2D, 1, 64, 32, 0), GL_TEXTURE_2D);
  texture = specified(GL_TEXTURE_2D, 1, 64, 32, 0);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, 1);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 1);
  ask("level 1 alone, the base and the last", texture, GL_TEXTURE_2D);
  texture = specified(GL_TEXTURE_2D, 0, 64, 32, 0);
  glGenerateMipmap(GL_TEXTURE_2D);
  ask("all levels", texture, GL_TEXTURE_2D);
  texture = specified(GL_TEXTURE_CUBE_MAP_POSITIVE_X, 0, 32, 32, 0);
  texture = new_texture(GL_TEXTURE_CUBE_MAP);
  glTexImage2D(GL_TEXTURE_CUBE_MAP_POSITIVE_X, 0, GL_RGBA8, 32, 32, 0, GL_RGBA, GL_UNSIGNED_BYTE,
               nullptr);
  ask("a cube of one face", texture, GL_TEXTURE_CUBE_MAP);
}

CASE(image_extents) {
  graphics::start();
  ask("1x1", new_texture(GL_TEXTURE_2D, GL_RGBA8, 1, 1, 1, 1), GL_TEXTURE_2D);
  ask("1x1 specified", specified(GL_TEXTURE_2D, 0, 1, 1, 0), GL_TEXTURE_2D);
  ask("37x19", new_texture(GL_TEXTURE_2D, GL_RGBA8, 1, 37, 19, 1), GL_TEXTURE_2D);
  ask("64x1", new_texture(GL_TEXTURE_2D, GL_RGBA8, 1, 64, 1, 1), GL_TEXTURE_2D);
  ask("0x0", specified(GL_TEXTURE_2D, 0, 0, 0, 0), GL_TEXTURE_2D);
  ask("64x0", specified(GL_TEXTURE_2D, 0, 64, 0, 0), GL_TEXTURE_2D);
  ask("16384x1", new_texture(GL_TEXTURE_2D, GL_R8, 1, 16384, 1, 1), GL_TEXTURE_2D);
  ask("1x16384", new_texture(GL_TEXTURE_2D, GL_R8, 1, 1, 16384, 1), GL_TEXTURE_2D);
  ask("1x1x1", new_texture(GL_TEXTURE_3D, GL_R8, 1, 1, 1, 1), GL_TEXTURE_3D);
  ask("5x3x7", new_texture(GL_TEXTURE_3D, GL_R8, 1, 5, 3, 7), GL_TEXTURE_3D);
  ask("one layer", new_texture(GL_TEXTURE_2D_ARRAY, GL_R8, 1, 5, 3, 1), GL_TEXTURE_2D_ARRAY);
  ask("2048 layers", new_texture(GL_TEXTURE_2D_ARRAY, GL_R8, 1, 5, 3, 2048), GL_TEXTURE_2D_ARRAY);
}

CASE(image_arguments) {
  graphics::start();
  const GLuint texture = new_texture(GL_TEXTURE_2D, GL_RGBA8, 1, 64, 32, 1);
  CUgraphicsResource r = nullptr;
  ASK(cuGraphicsGLRegisterImage(nullptr, 9999, GL_TEXTURE_2D, 0));
  ASK(cuGraphicsGLRegisterImage(&r, 9999, GL_ARRAY_BUFFER, 0));
  ASK(cuGraphicsGLRegisterImage(&r, 9999, GL_TEXTURE_2D, 77));
  ASK(cuGraphicsGLRegisterImage(&r, 9999, GL_TEXTURE_3D, 8));
  ASK(cuGraphicsGLRegisterImage(&r, 9999, GL_RENDERBUFFER, 0));
  ASK(cuGraphicsGLRegisterImage(&r, texture, GL_TEXTURE_2D, 8 | 1));
  ASK(cuGraphicsUnregisterResource(r));
  ASK(static_cast<int>(glGetError()));
}

// Counts and describes the levels that can be had.
void ask_levels(const char* about, GLuint texture) {
  CUgraphicsResource r = nullptr;
  CUmipmappedArray m = nullptr;
  PREPARE(cuGraphicsGLRegisterImage(&r, texture, GL_TEXTURE_2D, 0));
  PREPARE(cuGraphicsMapResources(1, &r, nullptr));
  const CUresult result = cuGraphicsResourceGetMappedMipmappedArray(&m, r);
  say(about, graphics::name(result));
  for (unsigned level = 0; level < 8; ++level) {
    CUarray a = nullptr;
    const std::string question = std::string(about) + ": level " + std::to_string(level);
    const CUresult found = m ? cuMipmappedArrayGetLevel(&a, m, level) : result;
    say(question, found == CUDA_SUCCESS ? shape(a) : graphics::name(found));
    say(question + " by itself", shape(r, 0, level));
  }
}
CASE(image_levels_found) {
  graphics::start();
  ask_levels("level 0 of a mipmapped texture", specified(GL_TEXTURE_2D, 0, 64, 32, 0));
  GLuint texture = specified(GL_TEXTURE_2D, 0, 64, 32, 0);
  add_level(1, 32, 16);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 1);
  ask_levels("levels 0 and 1, the last", texture);
  texture = specified(GL_TEXTURE_2D, 0, 64, 32, 0);
  add_level(1, 32, 16);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_BASE_LEVEL, 1);
  ask_levels("levels 0 and 1, the base", texture);
  texture = specified(GL_TEXTURE_2D, 0, 64, 32, 0);
  glGenerateMipmap(GL_TEXTURE_2D);
  ask_levels("all levels", texture);
  ask_levels("immutable, 2 levels", new_texture(GL_TEXTURE_2D, GL_RGBA8, 2, 64, 32, 1));
  texture = new_texture(GL_TEXTURE_2D, GL_RGBA8, 4, 64, 32, 1);
  GLuint view = 0;
  glGenTextures(1, &view);
  glTextureView(view, GL_TEXTURE_2D, texture, GL_RGBA8, 1, 2, 0, 1);
  ask_levels("view of levels 1 and 2", view);
}

CASE(image_border) {
  graphics::start_gl(false);
  graphics::start_cuda();
  const GLuint texture = specified(GL_TEXTURE_2D, 0, 66, 34, 1);
  ASK(static_cast<int>(glGetError()));
  ask("with a border", texture, GL_TEXTURE_2D);
}

CASE(image_multisampled) {
  graphics::start();
  const GLuint texture = new_texture(GL_TEXTURE_2D_MULTISAMPLE);
  glTexStorage2DMultisample(GL_TEXTURE_2D_MULTISAMPLE, 4, GL_RGBA8, 64, 32, GL_TRUE);
  ASK(static_cast<int>(glGetError()));
  ask("as multisampled", texture, GL_TEXTURE_2D_MULTISAMPLE);
  ask("as 2D", texture, GL_TEXTURE_2D);
}

struct Kind {
  const char* name;
  GLenum target;
  int width, height, depth;
};
constexpr Kind kinds[] = {
    {"2D", GL_TEXTURE_2D, 32, 16, 1},
    {"rectangle", GL_TEXTURE_RECTANGLE, 32, 16, 1},
    {"3D", GL_TEXTURE_3D, 32, 16, 8},
    {"cube", GL_TEXTURE_CUBE_MAP, 32, 32, 1},
    {"layers", GL_TEXTURE_2D_ARRAY, 32, 16, 5},
    {"1D", GL_TEXTURE_1D, 32, 1, 1},
    {"cubes", GL_TEXTURE_CUBE_MAP_ARRAY, 32, 32, 12},
};

// Each kind of texture as each target.
CASE(image_targets) {
  graphics::start();
  constexpr struct {
    const char* name;
    GLenum target;
  } targets[] = {{"2D", GL_TEXTURE_2D},
                 {"rectangle", GL_TEXTURE_RECTANGLE},
                 {"3D", GL_TEXTURE_3D},
                 {"cube", GL_TEXTURE_CUBE_MAP},
                 {"layers", GL_TEXTURE_2D_ARRAY},
                 {"renderbuffer", GL_RENDERBUFFER},
                 {"1D", GL_TEXTURE_1D},
                 {"1D layers", GL_TEXTURE_1D_ARRAY},
                 {"cubes", GL_TEXTURE_CUBE_MAP_ARRAY},
                 {"buffer", GL_TEXTURE_BUFFER},
                 {"multisampled", GL_TEXTURE_2D_MULTISAMPLE},
                 {"face", GL_TEXTURE_CUBE_MAP_POSITIVE_X},
                 {"proxy", GL_PROXY_TEXTURE_2D},
                 {"0", 0}};
  for (const Kind& kind : kinds) {
    const GLuint texture =
        new_texture(kind.target, GL_RGBA8, 1, kind.width, kind.height, kind.depth);
    for (const auto& target : targets)
      say(std::string(kind.name) + " as " + target.name, registration(texture, target.target, 0));
  }
  GLuint texture = new_texture(GL_TEXTURE_BUFFER);
  glTexBuffer(GL_TEXTURE_BUFFER, GL_RGBA8, graphics::new_buffer(4096, nullptr));
  ask("buffer as buffer", texture, GL_TEXTURE_BUFFER);
  ask("buffer as 2D", texture, GL_TEXTURE_2D);
  texture = new_texture(GL_TEXTURE_1D_ARRAY);
  glTexStorage2D(GL_TEXTURE_1D_ARRAY, 1, GL_RGBA8, 32, 5);
  ask("1D layers as 1D layers", texture, GL_TEXTURE_1D_ARRAY);
  ask("1D layers as 2D", texture, GL_TEXTURE_2D);
  GLuint renderbuffer = 0;
  glGenRenderbuffers(1, &renderbuffer);
  glBindRenderbuffer(GL_RENDERBUFFER, renderbuffer);
  glRenderbufferStorage(GL_RENDERBUFFER, GL_R32F, 7, 5);
  ask("renderbuffer as renderbuffer", renderbuffer, GL_RENDERBUFFER);
  texture = new_texture(GL_TEXTURE_2D);  // this name never gets storage
  ask("no storage as 2D", texture, GL_TEXTURE_2D);
  ask("no storage as renderbuffer", texture, GL_RENDERBUFFER);
}

CASE(image_flags) {
  graphics::start();
  for (const Kind& kind : kinds) {
    if (kind.target == GL_TEXTURE_1D || kind.target == GL_TEXTURE_CUBE_MAP_ARRAY) continue;
    const GLuint texture =
        new_texture(kind.target, GL_RGBA8, 1, kind.width, kind.height, kind.depth);
    for (unsigned flags : {0u,  1u,  2u,  3u,  4u,  5u,  6u,  7u,  8u,  9u,   10u,
                           11u, 12u, 13u, 14u, 15u, 16u, 17u, 32u, 64u, 256u, 0x80000000u})
      say(std::string(kind.name) + " flags " + std::to_string(flags),
          registration(texture, kind.target, flags));
  }
}

CASE(image_views) {
  graphics::start();
  const GLuint whole = new_texture(GL_TEXTURE_2D_ARRAY, GL_RGBA8, 4, 64, 32, 5);
  const auto view = [&](GLenum target, GLenum format, GLuint level, GLuint levels, GLuint layer,
                        GLuint layers) {
    GLuint name = 0;
    glGenTextures(1, &name);
    glTextureView(name, target, whole, format, level, levels, layer, layers);
    return name;
  };
  ask("of everything", view(GL_TEXTURE_2D_ARRAY, GL_RGBA8, 0, 4, 0, 5), GL_TEXTURE_2D_ARRAY);
  ask("of layer 2", view(GL_TEXTURE_2D, GL_RGBA8, 0, 4, 2, 1), GL_TEXTURE_2D);
  ask("of level 1 of layer 2", view(GL_TEXTURE_2D, GL_RGBA8, 1, 1, 2, 1), GL_TEXTURE_2D);
  ask("of layers 1 and 2", view(GL_TEXTURE_2D_ARRAY, GL_RGBA8, 0, 1, 1, 2), GL_TEXTURE_2D_ARRAY);
  ask("as RGBA8UI", view(GL_TEXTURE_2D_ARRAY, GL_RGBA8UI, 0, 4, 0, 5), GL_TEXTURE_2D_ARRAY);
  ask("as R32F", view(GL_TEXTURE_2D_ARRAY, GL_R32F, 0, 4, 0, 5), GL_TEXTURE_2D_ARRAY);
  ask("as RGBA8_SNORM", view(GL_TEXTURE_2D_ARRAY, GL_RGBA8_SNORM, 0, 4, 0, 5), GL_TEXTURE_2D_ARRAY);
  ASK(static_cast<int>(glGetError()));
}

CASE(image_registered_twice) {
  graphics::start();
  const GLuint texture = new_texture(GL_TEXTURE_2D, GL_RGBA8, 1, 64, 32, 1);
  CUgraphicsResource r = nullptr, q = nullptr;
  CUarray a = nullptr, b = nullptr, again = nullptr;
  ASK(cuGraphicsGLRegisterImage(&r, texture, GL_TEXTURE_2D, 0));
  ASK(cuGraphicsGLRegisterImage(&q, texture, GL_TEXTURE_2D, 0));
  ASK(r == q);
  CUgraphicsResource both[] = {r, q};
  ASK(cuGraphicsMapResources(2, both, nullptr));
  ASK(cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0));
  ASK(cuGraphicsSubResourceGetMappedArray(&b, q, 0, 0));
  ASK(a == b);
  ASK(cuGraphicsUnmapResources(1, &r, nullptr));
  say("shape", shape(b));
  ASK(cuGraphicsUnmapResources(1, &q, nullptr));
  ASK(cuGraphicsMapResources(1, &q, nullptr));
  ASK(cuGraphicsSubResourceGetMappedArray(&again, q, 0, 0));
  ASK(again == b);
  ASK(cuGraphicsUnregisterResource(q));
  ASK(cuGraphicsUnregisterResource(r));
}

// What happens to writes to a read-only image, and what a write-discard image contains.
CASE(image_flags_and_content) {
  graphics::start();
  for (unsigned when : {0u, 1u}) {
    for (unsigned flags : {0u, 1u, 2u}) {
      const GLuint texture = new_texture(GL_TEXTURE_2D, GL_RGBA8, 1, 64, 32, 1);
      const unsigned before = 0x04030201, after = 0x14131211;
      unsigned read[64 * 32];
      glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 1, 1, GL_RGBA, GL_UNSIGNED_BYTE, &before);
      CUgraphicsResource r = nullptr;
      CUarray a = nullptr;
      conformance::say("flags at", when ? "map" : "registration");
      ASK(flags);
      ASK(cuGraphicsGLRegisterImage(&r, texture, GL_TEXTURE_2D, when ? 0 : flags));
      if (when) ASK(cuGraphicsResourceSetMapFlags(r, flags));
      ASK(cuGraphicsMapResources(1, &r, nullptr));
      PREPARE(cuGraphicsSubResourceGetMappedArray(&a, r, 0, 0));
      say("shape", shape(a));
      say("before", graphics::bytes_of(a, 4));
      CUDA_MEMCPY2D copy{};
      copy.srcMemoryType = CU_MEMORYTYPE_HOST;
      copy.srcHost = &after;
      copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
      copy.dstArray = a;
      copy.WidthInBytes = 4;
      copy.Height = 1;
      ASK(cuMemcpy2D(&copy));
      ASK(cuGraphicsUnmapResources(1, &r, nullptr));
      glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, read);
      ASK(read[0] == after);
    }
  }
}

}  // namespace
