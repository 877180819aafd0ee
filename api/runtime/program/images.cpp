// SPDX-License-Identifier: Apache-2.0
#include "api/runtime/program/images.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#include "api/runtime/driver.hpp"

namespace cuvette::runtime {

class Image {
 public:
  explicit Image(const void* fat_binary) : fat_binary_(fat_binary) {}

  void add_managed(void** pointer, const char* name) { managed_.push_back({pointer, name}); }

  // Returns the name of the managed variable that lies at `address`, or null.
  const char* managed_at(const void* address) const {
    for (const Managed& variable : managed_)
      if (*variable.pointer == address) return variable.name;
    return nullptr;
  }

  // A failure is kept and returned by every use of the image.
  Status load() {
    if (loaded_.load(std::memory_order_acquire)) [[likely]]
      return {};
    const std::lock_guard lock(loading_);
    if (loaded_.load()) return {};
    if (library_ == nullptr)
      CHECK(DRIVER(cuLibraryLoadData)(&library_, fat_binary_, nullptr, nullptr, 0, nullptr, nullptr,
                                      0));
    for (const Managed& variable : managed_) {
      CUdeviceptr address = 0;
      CHECK(DRIVER(cuLibraryGetManaged)(&address, nullptr, library_, variable.name));
      *variable.pointer = reinterpret_cast<void*>(address);
    }
    loaded_.store(true, std::memory_order_release);
    return {};
  }

  // An error means that the driver has ended before the program; the library went with it.
  void unload() {
    if (library_ != nullptr) (void)DRIVER(cuLibraryUnload)(library_);
  }

  CUlibrary library() const { return library_; }

 private:
  struct Managed {
    void** pointer;
    const char* name;
  };

  const void* const fat_binary_;
  std::vector<Managed> managed_;
  std::mutex loading_;
  CUlibrary library_ = nullptr;
  std::atomic<bool> loaded_{false};
};

namespace {

struct Symbol {
  Image* image;
  const char* name;
  // For kernels only: what the first lookup found.
  std::atomic<CUkernel> kernel{nullptr};

  Symbol(Image* image, const char* name) : image(image), name(name) {}
};

using Symbols = std::unordered_map<const void*, Symbol>;

struct Registry {
  std::shared_mutex mutex;
  Symbols kernels, variables;
  std::vector<Image*> with_managed;
};

// Never destroyed: constructors and destructors of other libraries use it, in any order.
Registry& registry() {
  static Registry* const all = new Registry;
  return *all;
}

void add(Symbols Registry::*kind, Image* image, const void* host, const char* name) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  (all.*kind).erase(host);
  (all.*kind).try_emplace(host, image, name);
}

// Since CUDA 12 a kernel's handle is accepted in place of a host address; so is a function's, which
// the driver accepts as its kernel.
Status take_as_handle(const void* host, CUkernel* kernel) {
  const auto handle = static_cast<CUkernel>(const_cast<void*>(host));
  if (host == nullptr) return cudaErrorInvalidDeviceFunction;
  CUlibrary library = nullptr;
  CUmodule module = nullptr;
  if (DRIVER(cuKernelGetLibrary)(&library, handle) != CUDA_SUCCESS &&
      DRIVER(cuFuncGetModule)(&module, reinterpret_cast<CUfunction>(handle)) != CUDA_SUCCESS)
    return cudaErrorInvalidResourceHandle;
  *kernel = handle;
  return {};
}

}  // namespace

Image* register_image(const void* fat_binary) { return new Image(fat_binary); }

void unregister_image(Image* image) {
  {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    const auto is_of_image = [image](const auto& entry) { return entry.second.image == image; };
    std::erase_if(all.kernels, is_of_image);
    std::erase_if(all.variables, is_of_image);
    std::erase(all.with_managed, image);
  }
  image->unload();
  delete image;
}

void register_kernel(Image* image, const void* host, const char* name) {
  add(&Registry::kernels, image, host, name);
}

void register_variable(Image* image, const void* host, const char* name) {
  add(&Registry::variables, image, host, name);
}

void register_managed(Image* image, void** pointer, const char* name) {
  image->add_managed(pointer, name);
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  if (std::find(all.with_managed.begin(), all.with_managed.end(), image) == all.with_managed.end())
    all.with_managed.push_back(image);
}

Status load(Image* image) { return image->load(); }

Status find_kernel(const void* host, CUkernel* kernel) {
  Registry& all = registry();
  const std::shared_lock lock(all.mutex);
  const auto found = all.kernels.find(host);
  if (found == all.kernels.end()) return take_as_handle(host, kernel);
  Symbol& symbol = found->second;
  *kernel = symbol.kernel.load(std::memory_order_relaxed);
  if (*kernel == nullptr) {
    CHECK(symbol.image->load());
    CHECK(DRIVER(cuLibraryGetKernel)(kernel, symbol.image->library(), symbol.name));
    symbol.kernel.store(*kernel, std::memory_order_relaxed);
  }
  return {};
}

Status find_function(const void* host, CUfunction* function) {
  CUkernel kernel = nullptr;
  CHECK(find_kernel(host, &kernel));
  return DRIVER(cuKernelGetFunction)(function, kernel);
}

void* host_address(CUfunction function, CUkernel kernel) {
  Registry& all = registry();
  const std::shared_lock lock(all.mutex);
  for (const auto& [host, symbol] : all.kernels) {
    const CUkernel known = symbol.kernel.load(std::memory_order_relaxed);
    if (known == nullptr) continue;
    CUfunction of_context = nullptr;
    if (known == kernel ||
        (function != nullptr && DRIVER(cuKernelGetFunction)(&of_context, known) == CUDA_SUCCESS &&
         of_context == function))
      return const_cast<void*>(host);
  }
  return kernel != nullptr ? static_cast<void*>(kernel) : static_cast<void*>(function);
}

Status find_variable(const void* host, CUdeviceptr* address, std::size_t* bytes) {
  Registry& all = registry();
  const std::shared_lock lock(all.mutex);
  const auto found = all.variables.find(host);
  if (found == all.variables.end()) {
    // Host code uses a managed variable at its own address, and names it by that.
    for (Image* const image : all.with_managed)
      if (const char* const name = image->managed_at(host))
        return DRIVER(cuLibraryGetManaged)(address, bytes, image->library(), name);
    return cudaErrorInvalidSymbol;
  }
  const Symbol& symbol = found->second;
  CHECK(symbol.image->load());
  return DRIVER(cuLibraryGetGlobal)(address, bytes, symbol.image->library(), symbol.name);
}

Status find_bytes_of_variable(const void* host, std::size_t offset, std::size_t count,
                              void** pointer) {
  // Zero bytes of no variable are not an error.
  *pointer = nullptr;
  if (count == 0) return {};
  CUdeviceptr address = 0;
  std::size_t bytes = 0;
  CHECK(find_variable(host, &address, &bytes));
  if (offset > bytes || count > bytes - offset) return cudaErrorInvalidValue;
  *pointer = reinterpret_cast<void*>(address + offset);
  return {};
}

}  // namespace cuvette::runtime
