# SPDX-License-Identifier: Apache-2.0
"""NVIDIA's samples for CUDA: those that need none of its libraries. CUDA_SAMPLES names the folder of a checkout of
NVIDIA/cuda-samples, whose test_args.json says how they are called to verify themselves; those that open a window
open it on Xvfb's display, and Mesa draws there."""
import json
import os
import re

import toolkit
from harness import Case, Skipped, Wrong, last_words

TITLE = "NVIDIA's samples"
PACKAGES = ["g++", "libgomp1", "freeglut3-dev", "libgl-dev", "libglu1-mesa-dev", "xvfb", "xauth", "libgl1-mesa-dri"]

LIBRARIES = re.compile(r"CUDA::(cublas|cufft\w*|curand|cusolver|cusparse|npp\w*|nvjpeg|nvJitLink)")
FOREIGN = re.compile(r"find_package\((EGL|NVSCI|MPI|LLVM)\b")
VULKAN = re.compile(r"find_package\(Vulkan\b")  # these are the client vulkan's
WINDOW = re.compile(r"find_package\((GLUT|OpenGL)\b")
DISPLAY = ["xvfb-run", "-a", "-s", "-screen 0 1024x768x24"]
LIMIT = 300  # seconds
FAILED = re.compile(r"^(?!.*\b(?:0|no) (?:failures|errors)|[\d.]+\(%\) of bytes mismatched).*(?:\bfailed\b|mismatch|CUDA error)", re.I | re.M)


def refuse_foreign(recipe):
    """Skipped for samples about something else than the runtime or the driver API."""
    for pattern, what in ((LIBRARIES, "the library"), (FOREIGN, "the package")):
        if found := pattern.search(recipe):
            raise Skipped(f"needs {what} {found[1]}")
    if "nvrtc" in recipe:
        raise Skipped("compiles for the device's own machine code with NVRTC")
    if "$(NVVM" in recipe or "NVVM" in recipe:
        raise Skipped("needs libNVVM")


def device_images(folder, recipe, work):
    """Compiles the kernels that a sample loads by itself, under the names that it looks for."""
    for name, kind in re.findall(r"(\w+)\.(fatbin|ptx)\"", recipe):
        stem = name.removesuffix("64")
        source = folder / f"{stem}.cu"
        if source.exists():
            for image in {stem, f"{stem}64"}:
                toolkit.build([toolkit.compiler(), *toolkit.OPTIONS[2:], f"-I{folder.parents[2] / 'Common'}",
                               f"-{kind}", source, "-o", work / f"{image}.{kind}"], folder)


def calls(folder):
    """What a sample is called with, once or several times."""
    told = json.loads((folder.parents[2] / "test_args.json").read_text()).get(folder.name, {})
    if told.get("skip") and WINDOW.search((folder / "CMakeLists.txt").read_text()):
        raise Skipped("compares with no picture of its own")
    return [run.get("args", []) for run in told.get("runs", [told])]


def sample(folder):
    def check(machine):
        recipe = (folder / "CMakeLists.txt").read_text()
        refuse_foreign(recipe)
        found = re.search(r"add_executable\(\s*(\w+)\s+([^)]*)\)", recipe)
        sources = re.findall(r"[\w./-]+\.(?:cu|cpp|cc|c)\b", found[2]) if found else []
        if not sources:
            raise Skipped("builds no program")
        extra = [flag for flag in ("-lcuda",) if "cuda_driver" in recipe]
        if folder.name.startswith("cdp"):
            extra += ["-rdc=true", "-lcudadevrt"]
        program = machine.work / found[1]
        window = WINDOW.search(recipe)
        if window:
            extra += ["-lglut", "-lGLU", "-lGL"]
        toolkit.build([toolkit.compiler(), *toolkit.OPTIONS, "-std=c++17", "--extended-lambda", "-Xcompiler",
                       "-fopenmp", f"-I{folder.parents[2] / 'Common'}", *sources, "-o", program,
                       f"-L{toolkit.HOME / 'lib64/stubs'}", *extra], folder)
        device_images(folder, recipe, machine.work)
        for file in folder.iterdir():
            if not (machine.work / file.name).exists():
                os.symlink(file, machine.work / file.name)
        try:
            text = "".join(toolkit.run(machine, [*(DISPLAY if window else []), program, *words], timeout=LIMIT)
                           for words in calls(folder))
        except Wrong as reason:
            if str(reason).startswith("ends with 2:"):  # what samples say who waive
                raise Skipped(str(reason).removeprefix("ends with 2: ")) from None
            raise
        if FAILED.search(text) and folder.name != "simpleAssert":
            raise Wrong(last_words("\n".join(line for line in text.splitlines() if FAILED.search(line))))
    return check


def cases(machine):
    root = toolkit.checkout("CUDA_SAMPLES")
    if not root:
        yield Case("all", toolkit.missing("CUDA_SAMPLES", "NVIDIA/cuda-samples"))
        return
    for recipe in sorted(root.glob("Samples/*/*/CMakeLists.txt")):
        elsewhere = recipe.parent.parent.name in ("7_libNVVM", "8_Platform_Specific")
        if not elsewhere and not VULKAN.search(recipe.read_text()):
            yield Case(recipe.parent.name, sample(recipe.parent))
