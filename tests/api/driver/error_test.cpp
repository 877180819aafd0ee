// SPDX-License-Identifier: Apache-2.0
#include <cuda.h>

#include <cstring>
#include <set>
#include <string>

#include "tests/api/driver/gate.hpp"

namespace {

TEST(cuGetErrorName, NamesTheErrors) {
  const char* name = nullptr;
  OK(cuGetErrorName(CUDA_SUCCESS, &name));
  EXPECT_STREQ(name, "CUDA_SUCCESS");
  OK(cuGetErrorName(CUDA_ERROR_CONTEXT_IS_DESTROYED, &name));
  EXPECT_STREQ(name, "CUDA_ERROR_CONTEXT_IS_DESTROYED");
  OK(cuGetErrorName(CUDA_ERROR_UNKNOWN, &name));
  EXPECT_STREQ(name, "CUDA_ERROR_UNKNOWN");
  EXPECT_EQ(cuGetErrorName(CUDA_SUCCESS, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuGetErrorName(static_cast<CUresult>(12345), &name), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(name, nullptr) << "\"pStr will be set to the NULL address\"";
}

TEST(cuGetErrorString, DescribesWhateverHasAName) {
  std::set<std::string> names, sentences;
  for (int code = 0; code < 1000; ++code) {
    const char *name = nullptr, *sentence = nullptr;
    const CUresult result = cuGetErrorName(static_cast<CUresult>(code), &name);
    EXPECT_EQ(cuGetErrorString(static_cast<CUresult>(code), &sentence), result) << code;
    EXPECT_EQ(sentence == nullptr, name == nullptr) << code;
    if (!name || !sentence) continue;
    EXPECT_TRUE(names.insert(name).second) << name;
    EXPECT_GT(strlen(sentence), 4u) << name;
  }
  EXPECT_GT(names.size(), 80u);
  const char* sentence = nullptr;
  OK(cuGetErrorString(CUDA_SUCCESS, &sentence));
  EXPECT_STREQ(sentence, "no error");
  EXPECT_EQ(cuGetErrorString(CUDA_SUCCESS, nullptr), CUDA_ERROR_INVALID_VALUE);
}

}  // namespace
