"""Statements on the same thing with different values are found; the same words on another thing are not."""

from __future__ import annotations

from datetime import date

import pytest

from services.common.domain.document import DocumentMetadata
from services.retrieval.domain.conflict.conflicts import Conflict, ConflictKind
from tests.unit.retrieval.conflict_pairs import conflicts_of


def _find(
    *texts: str, titles: tuple[str, ...] = (), changed: set[str] | None = None, **metadata: tuple[object, ...]
) -> list[Conflict]:
    known = [
        DocumentMetadata(
            f"d{n}",
            title=titles[n] if titles else f"Text {n}",
            **{name: values[n] for name, values in metadata.items()},  # type: ignore[arg-type]
        )
        for n in range(len(texts))
    ]
    return conflicts_of(known, texts, changed)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Employees get 15 days of annual leave per year.", "Employees get 20 days of annual leave per year."),
        ("Employees get 15 days of annual leave per year.", "Employees are entitled to 20 days annual leave per year."),
        ("员工每年享有15天带薪年休假。", "员工每年享有20天带薪年休假。"),
        ("员工每年享有15天带薪年休假。", "员工每年可享受二十天带薪年休假。"),
        ("The cruise speed of the A320 is 440 kt.", "The cruise speed of the A320 is **450 kt**."),
        ("The application deadline is 2024-03-01.", "The application deadline is March 15, 2025."),
        ("The application deadline is Sept. 1, 2024.", "The application deadline is September 15, 2024."),
        ("申请截止日期为2024年3月1日。", "申请截止日期为2025年3月1日。"),
        ("| 1 | Passwords must have at least 12 characters | x |", "- Passwords must have at least 8 characters."),
        ("2.1.1 Verify that passwords have 12 characters.", "6.2.1 Verify that passwords have 8 characters."),
        ("Refunds are paid within two weeks of the return.", "Refunds are paid within 30 days of the return."),
        ("Goods may be returned within 30 days of delivery.", "Goods may be returned within 14 days after delivery."),
        ("收到投诉后48小时内答复客户。", "自收到投诉之日起三天内答复客户。"),
        ("Fire drills are held every month.", "Fire drills are held every quarter."),
        ("The filter is cleaned weekly.", "The filter is cleaned every 3 days."),
        ("消防设备每月检查一次。", "消防设备每季度检查一次。"),
        ("消防设备每周检查一次。", "消防设备每三个月检查一次。"),
    ],
)  # fmt: skip
def test_different_values_for_the_same_thing(first: str, second: str) -> None:
    if first.startswith("|"):
        first = f"| n | text | level |\n| --- | --- | --- |\n{first}"
    [conflict] = _find(first, second)
    assert conflict.kind is ConflictKind.CONFLICT
    assert conflict.first.values != conflict.second.values


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Employees get 15 days of annual leave per year.", "Employees get 15 days of annual leave per year."),
        ("Employees get 15 days of annual leave per year.", "The pump runs at 20 bar in normal operation today."),
        ("Employees get 15 days of annual leave per year.", "Employees get annual leave per year as agreed."),
        ("Employees in Germany get 15 days of leave.", "Employees in France get 20 days of leave."),
        ("Employees get 15 days of annual leave.", "Part-time employees get 10 days of annual leave."),
        ("北京员工每年享有15天年休假。", "上海员工每年享有20天年休假。"),
        ("The cruise speed of the A320 is 440 kt.", "The cruise speed of the A330 is 470 kt."),
        ("The application deadline is Sept. 1, 2024.", "The application deadline is 2024-09-01."),
        ("Revenue in 2023 was 12 million dollars.", "Revenue in 2024 was 15 million dollars."),
        ("Revenue in Q1 was 12 million dollars.", "Revenue in Q2 was 15 million dollars."),
        ("2023年度公司营业收入为12亿元。", "2024年度公司营业收入为15亿元。"),
        ("Section 3.2 requires 12 characters in passwords.", "Section 4.1 requires 8 characters in passwords."),
        ("第十五条规定的罚款金额为500元人民币。", "第十六条规定的罚款金额为800元人民币。"),
        ("Passwords have at least 8 characters.", "Passwords have at most 64 characters."),
        ("逾期未报的，处百分之三点五的罚款。", "逾期未报的，处3.5%的罚款。"),
        ("合同档案管理办法于二〇二四年修订，共一百页。", "合同档案管理办法于二〇二三年修订，共九十页。"),
        ("The fee is 1,000 dollars for each account opened.", "The fee is 1000 dollars for each account opened."),
        ("The share must be 50% of the total amount paid.", "The share must be 50 percent of the total amount paid."),
        ("Answer the request within 24 hours of receipt.", "Answer the request within 1 day of receipt."),
        ("请在24小时内答复客户的书面请求。", "请在1天内答复客户的书面请求。"),
        ("Reports are due within 72 hours of an incident.", "Reports are due within 3 to 30 days of an incident."),
        ("It was released on 23 May 2004 by the label.", "It was released on 28 July 2006 by the label."),
        ("本法自2006年1月1日起施行。", "本法自1997年10月1日起施行。"),
        (
            "From January 1, 2012 the threshold amount is $51,800.",
            "From January 1, 2013 the threshold amount is $53,000.",
        ),
        ("See 3.", "See 4."),
        ("Notify us within 5 days before departure.", "Notify us within 10 days after departure."),
        ("交付前30天内通知客户。", "交付后10天内通知客户。"),
        ("The weekly report goes to the manager.", "The monthly report goes to the manager."),
        ("每周例会由部门经理主持。", "每月例会由部门经理主持。"),
        ("The contract is reviewed every year.", "The contract is reviewed every 12 months."),
        ("消防设备每季度检查一次。", "消防设备每三个月检查一次。"),
    ],
)
def test_no_conflict(first: str, second: str) -> None:
    assert _find(first, second) == []


SAME = ("Records are kept for 30 days in the archive.", "Records are kept for 90 days in the archive.")


@pytest.mark.parametrize(
    "titles",
    [
        ("A320 handbook", "A330 handbook"),
        ("Annual report 2023", "Annual report 2024"),
        ("Revenue, first quarter 2024", "Revenue, second quarter 2024"),
        ("Archive policy Germany", "Archive policy France"),
        ("北京分公司档案制度", "上海分公司档案制度"),
        ("车间规定", "食堂规定"),
    ],
)
def test_titles_that_tell_different_subjects_keep_equal_words_apart(titles: tuple[str, str]) -> None:
    assert _find(*SAME, titles=titles) == []


def test_articles_that_are_each_about_one_thing_need_not_name_it_in_every_sentence() -> None:
    census = ("The population was 301 at the 2000 census.", "The population was 343 at the 2000 census.")
    assert _find(*census, titles=("Springfield", "Shelbyville")) == []
    assert len(_find(*census, titles=("Springfield population", "Handbook of towns"))) == 1


@pytest.mark.parametrize(
    "titles",
    [
        ("Archive policy", "Employee handbook"),
        ("Archive policy", "Archive FAQ"),
        ("差旅规定", "差旅规定（二）"),
        ("差旅规定", "员工手册"),
    ],
)
def test_other_titles_do_not_excuse_a_conflict(titles: tuple[str, str]) -> None:
    assert len(_find(*SAME, titles=titles)) == 1


def test_sections_on_different_things_do_not_conflict_unless_the_sentence_names_its_subject() -> None:
    assert _find(f"## Logs\n\n{SAME[0]}", f"## Backups\n\n{SAME[1]}") == []
    assert len(_find(f"## Logs of the gateway\n\n{SAME[0]}", f"## Gateway logs\n\n{SAME[1]}")) == 1
    assert len(_find(f"## Archive\n\n{SAME[0]}", f"## How long data stay\n\n{SAME[1]}")) == 1


def test_what_versions_explain_is_told_apart() -> None:
    found = _find(
        *SAME,
        "Records are kept for 10 days in the archive.",
        titles=("Archive rules", "Archive rules", "Notes"),
        supersedes=("", "d0", ""),
        effective_from=(date(2020, 1, 1), date(2024, 1, 1), None),
    )
    kinds = {(c.first.document_id, c.second.document_id): c.kind for c in found}
    assert kinds == {
        ("d0", "d1"): ConflictKind.SUPERSEDED,
        ("d0", "d2"): ConflictKind.CONFLICT,
        ("d1", "d2"): ConflictKind.CONFLICT,
    }
    assert [c.kind for c in found][-1] is ConflictKind.SUPERSEDED


def test_documents_never_in_force_together_do_not_conflict_today() -> None:
    ends, begins = (date(2020, 12, 31), None), (None, date(2022, 1, 1))
    [conflict] = _find(*SAME, titles=("A", "B"), effective_to=ends, effective_from=begins)
    assert conflict.kind is ConflictKind.SUPERSEDED


def test_a_note_that_cannot_replace_a_rule_conflicts_with_it() -> None:
    [conflict] = _find(*SAME, supersedes=("", "d0"), authority=(5, 1))
    assert conflict.kind is ConflictKind.CONFLICT


def test_only_pairs_with_a_changed_document_are_told_when_asked() -> None:
    texts = (*SAME, "Records are kept for 10 days in the archive.")
    pairs = {(c.first.document_id, c.second.document_id) for c in _find(*texts, changed={"d2"})}
    assert pairs == {("d0", "d2"), ("d1", "d2")}


def test_a_document_does_not_conflict_with_itself_and_templates_stay_bounded() -> None:
    text = "Employees get 15 days of annual leave per year. Employees get 20 days of annual leave per year."
    assert _find(text) == []
    copies = [f"The limit of this account is {n + 1} dollars a month." for n in range(300)]
    assert len(_find(*copies)) <= 24 * 23 / 2
