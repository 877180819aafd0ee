# SPDX-License-Identifier: Apache-2.0
"""Reads a trace of Perfetto, with the standard library alone, and judges it by the rules that its viewers need.

Perfetto's own engine accepts slices that overlap, ends without a beginning and names that are nowhere, and shows
something else. So these are tested here."""
import gzip

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


class Broken(Exception):
    """The file breaks a rule."""


def fields(data):
    """Yields the fields of a message in wire format: number, wire type, value."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == VARINT:
            value, at = varint(data, at)
        elif wire == FIXED64:
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        elif wire == BYTES:
            length, at = varint(data, at)
            value, at = data[at:at + length], at + length
        else:
            raise Broken(f"a field {number} of wire type {wire}")
        if at > len(data):
            raise Broken(f"a field {number} is longer than its message")
        yield number, wire, value


def varint(data, at):
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise Broken("a number without an end")
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7


# The messages as far as Cuvette writes them: number -> (name, type). A type is u (an integer), f (fixed64), s (a text
# of UTF-8), or another message; * is a field that may be repeated.
MESSAGES = {
    "packet": {6: ("clock_snapshot", "snapshot"), 8: ("timestamp", "u"), 10: ("sequence", "u"), 11: ("event", "event"),
               12: ("interned", "interned"), 13: ("flags", "u"), 58: ("clock", "u"), 59: ("defaults", "defaults"),
               60: ("track", "track"), 87: ("first", "u")},
    "snapshot": {1: ("*clocks", "clock")},
    "clock": {1: ("id", "u"), 2: ("timestamp", "u")},
    "defaults": {58: ("clock", "u")},
    "track": {1: ("uuid", "u"), 2: ("name", "s"), 3: ("process", "process"), 4: ("thread", "thread"),
              5: ("parent", "u"),
              8: ("counter", "counter"), 11: ("ordering", "u"), 12: ("rank", "u"), 14: ("description", "s"),
              15: ("merging", "u")},
    "process": {1: ("pid", "u"), 2: ("*command_line", "s"), 6: ("name", "s")},
    "thread": {1: ("pid", "u"), 2: ("tid", "u"), 5: ("name", "s")},
    "counter": {3: ("unit", "u")},
    "event": {3: ("*categories", "u"), 4: ("*notes", "note"), 9: ("type", "u"), 10: ("name", "u"),
              11: ("track", "u"), 30: ("value", "u"), 47: ("*flows", "f"), 48: ("*ending_flows", "f")},
    "note": {1: ("key", "u"), 3: ("number", "u"), 6: ("text", "s"), 17: ("repeated_text", "u")},
    "interned": {1: ("*categories", "text"), 2: ("*names", "text"), 3: ("*keys", "text"), 29: ("*texts", "text")},
    "text": {1: ("number", "u"), 2: ("text", "s")},
}
WIRES = {"u": VARINT, "f": FIXED64}


def message(kind, data):
    """Returns a message as a dictionary. A field that Cuvette does not write breaks a rule."""
    known = MESSAGES[kind]
    found = {name[1:]: [] for name, _ in known.values() if name[0] == "*"}
    for number, wire, value in fields(data):
        if number not in known:
            raise Broken(f"unknown field {number} in {kind}")
        name, of = known[number]
        if wire != WIRES.get(of, BYTES):
            raise Broken(f"field {name} of {kind} has wire type {wire}")
        if of == "s":
            try:
                value = bytes(value).decode("utf-8")
            except UnicodeDecodeError:
                raise Broken(f"field {name} of {kind} is no UTF-8") from None
        elif wire == BYTES:
            value = message(of, value)
        if name[0] == "*":
            found[name[1:]].append(value)
        elif name in found:
            raise Broken(f"field {name} of {kind} is there twice")
        else:
            found[name] = value
    return found


BEGIN, END, INSTANT, COUNT = 1, 2, 3, 4
MONOTONIC, CLOCKS = 3, {1, 3, 6}


class Mark:
    """A slice or an instant, or a value of a counter."""

    def __init__(self, kind, time, name="", category="", notes=(), value=None):
        self.kind, self.time, self.end, self.name, self.category = kind, time, time, name, category
        self.notes, self.value, self.sources, self.targets, self.inside = dict(notes), value, [], [], 0


class Track:
    def __init__(self, descriptor):
        self.uuid, self.parent = descriptor["uuid"], descriptor.get("parent", 0)
        self.process, self.thread = descriptor.get("process"), descriptor.get("thread")
        named = self.process or self.thread or descriptor
        self.name, self.description = named.get("name", ""), descriptor.get("description", "")
        self.is_counter = "counter" in descriptor
        self.children, self.marks, self.open, self.last = [], [], [], 0


def signed(value):
    return value - (1 << 64) if value is not None and value >= 1 << 63 else value


class Trace:
    """A trace that follows the rules; otherwise its constructor raises Broken."""

    def __init__(self, data):
        if data[:2] == b"\x1f\x8b":
            data = gzip.decompress(data)
        self.tracks, self.flows, self.time = {}, {}, 0
        self.tables = {"categories": {}, "names": {}, "keys": {}, "texts": {}}
        self.has_clocks = False
        count = 0
        for number, wire, value in fields(memoryview(data)):
            if number != 1 or wire != BYTES:
                raise Broken(f"unknown field {number} in the file")
            try:
                self.packet(message("packet", value), count == 0)
            except Broken as broken:
                raise Broken(f"packet {count}: {broken}") from None
            count += 1
        self.finish()

    def packet(self, packet, is_first):
        if packet.get("sequence") != 1:
            raise Broken("it is of no sequence")
        if packet.get("flags") != (3 if is_first else 2):
            raise Broken("its sequence flags are wrong")
        if is_first and (packet.get("defaults", {}).get("clock") != MONOTONIC or packet.get("first") != 1):
            raise Broken("the first does not name the clock")
        if "clock_snapshot" in packet:
            if {clock["id"] for clock in packet["clock_snapshot"]["clocks"]} != CLOCKS:
                raise Broken("a snapshot lacks a clock")
            self.has_clocks = True
        if "interned" in packet:
            for table, texts in packet["interned"].items():
                for text in texts:
                    if text["number"] in self.tables[table] or not text["number"]:
                        raise Broken(f"number {text['number']} of {table} is there twice, or 0")
                    self.tables[table][text["number"]] = text["text"]
        if "track" in packet:
            self.add_track(packet["track"])
        if "event" in packet:
            if not self.has_clocks:
                raise Broken("an event comes before the clocks")
            self.add_event(packet["event"], packet.get("timestamp"))

    def add_track(self, descriptor):
        track = Track(descriptor)
        if not track.uuid or track.uuid in self.tracks:
            raise Broken(f"track {track.uuid} is there twice, or has no number")
        if track.parent and track.parent not in self.tracks:
            raise Broken(f"track {track.uuid} comes before its parent {track.parent}")
        if descriptor.get("merging") != 2:
            raise Broken(f"track {track.uuid} would be merged with one of its name")
        if track.thread:
            process = self.tracks[track.parent].process if track.parent else None
            if not process or process["pid"] != track.thread["pid"]:
                raise Broken(f"thread {track.uuid} is not in its process")
        for other in self.tracks.values():
            for kind, number in (("process", "pid"), ("thread", "tid")):
                mine, theirs = getattr(track, kind), getattr(other, kind)
                if mine and theirs and mine[number] == theirs[number]:
                    raise Broken(f"two of {kind} have the number {mine[number]}")
        if track.process and not 0 < track.process["pid"] < 1 << 31:
            raise Broken(f"a process has the number {track.process['pid']}")
        self.tracks[track.uuid] = track
        if track.parent:
            self.tracks[track.parent].children.append(track)

    def text(self, table, number):
        if number not in self.tables[table]:
            raise Broken(f"number {number} of {table} is nowhere")
        return self.tables[table][number]

    def note(self, note):
        values = [note[kind] for kind in ("number", "text", "repeated_text") if kind in note]
        if len(values) != 1:
            raise Broken("a note has no value, or several")
        value = self.text("texts", values[0]) if "repeated_text" in note else values[0]
        return self.text("keys", note.get("key")), value

    def add_event(self, event, time):
        if event.get("track") not in self.tracks:
            raise Broken(f"an event is on track {event.get('track')}, which is nowhere")
        track, kind = self.tracks[event["track"]], event.get("type")
        if time is None or time >= 1 << 63:
            raise Broken("an event has no time, or one that is too late")
        if time < track.last:
            raise Broken(f"time runs back on track {track.uuid}")
        if time < self.time:
            raise Broken("events are not in the order of their times")
        self.time = track.last = time
        if kind not in (BEGIN, END, INSTANT, COUNT):
            raise Broken(f"an event has type {kind}")
        if (kind == COUNT) != track.is_counter or (kind == COUNT) != ("value" in event):
            raise Broken(f"an event of type {kind} on track {track.uuid}, or its value")
        if kind == END:
            if not track.open:
                raise Broken(f"an end without a beginning on track {track.uuid}")
            if "name" in event or any(value for value in event.values() if isinstance(value, list)):
                raise Broken("an end has more than its time")
            track.open.pop().end = time
            return
        if kind != COUNT and "name" not in event:
            raise Broken("a slice has no name")
        mark = Mark(kind, time, self.text("names", event["name"]) if "name" in event else "",
                    ",".join(self.text("categories", one) for one in event["categories"]),
                    [self.note(note) for note in event["notes"]], signed(event.get("value")))
        mark.inside = len(track.open)
        track.marks.append(mark)
        if kind == BEGIN:
            track.open.append(mark)
        self.add_flows(mark, event)

    def add_flows(self, mark, event):
        for flow in event["ending_flows"]:
            source, target = self.flows.get(flow, (None, None))
            if source is None or target is not None:
                raise Broken(f"flow {flow} ends without a source, or twice")
            self.flows[flow] = (source, mark)
            mark.sources.append(flow)
        for flow in event["flows"]:
            if flow in self.flows:
                raise Broken(f"flow {flow} has two sources")
            self.flows[flow] = (mark, None)
            mark.targets.append(flow)

    def finish(self):
        if not self.has_clocks:
            raise Broken("there is nothing in the file")
        for track in self.tracks.values():
            if track.open:
                raise Broken(f"{track.open[-1].name} on track {track.uuid} has no end")
            if not track.parent and not track.process and track.marks and not track.children:
                raise Broken(f"track {track.uuid} has neither a parent nor children")
        for flow, (source, target) in self.flows.items():
            if target is None:
                raise Broken(f"flow {flow} has no target")
            if source.end > target.time:
                raise Broken(f"flow {flow} leads back")

    def marks(self):
        return [mark for track in self.tracks.values() for mark in track.marks if mark.kind != COUNT]

    def lines(self):
        """The trace as text: tracks as a tree, times in microseconds from the first."""
        times = [mark.time for track in self.tracks.values() for mark in track.marks]
        first = min(times, default=0)
        numbers = {flow: number for number, flow in enumerate(sorted(self.flows), 1)}

        def time(value):
            return f"{(value - first) / 1000:g}"

        def show(track, indent):
            yield indent + track.name
            for mark in track.marks:
                if mark.kind == COUNT:
                    yield f"{indent}  {time(mark.time)}: {mark.value}"
                    continue
                text = f"{indent}  {'  ' * mark.inside}{time(mark.time)}"
                text += f" to {time(mark.end)}" if mark.kind == BEGIN else ""
                text += f": {mark.name}" + (f" [{mark.category}]" if mark.category else "")
                text += "".join(f" <-{numbers[flow]}" for flow in sorted(mark.sources))
                text += "".join(f" {numbers[flow]}->" for flow in sorted(mark.targets))
                yield text + "".join(f"; {key}: {value}" for key, value in mark.notes.items())
            for child in track.children:
                yield from show(child, indent + "  ")

        for track in self.tracks.values():
            if not track.parent:
                yield from show(track, "")
