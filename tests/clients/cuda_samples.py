# SPDX-License-Identifier: Apache-2.0
"""NVIDIA's cuda-samples: those that need no other library of NVIDIA's and no window."""
import re
import shutil

import nvcc_programs
from harness import Case, Skipped, Wrong, last_words

TITLE = "cuda-samples"
PACKAGES = []

# What they ask of nvcc beyond the rest.
OPTIONS = {
    "cudaOpenMP": ["-Xcompiler", "-fopenmp"],
    "UnifiedMemoryStreams": ["-Xcompiler", "-fopenmp"],
    "simpleSeparateCompilation": ["-rdc=true"],
}
ARGUMENTS = {
    "nbody": ["-benchmark", "-compare", "-cpu", "-numbodies=256"],
    "reduction": ["--n=65536"],
    "matrixMul": ["-wA=128", "-hA=128", "-wB=128", "-hB=128"],
}
# Those that use the driver API: their kernels are files beside the program.
MODULES = ["matrixMulDrv", "simpleDrvRuntime", "simpleTextureDrv", "threadMigration", "vectorAddDrv", "vectorAddMMAP",
           "memMapIPCDrv", "ptxjit", "matrixMulDynlinkJIT"]
# Needs what no list of words finds.
NEEDS = {
    "cdp": "kernels that launch kernels",
}
FAILED = re.compile(r"\b(FAILED|FAIL|Test failed|QA Status: *FAIL|Result = FAIL)\b", re.I)


def run(folder, common):
    def check(machine):
        name = folder.name
        sources = [path for ending in ("*.cu", "*.cpp", "*.c") for path in sorted(folder.glob(ending))]
        reason = next((why for part, why in NEEDS.items() if name.startswith(part)), None) or \
            nvcc_programs.needs([*sources, *folder.glob("*.h"), *folder.glob("*.cuh")])
        if reason:
            raise Skipped(f"needs {reason}")
        # Samples look for their data, and for kernels in files of their own, where they run.
        machine.work = machine.work / name
        shutil.copytree(folder, machine.work)
        program = machine.work / name
        own = [path for path in sources if path.suffix == ".cu" and name in MODULES]
        for kernel in own:
            nvcc_programs.build(machine.work / f"{kernel.stem}64.fatbin", [kernel], [common], ["-fatbin"])
        nvcc_programs.build(program, [path for path in sources if path not in own], [common, folder],
                            OPTIONS.get(name, ()))
        output = machine.run([program, *ARGUMENTS.get(name, ())], timeout=300).stdout
        if FAILED.search(output) and not re.search(r"0 FAILED|failed: 0", output):
            raise Wrong(last_words("\n".join(line for line in output.splitlines() if FAILED.search(line))))
        if re.search(r"waiv", output, re.I):
            return "says that it has nothing to do on this device"
    return check


def cases(machine):
    root = nvcc_programs.checkout("CUDA_SAMPLES", "github.com/NVIDIA/cuda-samples")
    for folder in sorted(path for path in root.glob("Samples/*/*") if path.is_dir()):
        if any(folder.glob("*.cu")) or any(folder.glob("*.cpp")):
            yield Case(folder.name, run(folder, root / "Common"))
