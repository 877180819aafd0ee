#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs jobs that extend packaging/gitlab's template as GitLab's runner would: gitlab_test.py SOURCE BUILD COMPILER"""
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

from ci_services import BUILD, SOURCE, compile_pipeline, line_of, load, write

run_gitlab = load("run_gitlab")
with open(os.path.join(SOURCE, "packaging", "gitlab", "cuvette.gitlab-ci.yml"), encoding="utf-8") as template:
    TEMPLATE = template.read()


class Template(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.program = compile_pipeline(folder.name)

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.project = os.path.join(folder.name, "a project")
        self.stand_ins = os.path.join(folder.name, "stand-ins")
        os.makedirs(self.project)
        os.makedirs(self.stand_ins)
        self.path = self.stand_ins + ":" + BUILD + "/bin:" + os.environ["PATH"]

    def run_job(self, *script, shell=("bash",), **variables):
        job = {"extends": ".cuvette", "variables": variables, "script": list(script)}
        self.status, self.log, self.artifacts = run_gitlab.run(
            [TEMPLATE, json.dumps({"tests": job})], "tests", self.project, {"PATH": self.path, "HOME": self.project},
            shell)

    def cases(self):
        return xml.etree.ElementTree.parse(self.artifacts["junit"]).getroot().findall("testsuite/testcase")

    def issues(self):
        with open(self.artifacts["codequality"], encoding="utf-8") as file:
            return json.load(file)

    def test_passes_what_is_right(self):
        self.run_job(f"cuvette_run {self.program} green", CUVETTE_CHECK="all")
        self.assertEqual(self.status, 0, self.log)
        self.assertEqual([case.find("failure") for case in self.cases()], [None])
        self.assertEqual(self.issues(), [])

    def test_runs_in_a_plain_shell(self):
        self.run_job(f"cuvette_run {self.program} green", shell=("dash" if shutil.which("dash") else "sh",))
        self.assertEqual(self.status, 0, self.log)

    def test_shows_reports_as_tests_and_marks(self):
        self.run_job(f"cuvette_run {self.program} green", f"cuvette_run {self.program} leaky || true",
                     f"cuvette_run {self.program} racy", CUVETTE_CHECK="races,api")
        self.assertEqual(self.status, 99, self.log)
        names = [(case.get("classname"), case.get("name")) for case in self.cases()]
        self.assertEqual(len(names), 13)
        self.assertEqual(len(names), len(set(names)))
        issues = self.issues()
        self.assertEqual(len({issue["fingerprint"] for issue in issues}), len(issues))
        race, = [issue for issue in issues if issue["check_name"] == "unordered-access"]
        self.assertTrue(race["location"]["path"].endswith("src/pipeline.c"), race)
        self.assertEqual(race["location"]["lines"]["begin"], line_of("the place of the report"))
        self.assertIn(race["severity"], ("info", "minor", "major", "critical", "blocker"))
        self.assertIn("description", race)

    def test_fails_if_nothing_used_cuvette(self):
        self.run_job("cuvette_run true")
        self.assertNotEqual(self.status, 0, self.log)

    def test_hands_words_over_as_they_are(self):
        say = f"{self.program}; printf \"%s|\" \"$@\" >said"
        self.run_job(f"cuvette_run sh -c '{say}' sh 'two  words' '$(id)' \"it's\"")
        self.assertEqual(self.status, 0, self.log)
        with open(self.project + "/said", encoding="utf-8") as file:
            self.assertEqual(file.read(), "two  words|$(id)|it's|")

    def test_needs_a_script(self):
        status, log, _ = run_gitlab.run([TEMPLATE, "tests: {extends: .cuvette}"], "tests", self.project,
                                        {"PATH": self.path, "HOME": self.project})
        self.assertEqual(status, 1)
        self.assertIn("no script of its own", log)

    def test_caches_kernels_within_the_project(self):
        job = run_gitlab.job_of([TEMPLATE, "tests: {extends: .cuvette}"], "tests")
        self.assertEqual("$CI_PROJECT_DIR/" + job["cache"]["paths"][0], job["variables"]["CUVETTE_CACHE"])

    # --- Installing: in folders and programs that imitate an image's -----------------------------------

    def without_cuvette(self):
        self.path = self.stand_ins + ":/usr/bin:/bin"
        if shutil.which("cuvette", path=self.path):
            self.skipTest("cuvette is installed in /usr/bin")

    def test_says_what_to_set(self):
        self.without_cuvette()
        self.run_job("cuvette_run true")
        self.assertEqual(self.status, 1)
        self.assertIn("set INSTALL_CUVETTE_URL to a file of a release", self.log)

    def make_python(self, package):
        """Makes a python3 that says what pip is asked for, and finds the package in that folder."""
        write(self.stand_ins + "/python3", f"""case "$*" in
            "-m venv"*) for folder; do :; done; mkdir -p "$folder/bin"; cp "$0" "$folder/bin/" ;;
            "-m pip install"*) echo "pip: $*"; ln -s '{BUILD}/bin/cuvette' "$(dirname "$0")/cuvette" ;;
            *) echo '{package}' ;; esac""")

    def make_package(self):
        package = os.path.join(self.stand_ins, "packages", "cuvette")
        os.makedirs(package + "/_tree/bin")
        write(package + "/_tree/bin/cuvette", "exit 0")
        return package

    def test_installs_a_version_by_pip(self):
        self.without_cuvette()
        package = self.make_package()
        self.make_python(package)
        self.run_job(f"cuvette_run {self.program} green", 'echo "root: $cuvette_ROOT"', INSTALL_CUVETTE="1.2.3",
                     INSTALL_CUVETTE_INDEX="https://example.com/simple")
        self.assertEqual(self.status, 0, self.log)
        self.assertIn("pip: -m pip install --quiet --index-url https://example.com/simple cuvette==1.2.3", self.log)
        self.assertIn(f"root: {package}/_tree", self.log)

    def test_refuses_pip_without_an_index(self):
        self.without_cuvette()
        self.make_python(self.make_package())
        self.run_job("cuvette_run true", INSTALL_CUVETTE="1.2.3")
        self.assertEqual(self.status, 1, self.log)
        self.assertIn("INSTALL_CUVETTE_INDEX is empty", self.log)
        self.assertIn("PyPI's cuvette is another project", self.log)
        self.assertNotIn("pip:", self.log)

    def test_refuses_a_package_of_another_project(self):
        self.without_cuvette()
        self.make_python(self.stand_ins)
        self.run_job("cuvette_run true", INSTALL_CUVETTE="1.2.3", INSTALL_CUVETTE_INDEX="https://example.com/simple")
        self.assertEqual(self.status, 1, self.log)
        self.assertIn("a cuvette of another project", self.log)

    def test_installs_a_wheel_by_its_digest(self):
        self.without_cuvette()
        self.make_python(self.make_package())
        write(self.stand_ins + "/curl", 'while [ "$1" != --output ]; do shift; done; echo wheel >"$2"')
        given = {"INSTALL_CUVETTE_URL": "https://example.com/cuvette-1.2.3-py3-none-any.whl?job=1"}
        self.run_job("cuvette_run true", INSTALL_CUVETTE_SHA256="0" * 64, **given)
        self.assertNotEqual(self.status, 0, self.log)
        self.assertNotIn("pip:", self.log)
        self.run_job(f"cuvette_run {self.program} green",
                     INSTALL_CUVETTE_SHA256=hashlib.sha256(b"wheel\n").hexdigest(), **given)
        self.assertEqual(self.status, 0, self.log)
        self.assertIn(f"pip: -m pip install --quiet {self.project}/.cuvette/cuvette-1.2.3-py3-none-any.whl\n", self.log)

    def test_installs_a_package_by_its_digest(self):
        self.without_cuvette()
        write(self.stand_ins + "/curl", 'while [ "$1" != --output ]; do shift; done; echo package >"$2"')
        write(self.stand_ins + "/apt-get", f"""echo "apt-get: $*"
            case "$*" in *cuvette.deb*) ln -s '{BUILD}/bin/cuvette' '{self.stand_ins}/cuvette' ;; esac""")
        digest = hashlib.sha256(b"package\n").hexdigest()
        given = {"INSTALL_CUVETTE_URL": "https://example.com/cuvette.deb", "INSTALL_CLANG": "true"}
        for wrong in ("", "0" * 64):
            self.run_job(f"cuvette_run {self.program} green", INSTALL_CUVETTE_SHA256=wrong, **given)
            self.assertNotEqual(self.status, 0, self.log)
            self.assertNotIn("apt-get:", self.log)
        self.run_job(f"cuvette_run {self.program} green", INSTALL_CUVETTE_SHA256=digest, **given)
        self.assertEqual(self.status, 0, self.log)
        self.assertIn("apt-get: install -y --no-install-recommends clang", self.log)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
