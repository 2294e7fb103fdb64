from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import spacy

from services.perception.adapters.flat_network import flatten_networks
from services.perception.adapters.spacy_model import _UNUSED, DEFAULT_MODEL

TEXTS = (
    "Which A320neo bulletins did Airbus replace after 3 May 2024?",
    "who",
    "Does Article 82 of [the GDPR] require, in addition to an infringement, that an applicant has suffered harm?\n  ok",
)


@pytest.fixture(scope="module")
def pipelines() -> tuple[spacy.Language, spacy.Language]:
    plain, flat = (spacy.load(DEFAULT_MODEL, exclude=_UNUSED) for _ in range(2))
    assert flatten_networks(flat) == 2
    return plain, flat


@pytest.mark.parametrize("text", TEXTS)
def test_vectors_tags_and_names_stay_the_same(pipelines: tuple[spacy.Language, spacy.Language], text: str) -> None:
    theirs, own = (nlp(text) for nlp in pipelines)
    assert np.allclose(theirs.tensor, own.tensor, atol=1e-3)
    assert [t.tag_ for t in theirs] == [t.tag_ for t in own]
    assert [(e.start, e.end, e.label_) for e in theirs.ents] == [(e.start, e.end, e.label_) for e in own.ents]


def test_a_text_without_words_is_read(pipelines: tuple[spacy.Language, spacy.Language]) -> None:
    assert len(pipelines[1]("")) == 0


def test_a_network_of_another_shape_is_left_alone() -> None:
    nlp = spacy.blank("en")
    nlp.add_pipe("sentencizer")
    assert flatten_networks(nlp) == 0


def test_spacy_comes_without_its_command_line_and_can_still_have_it() -> None:
    script = (
        "import sys, services.perception.adapters, spacy; assert 'spacy.cli' not in sys.modules; "
        "import spacy.cli; assert spacy.cli.app; print('fine')"
    )
    run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert run.stdout.strip() == "fine", run.stderr
