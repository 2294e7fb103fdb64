"""One spelling for English words that are spelt in two ways: colour and color, licence and license, organize."""

from __future__ import annotations

import re

_OR = re.compile(
    r"(?P<a>(?:col|lab|harb|hon|fav|behavi|neighb|hum|rum|vap|od|flav|endeav|arm|vig|tum|parl|sav|splend|cand|clam|ferv"
    r"|val|ranc|rig|succ|savi))our(?P<z>(?:s|ed|ing|er|ers|able|ably|al|ful|fully|less|hood|hoods|ite|ites|y|ly)?)"
)
# Verbs in -ize, also their nouns; "size" and the like are no such verbs.
_IZE = re.compile(r"(?P<a>[a-z]{3,})iz(?P<z>e|es|ed|er|ers|ing|able|ation|ations)")
_NO_VERBS = re.compile(r"(?:cap|down|re|up|over|under|out)?siz.*|.*(?:pri|sei|mai|wi)z.*|citiz.*|horiz.*")
_LYZE = re.compile(r"(?P<a>(?:ana|para|cata|hydro|dia|electro))lyz(?P<z>e|es|ed|er|ers|ing)")
_RE = re.compile(r"(?P<a>cent|theat|lit|kilomet|centimet|millimet|met|fib|calib|spect|somb|meag|lust|sab)re(?P<z>s?)")
_ENCE = re.compile(r"(?P<a>lic|def|off|pret)ence(?P<z>s|d|less)?")
_OTHER = {
    "licencing": "licensing", "programme": "program", "programmes": "programs", "catalogue": "catalog",
    "catalogues": "catalogs", "dialogue": "dialog", "dialogues": "dialogs", "aluminium": "aluminum",
    "judgement": "judgment", "judgements": "judgments", "grey": "gray", "mould": "mold", "moulds": "molds",
    "mouldy": "moldy", "kerb": "curb", "kerbs": "curbs", "plough": "plow", "ploughs": "plows",
    "sceptical": "skeptical", "practise": "practice", "practises": "practices", "practised": "practiced",
    "practising": "practicing", "enrol": "enroll", "enrols": "enrolls", "enrolment": "enrollment",
    "enrolments": "enrollments", "instalment": "installment", "instalments": "installments",
    "jewellery": "jewelry", "acknowledgement": "acknowledgment", "ageing": "aging", "manoeuvre": "maneuver",
    "manoeuvres": "maneuvers", "paediatric": "pediatric", "anaesthetic": "anesthetic", "tyre": "tire",
    "tyres": "tires", "skilful": "skillful", "pyjamas": "pajamas", "moustache": "mustache", "artefact": "artifact",
    "artefacts": "artifacts", "cosy": "cozy", "storeys": "stories", "cheques": "checks", "cheque": "check",
}  # fmt: skip


def one_spelling(word: str) -> str:
    """The word in lower case as one of its two spellings; a word with one spelling as it is."""
    other = _OTHER.get(word)
    if other is not None:
        return other
    for pattern, middle in ((_OR, "or"), (_RE, "er"), (_ENCE, "ense"), (_LYZE, "lys")):
        match = pattern.fullmatch(word)
        if match is not None:
            return f"{match['a']}{middle}{match['z'] or ''}"
    verb = _IZE.fullmatch(word)
    if verb is not None and _NO_VERBS.fullmatch(word) is None:
        return f"{verb['a']}is{verb['z']}"
    return word
