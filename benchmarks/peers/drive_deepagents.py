# SPDX-License-Identifier: BSL-1.0
"""deepagents: the summarization middleware that create_deep_agent installs, with its own triggers."""

import logging
import tempfile

from deepagents.backends import FilesystemBackend
from deepagents.middleware.summarization import create_summarization_middleware

import driver
from drive_langchain import count, handled, request


def summarization(messages, window):
    system, asked = request(messages, window)
    with tempfile.TemporaryDirectory() as folder:
        backend = FilesystemBackend(root_dir=folder, virtual_mode=True)
        middleware = create_summarization_middleware(asked.model, backend, token_counter=count)
        return driver.with_system(system, handled(middleware, asked))


if __name__ == "__main__":
    logging.disable(logging.CRITICAL)
    driver.drive({"summarization": summarization})
