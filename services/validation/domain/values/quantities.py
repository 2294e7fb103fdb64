"""Quantities in running text: value, unit, per-unit, bound, approximation, range, interval.

Identifiers, dates, references and list markers are taken out before this scan, so that their digits are never
read as quantities.
"""

from __future__ import annotations

import re
from dataclasses import replace

from services.validation.domain.config import QuantityWords
from services.validation.domain.values.intervals import find_intervals
from services.validation.domain.values.number_tokens import number_tokens
from services.validation.domain.values.numerals import LARGEST, Number
from services.validation.domain.values.quantity import Quantity
from services.validation.domain.values.quantity_bounds import Qualifier
from services.validation.domain.values.quantity_merging import merge_compounds, merge_ranges, share_units
from services.validation.domain.values.shared_rates import share_areas
from services.validation.domain.values.units import (
    CALENDAR,
    COUNT,
    MASS,
    OCCASION,
    PIECE,
    RATIO,
    SPANS,
    TALLIES,
    TIME,
    Unit,
    UnitTable,
    is_rate,
)

_COUNT_UNIT = Unit("count", PIECE, 1.0)
_PLAIN = Unit("", COUNT, 1.0)
_TENTHS = 10
_LATIN_UNIT = re.compile(
    r"\s?(?P<t>°\s?[CF](?![a-z])|℃|℉|°|[%‰％]|\"(?!\w)"
    r"|[A-Za-zμΩ²³⋅·*€£$][A-Za-zμΩ²³0-9]*(?:[·⋅*/.^-][A-Za-zμΩ²³]+\d?)*(?:\(A\))?)"
)

_SUFFIX = re.compile(r"(k|K|M|bn|mn)(?![A-Za-z0-9/])")
_MONEY_SUFFIX = re.compile(r"(k|K|M|bn|mn|m|B)(?![A-Za-z0-9/])")
_THREE_WORDS = re.compile(r"\s?-?([A-Za-z-]+(?:\s[A-Za-z]+){0,2})")
_SLASH_UNIT = re.compile(r"\s?[/／]\s?(?P<t>[A-Za-z²³]+\d?)")
_EACH = re.compile(r"\s?(?:[/／]|每)")
_PER_LINK = re.compile(
    r"(?P<w>per\b|each\b|every\b|an?\b|/|and\b)\s*(?:(?:calendar|full|whole|single)\s)?"
    r"(?P<u>(?:(?:square|cubic)\s)?[A-Za-z]+[²³]?)",
    re.I,
)
_STOP = re.compile(r"[,，;；。.]")
_PER_ADVERB = re.compile(
    r"^\s*(?:of\s+(?:[a-z]+\s+){1,3}|[a-z]+\s+)?(?P<w>hourly|daily|weekly|monthly|yearly|annually)\b", re.I
)
_PER_ADVERB_UNITS = {
    "hourly": "hour",
    "daily": "day",
    "weekly": "week",
    "monthly": "month",
    "yearly": "year",
    "annually": "year",
}
_HAN_RATE = re.compile(
    r"(?<!学)(?P<u>[时日月年亩])(?:速|均|产|供|薪|租金?|费|处理|耗|流量|用量|销量|产量|供水量|收入)[\u4e00-\u9fff]{0,4}$"
)
_KM_BEFORE = re.compile(r"\bkm\s$")
# An instrument, no unit: "one meter reading".
_METER_READING = re.compile(r"meters?\s+(?:reading|box|number|is|was|must)", re.I)
# A verb: "an exit with 143 points to a shutdown"; "rose 3 points to 79" has a number after it.
_POINTS_TO = re.compile(r"points? (?:to|towards?|at|out)\s+(?!(?:about |around |some )?(?:[\d$€£¥]|eur|usd))", re.I)
# 每GB 5元, 每kg收3元
_HAN_PER_LATIN = re.compile(r"每\s?(?P<u>[A-Za-zμ]{1,4}[²³]?)\s?[\u4e00-\u9fff]{0,2}$")
_LONGEST_NUMBER = 60
_NO_NUMBER = re.compile(rf"\d{{{_LONGEST_NUMBER},}}")
# (-7, 低于-7℃; 3-7 is a range and A-7 a name.
_SIGN = re.compile(r"(?:^|[\s(（:：，、于为是到至在达约过])[-+]$")
# 零下25℃, minus 25 °C; "5 minus 3" is a sum.
_MINUS = re.compile(r"(?P<w>零下\s?(?:约|大约)?|负|\b(?<!\d )(?<!% )minus )$", re.I)
# A quarter of a percentage point, half an inch.
_FRACTION_OF = re.compile(r"\s(?:of\s)?an?\s")
# Participants aged 50 to 80.
_AGED = re.compile(r"\b(?:aged|ages)\s(?:from |between |over |under |at least |up to )?$", re.I)
_BELOW_ZERO = re.compile(r"\s*(?:degrees?\s+)?(?:Celsius\s+|C\s+)?below (?:zero|freezing)\b", re.I)
# One word may stand between a number and a unit of time: 3,000 operating hours, two full years.
_QUALIFIED_UNIT = re.compile(r"\s(?:[a-z]+(?:-[a-z]+)?)\s(?P<u>hours|days|weeks|months|years|minutes|seconds)\b", re.I)


# "Rinse three times with water"; "three times the price" and "3 times larger" are ratios.
_OCCASIONS = re.compile(
    r"times(?=\s*(?:$|[.,;:!?)\]]|(?:with|in|within|during|before|after|until|on|at|by hand|and|or|if|when"
    r"|without|using|under"
    r"|between|for|to)\b))(?!\s*(?:as|more|larger)\b)",
    re.I,
)
# Units whose character begins another word.
_LONGER_WORDS = ("亩产", "吨位", "度假", "度量", "年级", "年版", "月份", "元素", "克隆", "米饭", "日期", "节目", "节点")
_PER_WEIGHT = re.compile(
    r"\s?(?:per|/|for each|for every)\s?(?P<u>kg|kilograms?|g|grams?)(?:\s(?:of\s)?body\s?weight)?\b"
)


class QuantityScanner:
    """Finds the quantities of a text with a unit table and the words of ``config/validation``."""

    def __init__(self, units: UnitTable, words: QuantityWords) -> None:
        self._units = units
        self._words = words
        prefixes = sorted(units.prefixes, key=len, reverse=True)
        self._prefix = re.compile("(?:" + "|".join(re.escape(p) for p in prefixes) + r")\s?$")
        magnitudes = "|".join(sorted(words.english_magnitudes, key=len, reverse=True))
        self._magnitude = re.compile(rf"\s?(?:-)?(?P<m>{magnitudes})(?![A-Za-z])(?:\s+of)?", re.I)
        self._han_magnitudes = sorted(words.han_magnitudes, key=len, reverse=True)
        self._qualifier = Qualifier(words)
        self._per = re.compile(
            r"^\s*(?:of\s+(?:[a-z]+\s+){1,3}?)?(?:(?!once\b|twice\b|thrice\b|times\b)[a-z]+\s+){0,2}?"
            r"(?P<chain>(?:(?:per\b|each\b|every\b|an?\b|/|and\b)\s*(?:(?:calendar|full|whole|single)\s)?(?:(?:square|cubic)\s)?[A-Za-z]+[²³]?\s*"
            r"(?:(?:of\s+)?(?:body\s?weight|bodyweight)\s*)?){1,3})",
            re.I,
        )
        self._han_per = re.compile(r"(?:每(?:个|一)?|按(?=[日天月年周])|[/／])(?P<u>(?:(?!每)[\u4e00-\u9fff]){1,4})")

    def find(self, text: str, taken: bytearray) -> list[Quantity]:
        """Every quantity of a normalised text; characters marked in ``taken`` are left alone and new ones marked."""
        # No quantity has so many figures, and patterns that look for one from each of them would cost their square.
        if len(text) >= _LONGEST_NUMBER:
            text = _NO_NUMBER.sub(lambda run: "x" * len(run.group()), text)
        intervals = find_intervals(text, taken, self._words, self._units)
        found = share_units(text, self._numbers(text, taken))
        merged = merge_compounds(
            text,
            share_areas(
                text,
                [self._per_unit(text, q) for q in merge_ranges(text, found, self._qualifier.before["change_from"])],
            ),
            self._units.names["minutes"],
        )
        rates = [q for q in merged if q.interval or is_rate(q.unit)]
        kept = [i for i in intervals if not any(_adjoins(text, i, q) for q in rates)]
        return sorted([*(self._qualifier.qualified(text, q) for q in merged), *kept], key=lambda q: q.start)

    # --- numbers -------------------------------------------------------------------------------------------

    def _numbers(self, text: str, taken: bytearray) -> list[Quantity]:
        found: list[Quantity] = []
        for start, end, number, kind in number_tokens(text, self._prefix):
            if not number.value <= LARGEST:  # infinite, as 400 figures are to a float: within everything
                continue
            if 1 in taken[start:end]:
                continue
            if kind == "nothing":
                taken[start:end] = b"\x01" * (end - start)
                continue
            quantity = self._with_unit(text, start, end, number, kind, taken)
            if quantity is None:
                continue
            if _BELOW_ZERO.match(text, quantity.end) and quantity.low == quantity.high and quantity.figure > 0:
                quantity = self._make(
                    text, quantity.start, quantity.end, Number(-number.value, number.step), quantity.unit
                )
            taken[quantity.start : quantity.end] = b"\x01" * (quantity.end - quantity.start)
            found.append(quantity)
        found.sort(key=lambda q: q.start)
        return found

    # --- units ---------------------------------------------------------------------------------------------

    def _with_unit(
        self, text: str, start: int, end: int, number: Number, kind: str, taken: bytearray
    ) -> Quantity | None:
        if kind == "percent":
            return self._make(text, start, end, number, self._units.symbols["%"])
        if kind == "times":
            return self._make(text, start, end, number, self._units.names["times"])
        if kind == "occasion":
            return self._make(text, start, end, number, self._units.han["次"])
        of = self._units.find_han(text, end + 1) if kind == "share" and text[end : end + 1] == "个" else None
        if of is not None and of[0].dimension not in TALLIES:
            return self._make(text, start, of[1], number, of[0])
        if kind == "share":
            return self._make(text, start, end, number, Unit("share", RATIO, 1.0, kind="share"))
        money = self._prefix.search(text[max(0, start - 6) : start])
        scale, position = self._scale(text, end, money is not None)
        unit, unit_end = self._unit_after(text, position, kind)
        sign = ""
        prefix = self._prefix.search(text[max(0, start - 6) : start])
        if prefix is None and kind == "digits" and text[start - 1 : start] == "-":
            # EUR -3 million; "EUR 2-3" has a figure before the sign.
            prefix = self._prefix.search(text[max(0, start - 7) : start - 1])
            if prefix:
                sign, start = "-", start - 1
        if prefix:
            before = self._units.prefixes[prefix.group().strip()]
            start -= len(prefix.group())
            if unit is None or unit.unit_id in ("m", "M") or before.dimension == unit.dimension:
                unit, unit_end = (
                    before,
                    max(position, unit_end if unit is not None and unit.dimension == before.dimension else 0),
                )
            if not sign and _SIGN.search(text, max(0, start - 2), start):
                sign, start = text[start - 1], start - 1
        elif kind == "digits" and _SIGN.search(text, max(0, start - 2), start):
            sign = text[start - 1]
            start -= 1
        elif (below := _MINUS.search(text, max(0, start - 8), start)) is not None:
            sign = "-"
            start = below.start("w")
        if kind == "fraction" and unit is None and (part := _FRACTION_OF.match(text, end)):
            unit, unit_end = self._unit_after(text, part.end(), kind)
        if kind == "fraction" and unit is None:
            unit = Unit("share", RATIO, 1.0, kind="share")
            unit_end = end
        if unit is None and _KM_BEFORE.search(text[max(0, start - 4) : start]):
            unit, unit_end = self._units.symbols["km"], position
        if unit is not None and unit.unit_id == "fold" and _OCCASIONS.match(text, unit_end - len("times")):
            unit = self._units.han["次"]
        if unit is None and _AGED.search(text, max(0, start - 20), start):
            unit, unit_end = self._units.han["岁"], position
        if unit is None:
            if kind == "han" and not self._bare_han_allowed(text, start, end, scale):
                return None
            unit, unit_end = _PLAIN, position
        value = Number(number.value * scale * (-1 if sign == "-" else 1), number.step * scale)
        quantity = self._make(text, start, unit_end, value, unit)
        weak = abs(number.value) == 1 and scale == 1 and kind in ("han", "words") and unit.dimension in TALLIES
        weak = weak or kind == "article"
        return replace(quantity, weak=weak, signed=sign) if weak or sign else quantity

    def _make(self, text: str, start: int, end: int, number: Number, unit: Unit) -> Quantity:
        if unit.unit_id == "discount" and number.value >= _TENTHS:
            unit = unit.scaled(1 / _TENTHS)  # 85折, 八五折: hundredths of the price
        base = number.value * unit.factor + unit.offset
        return Quantity(base, base, number.value, abs(number.step * unit.factor), unit, start, end, text[start:end])

    def _bare_han_allowed(self, text: str, start: int, end: int, scale: float) -> bool:
        """A Chinese numeral without a unit is a number only if it is long, scaled, or a count before a noun."""
        token = text[start:end]
        return scale != 1 or (len(token) >= 2 and any(c in "十百千万亿" for c in token))

    def _scale(self, text: str, position: int, money: bool) -> tuple[float, int]:
        match = self._magnitude.match(text, position)
        if match:
            return self._words.english_magnitudes[match["m"].lower()], match.end()
        for name in self._han_magnitudes:
            if text.startswith(name, position) or text.startswith(" " + name, position):
                end = position + len(name) + (text[position] == " ")
                # 千米, 千克, 千瓦, 百帕 are units of their own.
                if self._units.find_han(text, end - len(name)) and name in ("千", "百"):
                    continue
                return self._words.han_magnitudes[name], end
        suffix = (_MONEY_SUFFIX if money else _SUFFIX).match(text[position : position + 3])
        if suffix:
            return self._words.suffix_magnitudes[suffix.group()], position + len(suffix.group())
        return 1.0, position

    def _unit_after(self, text: str, position: int, kind: str) -> tuple[Unit | None, int]:
        probe = position + 1 if text[position : position + 1] in (" ", "余", "多", "几", "来") else position
        han = self._units.find_han(text, probe)
        if han and not self._half_word(text, han[1], han[0]) and text[han[1] - 1 : han[1] + 1] not in _LONGER_WORDS:
            unit, end = han
            return self._compose(text, unit, end)
        match = _LATIN_UNIT.match(text, position)
        if not match:
            return self._hyphenated(text, position)
        return self._latin(text, position, match, kind)

    def _hyphenated(self, text: str, position: int) -> tuple[Unit | None, int]:
        """An 8-hour average, a 10-year-old."""
        hyphenated = re.match(r"\s?-(?P<u>[a-z]+(?:-old)?)(?![a-z])", text[position : position + 24])
        if hyphenated:
            unit = self._units.names.get(hyphenated["u"].lower())
            if unit is not None:
                return unit, position + hyphenated.end()
        return None, position

    @staticmethod
    def _half_word(text: str, end: int, unit: Unit) -> bool:
        """Classifier characters that belong to a longer word: 人员, 项目, 次日, 点钟."""
        return unit.unit_id == "count" and text[end - 1 : end + 1] in (
            "人员",
            "项目",
            "家庭",
            "部门",
            "部分",
            "类型",
            "组织",
            "号码",
            "条件",
            "条款",
            "门诊",
            "口径",
            "层级",
            "例如",
            "位置",
            "名单",
            "点钟",
            "分之",
        )

    def _latin(self, text: str, position: int, match: re.Match[str], kind: str) -> tuple[Unit | None, int]:
        # Longest first: up to three words ("degrees Celsius", "cubic metres", "percentage points").
        phrase = _THREE_WORDS.match(text[position : position + 48])
        if phrase:
            tokens = phrase.group(1).split(" ")
            for n in range(len(tokens), 1, -1):
                candidate = " ".join(tokens[:n])
                unit = self._units.names.get(candidate.lower())
                if unit is not None:
                    end = position + text[position:].index(candidate) + len(candidate)
                    return self._compose(text, unit, end)
        if _METER_READING.match(text, match.start("t")):
            return None, position
        if _POINTS_TO.match(text, match.start("t")):
            return None, position
        token = match["t"]
        spaced = text[match.start() : match.start() + 1] == " "
        for candidate in (token, token.rstrip(".-"), token.split("/")[0].rstrip(".-")):
            unit = self._units.find_latin("".join(candidate.split())) or self._units.find_latin(candidate)
            if unit is None:
                continue
            if spaced and candidate in ("A", "B", "C", "K", "F", "M", "d", "s") and kind != "digits":
                continue
            return self._compose(text, unit, match.start("t") + len(candidate))
        qualified = _QUALIFIED_UNIT.match(text, position)
        if qualified:
            return self._units.names[qualified["u"].lower()], qualified.end()
        return self._hyphenated(text, position)

    def _compose(self, text: str, unit: Unit, end: int) -> tuple[Unit, int]:
        """``kg/m³``, ``litres/h``, ``元/吨``, ``per hour`` directly after the unit."""
        slash = _SLASH_UNIT.match(text, end)
        if slash:
            other = self._units.find_latin(slash["t"])
            if other is not None:
                return unit.per(other), slash.end()
        han = _EACH.match(text, end)
        if han and not (unit.dimension in (TIME, CALENDAR) and text[end : end + 1] == "每"):
            found = self._units.find_han(text, han.end())
            if found is not None and (text[end : end + 1] != "每" or unit.dimension != PIECE):
                return unit.per(found[0]), found[1]
        return unit, end

    def _per_unit(self, text: str, quantity: Quantity) -> Quantity:
        """Rates whose denominator stands apart: ``2 litres of water per hour``, ``48 litres a day``, ``每小时2升``."""
        if is_rate(quantity.unit) and quantity.unit.kind != "rotation":
            return quantity
        if "/" not in quantity.unit.unit_id and (mass := self._of_weight(text, quantity)) is not None:
            quantity = mass
        denominator: Unit | None = None
        after = self._per.match(text[quantity.end : quantity.end + 60])
        if after and not after["chain"].lower().startswith("and"):
            for match in _PER_LINK.finditer(after["chain"]):
                denominator = denominator or self._units.names.get(match["u"].lower())
                if denominator is None and match["w"].lower() in ("per", "/"):
                    denominator = self._units.symbols.get(match["u"])
        if denominator is None:
            adverb = _PER_ADVERB.match(text[quantity.end : quantity.end + 40])
            if adverb:
                denominator = self._units.names[_PER_ADVERB_UNITS[adverb["w"].lower()]]
        if denominator is None:
            prefixed = _HAN_RATE.search(text[max(0, quantity.start - 10) : quantity.start])
            if prefixed:
                denominator = self._units.han[{"时": "小时"}.get(prefixed["u"], prefixed["u"])]
        if denominator is None:
            for match in self._han_per.finditer(text[max(0, quantity.start - 12) : quantity.start]):
                unit = self._units.find_han(match["u"], 0)
                tail = text[max(0, quantity.start - 12) + match.end() : quantity.start]
                if unit and not re.search(r"[\d，。；、,;]", tail):
                    denominator = unit[0]
        if denominator is None and (latin := _HAN_PER_LATIN.search(text, max(0, quantity.start - 8), quantity.start)):
            denominator = self._units.find_latin(latin["u"])
        if denominator is None or denominator.unit_id in ("count", "grade", "occasion"):
            return quantity
        if quantity.unit.dimension in SPANS and denominator.dimension in (TIME, CALENDAR):
            return replace(quantity, noun="per:" + denominator.unit_id)
        if quantity.unit.dimension in (COUNT, OCCASION) and denominator.dimension not in (TIME, CALENDAR):
            return quantity
        if quantity.unit.unit_id == "occasion" and quantity.low > 0:
            every = denominator.factor / quantity.low
            return replace(quantity, low=every, high=every, unit=denominator, step=1e-9, interval=True, weak=True)
        rate = quantity.unit.per(denominator)
        factor = 1.0 / denominator.factor
        return replace(
            quantity, low=quantity.low * factor, high=quantity.high * factor, step=quantity.step * factor, unit=rate,
            amount=quantity,
        )  # fmt: skip

    def _of_weight(self, text: str, quantity: Quantity) -> Quantity | None:
        """``20 mg per kilogram of body weight per day``: the first denominator, which another may follow."""
        match = _PER_WEIGHT.match(text, quantity.end)
        unit = self._units.find_latin(match["u"]) if match else None
        if match is None or unit is None or unit.dimension != MASS or quantity.unit.dimension != unit.dimension:
            return None
        rate = quantity.unit.per(unit)
        factor = 1.0 / unit.factor
        return replace(
            quantity, low=quantity.low * factor, high=quantity.high * factor, step=quantity.step * factor, unit=rate,
            end=match.end(), surface=text[quantity.start : match.end()],
        )  # fmt: skip

    # --- qualifiers ----------------------------------------------------------------------------------------


def _adjoins(text: str, interval: Quantity, rate: Quantity) -> bool:
    """True if the interval words are the denominator of the rate."""
    gap = text[interval.end : rate.start] if interval.end <= rate.start else text[rate.end : interval.start]
    return len(gap) <= 24 and not _STOP.search(gap)
