// SPDX-License-Identifier: Apache-2.0
#include "sim/check/api/foreign_runtime.hpp"

#include "sim/base/run_notes.hpp"
#include "sim/callsite/symbol.hpp"
#include "sim/check/report/report.hpp"
#include "sim/check/report/run_note.hpp"
#include "sim/os/output.hpp"

namespace cuvette::check {

void report_foreign_runtime(const void* place) {
  note_for_run(run_notes::foreign);
  if (!reporter().admit(ReportId::not_on_cuvette, place)) return;
  Report report{ReportId::not_on_cuvette,
                "NVIDIA's CUDA runtime, which only works with NVIDIA's driver, is linked to the "
                "program or was loaded by it: its calls fail here.",
                {{"program", os::program()}, {"called at", callsite::describe_call(place)}}};
  report.advice =
      "Link the program again with the shared runtime, or with Cuvette's, and start it with "
      "`cuvette run`: NVCC_APPEND_FLAGS=\"-cudart=shared -gencode "
      "arch=compute_75,code=compute_75\"; "
      "-DCMAKE_CUDA_RUNTIME_LIBRARY=Shared in a tree of CMake; or -L and the folder of Cuvette's "
      "libcudart_static.a. In place of a package that has NVIDIA's inside (CuPy, Warp, "
      "cuBLAS), use one that calls the driver itself (Numba, Triton).";
  report.program = os::program();
  reporter().write(report);
}

}  // namespace cuvette::check
