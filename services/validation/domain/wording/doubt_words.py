"""Words that leave something open: a cause not established, a reason still unclear."""

import re

UNKNOWN = re.compile(
    r"\bunclear\b|\bunknown\b|\bundetermined\b|\bunexplained\b|\bremains? (?:open|a mystery)\b"
    r"|\b(?:not|n't|never|nobody|no one|no)\b(?: \w+){0,3}? (?:known|knows|established|clear|determined|identified"
    r"|found|explained|clarified|confirmed)\b|\byet to be \w+ed\b|\b(?:is|are|remains?|still) (?:being |under )"
    r"(?:investigat\w+|examin\w+)"
    r"|不明|不详|未知|未(?:能)?(?:查明|查清|确定|明确|弄清|找到|证实)|(?:不|没有?|尚未|还没)(?:清楚|明确|查明|查清|确定|弄清)"
    r"|有待(?:查明|调查|确认|查清)|待查"
)
