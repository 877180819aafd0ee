#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the actions of packaging/action as GitHub's runner would: action_test.py SOURCE BUILD COMPILER"""
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

from ci_services import BUILD, SOURCE, compile_pipeline, line_of, load, write

ACTIONS = os.path.join(SOURCE, "packaging", "action")
run_action = load("run_action")


class ActionTest(unittest.TestCase):
    """Each test is a job: an empty folder for its files, and an environment in which nothing was set up."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.workspace = os.path.join(self.folder, "work space")
        self.stand_ins = os.path.join(self.folder, "stand-ins")
        os.makedirs(self.workspace)
        os.makedirs(self.stand_ins)
        environment = {"HOME": self.folder, "PATH": self.stand_ins + ":" + os.environ["PATH"],
                       "CUVETTE_CACHE": os.path.join(BUILD, "kernel_cache")}
        self.job = run_action.Runner(self.workspace, environment)

    def setup(self, **given):
        return self.job.action(os.path.join(ACTIONS, "setup"), {k.replace("_", "-"): v for k, v in given.items()})

    def run_tests(self, **given):
        return self.job.action(os.path.join(ACTIONS, "run"), {k.replace("_", "-"): v for k, v in given.items()})

    def assert_fails(self, answer, sentence):
        self.assertFalse(answer[0], self.job.log)
        self.assertIn(sentence, " ".join(text for _, text in self.job.annotations))


class Texts(unittest.TestCase):
    def test_scripts_have_no_expressions(self):
        for action in ("setup", "run"):
            with open(os.path.join(ACTIONS, action, "action.yml"), encoding="utf-8") as file:
                for step in run_action.yaml.safe_load(file)["runs"]["steps"]:
                    self.assertNotIn("${{", step.get("run", ""))
                    self.assertEqual(step.get("shell", "bash"), "bash")

    @unittest.skipUnless(shutil.which("shellcheck"), "shellcheck is missing")
    def test_shellcheck_is_content(self):
        scripts = [os.path.join(ACTIONS, name) for name in ("setup/install", "run/run", "run/summary")]
        checked = subprocess.run(["shellcheck", *scripts], stdout=subprocess.PIPE, text=True, check=False)
        self.assertEqual(checked.returncode, 0, checked.stdout)


    def test_a_release_goes_to_no_index_unasked(self):
        with open(os.path.join(SOURCE, ".github", "workflows", "release.yml"), encoding="utf-8") as file:
            jobs = run_action.yaml.safe_load(file)["jobs"].values()
        uploads = [(job, step) for job in jobs for step in job["steps"] if "pypi-publish" in step.get("uses", "")]
        self.assertEqual(len(uploads), 1)
        job, step = uploads[0]
        with tempfile.TemporaryDirectory() as folder:
            os.mkdir(folder + "/workspace")
            runner = run_action.Runner(folder + "/workspace", {})
            for variables in ({}, {"PACKAGE_INDEX_URL": "https://example.com/upload"}):
                contexts = {"failed": False, "vars": variables}
                self.assertEqual(bool(runner.value(job.get("if", "true"), contexts)), bool(variables))
            self.assertEqual(runner.text(step["with"]["repository-url"], contexts), "https://example.com/upload")


STAND_IN = "echo cuvette 1.2.3"


class Setup(ActionTest):
    def test_takes_a_folder(self):
        succeeded, outputs = self.setup(**{"from": "path", "path": BUILD})
        self.assertTrue(succeeded, self.job.log)
        self.assertEqual(outputs["prefix"], BUILD)
        self.assertEqual(self.job.environment["cuvette_ROOT"], BUILD)
        self.assertTrue(self.job.environment["PATH"].startswith(BUILD + "/bin:"))
        version = subprocess.run([BUILD + "/bin/cuvette", "--version"], stdout=subprocess.PIPE, text=True, check=True)
        self.assertEqual("cuvette " + outputs["version"], version.stdout.strip())

    def test_keeps_compiled_kernels_by_version_and_processor(self):
        self.job.environment.pop("CUVETTE_CACHE")
        os.mkdir(self.workspace + "/src")
        write(self.workspace + "/src/one.cu", "")
        self.setup(**{"from": "path", "path": BUILD, "cache-key": "races"})
        (name, given), = self.job.noted
        self.assertTrue(name.startswith("actions/cache@"))
        self.assertEqual(given["path"], self.folder + "/.cache/cuvette")
        self.assertEqual(given["path"], self.job.environment["CUVETTE_CACHE"])
        self.assertRegex(given["key"], r"^cuvette-[0-9.]+-[0-9a-f]{16}-races-hash$")
        self.assertTrue(given["key"].startswith(given["restore-keys"]))

    def test_keeps_none_without_a_cache(self):
        self.setup(**{"from": "path", "path": BUILD, "cache": "false"})
        self.job.environment["CUVETTE_CACHE"] = "off"
        self.setup(**{"from": "path", "path": BUILD})
        self.assertEqual(self.job.noted, [])

    def test_refuses_another_version(self):
        self.assert_fails(self.setup(**{"from": "path", "path": BUILD, "version": "99.1"}), "and not 99.1")

    def test_refuses_unknown_words(self):
        self.assert_fails(self.setup(**{"from": "apt"}), "from is 'apt', and can be")
        self.assert_fails(self.setup(), "version is empty")
        self.assert_fails(self.setup(version="1.2.3"), "sha256 is ''; 'from: release' takes")
        self.assert_fails(self.setup(version="1.0 --index-url=https://example.com"), "which is no version")
        self.assert_fails(self.setup(**{"from": "path", "path": self.folder}), "There is no program bin/cuvette")
        self.assert_fails(self.setup(**{"from": "path", "path": BUILD, "clang": "yes"}), "clang is 'yes'")

    def archive(self):
        tree = os.path.join(self.folder, "cuvette-1.2.3")
        os.makedirs(tree + "/bin")
        write(tree + "/bin/cuvette", STAND_IN)
        path = tree + ".tar.gz"
        with tarfile.open(path, "w:gz") as file:
            file.add(tree, "cuvette-1.2.3")
        with open(path, "rb") as file:
            return path, hashlib.sha256(file.read()).hexdigest()

    def test_takes_an_archive_by_its_digest(self):
        path, digest = self.archive()
        succeeded, outputs = self.setup(**{"from": "release", "url": "file://" + path, "sha256": digest.upper()})
        self.assertTrue(succeeded, self.job.log)
        self.assertEqual(outputs["version"], "1.2.3")
        self.assertTrue(os.path.isfile(outputs["prefix"] + "/bin/cuvette"))

    def test_refuses_a_file_of_another_digest(self):
        path, digest = self.archive()
        other = digest[:-1] + ("0" if digest[-1] != "0" else "1")
        self.assert_fails(self.setup(**{"from": "release", "url": "file://" + path, "sha256": other}), digest)
        self.assertNotIn("tree", str(os.listdir(self.job.temporary)))
        self.assert_fails(self.setup(**{"from": "release", "url": "file://" + path}), "sha256 is ''")
        self.assert_fails(self.setup(**{"from": "release", "url": "http://example.com/a.deb", "sha256": digest}),
                          "which is no address that begins with https://")

    def test_takes_the_debian_package_of_its_release(self):
        fetched = os.path.join(self.folder, "fetched")
        write(self.stand_ins + "/curl", f"echo \"$@\" >>'{fetched}'; exit 22")
        given = {"from": "release", "version": "1.2.3", "sha256": "0" * 64}
        self.assert_fails(self.setup(**given), "cannot be fetched")
        with open(fetched, encoding="utf-8") as file:
            self.assertIn(" https://github.com/owner/cuvette/releases/download/v1.2.3/cuvette_1.2.3-1_amd64.deb",
                          file.read())

    def test_refuses_pip_without_an_index(self):
        called = os.path.join(self.folder, "called")
        write(self.stand_ins + "/python3", f"echo \"$@\" >>'{called}'; exit 1")
        self.assert_fails(self.setup(**{"from": "pip", "version": "1.2.3"}), "PyPI's cuvette is another project")
        self.assert_fails(self.setup(**{"from": "pip", "version": "1.2.3", "index-url": "example.com"}),
                          "index-url is 'example.com', which is no address")
        self.assert_fails(self.setup(**{"from": "pip", "index-url": "https://example.com"}), "version is empty")
        self.assertFalse(os.path.exists(called))

    def index(self, files):
        """Makes an index with a package cuvette 1.2.3 of these files. Returns its address."""
        folder = os.path.join(self.folder, "simple", "cuvette")
        os.makedirs(folder)
        files = {**files, "cuvette-1.2.3.dist-info/METADATA": "Metadata-Version: 2.1\nName: cuvette\nVersion: 1.2.3\n",
                 "cuvette-1.2.3.dist-info/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
                 "cuvette-1.2.3.dist-info/entry_points.txt": "[console_scripts]\ncuvette = cuvette._command:main\n"}
        files["cuvette-1.2.3.dist-info/RECORD"] = "".join(f"{name},,\n" for name in files)
        wheel = "cuvette-1.2.3-py3-none-any.whl"
        with zipfile.ZipFile(os.path.join(folder, wheel), "w") as file:
            for name, text in files.items():
                file.writestr(name, text)
        with open(os.path.join(folder, "index.html"), "w", encoding="utf-8") as file:
            file.write(f"<!DOCTYPE html><a href='{wheel}'>{wheel}</a>\n")
        # A Python that takes nothing by pip, as a distribution's: the one of this machine stays as it is.
        write(self.stand_ins + "/python3",
              f"case \"$*\" in *EXTERNALLY-MANAGED*) exit 1 ;; esac; exec '{sys.executable}' \"$@\"")
        self.job.environment.update(PIP_CONFIG_FILE="/dev/null")
        return "file://" + os.path.dirname(folder)

    PACKAGE = {"cuvette/__init__.py": "", "cuvette/_command.py": "def main():\n    print('cuvette 1.2.3')\n"}

    @unittest.skipUnless(importlib.util.find_spec("pip") or importlib.util.find_spec("ensurepip"), "pip is missing")
    def test_takes_a_version_by_pip(self):
        index = self.index({**self.PACKAGE, "cuvette/_tree/bin/cuvette": "#!/bin/sh\n" + STAND_IN})
        # A folder of the project that has the package's name.
        os.mkdir(self.workspace + "/cuvette")
        write(self.workspace + "/cuvette/__init__.py", "")
        succeeded, outputs = self.setup(**{"from": "pip", "version": "1.2.3", "index-url": index})
        self.assertTrue(succeeded, self.job.log)
        self.assertTrue(outputs["prefix"].endswith("/site-packages/cuvette/_tree"), outputs)
        found = shutil.which("cuvette", path=self.job.environment["PATH"])
        self.assertTrue(found and found.startswith(self.folder), found)

    @unittest.skipUnless(importlib.util.find_spec("pip") or importlib.util.find_spec("ensurepip"), "pip is missing")
    def test_refuses_a_package_of_another_project(self):
        index = self.index(self.PACKAGE)
        self.assert_fails(self.setup(**{"from": "pip", "version": "1.2.3", "index-url": index}),
                          "another project of that name")

    def test_installs_clang_if_wanted(self):
        called = os.path.join(self.folder, "called")
        for name in ("apt-get", "sudo"):
            write(self.stand_ins + "/" + name, f"echo {name} \"$@\" >>'{called}'")
        self.assertTrue(self.setup(**{"from": "path", "path": BUILD, "clang": "true"})[0], self.job.log)
        with open(called, encoding="utf-8") as file:
            self.assertIn("apt-get install -y --no-install-recommends clang", file.read())


class Run(ActionTest):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.program, cls.project = compile_pipeline(folder.name), folder.name + "/project"

    def setUp(self):
        super().setUp()
        self.job.workspace = self.job.environment["GITHUB_WORKSPACE"] = self.project
        self.job.environment["PATH"] = BUILD + "/bin:" + self.job.environment["PATH"]

    def sarif(self, outputs):
        with open(outputs["sarif"], encoding="utf-8") as file:
            document = json.load(file)
        self.assertEqual(document["version"], "2.1.0")
        return document["runs"][0]["results"]

    def test_passes_what_is_right(self):
        succeeded, outputs = self.run_tests(command=self.program + " green", checks="all", devices="2", memory="256M")
        self.assertTrue(succeeded, self.job.log)
        self.assertEqual(outputs["status"], "0")
        self.assertEqual(self.sarif(outputs), [])
        self.assertEqual(self.job.annotations, [])

    def test_shows_a_race_at_its_line(self):
        succeeded, outputs = self.run_tests(command=self.program + " racy", checks="races")
        self.assertFalse(succeeded)
        self.assertEqual(outputs["status"], "99")
        line = line_of("the place of the report")
        (properties, text), = self.job.annotations
        self.assertIn(f"line={line}", properties)
        self.assertRegex(properties, r"file=(.*/)?src/pipeline.c")
        self.assertIn("nothing orders the two", text)
        result, = self.sarif(outputs)
        self.assertEqual(result["ruleId"], "unordered-access")
        self.assertEqual(result["locations"][0]["physicalLocation"]["region"]["startLine"], line)
        self.assertIn("unordered-access", self.job.summary)
        self.assertIn(f"src/pipeline.c:{line}", self.job.summary)

    def test_shows_ten_at_most_and_lists_all(self):
        succeeded, outputs = self.run_tests(command=self.program + " leaky", checks="api", error_exitcode="42")
        self.assertFalse(succeeded)
        self.assertEqual(outputs["status"], "42")
        self.assertEqual(len(self.sarif(outputs)), 12)
        self.assertEqual(len(re.findall("^::error ", self.job.log, re.M)), 10)
        for place in range(1, 13):
            self.assertIn(f"src/pipeline.c:{line_of(f'LEAK({place})')}", self.job.summary)

    def test_fails_if_nothing_used_cuvette(self):
        succeeded, outputs = self.run_tests(command="true")
        self.assertFalse(succeeded, self.job.log)
        self.assertNotIn(outputs["status"], ("", "0"))
        self.assertTrue(self.run_tests(command="true", require="false")[0], self.job.log)

    def test_keeps_the_status_of_the_command(self):
        succeeded, outputs = self.run_tests(command=self.program + " red")
        self.assertFalse(succeeded)
        self.assertEqual(outputs["status"], "3")
        self.assertEqual(self.sarif(outputs), [])

    def test_stops_at_the_first_failure(self):
        succeeded, outputs = self.run_tests(command=f"'{self.program}' green\nfalse | cat\necho not reached")
        self.assertFalse(succeeded)
        self.assertEqual(outputs["status"], "1")
        self.assertNotIn("not reached", self.job.log)

    def test_says_that_it_was_stopped(self):
        # The script is `cuvette run`'s parent, and is killed when the race was reported.
        stop = "kill -KILL $(cut -d ' ' -f 4 /proc/$PPID/stat)"
        succeeded, outputs = self.run_tests(command=f"'{self.program}' racy || {stop}", checks="races")
        self.assertFalse(succeeded)
        self.assertEqual(outputs["status"], "")
        self.assertIn("stopped before its end\n\nReports until then: 1.", self.job.summary)

    def test_takes_every_input_as_text(self):
        trap = "$(touch caught) `touch caught` \"; touch caught; ' \\ ${IFS} %0A\n::error::caught\n"
        os.makedirs(os.path.join(self.project, trap.strip()))
        self.addCleanup(shutil.rmtree, os.path.join(self.project, trap.split("\n", maxsplit=1)[0]), True)
        for name in ("checks", "device", "devices", "memory", "suppress", "baseline", "error-exitcode", "require",
                     "orders"):
            self.assertFalse(self.run_tests(command=self.program, **{name: trap})[0], name)
        for name in ("from", "version", "path", "clang"):
            self.assertFalse(self.setup(**{"from": "path", "path": BUILD, **{name: trap}})[0], name)
        given = {"from": "pip", "version": "1.2.3", "index-url": trap}
        self.assertFalse(self.setup(**given)[0], "index-url")
        for name in ("url", "sha256"):
            given = {"url": "file:///nowhere", "sha256": "0" * 64, name: trap}
            self.assertFalse(self.setup(**{"from": "release", **given})[0], name)
        self.assertTrue(self.run_tests(command=f"'{self.program}'\npwd >'{self.folder}/pwd'",
                                       working_directory=trap.strip(), sarif=f"reports/{trap}.sarif")[0], self.job.log)
        with open(self.folder + "/pwd", encoding="utf-8") as file:
            self.assertEqual(file.read(), os.path.join(self.project, trap.strip()) + "\n")
        caught = [name for _, folders, files in os.walk(self.project) for name in folders + files if name == "caught"]
        self.assertEqual(caught, [])
        self.assertNotIn("caught", self.job.environment)

    def test_hands_the_command_over_as_it_is(self):
        succeeded, _ = self.run_tests(command=f"""'{self.program}'
            printf '%s|' "two  words" '$(id)' "it's" >'{self.folder}/said'""")
        self.assertTrue(succeeded, self.job.log)
        with open(self.folder + "/said", encoding="utf-8") as file:
            self.assertEqual(file.read(), "two  words|$(id)|it's|")

    def test_leaves_no_variables_behind(self):
        self.run_tests(command=f"'{self.program}'; env >'{self.folder}/environment'")
        with open(self.folder + "/environment", encoding="utf-8") as file:
            self.assertNotIn("WITH_", file.read())

    def test_looks_for_an_order_that_fails(self):
        self.job.environment["CUVETTE_SCHEDULE"] = "eager"  # in which it passes
        succeeded, outputs = self.run_tests(command=f"exec '{self.program}' lucky", orders="4")
        self.assertFalse(succeeded, self.job.log)
        self.assertEqual(outputs["status"], "1", self.job.log)
        self.assertIn("cuvette run --schedule=", self.job.summary)
        self.assertTrue(self.run_tests(command=f"exec '{self.program}'", orders="4")[0], self.job.log)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
