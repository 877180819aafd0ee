// SPDX-License-Identifier: Apache-2.0
// A window, through GLFW.
#define GLFW_INCLUDE_NONE
#define GL_GLEXT_PROTOTYPES
#include <GL/gl.h>
#include <GL/glext.h>
#include <GLFW/glfw3.h>

#include <cstdio>
#include <cstdlib>

#include "examples/galaxy/screen.hpp"

namespace galaxy {
namespace {

[[noreturn]] void fail(const char* what) {
  const char* reason = nullptr;
  glfwGetError(&reason);
  std::fprintf(stderr, "There is no %s here: %s\n", what,
               reason ? reason : "GLFW does not say why");
  std::exit(1);
}

class WindowScreen final : public Screen {
 public:
  WindowScreen(int width, int height) : width_(width), height_(height) {
    if (!glfwInit()) fail("window system");
    glfwWindowHint(GLFW_RESIZABLE, GLFW_FALSE);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 4);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 5);
    window_ =
        glfwCreateWindow(width, height, "A galaxy: CUDA simulates, OpenGL draws", nullptr, nullptr);
    if (!window_) fail("window with OpenGL 4.5");
    glfwMakeContextCurrent(window_);
    glfwSwapInterval(1);
  }
  ~WindowScreen() override {
    glfwDestroyWindow(window_);
    glfwTerminate();
  }

  unsigned framebuffer() const override { return 0; }
  bool show() override {
    glfwSwapBuffers(window_);
    glfwPollEvents();
    if (glfwGetKey(window_, GLFW_KEY_ESCAPE) == GLFW_PRESS) return false;
    return !glfwWindowShouldClose(window_);
  }
  Picture read() const override {
    glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    glReadBuffer(GL_BACK);
    return read_pixels(width_, height_);
  }

 private:
  const int width_, height_;
  GLFWwindow* window_;
};

}  // namespace

std::unique_ptr<Screen> open_window(int width, int height) {
  return std::make_unique<WindowScreen>(width, height);
}

}  // namespace galaxy
