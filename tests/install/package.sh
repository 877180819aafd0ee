# SPDX-License-Identifier: Apache-2.0
# For the tests of packages, which include this file.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

if [ "${CUVETTE_TEST_INSTALL:-}" != 1 ]; then
  echo "skipped: it takes minutes; CUVETTE_TEST_INSTALL=1, or tools/check install, runs it"
  exit 77
fi
unset CUVETTE_TEST_INSTALL # Cuvette refuses names that it does not know.

# made [OPTION] PACKAGE: makes it and prints its path.
made() {
  local status=0
  tools/package "$@" 2>build/packages/"${!#}".log || status=$?
  [ $status = 0 ] || tail -30 build/packages/"${!#}".log >&2
  return $status # 77 if the archive cannot be reached
}
mkdir -p build/packages

# needs_root SUITE: skips the test if no root of this release can be made, or if it cannot reach an archive to install
# from.
needs_root() {
  local status=0
  tools/in_root "$1" apt-get -q update -o APT::Update::Error-Mode=any >build/packages/root.log 2>&1 || status=$?
  [ $status != 0 ] || return 0
  echo "skipped: no root of $1 with packages: $(tail -1 build/packages/root.log)"
  exit 77
}
