"""Conflicts between documents in somewhat other words: by clause, by cell, by what a unit tells as well."""

from __future__ import annotations

import pytest

from services.retrieval.domain.conflict.clauses import clauses
from services.retrieval.domain.conflict.sayings import as_bound
from tests.unit.retrieval.conflict_pairs import in_conflict, read

TITLES = ("Store handbook", "Store guide")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        # what a unit tells as well, and headings of nothing else
        ("## Membership\n\nThe registration fee is EUR 30.", "## Costs\n\nWe charge 35 euros for registration."),
        ("成人门票40元,儿童票20元。", "| 项目 | 说明 |\n|-|-|\n| 成人票价 | 五十元 |"),
        ("Employees get 25 days of annual leave.", "| Topic | What applies |\n|-|-|\n| Annual leave | 28 days |"),
        # a further clause tells something else
        ("Firewall logs are kept for 90 days and then deleted.", "The firewall logs are stored for 180 days."),
        ("防火墙日志保存6个月,到期后删除。", "防火墙的日志会保留一年。"),
        ("安全事件应当在2小时内向安全组报告,说明现象。", "安全事件请在24小时之内上报给安全组,不要自行处理。"),
        ("We charge 35 euros for registration; students pay 15 euros.", "The registration fee is EUR 30."),
        # "it" is what the sentence before it names
        ("A password has 12 characters. It is changed every 180 days.", "Change your password once a year."),
        # each cell by itself
        (
            "The cargo door weighs 80 kg.",
            "| Part | Weight | Length |\n|-|-|-|\n| Cargo door | 95 kg | 2 m |\n| Ramp | 40 kg | 3 m |",
        ),
        ("The KX-200 weighs 2.4 kg.", "## KX-200\n\n| 项目 | 数值 |\n|-|-|\n| 重量 | 3.1千克 |\n| 价格 | 1350欧元 |"),
        # bounds in other words
        ("A password must have at least 12 characters.", "Passwords with fewer than 14 characters are refused."),
        ("Consumers have 14 days to withdraw from the contract.", "Withdraw from the contract within thirty days."),
        ("The limit is 5 files.", "At most 10 files."),
        # a period told on one side
        ("年假为15天。", "员工每年享有10天带薪年休假。"),
        # hours
        ("Opening hours: 9:00-17:00", "We are open from 10 am to 6 pm."),
        # days with and without their year
        ("The sale begins on 1 November 2026.", "The sale starts on November 5."),
        # cents of any currency
        ("A copy costs 20 cents.", "Copies are EUR 0.50."),
        # what is done, where the other side only names the thing
        ("Affiliates earn a commission of 3 percent.", "Commission for affiliates: 5%"),
    ],
)  # fmt: skip
def test_the_same_thing_is_found(first: str, second: str) -> None:
    assert in_conflict(first, second, TITLES)
    assert in_conflict(second, first, TITLES)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        # members of a series, which both documents tell alike
        (
            "宣告失踪的公告期间为三个月,宣告死亡的公告期间为一年。",
            "公告期间:宣告失踪的公告期间为三个月,宣告死亡的公告期间为一年。",
        ),
        ("Children pay 10 euros.", "Students pay 15 euros."),
        ("Children pay 10 euros; students pay 12 euros.", "Students pay 12 euros; adults pay 20 euros."),
        # the beginning and the end
        ("The examination period begins on 28 January.", "The examination period ends on 4 February."),
        # one bound keeps the other
        ("Passwords have at least 12 characters.", "Passwords with more than 64 characters are refused."),
        # two currencies
        ("The registration fee is 30 euros.", "The registration fee is 35 dollars."),
        # the same day, the same limit
        ("The sale begins on 1 November 2026.", "The sale starts on November 1."),
        ("The session is closed after 15 minutes without activity.", "Sessions close after 900 seconds of inactivity."),
        # a row of another thing
        ("The cargo door weighs 80 kg.", "| Part | Weight | Length |\n|-|-|-|\n| Cabin door | 95 kg | 2 m |"),
        ("The KX-200 weighs 2.4 kg.", "## KX-300\n\n| 项目 | 数值 |\n|-|-|\n| 重量 | 3.1千克 |\n| 价格 | 1350欧元 |"),
        # one part of a text and another
        ("3(a)(1) Form of disclosures", "3(a)(3) Form of disclosures"),
        # too far apart for one period
        ("The meal allowance is 40 dollars.", "The meal allowance is 800 dollars a month."),
    ],
)  # fmt: skip
def test_what_only_seems_to_differ_is_not(first: str, second: str) -> None:
    assert not in_conflict(first, second, TITLES)
    assert not in_conflict(second, first, TITLES)


def test_it_in_articles_on_two_things_is_not_the_same() -> None:
    station, bridge = "The bridge is new. It opened on 10 November 2012.", "The bridge opened on 21 October 2010."
    assert not in_conflict(station, bridge, ("Mile Bridge", "Long Bridge"))


def test_a_clause_keeps_its_case_and_leaves_out_what_follows() -> None:
    [only] = clauses("If a book is late, we charge 20 cents, and the card is blocked", lambda text: "20" in text)
    assert only.text == "If a book is late, we charge 20 cents"
    assert only.beside == "the card is blocked"
    assert clauses("We charge 20 cents.", lambda text: True) == []


def test_what_is_refused_beyond_a_bound_is_the_bound() -> None:
    assert as_bound("Files with more than 10 MB are rejected") == "Files with at most 10 MB"
    assert as_bound("少于8位的密码无效") == "至少8位"


def test_each_value_of_a_row_is_a_statement_with_its_column() -> None:
    table = "| Part | Weight | Length |\n|-|-|-|\n| Ramp | 40 kg | 3 m |"
    assert [s.sentence for s in read(table)] == ["Ramp Weight 40 kg", "Ramp Length 3 m"]
