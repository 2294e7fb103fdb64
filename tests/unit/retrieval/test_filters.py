"""Filters become expressions in which nothing of a caller is left unescaped."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.common.domain.time import DayInterval
from services.common.errors import InvalidInput
from services.retrieval.adapters.milvus_filter import compile_filter, quote
from services.retrieval.domain.filters import ChunkFilter, access_key, readable_keys


def test_all_conditions_are_compiled() -> None:
    day = date(2024, 1, 1)
    expression = compile_filter(
        ChunkFilter(
            access_keys=("public",),
            in_force_on=day,
            doc_types=("manual",),
            languages=("en", "zh"),
            document_ids=("d1",),
            min_authority=4,
            published=DayInterval(day, None),
            heading="V2.1",
            versions=("4.0.3",),
        )
    )
    number = day.toordinal()
    assert expression == (
        f'access_key in ["public"] and (window_start <= {number} and window_end >= {number}) '
        f'and doc_type in ["manual"] '
        f'and language in ["en", "zh"] and document_id in ["d1"] and version in ["4.0.3"] and authority >= 4 '
        f'and (published_day == 0 or (published_day >= {number})) and array_contains(heading_path, "V2.1")'
    )


def test_access_is_in_every_expression() -> None:
    assert "access_key in []" in compile_filter(ChunkFilter(access_keys=()))


def _unquote(literal: str) -> tuple[str, str]:
    """The value of the literal at the start and what follows it, by the grammar of the store's language."""
    assert literal[0] == '"'
    value, index = "", 1
    while literal[index] != '"':
        if literal[index] == "\\":
            index += 1
            value += {"n": "\n", "r": "\r", "t": "\t"}.get(literal[index], literal[index])
        else:
            value += literal[index]
        index += 1
    return value, literal[index + 1 :]


@given(st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\"\\\n\t\r'"), max_size=60))
def test_no_value_can_leave_its_literal(value: str) -> None:
    read, rest = _unquote(quote(value))
    assert read == value
    assert rest == ""
    assert "\n" not in quote(value)


def test_control_characters_are_refused_by_field() -> None:
    with pytest.raises(InvalidInput) as caught:
        compile_filter(ChunkFilter(access_keys=("public",), heading="a\x00b"))
    assert "filter.heading" in str(caught.value)


_GROUPS = st.frozensets(st.sampled_from(["hr", "finance", "it", "legal"]), max_size=4)


@given(st.lists(_GROUPS, max_size=8), _GROUPS)
def test_readable_keys_are_exactly_those_of_shared_groups(
    documents: list[frozenset[str]], caller: frozenset[str]
) -> None:
    known = [(access_key(groups), groups) for groups in set(documents) if groups]
    keys = readable_keys(known, caller)
    for groups in documents:
        assert (access_key(groups) in keys) is (not groups or bool(groups & caller))


def test_the_order_of_groups_does_not_matter_and_sets_do_not_collide() -> None:
    assert access_key(["b", "a"]) == access_key(["a", "b", "a"])
    assert access_key(["a b"]) != access_key(["a", "b"])
