# SPDX-License-Identifier: Apache-2.0
"""Builds the wheel: the Python package, with the tree that `cmake --install` makes inside, in cuvette/_tree.

A build backend (PEP 517) that needs nothing but Python: `pip wheel packaging/python`, or `tools/package wheel`. The tree
is CUVETTE_TREE, or the one that `tools/package tree` builds. Two builds of one tree are identical; the files get the
time SOURCE_DATE_EPOCH.

A wheel has no links. So links to the command become shell scripts, libcuda.so becomes a library of a few kilobytes, and
the names that only linkers use become linker scripts."""
import base64
import hashlib
import os
import re
import subprocess
import tempfile
import time
import zipfile

import tomllib

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(os.path.dirname(HERE))

# Libraries that every system with glibc has (PEP 600); others would have to be in the wheel.
GIVEN = {"ld-linux-x86-64.so.2", "libc.so.6", "libdl.so.2", "libgcc_s.so.1", "libm.so.6", "libpthread.so.0",
         "librt.so.1", "libstdc++.so.6", "libz.so.1"}
# The oldest glibc of the distributions that have a libstdc++ with these symbols, as auditwheel's policies say.
GLIBC_OF_LIBSTDCXX = [((3, 4, 24), 26), ((3, 4, 25), 28), ((3, 4, 28), 31), ((3, 4, 29), 34), ((3, 4, 30), 35),
                      ((3, 4, 32), 38), ((3, 4, 33), 39)]
# Parts of the tree that go into the environment's folders, where man and shells look.
SHARED = ("share/man/", "share/bash-completion/", "share/zsh/", "share/fish/")


def version():
    with open(os.path.join(ROOT, "CMakeLists.txt"), encoding="utf-8") as file:
        return re.search(r"^project\(cuvette VERSION ([0-9.]+)", file.read(), re.M)[1]


def is_elf(path):
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def needed_glibc(path):
    """Returns the minor version of the oldest glibc that the ELF file at `path` runs with. Refuses files that need
    other libraries."""
    strangers = set(re.findall(r"\(NEEDED\)\s+Shared library: \[(.*)\]", output("readelf", "-dW", path))) - GIVEN
    # Libraries of the tree are found through an rpath.
    strangers = {one for one in strangers if not os.path.exists(os.path.join(os.path.dirname(path), one))}
    if strangers:
        raise SystemExit(f"{path} needs {', '.join(sorted(strangers))}, which not every system has: build a tree with "
                         "-DCUVETTE_PORTABLE=ON, as `tools/package tree` does")
    symbols = output("readelf", "-VW", path)
    if "GLIBC_ABI_DT_RELR" in symbols:
        oldest = 36
    else:
        oldest = 17
    oldest = max([oldest, *(int(minor) for minor in re.findall(r"\bGLIBC_2\.(\d+)", symbols))])
    for text in re.findall(r"\bGLIBCXX_([0-9.]+)", symbols):
        number = tuple(map(int, text.split(".")))
        if number > (3, 4, 19):
            fitting = [glibc for newest, glibc in GLIBC_OF_LIBSTDCXX if number <= newest]
            if not fitting:
                raise SystemExit(f"{path} needs GLIBCXX_{text}, newer than this script knows")
            oldest = max(oldest, fitting[0])
    return oldest


def small_library(name, needed):
    """Returns the bytes of the library `name`, which only gives the library `needed` beside it a second name. Once it
    is open, others that ask for the name get it, too."""
    compiler = os.environ.get("CC", "cc")
    with tempfile.TemporaryDirectory() as folder:
        source, stand_in, result = (os.path.join(folder, name) for name in ("empty.s", "stand_in.so", "result.so"))
        with open(source, "w", encoding="utf-8") as file:
            file.write('.section .note.GNU-stack,"",@progbits\n')
        output(compiler, "-shared", "-nostdlib", source, f"-Wl,-soname,{needed}", "-o", stand_in)
        output(compiler, "-shared", "-nostdlib", source, f"-Wl,-soname,{name}", "-Wl,--no-as-needed", stand_in,
               "-Wl,-rpath,$ORIGIN", "-Wl,-z,noseparate-code", "-Wl,--build-id=none", "-s", "-o", result)
        with open(result, "rb") as file:
            return file.read()


def script(tree, link):
    """Returns a script in place of a link to the command, which looks at the name that it is called by."""
    verb = {"nvidia-smi": "smi", "ptxas": "ptxas"}[os.path.basename(link)]
    way = os.path.relpath(os.path.join(tree, "bin/cuvette"), os.path.dirname(link))
    return (f'#!/bin/sh\n# {os.path.basename(link)} on the devices of Cuvette.\n'
            f'own=$(readlink -f "$0")\nexec "${{own%/*}}/{way}" {verb} "$@"\n').encode()


def tree_files(tree):
    """Yields each file of the tree as (path in it, content, whether it is executable)."""
    for folder, folders, names in os.walk(tree):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(folder, name)
            inside = os.path.relpath(path, tree)
            if not os.path.islink(path):
                with open(path, "rb") as file:
                    yield inside, file.read(), os.access(path, os.X_OK) and ".so" not in name
            elif name == "libcuda.so":  # several clients open it before libcuda.so.1
                yield inside, small_library(name, os.readlink(path)), False
            elif ".so" in name:
                yield inside, f"INPUT({os.readlink(path)})\n".encode(), False
            else:
                yield inside, script(tree, path), True


def metadata(project):
    lines = ["Metadata-Version: 2.4", f"Name: {project['name']}", f"Version: {version()}",
             f"Summary: {project['description']}", f"Keywords: {','.join(project['keywords'])}",
             f"License-Expression: {project['license']}", "License-File: LICENSE",
             f"Requires-Python: {project['requires-python']}",
             *(f"Classifier: {one}" for one in project["classifiers"]),
             *(f"Requires-Dist: {one}" for one in project.get("dependencies", [])),
             *(f"Project-URL: {name}, {link}" for name, link in project.get("urls", {}).items())]
    readme = os.path.join(HERE, "README.md")
    if os.path.exists(readme):
        with open(readme, encoding="utf-8") as file:
            lines += ["Description-Content-Type: text/markdown", "", file.read()]
    return "\n".join(lines) + "\n"


def entry_points(project):
    groups = {"console_scripts": project.get("scripts", {}), **project.get("entry-points", {})}
    return "\n".join(f"[{group}]\n" + "".join(f"{name} = {what}\n" for name, what in entries.items())
                     for group, entries in groups.items())


def source_time():
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    return int(output("git", "-C", ROOT, "log", "-1", "--format=%ct"))


def write(path, files):
    """Writes the archive; `files` are (name, content, whether it is executable)."""
    stamp = time.gmtime(max(source_time(), 315532800))[:6]  # zip's time begins in 1980
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content, executable in files:
            entry = zipfile.ZipInfo(name, stamp)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if executable else 0o100644) << 16
            archive.writestr(entry, content)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    tree = os.environ.get("CUVETTE_TREE") or output(os.path.join(ROOT, "tools/package"), "tree").splitlines()[-1]
    with open(os.path.join(HERE, "pyproject.toml"), "rb") as file:
        project = tomllib.load(file)["project"]
    glibc = max(needed_glibc(os.path.join(folder, name)) for folder, _, names in os.walk(tree) for name in names
                if not os.path.islink(os.path.join(folder, name)) and is_elf(os.path.join(folder, name)))
    tag = f"py3-none-manylinux_2_{glibc}_x86_64"
    name = f"cuvette-{version()}"

    about = f"{name}.dist-info"

    files = []
    package = os.path.join(HERE, "src")
    for folder, folders, names in os.walk(package):
        folders[:] = sorted(one for one in folders if one != "__pycache__")
        for one in sorted(names):
            with open(os.path.join(folder, one), "rb") as file:
                files.append((os.path.relpath(os.path.join(folder, one), package), file.read(), False))
    for inside, content, executable in tree_files(tree):
        if inside.startswith(SHARED):
            place = f"{name}.data/data/{inside}"
        elif inside.endswith(".cdx.json"):  # where PEP 770 looks for it
            place = f"{about}/sboms/{os.path.basename(inside)}"
        else:
            place = f"cuvette/_tree/{inside}"
        files.append((place, content, executable))
    with open(os.path.join(ROOT, "LICENSE"), "rb") as file:
        files.append((f"{about}/licenses/LICENSE", file.read(), False))
    files += [
        (f"{about}/METADATA", metadata(project).encode(), False),
        (f"{about}/WHEEL", f"Wheel-Version: 1.0\nGenerator: cuvette\nRoot-Is-Purelib: false\nTag: {tag}\n".encode(), False),
        (f"{about}/entry_points.txt", entry_points(project).encode(), False),
    ]
    record = []
    for path, content, _ in files:
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record.append(f"{path},sha256={digest},{len(content)}")
    record.append(f"{about}/RECORD,,")
    files.append((f"{about}/RECORD", ("\n".join(record) + "\n").encode(), False))

    file_name = f"{name}-{tag}.whl"
    write(os.path.join(wheel_directory, file_name), files)
    return file_name


def build_sdist(sdist_directory, config_settings=None):
    raise SystemExit("Cuvette is packed as a wheel only: its source is the repository")
