# SPDX-License-Identifier: Apache-2.0
"""Each rule of trace_check is broken once, and must be noticed."""
import os
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from perfetto_file import BEGIN, COUNT, END, INSTANT, Broken, Trace  # noqa: E402


def varint(value):
    out = b""
    while value >= 128:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    """A field: an integer, bytes or text, a list of such, or a tuple (fixed64,)."""
    if isinstance(value, list):
        return b"".join(field(number, one) for one in value)
    if isinstance(value, tuple):
        return varint(number << 3 | 1) + value[0].to_bytes(8, "little")
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    if isinstance(value, str):
        value = value.encode()
    return varint(number << 3 | 2) + varint(len(value)) + value


def msg(**values):
    """A message: f8=5 is its field 8."""
    return b"".join(field(int(name[1:]), value) for name, value in values.items())


def packet(is_first=False, sequence=1, flags=None, **values):
    more = {"f59": msg(f58=3), "f87": 1} if is_first else {}
    return msg(**values, f10=sequence, f13=flags if flags is not None else 3 if is_first else 2, **more)


CLOCKS = packet(True, f6=msg(f1=[msg(f1=one, f2=5) for one in (6, 3, 1)]))
NAMES = packet(f12=msg(f1=msg(f1=1, f2="kernel"), f2=[msg(f1=1, f2="fill"), msg(f1=2, f2="sum")],
                       f3=msg(f1=1, f2="called at"), f29=msg(f1=1, f2="main (a.cpp:1)")))


def track(uuid, parent=0, merging=2, **values):
    parents = {"f5": parent} if parent else {}
    return packet(f60=msg(f1=uuid, **parents, **values, f11=3, f12=1, f15=merging))


GROUP, ONE, TWO = track(1, f2="Device 0"), track(2, 1, f2="stream 1"), track(3, 1, f2="stream 2")
COUNTER = track(4, 1, f2="pending", f8=msg(f3=2))
PROCESS = track(5, f3=msg(f1=4242, f6="program"))
THREAD = track(6, 5, f4=msg(f1=4242, f2=4242, f5="main"))
TRACKS = [CLOCKS, GROUP, ONE, TWO, COUNTER, PROCESS, THREAD, NAMES]


def event(time, kind, on, name=1, **values):
    names = {"f10": name} if kind in (BEGIN, INSTANT) and name else {}
    return packet(f8=time, f11=msg(f9=kind, f11=on, **names, **values))


def begin(time, on, **values):
    return event(time, BEGIN, on, **values)


def end(time, on, **values):
    return event(time, END, on, **values)


GOOD = [begin(10, 2, f3=1, f47=(7,), f4=[msg(f1=1, f17=1), msg(f1=1, f6="text"), msg(f1=1, f3=5)]),
        begin(11, 2, name=2), end(12, 2), end(13, 2), begin(13, 2), end(13, 2),
        begin(14, 3, f48=(7,)), event(14, INSTANT, 3), end(15, 3),
        event(15, COUNT, 4, f30=3), begin(16, 6), end(17, 6)]


def trace(packets):
    return Trace(b"".join(field(1, one) for one in packets))


class Rules(unittest.TestCase):
    def broken(self, packets, complaint):
        with self.assertRaisesRegex(Broken, complaint):
            trace(packets)

    def test_accepts_what_follows_them(self):
        good = trace(TRACKS + GOOD)
        self.assertEqual(len(good.marks()), 6)
        self.assertEqual(len(good.flows), 1)
        self.assertIn("    stream 1", "\n".join([f"  {line}" for line in good.lines()]))
        self.assertIn("fill [kernel] 1->; called at: 5", "\n".join(good.lines()))

    def test_unknown_field(self):
        self.broken(TRACKS + [packet(f8=1, f99=1)], "unknown field 99 in packet")
        self.broken(TRACKS + [event(1, INSTANT, 2, f55=b"")], "unknown field 55 in event")
        with self.assertRaisesRegex(Broken, "unknown field 2 in the file"):
            Trace(field(2, b""))

    def test_wire_format(self):
        self.broken(TRACKS + [packet(f8=b"x")], "wire type 2")
        self.broken(TRACKS + [packet(f8=1) + b"\x8a"], "without an end")
        self.broken(TRACKS + [packet(f8=1) + b"\x5a\x7f"], "longer than its message")
        self.broken(TRACKS + [b"\x0b"], "wire type 3")
        self.broken(TRACKS + [packet(f8=[1, 2])], "there twice")

    def test_texts(self):
        self.broken(TRACKS + [track(9, f2=b"\xff")], "no UTF-8")

    def test_sequence(self):
        self.broken(TRACKS + [packet(sequence=2)], "no sequence")
        self.broken(TRACKS + [packet(flags=3)], "flags")
        self.broken([packet(f6=msg())], "flags")
        self.broken([packet(flags=3)], "does not name the clock")

    def test_clocks(self):
        self.broken([packet(True, f6=msg(f1=[msg(f1=3, f2=5), msg(f1=1, f2=5)]))], "lacks a clock")
        self.broken([], "nothing in the file")
        self.broken([packet(True), GROUP, ONE, NAMES] + GOOD, "before the clocks")

    def test_tracks(self):
        self.broken([CLOCKS, ONE, GROUP], "before its parent")
        self.broken([CLOCKS, GROUP, GROUP], "there twice")
        self.broken([CLOCKS, track(1, merging=1)], "merged")
        self.broken([CLOCKS, PROCESS, track(6, 5, f4=msg(f1=1, f2=1))], "not in its process")
        self.broken([CLOCKS, PROCESS, track(6, f3=msg(f1=4242))], "two of process")
        self.broken([CLOCKS, PROCESS, THREAD, track(7, 5, f4=msg(f1=4242, f2=4242))], "two of thread")
        self.broken([CLOCKS, track(6, f3=msg(f1=1 << 31))], "a process has the number")
        self.broken(TRACKS + [event(1, INSTANT, 99)], "track 99, which is nowhere")
        self.broken([CLOCKS, GROUP, NAMES, event(1, INSTANT, 1)], "neither a parent nor children")

    def test_ends_and_beginnings(self):
        self.broken(TRACKS + [end(5, 2)], "end without a beginning")
        self.broken(TRACKS + [begin(5, 2), end(6, 3)], "end without a beginning")
        self.broken(TRACKS + [begin(5, 2)], "fill on track 2 has no end")
        self.broken(TRACKS + [begin(5, 2), end(6, 2, f47=(1,))], "more than its time")
        # Slices that overlap on one track have one end too many at a time, or none at the end.
        self.broken(TRACKS + [begin(5, 2), begin(6, 2), end(7, 2)], "has no end")

    def test_time(self):
        self.broken(TRACKS + [begin(5, 2), end(4, 2)], "runs back on track 2")
        self.broken(TRACKS + [event(5, INSTANT, 2), event(4, INSTANT, 3)], "not in the order")
        self.broken(TRACKS + [event(1 << 63, INSTANT, 2)], "too late")

    def test_events(self):
        self.broken(TRACKS + [event(5, 5, 2)], "type 5")
        self.broken(TRACKS + [event(5, COUNT, 2, f30=1)], "type 4 on track 2")
        self.broken(TRACKS + [event(5, COUNT, 4)], "or its value")
        self.broken(TRACKS + [event(5, INSTANT, 4)], "type 3 on track 4")
        self.broken(TRACKS + [event(5, INSTANT, 2, name=0)], "no name")

    def test_interned(self):
        self.broken(TRACKS + [event(5, INSTANT, 2, name=3)], "number 3 of names is nowhere")
        self.broken(TRACKS + [event(5, INSTANT, 2, f3=2)], "number 2 of categories is nowhere")
        self.broken(TRACKS + [event(5, INSTANT, 2, f4=msg(f1=2, f3=1))], "number 2 of keys is nowhere")
        self.broken(TRACKS + [event(5, INSTANT, 2, f4=msg(f1=1, f17=2))], "number 2 of texts is nowhere")
        self.broken(TRACKS + [event(5, INSTANT, 2, f4=msg(f1=1))], "no value")
        self.broken(TRACKS + [NAMES], "is there twice, or 0")

    def test_flows(self):
        self.broken(TRACKS + [event(5, INSTANT, 2, f47=(1,))], "flow 1 has no target")
        self.broken(TRACKS + [event(5, INSTANT, 2, f48=(1,))], "without a source")
        self.broken(TRACKS + [event(5, INSTANT, 2, f47=(1,)), event(5, INSTANT, 3, f47=(1,))], "two sources")
        self.broken(TRACKS + [event(5, INSTANT, 2, f47=(1,)), event(6, INSTANT, 3, f48=(1,)),
                              event(7, INSTANT, 3, f48=(1,))], "or twice")
        self.broken(TRACKS + [begin(5, 2, f47=(1,)), event(6, INSTANT, 3, f48=(1,)), end(7, 2)], "leads back")

    def test_the_command(self):
        with tempfile.TemporaryDirectory() as folder:
            names = []
            for name, packets in (("good", TRACKS + GOOD), ("bad", TRACKS + [end(5, 2)])):
                names.append(os.path.join(folder, name))
                with open(names[-1], "wb") as file:
                    file.write(b"".join(field(1, one) for one in packets))
            said = subprocess.run([sys.executable, "-B", os.path.join(HERE, "trace_check"), *names],
                                  stdout=subprocess.PIPE, text=True, check=False)
            self.assertEqual(said.returncode, 1)
            self.assertIn("good: 6 slices and instants, 1 arrows, 6 tracks", said.stdout)
            self.assertIn("bad: packet 8: an end without a beginning on track 2", said.stdout)


unittest.main()
