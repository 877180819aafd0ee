// SPDX-License-Identifier: Apache-2.0
#include "api/runtime/program/images.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

#include "api/runtime/driver.hpp"
#include "api/runtime/program/kernel_table.hpp"

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

struct Variable {
  Image* image;
  const char* name;
};

struct Registry {
  // Taken exclusively to add or remove, and shared otherwise.
  std::shared_mutex mutex;
  KernelTable kernels;
  std::unordered_map<const void*, Variable> variables;
  std::vector<Image*> with_managed;
};

// Never destroyed: constructors and destructors of other libraries use it, in any order.
Registry& registry() {
  static Registry* const all = new Registry;
  return *all;
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
    all.kernels.remove(image);
    std::erase_if(all.variables, [image](const auto& one) { return one.second.image == image; });
    std::erase(all.with_managed, image);
  }
  image->unload();
  delete image;
}

void register_kernel(Image* image, const void* host, const char* name) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.kernels.add(host, image, name);
}

void register_variable(Image* image, const void* host, const char* name) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  all.variables.insert_or_assign(host, Variable{image, name});
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
  *kernel = all.kernels.known(host);
  if (*kernel != nullptr) [[likely]]
    return {};
  const std::shared_lock lock(all.mutex);
  KernelTable::Entry* const entry = all.kernels.find(host);
  if (entry == nullptr) return take_as_handle(host, kernel);
  CHECK(entry->image->load());
  CHECK(DRIVER(cuLibraryGetKernel)(kernel, entry->image->library(), entry->name));
  entry->kernel.store(*kernel, std::memory_order_release);
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
  void* found = kernel != nullptr ? static_cast<void*>(kernel) : static_cast<void*>(function);
  all.kernels.each([&](const KernelTable::Entry& entry) {
    const CUkernel known = entry.kernel.load(std::memory_order_relaxed);
    if (known == nullptr) return false;
    CUfunction of_context = nullptr;
    if (known != kernel &&
        (function == nullptr || DRIVER(cuKernelGetFunction)(&of_context, known) != CUDA_SUCCESS ||
         of_context != function))
      return false;
    found = const_cast<void*>(entry.host.load(std::memory_order_relaxed));
    return true;
  });
  return found;
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
  const Variable& variable = found->second;
  CHECK(variable.image->load());
  return DRIVER(cuLibraryGetGlobal)(address, bytes, variable.image->library(), variable.name);
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
