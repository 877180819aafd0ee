# SPDX-License-Identifier: Apache-2.0
"""Makes a tree with planted files, for the tests of this folder."""
import contextlib
import os
import tempfile


@contextlib.contextmanager
def planted(files):
    """A temporary folder with `files`, which maps paths to texts."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w") as file:
                file.write(text)
        yield root
