# SPDX-License-Identifier: Apache-2.0
"""The command `cuvette`: the tree's own takes the place of this process."""
import os
import sys

from cuvette._tree import command


def main() -> None:
    try:
        program = str(command())
        os.execv(program, [program, *sys.argv[1:]])
    except (FileNotFoundError, PermissionError) as failure:
        sys.exit(f"cuvette: {failure}")
