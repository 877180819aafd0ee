// SPDX-License-Identifier: Apache-2.0
#include "sim/device/graph/graph_memory.hpp"

#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/handles.hpp"

using namespace cuvette;
using namespace cuvette::driver;
using device::GraphMemory;

extern "C" {

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void* value) {
  return call<CUresult>([&]() -> Result<> {
    const unsigned ordinal = TRY(find_device(device))->ordinal();
    if (!value)
      return refuse(Error::invalid_value, "The output pointer for the attribute is null.");
    const GraphMemory::Account account = GraphMemory::account(ordinal);
    auto& answer = *static_cast<cuuint64_t*>(value);
    switch (attr) {
      case CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT:
        answer = account.used;
        return {};
      case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH:
        answer = account.used_high;
        return {};
      case CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT:
        answer = account.reserved;
        return {};
      case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH:
        answer = account.reserved_high;
        return {};
    }
    return refuse(Error::invalid_value, "%d is not an attribute of graph memory.",
                  static_cast<int>(attr));
  });
}

CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attr, void* value) {
  return call<CUresult>([&]() -> Result<> {
    const unsigned ordinal = TRY(find_device(device))->ordinal();
    if (!value) return refuse(Error::invalid_value, "The attribute's new value is null.");
    // "High watermark can only be reset to zero."
    if (*static_cast<const cuuint64_t*>(value) != 0)
      return refuse(Error::invalid_value, "A high-water mark can only be reset to 0.");
    switch (attr) {
      case CU_GRAPH_MEM_ATTR_USED_MEM_HIGH:
        GraphMemory::reset_used_high(ordinal);
        return {};
      case CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH:
        GraphMemory::reset_reserved_high(ordinal);
        return {};
      default:
        return refuse(Error::invalid_value, "Attribute %d of graph memory cannot be set.",
                      static_cast<int>(attr));
    }
  });
}

CUresult cuDeviceGraphMemTrim(CUdevice device) {
  return call<CUresult>([&]() -> Result<> {
    GraphMemory::trim(TRY(find_device(device))->ordinal());
    return {};
  });
}

}  // extern "C"
