"""Sufficiency: what looks like a contradiction and is none, what is one, other languages, missing needs."""

from __future__ import annotations

import itertools
from datetime import date
from typing import Any

import pytest

from services.common.domain.document import Chunk, DocumentMetadata
from services.common.domain.verdict import Sufficiency, SufficiencyLabel
from services.validation.adapters.config import default_config
from services.validation.domain.asked.topical import topical_passages
from services.validation.domain.case import Case
from services.validation.domain.sources.rivalry import conflict_features
from services.validation.domain.wording.align import Bag
from services.validation.domain.wording.doubt import doubts, matches_of
from services.validation.validator import analyser_for, check_sufficiency

TODAY = date(2026, 11, 30)


def chunk(text: str, document: str, title: str = "", **more: Any) -> Chunk:
    return Chunk(f"{document}-{len(text)}", DocumentMetadata(document, title=title, **more), text)


def judge(question: str, *chunks: Chunk) -> Sufficiency:
    return check_sufficiency(question, None, chunks, None, TODAY, default_config())


def case(question: str, *chunks: Chunk) -> Case:
    config = default_config()
    return Case(question, None, "", chunks, None, TODAY, config, analyser_for(config))


NO_CONTRADICTION = {
    "numbers of headings": (
        "What is the rated flow of the transfer pump?",
        chunk("5.1 Rated flow. The transfer pump has a rated flow of 35 litres per minute.", "manual-a"),
        chunk("5.2 Rated pressure. The transfer pump has a rated pressure of 12 bar.", "manual-b"),
    ),
    "another model": (
        "How many litres per minute does pump P-7 deliver?",
        chunk("Pump P-7 delivers 35 litres per minute.", "p7", "Pump P-7"),
        chunk("Pump P-9 delivers 50 litres per minute.", "p9", "Pump P-9"),
    ),
    "another period": (
        "What was the revenue of the port in 2023?",
        chunk("In 2023 the revenue of the port was 6.1 million euros.", "report-2023", "Annual report 2023"),
        chunk("In 2022 the revenue of the port was 5.4 million euros.", "report-2022", "Annual report 2022"),
    ),
    "章节编号": (
        "输送泵的额定流量是多少？",
        chunk("5.1 额定流量：输送泵的额定流量为每分钟35升。", "手册甲"),
        chunk("5.2 额定压力：输送泵的额定压力为12巴。", "手册乙"),
    ),
    "别的年度": (
        "2023年港口的营业收入是多少？",
        chunk("2023年港口营业收入为610万元。", "年报2023", "2023年年度报告"),
        chunk("2022年港口营业收入为540万元。", "年报2022", "2022年年度报告"),
    ),
}


@pytest.mark.parametrize("name", NO_CONTRADICTION)
def test_what_is_no_contradiction(name: str) -> None:
    question, *chunks = NO_CONTRADICTION[name]
    found = judge(question, *chunks)
    assert found.label.value == "sufficient"
    assert not [c for c in found.conflicts if not c.decided_by]


def test_two_values_for_one_thing_are_a_conflict_with_both_values() -> None:
    found = judge(
        "How many litres per minute does pump P-7 deliver?",
        chunk("Pump P-7 delivers 35 litres per minute.", "a"),
        chunk("Pump P-7 delivers 40 litres per minute.", "b"),
    )
    assert found.label.value == "conflicting"
    assert [(c.value_a, c.value_b, c.decided_by) for c in found.conflicts] == [("35 litres", "40 litres", "")]


def test_authority_decides_and_the_rule_is_named() -> None:
    found = judge(
        "How many litres per minute does pump P-7 deliver?",
        chunk("Pump P-7 delivers 35 litres per minute.", "a", authority=5),
        chunk("Pump P-7 delivers 40 litres per minute.", "b", authority=2),
    )
    assert found.label.value == "sufficient"
    assert [c.decided_by for c in found.conflicts] == ["authority"]


def test_an_altered_copy_contradicts_though_it_does_not_repeat_the_question() -> None:
    text = "Casnovia is a village in Michigan. As of the census there were {} people, 121 households and 94 families."
    found = judge("What is the population of Casnovia?", chunk(text.format(319), "a"), chunk(text.format(5000), "b"))
    assert found.label.value == "conflicting"


def test_the_passages_of_one_document_are_no_rivals() -> None:
    pages = [
        "The archive opens at nine. Visitors sign the register of the archive at the entrance.",
        "Visitors of the archive leave coats in the lockers. The archive lends pencils.",
        "The reading room of the archive seats forty visitors. Maps are read at the long tables.",
    ]
    question = "What must visitors of the archive do?"
    together = case(question, *(chunk(p, "rules") for p in pages))
    apart = case(question, *(chunk(p, f"rules-{i}") for i, p in enumerate(pages)))
    features = [conflict_features(c, topical_passages(c), ()) for c in (together, apart)]
    assert set(features[0].values()) == {0.0}
    assert features[1]["rival_context"] > 0


def test_passages_that_name_others_are_suspected_more_than_passages_that_share_a_name() -> None:
    question = "Who opened the new harbour bridge?"
    first = chunk("Minister Vera Lindqvist opened the new harbour bridge. Engineer Tomas Brandt led the works.", "a")
    agreeing = chunk("The new harbour bridge was opened on Sunday. Vera Lindqvist and Tomas Brandt were there.", "b")
    rival = chunk("The new harbour bridge was opened on Sunday. Pablo Serrano and Ines Castell were there.", "c")
    same, other = (
        conflict_features(c, topical_passages(c), ())["rival_names"]
        for c in (case(question, first, agreeing), case(question, first, rival))
    )
    assert same < other


def test_the_words_of_the_title_are_given_and_what_is_asked_beyond_them_counts() -> None:
    question = "What does the Kestrel scanner weigh?"
    weighs = chunk("It weighs 14 kg with its battery.", "a", "Kestrel scanner")
    charges = chunk("It charges in three hours from any socket.", "b", "Kestrel scanner")
    (first,), (second,) = (topical_passages(case(question, c)) for c in (weighs, charges))
    assert first.passage == 1.0
    assert first.beyond == 1.0
    assert second.beyond == 0.0
    for untold in ("The Kestrel scanner?", "What does the lamp weigh?"):
        (found,) = topical_passages(case(untold, weighs))
        assert found.beyond == 0.5


@pytest.mark.parametrize(
    ("question", "text", "other"),
    [
        (
            "冷却水泵每分钟输送多少升水？",
            "The cooling water pump delivers 35 litres of water per minute.",
            "The canteen serves lunch between noon and two.",
        ),
        (
            "How long is the warranty period of the compressor?",
            "压缩机的保修期为24个月。",
            "食堂中午十二点至下午两点供应午餐。",
        ),
    ],
    ids=["zh on en", "en on zh"],
)
def test_evidence_in_the_other_language_counts(question: str, text: str, other: str) -> None:
    right, wrong = judge(question, chunk(text, "a")), judge(question, chunk(other, "b"))
    assert right.score > 0.5 > wrong.score
    assert (right.label.value, wrong.label.value) == ("sufficient", "insufficient")


def test_missing_needs_carry_searches_and_covered_ones_their_passage() -> None:
    found = judge(
        "Compare the range of the Osprey 3 and the Heron 2.",
        chunk("The Osprey 3 has a range of 480 km.", "a", "Osprey 3"),
        chunk("The office is closed on Sundays.", "b"),
    )
    covered = {n.description.split(":")[0]: n.covered_by for n in found.needs}
    assert covered == {"Osprey 3": (1,), "Heron 2": ()}
    (missing,) = (n for n in found.needs if not n.covered_by)
    assert missing.queries
    assert all("Heron 2" in query for query in missing.queries)
    assert found.label.value == "insufficient"
    both = judge(
        "Compare the range of the Osprey 3 and the Heron 2.",
        chunk("The Osprey 3 has a range of 480 km.", "a", "Osprey 3"),
        chunk("The Heron 2 has a range of 620 km.", "b", "Heron 2"),
    )
    assert both.score > found.score
    assert all(n.covered_by for n in both.needs)


def test_no_evidence_is_insufficient_with_score_zero() -> None:
    found = judge("What does pump P-7 deliver?")
    assert (found.label.value, found.score) == ("insufficient", 0.0)


def test_the_order_of_the_chunks_changes_nothing() -> None:
    question, *chunks = NO_CONTRADICTION["another period"]
    chunks.append(chunk("In 2023 the revenue of the port was 7.9 million euros.", "press"))
    results = {(r.label, round(r.score, 9)) for r in (judge(question, *p) for p in itertools.permutations(chunks))}
    assert len(results) == 1


def test_running_text_with_the_answer_scores_above_a_list_of_links() -> None:
    question = "When was the Goodrich House built?"
    text = chunk("The Goodrich House is a villa in the old town. It was built in 1883 by a local merchant.", "a")
    links = chunk("GOODRICH HOUSE Home | Contact | Privacy Policy | Built Heritage | Campus | Index | Site map", "b")
    assert judge(question, text).score > judge(question, links).score + 0.1


# --- doubt ---------------------------------------------------------------------------------------------------------


def test_an_absent_name_is_doubted_more_than_an_absent_verb_and_that_more_than_what_is_there() -> None:
    config = default_config()
    analyser = analyser_for(config)
    evidence = chunk("The villa near the old harbour was sold to a local merchant.", "a")
    statement = analyser.analyse("The villa near the harbour was praised and sold to Rosenblatt.")
    units = case("x", evidence).units([1])
    bags = [Bag.of([u.analysis]) for u in units]
    matches = matches_of(statement.terms, bags[0], bags)
    found = doubts(statement, matches, units, config.words, config.word_weights, across_languages=False)
    chances = {statement.text[d.start : d.end]: d.chance for d in found}
    assert next(iter(chances)) == "Rosenblatt"
    assert chances["Rosenblatt"] > 0.5 > chances["praised"] > chances["villa"]


@pytest.mark.parametrize(
    ("question", "text", "label"),
    [
        ("How fast does the A320 cruise?", "The A320 cruises at 447 kt.", SufficiencyLabel.SUFFICIENT),
        ("How fast does the A320 cruise?", "The A320 cruises at 11 km.", SufficiencyLabel.INSUFFICIENT),
        ("How fast does the A330 cruise?", "The A320 cruises at 447 kt.", SufficiencyLabel.INSUFFICIENT),
        ("How heavy is the A320?", "The A320 weighs 78 t.", SufficiencyLabel.SUFFICIENT),
        ("How long does boarding take?", "Boarding takes 25 minutes.", SufficiencyLabel.SUFFICIENT),
        ("A320飞多快？", "A320的巡航速度为447节。", SufficiencyLabel.SUFFICIENT),
        ("A330飞多快？", "A320的巡航速度为447节。", SufficiencyLabel.INSUFFICIENT),
        ("A320有多重？", "A320重78吨。", SufficiencyLabel.SUFFICIENT),
    ],
)
def test_the_word_that_asks_for_a_measure_is_answered_by_its_values(
    question: str, text: str, label: SufficiencyLabel
) -> None:
    chunk = Chunk("c", DocumentMetadata("d"), text)
    assert check_sufficiency(question, None, (chunk,), None, TODAY, default_config()).label is label


@pytest.mark.parametrize(
    ("question", "text", "label"),
    [
        ("How do I change the filter?", "The filter is blue.", SufficiencyLabel.INSUFFICIENT),
        ("How do I change the filter?", "To change the filter, first drain it.", SufficiencyLabel.SUFFICIENT),
        ("如何更换滤芯？", "滤芯为蓝色。", SufficiencyLabel.INSUFFICIENT),
        ("如何更换滤芯？", "更换滤芯：先关闭电源，再取出滤芯。", SufficiencyLabel.SUFFICIENT),
    ],
)
def test_who_asks_for_steps_is_told_what_to_do(question: str, text: str, label: SufficiencyLabel) -> None:
    chunk = Chunk("c", DocumentMetadata("d"), text)
    assert check_sufficiency(question, None, (chunk,), None, TODAY, default_config()).label is label


@pytest.mark.parametrize(
    ("question", "texts", "label"),
    [
        ("比较A320和A330的重量", ("A320重78吨。", "A330重242吨。"), SufficiencyLabel.SUFFICIENT),
        ("比较A320和A330的重量", ("A320航程为6100公里。", "A330重242吨。"), SufficiencyLabel.INSUFFICIENT),
        (
            "Compare the weight of the A320 and the A330",
            ("The A320 weighs 78 t.", "The A330 weighs 242 t."),
            SufficiencyLabel.SUFFICIENT,
        ),
        ("许可证的费用和期限分别是多少？", ("许可证费用为10元。",), SufficiencyLabel.INSUFFICIENT),
        ("许可证的费用和期限分别是多少？", ("许可证费用为10元，期限为5年。",), SufficiencyLabel.SUFFICIENT),
        (
            "What are the fee and the deadline for the permit?",
            ("The fee for the permit is EUR 10.",),
            SufficiencyLabel.INSUFFICIENT,
        ),
        (
            "What are the fee and the deadline for the permit?",
            ("The fee for the permit is EUR 10; apply for the permit by 1 May.",),
            SufficiencyLabel.SUFFICIENT,
        ),
    ],
)
def test_sides_and_attributes_need_values_of_their_own(
    question: str, texts: tuple[str, ...], label: SufficiencyLabel
) -> None:
    chunks = [Chunk(f"c{i}", DocumentMetadata(f"d{i}"), text) for i, text in enumerate(texts)]
    assert check_sufficiency(question, None, chunks, None, TODAY, default_config()).label is label
