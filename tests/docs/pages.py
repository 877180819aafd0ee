# SPDX-License-Identifier: Apache-2.0
"""Reads the project's Markdown: its pages, their headings, links and blocks of code."""
import os
import re
import subprocess

FENCE = re.compile(r"^( {0,11})(`{3,}|~{3,})\s*([^\s`]*)(.*)$")
HEADING = re.compile(r"^#{1,6}\s+(.+?)\s*#*\s*$")
CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)((?:(?!\n[ \t]*\n).)+?)(?<!`)\1(?!`)", re.DOTALL)
COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
INLINE_LINK = re.compile(r"\]\(\s*<?([^()\s<>]*(?:\([^()\s]*\)[^()\s]*)*)>?(?:\s+\"[^\"]*\")?\s*\)")
DEFINITION = re.compile(r"^ {0,3}\[[^\]]+\]:\s*<?(\S+?)>?(?:\s+\".*\")?\s*$", re.MULTILINE)
ATTRIBUTE = re.compile(r"<(?:a|img|source)\b[^>]*?\b(?:href|src|srcset)=\"([^\"]+)\"")
IDENTIFIER = re.compile(r"<[a-z][^>]*?\b(?:id|name)=\"([^\"]+)\"")
LIST_ITEM = re.compile(r"^ *([-*+]|\d+[.)])( +)")


class Block:
    """A block of code: the number of its first line in the page, its language, the title it is given, its text."""

    def __init__(self, line, language, title, text, fenced):
        self.line, self.language, self.title, self.text, self.fenced = line, language, title, text, fenced


def blanked(text):
    """Returns a text of the same length and lines, all of it blank."""
    return re.sub(r"[^\n]", " ", text)


class Page:
    """A page: `name` from the project's root, its `blocks`, and its `prose`: the text, as long, with the blocks blanked."""

    def __init__(self, root, name):
        self.root, self.name = root, name
        with open(os.path.join(root, name), encoding="utf-8") as file:
            self.text = file.read()
        self.blocks, self.prose = separate(self.text)

    def line_of(self, offset):
        return self.text.count("\n", 0, offset) + 1

    def spans(self):
        """Yields (line, text) of each code span in the prose."""
        for found in CODE_SPAN.finditer(COMMENT.sub(lambda comment: blanked(comment[0]), self.prose)):
            yield self.line_of(found.start()), re.sub(r"\s+", " ", found[2]).strip()

    def link_places(self):
        """Yields (begin, end) of the target of each link and picture."""
        text = COMMENT.sub(lambda comment: blanked(comment[0]), self.prose)
        text = CODE_SPAN.sub(lambda span: re.sub(r"[^\n]", "x", span[0]), text)
        for pattern in (INLINE_LINK, DEFINITION, ATTRIBUTE):
            for found in pattern.finditer(text):
                yield found.span(1)

    def links(self):
        """Yields (line, target) of each link and picture."""
        for begin, end in self.link_places():
            yield self.line_of(begin), self.text[begin:end]

    def anchors(self):
        """Returns the names that a link may have after its `#`, as GitHub makes them of the headings."""
        names, counts = set(IDENTIFIER.findall(self.prose)), {}
        for line in self.prose.split("\n"):
            heading = HEADING.match(line)
            if not heading:
                continue
            name = slug(heading[1])
            count = counts.get(name, 0)
            counts[name] = count + 1
            names.add(f"{name}-{count}" if count else name)
        return names


def slug(heading):
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    text = re.sub(r"<[^>]+>", "", text).replace("`", "").replace("*", "")
    return re.sub(r"[^\w\- ]", "", text.lower()).strip().replace(" ", "-")


def separate(text):
    """Returns the blocks of a page, and its text with their lines blanked."""
    lines = text.split("\n")
    blocks, prose, i = [], [], 0
    in_list, after_blank = 0, True
    while i < len(lines):
        fence = FENCE.match(lines[i])
        if fence:
            first, i, content = i, i + 1, []
            closing = re.compile(rf"^ {{0,11}}{re.escape(fence[2][0])}{{{len(fence[2])},}}\s*$")
            while i < len(lines) and not closing.match(lines[i]):
                content.append(lines[i].removeprefix(fence[1]))
                i += 1
            title = re.search(r"title=\"([^\"]*)\"", fence[4])
            blocks.append(Block(first + 2, fence[3], title and title[1], "\n".join(content), True))
            prose += [blanked(line) for line in lines[first:i + 1]]
            i, after_blank = i + 1, False
            continue
        indent = len(lines[i]) - len(lines[i].lstrip(" "))
        item = LIST_ITEM.match(lines[i])
        if after_blank and lines[i].strip() and indent >= in_list + 4:
            first, content = i, []
            while i < len(lines) and (not lines[i].strip() or lines[i].startswith(" " * (in_list + 4))):
                content.append(lines[i][in_list + 4:])
                i += 1
            blocks.append(Block(first + 1, "", None, "\n".join(content).rstrip("\n"), False))
            prose += [blanked(line) for line in lines[first:i]]
            after_blank = True
            continue
        if item:
            in_list = item.end()
        elif lines[i].strip() and indent == 0 and after_blank:
            in_list = 0
        after_blank = not lines[i].strip()
        prose.append(lines[i])
        i += 1
    return blocks, "\n".join(prose)


def page_names(root):
    """Returns the names of the project's pages: what git knows, else everything outside build folders."""
    try:
        listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard",
                                 "--", "*.md"], capture_output=True, check=True, text=True).stdout
        names = [name for name in listed.split("\0") if name and os.path.exists(os.path.join(root, name))]
        if names:
            return sorted(names)
    except (OSError, subprocess.CalledProcessError):
        pass  # an archive of the source has no .git
    names = []
    for folder, folders, files in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith((".", "build"))]
        names += [os.path.relpath(os.path.join(folder, name), root) for name in files if name.endswith(".md")]
    return sorted(names)
