"""trirag rules"""

from __future__ import annotations

import typer

app = typer.Typer(help="Test the rule packs of perception.")
