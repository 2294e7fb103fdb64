"""Names that no pack lists: those of CC-CEDICT and what looks like a person's or a foreign name."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from services.common.domain.question import ParsedQuestion
from services.perception.adapters.name_shapes import NameShapes
from services.perception.adapters.proper_names import kind_of

Parse = Callable[..., ParsedQuestion]


@pytest.mark.parametrize(
    ("word", "glosses", "kind"),
    [
        ("当涂县", ["Dangtu county in Ma'anshan 馬鞍山|马鞍山[Ma3 an1 shan1], Anhui"], "place"),
        ("沈从文", ["Shen Congwen (1902-1988), novelist"], "person"),
        ("耐克", ["Nike, Inc."], "organization"),
        ("红楼梦", ["A Dream of Red Mansions (first completed edition 1791) by Cao Xueqin"], None),
        ("卢浮宫", ["the Louvre, museum in Paris"], "place"),
        ("平安", ["Ping'an county in Qinghai", "peace"], None),
        ("大白菜", ["Chinese cabbage"], None),
        ("马克思主义", ["Marxism"], None),
        ("星期一", ["Monday"], None),
        ("图雷特综合征", ["Tourette syndrome"], None),
    ],
)
def test_glosses_tell_names_from_words(word: str, glosses: list[str], kind: str | None) -> None:
    assert kind_of(word, glosses) == kind


def test_a_name_is_likelier_than_what_only_begins_like_one() -> None:
    shapes = NameShapes()
    for name in ("王志强", "李志明", "王晓明", "李建国"):
        shapes.learn(name, 10, "nr")
    assert shapes.person("王建强") > shapes.person("王案例")
    assert shapes.person("什么时") == float("-inf")


def test_foreign_names_are_told_by_their_characters() -> None:
    shapes = NameShapes()
    for name in ("霍尔曼", "尼古拉", "韦尔奇", "特拉维夫"):
        shapes.learn(name, 10, "nrt")
    for word in ("公司", "产品", "合同", "价格"):
        shapes.learn(word, 500, "n")
    assert shapes.foreign("霍尼韦尔") > 0.5 > 0 > shapes.foreign("公司价格")


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("冼星海是哪里人？", ["冼星海"]),
        ("珲春冬天冷不冷？", ["珲春"]),
        ("最早研究董明珠的学者是谁？", ["董明珠"]),
        ("上周的会议纪要里谈家桢提了什么要求？", ["谈家桢"]),
        ("这份合同是不是刘海燕签的？", ["刘海燕"]),
        ("福禄克的保修期有多长？", ["福禄克"]),
        ("郭子睿在2019年3月8日参与了什么活动？", ["郭子睿"]),
        ("能不能说说欧阳倩的主要贡献", ["欧阳倩"]),
        ("布林肯在什么日期发表了声明？", ["布林肯"]),
        ("珍·古道尔在哪里演讲？", ["珍·古道尔"]),
        ("习近平考察苏州工业园区是哪一年？", ["习近平", "苏州工业园区"]),
        ("国家市场监管总局发布了什么公告？", ["国家市场监管总局"]),
        ("小松PC200-8一直报警怎么处理？", ["小松PC200-8"]),
        ("安徽省博物院几点关门？", ["安徽省博物院"]),
        ("海鲜过敏怎么办？", []),
        ("戴耳塞能降多少分贝？", []),
        ("报关单改单流程是什么？", []),
        ("布洛芬和对乙酰氨基酚哪个退烧快？", []),
    ],
)
def test_entities(parse: Parse, question: str, names: list[str]) -> None:
    assert [mention.text for mention in parse(question).entities] == names


def test_the_origin_tells_what_knew_the_name(parse: Parse) -> None:
    assert parse("珲春冬天冷不冷？").entities[0].origin.rule_id == "cedict.place"
    assert parse("最早研究董明珠的学者是谁？").entities[0].origin.rule_id == "shape.person"
