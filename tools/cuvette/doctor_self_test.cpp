// SPDX-License-Identifier: Apache-2.0
// Runs in a separate process: it may hang or be killed, and the finding quotes its output.
#include <cuda.h>
#include <dlfcn.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>

#include "tools/cuvette/doctor_findings.hpp"
#include "tools/cuvette/library.hpp"
#include "tools/cuvette/signal_text.hpp"

namespace cuvette::tools {
namespace {

constexpr char test_topic[] = "self-test";
constexpr unsigned elements = 256;

// to[i] = 3 * i + 1
constexpr char test_kernel_text[] = R"(.version 7.0
.target sm_70
.address_size 64
.visible .entry cuvette_doctor(.param .u64 to)
{
  .reg .u32 %r<3>;
  .reg .u64 %a<3>;
  ld.param.u64 %a0, [to];
  mov.u32 %r0, %tid.x;
  mad.lo.u32 %r1, %r0, 3, 1;
  mul.wide.u32 %a1, %r0, 4;
  add.u64 %a2, %a0, %a1;
  st.global.u32 [%a2], %r1;
  ret;
}
)";

// The driver's functions, from the library that programs load.
class TestedDriver {
 public:
  explicit TestedDriver(void* library) : library_(library) {}

  // Calls one, and ends the process if that fails.
  template <typename Function, typename... Arguments>
  void call(const char* name, Arguments... arguments) const {
    const auto function = reinterpret_cast<Function*>(dlsym(library_, name));
    const CUresult result = function ? function(arguments...) : CUDA_ERROR_NOT_FOUND;
    if (result == CUDA_SUCCESS) return;
    fprintf(stderr, "%s returned error %d\n", name, result);
    _exit(1);
  }

 private:
  void* const library_;
};

[[noreturn]] void run_kernel(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fprintf(stderr, "%s\n", dlerror());
    _exit(1);
  }
  const TestedDriver driver(library);
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUdeviceptr to = 0;
  unsigned result[elements] = {};
  driver.call<decltype(cuInit)>("cuInit", 0u);
  driver.call<decltype(cuDeviceGet)>("cuDeviceGet", &device, 0);
  driver.call<decltype(cuDevicePrimaryCtxRetain)>("cuDevicePrimaryCtxRetain", &context, device);
  driver.call<decltype(cuCtxSetCurrent)>("cuCtxSetCurrent", context);
  driver.call<decltype(cuModuleLoadData)>("cuModuleLoadData", &module,
                                          static_cast<const void*>(test_kernel_text));
  driver.call<decltype(cuModuleGetFunction)>("cuModuleGetFunction", &function, module,
                                             "cuvette_doctor");
  driver.call<decltype(cuMemAlloc)>("cuMemAlloc_v2", &to, sizeof result);
  void* parameters[] = {&to};
  driver.call<decltype(cuLaunchKernel)>("cuLaunchKernel", function, 1u, 1u, 1u, elements, 1u, 1u,
                                        0u, nullptr, static_cast<void**>(parameters), nullptr);
  driver.call<decltype(cuMemcpyDtoH)>("cuMemcpyDtoH_v2", static_cast<void*>(result), to,
                                      sizeof result);
  for (unsigned i = 0; i < elements; ++i)
    if (result[i] != 3 * i + 1) {
      fprintf(stderr, "element %u is %u, not %u\n", i, result[i], 3 * i + 1);
      _exit(1);
    }
  _exit(0);
}

// Reads the output of the process until it ends or the time is up.
std::string listen(int pipe, int milliseconds, bool& ended) {
  std::string text;
  const auto begun = std::chrono::steady_clock::now();
  for (ended = false; !ended;) {
    const auto passed = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::steady_clock::now() - begun);
    const int left = milliseconds - static_cast<int>(passed.count());
    pollfd wait{pipe, POLLIN, 0};
    if (left <= 0 || poll(&wait, 1, left) <= 0) break;
    char buffer[4096];
    const ssize_t size = read(pipe, buffer, sizeof buffer);
    if (size > 0)
      text.append(buffer, static_cast<size_t>(size));
    else
      ended = true;
  }
  return text;
}

}  // namespace

void test_kernel(Findings& findings) {
  constexpr int longest = 60'000;
  const auto folder = library_folder();
  int pipe[2];
  if (!folder || ::pipe(pipe) != 0) return;  // what is missing was said
  const auto begun = std::chrono::steady_clock::now();
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    dup2(pipe[1], STDOUT_FILENO);
    dup2(pipe[1], STDERR_FILENO);
    close(pipe[0]);
    close(pipe[1]);
    run_kernel(*folder / "libcuda.so.1");
  }
  close(pipe[1]);
  bool ended = false;
  const std::string said = child > 0 ? listen(pipe[0], longest, ended) : "";
  close(pipe[0]);
  if (child > 0 && !ended) kill(child, SIGKILL);
  int status = -1;
  if (child > 0) waitpid(child, &status, 0);
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::steady_clock::now() - begun);
  if (ended && status == 0)
    return findings.good(test_topic, "a kernel was compiled and ran in " +
                                         std::to_string(took.count()) +
                                         " ms, and its result is right");
  std::string sentence = "a kernel does not run: ";
  if (child < 0)
    sentence += "no process can be started";
  else if (!ended)
    sentence += "it did not end in " + std::to_string(longest / 1000) + " s";
  else if (WIFSIGNALED(status))
    sentence += signal_text(WTERMSIG(status));
  else
    sentence += said.substr(0, said.find_last_not_of('\n') + 1);
  findings.wrong(test_topic, sentence,
                 "mend what is above, or report it with the output of cuvette doctor --json");
}

}  // namespace cuvette::tools
