"""Where the CLI finds TriRAG: from options first, then from the environment."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from cli.errors import UsageProblem

DEFAULT_URL = "127.0.0.1:8080"
DEFAULT_PORT = 8080
_HOST = re.compile(r"[\w.:%-]+")
LOOPBACK = ("127.0.0.1", "localhost", "::1")


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """The edge to call. ``timeout`` is in seconds; None leaves each command its own default."""

    host: str
    port: int
    tls: bool = False
    token: str = ""
    timeout: float | None = None

    @property
    def target(self) -> str:
        """``host:port`` as gRPC takes it."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def loopback(self) -> bool:
        """True if the edge is on this machine."""
        return self.host in LOOPBACK


def read_settings(
    url: str | None = None, timeout: float | None = None, environ: Mapping[str, str] | None = None
) -> ClientSettings:
    """Settings from the given options and the environment.

    Raises:
        UsageProblem: an option or a variable is malformed; the message names it.
    """
    environment = os.environ if environ is None else environ
    name, written = ("--url", url) if url else ("TRIRAG_URL", environment.get("TRIRAG_URL") or DEFAULT_URL)
    host, port, tls = parse_url(name, written.strip())
    return ClientSettings(host, port, tls, _token(environment), _timeout(timeout, environment))


def parse_url(name: str, written: str) -> tuple[str, int, bool]:
    """Host, port and whether TLS is used of ``host``, ``host:port``, ``http://...`` or ``https://...``."""
    wrong = UsageProblem(f"{name}: {written!r} is no address; write host:port or https://host:port")
    plain = "://" not in written
    try:
        parts = urlsplit(f"//{written}" if plain else written)
        port = parts.port
    except ValueError:
        raise wrong from None
    if parts.scheme not in ("", "http", "https") or not parts.hostname or parts.path not in ("", "/"):
        raise wrong
    if parts.username is not None or parts.query or parts.fragment or not _HOST.fullmatch(parts.hostname):
        raise wrong
    default = DEFAULT_PORT if plain else 443 if parts.scheme == "https" else 80
    return parts.hostname, port or default, parts.scheme == "https"


def _token(environment: Mapping[str, str]) -> str:
    token = environment.get("TRIRAG_TOKEN", "").strip()
    if token and not (token.isascii() and token.isprintable() and " " not in token):
        raise UsageProblem("TRIRAG_TOKEN: holds characters that no token has; set it to the JWT alone")
    return token


def _timeout(given: float | None, environment: Mapping[str, str]) -> float | None:
    name, written = "--timeout", given
    if written is None and environment.get("TRIRAG_TIMEOUT"):
        name = "TRIRAG_TIMEOUT"
        try:
            written = float(environment["TRIRAG_TIMEOUT"])
        except ValueError:
            written = -1.0
    if written is None:
        return None
    if not 0 < written <= 86_400:
        raise UsageProblem(f"{name}: must be a number of seconds above 0 and at most 86400")
    return written
