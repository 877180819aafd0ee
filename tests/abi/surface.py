#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Describes the public surface of a C header, and compares that of two header sets.

The surface is everything that a binary or a source file can depend on: the type of each function,
each typedef, the size and alignment of each struct, union and enum, the type, offset and size of
each field at any depth, the value of each enumerator and each macro. Declarations come from clang's
syntax tree, macros from its preprocessor, and values from a small program compiled against the same
headers. What the system's headers declare is subtracted.

As a ctest test: surface.py --header cuda.h --toolkit DIR --ours DIR --clang clang. The exit status
is 0 (no difference), 1 (differences on stdout, one per line) or 77 (skipped, with the reason).
"""

import argparse
import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

SKIPPED = 77

# What to include before each header; its own surface is what comes on top of that.
CUDA = "#include <cuda.h>\n"
API = "#include <cuda_runtime_api.h>\n"
RUNTIME = "#include <cuda_runtime.h>\n"
LIMITS = "#include <limits.h>\n#include <stddef.h>\n#include <stdlib.h>\n"
BEFORE = {
    "cuda.h": "#include <stdint.h>\n#include <stdlib.h>\n",
    "cudaTypedefs.h": CUDA,
    "cudaProfiler.h": CUDA,
    "cudaProfilerTypedefs.h": CUDA + "#include <cudaProfiler.h>\n",
    "cudaGL.h": CUDA + "#include <GL/gl.h>\n",
    "cudaGLTypedefs.h": CUDA + "#include <cudaGL.h>\n",
    "cudaEGL.h": CUDA + "#include <EGL/egl.h>\n#include <EGL/eglext.h>\n",
    "cudaEGLTypedefs.h": CUDA + "#include <cudaEGL.h>\n",
    "cudaVDPAU.h": CUDA + "#include <vdpau/vdpau.h>\n",
    "cudaVDPAUTypedefs.h": CUDA + "#include <vdpau/vdpau.h>\n#include <cudaVDPAU.h>\n",
    "vector_types.h": LIMITS,
    "driver_types.h": LIMITS,
    "device_types.h": LIMITS,
    "texture_types.h": "#include <driver_types.h>\n",
    "surface_types.h": "#include <driver_types.h>\n",
    "builtin_types.h": LIMITS,
    "library_types.h": LIMITS + "#include <driver_types.h>\n",
    "cuda_runtime_api.h": LIMITS,
    "cuda_profiler_api.h": RUNTIME,
    "cuda_gl_interop.h": RUNTIME + "#include <GL/gl.h>\n",
    "cuda_egl_interop.h": RUNTIME + "#include <EGL/egl.h>\n#include <EGL/eglext.h>\n",
    "cuda_vdpau_interop.h": RUNTIME + "#include <vdpau/vdpau.h>\n",
    "channel_descriptor.h": API,
    "driver_functions.h": API,
    "vector_functions.h": API,
    "nvml.h": "",
    "cuda_runtime.h": API + "#if defined(__cplusplus)\n#include <utility>\n#endif\n",
}
GUESTS = {"GL": ["GL/gl.h"], "EGL": ["EGL/egl.h", "EGL/eglext.h"], "VDPAU": ["vdpau/vdpau.h"]}
GUESTS.update({name.lower(): needed for name, needed in GUESTS.items()})


@dataclass
class Mode:
    """One way to include a header: the language, and the macros defined before it.

    A `rare` mode makes a difference only to cuda.h, a `management` mode only to nvml.h.
    """

    name: str
    language: str = "c"
    standard: str = "c11"
    defines: list = field(default_factory=list)
    rare: bool = False
    management: bool = False


MODES = [
    Mode("C11"),
    Mode("C99", standard="c99", rare=True),
    Mode("C11, per-thread default stream", defines=["CUDA_API_PER_THREAD_DEFAULT_STREAM"]),
    Mode("C11, every exported name", defines=["__CUDA_API_VERSION_INTERNAL"]),
    Mode("C11, every exported name once",
         defines=["__CUDA_API_VERSION_INTERNAL", "__CUDA_API_VERSION_INTERNAL_ODR"],
         rare=True),
    Mode("C11, every exported name of NVML", defines=["NVML_NO_UNVERSIONED_FUNC_DEFS"], management=True),
    Mode("C++20", language="c++", standard="c++20"),
]

# Headers of which ours declare only a part: what theirs have besides is no difference.
PARTS = ["nvml.h"]


class Compiler:
    """clang with one include path and one mode."""

    def __init__(self, clang, include, mode):
        # An include path given with -I is dropped if it is also a system path; the headers under
        # test must win over the system's, whatever CPATH says.
        self.command = [clang, "-x", mode.language, "-std=" + mode.standard, "-w", "-I", include]
        self.command += ["-D" + define for define in mode.defines]
        self.mode = mode

    def output(self, arguments, source):
        """What clang writes, in bytes: syntax trees are large."""
        result = subprocess.run(self.command + arguments + ["-"], input=source.encode(),
                                capture_output=True, check=False)
        if result.returncode != 0:
            raise RuntimeError("clang rejects the headers under %s:\n%s"
                               % (self.command[-1], result.stderr.decode()))
        return result.stdout

    def run(self, arguments, source):
        return self.output(arguments, source).decode()

    def tree(self, source):
        """The syntax tree of a translation unit as clang's JSON."""
        return self.output(["-Xclang", "-ast-dump=json", "-fsyntax-only"], source)

    def declarations(self, source):
        return declarations_of(self.tree(source))

    def text(self, source):
        """What the preprocessor makes of a source, definitions of macros included."""
        return self.run(["-E", "-P", "-dD"], source)

    def program(self, source):
        """Compiles and runs a program; returns what it prints."""
        with tempfile.TemporaryDirectory() as folder:
            binary = os.path.join(folder, "probe")
            self.run(["-o", binary], source)
            return subprocess.run([binary], text=True, capture_output=True, check=True).stdout


def declarations_of(tree):
    """The declarations of a syntax tree, in order."""
    flat = []

    def unwrap(node):
        for inner in node.get("inner", []):
            if inner.get("kind") == "LinkageSpecDecl":
                unwrap(inner)
            else:
                flat.append(inner)

    unwrap(json.loads(tree))
    return flat


def macros_of(text):
    """name -> (parameters or None, body) for the macros that are defined at the end of a text."""
    found = {}
    for line in text.splitlines():
        if match := re.match(r"#define (\w+)(\([^)]*\))? ?(.*)$", line):
            found[match.group(1)] = (match.group(2), match.group(3).strip())
        elif match := re.match(r"#undef (\w+)$", line):
            found.pop(match.group(1), None)
    return found


MARK = "struct surface_mark;\n"


def behind_the_mark(tree):
    """The part of a syntax tree that comes behind MARK. What comes before is most of it, and is
    left alone: declarations of the unit itself are indented by four."""
    end = tree.index(b"\n    }", tree.index(b'"name": "surface_mark"')) + len(b"\n    }")
    return b'{"inner": [' + tree[end:].lstrip(b",")


def spelled(node):
    """A type as written, without the source location of an unnamed one."""
    text = node["type"]["qualType"]
    text = re.sub(r"(\w+::)*\((unnamed|anonymous)[^()]*\)", "(unnamed)", text)
    return re.sub(r"\b(struct|union|enum) \(unnamed\)", r"(unnamed)", text)


def default_argument(parameter):
    """The default argument of a C++ parameter: the constant or the enumerator."""
    if "init" not in parameter:
        return ""
    node = parameter
    while node.get("inner"):
        node = node["inner"][0]
    return " = " + str(node.get("value") or node.get("referencedDecl", {}).get("name")
                       or node["kind"])


class Surface:
    """Collects `facts`: what -> value, both strings."""

    def __init__(self, compiler, source, macros):
        """`source` has MARK before the header, which defines `macros`."""
        self.compiler = compiler
        self.facts = {}
        self.function_types = {}
        self.probes = []  # (what, format, C expressions)
        self.tree = compiler.tree(source)
        own = declarations_of(behind_the_mark(self.tree))
        names = self.names_of_unnamed(own)
        self.own = self.kinds_by_name(own)
        for node in own:
            kind = node.get("kind")
            if kind == "FunctionDecl":
                self.function(node)
            elif kind == "FunctionTemplateDecl":
                self.function_template(node)
            elif kind == "TypedefDecl":
                self.typedef(node)
            elif kind in ("RecordDecl", "CXXRecordDecl"):
                self.record(node, names)
            elif kind == "EnumDecl":
                self.enum(node, names)
            elif kind == "VarDecl":
                self.facts["variable " + node["name"]] = spelled(node)
        self.macros(source, macros)
        self.measure(source)

    @staticmethod
    def kinds_by_name(nodes):
        """What a macro may stand for: which names are types, functions and enumerators."""
        enumerators = [inner for node in nodes if node.get("kind") == "EnumDecl"
                       for inner in node.get("inner", [])]
        return {node["name"]: node["kind"] for node in nodes + enumerators
                if node.get("kind") in ("TypedefDecl", "FunctionDecl", "EnumConstantDecl")}

    @functools.cached_property
    def all(self):
        return self.kinds_by_name(declarations_of(self.tree))

    def kind_of(self, name):
        """What the header, or what comes before it, declares by this name."""
        return self.own.get(name) or (self.all.get(name) if name.isidentifier() else None)

    @staticmethod
    def names_of_unnamed(nodes):
        """Returns id of an unnamed struct, union or enum -> the typedef that names it."""
        names = {}
        for node in nodes:
            if node.get("kind") == "TypedefDecl":
                for inner in node.get("inner", []):
                    owned = inner.get("ownedTagDecl") or inner.get("decl") or {}
                    if owned and not owned.get("name"):
                        names[owned["id"]] = node["name"]
        return names

    def function(self, node):
        parts = [inner for inner in node.get("inner", []) if inner.get("kind") == "ParmVarDecl"]
        attributes = {inner["kind"] for inner in node.get("inner", [])}
        value = spelled(node)
        value += " with parameters (%s)" % ", ".join(
            part.get("name", "") + default_argument(part) for part in parts)
        if "DeprecatedAttr" in attributes:
            value += ", deprecated"
        if node.get("storageClass", "extern") != "extern":
            value = node["storageClass"] + " " + value
        # In C++ several functions may have one name.
        what = "function " + node["name"]
        if self.function_types.setdefault(what, spelled(node)) != spelled(node):
            what += " " + spelled(node)
        self.facts[what] = value

    def function_template(self, node):
        """Describes a template with its parameters numbered: their names do not matter."""
        inner = node.get("inner", [])
        parameters = [part.get("name") for part in inner
                      if part.get("kind") == "TemplateTypeParmDecl" and part.get("name")]
        function = next(part for part in inner if part.get("kind") == "FunctionDecl")
        parts = [part for part in function.get("inner", []) if part.get("kind") == "ParmVarDecl"]
        text = "%s with parameters (%s)" % (spelled(function), ", ".join(
            part.get("name", "") + default_argument(part) for part in parts))
        for number, parameter in enumerate(parameters):
            text = re.sub(r"\b%s\b" % parameter, "T%d" % number, text)
        text = re.sub(r" __attribute__\(\(.*?\)\)", "", text)
        self.facts["template %s, %s" % (node["name"], text)] = "is there"

    def typedef(self, node):
        self.facts["typedef " + node["name"]] = spelled(node)
        target = node["type"]["qualType"]
        # Opaque handles have no size of their own, and functions have none at all.
        if not re.search(r"\(unnamed", target):
            self.size("typedef " + node["name"], node["name"])

    def size(self, what, type_name):
        align = "alignof" if self.compiler.mode.language == "c++" else "_Alignof"
        if self.compiler.mode.standard == "c99":
            align = "__alignof__"
        self.probes.append((what + " size and alignment", "%zu, %zu",
                            ["sizeof(%s)" % type_name, "%s(%s)" % (align, type_name)]))

    def record(self, node, names):
        # Programs do not use classes; they are a header's implementation.
        if not node.get("completeDefinition") or node["tagUsed"] == "class":
            return
        tag = node.get("name")
        type_name = "%s %s" % (node["tagUsed"], tag) if tag else names.get(node["id"])
        if not type_name:
            return
        self.size(type_name, type_name)
        self.fields(node, type_name, type_name, "")

    def fields(self, node, what, type_name, path):
        """Describes each field of `node`, which is reached from `type_name` by `path`."""
        inner = node.get("inner", [])
        records = {n["id"]: n for n in inner
                   if n.get("kind") in ("RecordDecl", "CXXRecordDecl")
                   and n.get("completeDefinition") and not n.get("isImplicit")}
        pending = None  # clang lists an unnamed record right before the field of that type
        for child in inner:
            if child.get("id") in records:
                pending = child
                continue
            if child.get("kind") != "FieldDecl":
                continue
            name = child.get("name")
            text = spelled(child)
            if pending is not None:
                text = pending["tagUsed"] + " " + (pending.get("name") or "(unnamed)") + (
                    re.search(r"(\[\d+\])*$", child["type"]["qualType"]).group(0))
            if name:
                member = path + name
                self.facts["field %s.%s type" % (what, member)] = text
                dereferenced = "((%s*)0)->%s" % (type_name, member)
                self.probes.append(("field %s.%s offset and size" % (what, member), "%zu, %zu",
                                    ["offsetof(%s, %s)" % (type_name, member),
                                     "sizeof(%s)" % dereferenced]))
                if pending is not None and "[" not in text:
                    self.fields(pending, what, type_name, member + ".")
            elif pending is not None:
                self.fields(pending, what, type_name, path)
            pending = None

    def enum(self, node, names):
        name = node.get("name")
        type_name = "enum " + name if name else names.get(node["id"])
        if type_name:
            self.size(type_name, type_name)
            self.probes.append((type_name + " is signed", "%d", ["((%s)-1) < 0" % type_name]))
        for inner in node.get("inner", []):
            if inner.get("kind") == "EnumConstantDecl":
                what = "enumerator %s of %s" % (inner["name"], type_name or "no type")
                self.probes.append((what, "%lld", ["(long long)" + inner["name"]]))

    def macros(self, source, own):
        own = {name: value for name, value in own.items() if not name.startswith("CUVETTE_")}
        # The preprocessor itself says what a name expands to; in quotes the name stays as it was.
        # The words of CUDA C++ (__host__) become attributes or nothing, which have no value.
        words = {name for name in own if name.startswith("__") and not name.endswith("_VERSION")}
        plain = [name for name, (parameters, _) in own.items()
                 if parameters is None and name not in words]
        marked = source + "".join('"%s" %s ;\n' % (name, name) for name in plain)
        expanded = dict(re.findall(r'^"(\w+)"\s*(.*?)\s*;$',
                                   self.compiler.run(["-E", "-P"], marked), re.MULTILINE))
        generic = self.compiler.mode.language == "c" and self.compiler.mode.standard != "c99"
        for name, (parameters, body) in own.items():
            if parameters is not None:
                self.facts["macro " + name + parameters] = re.sub(r"\s+", "", body)
            elif body == "":
                self.facts["macro " + name] = "is empty"
            elif name in words or re.match(r"\"|\d+:\d+$", body):  # words, strings, bit ranges
                self.facts["macro " + name] = "is the text " + re.sub(r"\s+", "", body)
            elif expanded[name] == "":
                self.facts["macro " + name] = "becomes nothing"
            elif self.kind_of(expanded[name]) == "TypedefDecl":
                self.facts["macro " + name] = "stands for the type " + expanded[name]
            elif self.kind_of(expanded[name]) == "FunctionDecl":
                self.facts["macro " + name] = "stands for " + expanded[name]
            elif re.fullmatch(r"cu[A-Z]\w*", name) or re.fullmatch(r"nvml[A-Z]\w*", name) and body.isidentifier():
                self.facts["macro " + name] = "stands for " + expanded[name] + ", not declared"
            else:
                self.probes.append(("macro " + name, "%lld", ["(long long)(%s)" % name]))
                if generic:
                    kinds = ["int", "unsigned int", "long", "unsigned long", "long long",
                             "unsigned long long", "void*", "float", "double"]
                    chosen = ", ".join('%s: "%s"' % (kind, kind) for kind in kinds)
                    self.probes.append(("macro %s type" % name, "%s",
                                        ['_Generic((%s), %s, default: "other")' % (name, chosen)]))

    def measure(self, source):
        if not self.probes:
            return
        lines = [source, "#include <stddef.h>\n#include <stdio.h>\nint main(void) {\n"]
        for what, form, expressions in self.probes:
            lines.append('printf("%s\\t%s\\n", %s);\n' % (what, form, ", ".join(expressions)))
        lines.append("return 0; }\n")
        for line in self.compiler.program("".join(lines)).splitlines():
            what, value = line.split("\t")
            self.facts[what] = value


surfaces = {}


def describe(clang, include, header, before, mode):
    """Describes a header, but one that is the same text in several modes only once."""
    compiler = Compiler(clang, include, mode)
    # What comes before the mark does not belong to the header.
    source = before + MARK + "#include <%s>\n" % header
    earlier, _, text = compiler.text(source).partition(MARK)
    key = (include, header, mode.language, mode.standard, text)
    if key not in surfaces:
        known = macros_of(earlier)
        macros = {name: value for name, value in macros_of(text).items() if name not in known}
        surfaces[key] = Surface(compiler, source, macros).facts
    return surfaces[key]


def differences(theirs, ours):
    """Returns a sentence for each difference between two surfaces."""
    found = []
    for what in sorted(theirs.keys() | ours.keys()):
        if what not in ours:
            found.append("%s is missing (theirs: %s)" % (what, theirs[what]))
        elif what not in theirs:
            found.append("%s is ours alone (%s)" % (what, ours[what]))
        elif theirs[what] != ours[what]:
            found.append("%s is %s, theirs is %s" % (what, ours[what], theirs[what]))
    return found


def skip(reason):
    print("skipped: " + reason)
    sys.exit(SKIPPED)


def compiles(clang, include, source):
    command = [clang, "-x", "c", "-w", "-fsyntax-only", "-I", include, "-"]
    return subprocess.run(command, input=source, text=True, capture_output=True,
                          check=False).returncode == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--header", required=True, choices=sorted(BEFORE))
    parser.add_argument("--toolkit", required=True, help="include folder of a CUDA toolkit")
    parser.add_argument("--ours", required=True, help="api/include")
    parser.add_argument("--clang", required=True)
    arguments = parser.parse_args()

    if not os.path.exists(os.path.join(arguments.toolkit, arguments.header)):
        skip("there is no CUDA toolkit with %s" % arguments.header)
    if not shutil.which(arguments.clang):
        skip("there is no clang to read the headers with")
    for guest, needed in GUESTS.items():
        if guest in arguments.header and not compiles(
                arguments.clang, arguments.ours, "".join("#include <%s>\n" % h for h in needed)):
            skip("the system has no <%s>" % needed[0])

    default = MODES[0]
    versions = [macros_of(Compiler(arguments.clang, include, default).text(CUDA))["CUDA_VERSION"][1]
                for include in (arguments.toolkit, arguments.ours)]
    if versions[0] != versions[1]:
        skip("the toolkit's CUDA_VERSION is %s, that of our headers %s" % tuple(versions))

    failed = False
    for mode in MODES:
        if mode.rare and arguments.header != "cuda.h" or mode.management and arguments.header != "nvml.h":
            continue
        theirs, ours = (
            describe(arguments.clang, include, arguments.header, BEFORE[arguments.header], mode)
            for include in (arguments.toolkit, arguments.ours))
        if arguments.header in PARTS:
            theirs = {what: value for what, value in theirs.items() if what in ours}
        found = differences(theirs, ours)
        print("%s, %s: %d facts, %d differences"
              % (arguments.header, mode.name, len(theirs), len(found)))
        for sentence in found:
            print("  " + sentence)
        failed = failed or bool(found) or not theirs
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
