"""Identity for development: a secret of this checkout, its JWKS for Envoy, and tokens signed with it."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import time
from pathlib import Path

KEY_ID = "trirag-dev"


def ensure_secret(run: Path) -> None:
    """Makes `<run>/dev-secret` and `<run>/jwks.json` unless they are there. Only the owner can read them."""
    secret_file, jwks_file = run / "dev-secret", run / "jwks.json"
    if not secret_file.is_file():
        run.mkdir(parents=True, exist_ok=True)
        secret_file.touch(mode=0o600)
        secret_file.write_text(secrets.token_hex(32))
    key = {"kty": "oct", "alg": "HS256", "kid": KEY_ID, "k": _encode(_secret(run))}
    jwks_file.touch(mode=0o600)
    jwks_file.write_text(json.dumps({"keys": [key]}))


def make_token(run: Path, subject: str, groups: list[str], seconds: int) -> str:
    """A JWT of `subject`, member of `groups`, that Envoy of this checkout accepts for `seconds`.

    Raises FileNotFoundError before the first `make up`.
    """
    now = int(time.time())
    header = {"alg": "HS256", "typ": "JWT", "kid": KEY_ID}
    claims = {"sub": subject, "groups": " ".join(groups), "iat": now, "exp": now + seconds}
    signed = ".".join(_encode(json.dumps(part).encode()) for part in (header, claims))
    signature = hmac.new(_secret(run), signed.encode(), hashlib.sha256).digest()
    return f"{signed}.{_encode(signature)}"


def _secret(run: Path) -> bytes:
    return (run / "dev-secret").read_text().encode()


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
