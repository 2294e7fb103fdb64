"""In which respect things are compared, wherever the sentence puts it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from services.common.domain.question import ParsedQuestion

Parse = Callable[..., ParsedQuestion]


@pytest.mark.parametrize(
    ("question", "sides", "respect"),
    [
        ("What is the range of the Leaf versus the Zoe?", ["Leaf", "Zoe"], "range"),
        ("Compare the A320neo and the B737 MAX in fuel burn.", ["A320neo", "B737 MAX"], "fuel burn"),
        ("What's the difference in price between Oslo and Bergen?", ["Oslo", "Bergen"], "price"),
        ("Which has the better response time, the old ERP or the new ERP?", ["old ERP", "new ERP"], "response time"),
        ("Do diesel trucks and electric trucks have the same cost?", ["diesel trucks", "electric trucks"], "cost"),
        ("Is the 2022 lease better than the 2024 lease in terms of notice?", ["2022 lease", "2024 lease"], "notice"),
        ("ISO 9001 and ISO 14001: any difference in scope?", ["ISO 9001", "ISO 14001"], "scope"),
        ("安全性方面A方案和B方案有什么区别", ["A方案", "B方案"], "安全性"),
        ("就吞吐量而言，Kafka和RabbitMQ哪个好？", ["Kafka", "RabbitMQ"], "吞吐量"),
        ("合肥厂的良率比苏州厂高多少？", ["合肥厂", "苏州厂"], "良率"),
        ("A320neo的油耗比737 MAX高吗？", ["A320neo", "737 MAX"], "油耗"),
        ("成都和重庆在房租方面有什么区别？", ["成都", "重庆"], "房租"),
        ("热泵跟燃气锅炉，谁的运行成本更高？", ["热泵", "燃气锅炉"], "运行成本"),
    ],
)  # fmt: skip
def test_the_respect_is_found_by_its_place(parse: Parse, question: str, sides: list[str], respect: str) -> None:
    parsed = parse(question)
    assert [side.text for side in parsed.sides] == sides
    assert [attribute.text for attribute in parsed.attributes] == [respect]


@pytest.mark.parametrize(
    "question",
    [
        "What is the difference between Kafka and RabbitMQ?",
        "What are the advantages of PEX over copper?",
        "Compare Kafka and RabbitMQ in 2023.",
        "定金和订金是一回事吗？",
    ],
)
def test_what_is_compared_as_a_whole_has_no_respect(parse: Parse, question: str) -> None:
    parsed = parse(question)
    assert len(parsed.sides) == 2
    assert not parsed.attributes


def test_two_options_with_one_verb_are_the_things(parse: Parse) -> None:
    assert [side.text for side in parse("该用旧系统还是用新系统？").sides] == ["旧系统", "新系统"]
    assert [side.text for side in parse("Would you rather take Plan A or Plan B?").sides] == ["Plan A", "Plan B"]


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("定期存款利率比大额存单低多少？", ["定期存款", "大额存单"]),
        ("微服务架构相对单体架构有哪些优缺点？", ["微服务架构", "单体架构"]),
        ("MySQL 8.0比5.7快在哪里", ["MySQL 8.0", "5.7"]),
        ("京沪高铁二等座比飞机经济舱便宜多少", ["京沪高铁二等座", "飞机经济舱"]),
        ("用铝合金还是碳钢做支架更耐腐蚀？", ["铝合金", "碳钢"]),
        ("成都比重庆有什么好处？", ["成都", "重庆"]),
        ("Is the 2022 contract better than the 2024 contract?", ["2022 contract", "2024 contract"]),
    ],
)
def test_things_end_where_what_is_said_of_them_begins(parse: Parse, question: str, sides: list[str]) -> None:
    assert [side.text for side in parse(question).sides] == sides


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("How do the warranty terms of Miele and Bosch differ?", ["Miele", "Bosch"]),
        ("Are contractors treated differently from employees?", ["contractors", "employees"]),
        ("Does the night tariff cost less than the day tariff?", ["night tariff", "day tariff"]),
    ],
)
def test_english_things_end_there_too(parse: Parse, question: str, sides: list[str]) -> None:
    assert [side.text for side in parse(question).sides] == sides
