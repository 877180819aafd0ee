// SPDX-License-Identifier: Apache-2.0
// Linking through the functions of CUDA 5.5, which do the same as their successors.
#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
#include <gtest/gtest.h>

#include <string>

namespace {

std::string helper =
    ".version 7.8\n.target sm_80\n.address_size 64\n.visible .func helper() { ret; }\n";

// A fixture with a link under way.
class Linking : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
    CUcontext context;
    ASSERT_EQ(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    ASSERT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
    ASSERT_EQ(::cuLinkCreate(0, nullptr, nullptr, &state_), CUDA_SUCCESS);
  }
  void TearDown() override {
    EXPECT_EQ(cuLinkDestroy(state_), CUDA_SUCCESS);
    EXPECT_EQ(cuDevicePrimaryCtxRelease_v2(0), CUDA_SUCCESS);
  }
  CUlinkState state_ = nullptr;
};

class cuLinkCreate : public Linking {};
class cuLinkAddData : public Linking {};
class cuLinkAddFile : public Linking {};

TEST_F(cuLinkCreate, ChecksItsArguments) {
  EXPECT_EQ(::cuLinkCreate(0, nullptr, nullptr, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST_F(cuLinkAddData, Adds) {
  EXPECT_EQ(::cuLinkAddData(state_, CU_JIT_INPUT_PTX, helper.data(), helper.size(), "one", 0,
                            nullptr, nullptr),
            CUDA_SUCCESS);
  EXPECT_EQ(::cuLinkAddData(state_, CU_JIT_INPUT_PTX, helper.data(), helper.size(), "one", 0,
                            nullptr, nullptr),
            CUDA_ERROR_INVALID_SOURCE);
}

TEST_F(cuLinkAddFile, NeedsAFile) {
  EXPECT_EQ(::cuLinkAddFile(state_, CU_JIT_INPUT_PTX, "/does/not/exist", 0, nullptr, nullptr),
            CUDA_ERROR_FILE_NOT_FOUND);
}

}  // namespace
