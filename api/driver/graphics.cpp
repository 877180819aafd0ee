// SPDX-License-Identifier: Apache-2.0
#include "api/driver/call.hpp"
#include "api/driver/cuda.hpp"
#include "api/driver/handles.hpp"

using namespace cuvette;
using namespace cuvette::driver;

extern "C" {

CUresult cuGraphicsMapResources(unsigned int count, CUgraphicsResource* resources,
                                CUstream hStream) {
  return call<CUresult>([&]() -> Result<> {
    // Measured: looked at before the context is.
    if (count == 0 || !resources)
      return refuse(Error::invalid_value, "There is no resource to map (count %u, array %p).",
                    count, static_cast<void*>(resources));
    // No call registers resources yet, so no handle can be one.
    return refuse(Error::invalid_handle, "%p is not a registered resource.",
                  static_cast<void*>(resources[0]));
  });
}

}  // extern "C"
