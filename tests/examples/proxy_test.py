#!/usr/bin/env python3
# SPDX-License-Identifier: BSL-1.0
"""proxy_test.py --program PROXY raw|past|agents [--folder FOLDER]: conversations through the example `proxy`.

`raw` and `past` speak HTTP themselves, `agents` uses libraries that agents are written with; where these are missing they are
installed into FOLDER, and where that fails the part is skipped with status 77.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))

from checks import arguments, run_all
from packages import need_packages, node_packages

chosen = arguments(parts=["raw", "past", "agents"], folder="proxy_clients")
if chosen.part == "agents":
    need_packages("proxy_test", ["openai-agents==0.24.0", "openai==3.57.0", "pydantic-ai-slim[openai,anthropic]==2.68.0", "anthropic==2.14.0", "langchain-core==1.8.3",
                                 "langchain-openai==1.7.4", "langchain-anthropic==1.7.10"], chosen.folder + "_agents")
    import proxy_agent_checks as checks
    checks.ALL = checks.checks_with(node_packages("proxy_test", ["ai@7.0.173", "@ai-sdk/openai@4.0.118", "@ai-sdk/anthropic@4.0.105", "@mariozechner/pi-ai@0.73.1",
                                                                 "@mariozechner/pi-agent-core@0.73.1", "zod@4.6.7"], chosen.folder + "_node"))
elif chosen.part == "past":
    import proxy_recall_checks as checks
else:
    import proxy_checks as checks
    import proxy_wire_checks
    checks.ALL += proxy_wire_checks.ALL
sys.exit(run_all(f"proxy_test {chosen.part}", checks.ALL, lambda check: check(chosen.program)))
