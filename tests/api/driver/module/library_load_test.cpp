// SPDX-License-Identifier: Apache-2.0
// Libraries and kernels, which belong to no context.
#include <cuda.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <random>
#include <vector>

#include "tests/api/driver/module_scene.hpp"

namespace {

CUresult load(CUlibrary* library, const std::string& text) {
  return cuLibraryLoadData(library, text.c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0);
}

struct LibraryScene : Scene {
  LibraryScene() {
    EXPECT_EQ(load(&library, program), CUDA_SUCCESS);
    EXPECT_EQ(cuLibraryGetKernel(&plain, library, "plain"), CUDA_SUCCESS);
  }
  ~LibraryScene() { EXPECT_EQ(cuLibraryUnload(library), CUDA_SUCCESS); }
  CUlibrary library = nullptr;
  CUkernel plain = nullptr;
};

constexpr auto dynamic = CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;

TEST(cuLibraryLoadData, SaysLaterWhatIsWrong) {
  const Scene scene;
  CUlibrary library;
  CUkernel kernel;
  CUmodule module;
  unsigned count = 0;
  testing::internal::CaptureStderr();
  OK(load(&library, wrong_body));
  EXPECT_NE(testing::internal::GetCapturedStderr().find("line 6"), std::string::npos);
  OK(cuLibraryGetKernelCount(&count, library));
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(cuLibraryGetKernel(&kernel, library, "k"), CUDA_ERROR_INVALID_PTX);
  EXPECT_EQ(cuLibraryGetModule(&module, library), CUDA_ERROR_INVALID_PTX);
  OK(cuLibraryUnload(library));
  OK(load(&library, "not PTX"));
  EXPECT_EQ(cuLibraryGetKernel(&kernel, library, "k"), CUDA_ERROR_INVALID_IMAGE);
  OK(cuLibraryUnload(library));
}

TEST(cuLibraryLoadData, ChecksItsArguments) {
  const Scene scene;
  CUlibrary library;
  EXPECT_EQ(load(nullptr, program), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLibraryLoadData(&library, nullptr, nullptr, nullptr, 0, nullptr, nullptr, 0),
            CUDA_ERROR_INVALID_VALUE);
  CUlibraryOption option = CU_LIBRARY_BINARY_IS_PRESERVED;
  OK(cuLibraryLoadData(&library, program.c_str(), nullptr, nullptr, 0, &option, nullptr, 1));
  OK(cuLibraryUnload(library));
  option = static_cast<CUlibraryOption>(7);
  EXPECT_EQ(cuLibraryLoadData(&library, program.c_str(), nullptr, nullptr, 0, &option, nullptr, 1),
            CUDA_ERROR_INVALID_VALUE);
}

TEST(cuLibraryLoadFromFile, ReadsAFile) {
  const Scene scene;
  CUlibrary library;
  const auto from = [&](const char* path) {
    return cuLibraryLoadFromFile(&library, path, nullptr, nullptr, 0, nullptr, nullptr, 0);
  };
  EXPECT_EQ(from("/does/not/exist"), CUDA_ERROR_FILE_NOT_FOUND);
  EXPECT_EQ(from(nullptr), CUDA_ERROR_INVALID_VALUE);
  char path[] = "/tmp/cuvette-library-XXXXXX";
  close(mkstemp(path));
  std::ofstream(path) << program;
  OK(from(path));
  unlink(path);
  unsigned count = 0;
  OK(cuLibraryGetKernelCount(&count, library));
  EXPECT_EQ(count, 3u);
  OK(cuLibraryUnload(library));
}

TEST(cuLibraryUnload, EndsAllHandles) {
  const Scene scene;
  CUlibrary library;
  CUkernel kernel;
  CUfunction function;
  CUmodule module;
  CUdeviceptr managed;
  OK(load(&library, program));
  OK(cuLibraryGetKernel(&kernel, library, "plain"));
  OK(cuKernelGetFunction(&function, kernel));
  OK(cuLibraryGetModule(&module, library));
  OK(cuLibraryGetManaged(&managed, nullptr, library, "managed"));
  OK(cuLibraryUnload(library));
  const char* name;
  EXPECT_EQ(cuLibraryUnload(library), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuKernelGetName(&name, kernel), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuFuncGetName(&name, function), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuModuleGetFunction(&function, module, "plain"), CUDA_ERROR_INVALID_HANDLE);
  EXPECT_EQ(cuMemGetAddressRange(&managed, nullptr, managed), CUDA_ERROR_NOT_FOUND);
}

TEST(cuLibraryGetKernel, FindsKernels) {
  const LibraryScene scene;
  CUkernel again;
  OK(cuLibraryGetKernel(&again, scene.library, "plain"));
  EXPECT_EQ(again, scene.plain);
  EXPECT_EQ(cuLibraryGetKernel(&again, scene.library, "none"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuLibraryGetKernel(&again, scene.library, nullptr), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuLibraryGetKernel(&again, nullptr, "plain"), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuLibraryGetKernelCount, CountsKernels) {
  const LibraryScene scene;
  unsigned count = 0;
  OK(cuLibraryGetKernelCount(&count, scene.library));
  EXPECT_EQ(count, 3u);
  EXPECT_EQ(cuLibraryGetKernelCount(nullptr, scene.library), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuLibraryEnumerateKernels, GivesAsManyAsAreAskedFor) {
  const LibraryScene scene;
  CUkernel all[5] = {};
  OK(cuLibraryEnumerateKernels(all, 2, scene.library));
  EXPECT_EQ(all[0], scene.plain);
  EXPECT_NE(all[1], nullptr);
  EXPECT_EQ(all[2], nullptr);
  EXPECT_EQ(cuLibraryEnumerateKernels(nullptr, 2, scene.library), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuLibraryGetModule, IsOneForEachContext) {
  const LibraryScene scene;
  CUmodule module, again, other;
  OK(cuLibraryGetModule(&module, scene.library));
  OK(cuLibraryGetModule(&again, scene.library));
  EXPECT_EQ(module, again);
  EXPECT_EQ(cuModuleUnload(module), CUDA_ERROR_NOT_PERMITTED);
  CUcontext context;
  OK(cuCtxCreate_v4(&context, nullptr, 0, 0));
  OK(cuLibraryGetModule(&other, scene.library));
  EXPECT_NE(other, module);
  OK(cuCtxDestroy(context));
  OK(cuCtxSetCurrent(nullptr));
  EXPECT_EQ(cuLibraryGetModule(&other, scene.library), CUDA_ERROR_INVALID_CONTEXT);
  OK(cuCtxSetCurrent(scene.context));
  OK(cuLibraryGetModule(&again, scene.library));
  EXPECT_EQ(module, again);
}

TEST(cuLibraryGetGlobal, IsTheModulesVariable) {
  const LibraryScene scene;
  CUmodule module;
  CUdeviceptr address, same;
  size_t bytes;
  OK(cuLibraryGetGlobal(&address, &bytes, scene.library, "large"));
  EXPECT_EQ(bytes, 1000u);
  OK(cuLibraryGetModule(&module, scene.library));
  OK(cuModuleGetGlobal(&same, nullptr, module, "large"));
  EXPECT_EQ(address, same);
  EXPECT_EQ(cuLibraryGetGlobal(&address, &bytes, scene.library, "none"), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(cuLibraryGetGlobal(nullptr, nullptr, scene.library, "large"), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuLibraryGetManaged, NeedsNoContext) {
  const LibraryScene scene;
  CUdeviceptr address, same;
  OK(cuCtxSetCurrent(nullptr));
  OK(cuLibraryGetManaged(&address, nullptr, scene.library, "managed"));
  EXPECT_EQ(*reinterpret_cast<unsigned*>(address), 9u);
  EXPECT_EQ(cuLibraryGetManaged(&same, nullptr, scene.library, "number"), CUDA_ERROR_NOT_FOUND);
  OK(cuCtxSetCurrent(scene.context));
  OK(cuLibraryGetGlobal(&same, nullptr, scene.library, "managed"));
  EXPECT_EQ(same, address);
}

TEST(cuLibraryGetUnifiedFunction, FindsNone) {
  const LibraryScene scene;
  void* pointer;
  EXPECT_EQ(cuLibraryGetUnifiedFunction(&pointer, scene.library, "plain"),
            CUDA_ERROR_INVALID_VALUE);
}

TEST(cuKernelGetFunction, IsOneForEachContext) {
  const LibraryScene scene;
  CUfunction function, same;
  CUmodule module;
  OK(cuKernelGetFunction(&function, scene.plain));
  OK(cuLibraryGetModule(&module, scene.library));
  OK(cuModuleGetFunction(&same, module, "plain"));
  EXPECT_EQ(function, same);
  EXPECT_EQ(cuKernelGetFunction(nullptr, scene.plain), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuKernelGetFunction(&function, nullptr), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuKernelSetAttribute, HoldsForFunctionsThatWereNotSet) {
  const LibraryScene scene;
  CUfunction function, other;
  int value = 0;
  OK(cuKernelGetFunction(&function, scene.plain));
  OK(cuKernelSetAttribute(dynamic, 1000, scene.plain, 0));
  OK(cuFuncGetAttribute(&value, dynamic, function));
  EXPECT_EQ(value, 1000);
  OK(cuFuncSetAttribute(function, dynamic, 2000));
  OK(cuKernelSetAttribute(dynamic, 3000, scene.plain, 0));
  OK(cuFuncGetAttribute(&value, dynamic, function));
  EXPECT_EQ(value, 2000);
  CUcontext context;
  OK(cuCtxCreate_v4(&context, nullptr, 0, 0));
  OK(cuKernelGetFunction(&other, scene.plain));
  OK(cuFuncGetAttribute(&value, dynamic, other));
  EXPECT_EQ(value, 3000);
  OK(cuCtxDestroy(context));
  EXPECT_EQ(cuKernelSetAttribute(dynamic, 232449, scene.plain, 0), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuKernelSetAttribute(dynamic, 1, scene.plain, 1000), CUDA_ERROR_INVALID_DEVICE);
}

TEST(cuKernelGetAttribute, IsForADevice) {
  const LibraryScene scene;
  int value = 0;
  CUkernel shares;
  OK(cuLibraryGetKernel(&shares, scene.library, "shares"));
  OK(cuKernelGetAttribute(&value, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, shares, 0));
  EXPECT_EQ(value, 1024);
  EXPECT_EQ(cuKernelGetAttribute(&value, dynamic, shares, -1), CUDA_ERROR_INVALID_DEVICE);
  EXPECT_EQ(cuKernelGetAttribute(&value, dynamic, nullptr, 0), CUDA_ERROR_INVALID_HANDLE);
}

TEST(cuKernelGetLibrary, IsWhereItWasFound) {
  const LibraryScene scene;
  CUlibrary library;
  OK(cuKernelGetLibrary(&library, scene.plain));
  EXPECT_EQ(library, scene.library);
}

TEST(cuKernelGetName, IsTheKernels) {
  const LibraryScene scene;
  const char* name;
  OK(cuKernelGetName(&name, scene.plain));
  EXPECT_STREQ(name, "plain");
  EXPECT_EQ(cuKernelGetName(&name, nullptr), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuKernelGetParamInfo, TellsOffsetsAndSizes) {
  const LibraryScene scene;
  size_t offset, size;
  OK(cuKernelGetParamInfo(scene.plain, 2, &offset, &size));
  EXPECT_EQ(offset, 16u);
  EXPECT_EQ(size, 24u);
  EXPECT_EQ(cuKernelGetParamInfo(scene.plain, 3, &offset, &size), CUDA_ERROR_INVALID_VALUE);
}

TEST(cuKernelSetCacheConfig, ChecksItsArguments) {
  const LibraryScene scene;
  OK(cuKernelSetCacheConfig(scene.plain, CU_FUNC_CACHE_PREFER_L1, 0));
  EXPECT_EQ(cuKernelSetCacheConfig(scene.plain, static_cast<CUfunc_cache>(9), 0),
            CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(cuKernelSetCacheConfig(scene.plain, CU_FUNC_CACHE_PREFER_L1, 1000),
            CUDA_ERROR_INVALID_DEVICE);
}

// Contexts that come and go, each with a count of the launches of one kernel.
class KernelInContexts : public Scene {
 public:
  KernelInContexts() {
    EXPECT_EQ(load(&library_, text), CUDA_SUCCESS);
    EXPECT_EQ(cuLibraryGetKernel(&kernel, library_, "raise"), CUDA_SUCCESS);
    contexts_.push_back({context, new_stream()});
  }
  ~KernelInContexts() {
    while (contexts_.size() > 1) destroy();
    EXPECT_EQ(cuLibraryUnload(library_), CUDA_SUCCESS);
  }

  // One more context, which becomes current.
  void create() {
    if (contexts_.size() == 4) return;
    Counted one;
    EXPECT_EQ(cuCtxCreate_v4(&one.context, nullptr, 0, 0), CUDA_SUCCESS);
    one.stream = new_stream();
    contexts_.push_back(one);
  }
  // The newest context ends; the primary one is reset.
  void destroy() {
    if (contexts_.size() > 1) {
      EXPECT_EQ(cuCtxDestroy(contexts_.back().context), CUDA_SUCCESS);
      contexts_.pop_back();
      return;
    }
    EXPECT_EQ(cuDevicePrimaryCtxReset(0), CUDA_SUCCESS);
    EXPECT_EQ(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxSetCurrent(context), CUDA_SUCCESS);
    contexts_.front() = {context, new_stream()};
  }
  // Launches in a stream of one context while another is current.
  void launch(size_t index, size_t current) {
    Counted& one = contexts_[index % contexts_.size()];
    EXPECT_EQ(cuCtxSetCurrent(contexts_[current % contexts_.size()].context), CUDA_SUCCESS);
    EXPECT_EQ(cuLaunchKernel(reinterpret_cast<CUfunction>(kernel), 1, 1, 1, 1, 1, 1, 0, one.stream,
                             nullptr, nullptr),
              CUDA_SUCCESS);
    ++one.launches;
  }
  void check() {
    for (const Counted& one : contexts_) {
      unsigned count = 0;
      CUdeviceptr address = 0;
      EXPECT_EQ(cuCtxSetCurrent(one.context), CUDA_SUCCESS);
      EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
      EXPECT_EQ(cuLibraryGetGlobal(&address, nullptr, library_, "count"), CUDA_SUCCESS);
      EXPECT_EQ(cuMemcpyDtoH(&count, address, sizeof count), CUDA_SUCCESS);
      EXPECT_EQ(count, one.launches);
    }
  }

  CUkernel kernel = nullptr;

 private:
  struct Counted {
    CUcontext context = nullptr;
    CUstream stream = nullptr;
    unsigned launches = 0;
  };
  inline static const std::string text = ptx_head + R"(
.visible .global .align 4 .u32 count = 0;
.visible .entry raise() {
  .reg .b32 %r<2>;
  atom.global.add.u32 %r1, [count], 1;
  ret;
}
)";
  std::vector<Counted> contexts_;
  CUlibrary library_ = nullptr;
};

TEST(cuLaunchKernel, OfAKernelRunsInTheContextOfItsStream) {
  for (unsigned seed = 1; seed <= 5; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    KernelInContexts contexts;
    for (int step = 0; step < 60; ++step) {
      switch (random() % 8) {
        case 0:
          contexts.create();
          break;
        case 1:
          contexts.destroy();
          break;
        case 2:
          contexts.check();
          break;
        default:
          contexts.launch(random(), random());
      }
    }
    contexts.check();
    if (testing::Test::HasFailure()) return;
  }
}

TEST(cuLaunchKernel, OfAKernelFollowsItsAttributes) {
  const LibraryScene scene;
  CUkernel shares;
  OK(cuLibraryGetKernel(&shares, scene.library, "shares"));
  const auto launch = [&](unsigned shared) {
    return cuLaunchKernel(reinterpret_cast<CUfunction>(shares), 1, 1, 1, 1, 1, 1, shared, nullptr,
                          nullptr, nullptr);
  };
  OK(launch(40000));
  EXPECT_EQ(launch(60000), CUDA_ERROR_INVALID_VALUE);
  OK(cuKernelSetAttribute(dynamic, 60000, shares, 0));
  OK(launch(60000));
  CUcontext context;
  OK(cuCtxCreate_v4(&context, nullptr, 0, 0));
  OK(launch(60000));
  OK(cuCtxDestroy(context));
  OK(cuCtxSetCurrent(scene.context));
  OK(cuKernelSetAttribute(dynamic, 50000, shares, 0));
  EXPECT_EQ(launch(60000), CUDA_ERROR_INVALID_VALUE);
  OK(launch(50000));
}

TEST(cuLaunchKernel, OfAKernelWhoseLibraryIsUnloadedIsRefused) {
  const Scene scene;
  CUlibrary library;
  CUkernel kernel;
  OK(load(&library, program));
  OK(cuLibraryGetKernel(&kernel, library, "shares"));
  const auto launch = [&] {
    return cuLaunchKernel(reinterpret_cast<CUfunction>(kernel), 1, 1, 1, 1, 1, 1, 0, nullptr,
                          nullptr, nullptr);
  };
  OK(launch());
  OK(launch());
  OK(cuLibraryUnload(library));
  EXPECT_EQ(launch(), CUDA_ERROR_INVALID_HANDLE);
}

}  // namespace
