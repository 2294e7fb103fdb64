"""Whether a sentence tells to do something: a step of a procedure, or a duty."""

from __future__ import annotations

import re

from services.validation.domain.analysis import Analysis

_STEP = re.compile(
    r"^\W*(?:\d+[.)、]|step\b|first|then|next|finally|[-*•])|第[一二三四五六]步|首先|然后|最后|接着|"
    r"\b(?:open|press|click|check|remove|turn|select|wait|restart|replace|enter|connect|set|close|start|stop"
    r"|make sure|ensure|drain|install)\b"
    r"|请|应当?|须|需|先",
    re.I,
)


def tells_step(analysis: Analysis) -> bool:
    """True for an entry of a list, an order, a word of sequence or a modal word."""
    return bool(analysis.cues) or _STEP.search(analysis.low) is not None
