// SPDX-License-Identifier: Apache-2.0
// The libnvidia-ml.so.1 that belongs to this command, opened as any program does it, and what a
// device answers.
//
// Threads: for a process with one thread.
#pragma once

#include <nvml.h>

#include <optional>
#include <string>
#include <vector>

namespace cuvette::tools {

class Management {
 public:
  // Opens the library and begins its use. Says on stderr why that failed, and returns the code:
  // what nvidia-smi ends with, too.
  nvmlReturn_t open();

  // Returns the exported function of that name. Ends the process if there is none.
  template <typename Function>
  Function* function(const char* name) const {
    return reinterpret_cast<Function*>(find(name));
  }
  // Ends the process with a sentence unless the call went well.
  void check(nvmlReturn_t result, const char* call) const;

 private:
  void* find(const char* name) const;

  void* library_ = nullptr;
};

// <nvml.h> makes nvmlInit a macro for nvmlInit_v2: the name is taken after its expansion.
#define CUVETTE_NVML_EXACTLY(library, name) ((library).function<decltype(name)>(#name))
#define CUVETTE_NVML(library, name) CUVETTE_NVML_EXACTLY(library, name)

// A device. For values that it does not support, it returns nothing.
struct Gpu {
  const Management* library;
  nvmlDevice_t handle;

  // Calls a function that returns one value, written after `before`.
  template <typename Value, typename Function, typename... Before>
  std::optional<Value> ask(Function* function, const char* name, Before... before) const {
    Value value{};
    const nvmlReturn_t result = function(handle, before..., &value);
    if (result == NVML_ERROR_NOT_SUPPORTED) return std::nullopt;
    library->check(result, name);
    return value;
  }
  // Asks one that answers with a text.
  template <typename Function>
  std::optional<std::string> ask_text(Function* function, const char* name) const {
    char text[NVML_DEVICE_UUID_V2_BUFFER_SIZE];
    const nvmlReturn_t result = function(handle, text, sizeof text);
    if (result == NVML_ERROR_NOT_SUPPORTED) return std::nullopt;
    library->check(result, name);
    return text;
  }
};

// gpu.ask<unsigned>(GPU_FUNCTION(gpu, nvmlDeviceGetIndex))
#define CUVETTE_GPU_EXACTLY(gpu, name) CUVETTE_NVML_EXACTLY(*(gpu).library, name), #name
#define CUVETTE_GPU(gpu, name) CUVETTE_GPU_EXACTLY(gpu, name)

// Returns all devices.
std::vector<Gpu> all_gpus(const Management& library);

}  // namespace cuvette::tools
