// SPDX-License-Identifier: Apache-2.0
// OpenGL and interop calls in any order, from several threads: contexts come and go with their
// objects registered or mapped, objects get other storage or are deleted, and CUDA writes through
// every pointer and array that it ever got. Nothing may crash, and no byte of the program's own
// memory may change.
//
// A call that ends storage has the scene for itself, as a program must see to; all others run side
// by side.
#define GL_GLEXT_PROTOTYPES
#define EGL_EGLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
// Must come after OpenGL's headers.
#include <cudaGL.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "tests/fuzz/input.hpp"

namespace {

constexpr size_t groups = 2;  // of contexts; each thread has a context of each
constexpr unsigned threads = 3;
constexpr unsigned slots = 6;  // for objects of a group, and for resources
constexpr GLsizei edge = 16;   // of an image

EGLDisplay display;
CUcontext cuda;

// --- The program's own memory, as large as the buffers: freed storage becomes this
class Canaries {
 public:
  void add(size_t size) {
    if (all_.size() == 32) {
      check();
      all_.clear();
    }
    all_.emplace_back(size, 0x55);
  }
  void check() const {
    for (const auto& one : all_)
      for (const unsigned char byte : one)
        if (byte != 0x55) {
          std::fputs("the program's own memory was written to\n", stdout);
          std::abort();
        }
  }

 private:
  std::vector<std::vector<unsigned char>> all_;
};

struct Object {
  GLuint name = 0;
  GLenum target = 0;
  size_t size = 0;
};

// What all threads know.
struct Scene {
  std::shared_mutex storage;  // held alone by who ends storage
  std::mutex mutex;           // guards the rest
  EGLContext contexts[threads][groups] = {};
  Object objects[groups][slots];
  CUgraphicsResource resources[slots] = {};
  std::vector<CUdeviceptr> pointers;
  std::vector<CUarray> arrays;
  Canaries canaries;
};

EGLContext make_context(EGLContext share) {
  const EGLint wanted[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 5, EGL_NONE};
  return eglCreateContext(display, EGL_NO_CONFIG_KHR, share, wanted);
}

void make_current(EGLContext context) {
  if (!eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) std::abort();
}

class Worker {
 public:
  Worker(Scene& scene, unsigned number, Input input)
      : scene_(scene), number_(number), input_(input) {}

  void work() {
    eglBindAPI(EGL_OPENGL_API);
    cuCtxSetCurrent(cuda);
    enter(0);
    while (!input_.empty()) step();
    cuCtxSynchronize();
    make_current(EGL_NO_CONTEXT);
  }

 private:
  void step() {
    switch (input_.below(16)) {
      case 0:
        renew_context();
        [[fallthrough]];
      case 1:
        return enter(input_.below(16) ? input_.below(groups) : groups);
      case 2:
      case 3:
        return make_object();
      case 4:
        return end_object();
      case 5:
      case 6:
        return enrol();
      case 7:
      case 8:
        return map();
      case 9:
        return unmap();
      case 10:
        return unregister();
      case 11:
      case 12:
        return write_by_pointer();
      case 13:
        return write_to_array();
      case 14:
        return draw();
      case 15:
        return set_flags();
    }
  }

  // Makes a context of a group current, or none.
  void enter(unsigned group) {
    const std::shared_lock use(scene_.storage);
    group_ = group;
    make_current(group < groups ? context(group) : EGL_NO_CONTEXT);
  }

  EGLContext context(unsigned group) {
    const std::lock_guard lock(scene_.mutex);
    EGLContext& own = scene_.contexts[number_][group];
    if (own) return own;
    EGLContext share = EGL_NO_CONTEXT;
    for (auto& of_thread : scene_.contexts)
      if (of_thread[group]) share = of_thread[group];
    own = make_context(share);
    if (!own) std::abort();
    // The group is a new one: its names mean nothing yet.
    if (!share)
      for (Object& object : scene_.objects[group]) object = {};
    return own;
  }

  // Ends one of the thread's contexts; the last of its group takes the objects along.
  void renew_context() {
    const std::unique_lock alone(scene_.storage);
    const unsigned group = input_.below(groups);
    EGLContext& own = scene_.contexts[number_][group];
    if (!own) return;
    const bool late = input_.flip();  // it is current, and goes when it no longer is
    if (!late && group == group_) {
      group_ = groups;
      make_current(EGL_NO_CONTEXT);
    }
    eglDestroyContext(display, own);
    own = EGL_NO_CONTEXT;
    if (group == group_) {
      group_ = groups;
      make_current(EGL_NO_CONTEXT);
    }
    for (unsigned i = 0; i < 4; ++i) scene_.canaries.add(sizes[input_.below(4)]);
  }

  Object& place() { return scene_.objects[group_][input_.below(slots)]; }
  Object& object() {
    unsigned at = input_.below(slots);
    for (unsigned i = 0; i < slots && !scene_.objects[group_][at].name; ++i) at = (at + 1) % slots;
    return scene_.objects[group_][at];
  }
  // Mostly one that there is.
  CUgraphicsResource& resource() {
    unsigned at = input_.below(slots);
    for (unsigned i = 0; i < slots && !scene_.resources[at]; ++i) at = (at + 1) % slots;
    return scene_.resources[at];
  }

  void make_object() {
    if (group_ == groups) return;
    const std::unique_lock alone(scene_.storage);
    Object& one = place();
    if (one.name && one.target == GL_ARRAY_BUFFER && input_.flip()) {  // other storage
      one.size = sizes[input_.below(4)];
      glNamedBufferData(one.name, static_cast<GLsizeiptr>(one.size), nullptr, GL_DYNAMIC_DRAW);
      glGetError();
      return;
    }
    if (one.name) return;
    switch (input_.below(4)) {
      case 0: {
        one.target = GL_TEXTURE_2D;
        glCreateTextures(one.target, 1, &one.name);
        glTextureStorage2D(one.name, 1, GL_RGBA8, edge, edge);
        break;
      }
      case 1:
        one.target = GL_RENDERBUFFER;
        glCreateRenderbuffers(1, &one.name);
        glNamedRenderbufferStorage(one.name, GL_RGBA8, edge, edge);
        break;
      default:
        one.target = GL_ARRAY_BUFFER;
        one.size = sizes[input_.below(4)];
        glCreateBuffers(1, &one.name);
        if (input_.below(4) == 0)
          glNamedBufferStorage(one.name, static_cast<GLsizeiptr>(one.size), nullptr,
                               input_.flip() ? 0 : GL_MAP_READ_BIT | GL_MAP_WRITE_BIT);
        else
          glNamedBufferData(one.name, static_cast<GLsizeiptr>(one.size), nullptr, GL_DYNAMIC_DRAW);
    }
    glGetError();
  }

  void end_object() {
    if (group_ == groups) return;
    const std::unique_lock alone(scene_.storage);
    Object& one = object();
    if (one.target == GL_ARRAY_BUFFER) glDeleteBuffers(1, &one.name);
    if (one.target == GL_TEXTURE_2D) glDeleteTextures(1, &one.name);
    if (one.target == GL_RENDERBUFFER) glDeleteRenderbuffers(1, &one.name);
    if (one.size) scene_.canaries.add(one.size);
    one = {};
  }

  void enrol() {
    const std::shared_lock use(scene_.storage);
    const Object one = group_ < groups ? object() : Object{1, GL_ARRAY_BUFFER, 0};
    CUgraphicsResource made = nullptr;
    const unsigned flags = input_.below(8) ? 0 : input_.below(6);
    const CUresult result = one.target == GL_ARRAY_BUFFER
                                ? cuGraphicsGLRegisterBuffer(&made, one.name, flags)
                                : cuGraphicsGLRegisterImage(&made, one.name, one.target, flags);
    if (result != CUDA_SUCCESS) return;
    const std::lock_guard lock(scene_.mutex);
    scene_.resources[input_.below(slots)] = made;  // the one before is left registered
  }

  void map() {
    const std::shared_lock use(scene_.storage);
    CUgraphicsResource list[2];
    {
      const std::lock_guard lock(scene_.mutex);
      for (CUgraphicsResource& one : list) one = resource();
    }
    if (cuGraphicsMapResources(1 + input_.below(2), list, nullptr) != CUDA_SUCCESS) return;
    CUdeviceptr pointer;
    CUarray array;
    const std::lock_guard lock(scene_.mutex);
    if (cuGraphicsResourceGetMappedPointer(&pointer, nullptr, list[0]) == CUDA_SUCCESS)
      scene_.pointers.push_back(pointer);
    else if (cuGraphicsSubResourceGetMappedArray(&array, list[0], 0, 0) == CUDA_SUCCESS)
      scene_.arrays.push_back(array);
  }

  void unmap() {
    const std::shared_lock use(scene_.storage);
    CUgraphicsResource one;
    {
      const std::lock_guard lock(scene_.mutex);
      one = resource();
    }
    cuGraphicsUnmapResources(1, &one, nullptr);
  }

  void set_flags() {
    CUgraphicsResource one;
    {
      const std::lock_guard lock(scene_.mutex);
      one = resource();
    }
    cuGraphicsResourceSetMapFlags(one, input_.below(5));
    if (input_.below(4) == 0) cuCtxSynchronize();
  }

  void unregister() {
    const std::shared_lock use(scene_.storage);
    CUgraphicsResource one;
    {
      const std::lock_guard lock(scene_.mutex);
      one = resource();
    }
    cuGraphicsUnregisterResource(one);
  }

  void write_by_pointer() {
    const std::shared_lock use(scene_.storage);
    CUdeviceptr to;
    {
      const std::lock_guard lock(scene_.mutex);
      if (scene_.pointers.empty()) return;
      to = scene_.pointers[input_.place(scene_.pointers.size())];
    }
    const size_t size = sizes[input_.below(4)];
    if (input_.flip())
      cuMemsetD8Async(to, 0xAA, size, nullptr);
    else
      cuMemsetD8(to, 0xAA, size);
  }

  void write_to_array() {
    const std::shared_lock use(scene_.storage);
    std::vector<unsigned char> pixels(4 * edge * edge, 0xAA);
    CUDA_MEMCPY2D copy{};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = pixels.data();
    copy.srcPitch = 4 * edge;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.WidthInBytes = 4 * edge;
    copy.Height = edge;
    {
      const std::lock_guard lock(scene_.mutex);
      if (scene_.arrays.empty()) return;
      copy.dstArray = scene_.arrays[input_.place(scene_.arrays.size())];
    }
    cuMemcpy2D(&copy);
  }

  // Reads or writes an object of the group, mapped or not.
  void draw() {
    if (group_ == groups) return;
    const std::shared_lock use(scene_.storage);
    const Object one = object();
    unsigned char pixels[4 * edge * edge] = {};
    if (one.target == GL_ARRAY_BUFFER)
      glNamedBufferSubData(one.name, 0, 64, pixels);
    else if (one.target == GL_TEXTURE_2D)
      glGetTextureImage(one.name, 0, GL_RGBA, GL_UNSIGNED_BYTE, sizeof pixels, pixels);
    else
      glClear(GL_COLOR_BUFFER_BIT);
    glGetError();
  }

  static constexpr size_t sizes[] = {64, 3000, 70000, 300000};

  Scene& scene_;
  const unsigned number_;
  Input input_;
  unsigned group_ = groups;  // whose context is current; `groups`: none
};

void set_scene() {
  static bool up = false;
  if (up) return;
  const auto get = reinterpret_cast<PFNEGLGETPLATFORMDISPLAYEXTPROC>(
      eglGetProcAddress("eglGetPlatformDisplayEXT"));
  display = get ? get(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, nullptr) : nullptr;
  if (!display || !eglInitialize(display, nullptr, nullptr)) {
    std::puts("no software OpenGL here");
    std::exit(0);
  }
  if (cuInit(0) || cuDevicePrimaryCtxRetain(&cuda, 0)) std::abort();
  if (!std::getenv("FUZZ_SAY")) stderr = std::fopen("/dev/null", "w");
  up = true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  set_scene();
  Scene scene;
  const unsigned used = 1 + (size ? data[0] % threads : 0);
  const size_t share = size / used;
  std::vector<std::thread> running;
  for (unsigned i = 0; i < used; ++i)
    running.emplace_back([&, i] { Worker(scene, i, Input(data + i * share, share)).work(); });
  for (std::thread& one : running) one.join();
  cuCtxSetCurrent(cuda);
  // A command that met memory that was gone would have left an error.
  if (cuCtxSynchronize() != CUDA_SUCCESS) std::abort();
  scene.canaries.check();
  for (auto& of_thread : scene.contexts)
    for (const EGLContext context : of_thread)
      if (context) eglDestroyContext(display, context);
  // What is still registered, and mapped, ends with its context.
  if (size && data[0] & 0x80 && (cuDevicePrimaryCtxReset(0) || cuDevicePrimaryCtxRetain(&cuda, 0)))
    std::abort();
  return 0;
}
