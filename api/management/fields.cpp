// SPDX-License-Identifier: Apache-2.0
// Values that are asked for by number: most are sensors and counters of the hardware, and those
// that are not have functions of their own.
#include "api/management/call.hpp"

using namespace cuvette::management;

extern "C" {

// Each value says for itself that it is not there; the call succeeds, as on a GPU that lacks all.
nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t device, int valuesCount,
                                      nvmlFieldValue_t* values) {
  return call_on(device, [&](const Device&) {
    if (valuesCount <= 0 || !values) return NVML_ERROR_INVALID_ARGUMENT;
    for (int i = 0; i < valuesCount; ++i) {
      const unsigned field = values[i].fieldId;
      // Measured: numbers start at 1.
      values[i].nvmlReturn = field == 0 || field >= NVML_FI_MAX ? NVML_ERROR_INVALID_ARGUMENT
                                                                : NVML_ERROR_NOT_SUPPORTED;
    }
    return NVML_SUCCESS;
  });
}

}  // extern "C"
