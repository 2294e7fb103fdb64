"""What Chinese people's names look like, learnt from a dictionary's names: surname and given characters.

A name that no dictionary has falls to pieces in segmentation (董 明珠) or is an unknown word (谈家桢). Each reading of
a stretch has a probability: as the words it was cut into, or as a name, surname times given characters. The name wins
where it is the likelier one by far. After Zhang, Liu and Zhang (2002), Automatic recognition of Chinese unknown
words based on roles tagging, without its chain of roles. Foreign names are told by their characters alone.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import Any

# Added to every count: a character that no listed name has is no proof against a name.
_SMOOTHING = 1.0
_CHARACTERS = 2_500
# Of names, the shares with one and with two given characters, and of each surname of two characters.
_ONE_GIVEN, _TWO_GIVEN, _COMPOUND_ODDS = math.log(0.25), math.log(0.75), math.log(0.0004)
# Characters of most full names: a surname of one and two given ones.
_WHOLE = 3
# Flags of words that may be names whatever they are listed as.
_NAMING = ("nr", "ns", "nz", "nt")
# Rarer words tell little of which characters words are made of, and there are very many.
_FREQUENT = 30
# A character this much rarer in transcribed names than in words (log) is in none.
_HARDLY = -1.8
_COMPOUND = frozenset(
    re.findall(
        "..",
        "欧阳司马上官诸葛东方皇甫尉迟公孙令狐慕容宇文长孙司徒夏侯端木百里呼延南宫西门独孤轩辕闻人澹台公冶钟离申屠太史",
    )
)
# Single characters that begin most names; others occur, but as words of their own much more often.
_SURNAMES = frozenset(
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏窦章苏潘葛奚范彭郎鲁韦昌马苗凤方俞任袁柳"
    "鲍史唐费廉岑薛雷贺倪汤滕殷罗毕郝邬安乐傅卞康伍余顾孟黄穆萧尹姚邵湛汪祁毛狄臧戴宋茅庞熊纪舒屈项祝董梁杜阮蓝闵席季贾"
    "路娄江童颜郭梅盛林钟徐邱骆高夏蔡田樊胡凌霍虞万柯昝管卢莫房裘缪解应宗丁宣邓郁单杭洪包诸左石崔吉钮龚程嵇邢裴陆荣翁荀"
    "甄封芮储靳汲松段富巫乌焦巴牧隗侯宓全郗班仰仲伊宫宁仇栾甘祖武符刘景詹龙叶幸司黎薄印白蒲邰从鄂索赖卓蔺屠蒙池乔阴胥苍"
    "闻莘翟谭贡劳姬申扶堵冉宰郦雍桑桂牛寿边扈燕冀浦尚农温庄晏柴瞿阎连习艾鱼容向古易廖庾耿满弘匡国文寇广禄东欧沃利蔚越隆师"
    "巩聂晁敖融冷訾辛那简饶曾沙丰关蒯相查红游竺权盖桓公肖涂沐付闫仝佟麦迟展佘苑楚晋汝鄢海岳帅亓谈"
)


class NameShapes:
    """How likely a stretch is a name. Filled while a dictionary is read (``learn``), then only asked."""

    def __init__(self) -> None:
        self._surnames: Counter[str] = Counter()
        self._first: Counter[str] = Counter()
        self._second: Counter[str] = Counter()
        self._foreign: Counter[str] = Counter()
        self._common: Counter[str] = Counter()
        self._people = self._in_foreign = self._in_common = 0

    def plain(self) -> dict[str, Any]:
        """What was learnt, as values that can be kept; :meth:`restored` makes it again."""
        return {name: dict(value) if isinstance(value, Counter) else value for name, value in vars(self).items()}

    @classmethod
    def restored(cls, plain: dict[str, Any]) -> NameShapes:
        """The shapes of which ``plain`` was taken."""
        shapes = cls()
        vars(shapes).update({name: Counter(v) if isinstance(v, dict) else v for name, v in plain.items()})
        return shapes

    def learn(self, word: str, frequency: int, flag: str) -> None:
        """One entry of the dictionary: ``flag`` nr names people, nrt foreigners, others mostly nothing."""
        if flag == "nr" and len(word) == _WHOLE and word[0] in _SURNAMES:
            self._surnames[word[0]] += 1
            self._first[word[1]] += 1
            self._second[word[2]] += 1
            self._people += 1
        elif flag == "nrt" and len(word) >= _WHOLE:
            self._foreign.update(word)
            self._in_foreign += len(word)
        elif frequency >= _FREQUENT and flag[:2] not in _NAMING:
            self._common.update(word)
            self._in_common += len(word)

    def person(self, name: str) -> float:
        """Log-probability of ``name`` among people's names; minus infinity for what no surname begins."""
        size = surname_size(name)
        if not size or not 1 <= len(name) - size <= 2:
            return -math.inf
        given = name[size:]
        surname = _COMPOUND_ODDS if size == 2 else self._log(self._surnames, name[0])
        if len(given) == 1:
            return surname + _ONE_GIVEN + self._log(self._second, given)
        return surname + _TWO_GIVEN + self._log(self._first, given[0]) + self._log(self._second, given[1])

    def foreign(self, word: str) -> float:
        """How much likelier a character of ``word`` is in transcribed names than in words: mean of the log-ratios.

        Minus infinity if one of them is hardly found in such names.
        """
        names, words = (size + _SMOOTHING * _CHARACTERS for size in (self._in_foreign, self._in_common))
        ratios = [
            math.log((self._foreign[char] + _SMOOTHING) / names) - math.log((self._common[char] + _SMOOTHING) / words)
            for char in word
        ]
        return sum(ratios) / len(word) if min(ratios) > _HARDLY else -math.inf

    def _log(self, counts: Counter[str], char: str) -> float:
        return math.log((counts[char] + _SMOOTHING) / (self._people + _SMOOTHING * _CHARACTERS))


def surname_size(word: str) -> int:
    """How many characters of ``word`` are its surname, if it begins with one; else 0."""
    if word[:2] in _COMPOUND:
        return 2
    return int(word[:1] in _SURNAMES)
