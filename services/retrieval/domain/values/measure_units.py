"""Units of measurement that rules state limits in, in both languages, each as a factor to the base of its quantity.

A short table of its own beside the one of validation: here a unit only has to make 10 kg and 22 pounds, or 1 GB and
1024 MB, the same value.
"""

from __future__ import annotations

import re

# By quantity: names of one unit (an underscore is a space; Latin ones of four letters and more have a plural in s), and
# what one of it is in the base.
_TABLE: dict[str, dict[str, float]] = {
    "mass": {
        "mg milligram 毫克": 1e-6, "g gram gramme 克": 1e-3, "kg kgs kilogram kilo 千克 公斤": 1.0, "斤": 0.5,
        "t tonne tons 吨": 1e3, "lb lbs pound": 0.45359237, "oz ounce": 0.0283495,
    },
    "length": {
        "mm millimetre millimeter 毫米": 1e-3, "cm centimetre centimeter 厘米": 1e-2, "m metre meter 米": 1.0,
        "km kilometre kilometer 千米 公里": 1e3, "ft foot feet 英尺": 0.3048, "inch inches 英寸": 0.0254,
        "mile 英里": 1609.344,
    },
    "area": {"m² m2 sqm square_metre square_meter 平方米": 1.0, "hectare 公顷": 1e4, "km² km2 平方公里": 1e6},
    "volume": {
        "ml millilitre milliliter 毫升": 1e-3, "l litre liter 升": 1.0, "m³ m3 cubic_metre cubic_meter 立方米": 1e3,
    },
    "data": {"kb kib": 1.0, "mb mib": 1024.0, "gb gib": 1024.0**2, "tb tib": 1024.0**3},
    "speed": {
        "km/h kmh kph kilometres_per_hour kilometers_per_hour 公里/小时 千米/小时 公里每小时": 1.0,
        "mph miles_per_hour": 1.609344, "knot kt kts 节": 1.852, "m/s 米/秒": 3.6,
    },
    "pressure": {"kpa 千帕": 1.0, "mpa 兆帕": 1e3, "bar bars 巴": 100.0, "mbar hpa": 0.1, "psi": 6.894757},
    "temperature": {"°c °_c ℃ degrees degrees_celsius 摄氏度 度": 1.0},
    "power": {"mw 兆瓦": 1e6, "kw 千瓦": 1e3, "w watt 瓦": 1.0},
    "voltage": {"kv 千伏": 1e3, "v volt 伏 伏特": 1.0},
    "frequency": {"hz 赫兹": 1.0, "khz": 1e3, "mhz": 1e6},
    "sound": {"db decibel 分贝": 1.0},
    "seconds": {"ms millisecond 毫秒": 1e-3, "s sec second 秒 秒钟": 1.0},
    "ratio": {"fold 倍": 1.0},
    "$": {"dollar usd 美元": 1.0},
    # Of which currency is not told.
    "cent": {"cent 美分": 0.01},
    "€": {"euro eur 欧元": 1.0},
    "£": {"gbp 英镑": 1.0},
    "¥": {"yuan cny rmb 元": 1.0},
    "francs": {"franc chf 法郎": 1.0},
}  # fmt: skip
_PLURAL_FROM = 4


def _spellings(name: str) -> tuple[str, ...]:
    plain = name.replace("_", " ")
    return (plain, f"{plain}s") if plain.isascii() and len(plain) >= _PLURAL_FROM and plain.isalpha() else (plain,)


_UNITS: dict[str, tuple[str, float]] = {
    spelling: (quantity, factor)
    for quantity, units in _TABLE.items()
    for names, factor in units.items()
    for name in names.split()
    for spelling in _spellings(name)
}
MEASURE = "|".join(
    re.escape(name) + ("(?![A-Za-z/²³])" if name[-1].isascii() else "")
    for name in sorted(_UNITS, key=len, reverse=True)
)
"""Pattern of a unit behind its number, the longest first."""


def measured(unit: str) -> tuple[str, float] | None:
    """What a match of ``MEASURE`` measures and its size in the base of that quantity; None for anything else."""
    return _UNITS.get(" ".join(unit.lower().split()))
