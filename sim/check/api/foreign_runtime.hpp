// SPDX-License-Identifier: Apache-2.0
// Reports NVIDIA's CUDA runtime, which does not work with this driver.
//
// Threads: any.
#pragma once

namespace cuvette::check {

// Its private tables were asked for by a call that returns to `place`.
void report_foreign_runtime(const void* place);

}  // namespace cuvette::check
