// SPDX-License-Identifier: Apache-2.0
// Images made by nvcc, where it is installed.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "sim/ptx/image/image.hpp"

namespace {

using namespace cuvette;

#ifndef CUVETTE_NVCC
#define CUVETTE_NVCC ""
#endif

class Nvcc : public testing::Test {
 protected:
  void SetUp() override {
    if (*CUVETTE_NVCC == '\0') GTEST_SKIP() << "there is no nvcc";
    folder_ = std::filesystem::temp_directory_path() / ("cuvette-nvcc-" + std::to_string(getpid()));
    std::filesystem::create_directory(folder_);
    std::ofstream(folder_ / "k.cu") << "__device__ int number = 42;\n"
                                       "extern \"C\" __global__ void k(int* p) { *p += number; }\n";
  }
  void TearDown() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  // Runs nvcc with these options and returns its output file.
  std::string make(const std::string& options) {
    const std::string command = std::string(CUVETTE_NVCC) + " " + options + " -o " +
                                (folder_ / "out").string() + " " + (folder_ / "k.cu").string();
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    std::ifstream file(folder_ / "out", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  static void expect_kernel(const std::string& image, const std::string& target) {
    std::string sentence;
    auto extract = image::extract_ptx(image.data(), image.size(), 90, sentence);
    ASSERT_TRUE(extract.ok()) << sentence;
    ASSERT_EQ(extract.value().texts.size(), 1u);
    const std::string& text = extract.value().texts[0];
    EXPECT_NE(text.find(".target " + target), std::string::npos) << text;
    EXPECT_NE(text.find(".entry k("), std::string::npos) << text;
  }

  std::filesystem::path folder_;
};

constexpr const char* ptx80 = "-gencode arch=compute_80,code=compute_80 ";

TEST_F(Nvcc, FatBinariesOfEachCompression) {
  expect_kernel(make(std::string("-fatbin --no-compress ") + ptx80), "sm_80");
  expect_kernel(make(std::string("-fatbin ") + ptx80), "sm_80");
  expect_kernel(make(std::string("-fatbin -compress-mode=speed ") + ptx80), "sm_80");
  expect_kernel(make(std::string("-fatbin -compress-mode=size ") + ptx80), "sm_80");
}

TEST_F(Nvcc, FatBinariesOfSeveralTargets) {
  expect_kernel(make("-fatbin -gencode arch=compute_80,code=[compute_80,sm_80] "
                     "-gencode arch=compute_90a,code=compute_90a "
                     "-gencode arch=compute_100,code=compute_100"),
                "sm_90a");
}

TEST_F(Nvcc, FatBinariesKeepTheLimitOfRegisters) {
  const std::string image = make(std::string("-fatbin -lineinfo -maxrregcount=40 ") + ptx80);
  std::string sentence;
  auto extract = image::extract_ptx(image.data(), image.size(), 90, sentence);
  ASSERT_TRUE(extract.ok()) << sentence;
  EXPECT_EQ(extract.value().most_registers, std::vector<uint32_t>{40});
}

TEST_F(Nvcc, Objects) {
  expect_kernel(make(std::string("-c ") + ptx80), "sm_80");
  expect_kernel(make(std::string("-c -rdc=true ") + ptx80), "sm_80");
}

TEST_F(Nvcc, CubinsHaveNoPtx) {
  const std::string cubin = make("-cubin -arch=sm_90");
  std::string sentence;
  auto extract = image::extract_ptx(cubin.data(), cubin.size(), 90, sentence);
  ASSERT_FALSE(extract.ok());
  EXPECT_EQ(extract.error(), Error::no_binary_for_gpu);
  EXPECT_NE(sentence.find("compute_75"), std::string::npos) << sentence;
}

}  // namespace
