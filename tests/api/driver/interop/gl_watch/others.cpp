// SPDX-License-Identifier: Apache-2.0
// Other contexts and state, and the ways by which a program may reach OpenGL.
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <dlfcn.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <thread>

#include "tests/api/driver/interop/gl_watch/misuse.hpp"

namespace {

// The program's pending error stays, and so does all state that the watcher's queries could change.
void state_stays(bool wrong) {
  const GLuint buffer = new_buffer(), texture = new_texture(), framebuffer = bind_framebuffer();
  set_draw(buffer);
  const GLuint program =
      use_program({{GL_VERTEX_SHADER, two_attributes}, {GL_FRAGMENT_SHADER, R"(#version 330
uniform sampler2D pictures[2];
out vec4 colour;
void main() { colour = texture(pictures[0], vec2(0)) + texture(pictures[1], vec2(0)); })"}});
  const GLint units[] = {2, 9};
  glUniform1iv(glGetUniformLocation(program, "pictures"), 2, units);
  glBindTextureUnit(9, texture);
  glActiveTexture(GL_TEXTURE6);
  glBindFramebuffer(GL_READ_FRAMEBUFFER, framebuffer);
  constexpr GLenum asked[] = {
      GL_ACTIVE_TEXTURE,       GL_CLIENT_ACTIVE_TEXTURE,    GL_READ_FRAMEBUFFER_BINDING,
      GL_ARRAY_BUFFER_BINDING, GL_DRAW_FRAMEBUFFER_BINDING, GL_VERTEX_ARRAY_BINDING,
      GL_CURRENT_PROGRAM,      GL_TEXTURE_BINDING_2D,       GL_PROGRAM_PIPELINE_BINDING};
  const auto state = [&] {
    std::vector<GLint> values;
    for (const GLenum one : asked) glGetIntegerv(one, &values.emplace_back());
    return values;
  };
  with_mapped(buffer_resource(buffer), wrong, [&] {
    CUgraphicsResource other = image_resource(texture, GL_TEXTURE_2D);
    CUDA(cuGraphicsMapResources(1, &other, nullptr));
    if (!wrong) CUDA(cuGraphicsUnmapResources(1, &other, nullptr));
    const std::vector<GLint> before = state();
    glEnable(0xFFFF);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glBlitNamedFramebuffer(framebuffer, new_framebuffer(new_texture()), 0, 0, 1, 1, 0, 0, 1, 1,
                           GL_COLOR_BUFFER_BIT, GL_NEAREST);
    NEED(glGetError() == GL_INVALID_ENUM);
    NEED(glGetError() == GL_NO_ERROR);
    NEED(state() == before);
    if (wrong) CUDA(cuGraphicsUnmapResources(1, &other, nullptr));
    CUDA(cuGraphicsUnregisterResource(other));
  });
}

// The watcher's queries cause no debug messages; and a debug callback may call OpenGL.
int messages = 0;
void APIENTRY on_message(GLenum, GLenum type, GLuint, GLenum, GLsizei, const GLchar*, const void*) {
  if (type != GL_DEBUG_TYPE_OTHER) ++messages;
  if (type != GL_DEBUG_TYPE_MARKER) return;
  glDrawArrays(GL_TRIANGLES, 0, 3);
  ++messages;
}

void debug_callback(bool wrong) {
  const GLuint buffer = new_buffer();
  set_draw(buffer);
  glEnable(GL_DEBUG_OUTPUT);
  glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
  glDebugMessageCallback(on_message, nullptr);
  glDebugMessageControl(GL_DONT_CARE, GL_DONT_CARE, GL_DONT_CARE, 0, nullptr, GL_TRUE);
  with_mapped(buffer_resource(buffer), wrong, [&] {
    glDrawArrays(GL_TRIANGLES, 0, 3);
    NEED(messages == 0);
    // Runs the callback inside a call of OpenGL.
    glDebugMessageInsert(GL_DEBUG_SOURCE_APPLICATION, GL_DEBUG_TYPE_MARKER, 1,
                         GL_DEBUG_SEVERITY_HIGH, 5, "hello");
    NEED(messages > 0);
  });
  glDebugMessageCallback(nullptr, nullptr);
}

// In another share group the same name is another buffer.
void other_group(bool) {
  EglContext first(EglContext::Api::compatibility), second(EglContext::Api::compatibility);
  first.make_current();
  const GLuint buffer = new_buffer();
  with_mapped(buffer_resource(buffer), true, [&] {
    second.make_current();
    set_draw(new_buffer());
    const GLuint same = buffer;
    NEED(glIsBuffer(same));
    set_attribute(0, same);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    glNamedBufferData(same, 64, nullptr, GL_STATIC_DRAW);
    glDeleteBuffers(1, &same);
    NEED(glGetError() == GL_NO_ERROR);
    first.make_current();
  });
}

// Another thread, whose context shares with the registering one.
void other_thread(bool wrong) {
  EglContext first(EglContext::Api::compatibility);
  const auto second = first.shared();
  first.make_current();
  const GLuint buffer = new_buffer();
  glFinish();
  with_mapped(buffer_resource(buffer), wrong, [&] {
    std::thread([&] {
      second->make_current();
      set_draw(buffer);
      glDrawArrays(GL_TRIANGLES, 0, 3);
      second->release();
    }).join();
  });
}

// The core profile rejects queries of old state; they would leave errors.
void core(bool wrong) {
  EglContext context(EglContext::Api::core);
  context.make_current();
  const GLuint buffer = new_buffer(), texture = new_texture();
  set_draw(buffer);
  with_mapped(buffer_resource(buffer), wrong, [&] {
    glDrawArrays(GL_TRIANGLES, 0, 3);
    NEED(glGetError() == GL_NO_ERROR);
    // No vertex array and no program: at most, the call itself is an error.
    glBindVertexArray(0);
    glUseProgram(0);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    while (glGetError() != GL_NO_ERROR) {
    }
  });
  with_mapped(image_resource(texture, GL_TEXTURE_2D), wrong, [&] {
    glClearTexImage(texture, 0, GL_RGBA, GL_UNSIGNED_BYTE, nullptr);
    NEED(glGetError() == GL_NO_ERROR);
  });
}

// OpenGL ES 3.0 has vertex arrays, textures that cannot be registered, and fewer queries.
void gles(bool wrong) {
  EglContext es(EglContext::Api::gles);
  es.make_current();
  GLuint buffer = 0, array = 0;
  glGenBuffers(1, &buffer);
  glBindBuffer(GL_ARRAY_BUFFER, buffer);
  glBufferData(GL_ARRAY_BUFFER, 256, nullptr, GL_DYNAMIC_DRAW);
  glGenVertexArrays(1, &array);
  glBindVertexArray(array);
  glVertexAttribPointer(1, 4, GL_FLOAT, GL_FALSE, 0, nullptr);
  glEnableVertexAttribArray(1);
  const GLuint program = glCreateProgram();
  const Stage stages[] = {{GL_VERTEX_SHADER, R"(#version 300 es
layout(location = 1) in vec4 position;
void main() { gl_Position = position; })"},
                          {GL_FRAGMENT_SHADER, R"(#version 300 es
uniform lowp sampler2D picture;
layout(std140) uniform Block { lowp vec4 tint; };
out lowp vec4 colour;
void main() { colour = texture(picture, vec2(0)) + tint; })"}};
  for (const Stage& stage : stages) {
    const GLuint shader = glCreateShader(stage.type);
    glShaderSource(shader, 1, &stage.source, nullptr);
    glCompileShader(shader);
    glAttachShader(program, shader);
  }
  glLinkProgram(program);
  glUseProgram(program);
  GLuint block = 0;
  glGenBuffers(1, &block);
  glBindBufferBase(GL_UNIFORM_BUFFER, 0, block);
  glBufferData(GL_UNIFORM_BUFFER, 256, nullptr, GL_DYNAMIC_DRAW);
  GLuint texture = 0, framebuffer = 0;
  glGenTextures(1, &texture);
  glBindTexture(GL_TEXTURE_2D, texture);
  glTexStorage2D(GL_TEXTURE_2D, 1, GL_RGBA8, side, side);
  glGenFramebuffers(1, &framebuffer);
  glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, texture, 0);
  NEED(glGetError() == GL_NO_ERROR);
  with_mapped(buffer_resource(buffer), wrong, [] {
    glDrawArrays(GL_TRIANGLES, 0, 3);
    NEED(glGetError() == GL_NO_ERROR);
  });
}

// --- Contexts that end ---

// A context with a mapped buffer ends; `late`: it is destroyed while it is current.
void ended_context(bool wrong, bool late) {
  EGLDisplay display = eglGetCurrentDisplay();
  const EGLContext before = eglGetCurrentContext();
  const EGLContext gone = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, nullptr);
  NEED(gone && eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, gone));
  CUgraphicsResource resource = buffer_resource(new_buffer());
  CUDA(cuGraphicsMapResources(1, &resource, nullptr));
  CUdeviceptr address = 0;
  size_t size = 0;
  CUDA(cuGraphicsResourceGetMappedPointer(&address, &size, resource));
  if (!wrong) {
    CUDA(cuGraphicsUnmapResources(1, &resource, nullptr));
    CUDA(cuGraphicsUnregisterResource(resource));
  }
  if (late) {
    NEED(eglDestroyContext(display, gone));
    if (wrong) CUDA(cuMemsetD8(address, 1, size));
  }
  NEED(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, before));
  if (!late) NEED(eglDestroyContext(display, gone));
  if (!wrong) return;
  // A report of that would be right, too, but its place is no longer looked at.
  std::vector<unsigned char> others(size, 0x55);
  NEED(cuGraphicsMapResources(1, &resource, nullptr) == CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
  NEED(cuGraphicsUnmapResources(1, &resource, nullptr) == CUDA_ERROR_INVALID_GRAPHICS_CONTEXT);
}
void context_destroyed(bool wrong) { ended_context(wrong, false); }
void context_destroyed_while_current(bool wrong) { ended_context(wrong, true); }

// The objects live on in another context of the group: nothing is wrong.
void context_with_survivor(bool) {
  EGLDisplay display = eglGetCurrentDisplay();
  const EGLContext survivor = eglGetCurrentContext();
  const EGLContext gone = eglCreateContext(display, EGL_NO_CONFIG_KHR, survivor, nullptr);
  NEED(gone && eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, gone));
  CUgraphicsResource resource = buffer_resource(new_buffer());
  CUDA(cuGraphicsMapResources(1, &resource, nullptr));
  NEED(eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, survivor));
  NEED(eglDestroyContext(display, gone));
  CUdeviceptr address = 0;
  size_t size = 0;
  CUDA(cuGraphicsResourceGetMappedPointer(&address, &size, resource));
  CUDA(cuMemsetD8(address, 1, size));
  CUDA(cuGraphicsUnmapResources(1, &resource, nullptr));
  CUDA(cuGraphicsUnregisterResource(resource));
}

// --- How a function is found ---

// dlsym distinguishes the program's own functions from others, as ever, and reports missing ones.
void dlsym_is_itself(bool) {
  static_cast<void>(dlerror());
  void* const maths = dlopen("libm.so.6", RTLD_LAZY);
  NEED(maths);
  NEED(dlsym(maths, "cos") != nullptr);
  NEED(dlsym(maths, "glDrawArrays") == nullptr);
  NEED(dlerror() != nullptr);
  NEED(dlsym(RTLD_DEFAULT, "glNoSuchFunction") == nullptr);
  NEED(dlerror() != nullptr);
  NEED(dlerror() == nullptr);
  NEED(dlvsym(maths, "cos", "GLIBC_2.2.5") != nullptr);
  // Comes from a library that interposes it and asks for the next one.
  NEED(getppid() == syscall(SYS_getppid));
  // OpenGL is linked: the function is the same however it is found.
  void* const linked = reinterpret_cast<void*>(glDrawArrays);
  NEED(dlsym(RTLD_DEFAULT, "glDrawArrays") == linked);
  NEED(dlsym(dlopen(nullptr, RTLD_LAZY), "glDrawArrays") == linked);
  NEED(dlsym(dlopen("libOpenGL.so.0", RTLD_LAZY), "glDrawArrays") == linked);
  NEED(dlsym(RTLD_DEFAULT, "glDrawArrays") == linked);
}

}  // namespace

const std::vector<Case> other_cases = {
    {"state_stays", state_stays},
    {"debug_callback", debug_callback},
    {"other_group", other_group},
    {"other_thread", other_thread},
    {"core", core},
    {"gles", gles},
    {"context_destroyed", context_destroyed},
    {"context_destroyed_while_current", context_destroyed_while_current},
    {"context_with_survivor", context_with_survivor},
    {"dlsym_is_itself", dlsym_is_itself},
};
