# SPDX-License-Identifier: Apache-2.0
"""Rewrites GitHub's Markdown for MkDocs, which requires lists to be indented by four and a blank line before each."""
import re

FENCE = re.compile(r"^( *)(`{3,}|~{3,})")
ITEM = re.compile(r"^( *)([-*+]|\d+[.)])( +)(?=\S)")


def converted(text):
    """Returns the page with the content of list items indented by four spaces for each level."""
    out, items, fence, code, after_blank = [], [], None, False, True
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip(" "))
        base = items[-1] if items else 0
        if fence:
            out.append(" " * (4 * len(items)) + line.removeprefix(fence[1]) if line.strip() else "")
            if re.fullmatch(rf" *{re.escape(fence[2])}\s*", line):
                fence = None
            continue
        if not line.strip():
            out.append("")
            after_blank = True
            continue
        code = indent >= base + 4 and (code or after_blank)
        if code:
            out.append(" " * (4 * len(items)) + line[base:])
            continue
        item = ITEM.match(line)
        if after_blank or item or line.startswith("#"):
            while items and indent < items[-1]:
                items.pop()
        base = items[-1] if items else 0
        fence = FENCE.match(line)
        if item:
            if not items and not after_blank and not in_list(out):
                out.append("")
            out.append(" " * (4 * len(items)) + item[2] + " " + line[item.end():])
            items.append(item.end())
        else:
            out.append(" " * (4 * len(items)) + line.lstrip(" "))
        after_blank = False
    return "\n".join(out)


def in_list(lines):
    """Whether the last paragraph of these lines belongs to an item of a list."""
    for line in reversed(lines):
        if not line.strip():
            return False
        if ITEM.match(line):
            return True
    return False
