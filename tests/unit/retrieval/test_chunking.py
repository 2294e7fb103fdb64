"""Chunks are exact stretches of the text, follow its structure, and cut nothing that fits."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from services.retrieval.domain.passages.chunking import chunk_document
from services.retrieval.domain.passages.chunks import ChunkDraft, ChunkingRules, PageStart
from services.retrieval.domain.passages.structure import anchor_of


def _count(text: str) -> int:
    """A token for each word or Chinese character."""
    return sum(1 for word in text.split() for _ in (word if any("\u4e00" <= c <= "\u9fff" for c in word) else [0]))


def _chunks(text: str, *, target: int = 40, maximum: int = 60, pages: tuple[PageStart, ...] = ()) -> list[ChunkDraft]:
    rules = ChunkingRules(target=target, maximum=maximum, anchor_pack=4, overlap=12)
    return chunk_document(text, title="Doc", count_tokens=_count, rules=rules, pages=pages)


def _texts(text: str, **sizes: int) -> list[str]:
    return [text[chunk.start : chunk.end] for chunk in _chunks(text, **sizes)]


def test_sections_are_cut_at_headings_and_carry_their_path() -> None:
    text = "# A\n\nintro\n\n## B {#b}\n\nbody b\n\n## C\n\nbody c\n"
    chunks = _chunks(text)
    assert [chunk.heading_path for chunk in chunks] == [("A",), ("A", "B"), ("A", "C")]
    assert [text[chunk.start : chunk.end] for chunk in chunks] == [
        "# A\n\nintro",
        "## B {#b}\n\nbody b",
        "## C\n\nbody c",
    ]


def test_chinese_articles_stay_whole_and_apart() -> None:
    article = "第{}条 " + "公司应当依法经营并接受监督。" * 2
    text = "## 第一章 总则\n\n" + "\n\n".join(article.format(n) for n in "一二三") + "\n\n前款规定适用。\n"
    parts = _texts(text, target=40, maximum=60)
    assert len(parts) == 3
    assert parts[1].startswith("第二条")
    assert parts[2].endswith("前款规定适用。")


def test_an_article_with_several_paragraphs_is_not_cut_if_it_fits() -> None:
    text = "Article 5 one two three four five\n\nsix seven eight nine ten\n\neleven twelve\n\n"
    text += "Article 6 other words here for it\n"
    parts = _texts(text, target=8, maximum=30)
    assert parts[0].startswith("Article 5") and parts[0].endswith("twelve")
    assert parts[1].startswith("Article 6")


def test_rows_of_requirements_are_units_and_carry_the_header_as_context() -> None:
    rows = "\n".join(
        f"| **2.1.{n}** | Verify that passwords are at least {n} long and more words | ✓ |" for n in range(1, 5)
    )
    text = f"## V2.1\n\n| # | Description | L1 |\n| --- | --- | --- |\n{rows}\n"
    chunks = _chunks(text, target=20, maximum=40)
    assert len(chunks) == 4
    assert all("# | Description | L1" in chunk.context for chunk in chunks[1:])
    assert text[chunks[3].start : chunks[3].end].startswith("| **2.1.4**")


def test_a_table_that_fits_stays_whole_and_a_long_one_is_split_at_rows() -> None:
    table = "| a | b |\n| --- | --- |\n" + "\n".join(f"| row {n} | value {n} |" for n in range(30))
    assert len(_texts(table, target=300, maximum=400)) == 1
    parts = _texts(table, target=40, maximum=60)
    assert len(parts) > 1
    assert all(line.count("|") == 3 for part in parts for line in part.split("\n"))


def test_a_huge_table_is_cut_without_being_measured_as_a_whole() -> None:
    table = "| id | remark |\n| --- | --- |\n" + "\n".join(f"| {n} | checked on day {n % 365} |" for n in range(20_000))
    measured: list[int] = []

    def count(text: str) -> int:
        measured.append(len(text))
        return len(text.split())

    rules = ChunkingRules(target=280, maximum=440)
    chunks = chunk_document(table, title="Doc", count_tokens=count, rules=rules)
    assert len(chunks) > 400 and all(c.token_count <= 440 for c in chunks)
    assert max(measured) <= 24 * 441
    assert sum(measured) <= 3 * len(table)


def test_code_is_not_read_as_structure() -> None:
    text = "# A\n\n```\n# not a heading\n| not | a table |\n```\n\nafter\n"
    assert [chunk.heading_path for chunk in _chunks(text)] == [("A",)]


def test_prose_is_cut_between_sentences_with_an_overlap() -> None:
    sentences = [f"Sentence number {n} has seven words here." for n in range(30)]
    parts = _texts(" ".join(sentences), target=40, maximum=60)
    assert len(parts) > 3
    assert all(part.startswith("Sentence") and part.endswith(".") for part in parts)
    assert parts[1].startswith(parts[0].rsplit("Sentence", 1)[1].join(["Sentence", ""]))


def test_abbreviations_do_not_end_a_sentence() -> None:
    text = "Use approved values, e.g. Those in annex A. " * 12
    assert not any(part.endswith("e.g.") for part in _texts(text, target=10, maximum=12))
    numbered = "Report form no. 7 is kept for ever. " * 12
    assert all(part.endswith("ever.") for part in _texts(numbered, target=10, maximum=12))
    dated = "The form was filed on Sept. 1, 2024. " * 12
    assert all(part.endswith("2024.") for part in _texts(dated, target=10, maximum=12))
    assert _texts("They said no. " * 30, target=10, maximum=12)[0].endswith("no.")


def test_front_matter_and_comments_are_stored_but_not_chunked() -> None:
    text = "---\ntitle: x\neffective_date: 2014-01-01\n---\n\n<!-- INFO -->\n\nBody text.\n"
    assert _texts(text) == ["Body text."]


def test_pages_are_those_where_a_chunk_begins() -> None:
    text = "# A\n\nfirst\n\n# B\n\nsecond\n"
    chunks = _chunks(text, pages=(PageStart(0, 1), PageStart(text.index("# B"), 2)))
    assert [chunk.page for chunk in chunks] == [1, 2]


def test_parents_cover_their_chunks() -> None:
    text = "# A\n\n" + " ".join(f"Sentence number {n} has seven words here." for n in range(30))
    for chunk in _chunks(text):
        assert chunk.parent_start <= chunk.start < chunk.end <= chunk.parent_end


def test_the_steps_of_a_procedure_stay_together_with_what_introduces_them() -> None:
    steps = "\n\n".join(f"{n}. Open valve {n} slowly and wait" for n in range(1, 6))
    text = f"{'Some words before it all. ' * 6}\n\nTo start the pump:\n\n{steps}\n\nOther words follow here now.\n"
    parts = _texts(text, target=25, maximum=60)
    [whole] = [part for part in parts if "valve 1" in part]
    assert whole.startswith("To start the pump:") and whole.endswith("Open valve 5 slowly and wait")


def test_code_and_words_between_two_steps_belong_to_the_procedure() -> None:
    text = "1. Stop the service\n\n```\nstop now\n```\n\n2. Copy the data over\n\nThis takes a while.\n\n"
    text += "3. Start it again\n\nAn unrelated paragraph of its own.\n"
    parts = _texts(text, target=8, maximum=60)
    assert parts[0].startswith("1. Stop") and parts[0].endswith("3. Start it again")
    assert parts[-1] == "An unrelated paragraph of its own."


def test_chinese_steps_stay_together_and_a_new_count_is_a_new_procedure() -> None:
    first = "\n\n".join(f"{n}、打开阀门并等待压力稳定" for n in "一二三四")
    second = "\n\n".join(f"{n}、关闭阀门并记录压力数值" for n in "一二三四")
    parts = _texts(f"{first}\n\n{second}\n", target=40, maximum=70)
    assert parts == [first, second]


def test_a_procedure_too_long_for_one_passage_is_cut_between_its_steps() -> None:
    text = "\n\n".join(f"{n}. " + f"step {n} has words " * 5 for n in range(1, 9))
    parts = _texts(text, target=50, maximum=60)
    assert len(parts) > 2
    assert all(part[0].isdigit() for part in parts)


_UNIT = st.one_of(
    st.integers(2, 9).map(lambda n: "\n\n".join(f"{i}. do step {i} now" for i in range(1, n))),
    st.integers(1, 9).map(lambda n: f"第{n}条 " + "公司应当依法经营。" * 2 + "\n\n前款规定适用于分公司。"),
    st.integers(1, 9).map(lambda n: f"2.1.{n} Verify that it holds\n\nMore words on this requirement."),
    st.integers(1, 9).map(lambda n: f"Q: What is item {n}?\n\nA: It is the answer number {n}."),
    st.just("```\nrun it\n\nand again\n```"),
    st.integers(2, 6).map(lambda n: "| a | b |\n| --- | --- |\n" + "\n".join(f"| r{i} | v{i} |" for i in range(n))),
)


@settings(max_examples=200, deadline=None)
@given(st.lists(_UNIT, min_size=1, max_size=6), st.integers(45, 80))
def test_a_requirement_an_article_or_a_procedure_is_never_cut_if_it_fits(units: list[str], maximum: int) -> None:
    text = "\n\nWords that stand between two units of a document.\n\n".join(units)
    parts = _texts(text, target=min(40, maximum), maximum=maximum)
    for unit in units:
        if _count(unit) <= maximum:
            assert any(unit in part for part in parts), unit


_LINE = st.sampled_from(
    ["# Heading", "## Sub heading", "A sentence of words. And another one! 还有中文。", "- item one", "| a | b |",
     "| - | - |",      "第一条 公司应当依法经营。", "2.1.1 Verify this.", "```", "", "", "    indented", "word " * 80,
     "无标点的长句子" * 20, "Setext", "---"]
)  # fmt: skip


@settings(max_examples=200, deadline=None)
@given(st.lists(_LINE, max_size=40).map("\n".join))
def test_every_word_is_in_a_chunk_and_no_chunk_is_too_long(text: str) -> None:
    chunks = _chunks(text)
    covered = bytearray(len(text))
    for chunk in chunks:
        assert 0 <= chunk.start < chunk.end <= len(text)
        assert text[chunk.start : chunk.end].strip()
        assert chunk.token_count <= 60
        covered[chunk.start : chunk.end] = b"\x01" * (chunk.end - chunk.start)
    assert [chunk.ordinal for chunk in chunks] == list(range(len(chunks)))
    if not text.startswith("---") and "```" not in text:
        lost = [text[i] for i in range(len(text)) if not covered[i] and not text[i].isspace()]
        assert not lost


def test_passages_are_no_longer_than_the_model_reads() -> None:
    rules = ChunkingRules(target=280, maximum=440)
    assert rules.within(512) == rules.within(8192) == rules
    assert (rules.within(256).target, rules.within(256).maximum) == (186, 186)
    assert rules.within(64).maximum == 32


def test_the_later_parts_of_an_article_that_had_to_be_cut_carry_its_beginning() -> None:
    text = "第一条 单位应当履行下列职责：\n\n" + "\n\n".join(f"（{n}）{'检查阀门并登记；' * 3}" for n in "一二三四")
    chunks = _chunks(text, target=40, maximum=60)
    assert len(chunks) > 1
    assert ["第一条 单位应当履行下列职责：" in chunk.context for chunk in chunks] == [False] + [True] * (
        len(chunks) - 1
    )
    assert not any("第一条" in chunk.context for chunk in _chunks(text + "\n\n第二条 本办法由部门解释。")[-1:])


def test_a_date_is_no_number_of_a_requirement() -> None:
    assert anchor_of("4.5.2016") == ""
    assert anchor_of("V2.1.11 Verify that") == "V2.1.11"
