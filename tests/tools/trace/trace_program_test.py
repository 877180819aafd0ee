# SPDX-License-Identifier: Apache-2.0
"""`cuvette trace` from outside: trace_program_test.py CUVETTE PROGRAM...

Each program is traced with the order log beside it. The trace must follow the rules, and have the commands of the log
with their kinds, and its edges. Programs are separated by --."""
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from perfetto_file import COUNT, Trace  # noqa: E402

CUVETTE = sys.argv[1]
PROGRAMS = " ".join(sys.argv[2:]).split(" -- ")
EXPLORED = next(program for program in PROGRAMS if "explored" in program).split()[0]


def load(name):
    with open(name, "rb") as file:
        return Trace(file.read())


def commands_of(trace):
    """The commands that the file shows, by name: 1.3 or 1.3.2."""
    return {mark.notes["command"]: mark for track in trace.tracks.values() for mark in track.marks
            if mark.kind != COUNT and "command" in mark.notes and mark.category not in ("host wait", "submit")}


def order_of(trace):
    """What commands and calls there are, where and in which order, and what waits for what."""
    begin = min(mark.time for mark in trace.marks())

    def name(mark):
        return f"{mark.name} at {(mark.time - begin) / 1000:g}"

    for track in trace.tracks.values():
        marks = [mark for mark in track.marks if mark.kind != COUNT and (track.thread or "command" in mark.notes)]
        if marks:
            yield track.name
            yield from ("  " * (mark.inside + 1) + name(mark) for mark in marks)
    yield "arrows"
    yield from sorted(f"  {name(source)} -> {name(target)}" for source, target in trace.flows.values())


class Log:
    """The order log of one process."""

    def __init__(self, name):
        self.kinds, self.edges = {}, set()
        with open(name, encoding="utf-8") as file:
            for line in file:
                words = line.rstrip("\n").split("\t")
                if words[0] == "queued":
                    self.kinds[words[1]] = words[2]
                elif words[0] == "after":
                    self.edges.add((words[2], words[1]))


class Programs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.file = os.path.join(self.folder.name, "trace.pftrace")

    def trace(self, *words, **variables):
        environment = dict(os.environ, **variables)
        return subprocess.run([CUVETTE, "trace", "-o", self.file, *words], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env=environment, encoding="utf-8", errors="replace", check=False)

    def test_shows_what_the_order_log_has(self):
        for program in PROGRAMS:
            with self.subTest(program=program):
                name = os.path.join(self.folder.name, "log")
                if os.path.exists(name):
                    os.remove(name)
                said = self.trace("--", *program.split(), CUVETTE_ORDER_LOG=name)
                trace, log = load(self.file), Log(name)
                found = commands_of(trace)
                # In the log, a kernel's name is part of its kind.
                kinds = {name: mark.category for name, mark in found.items()}
                for name, mark in found.items():
                    if mark.category == "kernel":
                        kinds[name] += " " + mark.notes.get("name", mark.name)
                # The log has the steps of graphs under schedules alone.
                kinds = {name: kind for name, kind in kinds.items() if name in log.kinds or name.count(".") < 2}
                self.assertEqual(kinds, log.kinds, said.stderr)
                names = {id(mark): name for name, mark in found.items()}
                arrows = {(names[id(one)], names[id(other)]) for one, other in trace.flows.values()
                          if id(one) in names and id(other) in names}
                self.assertLessEqual(log.edges, arrows)
                self.assertNotIn("made no sense", said.stderr)

    def test_is_the_same_each_time(self):
        files = []
        for _ in range(3):
            self.trace("--schedule=eager", "--", *PROGRAMS[0].split())
            with open(self.file, "rb") as file:
                files.append(file.read())
        self.assertEqual(files[0], files[1])
        self.assertEqual(files[0], files[2])

    def test_shows_an_example_as_it_did(self):
        example = next((program for program in PROGRAMS if program.endswith("shared_segment")), None)
        if not example:
            self.skipTest("the examples are not built")
        self.trace("--schedule=eager", "--", example)
        trace = load(self.file)
        golden = os.path.join(HERE, "shared_segment.txt")
        text = "\n".join(order_of(trace)) + "\n"
        if "TRACE_UPDATE_GOLDEN" in os.environ:
            with open(golden, "w", encoding="utf-8") as file:
                file.write(text)
        with open(golden, encoding="utf-8") as file:
            self.assertEqual(text, file.read(), "TRACE_UPDATE_GOLDEN=1 writes the file")

    def test_keeps_the_exit_status(self):
        self.assertEqual(self.trace("--", "sh", "-c", f"{EXPLORED} random 1; exit 7").returncode, 7)
        self.assertGreater(len(commands_of(load(self.file))), 0)

    def test_shows_several_processes(self):
        said = self.trace("--time=wall", "--", "sh", "-c", f"{EXPLORED} random 1 & {EXPLORED} random 2; wait")
        trace = load(self.file)
        self.assertEqual(len([track for track in trace.tracks.values() if track.process]), 2, said.stderr)
        self.assertIn("of 2 processes", said.stderr)

    def test_packs_files_that_are_called_so(self):
        self.file += ".gz"
        self.trace("--", EXPLORED, "random", "1")
        with open(self.file, "rb") as file:
            self.assertEqual(file.read(2), b"\x1f\x8b")
        self.assertGreater(len(commands_of(load(self.file))), 0)

    def test_says_what_is_in_the_file(self):
        said = self.trace("--", EXPLORED, "random", "1")
        self.assertRegex(said.stderr, r"cuvette trace: \S+trace.pftrace shows \d+ commands and \d+ calls of 1 process")
        self.assertIn("ui.perfetto.dev", said.stderr)
        self.assertEqual(self.trace("--quiet", "--", EXPLORED, "random", "1").stderr, "")

    def test_speaks_in_its_own_name(self):
        for words in (["--", EXPLORED, "random", "1"], ["--", "/nowhere/program"]):
            said = self.trace(*words).stderr
            self.assertIn("cuvette trace: ", said)
            self.assertNotIn("cuvette run: ", said)

    def test_shows_a_record_that_was_kept(self):
        kept = os.path.join(self.folder.name, "kept")
        os.mkdir(kept)
        first = self.trace("--record", kept, "--", EXPLORED, "random", "1")
        with open(self.file, "rb") as file:
            before = file.read()
        again = self.trace("--from", kept)
        self.assertEqual((first.returncode, again.returncode), (0, 0), again.stderr)
        with open(self.file, "rb") as file:
            self.assertEqual(file.read(), before)

    def test_shows_what_a_killed_program_did(self):
        kept = os.path.join(self.folder.name, "kept")
        os.mkdir(kept)
        with subprocess.Popen([CUVETTE, "run", "--quiet", "--record", kept, "--", EXPLORED, "random", "1"],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as started:
            time.sleep(0.05)
            # The program, too, is killed: it is the child of `cuvette run`.
            children = f"/proc/{started.pid}/task/{started.pid}/children"
            with open(children, encoding="ascii") as file:
                for child in file.read().split():
                    os.kill(int(child), signal.SIGKILL)
        said = self.trace("--from", kept)
        if said.returncode == 0:
            load(self.file)
        else:
            self.assertIn("no process has left a record", said.stderr)

    def test_refuses_what_it_cannot_do(self):
        for words, status, complaint in (
                (["--time=never", "--", "true"], 125, "order"),
                (["--limit=much", "--", "true"], 125, "not a number of bytes"),
                (["--from=/nowhere"], 125, "there is no such folder; CUVETTE_RECORD=FOLDER"),
                (["--from=/dev/null"], 125, "this is no folder"),
                ([f"--from={self.folder.name}"], 125, "no process has left a record"),
                ([], 125, "cuvette trace [OPTIONS]"),
                (["--", "/nowhere"], 127, "No such file"),
                (["--", "true"], 0, "nothing was recorded")):
            with self.subTest(words=words):
                said = self.trace(*words)
                self.assertEqual(said.returncode, status, said.stderr)
                self.assertIn(complaint, said.stderr)
                self.assertFalse(os.path.exists(self.file), "a file with nothing in it")

    def test_finds_out_early_that_it_cannot_write(self):
        self.file = "/nowhere/trace.pftrace"
        said = self.trace("--", "sh", "-c", "echo it ran")
        self.assertEqual((said.returncode, said.stdout), (123, ""))
        self.assertIn("/nowhere/trace.pftrace cannot be written: No such file", said.stderr)
        self.file = "/dev/full"
        said = self.trace("--", EXPLORED, "random", "1")
        self.assertEqual(said.returncode, 123)
        self.assertIn("/dev/full cannot be written: No space left", said.stderr)


unittest.main(argv=sys.argv[:1])
