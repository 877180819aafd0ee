// SPDX-License-Identifier: Apache-2.0
// GLFW: hidden windows of an X server. GLFW loads OpenGL's libraries itself.
#include <GLFW/glfw3.h>

#include "tests/api/driver/interop/gl/window_system.hpp"
#include "tests/api/driver/interop/gl/xvfb.hpp"

namespace {

class GlfwContext final : public GlContext {
 public:
  explicit GlfwContext(GLFWwindow* share) {
    glfwWindowHint(GLFW_VISIBLE, GLFW_FALSE);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 5);
    window_ = glfwCreateWindow(16, 16, "test", nullptr, share);
    need_gl(window_, "window of GLFW with OpenGL 4.5");
  }
  ~GlfwContext() override {
    if (is_current()) release();
    glfwDestroyWindow(window_);
  }

  void make_current() override { glfwMakeContextCurrent(window_); }
  void release() override { glfwMakeContextCurrent(nullptr); }
  bool is_current() const override { return glfwGetCurrentContext() == window_; }
  std::unique_ptr<GlContext> shared() override { return std::make_unique<GlfwContext>(window_); }

 private:
  GLFWwindow* window_;
};

struct Library {
  Library() {
    Xvfb::get();
    need_gl(glfwInit(), "GLFW that can start");
  }
  ~Library() { glfwTerminate(); }
};

}  // namespace

std::unique_ptr<GlContext> open_window_system() {
  static const Library library;
  return std::make_unique<GlfwContext>(nullptr);
}
