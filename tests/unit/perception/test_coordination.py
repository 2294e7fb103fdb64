"""Things compared in Chinese, whose ends only word boundaries tell."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.common.domain.question import Action, ParsedQuestion
from services.perception.domain.pipeline import Interpreter

Parse = Callable[..., ParsedQuestion]


@pytest.mark.parametrize(
    ("question", "sides"),
    [
        ("热泵比电锅炉能耗低多少？", ["热泵", "电锅炉"]),
        ("空气源热泵相比空气能热水器，哪个更省电", ["空气源热泵", "空气能热水器"]),
        ("铸铁阀优于铸钢阀吗", ["铸铁阀", "铸钢阀"]),
        ("颐和园与圆明园哪个更大", ["颐和园", "圆明园"]),
        ("请对比柴油、汽油和甲醇的热值", ["柴油", "汽油", "甲醇"]),
        ("厂区大门用伸缩门还是平开门好", ["伸缩门", "平开门"]),
        ("先培训还是先上岗", ["先培训", "先上岗"]),
        ("去年南港和北港的吞吐量哪个高", ["南港", "北港"]),
        ("本月的退货率和上月的退货率相差多少", ["本月的退货率", "上月的退货率"]),
        ("单轨吊和架空索道，井下运料用哪个好？", ["单轨吊", "架空索道"]),
        ("甲厂的单价比乙厂贵吗", ["甲厂", "乙厂"]),
        ("与成都相比，首都的地铁里程长多少", ["成都", "首都"]),
        ("钢水箱在哪些方面优于玻璃钢水箱", ["钢水箱", "玻璃钢水箱"]),
        ("商铺产权年限是不是比住宅短", ["商铺", "住宅"]),
        ("兼职教师的课酬跟专职教师一样吗", ["兼职教师", "专职教师"]),
        ("甲库和乙库分别存了多少吨，哪个更多", ["甲库", "乙库"]),
        ("年终奖是并入当月工资，还是单独计税？", ["并入当月工资", "单独计税"]),
        ("车间采暖用电锅炉还是燃气锅炉", ["电锅炉", "燃气锅炉"]),
        ("外包人员的考勤和正式员工是否一致", ["外包人员", "正式员工"]),
        ("静压箱和消声器，作用有什么不同", ["静压箱", "消声器"]),
        ("从成本上比较一下海运和空运", ["海运", "空运"]),
        ("泰山、华山、衡山三座山里哪座最高", ["泰山", "华山", "衡山"]),
        ("要约区别于要约邀请的标志是什么", ["要约", "要约邀请"]),
        ("ISO 14001:2015相对于2004版有什么变化", ["ISO 14001:2015", "2004版"]),
        ("走工伤划算还是自己看病划算", ["走工伤", "自己看病"]),
        ("复旦同济谁的医科更强", ["复旦", "同济"]),
        ("橡木地板没有柚木地板耐磨吧", ["橡木地板", "柚木地板"]),
        ("二号泵的流量有没有超过一号泵", ["二号泵", "一号泵"]),
        ("外购件和自制件选哪个划算", ["外购件", "自制件"]),
    ],
)
def test_both_sides_end_where_their_words_end(parse: Parse, question: str, sides: list[str]) -> None:
    parsed = parse(question)
    assert [side.text for side in parsed.sides] == sides
    assert Action.COMPARE in [action.action for action in parsed.actions]


@pytest.mark.parametrize(
    ("question", "source"),
    [
        ("三国志中对吕蒙的评价是什么", "三国志"),
        ("把三国志放在书架上", None),
        ("AMM 29-11-01里密封圈力矩是多大", "AMM 29-11-01"),
        ("依照仓储管理制度V2.1，危化品怎么存", "仓储管理制度V2.1"),
        ("林业局上周印发的那份关于防火期的通知说了什么", "关于防火期的通知"),
        ("样品要留几个月，按《留样管理办法》", "留样管理办法"),
        ("方太灶具JZT-01B说明书上写的气压是多少", "方太灶具JZT-01B说明书"),
        ("年报什么时候披露", None),
        ("水箱里有几升水", None),
    ],
)
def test_the_document_that_is_asked(parse: Parse, question: str, source: str | None) -> None:
    found = parse(question).source
    assert (found.text if found else None) == source


@pytest.mark.parametrize(
    "question",
    [
        "重启之后还是不行怎么办",
        "今年的产量比去年增长多少",
        "上海和北京分别有哪些景点？",
        "我和房东签了合同，押金怎么退",
        "油温高于80度会怎样",
        "油温比规定值高怎么处理",
        "与去年相比，产量高多少",
        "还是",
        "，还是",
        "比",
        "和甲相比",
        "比起甲，",
        "颐和园在哪里？",
        "隧道全长有多长",
        "养护温度不能低于几度",
        "套餐流量哪个月用得多",
    ],
)
def test_nothing_is_compared(parse: Parse, question: str) -> None:
    assert not parse(question).sides


def test_what_stands_after_the_second_side_is_the_attribute(parse: Parse) -> None:
    parsed = parse("铜管和铝管的抗拉强度有什么区别")
    assert [m.text for m in parsed.attributes] == ["抗拉强度"]


def test_a_comparison_in_a_later_part_leaves_the_first_part_its_action(parse: Parse) -> None:
    parsed = parse("备用泵多久试一次？铜管和铝管谁的寿命长？")
    assert parsed.action is Action.QUANTIFY
    assert Action.COMPARE in [action.action for action in parsed.actions]


PIECES = [
    *("还是", "比", "和", "与", "跟", "相比", "比起", "不如", "是", "用", "的", "，", "、", "？", "甲", "B", "公寓"),
    *("年限", "去年", "哪个更", "一样吗", "分别", "有什么区别", "《", "》", "第", "条", " "),
]


@settings(max_examples=150, deadline=None)
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=9))
def test_joining_words_in_any_order_break_nothing(interpreter: Interpreter, pieces: list[str]) -> None:
    text = "".join(pieces)
    for side in interpreter.parse(text, date(2025, 3, 14)).sides:
        assert side.text and text[side.span.start : side.span.end] == side.text


TWINS = [
    "对比一下铜管和铝管的区别", "根据《档案管理办法》第九条，会计档案保管几年？", "设备显示E4027怎么处理",
    "去年第四季度的营收是多少", "这个功能还没开，谁负责", "国务院令第721号什么时候施行",
    "离职后公积金如何提取，要准备哪些材料？",
    "锅炉点不着火", "从北京南站到天津西站要多久", "请总结会议纪要", "无线网络连不上是什么原因",
    "劳动合同与劳务合同有什么不同",
]  # fmt: skip


def test_a_question_in_traditional_characters_parses_like_its_simplified_twin(interpreter: Interpreter) -> None:
    back = {simple: traditional for traditional, simple in interpreter.rules.traditional.items()}
    fold = str.maketrans(dict(interpreter.rules.traditional))
    for text in TWINS:
        twin = "".join(back.get(char, char) for char in text)
        one, two = (interpreter.parse(t, date(2025, 3, 14)) for t in (text, twin))
        assert [a.action for a in one.actions] == [a.action for a in two.actions]
        for field in ("entities", "codes", "sides", "parts"):
            first, second = ([m.text for m in getattr(parsed, field)] for parsed in (one, two))
            assert first == [spelling.translate(fold) for spelling in second]
        assert (one.time and one.time.interval) == (two.time and two.time.interval)
        assert (one.quantity is None) == (two.quantity is None)
        assert (one.source and one.source.text) == (two.source and two.source.text.translate(fold))
