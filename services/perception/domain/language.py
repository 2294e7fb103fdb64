"""Which language each stretch of a question is in, and what the question as a whole counts as."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping

from services.perception.domain.text import is_cjk

UNDETERMINED = "und"
_SCRIPTS = (
    ("HIRAGANA", "ja"), ("KATAKANA", "ja"), ("HANGUL", "ko"), ("CYRILLIC", "ru"), ("ARABIC", "ar"),
    ("HEBREW", "he"), ("GREEK", "el"), ("DEVANAGARI", "hi"), ("THAI", "th"),
)  # fmt: skip
# One character of these says as much as three letters, and a Latin stretch among them is mostly a name or a code.
_DENSE = frozenset({"zh", "ja", "ko"})
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
# English words that people drop into Chinese sentences as words; names, codes and abbreviations do not count.
_PLAIN_WORD = re.compile(r"(?<![A-Za-z0-9._/-])[a-z]{3,}(?![A-Za-z0-9_/])")


def spans_of(text: str, function_words: Mapping[str, frozenset[str]]) -> list[tuple[str, int, int]]:
    """Stretches of one language as (language, start, end); blanks and marks go with what stands before them."""
    runs: list[tuple[str, int, int]] = []
    for index, char in enumerate(text):
        script = _script(char)
        if script is None or (script == "digit" and runs):
            if runs:
                runs[-1] = (runs[-1][0], runs[-1][1], index + 1)
            else:
                runs.append(("", 0, index + 1))
            continue
        if runs and runs[-1][0] in ("", script):
            runs[-1] = (script, runs[-1][1], index + 1)
        else:
            runs.append((script, index, index + 1))
    kana = any(script == "ja" for script, _, _ in runs)
    stretches: list[tuple[str, int, int]] = []
    for script, start, end in runs:
        language = _language(text[start:end], script, kana, function_words)
        if stretches and stretches[-1][0] == language:
            start = stretches.pop()[1]
        stretches.append((language, start, end))
    return stretches


def question_language(text: str, spans: list[tuple[str, int, int]]) -> str:
    """``zh``, ``en``, ``mixed`` or another ISO 639-1 code; ``und`` where no letter tells."""
    weight: dict[str, int] = {}
    for language, start, end in spans:
        weight[language] = weight.get(language, 0) + (end - start) * (3 if language in _DENSE else 1)
    weight.pop(UNDETERMINED, None)
    if not weight:
        return UNDETERMINED
    main = max(sorted(weight), key=lambda language: weight[language])
    if "zh" in weight and (main == "zh" or weight["zh"] >= 6):
        english = [text[start:end] for language, start, end in spans if language == "en"]
        return "mixed" if any(_PLAIN_WORD.search(part) for part in english) else "zh"
    return main


def _script(char: str) -> str | None:
    if char.isascii():
        return "latin" if char.isalpha() else ("digit" if char.isdigit() else None)
    if is_cjk(char) and char not in "。、《》【】":
        return "zh"
    if char.isdigit():
        return "digit"
    if not char.isalpha():
        return None
    name = unicodedata.name(char, "")
    if name.startswith("LATIN"):
        return "latin"
    return next((language for prefix, language in _SCRIPTS if name.startswith(prefix)), UNDETERMINED)


def _language(part: str, script: str, kana: bool, function_words: Mapping[str, frozenset[str]]) -> str:
    if script == "zh":
        return "ja" if kana else "zh"
    if script in ("", "digit"):
        return UNDETERMINED
    if script != "latin":
        return script
    words = [word.casefold() for word in _WORD.findall(part)]
    counts = {language: sum(1 for word in words if word in known) for language, known in function_words.items()}
    best = max(sorted(counts), key=lambda language: counts[language], default="en")
    if counts.get(best, 0) <= counts.get("en", 0):
        return "en"
    telling = any(not word.isascii() and word in function_words[best] for word in words)  # no English word looks so
    return best if counts[best] >= 2 or telling else "en"
