"""Reading numbers with units, bounds, ranges and rates in both languages."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.validation.adapters.config import default_config
from services.validation.domain.analysis import Analyser
from services.validation.domain.values.compare import comparable, equal
from services.validation.domain.values.quantity import Quantity

ANALYSER = Analyser(default_config())


def one(text: str) -> Quantity:
    """The only quantity of a text that is not a mere interval word."""
    found = ANALYSER.analyse(text).quantities
    assert len(found) == 1, [q.surface for q in found]
    return found[0]


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("10 kPa", "0.01 MPa"),
        ("三千米", "3公里"),
        ("1.2亿元", "12000万元"),
        ("33 kt", "33节"),
        ("2 litres per hour", "48 litres a day"),
        ("每小时2升", "每天48升"),
        ("10 Gbit/s", "1.25 GB/s"),
        ("百分之十五", "15%"),
        ("three quarters", "75%"),
        ("a fifth of the seats", "20%"),
        ("fell by a tenth", "10%"),
        ("half an hour", "30分钟"),
        ("two and a half hours", "150 min"),
        ("3 h 20 min", "200 minutes"),
        ("40 °C", "104 °F"),
        ("EUR 48.6 million", "€48,600,000"),
        ("１６个月", "16 months"),
        ("two hundred and forty seats", "240 seats"),
        ("0.5 percentage points", "50 basis points"),
        ("weekly", "every 7 days"),
        ("每年两次", "every six months"),
        ("九成五", "95%"),
    ],
)
def test_equal_values(a: str, b: str) -> None:
    assert equal(one(a), one(b))


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("5 kg", "5 m"),
        ("5 EUR", "5 USD"),
        ("90 days", "3 months"),
        ("2 percent", "2 percentage points"),
        ("5工作日", "5天"),
    ],
)
def test_other_dimensions_do_not_compare(a: str, b: str) -> None:
    assert not comparable(one(a), one(b)) or not equal(one(a), one(b))


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("at least 20 kg", "ge"),
        ("no more than 20 kg", "le"),
        ("不得超过60%", "le"),
        ("不满三年", "lt"),
        ("20周岁以上", "ge"),
        ("within 90 days", "le"),
        ("more than 5 m", "gt"),
        ("no later than three months before", "ge"),
    ],
)
def test_bounds(text: str, bound: str) -> None:
    assert one(text).bound == bound


@pytest.mark.parametrize(
    "text",
    [
        "A320", "E4027", "ISO 9001", "BR-2200", "第三十二条", "统一标准", "一般情况", "in 2023", "5 May 2024",
        "by the late 1990s", "the 1980s and 2000s", "given to a third party", "a third-party audit", "a fifth season",
    ],
)  # fmt: skip
def test_identifiers_references_and_dates_are_no_quantities(text: str) -> None:
    assert not ANALYSER.analyse(text).quantities


def test_ranges_have_two_ends() -> None:
    for text in ("20–25 kg", "between 20 and 25 kg", "20至25千克", "二十千克以上二十五千克以下", "from 20 to 25 kg"):
        quantity = one(text)
        assert (round(quantity.low, 6), round(quantity.high, 6)) == (20, 25)


def test_a_change_is_no_range() -> None:
    assert len(ANALYSER.analyse("The rate was raised from 4.0% to 4.5%.").quantities) == 2


_LENGTHS = ["m", "km", "cm", "mm", "ft", "mile", "NM", "米", "公里", "英尺", "海里"]


@settings(deadline=None)
@given(st.integers(1, 10**6), st.sampled_from(_LENGTHS), st.sampled_from(_LENGTHS))
def test_unit_conversion_round_trips(figure: int, first: str, second: str) -> None:
    """A value told in another unit, with all its digits, is the same value."""
    config = default_config()
    source = one(f"{figure} {first}")
    unit = config.units.find_latin(second) or config.units.han[second]
    told = source.low / unit.factor
    assert equal(one(f"{told:.18f} {second}"), source)


@settings(deadline=None)
@given(st.integers(1000, 9_999_999), st.integers(1, 6))
def test_only_marked_roundings_pass(figure: int, digits: int) -> None:
    """About 1,200 stands for 1,240; a plain 1,200 does not, nor a rounding off by more than half a digit."""
    step = 10 ** min(digits, len(str(figure)) - 1)
    rounded = round(figure / step) * step
    exact = one(f"{figure} kg")
    assert equal(one(f"{rounded} kg"), exact) == (rounded == figure)
    if abs(rounded - figure) <= rounded / 20:
        assert equal(one(f"about {rounded} kg"), exact)
    assert not equal(one(f"about {rounded + 2 * step} kg"), exact) or 1.5 * step <= rounded / 20
