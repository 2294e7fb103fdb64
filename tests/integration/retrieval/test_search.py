"""Searching a real Milvus server through the service's contract."""

from __future__ import annotations

import itertools

import grpc
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.integration.retrieval.parts import RetrievalProcess, day, document, ids
from trirag.retrieval.v1 import knowledge_base_pb2 as kb_pb2
from trirag.retrieval.v1 import retrieval_pb2

TYPES = ("DENSE", "KEYWORD", "HYBRID", "TWO_STAGE")
OK = retrieval_pb2.TASK_STATUS_OK


@pytest.fixture(scope="module")
def base(service: RetrievalProcess) -> str:
    """A knowledge base of runbooks in both languages."""
    summary = service.ingest(
        "runbooks",
        [
            document(
                "# Pump\n\n## E4027\n\nE4027 means the pump pressure is low. Open valve 3.",
                document_id="e4027",
                title="E4027",
            ),
            document(
                "# Pump\n\n## E4072\n\nE4072 means the pump pressure is high. Close valve 3.",
                document_id="e4072",
                title="E4072",
            ),
            document("报警代码ALM-209表示冷却水温度过高，应当停机检查。", document_id="alm209", title="报警处理"),
            document("Under § 1013.2(e)(1) a lease exceeds four months.", document_id="lease", title="Leases"),
            document(
                'A "quoted" heading\n\n## It\'s "odd" \\ here\n\nStrange heading body.', document_id="odd", title="Odd"
            ),
        ],
    )
    assert summary.created == 5
    return "runbooks"


@pytest.mark.parametrize("kind", TYPES)
def test_every_type_finds_the_passage_and_explains_it(service: RetrievalProcess, base: str, kind: str) -> None:
    result = service.search(base, "pump pressure is low", kind)
    assert result.status == OK
    assert ids(result)[0] == "e4027"
    hit = result.hits[0]
    assert hit.rank == 1
    assert hit.components
    assert hit.version_choice == "only_version"
    assert "in force on" in result.filter_description


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("E4027", "e4027"),
        ("E4072", "e4072"),
        ("ALM-209", "alm209"),
        ("alm209", "alm209"),
        ("1013.2(e)", "lease"),
        ("冷却水温度", "alm209"),
    ],
)
def test_codes_and_chinese_words_are_found_exactly(
    service: RetrievalProcess, base: str, query: str, expected: str
) -> None:
    result = service.search(base, query, "KEYWORD")
    assert ids(result)[0] == expected
    if query.startswith("E40"):
        assert set(ids(result)) == {expected}


def test_a_chunk_is_the_exact_stretch_of_the_stored_text(service: RetrievalProcess, base: str) -> None:
    for hit in service.search(base, "pump pressure valve lease 停机", top_k=20).hits:
        stored = service.bases.GetDocument(
            kb_pb2.GetDocumentRequest(knowledge_base=base, document_id=hit.chunk.document.document_id), timeout=5
        )
        assert stored.text[hit.chunk.span.start : hit.chunk.span.end] == hit.chunk.text
        assert hit.chunk.token_count > 0


def test_tasks_have_a_status_each(service: RetrievalProcess, base: str) -> None:
    tasks = [
        retrieval_pb2.SearchTask(task_id="good", knowledge_base=base, query="pump"),
        retrieval_pb2.SearchTask(task_id="none", knowledge_base="absent", query="pump"),
        retrieval_pb2.SearchTask(
            task_id="bad", knowledge_base=base, query="pump", filter=retrieval_pb2.SearchFilter(heading="\x00")
        ),
    ]
    response = service.retrieval.Search(retrieval_pb2.SearchRequest(tasks=tasks), timeout=10)
    assert [result.task_id for result in response.results] == ["good", "none", "bad"]
    assert [result.status for result in response.results] == [
        OK, retrieval_pb2.TASK_STATUS_NOT_FOUND, retrieval_pb2.TASK_STATUS_INVALID,
    ]  # fmt: skip
    assert "absent" in response.results[1].message
    assert response.embedding_model == "bag-of-words"


@pytest.mark.parametrize(
    "value",
    ['x"] or access_key != "', 'x" or 1 == 1 or "', "x' or '1'=='1", "a\\", 'a\\" or revision != "', "a\nb", "%", "*"],
)
def test_filter_values_are_data_and_nothing_else(service: RetrievalProcess, base: str, value: str) -> None:
    for chosen in (
        retrieval_pb2.SearchFilter(document_ids=[value]),
        retrieval_pb2.SearchFilter(heading=value),
        retrieval_pb2.SearchFilter(versions=[value]),
    ):
        result = service.search(base, "pump", filter=chosen)
        assert (result.status, len(result.hits)) == (OK, 0)


def test_filters_select(service: RetrievalProcess, base: str) -> None:
    assert ids(service.search(base, "pump", filter=retrieval_pb2.SearchFilter(document_ids=["e4072"]))) == ["e4072"]
    odd = retrieval_pb2.SearchFilter(heading='It\'s "odd" \\ here')
    assert set(ids(service.search(base, "strange", filter=odd))) == {"odd"}
    assert set(ids(service.search(base, "pump", filter=retrieval_pb2.SearchFilter(languages=["zh"])))) == {"alm209"}
    assert ids(service.search(base, "pump", filter=retrieval_pb2.SearchFilter(min_authority=4))) == []


@pytest.mark.parametrize("kind", TYPES)
def test_overlapping_versions_are_settled_by_the_filter(service: RetrievalProcess, kind: str) -> None:
    common = {"title": "Password rule", "doc_type": "standard"}
    service.ingest(
        "versions",
        [
            document(
                "Passwords have twelve characters.",
                document_id="new",
                effective_from="2020-09-23",
                supersedes="old",
                **common,
            ),
            document(
                "Passwords have eight characters.",
                document_id="old",
                effective_from="2013-04-30",
                effective_to="2021-09-22",
                **common,
            ),
            document(
                "Passwords have twenty characters.",
                document_id="next",
                effective_from="2090-01-01",
                supersedes="new",
                **common,
            ),
        ],
    )

    def found(**chosen: object) -> set[str]:
        return set(
            ids(service.search("versions", "passwords characters", kind, filter=retrieval_pb2.SearchFilter(**chosen)))
        )  # type: ignore[arg-type]

    assert found() == {"new"}
    assert found(in_force_on=day("2021-01-01")) == {"new"}
    assert found(in_force_on=day("2020-09-22")) == {"old"}
    assert found(in_force_on=day("2091-01-01")) == {"next"}
    assert found(include_superseded=True) == {"old", "new", "next"}
    result = service.search("versions", "passwords", kind)
    assert result.hits[0].version_choice == "in_force"


def test_deleting_a_version_gives_the_one_before_its_days_back(service: RetrievalProcess) -> None:
    service.ingest(
        "unversioned",
        [
            document("Rule one.", document_id="one", effective_from="2020-01-01"),
            document("Rule two.", document_id="two", effective_from="2022-01-01", supersedes="one"),
        ],
    )
    assert ids(service.search("unversioned", "rule")) == ["two"]
    service.bases.DeleteDocument(
        kb_pb2.DeleteDocumentRequest(knowledge_base="unversioned", document_id="two"), timeout=10
    )
    assert ids(service.search("unversioned", "rule")) == ["one"]


@pytest.mark.parametrize("kind", TYPES)
def test_access_groups_bound_every_way_to_read(service: RetrievalProcess, kind: str) -> None:
    service.ingest(
        "salaries",
        [
            document("Salary bands are public knowledge here.", document_id="open", title="Open"),
            document("Salary bands of managers are secret.", document_id="hr", title="HR", access_groups="hr,board"),
            document("Salary bands of auditors are secret.", document_id="audit", title="Audit", access_groups="audit"),
        ],
    )
    assert set(ids(service.search("salaries", "salary bands", kind))) == {"open"}
    assert set(ids(service.search("salaries", "salary bands", kind, groups="hr"))) == {"open", "hr"}
    assert set(ids(service.search("salaries", "salary bands", kind, groups="audit board"))) == {"open", "hr", "audit"}
    forced = retrieval_pb2.SearchFilter(document_ids=["hr"], include_superseded=True)
    assert ids(service.search("salaries", "salary bands", kind, filter=forced)) == []


def test_hidden_documents_do_not_exist_for_others(service: RetrievalProcess) -> None:
    service.ingest(
        "hidden", [document("Secret words.", document_id="s", access_groups="hr"), document("Open.", document_id="o")]
    )
    chunk = service.search("hidden", "secret", groups="hr").hits[0].chunk.chunk_id
    request = retrieval_pb2.GetChunksRequest(knowledge_base="hidden", chunk_ids=[chunk, "nothing#0"])
    denied = service.retrieval.GetChunks(request, timeout=5)
    assert (len(denied.chunks), list(denied.missing)) == (0, [chunk, "nothing#0"])
    allowed = service.retrieval.GetChunks(request, timeout=5, metadata=(("x-trirag-groups", "hr"),))
    assert [found.chunk_id for found in allowed.chunks] == [chunk]
    listed = service.bases.ListDocuments(kb_pb2.ListDocumentsRequest(knowledge_base="hidden"), timeout=5)
    assert [entry.metadata.document_id for entry in listed.documents] == ["o"]
    for call in (
        lambda: service.bases.GetDocument(
            kb_pb2.GetDocumentRequest(knowledge_base="hidden", document_id="s"), timeout=5
        ),
        lambda: service.bases.DeleteDocument(
            kb_pb2.DeleteDocumentRequest(knowledge_base="hidden", document_id="s"), timeout=5
        ),
    ):
        with pytest.raises(grpc.RpcError) as caught:
            call()
        assert caught.value.code() is grpc.StatusCode.NOT_FOUND


def test_parent_expansion_returns_the_section(service: RetrievalProcess, base: str) -> None:
    filler = "and of much else that makes it long enough to stand alone " * 4
    text = "# S\n\n" + "\n\n".join(f"Article {n} speaks of item{n} {filler}." for n in range(1, 6))
    service.ingest("parents", [document(text, document_id="p")])
    plain = service.search("parents", "item3", "KEYWORD").hits[0].chunk
    wide = service.search("parents", "item3", "KEYWORD", expand_parent=True).hits[0].chunk
    assert "item3" in plain.text and "item1" not in plain.text
    assert "item1" in wide.text and "item5" in wide.text
    assert wide.text == text[wide.span.start : wide.span.end]


@pytest.mark.parametrize(
    ("task", "field"),
    [
        ({"query": ""}, "query"),
        ({"query": "x" * 4001}, "query"),
        ({"query": "x", "top_k": 500}, "top_k"),
        ({"query": "x", "filter": retrieval_pb2.SearchFilter(in_force_on=day("2024-02-30"))}, "in_force_on"),
        ({"query": "x", "filter": retrieval_pb2.SearchFilter(min_authority=9)}, "min_authority"),
    ],
)
def test_bad_requests_name_the_field(service: RetrievalProcess, task: dict, field: str) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        service.search("runbooks", **task)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert field in caught.value.details()


GROUPS = ("a", "b", "c")


@pytest.fixture(scope="module")
def guarded(service: RetrievalProcess) -> dict[str, frozenset[str]]:
    """A document for every set of groups, all on the same words."""
    sets = [frozenset(chosen) for size in range(4) for chosen in itertools.combinations(GROUPS, size)]
    named = {f"for-{''.join(sorted(groups)) or 'all'}": groups for groups in sets}
    service.ingest(
        "guarded",
        [
            document(
                f"The shared words of {name}.",
                document_id=name,
                **({"access_groups": ",".join(groups)} if groups else {}),
            )
            for name, groups in named.items()
        ],
    )
    return named


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.frozensets(st.sampled_from([*GROUPS, "d"])), st.sampled_from([*TYPES, "UNSPECIFIED"]), st.booleans())
def test_no_hit_is_ever_outside_the_callers_groups(
    service: RetrievalProcess,
    guarded: dict[str, frozenset[str]],
    groups: frozenset[str],
    kind: str,
    rerank: bool,
) -> None:
    allowed = {name for name, required in guarded.items() if not required or required & groups}
    for _ in range(2):  # the second answer comes from the cache
        result = service.search(
            "guarded", "shared words", kind, groups=" ".join(sorted(groups)), top_k=50, rerank=rerank
        )
        assert set(ids(result)) == allowed
    assert result.cached


def test_a_write_makes_cached_results_unreachable(service: RetrievalProcess) -> None:
    service.ingest("cached", [document("zebras here", document_id="a")])
    assert not service.search("cached", "zebras").cached
    assert service.search("cached", "zebras").cached
    service.ingest("cached", [document("more zebras here", document_id="b")])
    result = service.search("cached", "zebras")
    assert (result.cached, set(ids(result))) == (False, {"a", "b"})


def test_reranked_hits_show_what_their_score_is_made_of(service: RetrievalProcess, base: str) -> None:
    hit = service.search(base, "E4072", rerank=True).hits[0]
    parts = {component.name: component.score for component in hit.components}
    assert hit.chunk.document.document_id == "e4072"
    assert parts["rerank.codes"] == 1.0
    assert parts["rerank"] == hit.score


def test_of_all_versions_the_one_of_the_day_that_the_question_names_comes_first(service: RetrievalProcess) -> None:
    text = "# Leases\n\nThe threshold of a consumer lease is {} dollars."
    dates = {"t12": ("2012-01-01", "51,800"), "t13": ("2013-01-01", "53,000"), "t14": ("2014-01-01", "53,500")}
    service.ingest(
        "thresholds",
        [
            document(text.format(amount), document_id=name, title="Leases", version=name, effective_from=start)
            for name, (start, amount) in dates.items()
        ],
    )
    everything = retrieval_pb2.SearchFilter(include_superseded=True)
    for question, expected in (
        ("What was the threshold of a lease in March 2012?", "t12"),
        ("On 2013-06-15, what was the threshold of a lease?", "t13"),
        ("2014年5月的租赁门槛金额是多少？", "t14"),
    ):
        hits = service.search("thresholds", question, rerank=True, filter=everything).hits
        assert hits[0].chunk.document.document_id == expected
        parts = [{c.name: c.score for c in hit.components} for hit in hits]
        assert [part.get("rerank.in_force_then") for part in parts] == [1.0, None, None]


def test_a_hit_tells_that_it_holds_a_value_of_the_unit_asked_for(service: RetrievalProcess) -> None:
    service.ingest(
        "values",
        [
            document("Records are kept in the archive of the court.", document_id="where", title="Records"),
            document("Records are kept for six months.", document_id="how_long", title="Records kept"),
        ],
    )
    hits = service.search("values", "How long are records kept?", rerank=True).hits
    told = {hit.chunk.document.document_id: {c.name for c in hit.components} for hit in hits}
    assert "rerank.units" in told["how_long"]
    assert "rerank.units" not in told["where"]
