# SPDX-License-Identifier: Apache-2.0
"""hashcat: finds a password for a hash of each kind, by kernels that NVRTC makes on the spot."""
import glob
import hashlib
import os

from harness import Case, Skipped, Wrong

TITLE = "hashcat"
PACKAGES = ["hashcat"]

WORD = "hashcat"
# The mode, its name, and a hash of WORD.
HASHES = [
    (0, "MD5", hashlib.md5(WORD.encode()).hexdigest()),
    (100, "SHA1", hashlib.sha1(WORD.encode()).hexdigest()),
    (300, "MySQL4.1", hashlib.sha1(hashlib.sha1(WORD.encode()).digest()).hexdigest()),
    (500, "md5crypt", "$1$28772684$iEwNOgGugqO9.bIz5sk8k/"),
    (900, "MD4", "afe04867ec7a3845145579a95f72eca7"),
    (1000, "NTLM", "b4b9b02e6f09a9bd760f388b67351e2b"),
    (1400, "SHA2-256", hashlib.sha256(WORD.encode()).hexdigest()),
    (1700, "SHA2-512", hashlib.sha512(WORD.encode()).hexdigest()),
    (1800, "sha512crypt", "$6$52450745$k5ka2p8bFuSmoVT1tzOyyuaREkkKBcCNqoDKzYiJL9RaE8yMnPgh2XzzF0NDrUhgrcLwg78xs1w5pJiypEdFX/"),
    (6000, "RIPEMD-160", "012cb9b334ec1aeb71a9c8ce85586082467f7eb6"),
]


def nvrtc():
    """The folder of NVRTC, which hashcat asks for by name."""
    found = glob.glob("/usr/local/cuda*/lib64/libnvrtc.so*")
    if not found:
        raise Skipped("needs NVIDIA's NVRTC, which is not installed")
    return os.path.dirname(found[0])


def find(mode, digest):
    def check(machine):
        (machine.work / "hash").write_text(digest + "\n")
        (machine.work / "words").write_text("wrong\n" + WORD + "\nother\n")
        output = machine.run(
            ["hashcat", "-m", mode, "-a", "0", "-d", "1", "--backend-ignore-opencl", "--force", "--quiet",
             "--potfile-disable", "--self-test-disable", "--session", f"cuvette-{mode}", "hash", "words"],
            libraries=[nvrtc()], timeout=1800).stdout
        if f"{digest}:{WORD}" not in output:
            raise Wrong("does not find the word")
    return check


def cases(machine):
    yield from (Case(f"-m {mode}, {name}", find(mode, digest)) for mode, name, digest in HASHES)
