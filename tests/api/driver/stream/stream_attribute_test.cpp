// SPDX-License-Identifier: Apache-2.0
// The attributes of streams. An H200's results for all other values are in tests/conformance.
#include <cuda.h>

#include <limits>
#include <thread>
#include <utility>

#include "tests/api/driver/gate.hpp"

namespace {

TEST(cuStreamSetAttribute, KeepsThePolicy) {
  const Scene scene;
  const CUstream stream = new_stream();
  CUstreamAttrValue value{};
  OK(cuStreamGetAttribute(stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
  // Measured: the value is not in CUsynchronizationPolicy.
  EXPECT_EQ(static_cast<int>(value.syncPolicy), -1);
  for (const auto policy :
       {CU_SYNC_POLICY_SPIN, CU_SYNC_POLICY_YIELD, CU_SYNC_POLICY_BLOCKING_SYNC}) {
    value.syncPolicy = policy;
    OK(cuStreamSetAttribute(stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    value = {};
    OK(cuStreamGetAttribute(stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
    EXPECT_EQ(value.syncPolicy, policy);
    Gate gate(stream);
    std::thread opener([&] {
      let_things_happen();
      gate.open();
    });
    OK(cuStreamSynchronize(stream));
    opener.join();
  }
  value.syncPolicy = static_cast<CUsynchronizationPolicy>(77);
  EXPECT_EQ(cuStreamSetAttribute(stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamSetAttribute(stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamSetAttribute(stream, static_cast<CUstreamAttrID>(77), &value),
            CUDA_ERROR_INVALID_VALUE);
}

TEST(cuStreamGetAttribute, ChecksItsArguments) {
  const Scene scene;
  const CUstream stream = new_stream();
  CUstreamAttrValue value{};
  EXPECT_EQ(cuStreamGetAttribute(stream, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, nullptr),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuStreamGetAttribute(stream, static_cast<CUstreamAttrID>(77), &value),
            CUDA_ERROR_INVALID_VALUE);
}

TEST(cuStreamCopyAttributes, TakesThePolicy) {
  const Scene scene;
  const CUstream from = new_stream(), to = new_stream();
  CUstreamAttrValue value{};
  value.syncPolicy = CU_SYNC_POLICY_YIELD;
  OK(cuStreamSetAttribute(from, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
  OK(cuStreamCopyAttributes(to, from));
  value = {};
  OK(cuStreamGetAttribute(to, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &value));
  EXPECT_EQ(value.syncPolicy, CU_SYNC_POLICY_YIELD);
  EXPECT_EQ(cuStreamCopyAttributes(to, fake_stream(0x123456789a0)), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuStreamCopyAttributes(fake_stream(0x123456789a0), from), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuStreamSetAttribute, APriorityCountsForWhatIsSubmittedLater) {
  const Scene scene;
  const CUstream stream = new_stream();
  CUstreamAttrValue value{};
  for (const auto& [asked, given] : {std::pair{-3, -3}, {-100, -5}, {7, 0}}) {
    value.priority = asked;
    OK(cuStreamSetAttribute(stream, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
    int had = 99;
    OK(cuStreamGetPriority(stream, &had));
    EXPECT_EQ(had, given);
    value.priority = 99;
    OK(cuStreamGetAttribute(stream, CU_LAUNCH_ATTRIBUTE_PRIORITY, &value));
    EXPECT_EQ(value.priority, given);
  }
  CUdeviceptr memory = 0;
  OK(cuMemAlloc(&memory, 4));
  OK(cuMemsetD32Async(memory, 5, 1, stream));
  OK(cuStreamSynchronize(stream));
  unsigned number = 0;
  OK(cuMemcpyDtoH(&number, memory, 4));
  EXPECT_EQ(number, 5u);
  OK(cuMemFree(memory));
}

TEST(cuStreamSetAttribute, KeepsHintsAndChecksThem) {
  const Scene scene;
  const CUstream stream = new_stream(), other = new_stream();
  CUstreamAttrValue value{};
  OK(cuStreamGetAttribute(stream, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, &value));
  EXPECT_EQ(value.memSyncDomainMap.default_, 0);
  EXPECT_EQ(value.memSyncDomainMap.remote, 1);
  value.memSyncDomainMap = {3, 2};
  OK(cuStreamSetAttribute(stream, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, &value));
  value.memSyncDomainMap = {0, 4};
  EXPECT_EQ(cuStreamSetAttribute(stream, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, &value),
            CUDA_ERROR_INVALID_VALUE);

  value.accessPolicyWindow = {&value, 4096, 0.5F, CU_ACCESS_PROPERTY_PERSISTING,
                              CU_ACCESS_PROPERTY_STREAMING};
  const CUaccessPolicyWindow window = value.accessPolicyWindow;
  OK(cuStreamSetAttribute(stream, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &value));
  for (const float ratio : {-0.1F, 1.1F, std::numeric_limits<float>::quiet_NaN()}) {
    value.accessPolicyWindow.hitRatio = ratio;
    EXPECT_EQ(cuStreamSetAttribute(stream, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &value),
              CUDA_ERROR_INVALID_VALUE)
        << ratio;
  }

  OK(cuStreamCopyAttributes(other, stream));
  value = {};
  OK(cuStreamGetAttribute(other, CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP, &value));
  EXPECT_EQ(value.memSyncDomainMap.default_, 3);
  EXPECT_EQ(value.memSyncDomainMap.remote, 2);
  OK(cuStreamGetAttribute(other, CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW, &value));
  EXPECT_EQ(value.accessPolicyWindow.base_ptr, window.base_ptr);
  EXPECT_EQ(value.accessPolicyWindow.num_bytes, window.num_bytes);
  EXPECT_EQ(value.accessPolicyWindow.hitRatio, window.hitRatio);
  EXPECT_EQ(value.accessPolicyWindow.hitProp, window.hitProp);
  EXPECT_EQ(value.accessPolicyWindow.missProp, window.missProp);
}

}  // namespace
