// SPDX-License-Identifier: Apache-2.0
// The table by which a test runner says where its tests begin and end.
//
// Threads: any.
#pragma once

#include <cuvetteTests.h>

namespace cuvette::driver {

extern const cuvetteTestsTable tests_table;

}  // namespace cuvette::driver
