// SPDX-License-Identifier: Apache-2.0
// GLX: a pixel buffer of an X server; each share group has its own connection.
#include <GL/glx.h>
#include <X11/Xlib.h>

#include "tests/api/driver/interop/gl/window_system.hpp"
#include "tests/api/driver/interop/gl/xvfb.hpp"

namespace {

struct Connection {
  Connection() : display(XOpenDisplay(Xvfb::get().display().c_str())) {
    need_gl(display, "connection to the X server");
  }
  ~Connection() { XCloseDisplay(display); }
  Display* const display;
};

class GlxContext final : public GlContext {
 public:
  GlxContext() : GlxContext(std::make_shared<Connection>(), nullptr) {}
  ~GlxContext() override {
    if (is_current()) release();
    glXDestroyContext(display(), context_);
    glXDestroyPbuffer(display(), buffer_);
  }

  void make_current() override {
    need_gl(glXMakeContextCurrent(display(), buffer_, buffer_, context_), "current GLX context");
  }
  void release() override { glXMakeContextCurrent(display(), None, None, nullptr); }
  bool is_current() const override { return glXGetCurrentContext() == context_; }
  std::unique_ptr<GlContext> shared() override {
    return std::unique_ptr<GlContext>(new GlxContext(connection_, context_));
  }

 private:
  GlxContext(std::shared_ptr<Connection> connection, GLXContext share)
      : connection_(std::move(connection)) {
    const int wanted[] = {GLX_DRAWABLE_TYPE, GLX_PBUFFER_BIT, None};
    int count = 0;
    GLXFBConfig* configs = glXChooseFBConfig(display(), DefaultScreen(display()), wanted, &count);
    need_gl(configs && count, "configuration of GLX with pixel buffers");
    const int size[] = {GLX_PBUFFER_WIDTH, 16, GLX_PBUFFER_HEIGHT, 16, None};
    buffer_ = glXCreatePbuffer(display(), configs[0], size);
    const auto create = reinterpret_cast<PFNGLXCREATECONTEXTATTRIBSARBPROC>(
        glXGetProcAddress(reinterpret_cast<const GLubyte*>("glXCreateContextAttribsARB")));
    const int version[] = {GLX_CONTEXT_MAJOR_VERSION_ARB, 4, GLX_CONTEXT_MINOR_VERSION_ARB, 5,
                           None};
    context_ = create(display(), configs[0], share, True, version);
    XFree(configs);
    need_gl(context_, "OpenGL 4.5 through GLX");
  }

  Display* display() const { return connection_->display; }

  const std::shared_ptr<Connection> connection_;
  GLXPbuffer buffer_;
  GLXContext context_;
};

}  // namespace

std::unique_ptr<GlContext> open_window_system() {
  // Tests make contexts current in other threads.
  static const bool threads = XInitThreads();
  need_gl(threads, "Xlib for threads");
  return std::make_unique<GlxContext>();
}
