"""Conflicts between whole documents, whose headings and whose words differ, in either language."""

from __future__ import annotations

import pytest

from services.common.domain.document import DocumentMetadata
from tests.unit.retrieval.conflict_pairs import conflicts_of, in_conflict, read

TITLES = ("Ward handbook", "Clinical operations policy")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        # other headings
        ("## Daily care\n\nVisitors leave the ward by 8 p.m.", "## Housekeeping\n\nVisitors leave the ward by 9 p.m."),
        ("## 第二章\n\n押金不得超过三个月的租金。", "## 押金\n\n押金不得超过两个月的租金。"),
        # passive and active, another order
        (
            "The lessor returns the deposit within 30 days after the end of the lease.",
            "After the tenancy has ended, the deposit is returned by the landlord within 14 days.",
        ),
        ("Pilots rest at least 10 hours before a flight.", "Before a flight a pilot's rest is not less than 12 hours."),
        ("Badges expire after 8 hours.", "A badge stays valid for 12 hours."),
        ("舱音记录器每24个月检查一次。", "舱音记录器的检查周期为12个月。"),
        # a row of a table, the answer to a question
        ("Drive belts are replaced after 4,000 hours.", "| Part | Replaced after |\n|-|-|\n| Drive belt | 6,000 h |"),
        ("Library books are on loan for 30 days.", "How long are library books on loan? 21 days."),
        # a unit tells what is measured
        ("The pump must not exceed 80 bar.", "The maximum pressure of the pump is 90 bar."),
        # a further clause with values of its own
        ("Passwords have at least 12 characters.", "Passwords have at least 8 characters, although 15 are better."),
        # the other language
        ("The deposit may not exceed three months' rent.", "押金不得超过两个月的租金。"),
        ("Books can be borrowed for four weeks.", "图书借阅期限为21天。"),
        ("The service life of a cabin fire extinguisher is 10 years.", "客舱灭火器的使用寿命为12年。"),
    ],
)  # fmt: skip
def test_the_same_thing_otherwise_told(first: str, second: str) -> None:
    assert in_conflict(first, second, TITLES)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        # a bound that the other value keeps
        ("Backups are kept for at least 30 days.", "Backups are kept for 90 days."),
        ("The drill takes at most 30 minutes.", "The drill takes 20 minutes."),
        # the same value, rounded or in another unit
        ("The deduction for courses is 5,999 euros.", "The deduction for courses is about 6,000 euros."),
        ("Cabin baggage weighs up to 10 kg.", "The weight of cabin baggage is limited to 22 pounds."),
        ("血标本应在90分钟内送达检验科。", "血标本须在一个半小时内送达检验科。"),
        # of another time, an example, a supposition, a case
        ("Phones are allowed above 10,000 feet.", "Formerly phones were allowed above 5,000 feet."),
        ("Complaints are answered in 25 days.", "For example, complaints were answered in 40 days."),
        ("滞纳金按日加收万分之五。", "假设滞纳金按日加收千分之二。"),
        ("三年内租金涨幅不得超过15%。", "已废止的旧法规定,三年内租金涨幅不得超过20%。"),
        ("(一)违法所得数额在10万元以上的;", "(一)违法所得数额在一百万元以上的;"),
        ("情节严重的,处五万元以上罚款。", "情节严重的,处十万元以上罚款。"),
        # how often and how long, before and after, forbidden and allowed
        ("An audit is held every 12 months.", "An audit is held for 3 months."),
        ("Crews may eat within 8 hours before a flight.", "Crews may not eat within 2 hours before a flight."),
        # a thing named on one side alone
        ("The fleet has 42 aircraft.", "The cargo fleet has 6 aircraft."),
        ("独生子女每月扣除3000元。", "非独生子女每月扣除1500元。"),
        ("Managers approve costs above 500 dollars.", "Directors approve costs above 900 dollars."),
        ("Records are kept for 30 days.", "录像应当保留90天。"),
        ("Adults receive 500 mg of the drug.", "儿童每次服用药物250毫克。"),
    ],
)
def test_what_only_seems_to_differ(first: str, second: str) -> None:
    assert not in_conflict(first, second, TITLES)


def test_what_a_document_tells_with_several_values_depends_on_its_surroundings() -> None:
    tiers = "Serious cases are fined 500 dollars. Other text. Serious cases are fined 900 dollars."
    assert not in_conflict(tiers, "Serious cases are fined 700 dollars.", TITLES)


def test_names_in_titles_keep_equal_words_apart_and_kinds_do_not() -> None:
    texts = (
        "Safety valves of boilers are tested every 6 months.",
        "Safety valves of boilers are tested every 9 months.",
    )
    assert not in_conflict(*texts, ("Safety manual Germany", "Safety manual France"))
    assert in_conflict(*texts, ("Plant safety manual", "Maintenance manual"))


def test_a_pair_tells_why_it_is_the_same_thing_and_what_differs() -> None:
    known = [DocumentMetadata(f"d{n}", title=title) for n, title in enumerate(TITLES)]
    texts = ("Purchased tyres are inspected after 30 days.", "Bought tyres are checked after two weeks.")
    [conflict] = conflicts_of(known, texts)
    assert conflict.reason == "both speak of buy, tyres, check; 30 days against two weeks"


def test_a_note_of_where_a_statement_is_from_is_no_value() -> None:
    [statement] = read("As of the census [ 5 ] there were 445 families in the city.")
    assert statement.values == ("445",)
