# SPDX-License-Identifier: Apache-2.0
"""The reports that each check makes. Kinds that are not here are always reported."""
from typing import Set

CHECKS = {
    "races": {"unordered-access", "outside-life", "thread-race", "read-only-written"},
    "footprints": {"unordered-access", "outside-life"},
    "host": {"host-race"},
    "memory": set(),
    "init": {"uninitialised-read"},
    "sync": {"barrier-divergence", "barrier-count", "barrier-reused", "warp-mask", "standstill"},
    "aliases": {"alias-access", "owned-by-vulkan", "overlapping-mappings"},
    "api": {"leaked-memory", "double-free", "stale-handle", "wrong-handle", "ignored-error", "sticky-error-ignored",
            "overlapping-copy", "freed-in-use", "context-busy", "external-after-destroy", "closed-descriptor"},
}


def checks_of(kind: str) -> Set[str]:
    """Returns the checks that make such reports; none if they are always made."""
    return {check for check, kinds in CHECKS.items() if kind in kinds}
