#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`cuvette step` on a terminal, which tmux is: keys, sizes, letters.

  terminal_test.py CUVETTE STEPPED

Exit status 77 if there is no tmux."""
import os
import shutil
import subprocess
import sys
import tempfile
import time

CUVETTE, STEPPED = sys.argv[1:3]
PATIENCE = 120  # seconds, on a busy machine


class Terminal:
    def __init__(self, folder, width, height, locale, program):
        self.socket = os.path.join(folder, "socket")
        environment = dict(os.environ, LC_ALL=locale, TMUX_TMPDIR=folder)
        environment.pop("TMUX", None)
        self.environment = environment
        script = os.path.join(folder, "script")
        with open(script, "w", encoding="utf-8") as file:
            # What the pane shows last stays there, and the shell outlives Ctrl-C.
            file.write(f"trap : INT\nexport LC_ALL={locale}\n'{CUVETTE}' step -- '{STEPPED}' {program}\n"
                       "echo left with $?\nsleep 1000\n")
        self.tmux("-f", "/dev/null", "-u", "new-session", "-d", "-x", str(width), "-y", str(height), "sh " + script)

    def tmux(self, *words):
        return subprocess.run(["tmux", "-S", self.socket, *words], env=self.environment, check=True, text=True,
                              stdout=subprocess.PIPE).stdout

    def shown(self):
        return self.tmux("capture-pane", "-p")

    def wait_for(self, part, without=None):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            text = self.shown()
            if part in text and (without is None or without not in text):
                return text
            time.sleep(0.1)
        raise AssertionError(f"'{part}' did not come:\n{self.shown()}")

    def press(self, *keys):
        self.tmux("send-keys", *keys)

    def end(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], env=self.environment, check=False)


def goes_through_a_program(folder):
    terminal = Terminal(folder, 80, 16, "C.UTF-8", "streams")
    try:
        text = terminal.wait_for("step 0 of 3")
        assert "[○1.1 fill◀]" in text, text
        assert "is in cuCtxSynchronize" in text, text
        terminal.press("Down")
        text = terminal.wait_for("[○2.1 copy]")
        terminal.press("Enter")
        text = terminal.wait_for("step 1 of 3: 2.1 (copy)")
        assert "✓2.1 copy" in text, text
        terminal.press("n")
        text = terminal.wait_for("step 2 of 3: 1.1 (fill)")
        assert "[7] [7]" in text, text
        terminal.press("b")
        terminal.wait_for("step 1 of 3")
        terminal.press("e")
        text = terminal.wait_for("It waits for")
        terminal.press("x")
        terminal.wait_for("step 1 of 3")
        terminal.press("w")
        terminal.wait_for("watch: _")
        terminal.press("-l", "sum=1:hex[2]")
        terminal.press("Enter")
        terminal.wait_for("1 sum")
        terminal.press("u")
        terminal.wait_for("step 0 of 3")
        terminal.press("s")
        terminal.wait_for("cuvette run --schedule=")
        terminal.press("x")
        terminal.wait_for("step 0 of 3")
        terminal.press("q")
        terminal.wait_for("left with 0")
    finally:
        terminal.end()


def fits_into_a_small_window_and_a_larger_one(folder):
    terminal = Terminal(folder, 60, 8, "C", "event")
    try:
        text = terminal.wait_for("step 0 of 5")
        assert text.isascii(), text
        assert "[o1.1 fill<]" in text and "-2.2 copy" in text, text
        assert "more lines" in text, text
        terminal.tmux("resize-window", "-x", "90", "-y", "20")
        text = terminal.wait_for("q quit", without="more lines")
        terminal.press("C-c")
        terminal.wait_for("left with 130")
    finally:
        terminal.end()


def main():
    if not shutil.which("tmux"):
        print("skipped: there is no tmux")
        sys.exit(77)
    for test in (goes_through_a_program, fits_into_a_small_window_and_a_larger_one):
        with tempfile.TemporaryDirectory() as folder:
            test(folder)


if __name__ == "__main__":
    main()
