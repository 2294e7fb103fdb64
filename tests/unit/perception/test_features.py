"""Fields beyond action, names and time, one by one."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest
import yaml

from services.common.domain.question import Action, OriginKind, ParsedQuestion
from services.perception.adapters.rule_packs import load_layers
from services.perception.bootstrap import Models, assemble

Parse = Callable[..., ParsedQuestion]


@pytest.mark.parametrize(
    ("question", "action"),
    [
        ("How long is the probation period?", Action.QUANTIFY),
        ("What is the difference in meaning between shall and should?", Action.COMPARE),
        ("What is the procedure after a bird strike?", Action.HOW_TO),
        ("Brief me on the merger.", Action.SUMMARIZE),
        ("The elevator shows fault F-17, who do I call?", Action.TROUBLESHOOT),
        ("Which laptop should I buy?", Action.RECOMMEND),
        ("试用期能不能请年假？", Action.VERIFY),
        ("报销怎么还不到账？", Action.TROUBLESHOOT),
        ("长江和黄河哪条更长？", Action.COMPARE),
        ("服务通告适用哪些飞机？", Action.LIST),
        ("對比這兩種合同的區別", Action.COMPARE),
    ],
)
def test_actions_that_cue_words_alone_get_wrong(parse: Parse, question: str, action: Action) -> None:
    assert parse(question).action is action


@pytest.mark.parametrize(
    ("question", "codes"),
    [
        ("Compare A320neo and B737-800 with CFM56-7B and LEAP-1A", ["A320neo", "B737-800", "CFM56-7B", "LEAP-1A"]),
        ("E4027, ALM-209 and ORA-01555 came together", ["E4027", "ALM-209", "ORA-01555"]),
        ("Is P/N 65-90305-17 in stock?", ["65-90305-17"]),
        ("§ 1013.2(e) and Art. 32(1)", ["§ 1013.2(e)", "Art. 32(1)"]),
        ("第十二条第二款怎么规定？", ["第十二条第二款"]),
        ("ASVS V2.1.1 and AC-2(3)", ["ASVS V2.1.1", "AC-2(3)"]),
        ("手册V2.0_修订和Rev 5", ["V2.0_修订", "Rev 5"]),
        ("revenue in Q4 2024 was 500KW", []),
    ],
)
def test_codes(parse: Parse, question: str, codes: list[str]) -> None:
    assert [m.text for m in parse(question).codes] == codes


def test_a_regulation_by_number_is_one_name_and_no_time(parse: Parse) -> None:
    parsed = parse("What does Regulation (EU) 2016/679 require?")
    assert [m.text for m in parsed.entities] == ["Regulation (EU) 2016/679"]
    assert parsed.time is None
    assert parsed.source is not None
    assert parsed.source.text == "Regulation (EU) 2016/679"


def test_what_is_excluded(parse: Parse) -> None:
    assert [m.text for m in parse("Which vendors other than Siemens delivered late?").exclusions] == ["Siemens"]
    assert [m.text for m in parse("除汉堡工厂外，哪些工厂超预算？").exclusions] == ["汉堡工厂"]


def test_superlatives_and_their_count(parse: Parse) -> None:
    labels = {(label.name, label.value) for label in parse("List the top three suppliers").labels}
    assert ("superlative", "max 3") in labels
    labels = {(label.name, label.value) for label in parse("去年销量最高的三个车型").labels}
    assert ("superlative", "max 3") in labels


def test_rewrites_are_added_and_leave_the_question_alone(parse: Parse) -> None:
    parsed = parse("这个功能咋用")
    assert parsed.question == "这个功能咋用"
    assert [(r.kind, r.text) for r in parsed.rewrites] == [("colloquial", "这个功能如何用")]


def test_parts_carry_the_subject_and_the_time(parse: Parse) -> None:
    parsed = parse("How many people work for Siemens Energy in 2023, and who leads it?")
    assert [p.action for p in parsed.parts] == [Action.QUANTIFY, Action.LOOKUP]
    assert parsed.parts[1].text == "and who leads Siemens Energy? (2023)"


@pytest.mark.parametrize(
    "question", ["that plane thing", "那个飞机的事儿", "上次说的那个文件", "How is it created?", "???"]
)
def test_vague_questions_say_what_they_lack(parse: Parse, question: str) -> None:
    parsed = parse(question)
    assert parsed.action is Action.UNKNOWN
    assert "subject" in parsed.missing


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("What is a lien?", "en"),
        ("什么是留置权？", "zh"),
        ("SAP里MIRO怎么用？", "zh"),
        ("怎么claim这个补贴？", "mixed"),
        ("Wie viele Urlaubstage habe ich und wann?", "de"),
        ("E4027の意味は何ですか", "ja"),
        ("809", "und"),
    ],
)
def test_language(parse: Parse, question: str, language: str) -> None:
    assert parse(question).language == language


def test_other_languages_give_codes_and_dates(parse: Parse) -> None:
    parsed = parse("Wie behebe ich den Fehler E4027 und gilt das seit 2023-01-01?")
    assert [m.text for m in parsed.codes] == ["E4027"]
    assert parsed.time is not None


def test_every_field_names_what_set_it(parse: Parse) -> None:
    parsed = parse("According to the QRH, how do I clear error 809 on the A320 since March 2024?")
    assert parsed.source is not None
    assert parsed.time is not None
    origins = [parsed.actions[0].origin, parsed.source.origin, parsed.time.origin, *(c.origin for c in parsed.codes)]
    for origin in origins:
        assert origin.kind is OriginKind.RULE
        assert origin.file.startswith("perception/")
        assert origin.line > 0
        assert origin.matched_text


@pytest.mark.parametrize(
    ("question", "added"),
    [
        ("AOG hours of the fleet", ["aircraft on ground hours of the fleet"]),
        ("AOG hours of the ship", []),
        ("AOG hours", []),
    ],
)
def test_a_rewrite_heeds_what_it_requires_and_what_takes_it_out(
    tmp_path: Path, models: Models, question: str, added: list[str]
) -> None:
    rule = {
        "id": "mine.aog", "about": "Spelled out.", "sets": "rewrite", "value": "abbreviation", "pattern": r"\bAOG\b",
        "requires": r"\b(?:fleet|ship)\b", "unless": r"\bship\b", "options": {"to": "aircraft on ground"},
    }  # fmt: skip
    pack = tmp_path / "mine.yaml"
    pack.write_text(yaml.safe_dump({"pack": "mine", "language": "en", "rules": [rule]}), encoding="utf-8")
    parsed = assemble(load_layers([pack]), models).parse(question, date(2025, 3, 14))
    assert [rewrite.text for rewrite in parsed.rewrites] == added
