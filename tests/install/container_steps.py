# SPDX-License-Identifier: Apache-2.0
"""container_steps.py CONTAINERFILE CONTEXT: prints the file's steps as a shell script for a root in which CONTEXT has the
same name. It knows the instructions that our file uses, and refuses others."""
import re
import shlex
import sys

file, context = sys.argv[1:]
text = open(file, encoding="utf-8").read()
steps = [line.split(None, 1) for line in re.sub(r"\\\n", " ", text).splitlines() if line and not line.startswith("#")]
print("set -e\ntrap 'echo \"this failed: $BASH_COMMAND\"' ERR\nexport DEBIAN_FRONTEND=noninteractive")
user, stages = "root", set()
for instruction, rest in steps:
    if instruction == "FROM":
        base, _, name = rest.split()
        if base != "debian:12-slim" and base not in stages:
            sys.exit(f"no such stage or image: {base}")
        stages.add(name)
    elif instruction == "COPY":
        *sources, target = rest.split()
        print(f"cd {shlex.quote(context)}; cp {' '.join(sources)} {target}")
    elif instruction == "RUN":
        if user != "root":
            sys.exit(f"a step as {user} is not known here: RUN {rest}")
        print(f"cd /; {rest}")
    elif instruction == "USER":
        user = rest
    elif instruction == "WORKDIR":
        print(f"mkdir -p {rest}; home={rest}")
    elif instruction != "CMD":
        sys.exit(f"{instruction} is not known here")
print('as_user() { setpriv --reuid user --regid user --init-groups env HOME="$home" sh -c "cd $home && $1"; }')
