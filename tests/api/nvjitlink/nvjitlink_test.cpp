// SPDX-License-Identifier: Apache-2.0
// Asks libnvJitLink.so.12, .13 and, where a toolkit is present, NVIDIA's the same questions.
#include <cuda.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <nvJitLink.h>

#include <cstdlib>
#include <cstring>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

constexpr std::string_view head = ".version 7.0\n.target sm_75\n.address_size 64\n";
// A kernel that stores what a function of another module makes of 5.
const std::string caller = std::string(head) + R"(
.extern .func (.param .b32 r) next(.param .b32 x);
.visible .entry store(.param .u64 p) {
  .reg .b64 %rd<3>;
  .reg .b32 %r<3>;
  ld.param.u64 %rd1, [p];
  mov.u32 %r1, 5;
  {
    .param .b32 a;
    .param .b32 r;
    st.param.b32 [a], %r1;
    call (r), next, (a);
    ld.param.b32 %r2, [r];
  }
  cvta.to.global.u64 %rd1, %rd1;
  st.global.u32 [%rd1], %r2;
  ret;
})";
const std::string callee = std::string(head) + R"(
.visible .func (.param .b32 r) next(.param .b32 x) {
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [x];
  add.u32 %r2, %r1, 1;
  st.param.b32 [r], %r2;
  ret;
})";

struct Which {
  const char* name;
  const char* path;
  bool nvidias;
};
void PrintTo(const Which& which, std::ostream* out) { *out << which.name; }

// The functions of one library, found as programs find them that open it.
class NvJitLink : public testing::TestWithParam<Which> {
 protected:
  void SetUp() override {
    if (!*GetParam().path) GTEST_SKIP() << "There is no toolkit.";
    library_ = dlopen(GetParam().path, RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(library_, nullptr) << dlerror();
  }

  template <typename Function>
  Function* find(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(library_, name));
  }
#define CALL(name, ...) find<decltype(name)>(#name)(__VA_ARGS__)

  bool is_twelve() const {
    unsigned major = 0, minor = 0;
    EXPECT_EQ(CALL(nvJitLinkVersion, &major, &minor), NVJITLINK_SUCCESS);
    return major == 12;
  }
  // What the library of CUDA 12 says instead of a code that CUDA 13's has.
  nvJitLinkResult code(nvJitLinkResult of_13) const {
    return is_twelve() && of_13 >= NVJITLINK_ERROR_NULL_INPUT ? NVJITLINK_ERROR_INVALID_INPUT
                                                              : of_13;
  }

  nvJitLinkHandle create(std::vector<const char*> options) const {
    nvJitLinkHandle handle = nullptr;
    EXPECT_EQ(CALL(nvJitLinkCreate, &handle, unsigned(options.size()), options.data()),
              NVJITLINK_SUCCESS);
    return handle;
  }
  nvJitLinkResult create_result(std::vector<const char*> options) const {
    nvJitLinkHandle handle = nullptr;
    const nvJitLinkResult result =
        CALL(nvJitLinkCreate, &handle, unsigned(options.size()), options.data());
    EXPECT_EQ(CALL(nvJitLinkDestroy, &handle), NVJITLINK_SUCCESS) << "made, so that it has a log";
    return result;
  }
  nvJitLinkResult add(nvJitLinkHandle handle, std::string_view text,
                      nvJitLinkInputType type = NVJITLINK_INPUT_PTX) const {
    return CALL(nvJitLinkAddData, handle, type, text.data(), text.size(), "input");
  }
  std::string error_log(nvJitLinkHandle handle) const {
    size_t size = 0;
    EXPECT_EQ(CALL(nvJitLinkGetErrorLogSize, handle, &size), NVJITLINK_SUCCESS);
    std::string log(size + 1, '\0');
    EXPECT_EQ(CALL(nvJitLinkGetErrorLog, handle, log.data()), NVJITLINK_SUCCESS);
    return log.c_str();
  }
  std::string image(nvJitLinkHandle handle) const {
    size_t size = 0;
    EXPECT_EQ(CALL(nvJitLinkGetLinkedCubinSize, handle, &size), NVJITLINK_SUCCESS);
    std::string bytes(size, '\0');
    EXPECT_EQ(CALL(nvJitLinkGetLinkedCubin, handle, bytes.data()), NVJITLINK_SUCCESS);
    return bytes;
  }
  void destroy(nvJitLinkHandle handle) const {
    EXPECT_EQ(CALL(nvJitLinkDestroy, &handle), NVJITLINK_SUCCESS);
    EXPECT_EQ(handle, nullptr);
  }

  void* library_ = nullptr;
};

TEST_P(NvJitLink, CreateReadsItsOptions) {
  const struct {
    std::vector<const char*> options;
    nvJitLinkResult expected;
  } cases[] = {
      {{"-arch=sm_90"}, NVJITLINK_SUCCESS},
      {{"-arch=sm_90a"}, NVJITLINK_SUCCESS},
      {{"-arch=sm_100f"}, NVJITLINK_SUCCESS},
      {{"-arch=sm_90", "-lto", "-ptx"}, NVJITLINK_SUCCESS},
      {{"-arch=compute_90", "-lto", "-ptx"}, NVJITLINK_SUCCESS},
      {{"-arch=sm_90", "-dlto"}, NVJITLINK_SUCCESS},
      {{"-arch=sm_90", "-O3", "-g", "-lineinfo", "-time", "-verbose", "-no-cache"},
       NVJITLINK_SUCCESS},
      {{"-arch=sm_90", "-maxrregcount=x", "-ftz=2", "-prec-div=0", "-prec-sqrt=1", "-fma=0"},
       NVJITLINK_SUCCESS},
      {{"-arch=sm_90", "-kernels-used=k", "-variables-used=v", "-optimize-unused-variables",
        "-Xptxas=-v", "-split-compile=2", "-jump-table-density=3"},
       NVJITLINK_SUCCESS},
      {{"-lto"}, NVJITLINK_ERROR_MISSING_ARCH},
      {{"-arch=compute_90"}, NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS},
      {{"-arch=sm_90", "-ptx"}, NVJITLINK_ERROR_INCOMPATIBLE_OPTIONS},
      {{"-arch=banana"}, NVJITLINK_ERROR_UNRECOGNIZED_OPTION},
      {{"-arch=sm_"}, NVJITLINK_ERROR_UNRECOGNIZED_OPTION},
      {{"-arch=sm_banana"}, NVJITLINK_ERROR_UNRECOGNIZED_OPTION},
      {{"-arch=sm_0"}, NVJITLINK_ERROR_UNRECOGNIZED_OPTION},
      {{"-arch=sm_90q"}, NVJITLINK_SUCCESS},
      {{"--arch=sm_90"}, NVJITLINK_ERROR_UNRECOGNIZED_OPTION},
      {{"-arch", "sm_90"}, NVJITLINK_ERROR_UNRECOGNIZED_OPTION},
      {{"-arch=sm_90", "-O2"}, NVJITLINK_ERROR_UNRECOGNIZED_OPTION},
      {{"-arch=sm_90", ""}, NVJITLINK_ERROR_UNRECOGNIZED_OPTION},
      {{"-bogus", "-arch=sm_90"}, NVJITLINK_ERROR_UNRECOGNIZED_OPTION},
  };
  for (const auto& each : cases) {
    std::string words;
    for (const char* const word : each.options) words += std::string(word) + ' ';
    EXPECT_EQ(create_result(each.options), code(each.expected)) << words;
  }
  EXPECT_EQ(CALL(nvJitLinkCreate, nullptr, 0, nullptr), code(NVJITLINK_ERROR_NULL_INPUT));
}

TEST_P(NvJitLink, KnowsTheDevicesOfItsVersion) {
  const bool twelve = is_twelve();
  const std::set<int> known = twelve
                                  ? std::set{50, 52, 53, 60, 61,  62,  70,  72,  75, 80,
                                             86, 87, 89, 90, 100, 101, 103, 120, 121}
                                  : std::set{75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
  const std::set<int> dropped{10, 11, 12, 13, 20, 21, 30, 32, 35,
                              37, 50, 52, 53, 60, 61, 62, 69, 70};
  for (int number = 10; number < 140; ++number) {
    const std::string arch = "-arch=sm_" + std::to_string(number);
    const nvJitLinkResult result = create_result({arch.c_str()});
    if (!twelve || known.count(number) || number > 121) {
      EXPECT_EQ(result, known.count(number)     ? NVJITLINK_SUCCESS
                        : twelve                ? NVJITLINK_ERROR_INTERNAL
                        : dropped.count(number) ? NVJITLINK_ERROR_UNSUPPORTED_ARCH
                                                : NVJITLINK_ERROR_UNRECOGNIZED_ARCH)
          << arch;
      continue;
    }
    // CUDA 12's says so when there is something to compile.
    const nvJitLinkHandle link = create({arch.c_str()});
    EXPECT_EQ(add(link, ".version 6.0\n.target sm_30\n.address_size 64\n"),
              NVJITLINK_ERROR_PTX_COMPILE)
        << arch;
    EXPECT_NE(error_log(link).find("sm_" + std::to_string(number)), std::string::npos) << arch;
    destroy(link);
  }
}

TEST_P(NvJitLink, LinksForTheOldestDeviceOfItsVersion) {
  const nvJitLinkHandle link = create({is_twelve() ? "-arch=sm_50" : "-arch=sm_75"});
  EXPECT_EQ(add(link,
                ".version 6.0\n.target sm_50\n.address_size 64\n"
                ".visible .entry k() { ret; }\n"),
            NVJITLINK_SUCCESS);
  EXPECT_EQ(CALL(nvJitLinkComplete, link), NVJITLINK_SUCCESS);
  destroy(link);
}

TEST_P(NvJitLink, VersionIsTheToolkits) {
  unsigned major = 0, minor = 99;
  EXPECT_EQ(CALL(nvJitLinkVersion, &major, &minor), NVJITLINK_SUCCESS);
  EXPECT_NE(std::string(GetParam().path).find(".so." + std::to_string(major)), std::string::npos);
  EXPECT_EQ(CALL(nvJitLinkVersion, nullptr, &minor), code(NVJITLINK_ERROR_NULL_INPUT));
  EXPECT_EQ(CALL(nvJitLinkVersion, &major, nullptr), code(NVJITLINK_ERROR_NULL_INPUT));
}

// The header of a toolkit makes calls of these.
TEST_P(NvJitLink, NamesBearVersions) {
  const bool twelve = std::string_view(GetParam().name).ends_with("Twelve");
  for (const char* const name :
       {"Create", "Destroy", "AddData", "AddFile", "Complete", "GetLinkedCubinSize",
        "GetLinkedCubin", "GetLinkedPtxSize", "GetLinkedPtx", "GetErrorLogSize", "GetErrorLog",
        "GetInfoLogSize", "GetInfoLog"})
    for (int minor = 0; minor <= (twelve ? 9 : 0); ++minor) {
      const std::string versioned =
          std::string("__nvJitLink") + name + (twelve ? "_12_" : "_13_") + std::to_string(minor);
      EXPECT_NE(dlsym(library_, versioned.c_str()), nullptr) << versioned;
    }
}

TEST_P(NvJitLink, LinksWhatAKernelCalls) {
  const nvJitLinkHandle link = create({"-arch=sm_90"});
  EXPECT_EQ(add(link, caller), NVJITLINK_SUCCESS);
  EXPECT_EQ(add(link, callee), NVJITLINK_SUCCESS);
  size_t size = 0;
  EXPECT_EQ(CALL(nvJitLinkGetLinkedCubinSize, link, &size), NVJITLINK_ERROR_INTERNAL) << "yet";
  EXPECT_EQ(CALL(nvJitLinkComplete, link), NVJITLINK_SUCCESS);
  EXPECT_EQ(error_log(link), "");
  EXPECT_EQ(CALL(nvJitLinkGetInfoLogSize, link, &size), NVJITLINK_SUCCESS);
  EXPECT_EQ(size, 0u);
  const std::string cubin = image(link);
  EXPECT_EQ(CALL(nvJitLinkGetLinkedPtxSize, link, &size), NVJITLINK_ERROR_INVALID_INPUT);
  EXPECT_EQ(CALL(nvJitLinkComplete, link), NVJITLINK_ERROR_INTERNAL) << "twice";
  EXPECT_EQ(add(link, callee), NVJITLINK_ERROR_INTERNAL) << "too late";
  destroy(link);
  if (GetParam().nvidias) return;  // machine code of a GPU

  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction store = nullptr;
  CUdeviceptr memory = 0;
  ASSERT_EQ(cuInit(0), CUDA_SUCCESS);
  ASSERT_EQ(cuCtxCreate(&context, nullptr, 0, 0), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleLoadData(&module, cubin.data()), CUDA_SUCCESS);
  ASSERT_EQ(cuModuleGetFunction(&store, module, "store"), CUDA_SUCCESS);
  ASSERT_EQ(cuMemAlloc(&memory, 4), CUDA_SUCCESS);
  void* parameters[] = {&memory};
  ASSERT_EQ(cuLaunchKernel(store, 1, 1, 1, 1, 1, 1, 0, nullptr, parameters, nullptr), CUDA_SUCCESS);
  int result = 0;
  EXPECT_EQ(cuMemcpyDtoH(&result, memory, 4), CUDA_SUCCESS);
  EXPECT_EQ(result, 6);
  EXPECT_EQ(cuCtxDestroy(context), CUDA_SUCCESS);
}

TEST_P(NvJitLink, ALinkedImageCanBeLinkedAgain) {
  if (GetParam().nvidias) GTEST_SKIP() << "It wants relocatable cubins.";
  const nvJitLinkHandle first = create({"-arch=sm_90"});
  EXPECT_EQ(add(first, callee), NVJITLINK_SUCCESS);
  EXPECT_EQ(CALL(nvJitLinkComplete, first), NVJITLINK_SUCCESS);
  const std::string linked = image(first);
  destroy(first);
  for (const auto type : {NVJITLINK_INPUT_CUBIN, NVJITLINK_INPUT_FATBIN, NVJITLINK_INPUT_ANY}) {
    const nvJitLinkHandle second = create({"-arch=sm_90"});
    EXPECT_EQ(add(second, caller), NVJITLINK_SUCCESS);
    EXPECT_EQ(add(second, linked, type), NVJITLINK_SUCCESS);
    EXPECT_EQ(CALL(nvJitLinkComplete, second), NVJITLINK_SUCCESS);
    destroy(second);
  }
}

TEST_P(NvJitLink, LogSaysWhichNameIsMissing) {
  const nvJitLinkHandle link = create({"-arch=sm_90"});
  EXPECT_EQ(add(link, caller), NVJITLINK_SUCCESS);
  EXPECT_EQ(CALL(nvJitLinkComplete, link), NVJITLINK_ERROR_INTERNAL);
  EXPECT_NE(error_log(link).find("next"), std::string::npos);
  destroy(link);
}

TEST_P(NvJitLink, NothingLinksToAnEmptyImage) {
  const nvJitLinkHandle link = create({"-arch=sm_90"});
  EXPECT_EQ(CALL(nvJitLinkComplete, link), NVJITLINK_SUCCESS);
  EXPECT_NE(image(link), "");
  destroy(link);
}

TEST_P(NvJitLink, InputsAreOfTheirTypes) {
  const nvJitLinkHandle link = create({"-arch=sm_90"});
  for (const auto type : {NVJITLINK_INPUT_CUBIN, NVJITLINK_INPUT_FATBIN, NVJITLINK_INPUT_LTOIR,
                          NVJITLINK_INPUT_OBJECT, NVJITLINK_INPUT_LIBRARY, NVJITLINK_INPUT_NONE,
                          NVJITLINK_INPUT_INDEX, static_cast<nvJitLinkInputType>(55)})
    EXPECT_EQ(add(link, callee, type), code(NVJITLINK_ERROR_INCORRECT_INPUT_TYPE)) << type;
  EXPECT_EQ(add(link, "garbage"), code(NVJITLINK_ERROR_INCORRECT_INPUT_TYPE));
  EXPECT_EQ(add(link, std::string_view(callee).substr(0, 0)), NVJITLINK_ERROR_INVALID_INPUT);
  EXPECT_EQ(CALL(nvJitLinkAddFile, link, NVJITLINK_INPUT_PTX, "/nonexistent"),
            NVJITLINK_ERROR_INVALID_INPUT);
  EXPECT_NE(error_log(link).find("/nonexistent"), std::string::npos);
  EXPECT_EQ(add(link, callee, NVJITLINK_INPUT_ANY), NVJITLINK_SUCCESS);
  EXPECT_EQ(CALL(nvJitLinkComplete, link), NVJITLINK_SUCCESS);
  destroy(link);
}

TEST_P(NvJitLink, PtxOfANewerDeviceIsRefused) {
  const nvJitLinkHandle link = create({"-arch=sm_75"});
  EXPECT_EQ(add(link, ".version 7.8\n.target sm_90\n.address_size 64\n"),
            NVJITLINK_ERROR_PTX_COMPILE);
  EXPECT_NE(error_log(link), "");
  destroy(link);
}

TEST_P(NvJitLink, PtxComesFromLtoIrAlone) {
  const nvJitLinkHandle link = create({"-arch=sm_90", "-lto", "-ptx"});
  EXPECT_EQ(add(link, callee), NVJITLINK_SUCCESS);
  EXPECT_EQ(CALL(nvJitLinkComplete, link), code(NVJITLINK_ERROR_INCORRECT_INPUT_TYPE));
  size_t size = 0;
  EXPECT_EQ(CALL(nvJitLinkGetLinkedPtxSize, link, &size), NVJITLINK_ERROR_INTERNAL);
  destroy(link);
}

// What NVRTC of the toolkit makes of a kernel that calls a function, and of that function.
std::vector<std::string> lto_ir() {
  const std::string toolkit = TOOLKIT_LIBRARY;
  const std::string nvrtc = toolkit.substr(0, toolkit.rfind('/')) + "/libnvrtc.so.13";
  void* const library = dlopen(nvrtc.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (toolkit.empty() || !library) return {};
  const auto find = [&]<typename Function>(const char* name, Function*& function) {
    function = reinterpret_cast<Function*>(dlsym(library, name));
  };
  int (*create)(void**, const char*, const char*, int, const char* const*, const char* const*);
  int (*compile)(void*, int, const char* const*);
  int (*size_of)(void*, size_t*);
  int (*get)(void*, char*);
  find("nvrtcCreateProgram", create);
  find("nvrtcCompileProgram", compile);
  find("nvrtcGetLTOIRSize", size_of);
  find("nvrtcGetLTOIR", get);
  std::vector<std::string> all;
  for (const char* const source : {"extern __device__ int next(int);"
                                   "extern \"C\" __global__ void store(int* to) { *to = next(5); }",
                                   "__device__ int next(int x) { return x + 1; }"}) {
    void* program = nullptr;
    EXPECT_EQ(create(&program, source, "source.cu", 0, nullptr, nullptr), 0);
    const char* const options[] = {"--gpu-architecture=sm_90", "-dlto", "-rdc=true"};
    EXPECT_EQ(compile(program, 3, options), 0);
    size_t size = 0;
    EXPECT_EQ(size_of(program, &size), 0);
    all.emplace_back(size, '\0');
    EXPECT_EQ(get(program, all.back().data()), 0);
  }
  return all;
}

TEST_P(NvJitLink, LtoIrIsCompiledByNvidias) {
  const std::vector<std::string> parts = lto_ir();
  if (parts.empty()) GTEST_SKIP() << "There is no toolkit.";
  setenv("CUDA_HOME", TOOLKIT_HOME, 1);
  for (const bool wants_ptx : {false, true}) {
    std::vector<const char*> options = {"-arch=sm_90", "-lto"};
    if (wants_ptx) options.push_back("-ptx");
    const nvJitLinkHandle link = create(options);
    for (const std::string& part : parts)
      EXPECT_EQ(add(link, part, NVJITLINK_INPUT_LTOIR), NVJITLINK_SUCCESS);
    ASSERT_EQ(CALL(nvJitLinkComplete, link), NVJITLINK_SUCCESS) << error_log(link);
    size_t size = 0;
    if (wants_ptx) {
      EXPECT_EQ(CALL(nvJitLinkGetLinkedCubinSize, link, &size), NVJITLINK_ERROR_INTERNAL);
      ASSERT_EQ(CALL(nvJitLinkGetLinkedPtxSize, link, &size), NVJITLINK_SUCCESS);
      std::string ptx(size, 'x');
      EXPECT_EQ(CALL(nvJitLinkGetLinkedPtx, link, ptx.data()), NVJITLINK_SUCCESS);
      EXPECT_NE(ptx.find(".entry store"), std::string::npos);
      EXPECT_EQ(ptx.find('\0'), size - 1);
    } else {
      EXPECT_NE(image(link), "");
    }
    destroy(link);
  }
}

TEST_P(NvJitLink, LtoIrWantsTheOption) {
  const std::vector<std::string> parts = lto_ir();
  const nvJitLinkHandle link = create({"-arch=sm_90"});
  EXPECT_EQ(
      add(link, parts.empty() ? "\xED\x43\x4E\x7F and so on" : parts[0], NVJITLINK_INPUT_LTOIR),
      code(NVJITLINK_ERROR_LTO_NOT_ENABLED));
  if (!GetParam().nvidias) {
    EXPECT_NE(error_log(link).find("-lto"), std::string::npos);
  }
  destroy(link);
}

TEST_P(NvJitLink, DamagedLtoIrIsRefused) {
  if (GetParam().nvidias) GTEST_SKIP() << "It says so when it is added.";
  const nvJitLinkHandle link = create({"-arch=sm_90", "-lto"});
  EXPECT_EQ(add(link, "\xED\x43\x4E\x7F and so on", NVJITLINK_INPUT_LTOIR), NVJITLINK_SUCCESS);
  EXPECT_NE(CALL(nvJitLinkComplete, link), NVJITLINK_SUCCESS);
  EXPECT_NE(error_log(link), "");
  destroy(link);
}

TEST_P(NvJitLink, NullIsRefused) {
  size_t size = 0;
  EXPECT_EQ(CALL(nvJitLinkComplete, nullptr), code(NVJITLINK_ERROR_NULL_INPUT));
  EXPECT_EQ(add(nullptr, callee), code(NVJITLINK_ERROR_NULL_INPUT));
  EXPECT_EQ(CALL(nvJitLinkGetErrorLogSize, nullptr, &size), code(NVJITLINK_ERROR_NULL_INPUT));
  EXPECT_EQ(CALL(nvJitLinkDestroy, nullptr), code(NVJITLINK_ERROR_NULL_INPUT));
  nvJitLinkHandle none = nullptr;
  EXPECT_EQ(CALL(nvJitLinkDestroy, &none), code(NVJITLINK_ERROR_NULL_INPUT));
  const nvJitLinkHandle link = create({"-arch=sm_90"});
  EXPECT_EQ(CALL(nvJitLinkComplete, link), NVJITLINK_SUCCESS);
  EXPECT_EQ(CALL(nvJitLinkGetLinkedCubinSize, link, nullptr), code(NVJITLINK_ERROR_NULL_INPUT));
  EXPECT_EQ(CALL(nvJitLinkGetLinkedCubin, link, nullptr), code(NVJITLINK_ERROR_NULL_INPUT));
  EXPECT_EQ(CALL(nvJitLinkGetErrorLogSize, link, nullptr), code(NVJITLINK_ERROR_NULL_INPUT));
  EXPECT_EQ(CALL(nvJitLinkGetErrorLog, link, nullptr), code(NVJITLINK_ERROR_NULL_INPUT));
  destroy(link);
}

// NVIDIA's library crashes.
TEST_P(NvJitLink, StaleHandlesAndNullInputsAreRefused) {
  if (GetParam().nvidias) GTEST_SKIP() << "It crashes.";
  nvJitLinkHandle link = create({"-arch=sm_90"});
  const nvJitLinkHandle stale = link;
  EXPECT_EQ(CALL(nvJitLinkAddData, link, NVJITLINK_INPUT_PTX, nullptr, 5, nullptr),
            NVJITLINK_ERROR_INVALID_INPUT);
  EXPECT_EQ(CALL(nvJitLinkAddFile, link, NVJITLINK_INPUT_PTX, nullptr),
            code(NVJITLINK_ERROR_NULL_INPUT));
  destroy(link);
  // Another session may lie where that one did.
  const nvJitLinkHandle next = create({"-arch=sm_90"});
  EXPECT_EQ(CALL(nvJitLinkComplete, stale), code(NVJITLINK_ERROR_NULL_INPUT));
  EXPECT_EQ(add(next, callee), NVJITLINK_SUCCESS) << "still open";
  destroy(next);
  EXPECT_EQ(CALL(nvJitLinkComplete, reinterpret_cast<nvJitLinkHandle>(8)),
            code(NVJITLINK_ERROR_NULL_INPUT));
}

TEST_P(NvJitLink, ADefinitionTwiceIsAnError) {
  if (GetParam().nvidias) GTEST_SKIP() << "It says so in its log alone.";
  const nvJitLinkHandle link = create({"-arch=sm_90"});
  EXPECT_EQ(add(link, callee), NVJITLINK_SUCCESS);
  EXPECT_EQ(add(link, callee), NVJITLINK_ERROR_INTERNAL);
  EXPECT_NE(error_log(link).find("next"), std::string::npos);
  destroy(link);
}

TEST_P(NvJitLink, ThreadsLinkAtTheSameTime) {
  std::vector<std::thread> threads;
  for (int each = 0; each < 4; ++each)
    threads.emplace_back([&] {
      for (int time = 0; time < 8; ++time) {
        const nvJitLinkHandle link = create({"-arch=sm_90"});
        EXPECT_EQ(add(link, caller), NVJITLINK_SUCCESS);
        EXPECT_EQ(add(link, callee), NVJITLINK_SUCCESS);
        EXPECT_EQ(CALL(nvJitLinkComplete, link), NVJITLINK_SUCCESS);
        destroy(link);
      }
    });
  for (std::thread& each : threads) each.join();
}

INSTANTIATE_TEST_SUITE_P(, NvJitLink,
                         testing::Values(Which{"Thirteen", LIBRARY_13, false},
                                         Which{"Twelve", LIBRARY_12, false},
                                         Which{"StandInForThirteen", STAND_IN_13, false},
                                         Which{"StandInForTwelve", STAND_IN_12, false},
                                         Which{"Nvidias", TOOLKIT_LIBRARY, true}),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
