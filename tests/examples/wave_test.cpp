// SPDX-License-Identifier: Apache-2.0
// The example wave, from outside: its animation, frame by frame and pixel by pixel, on both drivers
// made of software.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>
#include <webp/demux.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "examples/wave/animation.hpp"
#include "tests/examples/wave_model.hpp"
#include "tests/examples/wave_picture.hpp"

namespace {

namespace fs = std::filesystem;

constexpr const char* lavapipe = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json";
constexpr const char* swiftshader = "/usr/lib/chromium/vk_swiftshader_icd.json";

struct Decoded {
  std::vector<Picture> pictures;
  std::vector<int> ends;  // of each, in milliseconds
};

Decoded decode(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(in)), {});
  const WebPData data{reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
  Decoded decoded;
  WebPAnimDecoder* decoder = WebPAnimDecoderNew(&data, nullptr);
  if (!decoder) return decoded;
  WebPAnimInfo info;
  WebPAnimDecoderGetInfo(decoder, &info);
  const auto width = static_cast<int>(info.canvas_width),
             height = static_cast<int>(info.canvas_height);
  uint8_t* pixel;
  int end;
  while (WebPAnimDecoderGetNext(decoder, &pixel, &end)) {
    Picture& picture = decoded.pictures.emplace_back(width, height);
    decoded.ends.push_back(end);
    for (int y = 0; y < height; ++y)
      for (int x = 0; x < width; ++x, pixel += 4) std::memcpy(picture.at(x, y), pixel, 3);
  }
  WebPAnimDecoderDelete(decoder);
  return decoded;
}

size_t bytes_of(const Picture& picture) {
  return static_cast<size_t>(picture.width()) * static_cast<size_t>(picture.height()) * 3;
}

int greatest_difference(const Picture& one, const Picture& other) {
  int most = 0;
  for (size_t i = 0; i < bytes_of(one); ++i)
    most = std::max(most, std::abs(one.at(0, 0)[i] - other.at(0, 0)[i]));
  return most;
}

// A fixture with a folder of its own, and the driver to be used.
class WaveProgram : public testing::Test {
 protected:
  WaveProgram() : folder_(fs::path(testing::TempDir()) / ("wave-" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
    setenv("CUVETTE_REPORT", file("reports").c_str(), 1);
    // In the end it unloads the driver, whose memory then seems lost.
    setenv("LSAN_OPTIONS", "detect_leaks=0", 1);
    for (const char* variable : {"VK_INSTANCE_LAYERS", "VK_LAYER_ENABLES", "VK_LOADER_DEBUG"})
      unsetenv(variable);
    use(lavapipe);
  }
  ~WaveProgram() override { fs::remove_all(folder_); }

  static bool use(const char* driver) {
    setenv("VK_ICD_FILENAMES", driver, 1);
    setenv("VK_DRIVER_FILES", driver, 1);
    return access(driver, R_OK) == 0;
  }
  std::string file(const std::string& name) const { return folder_ / name; }
  std::string text(const std::string& name) const {
    std::ifstream in(file(name));
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }

  // Runs the example by `cuvette run` and returns its exit status.
  int run(const std::string& options, const std::string& of_cuvette = "") const {
    const std::string line = CUVETTE_COMMAND " run " + of_cuvette + " -- " WAVE_PROGRAM " " +
                             options + " >'" + file("said") + "' 2>&1";
    const int status = std::system(line.c_str());
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }

  // Runs the example and compares each frame with the model's. Drivers may round the last bit of
  // what a shader computes, and some functions of shaders are less exact than that.
  void expect_the_models_frames(int width, int height, int frames) const {
    const std::string size = std::to_string(width) + "x" + std::to_string(height);
    ASSERT_EQ(run("--quality 100 --size " + size + " --frames " + std::to_string(frames) +
                  " --output '" + file("wave.webp") + "' --last '" + file("last.png") + "'"),
              0)
        << text("said");
    EXPECT_EQ(text("reports"), "") << "it is meant as an example of what is right";
    const Decoded seen = decode(file("wave.webp"));
    ASSERT_EQ(seen.pictures.size(), static_cast<size_t>(frames));
    ASSERT_EQ(seen.pictures[0].width(), width);
    ASSERT_EQ(seen.pictures[0].height(), height);
    const wave::Basin basin(width, height);
    WaveModel model(basin);
    for (const Picture& picture : seen.pictures) {
      model.advance();
      ASSERT_LE(greatest_difference(picture, expected_picture(basin, model.heights())), 2)
          << size << ", frame " << &picture - seen.pictures.data() + 1;
    }
    const Picture last = read_png(file("last.png"));
    ASSERT_EQ(bytes_of(last), bytes_of(seen.pictures.back()));
    EXPECT_EQ(greatest_difference(last, seen.pictures.back()), 0);
  }

 private:
  const fs::path folder_;
};

class WaveDriver : public WaveProgram, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    if (!use(GetParam())) GTEST_SKIP() << GetParam() << " is missing";
  }
};

TEST_P(WaveDriver, DrawsWhatTheModelSays) { expect_the_models_frames(480, 270, 24); }
TEST_P(WaveDriver, DrawsFromTheFirstDropToTheLast) { expect_the_models_frames(128, 72, 90); }
TEST_P(WaveDriver, DrawsOddSizes) {
  expect_the_models_frames(101, 67, 30);
  expect_the_models_frames(33, 17, 10);
  expect_the_models_frames(16, 101, 1);
}

// No two kernels, and none of Vulkan's work that CUDA knows of, meet without order.
TEST_P(WaveDriver, HasNoRaces) {
  ASSERT_EQ(run("--size 64x48 --frames 10 --output '" + file("x.webp") + "'", "--check=races"), 0)
      << text("said");
  EXPECT_EQ(text("reports"), "");
}

// Khronos's validation layer has nothing to complain about. Below ours it sees threads that wait
// for timelines while another submits, which may make it run into a timeout of its own: that of
// 2023 says of this message that it is a mistake of the layer itself.
TEST_P(WaveDriver, IsValid) {
  setenv("VK_INSTANCE_LAYERS", "VK_LAYER_KHRONOS_validation", 1);
  setenv("VK_LAYER_ENABLES", "VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT", 1);
  setenv("VK_LOADER_DEBUG", "layer", 1);  // says which layers it loads
  ASSERT_EQ(run("--size 64x48 --frames 4 --output '" + file("x.webp") + "'"), 0) << text("said");
  if (text("said").find("Loading layer library libVkLayer_khronos_validation.so") ==
      std::string::npos)
    GTEST_SKIP() << "the validation layer is missing";
  std::istringstream lines(text("said"));
  for (std::string line; std::getline(lines, line);) {
    if (line.find("-state-timeout") != std::string::npos) continue;
    for (const char* complaint : {"Validation Error", "Validation Warning", "VUID-", "SYNC-HAZARD"})
      EXPECT_EQ(line.find(complaint), std::string::npos) << text("said");
  }
}

INSTANTIATE_TEST_SUITE_P(Drivers, WaveDriver, testing::Values(lavapipe, swiftshader),
                         [](const auto& info) {
                           return std::string(info.index == 0 ? "lavapipe" : "swiftshader");
                         });

TEST_F(WaveProgram, SaysWhatIsMissing) {
  EXPECT_EQ(run("", "--no-vulkan"), 1);
  EXPECT_NE(text("said").find("`cuvette run`"), std::string::npos) << text("said");
  use("/nowhere/driver.json");
  EXPECT_EQ(run(""), 1);
  EXPECT_NE(text("said").find("there is no Vulkan driver here"), std::string::npos) << text("said");
}

TEST_F(WaveProgram, RefusesWhatItDoesNotUnderstand) {
  for (const char* options : {"--nonsense 1", "--frames", "--frames 0", "--frames x", "--size 100",
                              "--size 1x1", "--quality 101", "wave.webp"}) {
    EXPECT_EQ(run(options), 2) << options;
    EXPECT_NE(text("said").find("usage"), std::string::npos) << options;
  }
}

TEST_F(WaveProgram, SaysWhatItCannotWrite) {
  if (!use(lavapipe)) GTEST_SKIP() << lavapipe << " is missing";
  EXPECT_EQ(run("--frames 1 --size 32x32 --output /nowhere/wave.webp"), 1);
  EXPECT_NE(text("said").find("cannot write /nowhere/wave.webp"), std::string::npos);
  EXPECT_EQ(run("--frames 1 --size 32x32 --output '" + file("x.webp") + "' --last /nowhere/l.png"),
            1);
  EXPECT_NE(text("said").find("cannot write /nowhere/l.png"), std::string::npos);
}

TEST_F(WaveProgram, AnimationsKeepEveryPixelAtQuality100) {
  std::mt19937 random(1);
  std::vector<Picture> pictures;
  for (int i = 0; i < 7; ++i) {
    Picture& picture = pictures.emplace_back(37, 21);
    for (size_t byte = 0; byte < bytes_of(picture); ++byte)
      picture.at(0, 0)[byte] = static_cast<uint8_t>(random());
  }
  wave::Animation animation(37, 21, 30, 100);
  for (const Picture& picture : pictures) animation.add(picture);
  animation.add(pictures.back());  // the same again becomes one that is seen for longer
  ASSERT_TRUE(animation.write(file("x.webp")));
  const Decoded decoded = decode(file("x.webp"));
  ASSERT_EQ(decoded.pictures.size(), pictures.size());
  for (size_t i = 0; i < pictures.size(); ++i) {
    EXPECT_EQ(greatest_difference(decoded.pictures[i], pictures[i]), 0) << i;
    const int end = static_cast<int>(i + 1 == pictures.size() ? i + 2 : i + 1);
    EXPECT_EQ(decoded.ends[i], end * 1000 / 30) << i;
  }
}

TEST_F(WaveProgram, AnimationsAreCloseAtALowerQuality) {
  const wave::Basin basin(160, 90);
  WaveModel model(basin);
  model.advance();
  const Picture picture = expected_picture(basin, model.heights());
  wave::Animation animation(160, 90, 30, 85);
  animation.add(picture);
  ASSERT_TRUE(animation.write(file("x.webp")));
  const Decoded decoded = decode(file("x.webp"));
  ASSERT_EQ(decoded.pictures.size(), 1u);
  double sum = 0;
  for (size_t i = 0; i < bytes_of(picture); ++i)
    sum += std::abs(picture.at(0, 0)[i] - decoded.pictures[0].at(0, 0)[i]);
  EXPECT_LT(sum / static_cast<double>(bytes_of(picture)), 6);
}

}  // namespace
