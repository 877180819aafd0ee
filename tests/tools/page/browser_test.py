#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests of the page in a browser: browser_test.py WRITE_PAGES

WRITE_PAGES is the program that writes pages of records that were made by hand (write_pages.cpp)."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from browser import Browser  # noqa: E402

SMALL = ("race", "repaired", "windows", "opengl", "graph", "host", "killed", "hostile", "empty", "processes", "beside",
         "profile", "pool", "names", "fails")


class PageTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = Browser()
        cls.folder = tempfile.TemporaryDirectory(prefix="cuvette_page_")
        subprocess.run([WRITE_PAGES, cls.folder.name], check=True)

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.folder.cleanup()

    def setUp(self):
        self.browser.set_size(1280, 1000)
        self.browser.set_media(prefers_color_scheme="light")
        self.browser.console()

    def tearDown(self):
        self.assertEqual(self.browser.console(), [])

    def open(self, name):
        return self.browser.open(os.path.join(self.folder.name, name + ".html"))

    def script(self, text, *arguments):
        return self.browser.script(text, *arguments)

    def text(self, selector):
        return self.script("return document.querySelector(arguments[0])?.innerText", selector)

    def press(self, *keys):
        """Presses keys, where the focus is."""
        from selenium.webdriver.common.action_chains import ActionChains
        for key in keys:
            ActionChains(self.browser.driver).send_keys(key).perform()
        self.browser.settle()

    def press_shift(self, key):
        from selenium.webdriver.common.action_chains import ActionChains
        from selenium.webdriver.common.keys import Keys
        ActionChains(self.browser.driver).key_down(Keys.SHIFT).send_keys(key).key_up(Keys.SHIFT).perform()
        self.browser.settle()

    def key(self, name):
        from selenium.webdriver.common.keys import Keys
        return getattr(Keys, name)

    def pointer(self, plot, x, y, to_x=None):
        """Clicks at a place of a picture, or drags from there."""
        from selenium.webdriver.common.action_chains import ActionChains
        box = self.script(f"const b = cuvette.views[0].{plot}.box; b.scrollIntoView({{block: 'center'}});"
                          "const r = b.getBoundingClientRect(); return [r.left, r.top]")
        actions = ActionChains(self.browser.driver)
        actions.w3c_actions.pointer_action.move_to_location(round(box[0] + x), round(box[1] + y))
        if to_x is None:
            actions.w3c_actions.pointer_action.click()
        else:
            actions.w3c_actions.pointer_action.pointer_down()
            actions.w3c_actions.pointer_action.move_to_location(round(box[0] + to_x), round(box[1] + y))
            actions.w3c_actions.pointer_action.pointer_up()
        actions.perform()
        self.browser.settle()

    def place_of(self, plot, what, item):
        return self.script(
            "const h = cuvette.views[0][arguments[0]].hits.find(h => h.target.what === arguments[1] && "
            "h.target.item === arguments[2]); return [h.x + h.width / 2, h.y + h.height / 2]", plot, what, item)

    # --- what is said

    def test_a_race_is_named_with_the_calls_that_mend_it(self):
        self.open("race")
        self.assertEqual(self.text(".verdict"), "Nothing orders kernel scale and copy. Both touch 128 KiB of values.")
        self.assertEqual(self.text(".cure"), "To order them, add\n\ncuEventRecord(event, stream1);\n"
                         "after kernel scale (1.2), race.cpp:31\ncuStreamWaitEvent(stream2, event, 0);\nbefore copy (2.1), race.cpp:34")

    def test_the_orders_of_accesses_are_told(self):
        self.open("race")
        rows = self.script("return [...document.querySelectorAll('.bytes .grid-body .grid-row')].map(r => r.innerText)")
        self.assertEqual([row.split("\n")[2] for row in rows],
                         ["the first", "nothing orders it with 1", "nothing orders it with 2"])
        self.open("repaired")
        self.script("cuvette.views[0].select({bytes: {space: 0, from: 65536, to: 65537}});"
                    "cuvette.views[0].select({command: 4}, {keepsBytes: true})")
        self.assertIn("event record event 1 (1.3) before event wait event 1 (2.1): an event", self.text(".chain"))
        self.assertNotIn("nothing orders", self.text(".bytes"))
        self.assertIn("touched this byte, in this order.", self.text(".bytes"))

    def test_bytes_that_are_seen_twice_are_selected_at_first(self):
        self.open("windows")
        self.assertIn("128 KiB of segment 1 are seen through two windows.", self.text(".report-card"))
        self.assertEqual(self.text(".bytes h3"), "segment 1 [256 KiB, 384 KiB)")
        pieces = self.script("return cuvette.views[0].map.shown[0].twice.map(p => [p.from, p.to, p.windows])")
        self.assertEqual(pieces, [[262144, 393216, 2], [720896, 786432, 2]])

    def test_pieces_of_three_windows_are_told_from_those_of_two(self):
        self.open("empty")
        seen_twice = """
            const view = {memories: {rows: 0, offset: arguments[0].map(w => w[0]), size: arguments[0].map(w => w[1]), space: [],
                                     began: [], ended: []},
                          spaces: {rows: 0}, touches: {space: [], command: []}, commands: {rows: 0}};
            const spaces = Object.create(Object.getPrototypeOf(cuvette.views[0].spaces));
            spaces.view = view;
            return spaces.seenTwice(arguments[0].map((_, i) => i)).map(p => [p.from, p.to])"""
        for windows, pieces in (
                ([[0, 10], [10, 10]], []),
                ([[0, 10], [5, 10]], [[5, 10]]),
                ([[0, 10], [0, 10], [0, 10]], [[0, 10]]),
                ([[0, 10], [2, 4], [8, 10]], [[2, 6], [8, 10]]),
                ([[0, 0], [0, 10]], []),
                ([[0, 10], [5, 10], [5, 5], [20, 5]], [[5, 10]])):
            found = self.script(seen_twice, windows)
            joined = []
            for begin, end in found:  # neighbours may be one piece or two
                if joined and joined[-1][1] == begin:
                    joined[-1][1] = end
                else:
                    joined.append([begin, end])
            self.assertEqual(joined, pieces, windows)

    def test_a_graph_is_mended_by_a_dependency(self):
        self.open("graph")
        self.assertIn("cuGraphAddDependencies", self.text(".cure"))
        self.assertIn("from kernel edges (1.1 step 3) to kernel join (1.1 step 4)", self.text(".cure"))

    def test_a_host_that_does_not_wait_is_mended_by_a_wait(self):
        self.open("host")
        self.assertIn("cuStreamSynchronize(stream1);\nbefore cuMemcpyHtoD_v2, early.cpp:26", self.text(".cure"))

    def test_processes_are_ordered_by_a_semaphore(self):
        self.open("processes")
        self.assertIn("cuSignalExternalSemaphoresAsync", self.text(".cure"))
        self.assertIn("consumer", self.script("return cuvette.views[0].names.window(1)"))

    def test_a_killed_process_is_called_that(self):
        self.open("killed")
        notice = self.text(".notice")
        for words in ("did not end by itself", "3 records found no room", "1 record made no sense"):
            self.assertIn(words, notice)
        several = """
            const processes = Array.from({length: arguments[0]}, () => ({ended: null, dropped: 0}));
            const view = {run: {processes, commands: {rows: 1}, calls: {rows: 1}, unreadable: 0}, names: {process: (i) => `p${i}`}};
            return Object.getPrototypeOf(cuvette.views[0]).notices.call(view)[0].innerText"""
        self.assertIn("2 processes did not end by themselves (p0, p1): ", self.script(several, 2))
        self.assertIn("4 processes did not end by themselves (p0, p1, p2, ...): ", self.script(several, 4))
        self.script("cuvette.views[0].select({command: 3})")
        self.assertIn("did not begin", self.text(".details"))
        self.script("cuvette.views[0].select({command: 1})")
        self.assertIn("did not end", self.text(".details"))

    def test_calls_that_failed_are_told_where_nothing_was_reported(self):
        self.open("repaired")
        self.assertNotIn("returned an error", self.text(".report-card"))
        self.assertIn("--check=races", self.text(".report-card"))
        found = self.script("""
            const names = {call: (call) => ["cuMemFree_v2", "cudaMemcpy", "cuMemcpy", "cuEventQuery", "cudaGetLastError"][call]};
            const calls = {rows: 5, thread: [0, 0, 0, 0, 1], result: [0, 1, 1, 600, 1], began: [0, 10, 12, 30, 5],
                           ended: [5, 20, 15, 40, 9]};
            return Object.getPrototypeOf(cuvette.views[0].reports).failedCalls.call({view: {names, run: {calls}}})""")
        self.assertEqual(found, [1])
        self.open("windows")
        self.assertIn("--check=races", self.text(".report-card"))

    def test_offsets_are_exact(self):
        self.open("windows")
        for offset, text in ((1000, "1000"), (1024, "1 KiB"), (1536 * 1024, "1.5 MiB"), ((4 << 20) + 4096, "4100 KiB"),
                             (4000, "0xfa0"), (5 << 30, "5 GiB")):
            touch = self.script("const from = arguments[0];"
                                "return cuvette.views[0].names.touch({space: 0, from, to: from + 1, reads: true, writes: false})", offset)
            self.assertEqual(touch, "reads 1 byte of segment 1 at " + text)
        for begin, end, text in ((1000, 4000, "[0x3e8, 0xfa0)"), (0, 4096, "[0, 4 KiB)")):
            self.script("cuvette.views[0].select({bytes: {space: 0, from: arguments[0], to: arguments[1]}})", begin, end)
            self.assertEqual(self.text(".bytes h3"), "segment 1 " + text)

    def test_the_words_of_a_missing_edge_cover_no_bar(self):
        for name in ("race", "processes"):
            self.open(name)
            covered = self.script("""
                const hits = cuvette.views[0].timeline.hits;
                const words = hits.find((hit) => hit.target.text === "nothing orders these");
                return words ? hits.filter((hit) => hit.target.what === "command" && hit.x < words.x + words.width
                  && words.x < hit.x + hit.width && hit.y < words.y + words.height && words.y < hit.y + hit.height).length : -1""")
            self.assertEqual(covered, 0, name)

    def test_nothing_is_a_page(self):
        self.open("empty")
        self.assertIn("Nothing was recorded", self.text(".notice"))

    def test_selecting_a_launch_selects_its_lines(self):
        self.open("profile")
        self.assertIn("32 sectors where 4 would do.", self.text(".extra"))
        related = "return [...document.querySelectorAll('.extra .related')].map(r => r.firstChild.innerText)"
        self.assertEqual(self.script(related), [])
        self.pointer("timeline", *self.place_of("timeline", "command", 1))
        self.assertEqual(self.script(related), ["race.cu:12", "race.cu:15"])
        self.assertIn("global load of 4 bytes", self.text(".extra .note"))
        self.assertIn("race.cu:12 32 sectors where 4 would do.", self.text(".details"))
        self.pointer("timeline", *self.place_of("timeline", "command", 0))
        self.assertEqual(self.script(related), [])
        self.assertEqual(self.text(".extra .note"), "")
        self.assertNotIn("Worst lines", self.text(".details"))

    def test_selecting_a_line_selects_its_launches(self):
        self.open("profile")
        self.script("document.querySelector('.extra .grid-scroll').focus()")
        self.press(self.key("ARROW_DOWN"), self.key("ARROW_DOWN"), self.key("ENTER"))
        self.assertEqual(self.script("const s = cuvette.views[0].state; return [s.command, s.launches]"), [1, [1]])
        self.assertIn("16 instructions", self.text(".extra .note"))
        self.assertIn("1 launch: 1.2", self.text(".extra .note"))
        # The page has no launch of the other kernel.
        self.press(self.key("HOME"), self.key("ENTER"))
        self.assertIn("global store", self.text(".extra .note"))
        self.assertNotIn("launch", self.text(".extra .note"))
        tree = self.browser.accessibility_tree()
        for wanted in (("grid", "Lines of kernels"), ("columnheader", "Advice"), ("gridcell", "race.cu:12")):
            self.assertIn(wanted, tree)

    def test_how_a_run_ended_is_said_above_its_reports(self):
        self.open("beside")
        cards = self.script("return [...document.querySelectorAll('.outcome')].map(c => c.innerText)")
        for words in ("The program fails: exit status 1.", "the bytes differ", "wrong: 7 instead of 8", "<b>bold</b>",
                      "cuvette run --schedule=replay:1.2 -- ./race"):
            self.assertIn(words, cards[0])
        self.assertEqual(cards[1], "The program passes.")
        # The order that fails shows the race that makes it fail.
        self.assertIn("Nothing orders kernel scale and copy", self.text(".view"))
        self.open("fails")
        self.assertNotIn("No mistake was reported", self.text("body"))
        self.assertIn("The program fails: exit status 1.", self.text(".report-card"))

    def test_memory_of_a_pool_stays_until_its_free_has_run(self):
        self.open("pool")
        scale, free = 1, 2
        self.script("cuvette.views[0].select({memory: 0})")
        self.assertIn("the memory is there until the command has run", self.text(".details"))
        freed = """
            const view = cuvette.views[0];
            view.set({moment: arguments[0]});
            return [view.map.freedText(0), view.spaces.isAlive(0, view.state.moment)]"""
        submitted, ended = self.script("const c = cuvette.views[0].run.commands; return [c.submitted[2], c.ended[2]]")
        began = self.script("return cuvette.views[0].run.commands.began[arguments[0]]", free)
        self.assertLess(submitted, self.script("return cuvette.views[0].run.commands.ended[arguments[0]]", scale))
        self.assertEqual(self.script(freed, submitted - 1), ["", True])
        self.assertEqual(self.script(freed, submitted + 1), ["will be freed by 1.3", True])
        self.assertEqual(self.script(freed, began), ["will be freed by 1.3", True])
        self.assertEqual(self.script(freed, ended), ["", False])

    # --- names

    def test_names_that_do_not_fit_are_whole_elsewhere(self):
        self.open("names")
        whole = "void (anonymous namespace)::deep::Sum<float, 4>::accumulate<Tile<int>>(float const*, int)"
        self.assertEqual(self.script("return cuvette.views[0].names.commandBriefly(1)"), "accumulate")
        self.script("cuvette.views[0].select({command: 1})")
        self.assertEqual(self.text(".details h3"), "Kernel deep::Sum::accumulate (2.1)")
        self.assertIn(whole, self.text(".details"))
        self.assertIn(whole, self.script("return cuvette.views[0].timeline.describe({what: 'command', item: 1})"))
        self.script("cuvette.views[0].select({memory: 0})")
        self.assertIn("accumulated_contributions_of_all_blocks", self.text(".details"))
        for name, short in (("scale(float*)", "scale"), ("operator", "operator"), ("<lambda>", "<lambda>"),
                            ("(anonymous namespace)::f<A<1>, B>::g(C<2>)", "f::g"), ("values", "values")):
            self.assertEqual(self.brief(name), short)

    def brief(self, name):
        """How the page calls an allocation of this name."""
        return self.script("""
            const {names} = cuvette.views[0];
            const probe = Object.create(names);
            probe.text = (column) => column;
            probe.view = {spaces: {name: arguments[0]}};
            return probe.space(0)""", name)

    def test_arrows_go_behind_bars_and_words_come_last(self):
        self.open("names")
        drawn = self.script("""
            const {timeline} = cuvette.views[0];
            const drawn = [];
            for (const what of ["arrow", "box", "text"]) {
              const was = timeline.painter[what];
              timeline.painter[what] = function (...words) { drawn.push([what, words[0]]); return was.apply(this, words); };
            }
            timeline.drawNow();
            return drawn""")
        kinds = [kind for kind, _ in drawn]
        first_name = next(i for i, (kind, text) in enumerate(drawn) if kind == "text" and text.startswith("accumu"))
        arrow = kinds.index("arrow")
        boxes = [i for i, kind in enumerate(kinds) if kind == "box" and arrow < i < first_name]
        self.assertGreaterEqual(len(boxes), 5, "bars are drawn after the arrow")

    def test_orders_are_shown_beside_each_other(self):
        self.open("beside")
        titles = self.script("return [...document.querySelectorAll('.view-title')].map(t => t.innerText)")
        self.assertEqual(titles, ["The order that fails", "The order that passes"])
        tops = self.script("return [...document.querySelectorAll('.view')].map(v => v.getBoundingClientRect().top)")
        self.assertEqual(tops[0], tops[1])
        self.press("v", self.key("HOME"))
        self.assertEqual(self.script("return cuvette.views.map(v => v.state.command)"), [-1, 0])

    # --- the order

    def test_orders_are_those_of_the_model(self):
        self.open("random")
        with open(os.path.join(self.folder.name, "random.json"), encoding="utf-8") as file:
            pairs = json.load(file)
        for view, wanted in enumerate(pairs):
            found = self.script("""
                const {order, run} = cuvette.views[arguments[0]];
                const pairs = [];
                for (let a = 0; a < run.commands.rows; a += 1)
                  for (let b = 0; b < run.commands.rows; b += 1) if (order.isBefore(a, b)) pairs.push([a, b]);
                return pairs""", view)
            self.assertEqual(sorted(found), sorted(wanted), view)
            broken = self.script("""
                const {order, run} = cuvette.views[arguments[1]];
                const {commands, edges, calls, waits} = run;
                const broken = [];
                for (const [a, b] of arguments[0]) {
                  const links = order.chain(a, b);
                  let at = a;
                  for (const link of links) {
                    const isStream = link.why === "same stream";
                    const isWait = link.why === "host wait";
                    const isEdge = [...order.edgesFrom.of(link.from)].some(e => edges.to[e] === link.to);
                    const top = (c) => commands.launch[c] < 0 ? c : commands.launch[c];
                    const isOwn = top(link.from) === top(link.to) || isEdge;
                    const isKnown = isStream ? commands.stream[top(link.from)] === commands.stream[top(link.to)]
                      : isWait ? link.wait >= 0 && calls.ended[waits.call[link.wait]] <= calls.began[commands.call[link.to]]
                      : isOwn || [...order.edgesFrom.of(link.from)].some(e => edges.to[e] === top(link.to));
                    if (link.from !== at || !isKnown) broken.push([a, b, link]);
                    at = link.to;
                  }
                  if (at !== b) broken.push([a, b]);
                }
                return broken.slice(0, 3)""", wanted, view)
            self.assertEqual(broken, [], view)
        self.assertGreater(sum(map(len, pairs)), 2000)

    # --- mouse and keys

    def test_a_click_on_a_bar_selects_it_everywhere(self):
        self.open("windows")
        self.pointer("timeline", *self.place_of("timeline", "command", 3))
        self.assertEqual(self.text(".details h3"), "Kernel sum (2.2)")
        lanes = self.script("return cuvette.views[0].map.shown[0].touches.map(l => l.touches.length)")
        self.assertEqual(lanes, [2])
        self.script("document.querySelector('.tables').open = true")
        self.browser.wait_for("return document.querySelector('.tables .selected')?.innerText.startsWith('kernel sum')")

    def test_a_click_on_bytes_that_are_seen_twice_lists_their_commands(self):
        self.open("windows")
        self.script("cuvette.views[0].select({bytes: null})")
        self.browser.settle()
        place = self.script("const h = cuvette.views[0].map.hits.find(h => h.target.what === 'twice');"
                            "return [h.x + h.width / 2, h.y + h.height / 2]")
        self.pointer("map", *place)
        self.assertEqual(self.script("return cuvette.views[0].state.bytes"), {"space": 0, "from": 262144, "to": 393216})
        self.assertEqual(self.script("return cuvette.views[0].state.touchers"), [0, 3])

    def test_dragging_over_the_map_selects_bytes(self):
        self.open("windows")
        left, width = self.script("const w = cuvette.views[0].map.window; return [w.left, w.width]")
        self.pointer("map", left + width * 0.1, 60, left + width * 0.3)
        bytes_ = self.script("return cuvette.views[0].state.bytes")
        self.assertAlmostEqual(bytes_["to"] - bytes_["from"], 0.2 * 1.03 * 2**20, delta=8192)

    def test_the_pointer_is_told_what_it_is_on(self):
        self.open("race")
        from selenium.webdriver.common.action_chains import ActionChains
        x, y = self.place_of("timeline", "command", 1)
        box = self.script("const r = cuvette.views[0].timeline.box.getBoundingClientRect(); return [r.left, r.top]")
        actions = ActionChains(self.browser.driver)
        actions.w3c_actions.pointer_action.move_to_location(round(box[0] + x), round(box[1] + y))
        actions.perform()
        self.assertIn("reads and writes all 256 KiB of values", self.text(".timeline .tip"))

    def test_a_row_of_a_table_selects_in_the_timeline(self):
        self.open("race")
        self.script("document.querySelector('.tables').open = true")
        self.browser.wait_for("return document.querySelector('.tables .grid-body .grid-row')")
        self.script("document.querySelectorAll('.tables .grid-body .grid-row')[1].click()")
        self.assertEqual(self.script("return cuvette.views[0].state.command"), 1)

    def test_keys_do_what_the_mouse_does(self):
        self.open("windows")
        self.press("t")
        self.assertEqual(self.script("return document.activeElement.getAttribute('aria-roledescription')"), "timeline")
        self.press(self.key("HOME"), self.key("ARROW_RIGHT"))
        self.assertEqual(self.script("return cuvette.views[0].state.command"), 1)
        self.assertIn("event record", self.text(".timeline .for-readers"))
        self.press(self.key("ARROW_DOWN"))
        self.assertEqual(self.script("return cuvette.views[0].state.command"), 2)
        size = "const a = cuvette.views[0].axis; return a.to - a.from"
        before = self.script(size)
        self.press("+")
        self.assertAlmostEqual(self.script(size), before / 1.6, places=5)
        begin = self.script("return cuvette.views[0].axis.from")
        self.press_shift(self.key("ARROW_RIGHT"))
        self.assertGreater(self.script("return cuvette.views[0].axis.from"), begin)
        self.press("0")
        self.assertAlmostEqual(self.script(size), before, places=5)
        self.press("o")
        self.assertEqual(self.script("return cuvette.views[0].axis.mode"), "time")
        self.press("f")
        self.assertLess(self.script(size) / self.script("return cuvette.views[0].axis.length"), 0.2)
        self.press("m", self.key("ARROW_RIGHT"))
        first = self.script("return cuvette.views[0].state.bytes")
        self.press(self.key("ARROW_RIGHT"))
        second = self.script("return cuvette.views[0].state.bytes")
        self.assertEqual(second["from"], first["to"])
        self.press_shift(self.key("ARROW_RIGHT"))
        self.assertGreater(self.script("return cuvette.views[0].state.bytes.to"), second["to"])
        self.press("e")
        self.assertTrue(self.script("return document.querySelector('.tables').open"))
        self.press(self.key("ESCAPE"))
        self.assertIsNone(self.script("return cuvette.views[0].state.bytes"))

    def test_a_table_is_used_by_keys(self):
        self.open("race")
        self.press("b", self.key("ARROW_DOWN"), self.key("ENTER"))
        self.assertEqual(self.script("return cuvette.views[0].state.command"),
                         self.script("return cuvette.views[0].bytes.rows[1].command"))
        self.assertIn("Nothing orders fill (1.1) and copy (2.1)", self.text(".chain"))

    def test_reports_are_gone_through_by_keys(self):
        self.open("hostile")
        self.press("n")
        self.assertEqual(self.script("return cuvette.views[0].state.report"), 1)
        self.press("p")
        self.assertEqual(self.script("return cuvette.views[0].state.report"), 0)

    def test_the_keys_are_listed(self):
        self.open("race")
        self.press("?")
        self.assertTrue(self.script("return document.querySelector('dialog').open"))
        self.assertIn("to the address map", self.text("dialog"))
        self.press(self.key("ESCAPE"))
        self.assertFalse(self.script("return document.querySelector('dialog').open"))

    def test_what_has_the_focus_can_be_seen(self):
        self.open("race")
        seen = set()
        for _ in range(60):
            self.press(self.key("TAB"))
            name, outline = self.script(
                "const e = document.activeElement; const s = getComputedStyle(e);"
                "return [e.className + ' ' + e.tagName + ' ' + (e.ariaLabel || e.innerText || '').slice(0, 40),"
                "        s.outlineStyle + ' ' + s.outlineWidth]")
            if name in seen:
                break
            seen.add(name)
            if "BODY" not in name:
                self.assertRegex(outline, r"solid [2-9]|auto", name)
        self.assertGreater(len(seen), 12)

    # --- everyone

    def test_both_colour_schemes_are_drawn_and_can_be_read(self):
        def luminance(colour):
            channels = [int(colour[i:i + 2], 16) / 255 for i in (1, 3, 5)]
            linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
            return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

        def contrast(a, b):
            high, low = sorted((luminance(a), luminance(b)), reverse=True)
            return (high + 0.05) / (low + 0.05)

        self.open("race")
        pictures = []
        for scheme in ("light", "dark"):
            self.browser.set_media(prefers_color_scheme=scheme)
            self.browser.settle()
            pictures.append(self.script("return cuvette.views[0].timeline.canvas.toDataURL()"))
            colours = self.script("const s = getComputedStyle(document.documentElement); return Object.fromEntries("
                                  "['paper','panel','soft','bar','accent-soft','fault-soft','ink','muted','accent','fault','twice','bar-ink','bar-line']"
                                  ".map(n => [n, s.getPropertyValue('--' + n).trim()]))")
            for text, grounds in (("ink", ("paper", "panel", "soft", "accent-soft", "fault-soft")), ("muted", ("paper", "panel", "soft")),
                                  ("accent", ("paper", "panel")), ("fault", ("panel", "fault-soft", "accent-soft")), ("twice", ("panel",)),
                                  ("bar-ink", ("bar", "panel", "soft"))):
                for ground in grounds:
                    self.assertGreaterEqual(contrast(colours[text], colours[ground]), 4.5, (scheme, text, ground))
            self.assertGreaterEqual(contrast(colours["bar-line"], colours["panel"]), 2.5, scheme)
        self.assertNotEqual(pictures[0], pictures[1])

    def test_without_colours_the_fault_has_a_shape(self):
        self.open("race")
        self.browser.set_media(forced_colors="active")
        self.browser.settle()
        crosses = self.script("const p = cuvette.views[0].timeline; const drawn = []; const was = p.painter.cross;"
                              "p.painter.cross = function (...a) { drawn.push(a); return was.apply(this, a); };"
                              "p.drawNow(); return drawn.length")
        self.assertEqual(crosses, 2)  # the report's mark, and the arrow's
        self.assertEqual(self.script("return document.querySelectorAll('.missing svg, .severity svg').length"), 2)

    def test_screen_readers_get_the_same_facts(self):
        self.open("race")
        self.script("document.querySelector('.tables').open = true")
        self.browser.wait_for("return document.querySelector('.tables .grid-body .grid-row')")
        tree = self.browser.accessibility_tree()
        for wanted in (("heading", "race"), ("heading", "Nothing orders kernel scale and copy. Both touch 128 KiB of values."),
                       ("application", "Timeline: what each stream and host thread did"),
                       ("application", "Address map: which bytes are the same"),
                       ("grid", "Commands that touched the selected bytes"), ("grid", "Commands"), ("tab", "Calls (14)"),
                       ("image", "nothing orders these: no edge leads from the first to the second"),
                       ("gridcell", "nothing orders it with 2"), ("columnheader", "Order"), ("button", "Zoom into the timeline")):
            self.assertIn(wanted, tree)
        for role, name in tree:
            if role in ("button", "link", "grid", "application", "tab", "heading", "dialog"):
                self.assertTrue(name.strip(), (role, name))

    def test_no_page_is_wider_than_its_window(self):
        for name in SMALL:
            self.open(name)
            self.script("document.querySelectorAll('details').forEach(d => d.open = true)")
            for width, height in ((1920, 400), (768, 400), (360, 400)):
                self.browser.set_size(width, height)
                self.browser.settle()
                self.assertLessEqual(self.script("return document.documentElement.scrollWidth"), width, (name, width))

    def test_pictures_are_sharp_when_the_page_is_enlarged(self):
        self.open("race")
        self.browser.set_size(640, 500, scale=2)
        self.browser.wait_for("const c = cuvette.views[0].timeline.canvas; return c.width === c.clientWidth * 2")
        self.assertLessEqual(self.script("return document.documentElement.scrollWidth"), 640)

    # --- strangers and sizes

    def test_names_are_only_text(self):
        self.open("hostile")
        self.script("document.querySelectorAll('details').forEach(d => d.open = true);"
                    "for (let i = 0; i < 4; i += 1) cuvette.views[0].select({command: i});"
                    "for (let i = 0; i < 9; i += 1) cuvette.views[0].select({call: i});"
                    "cuvette.views[0].select({memory: 0}); cuvette.views[0].select({report: 1});"
                    "for (let i = 0; i < 6; i += 1) cuvette.views[0].tables.open(i)")
        self.browser.settle()
        self.assertIsNone(self.script("return document.body.dataset.taken || null"))
        self.assertEqual(self.script("return document.scripts.length"), 1)
        self.assertEqual(self.script("return document.querySelectorAll('img, iframe, object, link').length"), 0)

    def test_nothing_is_loaded(self):
        self.open("race")
        self.assertEqual(self.script("return performance.getEntriesByType('resource').length"), 0)

    def test_scripts_of_others_are_refused(self):
        self.open("race")
        self.script("const s = document.createElement('script'); s.textContent = \"document.body.dataset.taken = 'yes'\";"
                    "document.body.append(s)")
        self.assertIsNone(self.script("return document.body.dataset.taken || null"))
        self.assertIn("Content Security Policy", "".join(self.browser.console()))

    def test_a_million_events_are_a_page(self):
        seconds = self.open("million")
        events = self.script("const r = cuvette.views[0].run; return r.commands.rows + r.calls.rows + r.touches.rows")
        print(f"a page of {events} events was ready after {seconds:.2f} s")
        hits, rows, width = self.script(
            "const t = cuvette.views[0].timeline; return [t.hits.length, t.barRows().length, t.window.width]")
        self.assertGreater(hits, width)
        self.assertLessEqual(hits, (rows + 1) * (width + 30))  # at most one rectangle per pixel and lane
        self.script("document.querySelector('.tables').open = true")
        self.browser.wait_for("return document.querySelector('.tables .grid-body .grid-row')")
        self.assertLess(self.script("return document.querySelectorAll('.grid-row').length"), 60)
        self.press("t", self.key("HOME"), *["+"] * 24)
        bars = self.script("return cuvette.views[0].timeline.hits.filter(h => h.target.what === 'command').map(h => h.width)")
        self.assertGreater(max(bars), 20)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    WRITE_PAGES = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=1)
