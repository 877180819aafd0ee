// SPDX-License-Identifier: Apache-2.0
// Water in a basin: CUDA moves it, Vulkan draws it, and both work on one image in turns.
//
//   wave [--frames N] [--size WIDTHxHEIGHT] [--quality N] [--output FILE.webp] [--last FILE.png]
//
// It needs no display: the pictures go into an animated file, and the last one into another. Where
// there is no GPU, `cuvette run -- wave` has both APIs done in software.
//
// clang-format off
//   Vulkan's queue   hand over                draw 1                draw 2
//                         \                  ^      \              ^      \       .
//                       free 1       written 1     free 2   written 2     free 3
//                           v        /               v      /               v
//   CUDA's stream    step 1  write 1       step 2     write 2      step 3    write 3
// clang-format on
//
// To read: this file has the turns, shared_image.cpp and shared_timeline.cpp what is shared,
// water.cpp CUDA's half, renderer.cpp Vulkan's, and water.frag what water looks like.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "examples/wave/animation.hpp"
#include "examples/wave/renderer.hpp"
#include "examples/wave/shared_timeline.hpp"
#include "examples/wave/water.hpp"

namespace {

struct Options {
  uint64_t frames = 96;
  int width = 480, height = 270;
  int quality = 85;
  std::string output = "wave.webp", last;
};

[[noreturn]] void refuse(const char* word) {
  std::fprintf(stderr,
               "wave: what is '%s'?\n"
               "usage: wave [--frames N] [--size WIDTHxHEIGHT] [--quality N] [--output FILE.webp] "
               "[--last FILE.png]\n"
               "A quality of 100 keeps every pixel as it is.\n",
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
    if (i + 1 == argc) refuse(argv[i]);
    const char* value = argv[++i];
    if (word == "--frames") {
      options.frames = static_cast<uint64_t>(number(value, 1, 100'000));
    } else if (word == "--quality") {
      options.quality = number(value, 0, 100);
    } else if (word == "--output") {
      options.output = value;
    } else if (word == "--last") {
      options.last = value;
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
  return options;
}

int cannot_write(const std::string& file) {
  std::fprintf(stderr, "wave: cannot write %s\n", file.c_str());
  return 1;
}

int run(const Options& options) {
  using Clock = std::chrono::steady_clock;
  const wave::Device device;
  std::printf("CUDA's device is %s, Vulkan's is %s; by their UUID they are one\n",
              device.name_in_cuda().c_str(), device.name_in_vulkan().c_str());

  const wave::Basin basin(options.width, options.height);
  const wave::SharedImage image(device, static_cast<uint32_t>(options.width),
                                static_cast<uint32_t>(options.height), VK_IMAGE_USAGE_SAMPLED_BIT);
  // `free` is n when CUDA may write frame n, `written` is n when it has.
  const wave::SharedTimeline free(device), written(device);
  wave::Water water(basin);
  wave::Renderer renderer(device, image);
  wave::Animation animation(options.width, options.height, 30, options.quality);

  const auto keep = [&](uint64_t frame) {
    const Picture picture = renderer.read(frame);  // the host's only wait
    animation.add(picture);
    return picture;
  };

  const auto begin = Clock::now();
  renderer.begin(free.at(1, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT));
  for (uint64_t frame = 1; frame <= options.frames; ++frame) {
    // CUDA's turn. The steps do not touch the image, so they need not wait for it.
    water.advance(frame);
    free.wait(water.stream(), frame);
    water.write(image.surface());
    written.signal(water.stream(), frame);

    // Vulkan's turn.
    renderer.draw(frame, written.at(frame, wave::Renderer::stage),
                  free.at(frame + 1, VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT));

    // All this is only submitted. While it is done, the host looks after the frame before.
    if (frame > 1) keep(frame - 1);
  }
  const Picture last = keep(options.frames);
  const std::chrono::duration<double, std::milli> took = Clock::now() - begin;
  std::printf("%d frames, %.1f ms each\n", static_cast<int>(options.frames),
              took.count() / static_cast<double>(options.frames));

  if (!animation.write(options.output)) return cannot_write(options.output);
  std::printf("The animation is in %s\n", options.output.c_str());
  if (options.last.empty()) return 0;
  if (!write_png(last, options.last)) return cannot_write(options.last);
  std::printf("The last frame is in %s\n", options.last.c_str());
  return 0;
}

}  // namespace

int main(int argc, char** argv) { return run(parse(argc, argv)); }
