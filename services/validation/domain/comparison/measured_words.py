"""What words of comparison measure, and in which direction: longer is more of a length, cheaper less of a price."""

from __future__ import annotations

from services.validation.domain.case import Case, Reading
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.units import (
    AGE,
    CALENDAR,
    ENERGY,
    LENGTH,
    MASS,
    MONEY,
    POWER,
    RATIO,
    SOUND,
    TEMPERATURE,
    TIME,
    TIMES,
    Dimension,
)

DURATIONS = (TIME, CALENDAR)
_AGES = {"older": -1, "oldest": -1, "newer": 1, "newest": 1, "younger": 1, "youngest": 1, "老": -1, "新": 1}


def direction_of(word: str, quantity: Quantity, case: Case) -> int:
    """1 if the word says that the value is larger, -1 smaller, 0 unknown; fast is small for times."""
    if word in _AGES and quantity.unit.dimension and quantity.unit.dimension[0][0].startswith("moment."):
        # The older of two has the earlier date.
        return _AGES[word]
    sense = case.config.lexicon.more_words.get(word)
    if sense is None:
        return 0
    if sense in ("fast", "slow"):
        larger = 1 if sense == "fast" else -1
        return -larger if quantity.unit.dimension in DURATIONS else larger
    return {"up": 1, "down": -1}.get(sense, 0)


def dimensions_of(reading: Reading, word: str, start: int, end: int) -> tuple[Dimension, ...]:
    """What the comparison can be about: the dimension of the difference told, else what the word measures."""
    told = [q.unit.dimension for q in reading.analysis.quantities if start <= q.start < end and not q.weak]
    told = [d for d in told if d not in (RATIO, TIMES)]
    return tuple(told[:1]) or next((dims for words, dims in _MEASURES if word in words), ())


_SPEED = (("length", 1), ("time", -1))
_MEASURES: tuple[tuple[frozenset[str], tuple[Dimension, ...]], ...] = (
    (frozenset(["heavier", "lighter", "heaviest", "lightest", "重", "轻", "最重", "最轻", "重于", "轻于"]), (MASS,)),
    (
        frozenset(
            [
                "cheaper",
                "dearer",
                "costlier",
                "cheapest",
                "便宜",
                "贵",
                "最便宜",
                "最贵",
                "expensive",
                "pricier",
                "priciest",
                "less expensive",
                "more affordable",
                "more costly",
                "省钱",
                "费钱",
            ]
        ),
        (MONEY,),
    ),
    (
        frozenset(
            [
                "faster",
                "slower",
                "quicker",
                "fastest",
                "slowest",
                "quickest",
                "快",
                "慢",
                "最快",
                "最慢",
                "快于",
                "慢于",
            ]
        ),
        (_SPEED, TIME, CALENDAR),
    ),
    (frozenset(["hotter", "colder", "warmer", "cooler", "hottest", "coldest", "热", "冷"]), (TEMPERATURE,)),
    (
        frozenset(
            [
                "louder",
                "quieter",
                "loudest",
                "quietest",
                "noisier",
                "noisiest",
                "less noisy",
                "吵",
                "安静",
                "嘈杂",
                "静音",
                "响",
                "最吵",
                "最响",
                "最安静",
            ]
        ),
        (SOUND,),
    ),
    (frozenset(["耗电", "费电", "省电", "节能", "最省电", "最耗电"]), (ENERGY, POWER)),
    (
        frozenset(["wider", "narrower", "taller", "deeper", "thicker", "thinner", "宽", "窄", "厚", "薄", "深", "浅"]),
        (LENGTH,),
    ),
    (
        frozenset(["older", "younger", "oldest", "youngest", "newer", "newest"]),
        (AGE, (("moment.day", 1),), CALENDAR),
    ),
    (
        frozenset(["earlier", "later", "earliest", "latest", "sooner", "早", "晚", "早于", "晚于"]),
        ((("moment.clock", 1),), (("moment.day", 1),), TIME, CALENDAR),
    ),
)
