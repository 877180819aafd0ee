// SPDX-License-Identifier: Apache-2.0
// Taking the address of every function here is what makes a FULL or PARTIAL row without a body a
// link error. This file must not include <cuda.h>: it declares the functions without parameters.
#include "api/driver/proc_address_table.hpp"

extern "C" {
#define SECTION(title, file, reason)
#define FULL(name, suffix, since, needs) int name##suffix();
#define PARTIAL(name, suffix, since, needs, reason) int name##suffix();
#define NONE(name, suffix, since, needs, ...) int name##suffix();
#define OBJECT(name, bytes)
#include "api/driver/functions.def"
#define PER_THREAD(name, suffix, flavour, since, parameters, arguments) int name##suffix##flavour();
#include "api/driver/per_thread.def"
}

namespace cuvette::driver {

constinit const std::array<AnyFunction, functions.size()> function_addresses = {
#define SECTION(title, file, reason)
#define FULL(name, suffix, since, needs) &name##suffix,
#define PARTIAL(name, suffix, since, needs, reason) &name##suffix,
#define NONE(name, suffix, since, needs, ...) &name##suffix,
#define OBJECT(name, bytes) nullptr,
#include "api/driver/functions.def"
#define PER_THREAD(name, suffix, flavour, since, parameters, arguments) &name##suffix##flavour,
#include "api/driver/per_thread.def"
};

}  // namespace cuvette::driver
