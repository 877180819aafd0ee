// SPDX-License-Identifier: Apache-2.0
// Launches, attributes of functions, occupancy with odd numbers, limits of the device, libraries.
#include "runtime_questions.hpp"

using namespace conformance;

static const size_t largest = size_t(-1);

CASE(rq_occupancy) {
  const struct {
    const char* name;
    const void* kernel;
  } kernels[] = {{"empty", &empty},
                 {"fixed_shared", &fixed_shared},
                 {"bounded", &bounded},
                 {"dynamic_shared", &dynamic_shared}};
  for (const auto& one : kernels) {
    for (int threads : {1, 31, 63, 64, 65, 96, 160, 192, 256, 384, 512, 640, 768, 1000, 1024})
      for (size_t shared : {size_t{0}, size_t{1000}, size_t{16384}, size_t{33000}, size_t{49152}}) {
        int n = -7;
        TOLD(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, one.kernel, threads, shared),
             one.name, " with ", threads, " and ", shared);
        ASK(n);
      }
    for (int blocks : {-1, 0, 1, 2, 3, 7, 16, 31, 32, 33})
      for (int threads : {-1, 0, 1, 64, 65, 1024, 1025}) {
        size_t room = 7;
        TOLD(cudaOccupancyAvailableDynamicSMemPerBlock(&room, one.kernel, blocks, threads),
             one.name, " for ", blocks, " of ", threads);
        ASK(room);
      }
  }
  int n = -7;
  TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, &empty, 32, largest));
  TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, &empty, -32, 0));
  ASK(n);
  // More dynamic shared memory than a launch may have until it is asked for.
  for (int allowed : {0, 49152, 65536, 232448}) {
    TOLD(
        cudaFuncSetAttribute(&dynamic_shared, cudaFuncAttributeMaxDynamicSharedMemorySize, allowed),
        "allowed ", allowed);
    for (size_t shared : {49152, 49153, 65536, 65537, 116224, 232448, 232449}) {
      n = -7;
      TOLD(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, &dynamic_shared, 128, shared), "with ",
           shared);
      ASK(n);
    }
  }
  for (int carveout : {0, 1, 10, 25, 50, 75, 100}) {
    PREPARE(cudaFuncSetAttribute(&fixed_shared, cudaFuncAttributePreferredSharedMemoryCarveout,
                                 carveout));
    n = -7;
    TOLD(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, &fixed_shared, 128, 4096), "carveout ",
         carveout);
    ASK(n);
  }
}

CASE(rq_clusters) {
  int n;
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  for (unsigned grid : {1u, 2u, 8u, 16u, 17u, 32u})
    for (unsigned cluster : {0u, 1u, 2u, 3u, 8u, 9u, 16u, 32u}) {
      config.gridDim = grid;
      config.blockDim = 128;
      attribute.val.clusterDim = {cluster, 1, 1};
      config.attrs = &attribute;
      config.numAttrs = 1;
      n = -7;
      TOLD(cudaOccupancyMaxActiveClusters(&n, &empty, &config), "clusters of ", cluster, " in ",
           grid);
      ASK(n >= 0);
      n = -7;
      TOLD(cudaOccupancyMaxPotentialClusterSize(&n, &empty, &config), "cluster's size, of ",
           cluster, " in ", grid);
      ASK(n);
      TOLD(cudaLaunchKernelExC(&config, &empty, nullptr), "launch of ", cluster, " in ", grid);
    }
  config.numAttrs = 0;
  for (unsigned block : {0u, 1u, 1024u, 1025u}) {
    config.blockDim = block;
    n = -7;
    TOLD(cudaOccupancyMaxActiveClusters(&n, &empty, &config), "clusters of blocks of ", block);
    n = -7;
    TOLD(cudaOccupancyMaxPotentialClusterSize(&n, &empty, &config), "size with blocks of ", block);
    ASK(n);
  }
  TRY(cudaOccupancyMaxActiveClusters(nullptr, &empty, &config));
  TRY(cudaOccupancyMaxActiveClusters(&n, nullptr, &config));
  TRY(cudaOccupancyMaxActiveClusters(&n, &empty, nullptr));
  TRY(cudaOccupancyMaxPotentialClusterSize(nullptr, &empty, &config));
  TRY(cudaOccupancyMaxPotentialClusterSize(&n, &empty, nullptr));
  TRY(cudaDeviceSynchronize());
}

CASE(rq_extended_launches) {
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute attributes[3] = {};
  cudaEvent_t e, plain;
  cudaStream_t s;
  float ms;
  PREPARE(cudaStreamCreate(&s));
  PREPARE(cudaEventCreate(&e));
  PREPARE(cudaEventCreateWithFlags(&plain, cudaEventDisableTiming));
  config.gridDim = config.blockDim = 1;
  config.stream = s;
  config.attrs = attributes;
  const auto ask = [&](const char* question, unsigned count) {
    config.numAttrs = count;
    try_to_survive(question, [&] { return cudaLaunchKernelExC(&config, &empty, nullptr); });
  };
  const auto reset = [&](cudaLaunchAttributeID id) {
    memset(attributes, 0, sizeof attributes);
    attributes[0].id = id;
  };
  TRY(cudaLaunchKernelExC(nullptr, &empty, nullptr));
  TRY(cudaLaunchKernelExC(nullptr, nullptr, nullptr));
  TRY(cudaLaunchKernelExC(&config, unregistered, nullptr));
  TRY(cudaLaunchKernelExC(&config, &missing, nullptr));
  for (int cooperative : {0, 1, 2, -1}) {
    reset(cudaLaunchAttributeCooperative);
    attributes[0].val.cooperative = cooperative;
    ask(text("cooperative ", cooperative).c_str(), 1);
  }
  for (int priority : {0, -1, -5, -6, 3}) {
    reset(cudaLaunchAttributePriority);
    attributes[0].val.priority = priority;
    ask(text("priority ", priority).c_str(), 1);
  }
  for (int policy : {0, 1, 2, 3, 4}) {
    reset(cudaLaunchAttributeSynchronizationPolicy);
    attributes[0].val.syncPolicy = cudaSynchronizationPolicy(policy);
    ask(text("synchronization policy ", policy).c_str(), 1);
    reset(cudaLaunchAttributeClusterSchedulingPolicyPreference);
    attributes[0].val.clusterSchedulingPolicyPreference = cudaClusterSchedulingPolicy(policy);
    ask(text("cluster scheduling policy ", policy).c_str(), 1);
  }
  for (int value : {0, 1, 2}) {
    reset(cudaLaunchAttributeProgrammaticStreamSerialization);
    attributes[0].val.programmaticStreamSerializationAllowed = value;
    ask(text("programmatic serialization ", value).c_str(), 1);
    reset(cudaLaunchAttributeMemSyncDomain);
    attributes[0].val.memSyncDomain = cudaLaunchMemSyncDomain(value);
    ask(text("domain ", value).c_str(), 1);
    reset(cudaLaunchAttributeProgrammaticEvent);
    attributes[0].val.programmaticEvent.event = value == 1 ? plain : e;
    attributes[0].val.programmaticEvent.triggerAtBlockStart = value;
    ask(text("programmatic event ", value).c_str(), 1);
    reset(cudaLaunchAttributeLaunchCompletionEvent);
    attributes[0].val.launchCompletionEvent.event = value == 1 ? plain : e;
    ask(text("completion event ", value).c_str(), 1);
    reset(cudaLaunchAttributeDeviceUpdatableKernelNode);
    attributes[0].val.deviceUpdatableKernelNode.deviceUpdatable = value;
    ask(text("updatable ", value).c_str(), 1);
  }
  for (unsigned carveout : {0u, 50u, 100u, 101u}) {
    reset(cudaLaunchAttributePreferredSharedMemoryCarveout);
    attributes[0].val.sharedMemCarveout = carveout;
    ask(text("carveout ", carveout).c_str(), 1);
  }
  for (int domain : {0, 1, 3, 4}) {
    reset(cudaLaunchAttributeMemSyncDomainMap);
    attributes[0].val.memSyncDomainMap.default_ = static_cast<unsigned char>(domain);
    ask(text("domain map ", domain).c_str(), 1);
  }
  for (unsigned x : {0u, 1u, 2u}) {
    reset(cudaLaunchAttributePreferredClusterDimension);
    attributes[0].val.preferredClusterDim = {x, x, x};
    ask(text("preferred cluster ", x).c_str(), 1);
  }
  for (float ratio : {0.f, 0.5f, 1.f, 1.5f, -1.f}) {
    reset(cudaLaunchAttributeAccessPolicyWindow);
    attributes[0].val.accessPolicyWindow.hitRatio = ratio;
    ask(text("hit ratio ", ratio).c_str(), 1);
    attributes[0].val.accessPolicyWindow.base_ptr = bytes;
    attributes[0].val.accessPolicyWindow.num_bytes = 64;
    ask(text("hit ratio of bytes ", ratio).c_str(), 1);
  }
  // The same attribute twice.
  reset(cudaLaunchAttributeCooperative);
  attributes[1] = attributes[0];
  attributes[0].val.cooperative = 1;
  ask("cooperative twice", 2);
  reset(cudaLaunchAttributeClusterDimension);
  attributes[0].val.clusterDim = {2, 1, 1};
  attributes[1].id = cudaLaunchAttributeClusterDimension;
  attributes[1].val.clusterDim = {1, 1, 1};
  ask("cluster twice", 2);
  attributes[1].id = cudaLaunchAttributeCooperative;
  attributes[1].val.cooperative = 1;
  ask("cluster and cooperative", 2);
  reset(cudaLaunchAttributeID(99));
  ask("attribute 99", 1);
  reset(cudaLaunchAttributeIgnore);
  ask("ignored", 3);
  config.dynamicSmemBytes = largest;
  ask("shared memory of all bytes", 0);
  config.dynamicSmemBytes = 0;
  config.gridDim = 0;
  ask("no grid", 0);
  TRY(cudaEventElapsedTime(&ms, e, e));
  TRY(cudaDeviceSynchronize());
}

CASE(rq_cooperative_launches) {
  void* none[] = {nullptr};
  int blocks;
  PREPARE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &empty, 1024, 0));
  int processors;
  PREPARE(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0));
  for (unsigned grid : {unsigned(blocks * processors), unsigned(blocks * processors) + 1})
    TOLD(cudaLaunchCooperativeKernel(&empty, grid, 1024, none, 0, nullptr), "blocks ", grid);
  TRY(cudaLaunchCooperativeKernel(&empty, 1, 1025, none, 0, nullptr));
  TRY(cudaLaunchCooperativeKernel(&empty, 1, 0, none, 0, nullptr));
  TRY(cudaLaunchCooperativeKernel(&empty, 0, 1, none, 0, nullptr));
  TRY(cudaLaunchCooperativeKernel(&empty, 1, 1, none, 49153, nullptr));
  TRY(cudaLaunchCooperativeKernel(&missing, 1, 1, none, 0, nullptr));
  TRY(cudaLaunchCooperativeKernel(&add_one, 1, 1, nullptr, 0, nullptr));
  TRY(cudaLaunchCooperativeKernel(&bounded, 1, 65, none, 0, nullptr));
  TRY(cudaDeviceSynchronize());
}

CASE(rq_function_attributes) {
  cudaFuncAttributes a;
  cudaFunction_t f;
  cudaKernel_t k;
  const char* name = "none";
  const auto say = [&](const char* what, const void* kernel) {
    memset(&a, 0x55, sizeof a);
    try_to_survive(what, [&] { return cudaFuncGetAttributes(&a, kernel); });
    NOTE("has", text("shared ", a.sharedSizeBytes, ", constant ", a.constSizeBytes, ", local ",
                     a.localSizeBytes, ", threads ", a.maxThreadsPerBlock, ", ptx ", a.ptxVersion,
                     ", dynamic ", a.maxDynamicSharedSizeBytes, ", carveout ",
                     a.preferredShmemCarveout, ", cluster ", a.clusterDimMustBeSet,
                     a.requiredClusterWidth, a.requiredClusterHeight, a.requiredClusterDepth));
  };
  say("spin", &spin);
  say("assert_now", &assert_now);
  say("read_table", &read_table);
  say("numbers", numbers);
  for (int width : {-1, 0, 1, 2, 8, 16}) {
    TOLD(cudaFuncSetAttribute(&spin, cudaFuncAttributeRequiredClusterWidth, width), "width ",
         width);
    TOLD(cudaFuncSetAttribute(&spin, cudaFuncAttributeClusterDimMustBeSet, width), "must ", width);
    TOLD(cudaFuncSetAttribute(&spin, cudaFuncAttributeNonPortableClusterSizeAllowed, width),
         "not portable ", width);
    TOLD(cudaFuncSetAttribute(&spin, cudaFuncAttributeClusterSchedulingPolicyPreference, width),
         "policy ", width);
    say("spin", &spin);
  }
  TRY(cudaGetFuncBySymbol(nullptr, &empty));
  TRY(cudaGetFuncBySymbol(&f, numbers));
  TRY(cudaGetKernel(nullptr, &empty));
  TRY(cudaGetKernel(&k, unregistered));
  PREPARE(cudaGetFuncBySymbol(&f, &spin));
  PREPARE(cudaGetKernel(&k, &add_one));
  TRY(cudaFuncGetName(&name, k));
  NOTE("name of a kernel", name);
  TRY(cudaFuncGetName(&name, f));
  TRY(cudaFuncGetAttributes(&a, f));
  TRY(cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 1024));
  TRY(cudaFuncSetCacheConfig(k, cudaFuncCachePreferL1));
  int n;
  TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, k, 128, 0));
  TRY(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, f, 128, 0));
  size_t offset, size;
  TRY(cudaFuncGetParamInfo(k, 0, &offset, &size));
  TRY(cudaFuncGetParamInfo(&store, largest, &offset, &size));
  TRY(cudaFuncGetParamInfo(&empty, 0, &offset, &size));
  TRY(cudaFuncGetParamInfo(nullptr, 0, &offset, &size));
  TRY(cudaFuncGetParamInfo(&store, 0, nullptr, nullptr));
}

CASE(rq_limits) {
  size_t value;
  const auto say = [&](int which) {
    value = 77;
    TOLD(cudaDeviceGetLimit(&value, cudaLimit(which)), "limit ", which);
    ASK(value);
  };
  for (size_t wanted : {1, 7, 8, 16, 17, 100, 1000, 1023, 1024, 1025, 1039, 65536, 131072, 262144})
    for (int which : {0, 1}) {
      TOLD(cudaDeviceSetLimit(cudaLimit(which), wanted), "limit ", which, " to ", wanted);
      say(which);
    }
  for (size_t wanted : {size_t{0}, size_t{1}, size_t{4096}, size_t{1} << 20, (size_t{1} << 23) + 1,
                        (size_t{1} << 23) + 4096})
    for (int which : {2}) {
      TOLD(cudaDeviceSetLimit(cudaLimit(which), wanted), "limit ", which, " to ", wanted);
      say(which);
    }
  for (size_t wanted : {0, 1, 16, 31, 32, 33, 64, 100, 128, 129, 256})
    for (int which : {5}) {
      TOLD(cudaDeviceSetLimit(cudaLimit(which), wanted), "limit ", which, " to ", wanted);
      say(which);
    }
  for (size_t wanted : {size_t{0}, size_t{1}, size_t{1} << 20, size_t{1} << 40})
    for (int which : {6}) {
      TOLD(cudaDeviceSetLimit(cudaLimit(which), wanted), "limit ", which, " to ", wanted);
      say(which);
    }
  for (int which : {3, 4, 7, 8, 99, -1}) {
    TOLD(cudaDeviceSetLimit(cudaLimit(which), 2), "limit ", which, " to 2");
    say(which);
  }
  // After a launch, and after a reset.
  PREPARE(launch(&empty, 1, 1, 0, nullptr));
  TRY(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 1 << 24));
  TRY(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 21));
  TRY(cudaDeviceSetLimit(cudaLimitStackSize, 2048));
  for (int which : {0, 1, 2}) say(which);
  TRY(cudaDeviceReset());
  for (int which : {0, 1, 2, 3, 4, 5, 6}) say(which);
}

CASE(rq_libraries) {
  cudaLibrary_t library;
  cudaKernel_t k;
  void* at;
  size_t size;
  PREPARE(cudaLibraryLoadData(&library, kernels_ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  TRY(cudaLibraryGetKernel(nullptr, library, "empty"));
  TRY(cudaLibraryGetKernel(&k, library, ""));
  TRY(cudaLibraryGetGlobal(nullptr, nullptr, library, "numbers"));
  TRY(cudaLibraryGetGlobal(&at, nullptr, library, "numbers"));
  TRY(cudaLibraryGetGlobal(nullptr, &size, library, "numbers"));
  TRY(cudaLibraryGetGlobal(&at, &size, library, nullptr));
  TRY(cudaLibraryGetGlobal(&at, &size, nullptr, "numbers"));
  TRY(cudaLibraryGetManaged(&at, &size, library, "nothing"));
  TRY(cudaLibraryGetManaged(nullptr, nullptr, library, "nothing"));
  TRY(cudaLibraryGetUnifiedFunction(&at, library, "empty"));
  TRY(cudaLibraryGetUnifiedFunction(nullptr, library, "empty"));
  TRY(cudaLibraryGetKernelCount(nullptr, library));
  TRY(cudaLibraryEnumerateKernels(nullptr, 1, library));
  PREPARE(cudaLibraryGetKernel(&k, library, "bounded"));
  for (int which : {0, 1, 2, 3, 7, 8, 9, 10, 15, 16, 99})
    TOLD(cudaKernelSetAttributeForDevice(k, cudaFuncAttribute(which), 1, 0), "attribute ", which);
  TRY(cudaKernelSetAttributeForDevice(nullptr, cudaFuncAttributeMaxDynamicSharedMemorySize, 1, 0));
  TRY(cudaLibraryUnload(library));
  TRY(launch(k, 1, 1, 0, nullptr));
  TRY(cudaLibraryUnload(library));
}
