"""What takes long runs under `make check` only, or all of it only there: `make test` is for everyone."""

import os

import pytest

IS_THOROUGH = bool(os.environ.get("SUBITIZE_ALL_PARTS"))
thorough = pytest.mark.skipif(not IS_THOROUGH, reason="takes a while; `make check` runs it")
