"""Numbers that name or order things instead of measuring them: versions in lists, classes, days, ordinals."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from services.validation.domain.reading.names import Name
from services.validation.domain.reading.patterns import Pattern
from services.validation.domain.times.moments import Moment

_AND = r"(?:\s*(?:,|/|、|\band\b|\bor\b|\bto\b|\bthrough\b|&|和|或|与|及|至|-)\s*(?:and\s+|or\s+)?(?:the\s+)?)"
# TLS 1.2 and 1.3; codes E21 and 24: a list that goes on in the shape of the name's number.
_VERSIONS = re.compile(rf"(?:{_AND}(?P<n>\d+(?:\.\d+)+)(?![\d%°]|\s?[%°]))")
_NOUNS = (
    r"versions?|releases?|editions?|revisions?|class(?:es)?|grades?|categor(?:y|ies)|types?|groups?|tiers?|stages?"
    r"|phases?|steps?|levels?|tables?|figures?|chapters?|parts?|sections?|lanes?|gates?|tracks?|platforms?|lines?"
    r"|rooms?|options?|zones?|questions?|items?|numbers|nos?\.|codes?|routes?|days?|weeks?|pages?|lots?|units?"
)
# Classes 1 and 2; versions, 1.0 and 1.1; grade 3.
_LISTED = Pattern(
    rf"\b(?:{_NOUNS}),?\s+(?P<l>(?:[IVX]+|\d+(?:\.\d+)*)(?:{_AND}(?:[IVX]+|\d+(?:\.\d+)*))*)(?![\d%°]|\s?[%°])", re.I
)
_ENDS_IN_VERSION = re.compile(r"\d\.\d+$")
_OF_VERSIONS = Pattern(r"\bversions?\b|\breleases?\b|版本?", re.I)
_VERSION_NUMBER = re.compile(r"(?<![\d.])\d+(?:\.\d+){1,3}(?![\d.])")
# "7.1 Baggage is covered ...": the number of a provision before its text.
_CLAUSE_NUMBER = re.compile(
    r"(?:^|[.;。；]\s+)\s*(?P<n>\d{1,2}(?:\.\d{1,2})+)[.．]?\s+(?=[A-Z][a-z]+\s+[a-z]|[\u4e00-\u9fff]{2})"
)
_THREE_PARTS = Pattern(r"(?<![\d.])\d+(?:\.\d+){2,}(?![\d.]*\d)")
_HAN_LISTED = re.compile(r"第\s*\d+(?P<l>(?:\s*(?:、|和|与|及|至|到|-|~|,)\s*第?\s*\d+)*)")
_HAN_GRADES = re.compile(
    r"[一二三四五六七八九](?:(?:、|和|与|及|至)[一二三四五六七八九])*(?=[、和与及至][一二三四五六七八九][级类等档])"
)
# On 12 and 13 October; September 28 to 30; 9月28、29日.
_DAYS_BEFORE = re.compile(
    r"(?<![\d.])\d{1,2}(?:\s*(?:,|-|/|&|、|and|to|or|和|至|与|到)\s*\d{1,2})*\s*(?:,|-|/|&|、|and|to|or|和|至|与|到)\s*$"
)
_DAYS_AFTER = re.compile(
    r"(?:\s*(?:,|-|/|&|、|and|to|or|和|至|与|到)\s*\d{1,2}(?:[日号]|(?![\d.,:%]|\s?[a-z%°\u4e00-\u9fff]|[.:]\d)))+",
    re.I,
)
# October, the 12th and 13th.
_ENGLISH_ORDINAL = Pattern(r"\b\d+(?:st|nd|rd|th)\b|\b\d{1,2}(?=\s?o'clock)", re.I)
# In the 1990s; the s is no second.
_DECADE = Pattern(r"(?<![\d.,])1[5-9]\d0'?s\b|(?<![\d.,])20[0-4]0'?s\b")
_UNIT_NEXT = re.compile(
    r"\s?(?:-\s?)?(?:hours?|days?|weeks?|months?|years?|minutes?|seconds?|percent|per\b|points?|times|million|billion"
    r"|thousand|(?:[kmc]?m|[mkμ]?g|m?l|h|s|d|ms|[kmgt]b|[km]?w|v|k?a|[km]?hz|t|ha|k?pa|bar|ppm|db|eur|usd)(?![a-z])|[%°])",
    re.I,
)


def designations(text: str, names: Sequence[Name], moments: Sequence[Moment]) -> Iterator[tuple[int, int]]:
    """The spans of numbers that are no quantities."""
    for name in names:
        if name.strict and _ENDS_IN_VERSION.search(text, name.start, name.end):
            end = name.end
            while match := _VERSIONS.match(text, end):
                yield match.span("n")
                end = match.end()
    for moment in moments:
        if moment.kind == "day" and (before := _DAYS_BEFORE.search(text[: moment.start])):
            yield before.start(), moment.start
        if moment.kind in ("day", "month") and (after := _DAYS_AFTER.match(text, moment.end)):
            yield after.span()
    for match in _LISTED.finditer(text):
        plural = text[match.start() : match.start("l")].rstrip(" ,")[-1:] in "sS"
        if (match["l"].isdigit() and plural) or _UNIT_NEXT.match(text, match.end("l")):
            continue
        yield match.span("l")
    if _OF_VERSIONS.search(text):
        for match in _VERSION_NUMBER.finditer(text):
            if match.group().count(".") > 1 or re.search(
                r"(?:versions?|releases?|版本?|v)\s?$", text[: match.start()], re.I
            ):
                yield match.span()
    for match in _HAN_LISTED.finditer(text):
        yield match.span()
    for match in _CLAUSE_NUMBER.finditer(text):
        yield match.span("n")
    for match in _THREE_PARTS.finditer(text):
        yield match.span()
    for match in _HAN_GRADES.finditer(text):
        yield match.span()
    for pattern in (_ENGLISH_ORDINAL, _DECADE):
        for match in pattern.finditer(text):
            yield match.span()
