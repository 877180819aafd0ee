// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "tools/cuvette/clang.hpp"
#include "tools/cuvette/doctor_findings.hpp"

namespace cuvette::tools {
namespace {

namespace fs = std::filesystem;

void look_at_processor(Findings& findings) {
  const int key = pkey_alloc(0, 0);
  if (key >= 0) {
    pkey_free(key);
    findings.good("protection keys", "host threads that touch device memory are caught");
  } else {
    findings.limited("protection keys",
                     "there are none here: host threads that touch device memory are not caught",
                     "cuvette run --check=host -- PROGRAM");
  }
  const bool has_512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
  if (has_512 || __builtin_cpu_supports("avx2"))
    findings.good("vector units", has_512 ? "AVX-512" : "AVX2");
  else
    findings.limited("vector units", "SSE alone: kernels run at a fraction of the speed",
                     "none: it takes a processor with AVX2");
}

void look_at_shared_memory(Findings& findings) {
  constexpr char folder[] = "/dev/shm";
  constexpr uint64_t little = uint64_t{64} << 20;
  struct statvfs space {};
  const int memory = memfd_create("cuvette-doctor", MFD_CLOEXEC);
  if (memory < 0)
    return findings.wrong("shared memory", std::string("memfd_create fails: ") + strerror(errno),
                          "allow the system call memfd_create in this container");
  close(memory);
  if (access(folder, W_OK | X_OK) != 0 || statvfs(folder, &space) != 0)
    return findings.limited("shared memory",
                            "/dev/shm cannot be written to: processes share no named memory",
                            "mount -t tmpfs -o size=1G tmpfs /dev/shm");
  const uint64_t available = uint64_t{space.f_bavail} * space.f_frsize;
  const std::string size = std::to_string(available >> 20) + " MiB are free in /dev/shm";
  if (available < little)
    return findings.limited("shared memory", size, "docker run --shm-size=1g ...");
  findings.good("shared memory", size);
}

// The folder of compiled kernels, as the library takes it (sim/ptx/program/code_cache.cpp).
std::string cache_folder() {
  if (const char* const given = getenv("CUVETTE_CACHE"); given && *given) return given;
  if (const char* const cache = getenv("XDG_CACHE_HOME"); cache && *cache)
    return std::string(cache) + "/cuvette";
  if (const char* const home = getenv("HOME"); home && *home)
    return std::string(home) + "/.cache/cuvette";
  return "";
}

// Whether files can be created in the folder, or in its nearest existing ancestor.
bool can_hold_files(fs::path folder) {
  std::error_code failure;
  while (!fs::exists(folder, failure) && folder.has_relative_path()) folder = folder.parent_path();
  std::string file = (folder.empty() ? "." : folder) / ".cuvette-doctor-XXXXXX";
  const int made = mkstemp(file.data());
  if (made < 0) return false;
  close(made);
  unlink(file.c_str());
  return true;
}

void look_at_cache(Findings& findings) {
  constexpr char cache_topic[] = "kernel cache";
  const std::string folder = cache_folder();
  const std::string mend = "export CUVETTE_CACHE=/tmp/cuvette-" + std::to_string(getuid());
  if (folder == "0" || folder == "off")
    return findings.limited(cache_topic,
                            "CUVETTE_CACHE turns it off: kernels are compiled in each run",
                            "unset CUVETTE_CACHE");
  if (folder.empty())
    return findings.limited(cache_topic,
                            "there is no folder for it: kernels are compiled in each run", mend);
  struct stat status {};
  if (!can_hold_files(folder))
    return findings.limited(
        cache_topic, folder + " cannot be written to: kernels are compiled in each run", mend);
  if (stat(folder.c_str(), &status) == 0 && status.st_uid != getuid())
    return findings.limited(cache_topic,
                            folder + " belongs to another user, so nothing in it is used", mend);
  findings.good(cache_topic, folder);
}

void look_at_compiler(Findings& findings) {
  const std::string clang = first_clang();
  if (clang.empty())
    findings.limited("clang", "there is no clang++, which `cuvette c++` compiles CUDA C++ with",
                     "apt-get install clang");
  else
    findings.good("clang", clang);
}

// Whether a folder of manifests has one.
bool has_manifest() {
  for (const char* const folder :
       {"/usr/share/vulkan/icd.d", "/etc/vulkan/icd.d", "/usr/local/share/vulkan/icd.d"}) {
    std::error_code failure;
    for (const auto& entry : fs::directory_iterator(folder, failure))
      if (entry.path().extension() == ".json") return true;
  }
  return getenv("VK_ICD_FILENAMES") || getenv("VK_DRIVER_FILES");
}

bool can_load(const char* library) { return dlopen(library, RTLD_LAZY | RTLD_LOCAL) != nullptr; }

void look_at_graphics(Findings& findings) {
  if (!can_load("libvulkan.so.1") || !has_manifest())
    findings.limited(
        "Vulkan",
        "there is no loader or no driver: programs that share memory with Vulkan do not run",
        "apt-get install libvulkan1 mesa-vulkan-drivers");
  else
    findings.good("Vulkan", "there is a loader and a driver");
  if (!can_load("libEGL.so.1"))
    findings.limited("EGL",
                     "there is no libEGL.so.1: programs that share memory with OpenGL do not run",
                     "apt-get install libegl1 libegl-mesa0 libgl1-mesa-dri");
  else
    findings.good("EGL", "there is a libEGL.so.1");
}

}  // namespace

void look_at_machine(Findings& findings) {
  look_at_processor(findings);
  look_at_shared_memory(findings);
  look_at_cache(findings);
  look_at_compiler(findings);
  look_at_graphics(findings);
}

}  // namespace cuvette::tools
