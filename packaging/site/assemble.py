# SPDX-License-Identifier: Apache-2.0
"""Assembles the folder from which MkDocs builds the documentation's site.

  assemble.py CUVETTE FOLDER

All Markdown pages of the project keep their places, so that their links to each other hold. A file of another kind
that one of them links to becomes a page that shows it, a folder becomes a page that lists it, a picture is copied. The
tables of supported functions, the compiler's options and the exit statuses come from the command CUVETTE."""
import os
import re
import shutil
import subprocess
import sys
import urllib.parse

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "tests", "docs"))
import for_mkdocs  # noqa: E402
import pages  # noqa: E402

PICTURES = (".svg", ".png", ".webp")
LANGUAGES = {".cpp": "cpp", ".hpp": "cpp", ".cu": "cuda", ".h": "c", ".py": "python", ".rs": "rust", ".yml": "yaml",
             ".txt": "text", ".def": "cpp", ".frag": "glsl", ".vert": "glsl", ".cmake": "cmake"}
# Output of the command that is added to a page: the page, the command line, a heading, the language of the block.
PRINTED = (("docs/support.md", ("support", "--markdown"), "## The functions", None),
           ("docs/compiler.md", ("c++", "--help"), "## The options in full", "text"))


EXIT_STATUSES = "docs/exit_statuses.md"  # only in the site


class Site:
    def __init__(self, cuvette, folder):
        self.cuvette, self.folder = cuvette, folder
        self.pages = set(pages.page_names(ROOT))
        self.shown = set()  # files and folders that have got a page

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def target_of(self, page, link):
        """Returns the link as it must be in the site, and puts its target there."""
        parts = urllib.parse.urlsplit(link)
        if parts.scheme or not parts.path:
            return link
        name = os.path.normpath(os.path.join(os.path.dirname(page), urllib.parse.unquote(parts.path)))
        if name in self.pages:
            return link
        if name.endswith(PICTURES):
            self.copy(name)
            return link
        there = self.show_folder(name) if os.path.isdir(os.path.join(ROOT, name)) else self.show_file(name)
        return os.path.relpath(there, os.path.dirname(page) or ".")

    def copy(self, name):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        shutil.copyfile(os.path.join(ROOT, name), path)

    def show_file(self, name):
        """Makes a page that shows a file, and returns the page's name."""
        page = name + ".md"
        if name not in self.shown:
            self.shown.add(name)
            with open(os.path.join(ROOT, name), encoding="utf-8") as file:
                text = file.read().rstrip("\n")
            fence = "`" * 3
            while fence in text:
                fence += "`"
            self.write(page, f"# {name}\n\n{fence}{self.language_of(name, text)}\n{text}\n{fence}\n")
        return page

    @staticmethod
    def language_of(name, text):
        ending = os.path.splitext(name)[1]
        if not ending and text.startswith("#!"):
            return "python" if "python" in text.split("\n", 1)[0] else "bash"
        return "cmake" if os.path.basename(name) == "CMakeLists.txt" else LANGUAGES.get(ending, "text")

    def show_folder(self, name):
        """Makes a page that lists a folder, unless it has a README, and returns the page's name."""
        if f"{name}/README.md" in self.pages:
            return f"{name}/README.md"
        page = f"{name}/index.md"
        if name not in self.shown:
            self.shown.add(name)
            lines = [f"# {name}", ""]
            for entry in sorted(os.listdir(os.path.join(ROOT, name))):
                path = f"{name}/{entry}"
                if entry.startswith((".", "__")):
                    continue
                if os.path.isdir(os.path.join(ROOT, path)):
                    there = self.show_folder(path)
                elif path in self.pages or path.endswith(PICTURES):
                    there = path
                else:
                    there = self.show_file(path)
                lines.append(f"- [{entry}]({os.path.relpath(there, name)})")
            self.write(page, "\n".join(lines) + "\n")
        return page

    def show_page(self, name):
        page = pages.Page(ROOT, name)
        text = page.text
        for begin, end in sorted(page.link_places(), reverse=True):
            text = text[:begin] + self.target_of(name, text[begin:end]) + text[end:]
        self.write(name, for_mkdocs.converted(text) + self.printed_for(name))

    def output_of(self, *words):
        return subprocess.run([self.cuvette, *words], capture_output=True, check=True, text=True).stdout.rstrip()

    def show_exit_statuses(self):
        """Makes a page of the exit statuses, from the help of each command."""
        lines = ["# Exit statuses", "", "These are the words of `cuvette COMMAND --help`."]
        verbs = re.findall(r"^  ([a-z][a-z+]*) {2,}", self.output_of("--help").split("Subcommands:")[-1], re.MULTILINE)
        paragraph = re.compile(r"^Exit status: (.*?)(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)
        for verb in verbs:
            if found := paragraph.search(self.output_of(verb, "--help")):
                lines += ["", f"## `cuvette {verb}`", ""]
                lines += [f"- {part.strip().rstrip('.')}" for part in found[1].replace("\n", " ").split(";")]
        if len(lines) == 3:
            sys.exit("assemble.py: no command says what its exit status means")
        self.write(EXIT_STATUSES, "\n".join(lines) + "\n")

    def printed_for(self, name):
        text = ""
        for page, words, heading, language in PRINTED:
            if page == name:
                output = self.output_of(*words)
                block = f"```{language}\n{output}\n```" if language else below(output)
                text += f"\n{heading}\n\n{block}\n"
        return text


def below(text):
    """Returns the text with its headings one level further down."""
    return "\n".join("#" + line if line.startswith("#") else line for line in text.split("\n"))


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    cuvette, folder = sys.argv[1], os.path.abspath(sys.argv[2])
    if os.path.exists(folder):
        shutil.rmtree(folder)
    site = Site(cuvette, folder)
    for name in sorted(site.pages):
        site.show_page(name)
    site.show_exit_statuses()


if __name__ == "__main__":
    main()
