// SPDX-License-Identifier: Apache-2.0
// SDL 2: hidden windows of an X server. SDL loads OpenGL's libraries itself.
#define SDL_MAIN_HANDLED
#include <SDL.h>

#include "tests/api/driver/interop/gl/window_system.hpp"
#include "tests/api/driver/interop/gl/xvfb.hpp"

namespace {

class SdlContext final : public GlContext {
 public:
  // Shares with the current context if `with_current`.
  explicit SdlContext(bool with_current) {
    SDL_Window* const window_before = SDL_GL_GetCurrentWindow();
    const SDL_GLContext context_before = SDL_GL_GetCurrentContext();
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MAJOR_VERSION, 4);
    SDL_GL_SetAttribute(SDL_GL_CONTEXT_MINOR_VERSION, 5);
    SDL_GL_SetAttribute(SDL_GL_SHARE_WITH_CURRENT_CONTEXT, with_current);
    window_ = SDL_CreateWindow("test", 0, 0, 16, 16, SDL_WINDOW_OPENGL | SDL_WINDOW_HIDDEN);
    need_gl(window_, "window of SDL with OpenGL");
    context_ = SDL_GL_CreateContext(window_);
    need_gl(context_, "OpenGL 4.5 through SDL");
    // SDL has made the new context current.
    SDL_GL_MakeCurrent(window_before, context_before);
  }
  ~SdlContext() override {
    if (is_current()) release();
    SDL_GL_DeleteContext(context_);
    SDL_DestroyWindow(window_);
  }

  void make_current() override {
    need_gl(SDL_GL_MakeCurrent(window_, context_) == 0, "current context of SDL");
  }
  void release() override { SDL_GL_MakeCurrent(nullptr, nullptr); }
  bool is_current() const override { return SDL_GL_GetCurrentContext() == context_; }
  std::unique_ptr<GlContext> shared() override {
    SDL_Window* const window_before = SDL_GL_GetCurrentWindow();
    const SDL_GLContext context_before = SDL_GL_GetCurrentContext();
    make_current();
    auto other = std::make_unique<SdlContext>(true);
    SDL_GL_MakeCurrent(window_before, context_before);
    return other;
  }

 private:
  SDL_Window* window_;
  SDL_GLContext context_;
};

struct Library {
  Library() {
    Xvfb::get();
    setenv("SDL_VIDEODRIVER", "x11", 1);
    SDL_SetMainReady();
    need_gl(SDL_Init(SDL_INIT_VIDEO) == 0, "SDL that can start");
  }
  ~Library() { SDL_Quit(); }
};

}  // namespace

std::unique_ptr<GlContext> open_window_system() {
  static const Library library;
  return std::make_unique<SdlContext>(false);
}
