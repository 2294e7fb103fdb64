"""What is repaired, what is counted, what is blocked, and what a document says about itself."""

from __future__ import annotations

from datetime import date

import pytest

from services.common.domain.document import DocumentMetadata
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.ingest_config import HealthThresholds
from services.retrieval.domain.passages.cleaning import clean_text, detect_language, repeated_lines
from services.retrieval.domain.passages.plain import embedding_text, plain_text
from services.retrieval.domain.quality.health import document_figures, health_problem, health_warnings, stored_cells
from services.retrieval.domain.quality.minhash import signature, similar_pairs, similarity
from services.retrieval.domain.versions.stated_dates import stated_dates


def test_zero_width_characters_are_removed_and_counted() -> None:
    clean = clean_text("pass\u00adword\u200b\r\nnext\ufeff")
    assert clean.text == "password\nnext"
    assert clean.repaired_invisible == 3
    assert clean.dirt_share == 0


def test_half_a_percent_of_dirt_blocks_and_less_does_not() -> None:
    thresholds = HealthThresholds()
    assert "OCR" in health_problem(clean_text("x" * 990 + "\ue000" * 10), thresholds)
    assert health_problem(clean_text("x" * 997 + "\x01" * 3), thresholds) == ""


def test_mojibake_is_counted_and_blocks_when_it_abounds() -> None:
    clean = clean_text("é".encode().decode("cp1252") + " naïve text " * 3)
    assert clean.mojibake_runs == 1
    wrong = "公司法第一条规定".encode().decode("cp1252", errors="replace")
    assert "encoding" in health_problem(clean_text(wrong * 3), HealthThresholds())
    assert clean_text("Ångström, Çelik, naïve café — “quoted”").mojibake_runs == 0


def test_spaced_out_words_are_counted() -> None:
    assert clean_text("The H P L C column").spaced_out_runs == 1
    assert clean_text("Plan A B testing").spaced_out_runs == 0


def test_words_of_latin_and_look_alike_letters_are_counted_and_told() -> None:
    clean = clean_text("The K\u0435str\u0435l pump and the Kestrel pump.")
    assert clean.mixed_script_words == 1
    parsed = ParsedFile(text=clean.text)
    figures = document_figures(clean, parsed, HealthThresholds())
    warnings = health_warnings(
        clean, parsed, figures, DocumentMetadata(document_id="d", knowledge_base="kb"), HealthThresholds()
    )
    assert any("Cyrillic" in warning for warning in warnings)
    assert clean_text("Насос Kestrel, USB-кабель, 5 μm, α-Fe, Δt").mixed_script_words == 0


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The fleet is in the hangar and is ready for use.", "en"),
        ("公司应当依法经营。A320机型", "zh"),
        ("カタカナとひらがなの文章です", "ja"),
        ("12345", ""),
    ],
)
def test_language(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize(
    ("text", "field", "day"),
    [
        ("本办法自2024年1月1日起施行。", "effective_from", date(2024, 1, 1)),
        ("Effective date: 1 March 2023", "effective_from", date(2023, 3, 1)),
        ("**Effective from:** 2022-05-06", "effective_from", date(2022, 5, 6)),
        ("Published on June 2nd, 2021", "published_at", date(2021, 6, 2)),
        ("发布日期：2020-02-03", "published_at", date(2020, 2, 3)),
        ("Last updated: 2019/04/05", "updated_at", date(2019, 4, 5)),
        ("Valid until 31 December 2025.", "effective_to", date(2025, 12, 31)),
        ("This policy takes effect on 2025-04-01.", "effective_from", date(2025, 4, 1)),
        ("This Regulation shall apply from 25 May 2018.", "effective_from", date(2018, 5, 25)),
        ("本制度从2025年7月1日起正式执行。", "effective_from", date(2025, 7, 1)),
        ("（2021年3月5日发布）", "published_at", date(2021, 3, 5)),
        ("2024年1月10日修订", "updated_at", date(2024, 1, 10)),
    ],
)
def test_stated_dates_are_read(text: str, field: str, day: date) -> None:
    assert stated_dates(text).days == {field: day}


def test_dates_that_do_not_exist_or_speak_of_other_things_are_not_read() -> None:
    assert stated_dates("Effective date: 2023-02-30").days == {}
    assert stated_dates("The battle was fought on 1 March 1823 with effect.").days == {}
    assert stated_dates("The tax law takes effect on 1 March 2027.").days == {}
    assert stated_dates("自1999年3月1日起施行的旧办法和2001年5月2日公布的细则同时废止。").days == {}


@pytest.mark.parametrize(
    "text",
    [
        "国务院2012年3月1日公布了《办法》。",
        "2012年3月1日公布《办法》后，各地执行。",
        "2024年3月1日发布会在北京举行。",
        "2023年5月1日修改密码策略后，全员重新登录。",
        "2023年5月1日更新服务器两台。",
    ],
)
def test_what_was_published_or_changed_on_a_day_is_not_the_document(text: str) -> None:
    assert stated_dates(text).days == {}


@pytest.mark.parametrize(
    "text",
    [
        "2012年3月1日公布",
        "（2012年3月1日发布）",
        "**2012年3月1日印发**",
        "2012年3月1日公布并施行",
        "2012年3月1日 发布 全国",
    ],
)
def test_a_day_of_publication_stands_by_itself(text: str) -> None:
    assert stated_dates(text).days == {"published_at": date(2012, 3, 1)}


def test_near_duplicates_are_found_and_others_are_not() -> None:
    base = " ".join(f"word{n} and word{n * 7 % 100}" for n in range(200))
    changed = base.replace("word150", "changed")
    other = " ".join(f"term{n} but term{n * 3 % 90}" for n in range(200))
    signatures = {"a": signature(base), "b": signature(changed), "c": signature(other), "d": signature("short")}
    pairs = {(first, second) for first, second, _ in similar_pairs(signatures, 0.8)}
    assert pairs == {("a", "b")}
    assert similarity(signatures["a"], signatures["a"]) == 1.0
    assert similarity(signatures["a"], signatures["d"]) == 0.0


def test_chinese_near_duplicates_are_found() -> None:
    base = "".join(chr(0x4E00 + n * 13 % 5000) for n in range(400))
    assert similarity(signature(base), signature(base[:390] + "甲乙丙丁")) > 0.8


def test_plain_text_drops_marks_and_keeps_words() -> None:
    markdown = "## Title {#t}\n\n| **2.1.1** | Use [the *rule*](https://x.y/z) & `code` | 5 * 3 |\n| --- | --- | --- |"
    assert plain_text(markdown).split() == ["Title", "2.1.1", "Use", "the", "rule", "&", "code", "5", "*", "3"]
    assert plain_text("A plain paragraph, unchanged.") == "A plain paragraph, unchanged."
    assert embedding_text("Doc > A", "text") == "Doc > A\ntext"


def test_chinese_words_spaced_out_and_chinese_read_as_gbk_are_counted() -> None:
    assert clean_text("采用 高 效 液 相 色 谱 法 测定").spaced_out_runs == 1
    assert clean_text("甲 乙 丙 三方").spaced_out_runs == 0
    wrong = "公司应当遵守法律，这是规定。依法经营，接受监督。".encode().decode("gb18030", "replace")
    assert clean_text(wrong).mojibake_runs >= 3
    assert clean_text("银行账户的锛字与銆字单独出现时").mojibake_runs <= 2


def test_running_headers_in_a_text_are_told_from_lists_tables_and_subheadings() -> None:
    bodies = [f"Paragraph {chr(97 + n)} {'x' * n} with words." + " And more words." * (20 + n) for n in range(8)]
    pages = [f"ACME Handbook\n\n{body}\n\nPage {n}\n" for n, body in enumerate(bodies)]
    assert repeated_lines("\n".join(pages)) == 16
    uneven = [f"Purpose\n\n{'words ' * (40 * 3**n)}\n" for n in range(6)]
    assert repeated_lines("\n".join(uneven)) == 0
    assert repeated_lines("\n".join(f"Item number {n}" for n in range(50))) == 0
    assert repeated_lines("\n".join(f"| Item {n} |\n\nText {'z' * n}\n" for n in range(50))) == 0


def test_table_cells_found_are_compared_with_those_stored() -> None:
    text = "| a | b |\n| --- | --- |\n| 1 |  |\n| x\\|y | 2 |\n"
    assert stored_cells(text) == 5
    parsed = ParsedFile(text, figures={"table_cells": 7.0, "table_cells_lost": 0.0})
    figures = document_figures(clean_text(text), parsed, HealthThresholds())
    assert (figures["table_cells"], figures["table_cells_lost"]) == (7, 2)
    lost = health_warnings(clean_text(text), parsed, figures, DocumentMetadata("d"), HealthThresholds())
    assert lost == ["2 of 7 table cells were not found in the stored text"]
    assert document_figures(clean_text(text), ParsedFile(text), HealthThresholds())["table_cells"] == 5
