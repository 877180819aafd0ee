// SPDX-License-Identifier: Apache-2.0
// The example galaxy, from outside: its picture, pixel by pixel, and its window.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "tests/examples/galaxy_picture.hpp"
#if GALAXY_HAS_WINDOW
#include "tests/api/driver/interop/gl/xvfb.hpp"
#endif

namespace {

namespace fs = std::filesystem;

// A fixture with a folder of its own.
class Galaxy : public testing::Test {
 protected:
  Galaxy() : folder_(fs::path(testing::TempDir()) / ("galaxy-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
    setenv("CUVETTE_REPORT", file("reports").c_str(), 1);
  }
  ~Galaxy() override { fs::remove_all(folder_); }

  std::string file(const std::string& name) const { return folder_ / name; }

  // Runs the example with these options and returns its exit status.
  int run(const std::string& options) const {
    const std::string line = GALAXY_PROGRAM " " + options + " >'" + file("said") + "' 2>&1";
    const int status = std::system(line.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }
  std::string text(const std::string& name) const {
    std::ifstream in(file(name));
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }

  // Runs the example with these options and returns its picture.
  Picture picture(const std::string& options) const {
    EXPECT_EQ(run(options + " --output '" + file("picture.png") + "'"), 0) << text("said");
    EXPECT_EQ(text("reports"), "") << "it is meant as an example of what is right";
    return read_png(file("picture.png"));
  }

 private:
  const fs::path folder_;
};

int distance(const uint8_t* pixel, const std::array<uint8_t, 3>& other) {
  int most = 0;
  for (size_t i = 0; i < 3; ++i) most = std::max(most, std::abs(pixel[i] - other[i]));
  return most;
}

// How many of a thousand pixels differ by more than `tolerance`.
double differing(const Picture& picture, const ExpectedPicture& expected, int tolerance) {
  int count = 0;
  for (int y = 0; y < picture.height(); ++y)
    for (int x = 0; x < picture.width(); ++x)
      count += distance(picture.at(x, y), expected.at(x, y)) > tolerance;
  return 1000.0 * count / (picture.width() * picture.height());
}

// OpenGL rounds in some places, and a point's edge may include a pixel more or less: such pixels
// are few, and they differ little.
void expect_same(const Picture& picture, const ExpectedPicture& expected) {
  EXPECT_LT(differing(picture, expected, 2), 5);
  EXPECT_LT(differing(picture, expected, 8), 1);
  EXPECT_EQ(differing(picture, expected, 32), 0);
}

TEST_F(Galaxy, ShowsWhatTheModelSays) {
  const auto seen = picture("--frames 20 --size 480x270 --stars 8000");
  ASSERT_EQ(seen.width(), 480);
  ASSERT_EQ(seen.height(), 270);
  expect_same(seen, ExpectedPicture(8000, 20, {480, 270}, true));
}

TEST_F(Galaxy, ShowsItsFirstFrame) {
  const auto seen = picture("--frames 1 --size 320x180 --stars 3000");
  expect_same(seen, ExpectedPicture(3000, 1, {320, 180}, true));
}

// Frames differ, and the comparison can see that.
TEST_F(Galaxy, Moves) {
  const auto seen = picture("--frames 20 --size 480x270 --stars 8000");
  EXPECT_GT(differing(seen, ExpectedPicture(8000, 19, {480, 270}, true), 8), 10);
  EXPECT_GT(differing(seen, ExpectedPicture(8000, 1, {480, 270}, true), 8), 50);
}

// The vertices that earlier frames left in the buffer are visible.
TEST_F(Galaxy, LeavesTrails) {
  const auto seen = picture("--frames 14 --size 480x270 --stars 8000");
  EXPECT_GT(differing(seen, ExpectedPicture(8000, 14, {480, 270}, false), 8), 5);
}

TEST_F(Galaxy, HasTheSizeAndTheStarsThatAreAskedFor) {
  const auto seen = picture("--frames 2 --size 200x333 --stars 500");
  ASSERT_EQ(seen.width(), 200);
  ASSERT_EQ(seen.height(), 333);
  expect_same(seen, ExpectedPicture(500, 2, {200, 333}, true));
}

TEST_F(Galaxy, IsTheSameEachTime) {
  const auto first = picture("--frames 5 --size 320x180 --stars 3000"),
             second = picture("--frames 5 --size 320x180 --stars 3000");
  EXPECT_TRUE(std::equal(first.at(0, 0), first.at(0, 0) + 320 * 180 * 3, second.at(0, 0)));
}

// Dark sky in the corners, a golden bulge, blue arms: it is a galaxy.
TEST_F(Galaxy, LooksLikeOne) {
  const auto seen = picture("--frames 3 --size 640x360 --stars 20000");
  const auto mean = [&seen](int left, int top, int size) {
    std::array<double, 3> sum{};
    for (int y = top; y < top + size; ++y)
      for (int x = left; x < left + size; ++x)
        for (size_t i = 0; i < 3; ++i) sum[i] += seen.at(x, y)[i] / double(size * size);
    return sum;
  };
  const auto sky = mean(2, 2, 40), bulge = mean(312, 172, 16);
  EXPECT_LT(sky[0] + sky[1] + sky[2], 15);
  EXPECT_GT(bulge[0], 200);
  EXPECT_GT(bulge[0], bulge[2] + 10) << "gold is more red than blue";
  double bluest = 0;
  for (int left = 0; left < 640 - 16; left += 16)
    for (int top = 0; top < 360 - 16; top += 16) {
      const auto here = mean(left, top, 16);
      bluest = std::max(bluest, here[2] - here[0]);
    }
  EXPECT_GT(bluest, 40);
}

TEST_F(Galaxy, RefusesWhatItDoesNotUnderstand) {
  for (const char* options : {"--nonsense", "--frames", "--frames 0", "--frames x", "--size 100",
                              "--size 1x1", "--stars -5", "galaxy.png"}) {
    EXPECT_EQ(run(options), 2) << options;
    EXPECT_NE(text("said").find("usage"), std::string::npos) << options;
  }
  EXPECT_EQ(run("--frames 1 --size 32x32 --stars 100 --output /nowhere/galaxy.png"), 1);
  EXPECT_NE(text("said").find("cannot write /nowhere/galaxy.png"), std::string::npos);
}

#if GALAXY_HAS_WINDOW

TEST_F(Galaxy, ShowsTheSameInAWindow) {
  Xvfb::get();
  // In the end it unloads the driver, whose memory then seems lost.
  setenv("LSAN_OPTIONS", "detect_leaks=0", 1);
  const auto seen = picture("--window --frames 6 --size 320x180 --stars 3000");
  ASSERT_EQ(seen.width(), 320);
  expect_same(seen, ExpectedPicture(3000, 6, {320, 180}, true));
}

// The upper left corner of the X server's screen, where an unmoved window is.
Picture screenshot(int width, int height) {
  std::ifstream in(Xvfb::get().screen_file(), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  // The header consists of big-endian 32-bit numbers: number 0 is its size, number 12 the bytes per
  // row, and number 19 the count of colours in the table that follows, 12 bytes each.
  const auto number = [&bytes](size_t index) {
    uint32_t value = 0;
    bytes.copy(reinterpret_cast<char*>(&value), 4, 4 * index);
    return size_t{ntohl(value)};
  };
  const size_t begin = number(0) + number(19) * 12, row_bytes = number(12);
  Picture picture(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const size_t at = begin + static_cast<size_t>(y) * row_bytes + static_cast<size_t>(x) * 4;
      for (size_t i = 0; i < 3; ++i)
        picture.at(x, y)[i] = static_cast<uint8_t>(bytes.at(at + 2 - i));
    }
  return picture;
}

// A process that is stopped, so that its picture stands still, and killed in the end.
class Stopped {
 public:
  explicit Stopped(std::vector<const char*> command) {
    command.push_back(nullptr);
    const pid_t parent = getpid();
    process_ = fork();
    if (process_ != 0) return;
    // A stopped process cannot end by itself.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() == parent) execv(command[0], const_cast<char**>(command.data()));
    _exit(127);
  }
  ~Stopped() {
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
  }
  // Lets it run for a moment.
  void run() const {
    kill(process_, SIGCONT);
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    kill(process_, SIGSTOP);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // the server has received
                                                                 // everything by then
  }

 private:
  pid_t process_;
};

// The screen shows one of the frames.
TEST_F(Galaxy, IsSeenOnTheScreen) {
  Xvfb::get();
  const Stopped running({GALAXY_PROGRAM, "--window", "--size", "160x90", "--stars", "1000"});
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (std::chrono::steady_clock::now() < end) {
    running.run();
    const auto seen = screenshot(160, 90);
    if (*std::max_element(seen.at(0, 0), seen.at(0, 0) + 160 * 90 * 3) < 100) continue;
    for (int frames = 1; frames < 250; ++frames)
      if (differing(seen, ExpectedPicture(1000, frames, {160, 90}, true), 8) < 1) return;
  }
  FAIL() << "no screenshot was a frame of the galaxy";
}

TEST_F(Galaxy, SaysThatThereIsNoDisplay) {
  unsetenv("DISPLAY");
  unsetenv("WAYLAND_DISPLAY");
  EXPECT_EQ(run("--window --frames 1"), 1);
  EXPECT_NE(text("said").find("There is no window system here"), std::string::npos) << text("said");
}

#endif

}  // namespace
