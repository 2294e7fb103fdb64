"""Quantities in running text: value, unit, per-unit, bound, approximation, range, interval.

Identifiers, dates, references and list markers are taken out before this scan, so that their digits are never
read as quantities.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from services.validation.domain import numerals
from services.validation.domain.config import QuantityWords
from services.validation.domain.numerals import Number
from services.validation.domain.units import CALENDAR, COUNT, TIME, Unit, UnitTable, combine

_COUNT_UNIT = Unit("count", (("count", 1),), 1.0)
_PLAIN = Unit("", COUNT, 1.0)
_RANGE_GAP = re.compile(r"^\s*(?:-|~|～|to|and|至|到|—|－)\s*$", re.I)
_NOT_NUMERALS = (
    "一般 一些 一定 一起 一致 一旦 一律 一经 一体 一并 一直 一样 一切 一同 一时 一面 一方 一边 一次性 一贯 一线 一级市场 一手 "
    "统一 唯一 万一 同一 任一 之一 单一 逐一 专一 第一 千万不 千方 百姓 三方 双方 四周 四季 五险 三角 三者 二者 两者 "
    "二手 二维 三维 八成新 七夕 百货 万能 一氧 二氧 五金 十字 一带 百科 千瓦 万维 亿元"
).split()
_LATIN_UNIT = re.compile(
    r"\s?(?P<t>°\s?[CF](?![a-z])|℃|℉|°|[%‰％]|\"(?!\w)|[A-Za-zμΩ²³⋅·*€£$][A-Za-zμΩ²³0-9]*(?:[·⋅*/.^-][A-Za-zμΩ²³]+\d?)*(?:\(A\))?)"
)

# 二十千克, 二十五千克: a scale after a smaller one belongs to the unit.
_ENDS_WITH_UNIT = re.compile(r"(?:十[一二三四五六七八九]?|[万亿])百$|(?:[十百][一二三四五六七八九]?)千$")
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
    r"(?P<u>[时日月年])(?:速|均|产|供|薪|租金?|费|处理|耗|流量|用量|销量|产量|供水量|收入)[\u4e00-\u9fff]{0,4}$"
)
_A_UNIT = re.compile(
    r"\b(?:for|within|after|over|about|lasts?|takes?|than|in|every|least|once|by|valid)\s+(?P<a>an?)(?=\s+(?:year|month|week|day|hour|minute|decade|fortnight)\b(?!\s+and))",
    re.I,
)
_NUMBER = r"\d+(?:\.\d+)?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty|fifty|hundred|a hundred"
_AND_A_HALF = re.compile(
    rf"\b(?P<n>{_NUMBER}|an?)(?P<half>\s+and\s+a\s+half)(?=\s+(?:hours?|years?|days?|months?|minutes?|times|million|billion|thousand|metres?|kilometres?|weeks?|tonnes?|litres?|percent))",
    re.I,
)
_PART_OF_UNIT = re.compile(
    r"\b(?P<f>(?:a|one|three)[\s-]quarters?|(?:a|one|two)[\s-]thirds?|half)(?P<of>\s+of\s+an?)(?=\s+(?:hour|year|mile|kilometre|litre|million|second|minute|day|tonne)\b)",
    re.I,
)
_RATIO_WORDS = re.compile(
    rf"\b(?P<a>{_NUMBER})\s+(?:out\s+of(?:\s+every)?|in(?:\s+every)?(?=\s+(?:two|three|four|five|six|eight|ten|twenty|\d+)\s+[a-z]))\s+(?P<b>{_NUMBER})\b",
    re.I,
)
_TENTHS = re.compile(r"(?P<a>[一二三四五六七八九])成(?P<b>[一二三四五六七八九])?(?![立为果员品长功年新都交])")
_MULTIPLE_OF = {
    "doubled": 2.0,
    "tripled": 3.0,
    "trebled": 3.0,
    "quadrupled": 4.0,
    "halved": 0.5,
    "twice": 2.0,
    "翻一番": 2.0,
    "翻了一番": 2.0,
    "翻番": 2.0,
    "翻两番": 4.0,
    "翻了两番": 4.0,
    "减半": 0.5,
}
_MULTIPLES = re.compile(
    r"\b(?:doubled|tripled|trebled|quadrupled|halved|twice(?=\s+(?:as|the|that|those)))\b|翻了?[一两]番|翻番|减半", re.I
)


def _plain_number(text: str) -> float | None:
    """A short number in digits or words."""
    if text[0].isdigit():
        return numerals.parse_arabic(text).value
    number = numerals.parse_english(text)
    return number.value if number else None


# "No later than three months before" asks for at least three months.
_NO_LATER = re.compile(r"(?:no|not) later than\s*$|(?:最晚|至迟|最迟)\s*(?:于|应)?$")
_IN_ADVANCE = re.compile(r"\s*(?:before|ahead|in advance|prior|earlier|前|以前|之前)")
# Half an hour, a half-year, 半小时, 半个月: one half of the unit that follows.
_HALF_UNIT = re.compile(
    r"\b(?P<n>half(?:\s+an?|-a)?)[\s-](?=hour|year|day|month|minute|mile|dozen|litre|kilometre)"
    r"|(?<![大多过一下上])(?P<z>半)个?(?=小时|年(?![度报])|天|个?月|日(?!制)|分钟|公里|吨|斤|学期|周)",
    re.I,
)
# One word may stand between a number and a unit of time: 3,000 operating hours, two full years.
_QUALIFIED_UNIT = re.compile(r"\s(?:[a-z]+(?:-[a-z]+)?)\s(?P<u>hours|days|weeks|months|years|minutes|seconds)\b", re.I)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with what it measures.

    ``low`` and ``high`` are in base units (equal unless a range); ``figure`` is the number as written after its
    magnitude; ``step`` is the value of the last digit shown, in base units. ``bound`` is ``ge``, ``gt``, ``le``,
    ``lt`` or empty; ``interval`` marks "every 6 months"; ``noun`` is the counted thing where the text names it.
    ``amount`` is, for a rate told in words ("20 litres a day"), the same without its denominator.
    ``weak`` marks numbers that often are no claim (one, a half, 一个).
    """

    low: float
    high: float
    figure: float
    step: float
    unit: Unit
    start: int
    end: int
    surface: str
    approx: bool = False
    bound: str = ""
    interval: bool = False
    noun: str = ""
    weak: bool = False
    signed: str = ""
    amount: Quantity | None = None

    @property
    def is_range(self) -> bool:
        """True if the text gives both ends."""
        return self.low != self.high


class QuantityScanner:
    """Finds the quantities of a text with a unit table and the words of ``config/validation``."""

    def __init__(self, units: UnitTable, words: QuantityWords) -> None:
        self._units = units
        self._words = words
        self._skip = re.compile("|".join([*sorted(_NOT_NUMERALS, key=len, reverse=True), "十分(?![钟之米])"]))
        prefixes = sorted(units.prefixes, key=len, reverse=True)
        self._prefix = re.compile("(?:" + "|".join(re.escape(p) for p in prefixes) + r")\s?$")
        magnitudes = "|".join(sorted(words.english_magnitudes, key=len, reverse=True))
        self._magnitude = re.compile(rf"\s?(?:-)?(?P<m>{magnitudes})(?![A-Za-z])(?:\s+of)?", re.I)
        self._han_magnitudes = sorted(words.han_magnitudes, key=len, reverse=True)
        nothing = "(?!)"
        self._before = {
            key: re.compile(rf"(?:{pattern or nothing})\s*$", re.I) for key, pattern in words.before.items()
        }
        self._after = {key: re.compile(rf"^\s*(?:{pattern or nothing})", re.I) for key, pattern in words.after.items()}
        self._per = re.compile(
            r"^\s*(?:of\s+(?:[a-z]+\s+){1,3})?(?:[a-z]+\s+){0,2}?"
            r"(?P<chain>(?:(?:per\b|each\b|every\b|an?\b|/|and\b)\s*[A-Za-z]+\s*){1,3})",
            re.I,
        )
        self._han_per = re.compile(r"(?:每(?:个|一)?|[/／])(?P<u>[\u4e00-\u9fff]{1,4})")

    def find(self, text: str, taken: bytearray) -> list[Quantity]:
        """Every quantity of a normalised text; characters marked in ``taken`` are left alone and new ones marked."""
        intervals = self._intervals(text, taken)
        merged = self._merge_compounds(text, self._merge_ranges(text, self._numbers(text, taken)))
        rates = [q for q in merged if any(exponent < 0 for _, exponent in q.unit.dimension)]
        kept = [i for i in intervals if not any(_adjoins(text, i, q) for q in rates)]
        return sorted([*(self._qualify(text, q) for q in merged), *kept], key=lambda q: q.start)

    # --- numbers -------------------------------------------------------------------------------------------

    def _numbers(self, text: str, taken: bytearray) -> list[Quantity]:
        found: list[Quantity] = []
        for start, end, number, kind in self._tokens(text):
            if any(taken[start:end]):
                continue
            quantity = self._with_unit(text, start, end, number, kind, taken)
            if quantity is None:
                continue
            taken[quantity.start : quantity.end] = b"\x01" * (quantity.end - quantity.start)
            found.append(quantity)
        found.sort(key=lambda q: q.start)
        return found

    def _tokens(self, text: str) -> Iterator[tuple[int, int, Number, str]]:
        for match in re.finditer(r"百分之(?P<n>[零〇一二两三四五六七八九十百点]+|\d+(?:\.\d+)?)", text):
            number = (
                numerals.parse_arabic(match["n"]) if match["n"][0].isdigit() else numerals.parse_chinese(match["n"])
            )
            if number:
                yield match.start(), match.end(), number, "percent"
        for match in re.finditer(
            r"(?P<b>[一二两三四五六七八九十百千万]+|\d+)分之(?P<t>[一二两三四五六七八九十]+|\d+)", text
        ):
            bottom, top = (
                float(g) if g.isdigit() else getattr(numerals.parse_chinese(g), "value", 0.0)
                for g in (match["b"], match["t"])
            )
            if bottom:
                yield match.start(), match.end(), Number(top / bottom, 1e-9), "share"
        for match in re.finditer(r"(?<![\w])(\d{1,3})/(\d{1,3})(?![\w/])", text):
            if int(match[2]):
                yield match.start(), match.end(), Number(int(match[1]) / int(match[2]), 1e-9), "share"
        for match in numerals.ARABIC_NUMBER.finditer(text):
            before = text[match.start() - 1] if match.start() else ""
            if before and (
                before in "._"
                or (before.isascii() and before.isalpha() and not self._prefix.search(text[: match.start()]))
            ):
                continue
            yield match.start(), match.end(), numerals.parse_arabic(match.group()), "digits"
        for match in _AND_A_HALF.finditer(text):
            whole = 1.0 if match["n"].lower() in ("a", "an", "one") else _plain_number(match["n"])
            if whole is not None:
                yield match.start(), match.end("half"), Number(whole + 0.5, 0.5), "digits"
        for match in _PART_OF_UNIT.finditer(text):
            share = numerals.parse_english_fraction(match["f"])
            if share is not None:
                yield match.start(), match.end("of"), Number(share, 1e-9), "digits"
        for match in _A_UNIT.finditer(text):
            yield match.start("a"), match.end("a"), Number(1.0, 1.0), "article"
        for match in _RATIO_WORDS.finditer(text):
            top, bottom = _plain_number(match["a"]), _plain_number(match["b"])
            if top is not None and bottom:
                yield match.start(), match.end(), Number(top / bottom, 1e-9), "share"
        for match in _TENTHS.finditer(text):
            digits = "一二三四五六七八九"
            value = (digits.find(match["a"]) + 1) / 10 + (digits.find(match["b"]) + 1 if match["b"] else 0) / 100
            yield match.start(), match.end(), Number(value, 0.01 if match["b"] else 0.1), "share"
        for match in _MULTIPLES.finditer(text):
            yield match.start(), match.end(), Number(_MULTIPLE_OF[match.group().lower()], 1e-9), "times"
        for match in _HALF_UNIT.finditer(text):
            yield match.start(), match.end("n" if match["n"] else "z"), Number(0.5, 0.5), "digits"
        for match in numerals.ENGLISH_FRACTION.finditer(text):
            value = numerals.parse_english_fraction(match.group())
            if value is not None:
                yield match.start(), match.end(), Number(value, 1e-9), "fraction"
        for match in numerals.ENGLISH_NUMBER.finditer(text):
            number = numerals.parse_english(match.group())
            if number is not None:
                yield match.start(), match.end(), number, "words"
        blocked = {i for m in self._skip.finditer(text) for i in range(m.start(), m.end())}
        for match in numerals.CHINESE_NUMBER.finditer(text):
            if blocked.intersection(range(match.start(), match.end())) or text[: match.start()].endswith("第"):
                continue
            token = match.group()
            if len(token) > 1 and _ENDS_WITH_UNIT.search(token):
                # 二十千克: the last character belongs to the unit.
                token = token[:-1]
            number = numerals.parse_chinese(token)
            if number is not None:
                yield match.start(), match.start() + len(token), number, "han"

    # --- units ---------------------------------------------------------------------------------------------

    def _with_unit(
        self, text: str, start: int, end: int, number: Number, kind: str, taken: bytearray
    ) -> Quantity | None:
        if kind == "percent":
            return self._make(text, start, end, number, self._units.symbols["%"])
        if kind == "times":
            return self._make(text, start, end, number, self._units.names["times"])
        if kind == "share":
            return self._make(text, start, end, number, Unit("share", (("ratio", 1),), 1.0, kind="share"))
        money = self._prefix.search(text[max(0, start - 6) : start])
        scale, position = self._scale(text, end, money is not None)
        unit, unit_end = self._unit_after(text, position, kind)
        sign = ""
        prefix = self._prefix.search(text[max(0, start - 6) : start])
        if prefix:
            before = self._units.prefixes[prefix.group().strip()]
            start -= len(prefix.group())
            if unit is None or unit.unit_id in ("m", "M") or before.dimension == unit.dimension:
                unit, unit_end = (
                    before,
                    max(position, unit_end if unit is not None and unit.dimension == before.dimension else 0),
                )
        elif kind == "digits" and re.search(r"(?:^|[\s(（:：])[-+]$", text[max(0, start - 2) : start]):
            sign = text[start - 1]
            start -= 1
        if kind == "fraction":
            if unit is None:
                unit = Unit("share", (("ratio", 1),), 1.0, kind="share")
                unit_end = end
        if unit is None:
            if kind == "han" and not self._bare_han_allowed(text, start, end, scale):
                return None
            unit, unit_end = _PLAIN, position
        value = Number(number.value * scale * (-1 if sign == "-" else 1), number.step * scale)
        quantity = self._make(text, start, unit_end, value, unit)
        quantity = self._per_unit(text, quantity)
        weak = (
            abs(number.value) == 1
            and scale == 1
            and kind in ("han", "words")
            and unit.dimension in (COUNT, (("count", 1),), (("occasion", 1),))
        )
        weak = weak or kind == "article"
        return replace(quantity, weak=weak or (kind == "fraction" and unit.kind == "share" and False), signed=sign)

    def _make(self, text: str, start: int, end: int, number: Number, unit: Unit) -> Quantity:
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
        suffix = re.match(
            r"(k|K|M|bn|mn|m|B)(?![A-Za-z0-9/])" if money else r"(k|K|M|bn|mn)(?![A-Za-z0-9/])",
            text[position : position + 3],
        )
        if suffix:
            return self._words.suffix_magnitudes[suffix.group()], position + len(suffix.group())
        return 1.0, position

    def _unit_after(self, text: str, position: int, kind: str) -> tuple[Unit | None, int]:
        probe = position + 1 if text[position : position + 1] in (" ", "余", "多", "几") else position
        han = self._units.find_han(text, probe)
        if han and not self._half_word(text, han[1], han[0]):
            unit, end = han
            return self._compose(text, unit, end)
        match = _LATIN_UNIT.match(text, position)
        if not match:
            return None, position
        return self._latin(text, position, match, kind)

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
        phrase = re.match(r"\s?-?([A-Za-z-]+(?:\s[A-Za-z]+){0,2})", text[position : position + 48])
        if phrase:
            tokens = phrase.group(1).split(" ")
            for n in range(len(tokens), 1, -1):
                candidate = " ".join(tokens[:n])
                unit = self._units.names.get(candidate.lower())
                if unit is not None:
                    end = position + text[position:].index(candidate) + len(candidate)
                    return self._compose(text, unit, end)
        token = match["t"]
        spaced = text[match.start() : match.start() + 1] == " "
        for candidate in (token, token.rstrip(".-"), re.split(r"[/]", token)[0].rstrip(".-")):
            unit = self._units.find_latin(re.sub(r"\s", "", candidate)) or self._units.find_latin(candidate)
            if unit is None:
                continue
            if spaced and candidate in ("A", "B", "C", "K", "F", "M", "d", "s") and kind != "digits":
                continue
            return self._compose(text, unit, match.start("t") + len(candidate))
        qualified = _QUALIFIED_UNIT.match(text, position)
        if qualified:
            return self._units.names[qualified["u"].lower()], qualified.end()
        hyphenated = re.match(r"\s?-(?P<u>[a-z]+)", text[position : position + 24])
        if hyphenated:
            unit = self._units.names.get(hyphenated["u"].lower())
            if unit is not None:
                return unit, position + hyphenated.end()
        return None, position

    def _compose(self, text: str, unit: Unit, end: int) -> tuple[Unit, int]:
        """``kg/m³``, ``litres/h``, ``元/吨``, ``per hour`` directly after the unit."""
        slash = re.match(r"\s?[/／]\s?(?P<t>[A-Za-z²³]+\d?)", text[end:])
        if slash:
            other = self._units.find_latin(slash["t"])
            if other is not None:
                return unit.per(other), end + slash.end()
        han = re.match(r"\s?(?:[/／]|每)", text[end:])
        if han:
            found = self._units.find_han(text, end + han.end())
            if found is not None and (text[end : end + 1] != "每" or unit.dimension != (("count", 1),)):
                return unit.per(found[0]), found[1]
        return unit, end

    def _per_unit(self, text: str, quantity: Quantity) -> Quantity:
        """Rates whose denominator stands apart: ``2 litres of water per hour``, ``48 litres a day``, ``每小时2升``."""
        if any(exponent < 0 for _, exponent in quantity.unit.dimension) and quantity.unit.kind != "rotation":
            return quantity
        denominator: Unit | None = None
        after = self._per.match(text[quantity.end : quantity.end + 60])
        if after and not after["chain"].lower().startswith("and"):
            for match in re.finditer(
                r"(?P<w>per\b|each\b|every\b|an?\b|/|and\b)\s*(?P<u>[A-Za-z]+)", after["chain"], re.I
            ):
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
                denominator = self._units.han[{"时": "小时", "日": "日", "月": "月", "年": "年"}[prefixed["u"]]]
        if denominator is None:
            for match in self._han_per.finditer(text[max(0, quantity.start - 12) : quantity.start]):
                unit = self._units.find_han(match["u"], 0)
                tail = text[max(0, quantity.start - 12) + match.end() : quantity.start]
                if unit and not re.search(r"[\d，。；、,;]", tail):
                    denominator = unit[0]
        if denominator is None or denominator.unit_id in ("count", "grade", "occasion"):
            return quantity
        if quantity.unit.dimension in (TIME, CALENDAR, (("workday", 1),)) and denominator.dimension in (TIME, CALENDAR):
            return replace(quantity, noun="per:" + denominator.unit_id)
        if quantity.unit.dimension in (COUNT, (("occasion", 1),)) and denominator.dimension not in (TIME, CALENDAR):
            return quantity
        if quantity.unit.unit_id == "occasion" and quantity.low > 0:
            every = denominator.factor / quantity.low
            return replace(quantity, low=every, high=every, unit=denominator, step=1e-9, interval=True, weak=True)
        unit = quantity.unit.per(denominator)
        factor = 1.0 / denominator.factor
        return replace(
            quantity, low=quantity.low * factor, high=quantity.high * factor, step=quantity.step * factor, unit=unit,
            amount=quantity,
        )  # fmt: skip

    # --- merging -------------------------------------------------------------------------------------------

    def _merge_ranges(self, text: str, found: list[Quantity]) -> list[Quantity]:
        merged: list[Quantity] = []
        for quantity in found:
            last = merged[-1] if merged else None
            gap = text[last.end : quantity.start] if last else ""
            above = (
                last is not None
                and re.fullmatch(r"以上[、，]?(?:至|到)?", gap)
                and text[quantity.end :].startswith("以下")
            )
            if above and last is not None and (combined := self._range(text, last, quantity)) is not None:
                merged[-1] = replace(combined, end=quantity.end + 2)
                continue
            if last is None or not _RANGE_GAP.match(gap) or last.is_range:
                merged.append(quantity)
                continue
            if gap.strip().lower() == "and" and not re.search(r"between\s*$", text[: last.start].lower()[-12:]):
                merged.append(quantity)
                continue
            if gap.strip().lower() in ("to", "到", "至") and self._changes(text, last):
                merged.append(quantity)
                continue
            combined = self._range(text, last, quantity)
            if combined is None:
                merged.append(quantity)
            else:
                merged[-1] = combined
        return merged

    def _changes(self, text: str, first: Quantity) -> bool:
        """``raised from 4.0% to 4.5%``: two values, not a range."""
        before = text[max(0, first.start - 50) : first.start].lower()
        return bool(self._before["change_from"].search(before))

    @staticmethod
    def _range(text: str, a: Quantity, b: Quantity) -> Quantity | None:
        if b.amount is not None and b.amount.unit.dimension == COUNT and a.unit.dimension != COUNT and b.low:
            # "EUR 500 to 800 a month": currency before, denominator after.
            share = b.low / b.amount.low
            unit = Unit(
                a.unit.unit_id + "/" + b.unit.unit_id.lstrip("/"),
                combine(a.unit.dimension, b.unit.dimension, 1),
                a.unit.factor * share,
            )
            high = b.amount.low * a.unit.factor
            if a.low >= high:
                return None
            whole = replace(b.amount, low=a.low, high=high, unit=a.unit, start=a.start, surface=text[a.start : b.end])
            return replace(
                b,
                low=a.low * share,
                high=high * share,
                start=a.start,
                unit=unit,
                surface=text[a.start : b.end],
                amount=whole,
            )
        if b.unit.dimension == COUNT and a.unit.dimension != COUNT and not b.noun:
            b = replace(
                b,
                low=b.low * a.unit.factor + a.unit.offset,
                high=b.high * a.unit.factor + a.unit.offset,
                unit=a.unit,
                step=b.step * a.unit.factor,
            )
        unit = b.unit if a.unit.dimension == COUNT else a.unit
        if a.unit.dimension not in (COUNT, b.unit.dimension):
            return None
        scale = unit.factor if a.unit.dimension == COUNT else 1.0
        low = a.low * scale + (unit.offset if a.unit.dimension == COUNT else 0.0)
        if (
            a.unit.dimension == COUNT
            and b.unit.dimension != COUNT
            and abs(b.figure) >= 1000
            and b.figure > a.figure * 1000
        ):
            # 3至5万: the magnitude belongs to both ends.
            ratio = 10 ** (len(str(int(abs(b.figure)))) - 1)
            if low * ratio <= b.low:
                low *= ratio
        if low >= b.low:
            return None
        return replace(
            b,
            low=low,
            start=a.start,
            surface=text[a.start : b.end],
            unit=unit,
            step=min(a.step * scale, b.step),
            bound=a.bound,
        )

    def _merge_compounds(self, text: str, found: list[Quantity]) -> list[Quantity]:
        """``3 h 20 min``, ``5 ft 11 in``, ``2小时30分``: one quantity."""
        merged: list[Quantity] = []
        for quantity in found:
            last = merged[-1] if merged else None
            if last and re.fullmatch(r"\s?(?:and\s|又|零)?", text[last.end : quantity.start]):
                if (
                    quantity.unit.unit_id == "count"
                    and quantity.surface.endswith("分")
                    or (quantity.unit.dimension == COUNT and text[quantity.end : quantity.end + 1] == "分")
                ):
                    if last.unit.unit_id == "hour":
                        minute = self._units.names["minutes"]
                        end = quantity.end + (text[quantity.end : quantity.end + 1] == "分")
                        quantity = replace(
                            quantity,
                            unit=minute,
                            low=quantity.figure * 60,
                            high=quantity.figure * 60,
                            step=60.0,
                            end=end,
                        )
                same = last.unit.dimension == quantity.unit.dimension and last.unit.dimension not in (
                    COUNT,
                    (("count", 1),),
                )
                if (
                    same
                    and 1 < last.unit.factor / quantity.unit.factor
                    and quantity.low < last.unit.factor
                    and not last.is_range
                ):
                    merged[-1] = replace(
                        last, low=last.low + quantity.low, high=last.high + quantity.high, step=quantity.step,
                        end=quantity.end, surface=text[last.start : quantity.end],
                    )  # fmt: skip
                    continue
            if text[quantity.end : quantity.end + 1] == "半" and quantity.unit.dimension != COUNT:
                half = quantity.unit.factor / 2
                quantity = replace(
                    quantity, low=quantity.low + half, high=quantity.high + half, step=half, end=quantity.end + 1
                )
            merged.append(quantity)
        return merged

    # --- qualifiers ----------------------------------------------------------------------------------------

    def _qualify(self, text: str, quantity: Quantity) -> Quantity:
        before = text[max(0, quantity.start - 40) : quantity.start].lower()
        after = text[quantity.end : quantity.end + 24].lower()
        bound, approx = self._bound(before, after) or quantity.bound, quantity.approx
        if bound == "le" and _NO_LATER.search(before) and _IN_ADVANCE.match(after):
            bound = "ge"
        if self._before["approx"].search(before) or self._after["approx"].search(after):
            approx = True
        if not approx and re.search(r"[余多]", quantity.surface):
            bound = bound or "gt"
        interval = bool(self._before["every"].search(before)) and quantity.unit.dimension in (
            TIME, CALENDAR, (("workday", 1),), (("length", 1),),
        )  # fmt: skip
        noun = quantity.noun
        if quantity.unit.dimension in (COUNT, (("count", 1),)) and not noun:
            match = re.match(r"\s?(?:[a-z]+ly\s+|public\s+|new\s+)?([a-z]{3,})", after)
            noun = match.group(1) if match else ""
        return replace(quantity, bound=bound, approx=approx, interval=interval, noun=noun)

    def _bound(self, before: str, after: str) -> str:
        """The bound whose words are longest, so that 不超过 is not read as 超过."""
        best, length = "", 0
        for name in ("ge", "gt", "le", "lt"):
            for match in (self._before[name].search(before), self._after[name].match(after)):
                if match and len(match.group().strip()) > length:
                    best, length = name, len(match.group().strip())
        return best

    def _intervals(self, text: str, taken: bytearray) -> list[Quantity]:
        """``weekly``, ``twice a year``, ``every month``, ``每年一次``, ``每月``: the interval as a quantity."""
        found: list[Quantity] = []
        for match in self._words.interval_pattern.finditer(text):
            if any(taken[match.start() : match.end()]):
                continue
            quantity = self._interval(text, match)
            if quantity is not None:
                taken[match.start() : match.end()] = b"\x01" * (match.end() - match.start())
                found.append(quantity)
        return found

    def _interval(self, text: str, match: re.Match[str]) -> Quantity | None:
        groups = match.groupdict()
        if groups.get("word"):
            n, name = self._words.intervals[groups["word"].lower()]
            unit = self._units.names[name]
            value = n
        else:
            unit_name = groups.get("unit") or groups.get("unit2") or ""
            unit = self._units.names.get(unit_name.lower()) or (
                self._units.han.get(groups["zunit"] or groups["zunit2"] or "")
            )  # type: ignore[assignment]
            if unit is None or unit.dimension not in (TIME, CALENDAR, (("workday", 1),)):
                return None
            times = groups.get("times") or groups.get("ztimes") or groups.get("ztimes2")
            count = {"once": 1.0, "twice": 2.0, "thrice": 3.0}.get((times or "once").lower())
            if count is None:
                parsed = numerals.parse_chinese(times) if times and not times[0].isdigit() else None
                count = parsed.value if parsed else float(re.sub(r"\D", "", times or "1") or 1)
            every = groups.get("every") or groups.get("zevery")
            number = numerals.parse_chinese(every) if every and not every[0].isdigit() and not every.isascii() else None
            n_units = (
                number.value
                if number
                else (
                    2.0
                    if every and every.lower() in ("other", "second")
                    else float(every)
                    if every and every.isdigit()
                    else 1.0
                )
            )
            value = n_units / (count or 1.0)
        base = value * unit.factor
        return Quantity(
            base, base, value, 1e-9, unit, match.start(), match.end(), match.group(), interval=True, weak=True
        )


def _adjoins(text: str, interval: Quantity, rate: Quantity) -> bool:
    """True if the interval words are the denominator of the rate."""
    gap = text[interval.end : rate.start] if interval.end <= rate.start else text[rate.end : interval.start]
    return len(gap) <= 24 and not re.search(r"[,，;；。.]", gap)


def dimension_of_product(a: Quantity, b: Quantity) -> tuple[tuple[str, int], ...]:
    """The dimension of ``a × b``."""
    return combine(a.unit.dimension, b.unit.dimension, 1)
