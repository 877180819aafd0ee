# SPDX-License-Identifier: Apache-2.0
"""CuSan's tests, as plain programs: they end well on a device, whatever a checker says of their races. CUSAN
names the folder of a checkout of tudasc/cusan."""
import toolkit
from harness import Case, Skipped

TITLE = "CuSan's tests"
PACKAGES = ["g++"]


def test(source):
    def check(machine):
        if "gpu_mpi.h" in source.read_text():
            raise Skipped("needs an MPI that knows CUDA")
        program = machine.work / "program"
        toolkit.build([toolkit.compiler(), *toolkit.OPTIONS, "--extended-lambda", "-x", "cu", source, "-o",
                       program], source.parent)
        several = {"CUVETTE_DEVICES": "2"} if source.parent.name == "multi_gpu" else None
        toolkit.run(machine, [program], environment=several)
    return check


def cases(machine):
    root = toolkit.checkout("CUSAN")
    if not root:
        yield Case("all", toolkit.missing("CUSAN", "tudasc/cusan"))
        return
    for folder in ("pass", "runtime", "kernel_analysis", "multi_gpu"):
        for source in sorted(root.glob(f"test/{folder}/*.c")):
            yield Case(f"{folder}/{source.name}", test(source))
