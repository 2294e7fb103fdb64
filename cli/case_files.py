"""Files of questions, answers and passages, as `validate`, `sufficiency` and their evaluations read them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from cli.errors import UsageProblem
from cli.options import to_date
from cli.text_files import name_of, read_text
from services.common.converters.document import to_proto_chunk
from services.validation.adapters.rows import RowError, sufficiency_row, validation_row
from trirag.validation.v1 import validation_pb2 as pb


def read_case(file: str) -> dict[str, Any]:
    """The JSON object of a file, or of standard input for ``-``.

    Raises:
        UsageProblem: the file cannot be read or holds something else.
    """
    name = name_of(Path(file))
    text = read_text(Path(file), "a readable file, or - for stdin")
    try:
        case = json.loads(text)
    except json.JSONDecodeError as error:
        hint = "; it looks like JSONL: use `trirag eval`" if error.msg == "Extra data" else ""
        raise UsageProblem(f"{name}:{error.lineno}: is not JSON: {error.msg}{hint}") from None
    except RecursionError:
        raise UsageProblem(f"{name}: is nested too deeply") from None
    if not isinstance(case, dict):
        raise UsageProblem(f"{name}: is JSON but no object; write {{question, chunks: […]}}")
    return case


def validation_request(case: Mapping[str, Any], where: str) -> pb.ValidateAnswerRequest:
    """The request of a case with an answer. Raises UsageProblem naming the first bad field."""
    try:
        row = validation_row(case)
        return pb.ValidateAnswerRequest(
            question=row.question,
            answer=row.answer,
            chunks=[to_proto_chunk(chunk) for chunk in row.chunks],
            as_of=to_date(row.as_of),
        )
    except (RowError, UnicodeEncodeError) as error:
        raise _problem(where, error) from None


def sufficiency_request(case: Mapping[str, Any], where: str) -> pb.CheckSufficiencyRequest:
    """The request of a case without an answer. Raises UsageProblem naming the first bad field."""
    try:
        row = sufficiency_row(case)
        return pb.CheckSufficiencyRequest(
            question=row.question,
            chunks=[to_proto_chunk(chunk) for chunk in row.chunks],
            as_of=to_date(row.as_of),
        )
    except (RowError, UnicodeEncodeError) as error:
        raise _problem(where, error) from None


def _problem(where: str, error: Exception) -> UsageProblem:
    told = "a text holds half of a surrogate pair, which is no character" if isinstance(error, UnicodeError) else error
    return UsageProblem(f"{where}: {told}")
