from __future__ import annotations

import spacy

from services.perception.adapters.spacy_model import DEFAULT_MODEL
from services.perception.bootstrap import Models

SENTENCES = [
    "Which engines does Rolls-Royce offer for the A350, and what do they cost in Europe?",
    "Does the award of compensation under Article 82 also require that the applicant must have suffered harm?",
    "How come the Paris office ignored what Siemens told Angela Brown last Tuesday",
]


def test_numpys_products_give_the_tags_and_names_that_spacys_own_give(models: Models) -> None:
    plain = spacy.load(DEFAULT_MODEL)
    for sentence in SENTENCES:
        doc = plain(sentence)
        tokens, entities = models.english.tag(sentence)
        assert [token.tag for token in tokens] == [token.tag_ for token in doc]
        assert [(e.start, e.end) for e in entities] == [(e.start_char, e.end_char) for e in doc.ents]
    assert not any(node.ops.use_blis for node in models.english._nlp.get_pipe("tok2vec").model.walk())
    assert any(node.ops.use_blis for node in plain.get_pipe("tok2vec").model.walk())
