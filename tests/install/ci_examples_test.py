#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs what docs/ci_services.md and the workflows show, with Cuvette from the build folder:
ci_examples_test.py SOURCE BUILD COMPILER"""
import itertools
import os
import re
import shutil
import sys
import tempfile
import unittest

from ci_services import BUILD, SOURCE, load, write

run_action, run_gitlab = load("run_action"), load("run_gitlab")
ACTIONS = os.path.join(SOURCE, "packaging", "action")
if not shutil.which("clang++"):
    print("skipped: clang++ is missing, by which `cuvette c++` compiles the examples")
    sys.exit(77)


def text_of(*path):
    with open(os.path.join(SOURCE, *path), encoding="utf-8") as file:
        return file.read()


VERSION = re.search(r"^project\(cuvette VERSION ([0-9.]+)", text_of("CMakeLists.txt"), re.M)[1]
BLOCKS = re.findall(r"^```yaml\n(.*?)^```$", text_of("docs", "ci_services.md"), re.M | re.S)


def is_of_gitlab(block):
    return "include:" in block


class Examples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder, cls.project, cls.stand_ins = folder.name, folder.name + "/project", folder.name + "/stand-ins"
        shutil.copytree(os.path.join(SOURCE, "examples", "cuda_tests"), cls.project)
        os.mkdir(cls.stand_ins)
        write(cls.stand_ins + "/apt-get", "exit 0")
        cls.environment = {"HOME": folder.name, "PATH": cls.stand_ins + ":" + os.environ["PATH"],
                           "CUVETTE_CACHE": os.path.join(BUILD, "kernel_cache")}

    def set_up(self, job, given):
        """The action, with what lies in the build folder instead of what a job would fetch."""
        if "path" in given:
            self.assertEqual((given["from"], given["path"]), ("path", "cuvette.deb"))
        else:
            self.assertEqual((given.get("from", "release"), given["version"]), ("release", VERSION))
            self.assertEqual(given["sha256"], "0" * 64)
        kept = {name: value for name, value in given.items() if name in ("cache-key", "clang")}
        return job.action(ACTIONS + "/setup", {**kept, "from": "path", "path": BUILD})

    def run_workflow(self, text, workspace, only=None):
        """Runs the workflow's jobs, once for each combination of its matrix. Yields them."""
        uses = {}
        for place in ("./packaging/action/", "OWNER/cuvette/packaging/action/"):
            uses[place + "setup"] = self.set_up
            uses[place + "run"] = lambda job, given: job.action(ACTIONS + "/run", given)
        for name, job in run_action.yaml.safe_load(text)["jobs"].items():
            if only and name not in only:
                continue
            self.assertEqual(job["runs-on"], "ubuntu-24.04")
            matrix = job.get("strategy", {}).get("matrix", {})
            for values in itertools.product(*matrix.values()):
                runner = run_action.Runner(workspace, self.environment, uses)
                contexts = {"matrix": dict(zip(matrix, values)), "github": {"job": name}}
                succeeded = runner.steps(job["steps"], contexts)
                self.assertTrue(succeeded, runner.log)
                uploads = [given for one, given in runner.noted if one.startswith("github/codeql-action/upload-sarif")]
                for upload in uploads:
                    self.assertTrue(os.path.isfile(upload["sarif_file"]), upload)
                    self.assertEqual(job["permissions"]["security-events"], "write")
                yield runner, uploads

    def test_there_are_examples_of_both(self):
        self.assertEqual([is_of_gitlab(block) for block in BLOCKS], [False, False, True, True])
        for text in [*BLOCKS, text_of("examples", "cuda_tests", "workflow.yml"),
                     text_of("packaging", "gitlab", "cuvette.gitlab-ci.yml")]:
            for version in re.findall(r"[@/]v([0-9.]+[0-9])", text):
                self.assertEqual(version, VERSION)

    def test_workflows_of_the_page(self):
        for block in BLOCKS:
            if not is_of_gitlab(block):
                (runner, _), = self.run_workflow(block, self.project)
                self.assertEqual(runner.annotations, [])
                self.assertIn("used Cuvette", runner.log)

    def test_workflow_of_the_example(self):
        ran = list(self.run_workflow(text_of("examples", "cuda_tests", "workflow.yml"), self.project))
        self.assertEqual(len(ran), 3)
        categories = {uploads[0]["category"] for _, uploads in ran}
        self.assertEqual(len(categories), 3, "a file of the same category replaces an earlier one")
        keys = {given["key"] for runner, _ in ran for uses, given in runner.noted if uses.startswith("actions/cache@")}
        self.assertEqual(len(keys), 3)

    def test_own_workflow(self):
        own = text_of(".github", "workflows", "actions.yml")
        # Its tests run like the example's, which another test here runs.
        example = text_of("examples", "cuda_tests", "workflow.yml").replace("OWNER/cuvette/packaging", "./packaging")
        jobs = [run_action.yaml.safe_load(text)["jobs"]["cuda-tests"]
                for text in (own, re.sub(r"(/packaging/.*)@v.*", r"\1", example))]
        self.assertEqual(*([step for step in job["steps"] if "if" in step or "id" in step] for job in jobs))
        workspace = self.folder + "/own"
        shutil.copytree(os.path.join(SOURCE, "examples", "cuda_tests"), workspace + "/examples/cuda_tests")
        (racy, _), = self.run_workflow(own, workspace, ("racy",))
        self.assertIn("unordered-access", racy.summary)

    def test_jobs_of_gitlab_on_the_page(self):
        template = text_of("packaging", "gitlab", "cuvette.gitlab-ci.yml")
        environment = {**self.environment, "PATH": f"{self.stand_ins}:{BUILD}/bin:{os.environ['PATH']}",
                       "cuvette_ROOT": BUILD}
        for block in filter(is_of_gitlab, BLOCKS):
            self.assertIn("/packaging/gitlab/cuvette.gitlab-ci.yml", block)
            variables = run_gitlab.job_of([template, block], "cuda-tests")["variables"]
            self.assertRegex(variables["INSTALL_CUVETTE_URL"], rf"/v{VERSION}/cuvette_{VERSION}-1_amd64\.deb$")
            self.assertEqual((variables["INSTALL_CUVETTE_SHA256"], variables["INSTALL_CUVETTE"]), ("0" * 64, ""))
            status, log, artifacts = run_gitlab.run([template, block], "cuda-tests", self.project, environment)
            self.assertEqual(status, 0, log)
            self.assertEqual(set(artifacts), {"junit", "codequality"})


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[4:])
