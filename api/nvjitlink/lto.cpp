// SPDX-License-Identifier: Apache-2.0
#include "api/nvjitlink/lto.hpp"

#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>

#include "sim/base/split.hpp"
#include "sim/os/library.hpp"
#include "sim/os/output.hpp"

namespace cuvette::nvjitlink {
namespace {

// Either compiles LTO IR: a package for Python may have NVIDIA's of one version, and takes ours of
// the other where both are loaded.
#if NVJITLINK_MAJOR == 12
constexpr const char* library_names[] = {"libnvJitLink.so.12", "libnvJitLink.so.13"};
#else
constexpr const char* library_names[] = {"libnvJitLink.so.13", "libnvJitLink.so.12"};
#endif

// Returns where NVIDIA's wheels have the library, in an environment of Python from which the
// program has loaded another part of them, its compiler say: the version that fits.
std::vector<std::string> folders_of_wheels() {
  constexpr std::string_view part = "/nvidia/";
  std::vector<std::string> folders;
  for (const std::string& loaded : os::folders_of_loaded()) {
    const size_t at = loaded.rfind(part);
    if (at == std::string::npos) continue;
    const std::string wheels = loaded.substr(0, at + part.size());
    for (const char* const folder : {"cu13/lib", "nvjitlink/lib"})
      folders.push_back(wheels + folder);
  }
  return folders;
}

// Returns the path of NVIDIA's library, looked for once; empty if there is none.
const std::string& nvidias_library() {
  static const std::string& path = *new std::string([] {
    std::vector<std::string> folders;
    if (const char* const list = getenv("LD_LIBRARY_PATH")) folders = split(list, ':');
    const std::vector<std::string> wheels = folders_of_wheels();
    folders.insert(folders.end(), wheels.begin(), wheels.end());
    for (const char* const toolkit :
         {static_cast<const char*>(getenv("CUDA_HOME")),
          static_cast<const char*>(getenv("CUDA_PATH")), "/usr/local/cuda", "/opt/cuda"})
      if (toolkit)
        for (const char* const folder : {"/lib64", "/lib", "/targets/x86_64-linux/lib"})
          folders.push_back(std::string(toolkit) + folder);
    for (const std::string& folder : folders)
      for (const char* const name : library_names)
        if (std::string found = os::find_other(name, {folder}); !found.empty()) return found;
    return std::string();
  }());
  return path;
}

// Its functions.
struct Nvidias {
  decltype(&nvJitLinkCreate) create;
  decltype(&nvJitLinkDestroy) destroy;
  decltype(&nvJitLinkAddData) add_data;
  decltype(&nvJitLinkComplete) complete;
  decltype(&nvJitLinkGetLinkedPtxSize) ptx_size;
  decltype(&nvJitLinkGetLinkedPtx) ptx;
  decltype(&nvJitLinkGetErrorLogSize) error_log_size;
  decltype(&nvJitLinkGetErrorLog) error_log;
};

// Loads the library; `reason` says why it cannot be.
std::optional<Nvidias> load(const std::string& path, std::string& reason) {
  bool complete = true;
  const auto find = [&]<typename Function>(Function*& function, const char* name) {
    function = reinterpret_cast<Function*>(os::load(path, name, reason));
    complete &= function != nullptr;
  };
  Nvidias library{};
  find(library.create, "nvJitLinkCreate");
  find(library.destroy, "nvJitLinkDestroy");
  find(library.add_data, "nvJitLinkAddData");
  find(library.complete, "nvJitLinkComplete");
  find(library.ptx_size, "nvJitLinkGetLinkedPtxSize");
  find(library.ptx, "nvJitLinkGetLinkedPtx");
  find(library.error_log_size, "nvJitLinkGetErrorLogSize");
  find(library.error_log, "nvJitLinkGetErrorLog");
  return complete ? std::optional(library) : std::nullopt;
}

// Appends the text that a pair of functions gives.
template <typename Size, typename Get>
void append(std::string& text, Size size_of, Get get) {
  size_t size = 0;
  if (size_of(&size) != NVJITLINK_SUCCESS || size == 0) return;
  std::string added(size, '\0');
  if (get(added.data()) == NVJITLINK_SUCCESS) text += added.c_str();
}

}  // namespace

bool is_lto(const void* data, size_t size) {
  constexpr std::string_view magic = "\xED\x43\x4E\x7F";
  return size >= magic.size() && memcmp(data, magic.data(), magic.size()) == 0;
}

nvJitLinkResult compile_lto(const std::vector<LtoInput>& inputs, const LinkOptions& options,
                            std::string& ptx, std::string& log) {
  std::string reason = "there is no other libnvJitLink here (CUDA_HOME names a toolkit)";
  const std::string& path = nvidias_library();
  const auto nvidias = path.empty() ? std::nullopt : load(path, reason);
  if (!nvidias) {
    const std::string why = "'" + inputs.front().name +
                            "' is LTO IR, which NVIDIA's compiler alone reads, and " + reason +
                            ". Have PTX made.";
    log += "error   : " + why + "\n";
    os::say("nvJitLink: %s", why.c_str());
    return NVJITLINK_ERROR_NVVM_COMPILE;
  }
  std::vector<const char*> words;
  for (const std::string& word : options.words) words.push_back(word.c_str());
  if (!options.ptx) words.push_back("-ptx");
  nvJitLinkHandle link = nullptr;
  nvJitLinkResult result =
      nvidias->create(&link, static_cast<uint32_t>(words.size()), words.data());
  for (const LtoInput& each : inputs)
    if (result == NVJITLINK_SUCCESS)
      result = nvidias->add_data(link, NVJITLINK_INPUT_LTOIR, each.bytes.data(), each.bytes.size(),
                                 each.name.c_str());
  if (result == NVJITLINK_SUCCESS) result = nvidias->complete(link);
  if (result == NVJITLINK_SUCCESS)
    append(
        ptx, [&](size_t* size) { return nvidias->ptx_size(link, size); },
        [&](char* text) { return nvidias->ptx(link, text); });
  if (link) {
    append(
        log, [&](size_t* size) { return nvidias->error_log_size(link, size); },
        [&](char* text) { return nvidias->error_log(link, text); });
    nvidias->destroy(&link);
  }
  return result;
}

}  // namespace cuvette::nvjitlink
