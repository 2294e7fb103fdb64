"""Words that say what a value's unit says as well: a fee, a price or a charge where it is an amount of money.

One side may have them and the other not, and any of them stand for one another.
"""

from __future__ import annotations

from collections.abc import Iterable

from services.retrieval.domain.conflict.wording import stem
from services.retrieval.domain.values.stated_values import Value

_WORDS: dict[str, str] = {
    "money": "fee price cost charge pay amount sum rate money 费用 费 价格 价 票价 价钱 收费 金额 支付 花费 售价 钱",
    "%": "percent percentage share proportion rate ratio 比例 比率 百分比 占",
    "time": "time hour day week month year duration 时长 时间 天数",
    "clock": "hour clock time schedule 时间 时刻 点",
    "day": "date day deadline close end last submit 日期 日子",
    "day of month": "date day month monthly 日期 日子 每月",
    "mass": "weight heavy 重量 重 净重",
    "length": "length long distance 长度 长 距离",
    "area": "area size 面积",
    "volume": "volume capacity 容量 容积 体积",
    "data": "size volume 大小",
    "speed": "speed fast 速度",
    "temperature": "temperature 温度 气温",
    "pressure": "pressure 压力 压强",
    "power": "power 功率",
    "voltage": "voltage 电压",
    "frequency": "frequency 频率",
    "sound": "noise loud 噪音 噪声",
    "": "number quantity count total 数量 数目 总数 人数 个数",
}
# A group of config/wording.yaml goes by its name, which is no stem.
_TOLD = {
    kind: frozenset(form for word in words.split() for form in (word, stem(word))) for kind, words in _WORDS.items()
}


# From nine to five: when it is open.
_OPENING_HOURS = frozenset(("open", "营业"))
OF_VALUES = frozenset[str]().union(*_TOLD.values())
"""All of them: headings of nothing else tell no subject."""


def told_by_unit(stated: Iterable[Value]) -> frozenset[str]:
    """The words that the units of ``stated`` tell as well, English ones as stems."""
    kinds = [value.compared for value in stated]
    told = frozenset[str]().union(*(_TOLD.get(kind, frozenset()) for kind in kinds))
    return told | _OPENING_HOURS if kinds.count("clock") > 1 else told
