"""Perception and validation in this process, for `--offline`: the same domain code that the services run."""

from __future__ import annotations

import os
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path
from typing import Any

from google.protobuf.message import Message

from cli.errors import CliError, UsageProblem
from services.common.errors import InvalidInput, TriragError


def parse(request: Any) -> Any:
    """The ParsedQuestion message of a ParseRequest.

    Raises:
        UsageProblem: the day or the time zone does not exist.
        CliError: the request breaks a rule of its contract, or the parser cannot be loaded.
    """
    from services.common.converters.question import to_proto_question
    from services.common.dates import from_proto_date, today_in

    _check(request)
    try:
        if request.HasField("reference_date"):
            day = from_proto_date(request.reference_date, "reference_date")
        else:
            day = today_in(request.time_zone, "--time-zone")
    except InvalidInput as error:
        raise UsageProblem(error.message) from None
    return to_proto_question(_interpreters().of(request.tenant).parse(request.question, day))


def validate_answer(request: Any) -> Any:
    """The Verdict message of a ValidateAnswerRequest.

    Raises:
        CliError: the request breaks a rule of its contract, or the configuration cannot be loaded.
    """
    from services.common.converters.verdict import to_proto_verdict
    from services.validation import validator

    _check(request)
    chunks, as_of = _evidence(request)
    answer = request.answer
    return to_proto_verdict(
        validator.validate_answer(request.question, None, answer, chunks, as_of, _today(), _validation_config())
    )


def check_sufficiency(request: Any) -> Any:
    """The response message of a CheckSufficiencyRequest.

    Raises:
        CliError: the request breaks a rule of its contract, or the configuration cannot be loaded.
    """
    from services.common.converters.verdict import to_proto_sufficiency
    from services.validation import validator

    _check(request)
    chunks, as_of = _evidence(request)
    return to_proto_sufficiency(
        validator.check_sufficiency(request.question, None, chunks, as_of, _today(), _validation_config())
    )


def _evidence(request: Any) -> tuple[list[Any], date | None]:
    from services.common.converters.document import from_proto_chunk
    from services.common.dates import from_proto_date

    as_of = from_proto_date(request.as_of, "as_of") if request.HasField("as_of") else None
    return [from_proto_chunk(chunk) for chunk in request.chunks], as_of


def _today() -> date:
    return datetime.now(UTC).date()


@cache
def _validation_config() -> Any:
    from services.validation.adapters.config import DEFAULT_DIRECTORY, load_config
    from services.validation.adapters.glossary import CedictGlossary

    configured = Path(os.environ.get("TRIRAG_CONFIG_DIR", "config")) / "validation"
    try:
        return load_config(configured if configured.is_dir() else DEFAULT_DIRECTORY, glossary=CedictGlossary())
    except (ValueError, OSError) as error:
        raise CliError(f"the configuration of validation cannot be loaded: {error}") from None


def packs_root() -> Path:
    """Folder of the rule packs: that of the settings, or the shipped one where the settings name none."""
    from services.perception.bootstrap import BASE_PACKS

    configured = Path(os.environ.get("TRIRAG_CONFIG_DIR", "config")) / "perception"
    return configured if configured.is_dir() else BASE_PACKS


@cache
def _interpreters() -> Any:
    """The service's own settings and layers."""
    from services.common.settings import load_settings
    from services.perception.interpreters import load_interpreters
    from services.perception.settings import PerceptionSettings

    try:
        settings = load_settings(PerceptionSettings)
        # Nothing is left behind in a folder that is no checkout of ours.
        kept_in = settings.kept_dir if settings.kept_dir.parent.is_dir() else None
        return load_interpreters(settings, packs_root(), kept_in)
    except (ValueError, OSError, ImportError, TriragError) as error:
        raise CliError(f"the parser cannot be loaded: {error}") from None


def _check(request: Message) -> None:
    """The same rules that the services check."""
    from services.common.request_rules import violations

    broken = violations(request)
    if broken:
        raise CliError("; ".join(f"{v.field}: {v.description}" for v in broken))
