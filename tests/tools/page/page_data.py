# SPDX-License-Identifier: Apache-2.0
"""Reads the data of a page, as its script does, for tests."""
import base64
import gzip
import json
import re


def head_of(page):
    """What the page's script reads, but for the numbers."""
    with open(page, encoding="utf-8") as file:
        text = re.search(r'id="data">([^<]*)<', file.read()).group(1)
    data = gzip.decompress(base64.b64decode(text))
    return json.loads(data[4:4 + int.from_bytes(data[:4], "little")])


def rows_of(view, name):
    """How many rows a table of a view has."""
    return next(table["rows"] for table in view["tables"] if table["name"] == name)
