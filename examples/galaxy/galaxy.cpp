// SPDX-License-Identifier: Apache-2.0
// CUDA simulates a galaxy, OpenGL draws it from the same buffers, and nobody copies a vertex
// between the two.
//
//   galaxy [--window] [--frames N] [--size WIDTHxHEIGHT] [--stars N] [--output FILE.png]
//
// Without --window it needs no display: it draws into memory and writes the last picture to a file.
// To read: simulation.cpp is CUDA's half, renderer.cpp is OpenGL's, model.cpp is the galaxy.
#include <chrono>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "examples/galaxy/renderer.hpp"
#include "examples/galaxy/screen.hpp"

namespace {

struct Options {
  bool window = false;
  int frames = 0;  // 0: until the window is closed
  int width = 1280, height = 720;
  int stars = 60'000;
  std::string output;
};

[[noreturn]] void refuse(const char* word) {
  std::fprintf(stderr,
               "galaxy: what is '%s'?\n"
               "usage: galaxy [--window] [--frames N] [--size WIDTHxHEIGHT] [--stars N] "
               "[--output FILE.png]\n",
               word);
  std::exit(2);
}

int number(const char* text, int least, int most) {
  char* end;
  const long value = std::strtol(text, &end, 10);
  if (*end || value < least || value > most) refuse(text);
  return static_cast<int>(value);
}

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--window") {
      options.window = true;
      continue;
    }
    if (i + 1 == argc) refuse(argv[i]);
    const char* value = argv[++i];
    if (word == "--frames") {
      options.frames = number(value, 1, INT_MAX);
    } else if (word == "--stars") {
      options.stars = number(value, 100, 5'000'000);
    } else if (word == "--output") {
      options.output = value;
    } else if (word == "--size") {
      const std::string size = value;
      const size_t cross = size.find('x');
      if (cross == std::string::npos) refuse(value);
      options.width = number(size.substr(0, cross).c_str(), 16, 8192);
      options.height = number(size.substr(cross + 1).c_str(), 16, 8192);
    } else {
      refuse(word.c_str());
    }
  }
  if (!options.window) {
    if (options.frames == 0) options.frames = 24;
    if (options.output.empty()) options.output = "galaxy.png";
  }
  return options;
}

int run(const Options& options) {
  using Clock = std::chrono::steady_clock;
  const auto screen = options.window ? galaxy::open_window(options.width, options.height)
                                     : galaxy::open_memory(options.width, options.height);
  const galaxy::Model model(options.stars);
  galaxy::Renderer renderer(model, {options.width, options.height});
  galaxy::Simulation simulation(model, renderer.shared());
  std::printf("%d stars; OpenGL is %s\n", model.stars(),
              reinterpret_cast<const char*>(glGetString(GL_RENDERER)));

  const auto begin = Clock::now();
  int frame = 0;
  for (bool wanted = true; wanted && (options.frames == 0 || frame < options.frames); ++frame) {
    simulation.submit(frame);
    renderer.draw(frame, screen->framebuffer());
    wanted = screen->show();
  }
  glFinish();
  const std::chrono::duration<double, std::milli> took = Clock::now() - begin;
  std::printf("%d frames, %.1f ms each\n", frame, took.count() / frame);

  if (options.output.empty()) return 0;
  // Draws once more, because what a window has shown cannot be read.
  renderer.draw(frame - 1, screen->framebuffer());
  if (!write_png(screen->read(), options.output)) {
    std::fprintf(stderr, "galaxy: cannot write %s\n", options.output.c_str());
    return 1;
  }
  std::printf("The last one is in %s\n", options.output.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return run(parse(argc, argv)); }
