#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""proxy_test.py --program PROXY raw|clients [--folder FOLDER]: conversations of 80 turns through the example `proxy`.

`raw` speaks HTTP itself, `clients` uses the packages `openai` and `anthropic`; where they are missing they are installed into
FOLDER, and where that fails the part is skipped with status 77.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from checks import arguments, run_all
from packages import need_packages

chosen = arguments(parts=["raw", "clients"], folder="proxy_clients")
if chosen.part == "clients":
    need_packages("proxy_test", ["openai==3.57.0", "anthropic==2.13.0"], chosen.folder)
    import proxy_client_checks as checks
else:
    import proxy_checks as checks
    import proxy_wire_checks
    checks.ALL += proxy_wire_checks.ALL
sys.exit(run_all(f"proxy_test {chosen.part}", checks.ALL, lambda check: check(chosen.program)))
