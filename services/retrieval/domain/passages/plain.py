"""Markdown without its marks: what the embedder and the keyword index read. Spans never refer to it."""

from __future__ import annotations

import html
import re

_LINK = re.compile(r"!?\[([^\]\n]{0,1000})\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+\"[^\"]*\")?\)")
_AUTOLINK = re.compile(r"<(?:https?://|mailto:)[^>\s]{0,2000}>")
_HEADING_MARK = re.compile(r"^[ \t]*#{1,6}[ \t]+", re.MULTILINE)
_ATTRIBUTE = re.compile(r"(?<![ \t])[ \t]*\{#[^}\n]{0,200}\}[ \t]*$", re.MULTILINE)
_RULE_ROW = re.compile(r"^[ \t]*(?:\|[ \t]*)?:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{2,}:?[ \t]*)*(?:\|[ \t]*)?$", re.MULTILINE)
_PIPE = re.compile(r"(?<![ \t])[ \t]*\|[ \t]*")
_EMPHASIS = re.compile(r"\*{1,3}(?=\S)([^*\n]+?)(?<=\S)\*{1,3}")
_CODE_MARK = re.compile(r"`+")
_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9]*(?:\s[^<>]*)?/?>|<!--.*?-->", re.DOTALL)
_SPACES = re.compile(r"[ \t]{2,}")
_BREAKS = re.compile(r"\n{2,}")


def plain_text(markdown: str) -> str:
    """``markdown`` without emphasis, links' targets, heading and table marks, tags and entities.

    Text that has none of these comes back unchanged but for doubled blank lines.
    """
    text = markdown
    if "[" in text:
        text = _LINK.sub(r"\1", text)
    if "<" in text:
        text = _TAG.sub(" ", _AUTOLINK.sub(" ", text))
    if "#" in text:
        text = _ATTRIBUTE.sub("", _HEADING_MARK.sub("", text))
    if "|" in text:
        text = _PIPE.sub(" ", _RULE_ROW.sub("", text))
    if "*" in text:
        text = _EMPHASIS.sub(r"\1", text)
    if "`" in text:
        text = _CODE_MARK.sub("", text)
    if "&" in text:
        text = html.unescape(text)
    return _BREAKS.sub("\n", _SPACES.sub(" ", text)).strip()


def embedding_text(context: str, text: str) -> str:
    """What is embedded for a chunk: its context (title, headings) on a line of its own, then its plain text."""
    body = plain_text(text)
    return f"{context}\n{body}" if context else body
