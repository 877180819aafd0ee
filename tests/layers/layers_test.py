#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of layers.py: planted violations are found, and what is allowed is not."""
import sys
import unittest

sys.dont_write_bytecode = True
import layers
from planted import planted


def found(files):
    with planted(files) as root:
        return list(layers.violations(root))


class Layers(unittest.TestCase):
    def refused(self, path, include):
        lines = found({path: f"// line 1\n#include {include}\n"})
        self.assertEqual(len(lines), 1, f"{path} {include}: {lines}")
        self.assertTrue(lines[0].startswith(f"{path}:2: "), lines[0])

    def allowed(self, path, include):
        self.assertEqual(found({path: f"#include {include}\n"}), [])

    def test_a_room_includes_only_rooms_below_it(self):
        self.refused("sim/base/error.hpp", '"sim/os/segment.hpp"')
        self.refused("sim/os/segment.cpp", '"sim/memory/address.hpp"')
        self.refused("sim/os/segment.cpp", '"sim/callsite/symbol.hpp"')
        self.refused("sim/memory/copy.cpp", '"sim/device/stream/stream.hpp"')
        self.refused("sim/memory/copy.cpp", '"sim/ptx/syntax/parser.hpp"')
        self.refused("sim/ptx/emit/compile.cpp", '"sim/memory/copy.hpp"')
        self.refused("sim/ptx/syntax/parser.cpp", '"sim/ptx/passes/flow.hpp"')
        self.refused("sim/ptx/passes/flow.cpp", '"sim/ptx/emit/compile.hpp"')
        self.refused("sim/ptx/image/image.cpp", '"sim/ptx/syntax/parser.hpp"')
        self.refused("sim/ptx/passes/flow.cpp", '"sim/ptx/image/image.hpp"')
        self.refused("sim/ptx/program/program.cpp", '"sim/device/model/profile.hpp"')
        self.refused("sim/device/texture/array.cpp", '"sim/device/stream/stream.hpp"')
        self.refused("sim/device/machine/machine.cpp", '"sim/device/stream/stream.hpp"')
        self.refused("sim/device/stream/event.cpp", '"sim/device/pools/memory_pool.hpp"')
        self.refused("sim/device/stream/stream.cpp", '"sim/device/kernel/module.hpp"')
        self.refused("sim/device/kernel/module.cpp", '"sim/device/graph/graph.hpp"')
        self.refused("sim/device/graph/graph.cpp", '"sim/interop/graphics_resource.hpp"')
        self.refused("sim/interop/gl/gl_image.cpp", '"sim/interop/graphics_resource.hpp"')
        self.refused("sim/interop/gl/gl_image.cpp", '"sim/interop/external/exchange.hpp"')
        self.refused("sim/interop/external/exchange.cpp", '"sim/interop/gl/gl_image.hpp"')
        self.allowed("sim/interop/graphics_resource.cpp", '"sim/interop/gl/gl_image.hpp"')
        self.refused("sim/check/host/guard.cpp", '"sim/check/log/log.hpp"')
        self.refused("sim/check/report/report.cpp", '"sim/check/check.hpp"')
        self.refused("sim/device/stream/stream.cpp", '"api/driver/call.hpp"')
        self.refused("sim/device/stream/stream.cpp", '"tools/cuvette/run.hpp"')
        self.refused("api/driver/stream/stream.cpp", '"tools/cuvette/run.hpp"')
        self.allowed("sim/os/segment.cpp", '"sim/base/error.hpp"')
        self.allowed("sim/exec/queue.cpp", '"sim/memory/address.hpp"')
        self.allowed("sim/device/pools/memory_pool.cpp", '"sim/device/stream/stream.hpp"')
        self.allowed("api/driver/stream/stream.cpp", '"sim/device/stream/stream.hpp"')
        self.allowed("tools/cuvette/info.cpp", '"sim/device/model/profile.hpp"')
        self.allowed("tests/sim/device/stream/stream_test.cpp", '"sim/device/stream/stream.hpp"')

    def test_a_guest_lives_in_one_room(self):
        self.refused("sim/device/stream/stream.cpp", "<tbb/task_group.h>")
        self.refused("sim/device/stream/stream.cpp", "<oneapi/tbb/task_group.h>")
        self.refused("sim/memory/address.cpp", "<boost/interprocess/mapped_region.hpp>")
        self.refused("sim/device/stream/stream.hpp", "<nlohmann/json.hpp>")
        self.refused("sim/check/report/reports.cpp", "<CLI/CLI.hpp>")
        self.refused("sim/memory/address.cpp", "<sys/mman.h>")
        self.refused("sim/memory/address.cpp", "<unistd.h>")
        self.refused("sim/exec/worker.cpp", "<pthread.h>")
        self.refused("sim/device/stream/context.hpp", "<cuda.h>")
        self.refused("tests/sim/device/stream/context_test.cpp", "<cuda.h>")
        self.refused("sim/os/segment.cpp", "<gtest/gtest.h>")
        self.allowed("sim/exec/worker.cpp", "<tbb/task_group.h>")
        self.refused("sim/interop/shared.cpp", "<boost/interprocess/mapped_region.hpp>")
        self.allowed("sim/check/report/reports.cpp", "<nlohmann/json.hpp>")
        self.allowed("sim/os/segment.cpp", "<sys/mman.h>")
        self.allowed("sim/os/shared_block.cpp", "<boost/interprocess/mapped_region.hpp>")
        self.allowed("api/driver/context/context.cpp", "<cuda.h>")
        self.allowed("api/include/cudaEGL.h", "<EGL/egl.h>")

    def test_only_one_room_asks_which_checks_there_are(self):
        for line in ("if (checks(Check::host)) return;", "config().check.has(one)", "has(Check::races)"):
            self.assertEqual(len(found({"sim/device/stream/stream.cpp": f"// 1\n{line}\n"})), 1, line)
            self.assertEqual(found({"sim/check/order/race.cpp": f"{line}\n", "tests/sim/base/config_test.cpp": f"{line}\n"}), [])
        self.assertEqual(found({"sim/device/stream/stream.cpp": "makes_checks(1); Needs::host_threads;\n"}), [])

    def test_some_folders_are_clients_only(self):
        self.refused("api/runtime/memory.cpp", '"sim/device/stream/stream.hpp"')
        self.refused("api/runtime/memory.cpp", '"api/driver/call.hpp"')
        self.refused("tests/api/driver/stream/event_test.cpp", '"sim/device/stream/event.hpp"')
        self.refused("tests/conformance/core.cpp", '"sim/base/error.hpp"')
        self.refused("examples/shared_segment/main.cpp", '"sim/base/error.hpp"')
        self.allowed("api/runtime/memory.cpp", "<cuda.h>")
        self.allowed("tests/api/driver/table_test.cpp", '"api/driver/functions.def"')

    def test_our_headers_are_named_from_the_root(self):
        self.refused("sim/device/stream/stream.cpp", '"stream.hpp"')
        self.refused("sim/device/stream/stream.cpp", '"../memory/address.hpp"')
        self.allowed("api/include/cuda.h", '"cuvette/array.h"')

    def test_other_lines_do_not_count(self):
        self.assertEqual(found({"sim/os/a.cpp": "int include;\n// #include <tbb/tbb.h>\n"}), [])
        self.assertEqual(found({"sim/a.md": "#include <tbb/tbb.h>\n"}), [])
        self.allowed("sim/os/a.cpp", "<vector>")

    def test_each_file_is_in_a_room(self):
        self.assertEqual(found({"sim/a.cpp": ""}), ["sim/a.cpp:1: is in no room"])
        self.assertEqual(found({"sim/device/a.hpp": ""}), ["sim/device/a.hpp:1: is in no room"])
        self.assertEqual(found({"sim/device/new/a.hpp": ""}), ["sim/device/new/a.hpp:1: is in no room"])
        self.assertEqual(found({"sim/check/a.hpp": "", "sim/base/a.hpp": ""}), [])

    def test_a_room_has_no_friend_above_it(self):
        stream, capture = "sim/device/stream/stream.hpp", "sim/device/graph/capture.hpp"
        friend = "class Stream {\n  friend class Capture;\n};\n"
        lines = found({stream: friend, capture: "class Capture final : public Counted,\n  public Other {\n};\n"})
        self.assertEqual(len(lines), 1, lines)
        self.assertTrue(lines[0].startswith(f"{stream}:2: "), lines[0])
        self.assertEqual(found({stream: friend, capture: "class Capture;\n"}), [])
        self.assertEqual(found({stream: friend + "class Capture {\n};\n"}), [])
        self.assertEqual(found({stream: friend, "sim/exec/capture.hpp": "struct CAPABILITY(\"a\") Capture {\n};\n"}), [])

    def test_a_room_declares_no_class_of_a_room_above_it(self):
        observer, stream = "sim/device/machine/observer.hpp", "sim/device/stream/stream.hpp"
        declared = "namespace cuvette::device {\n\nclass Stream;\n\n}  // namespace cuvette::device\n"
        for definition in ("class Stream final : public Counted,\n                     public Other {\n};\n",
                           "class Stream {\n};\n", "class CAPABILITY(\"stream\") Stream {};\n"):
            there = f"namespace cuvette {{\nnamespace device {{\n\n{definition}\n}}  // namespace device\n}}  // namespace cuvette\n"
            lines = found({observer: declared, stream: there})
            self.assertEqual(len(lines), 1, lines)
            self.assertTrue(lines[0].startswith(f"{observer}:3: declares cuvette::device::Stream of sim/device/stream"), lines)
        there = declared.replace("class Stream;", "class Stream {\n};")
        self.assertEqual(len(found({"sim/interop/gl/a.hpp": declared, "sim/interop/external/b.hpp": there})), 1, "the same floor")
        self.assertEqual(len(found({observer: declared.replace("class", "enum class"),
                                    stream: there.replace("class Stream", "enum class Stream : uint8_t")})), 1)
        short = "namespace cuvette::exec {\nclass Grid;\n}\n\n"
        self.assertEqual(len(found({observer: short + declared, stream: short + there})), 1)
        self.assertEqual(found({observer: declared, stream: declared}), [])
        self.assertEqual(found({observer: there, stream: declared}), [])
        self.assertEqual(found({observer: declared, stream: there.replace("device", "other")}), [])
        self.assertEqual(found({observer: declared, stream: there.replace("class", " class")}), [], "inside a class")
        self.assertEqual(found({observer: declared, stream: there, "sim/exec/stream.hpp": there}), [], "also below")

    def test_a_guest_lives_where_it_is_listed(self):
        def gone(files):
            with planted(files) as root:
                return [line for line in layers.gone_guests(root) if "LLVM" in line]

        there = "#include <llvm/IR/Module.h>\n"
        self.assertEqual(gone({"sim/ptx/emit/a.cpp": there}), [])
        self.assertEqual(gone({"sim/ptx/emit/a.cpp": "// " + there}),
                         ["sim/ptx/emit: includes nothing of LLVM, its guest"])
        self.assertEqual(len(gone({"sim/ptx/passes/a.cpp": there})), 1)


if __name__ == "__main__":
    unittest.main()
