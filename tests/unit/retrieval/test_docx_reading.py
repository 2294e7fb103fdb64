"""Word documents as people write them: what is counted, merged, tracked, hidden or set as a formula."""

from __future__ import annotations

import pytest

from services.retrieval.adapters.parsers.docx_numbers import shown
from services.retrieval.adapters.parsers.registry import parse_file
from services.retrieval.domain.ingest_config import IngestConfig
from tests.unit.retrieval.docx_writer import cell, docx, levels, numbered, paragraph, row, run, table


def read(body: str, **parts: str) -> str:
    return parse_file(docx(body, **parts), "a.docx", IngestConfig()).text.strip()


def test_articles_and_items_that_word_counts_keep_their_numbers() -> None:
    form = levels(("chineseCountingThousand", "第%1条"), ("chineseCounting", "（%2）"))
    body = "".join([
        numbered("为了规范管理，制定本制度。"), numbered("本制度适用于全体员工："),
        numbered("正式员工；", 1), numbered("试用员工。", 1), paragraph("以上均须遵守。"),
        numbered("本制度自发布之日起施行。"),
    ])  # fmt: skip
    assert read(body, numbering=form).split("\n\n") == [
        "第一条 为了规范管理，制定本制度。", "第二条 本制度适用于全体员工：", "（一） 正式员工；", "（二） 试用员工。",
        "以上均须遵守。", "第三条 本制度自发布之日起施行。",
    ]  # fmt: skip


def test_levels_count_on_and_begin_again_below_a_new_one() -> None:
    form = levels(("decimal", "%1"), ("decimal", "%1.%2"), ("lowerLetter", "(%3)"))
    items = [("Scope", 0), ("General", 1), ("Details", 1), ("First", 2), ("Second", 2), ("Terms", 0), ("Words", 1)]
    text = read("".join(numbered(title, level) for title, level in items), numbering=form)
    assert text.split("\n\n") == [
        "1 Scope", "1.1 General", "1.2 Details", "(a) First", "(b) Second", "2 Terms", "2.1 Words",
    ]  # fmt: skip


def test_headings_numbered_by_their_style_and_styles_of_the_documents_own() -> None:
    styles = (
        '<w:style w:type="paragraph" w:styleId="H"><w:name w:val="Chapter of ours"/><w:pPr><w:outlineLvl w:val="1"/>'
        '<w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
        '<w:style w:type="paragraph" w:styleId="K"><w:name w:val="Child"/><w:basedOn w:val="H"/></w:style>'
    )
    body = (
        paragraph("Scope", '<w:pStyle w:val="H"/>') + paragraph("Text.") + paragraph("Terms", '<w:pStyle w:val="K"/>')
    )
    text = read(body, styles=styles, numbering=levels(("decimal", "%1.")))
    assert text == "## 1. Scope\n\nText.\n\n## 2. Terms"


def test_bullets_stay_bullets_and_a_list_taken_up_again_counts_on() -> None:
    assert read(numbered("one") + numbered("sub", 1), numbering=levels(("bullet", "•"), ("bullet", "◦"))).startswith(
        "- one\n  - sub"
    )
    body = numbered("one") + paragraph("between") + numbered("two")
    assert read(body, numbering=levels(("decimal", "%1."))) == "1. one\n\nbetween\n\n2. two"


@pytest.mark.parametrize(
    ("number", "form", "text"),
    [
        (10, "chineseCounting", "十"), (11, "chineseCounting", "十一"), (20, "chineseCounting", "二十"),
        (105, "chineseCountingThousand", "一百零五"), (1010, "chineseCountingThousand", "一千零一十"),
        (4, "upperRoman", "IV"), (28, "lowerLetter", "bb"), (3, "ideographTraditional", "丙"), (7, "decimalZero", "07"),
        (2, "decimalEnclosedCircle", "②"), (3, "chineseLegalSimplified", "叁"), (12, "unheardOf", "12"),
    ],
)  # fmt: skip
def test_numbers_are_shown_as_word_prints_them(number: int, form: str, text: str) -> None:
    assert shown(number, form) == text


def test_merged_cells_stand_in_their_columns_and_rows() -> None:
    body = table(
        row(cell("Name"), cell("Limits", '<w:gridSpan w:val="2"/>')),
        row(cell("Pump", '<w:vMerge w:val="restart"/>'), cell("low"), cell("5")),
        row(cell("", "<w:vMerge/>"), cell("high"), cell("9")),
    )
    assert read(body).split("\n") == [
        "| Name | Limits |  |", "| --- | --- | --- |", "| Pump | low | 5 |", "| Pump | high | 9 |",
    ]  # fmt: skip


def test_small_tables_and_tables_within_cells_are_tables() -> None:
    assert "| 1 | 2 |" in read(table(row(cell("A"), cell("B")), row(cell("1"), cell("2"))))
    inner = paragraph("before") + table(row(cell("i"), cell("j"))) + paragraph("after")
    assert "| x | before i j after |" in read(table(row(cell("A"), cell("B")), row(cell("x"), cell(inner))))


def test_tracked_changes_count_as_accepted_and_comments_and_hidden_text_are_left_out() -> None:
    text = read(
        "<w:p>" + run("The limit is ") + '<w:del w:id="1"><w:r><w:delText>5</w:delText></w:r></w:del>'
        '<w:ins w:id="2">' + run("8") + "</w:ins>" + run(" bar.") + run(" secret", "<w:vanish/>")
        + '<w:r><w:commentReference w:id="0"/></w:r></w:p>' + '<w:p><w:moveFrom w:id="3">' + run("Moved.")
        + '</w:moveFrom></w:p><w:p><w:moveTo w:id="4">' + run("Moved.") + "</w:moveTo></w:p>",
        comments='<w:comment w:id="0" w:author="B">' + paragraph("Is it?") + "</w:comment>",
    )  # fmt: skip
    assert text == "The limit is 8 bar.\n\nMoved."


def test_fields_formulas_readings_and_hyphens_are_not_lost() -> None:
    fraction = "<m:f><m:num><m:r><m:t>F</m:t></m:r></m:num><m:den><m:r><m:t>p</m:t></m:r></m:den></m:f>"
    power = "<m:sSup><m:e><m:r><m:t>d</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>"
    text = read(
        "<w:p>" + run("On ") + '<w:fldSimple w:instr="DATE">' + run("1 May 2024") + "</w:fldSimple>" + run(" A =")
        + f"<m:oMath>{fraction}<m:r><m:t>=</m:t></m:r>{power}</m:oMath>" + run("by multi")
        + "<w:r><w:noBreakHyphen/></w:r>" + run("stage ") + "<w:r><w:ruby><w:rt>" + run("kan") + "</w:rt><w:rubyBase>"
        + run("漢字") + "</w:rubyBase></w:ruby></w:r></w:p>"
    )  # fmt: skip
    assert text == "On 1 May 2024 A = F/p=d^2 by multi-stage 漢字"


def test_notes_stand_at_the_end_and_text_boxes_once() -> None:
    note = "<w:p>" + run("Limit is 5") + '<w:r><w:footnoteReference w:id="2"/></w:r>' + run(" bar.") + "</w:p>"
    text = read(note, footnotes='<w:footnote w:id="2">' + paragraph("Only in winter.") + "</w:footnote>")
    assert text == "Limit is 5[1] bar.\n\n1. Only in winter."
    inner = "<w:txbxContent>" + paragraph("Boxed warning") + "</w:txbxContent>"
    box = (
        "<w:p><w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing><wp:anchor><a:graphic><a:graphicData>"
        f"<wps:wsp><wps:txbx>{inner}</wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing></mc:Choice>"
        f"<mc:Fallback><w:pict><v:shape><v:textbox>{inner}</v:textbox></v:shape></w:pict></mc:Fallback>"
        "</mc:AlternateContent></w:r></w:p>"
    )
    assert read(box).count("Boxed warning") == 1


def test_powers_are_no_digits_and_right_to_left_text_keeps_its_order() -> None:
    raised = '<w:vertAlign w:val="superscript"/>'
    lowered = '<w:vertAlign w:val="subscript"/>'
    body = "<w:p>" + run("10 m") + run("2", raised) + run(", 5 × 10") + run("3", raised) + run(" H")
    assert read(body + run("2", lowered) + run("O") + "</w:p>") == "10 m² , 5 × 10^3 H2O".replace(" ,", ",")
    assert read(paragraph("السلامة أولا 5 bar")) == "السلامة أولا 5 bar"
