// SPDX-License-Identifier: Apache-2.0
// libnvcuvid.so.1 and libnvidia-encode.so.1 export every name that GStreamer and FFmpeg look up;
// each function answers, by its name, that there is no video engine.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

const std::string folder = CUVETTE_LIBRARIES "/";

int call(void* library, const std::string& name, std::string& said) {
  auto* const function = reinterpret_cast<int (*)(void*)>(dlsym(library, name.c_str()));
  if (!function) {
    ADD_FAILURE() << name << " is not there";
    return 0;
  }
  char untouched[64] = {};
  testing::internal::CaptureStderr();
  const int answer = function(untouched);
  said = testing::internal::GetCapturedStderr();
  for (const char byte : untouched) EXPECT_EQ(byte, 0) << name;
  return answer;
}

void* open(const std::string& name) {
  void* const library = dlopen((folder + name).c_str(), RTLD_NOW);
  EXPECT_TRUE(library) << dlerror();
  return library;
}

TEST(Nvcuvid, SaysThatThereIsNoDecoder) {
  void* const library = open("libnvcuvid.so.1");
  ASSERT_TRUE(library);
  for (const char* name : {"cuvidGetDecoderCaps",
                           "cuvidCreateDecoder",
                           "cuvidDestroyDecoder",
                           "cuvidDecodePicture",
                           "cuvidGetDecodeStatus",
                           "cuvidReconfigureDecoder",
                           "cuvidMapVideoFrame",
                           "cuvidMapVideoFrame64",
                           "cuvidUnmapVideoFrame",
                           "cuvidUnmapVideoFrame64",
                           "cuvidCtxLockCreate",
                           "cuvidCtxLockDestroy",
                           "cuvidCtxLock",
                           "cuvidCtxUnlock",
                           "cuvidCreateVideoSource",
                           "cuvidCreateVideoSourceW",
                           "cuvidDestroyVideoSource",
                           "cuvidSetVideoSourceState",
                           "cuvidGetSourceVideoFormat",
                           "cuvidGetSourceAudioFormat",
                           "cuvidCreateVideoParser",
                           "cuvidParseVideoData",
                           "cuvidDestroyVideoParser"}) {
    std::string said;
    EXPECT_EQ(call(library, name, said), 801) << name;  // CUDA_ERROR_NOT_SUPPORTED
    EXPECT_NE(said.find(std::string(name) + " is not supported"), std::string::npos) << said;
    // The message comes only once.
    EXPECT_EQ(call(library, name, said), 801) << name;
    EXPECT_EQ(said, "") << name;
  }
  std::string said;
  EXPECT_EQ(call(library, "cuvidGetVideoSourceState", said), -1);  // cudaVideoState_Error
}

TEST(NvidiaEncode, SaysThatThereIsNoEncoder) {
  void* const library = open("libnvidia-encode.so.1");
  ASSERT_TRUE(library);
  for (const char* name : {"NvEncodeAPIGetMaxSupportedVersion", "NvEncodeAPICreateInstance"}) {
    std::string said;
    EXPECT_EQ(call(library, name, said), 1) << name;  // NV_ENC_ERR_NO_ENCODE_DEVICE
    EXPECT_NE(said.find(std::string(name) + " is not supported"), std::string::npos) << said;
  }
}

// Programs open them only by their names.
TEST(CuvetteRun, FindsTheLibrariesOfVideoEngines) {
#if defined(CUVETTE_ADDRESS_SANITIZER) || defined(CUVETTE_THREAD_SANITIZER)
  GTEST_SKIP() << "a sanitizer's runtime cannot come to a program that runs";
#endif
  const std::string line = std::string(CUVETTE_COMMAND) +
                           " run -- python3 -c 'import ctypes; ctypes.CDLL(\"libnvcuvid.so.1\"); "
                           "ctypes.CDLL(\"libnvidia-encode.so.1\")'";
  EXPECT_EQ(std::system(line.c_str()), 0) << line;
}

}  // namespace
