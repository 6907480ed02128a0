"""Sphinx configuration. The contract's reference page is rendered from `openapi.yaml` before each build."""

import sys
import tomllib
from pathlib import Path

from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

project = "EvalRouter"
author = "Kimpton"
project_copyright = "2026 Kimpton"
release = version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 4
exclude_patterns = ["_build"]
suppress_warnings = ["myst.header"]
nitpicky = False

autodoc_member_order = "bysource"
autodoc_typehints = "description"

html_theme = "furo"
html_title = f"EvalRouter {release}"


def setup(app: Sphinx) -> None:
    """Register the rendering of the contract's page."""
    from scripts.contract_reference import write

    app.connect("builder-inited", lambda _: write(ROOT / "openapi.yaml", ROOT / "docs" / "reference" / "contract.md"))
