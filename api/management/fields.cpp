// SPDX-License-Identifier: Apache-2.0
// Values that are asked for by number: most are sensors and counters of the hardware.
#include <optional>

#include "api/management/call.hpp"

using namespace cuvette;
using namespace cuvette::management;

namespace {

// Returns the value of a field that a software device has.
std::optional<unsigned long long> value_of(const Device& device, unsigned field) {
  switch (field) {
    case NVML_FI_DEV_ECC_CURRENT:
    case NVML_FI_DEV_ECC_PENDING:
      return device.profile().value(device::Attribute::ECC_ENABLED) != 0;
    default:
      return std::nullopt;
  }
}

void fill_in(const Device& device, nvmlFieldValue_t& field) {
  // Measured: numbers start at 1.
  if (field.fieldId == 0 || field.fieldId >= NVML_FI_MAX) {
    field.nvmlReturn = NVML_ERROR_INVALID_ARGUMENT;
  } else if (const auto value = value_of(device, field.fieldId)) {
    field.valueType = NVML_VALUE_TYPE_UNSIGNED_LONG_LONG;  // measured
    field.value.ullVal = *value;
    field.nvmlReturn = NVML_SUCCESS;
  } else {
    field.nvmlReturn = NVML_ERROR_NOT_SUPPORTED;
  }
}

}  // namespace

extern "C" {

// Each field has its own status; the call succeeds, as on a GPU that lacks all of them.
nvmlReturn_t nvmlDeviceGetFieldValues(nvmlDevice_t device, int valuesCount,
                                      nvmlFieldValue_t* values) {
  return call_on(device, [&](const Device& found) {
    if (valuesCount <= 0 || !values) return NVML_ERROR_INVALID_ARGUMENT;
    for (int i = 0; i < valuesCount; ++i) fill_in(found, values[i]);
    return NVML_SUCCESS;
  });
}

}  // extern "C"
