"""What tells two texts of one title apart that are otherwise the same, and what only marks a newer version."""

from __future__ import annotations

import time

import pytest

from services.retrieval.domain.versions.likeness import Relation, particulars, relation

ENGLISH = "The extinguishers are tested every month. Doors to the stairs are kept shut. Who finds a fault reports it. "
CHINESE = "灭火器每月检查一次。通往楼梯的门应当关闭。发现问题的人员应当及时报告。"


def related(one: str, other: str) -> Relation:
    base = CHINESE if "\u4e00" <= other[-2] <= "\u9fff" else ENGLISH
    forth = relation(particulars(base + one), particulars(base + other))
    assert relation(particulars(f"{other}\n\n{base}"), particulars(f"{one}\n\n{base}")) is forth
    return forth


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Site: Berlin.", "Site: Hamburg."),
        ("Valid for: night shift", "Valid for: day shift"),
        ("Customer no. 4711", "Customer no. 5822"),
        ("Customer No.: 4711", "Customer No.: 5822"),
        ("Kunden-Nr. 4711", "Kunden-Nr. 5822"),
        ("This list is for room 12 only.", "This list is for room 14 only."),
        ("Record of the inspection for May 2024.", "Record of the inspection for June 2024."),
        ("The pumps were checked in May.", "The pumps were checked in June."),
        ("Figures of Q1 2024.", "Figures of Q2 2024."),
        ("It is kept by the sales department.", "It is kept by the finance department."),
        ("Kept by Dr. Miller.", "Kept by Dr. Baker."),
        ("The works (Hamburg) keep it.", "The works (Leipzig) keep it."),
        ("| Site | Berlin |\n| --- | --- |", "| Site | Hamburg |\n| --- | --- |"),
        ("适用部门：财务部。", "适用部门：生产部。"),
        ("编制部门：财务科。", "编制部门：人事科。"),
        ("本表由财务部保存。", "本表由人事部保存。"),
        ("本表由甲乙班组保存。", "本表由丙丁班组保存。"),
        ("本表供心内科使用。", "本表供骨外科使用。"),
        ("客户编号4711。", "客户编号5822。"),
        ("合同第12号。", "合同第15号。"),
        ("本表用于3号线。", "本表用于5号线。"),
        ("2024年5月检查记录。", "2024年6月检查记录。"),
        ("第一季度检查记录。", "第二季度检查记录。"),
    ],
)
def test_different_things(one: str, other: str) -> None:
    assert related(one, other) is Relation.OTHER_THINGS


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Limit: 200 EUR", "Limit: 300 EUR"),
        ("Record of the inspection on 3 May 2024.", "Record of the inspection on 4 June 2024."),
        ("Minutes of 2024-05-03.", "Minutes of 2024-06-04."),
        ("The budget for 2023 is met.", "The budget for 2024 is met."),
        ("Berlin keeps this list on paper.", "Hamburg keeps this list on paper."),
        ("Check: daily.\n\nCheck: weekly.", "Check: daily.\n\nCheck: monthly."),
        ("限额：200元。", "限额：三百元。"),
        ("2024年5月3日检查记录。", "2024年6月4日检查记录。"),
    ],
)
def test_perhaps_different_things(one: str, other: str) -> None:
    assert related(one, other) is Relation.UNCLEAR


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("They are kept for 5 years.", "They are kept for 10 years."),
        ("Last updated: May 2024", "Last updated: June 2025"),
        ("Approved by: Ms Miller", "Approved by: Mr Baker"),
        ("This edition of May 2024 is in force.", "This edition of June 2025 is in force."),
        ("Note: gloves are worn.", "Note: helmets are worn."),
        ("Reports are due by 1 March.", "Reports are due by 1 April."),
        ("Site: Berlin.", "They are kept in a box."),
        ("保存五年。", "保存十年。"),
        ("发布日期：2024年5月。", "发布日期：2025年6月。"),
        ("审核人：张三。", "审核人：李四。"),
        ("本制度自2024年5月1日起施行。", "本制度自2025年6月1日起施行。"),
        ("内部使用，全部保存。", "外部使用，局部保存。"),
    ],
)
def test_versions(one: str, other: str) -> None:
    assert related(one, other) is Relation.VERSIONS


@pytest.mark.parametrize("piece", ["1", "一", " ", "\u00a0", ".", "no. ", "| ", "A-", "Site: ", "id ", "May ", "部"])
def test_no_text_takes_more_than_its_length_is_worth(piece: str) -> None:
    spent = []
    for count in (4_000, 16_000):
        began = time.process_time()
        particulars("| a" + piece * count + "x")
        spent.append(time.process_time() - began)
    assert spent[1] < 0.5 + 8 * spent[0]
