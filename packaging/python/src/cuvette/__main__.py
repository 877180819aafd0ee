# SPDX-License-Identifier: Apache-2.0
from cuvette._command import main

main()
