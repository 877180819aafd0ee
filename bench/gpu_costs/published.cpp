// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu_costs/published.hpp"

#include <string_view>

namespace cuvette::bench {
namespace {

constexpr std::string_view all = "*";        // any function
constexpr std::string_view nothing = "-";    // no row
constexpr std::string_view mixed = "mixed";  // the last word of what measure_rounds() has measured

struct Rule {
  std::string_view function;  // its beginning
  std::string_view classes;
  std::string_view becomes;
};

// The first that fits decides. Without one, a row stays as it is.
constexpr Rule rules[] = {
    // Whether a stream has work makes no difference to what only adds to it...
    {"cuLaunch", "idle", ""},
    {"cuLaunch", "pending", ""},
    {"cuLaunchKernel", "waited", ""},
    {"cuLaunchKernel", "argument idle", ""},
    {"cuLaunchKernel", "argument pending", ""},
    {"cuLaunchKernel", "legacy idle", ""},
    {"cuLaunchKernel", "legacy pending", ""},
    {"cuLaunchKernel", "legacy waited", ""},
    {"cuLaunchKernel", "legacy argument idle", ""},
    {"cuLaunchKernel", "legacy argument pending", ""},
    {"cuLaunchKernel", "large-arguments", nothing},
    {"cuLaunchKernel", "legacy large-arguments", nothing},
    {"cuLaunchKernel", "first", nothing},
    {"cuLaunchKernelEx", "legacy idle", ""},
    {"cuLaunchKernelEx", "legacy pending", ""},
    {"cuLaunchCooperativeKernel", "legacy ", ""},
    {"cuEventRecord", "idle", ""},
    {"cuEventRecord", "pending", ""},
    {"cuEventRecord", "timing idle", "timing"},
    {"cuEventRecord", "timing pending", "timing"},
    {"cuEventQuery", "idle", ""},
    {"cuEventQuery", "pending", ""},
    {"cuStreamWaitEvent", "idle", ""},
    {"cuStreamWaitEvent", "pending", ""},
    {"cuStreamCreate", "many", ""},
    {"cuStreamDestroy", "many", ""},
    {"cuStreamDestroy", "pending", ""},
    {"cuMemset", "idle", ""},
    {"cuMemset", "pending", ""},
    {"cuMemset", "waited", ""},
    {"cuMemcpyDtoDAsync", "idle", ""},
    {"cuMemcpyDtoDAsync", "pending", ""},
    {"cuMemcpyDtoDAsync", "waited", ""},
    {"cuMemcpyDtoHAsync", "pinned idle", "pinned"},
    {"cuMemcpyDtoHAsync", "pinned pending", "pinned"},
    {"cuMemcpyDtoHAsync", "pinned waited", "pinned"},
    {"cuMemcpyDtoHAsync", "pageable idle", "pageable"},
    {"cuMemcpyDtoHAsync", "pageable pending", "pageable"},
    {"cuMemcpyDtoHAsync", "pageable waited", "pageable"},
    {"cuMemcpyHtoDAsync", "pageable idle", "pageable"},
    {"cuMemcpyHtoDAsync", "pageable pending", "pageable"},
    {"cuMemcpyHtoDAsync", "pageable waited", "pageable"},
    // ... except to small copies from pinned memory, and to those that need the driver's own.
    {"cuMemcpyHtoDAsync", "pinned waited", "pinned idle"},
    {"cuMemcpyHtoD", "pageable idle", "pageable idle"},
    {"cuMemcpyHtoD", "pageable turns", "pageable idle"},
    {"cuMemcpyHtoD", "pageable", "pageable pending"},
    {"cuMemcpyHtoD", "pinned turns", "pinned"},
    {"cuMemcpyDtoH", "pageable turns", "pageable"},
    {"cuMemcpyDtoH", "pinned turns", "pinned"},
    {"cuGraphLaunch", "idle", ""},
    {"cuGraphLaunch", "pending", ""},
    {"cuGraphLaunch", "waited", ""},
    {"cuGraphLaunch", "first", nothing},
    {"cuModuleLoadData", "ptx cached", ""},
    {"cuModuleUnload", "ptx cached", ""},
    {"cuModuleUnload", "ptx", nothing},
    {"cuModuleGetFunction", "", "again"},
    {"cuModuleGetFunction", "first", ""},
    {"cuMemAlloc", "first-of-block", nothing},
    {"cuMemAlloc", "second", nothing},
    {"cuMemFree", "last-of-block", nothing},
    {"cuMemPool", "first", ""},
    {"cuExternalMemoryGetMappedBuffer", "vulkan part", nothing},
    {"cuImportExternalMemory", "vulkan part", nothing},
    {"cuDestroyExternalMemory", "vulkan part", nothing},
    {"cuMemFree", "imported vulkan part", nothing},
    {"cuImportExternalSemaphore", "timeline", ""},
    {"cuImportExternalSemaphore", "binary", ""},
    {"cuDestroyExternalSemaphore", "timeline", ""},
    {"cuDestroyExternalSemaphore", "binary", ""},
    {"cuSignalExternalSemaphoresAsync", "timeline", ""},
    {"cuSignalExternalSemaphoresAsync", "binary", ""},
    {"cuWaitExternalSemaphoresAsync", "timeline", ""},
    {"cuWaitExternalSemaphoresAsync", "binary", ""},
    {"cuWaitExternalSemaphoresAsync", "timeline pending", ""},
    {"cuWaitExternalSemaphoresAsync", "timeline reached", ""},
    // OpenGL.
    {"cuGraphicsGLRegisterBuffer", "opengl idle", "opengl"},
    {"cuGraphicsGLRegisterBuffer", "opengl pending", "opengl"},
    {"cuGraphicsUnregisterResource", "opengl idle", "opengl"},
    {"cuGraphicsGLRegister", "opengl new", nothing},
    {"cuGraphicsUnregister", "opengl new", nothing},
    {"cuGraphicsUnregister", "opengl pending", nothing},
    {"cuGraphicsUnregister", "opengl texture", nothing},
    {"cuGraphicsGLRegister", "opengl several", "opengl beside"},
    {"cuGraphicsUnregister", "opengl several", "opengl beside"},
    {"cuGraphicsMapResources", "opengl idle kernel", "opengl"},
    {"cuGraphicsMapResources", "opengl idle queued", "opengl"},
    {"cuGraphicsMapResources", "opengl idle", "opengl"},
    {"cuGraphicsMapResources", "opengl pending", "opengl"},
    {"cuGraphicsMapResources", "opengl pending kernel", "opengl"},
    {"cuGraphicsMapResources", "opengl pending queued", "opengl"},
    {"cuGraphicsMapResources", "opengl pending same", "opengl"},
    {"cuGraphicsMapResources", "opengl pending same queued", "opengl"},
    {"cuGraphicsUnmapResources", "opengl idle kernel", "opengl"},
    {"cuGraphicsUnmapResources", "opengl idle queued", "opengl"},
    {"cuGraphicsUnmapResources", "opengl idle", "opengl"},
    {"cuGraphicsUnmapResources", "opengl pending", "opengl"},
    {"cuGraphicsUnmapResources", "opengl pending kernel", "opengl"},
    {"cuGraphicsUnmapResources", "opengl pending queued", "opengl"},
    {"cuGraphicsUnmapResources", "opengl pending same", "opengl"},
    {"cuGraphicsUnmapResources", "opengl pending same queued", "opengl"},
};

// What a wait takes behind something. `becomes` as above.
constexpr Rule wait_rules[] = {
    {"cuGraphicsMapResources", "opengl idle", "opengl idle"},
    {"cuGraphicsMapResources", "opengl pending little", "opengl pending"},
    {"cuGraphics", all, nothing},
    {"cuCtxSynchronize", all, nothing},
    {"cuEventSynchronize", all, nothing},
    {"cuMemFree", all, nothing},
    {"cuStreamSynchronize", "pending", nothing},
};

bool fits(const Rule& rule, const Row& row) {
  return row.function.starts_with(rule.function) &&
         (rule.classes == all || rule.classes == row.classes);
}

}  // namespace

std::optional<Published> published(const Row& all) {
  if (all.measures == "own" || all.measures == "first") return Published{all, false};
  Row measured = all;
  const bool among_others = measured.classes.ends_with(mixed);
  if (among_others) {
    measured.classes.resize(measured.classes.size() - mixed.size());
    if (measured.classes.ends_with(' ')) measured.classes.pop_back();
  }
  Row row = measured;
  const auto apply = [&](const auto& some) {
    for (const Rule& rule : some)
      if (fits(rule, measured)) {
        row.classes = rule.becomes;
        return rule.becomes != nothing;
      }
    return true;
  };
  const bool stays = measured.measures == "wait" ? apply(wait_rules) : apply(rules);
  // The states of OpenGL that no rule above keeps.
  const bool maps =
      row.function == "cuGraphicsMapResources" || row.function == "cuGraphicsUnmapResources";
  if (measured.measures == "host" && maps && row.classes != "opengl") return std::nullopt;
  return stays ? std::optional(Published{row, among_others}) : std::nullopt;
}

}  // namespace cuvette::bench
