"""Names that only their company gives away, and what is part of a name; the questions are in no data set."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from services.common.domain.question import ParsedQuestion

Parse = Callable[..., ParsedQuestion]


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("苏轼与苏洵谁更早中进士", ["苏轼", "苏洵"]),
        ("乌镇、周庄、西塘哪个人少", ["乌镇", "周庄", "西塘"]),
        ("苏轼与牌坊谁更早出现", ["苏轼"]),
        ("苏轼写过苏泂吗", ["苏轼"]),
        ("金蝶K3+支持多账套吗", ["金蝶K3+"]),
        ("匈牙利总理欧尔班访问了哪里", ["匈牙利", "欧尔班"]),
        ("Is the Airbus A350-900 in service?", ["Airbus A350-900"]),
        ("What does the Vatican's Article 7 say?", ["Vatican"]),
        ("Who is Jan van der Heyden's biographer?", ["Jan van der Heyden"]),
    ],
)
def test_entities(parse: Parse, question: str, names: list[str]) -> None:
    assert [mention.text for mention in parse(question).entities] == names


def test_a_model_inside_a_name_is_a_code_and_no_second_name(parse: Parse) -> None:
    parsed = parse("空客A330的航程是多少")
    assert [m.text for m in parsed.entities] == ["空客A330"]
    assert [m.text for m in parsed.codes] == ["A330"]


@pytest.mark.parametrize(
    ("question", "source"),
    [
        ("walk me through renewing an annual permit", None),
        ("Summarise the Cobalt operating manual.", "Cobalt operating manual"),
        ("What do the Aer Arann terms and conditions say about pets?", "Aer Arann terms and conditions"),
        ("Where did a court sit, under the terms of the Wales Act of 1978?", "Wales Act of 1978"),
        ("Using the figures from Destatis, what was inflation in May?", "Destatis"),
        ("联合国的统计里，冰岛有多少人", "联合国"),
        ("《快雪时晴帖》陈列在哪里", None),
    ],
)
def test_source(parse: Parse, question: str, source: str | None) -> None:
    found = parse(question).source
    assert (found.text if found else None) == source


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("大连的地铁起步价比青岛的贵吗", ["大连", "青岛"]),
        ("Was the Forth Bridge finished before the Eiffel Tower?", ["Forth Bridge", "Eiffel Tower"]),
        ("Did Angela Merkel ever speak before the Knesset?", []),
        ("Best hull paint for a dinghy, epoxy or enamel", ["epoxy", "enamel"]),
        ("杜甫和王维是同时代的吗", ["杜甫", "王维"]),
        ("What flows between Bingen and Bonn?", []),
    ],
)
def test_sides(parse: Parse, question: str, sides: list[str]) -> None:
    assert [mention.text for mention in parse(question).sides] == sides
