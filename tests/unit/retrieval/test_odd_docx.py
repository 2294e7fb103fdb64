"""Word documents with what other programs, reviewers and damage leave in them: read as a reader would see them."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

import pytest

from services.retrieval.adapters.parsers import docx_styles
from services.retrieval.adapters.parsers.registry import parse_file
from services.retrieval.domain.documents import ParsedFile
from services.retrieval.domain.ingest_config import IngestConfig
from services.retrieval.domain.quality.rejection import DocumentRejected, Reason
from tests.unit.retrieval.docx_writer import cell, docx, levels, numbered, paragraph, row, run, table, zipped

_BOX = "<w:txbxContent>" + paragraph("Boxed warning") + "</w:txbxContent>"
_DRAWN = "<w:drawing><wp:anchor>{}<a:graphic><a:graphicData>{}</a:graphicData></a:graphic></wp:anchor></w:drawing>"
_DELETED = '<w:rPr><w:del w:id="1"/></w:rPr>'


def parsed(content: bytes, name: str = "a.docx") -> ParsedFile:
    return parse_file(content, name, IngestConfig())


def read(body: str, **parts: str) -> str:
    return parsed(docx(body, **parts)).text.strip()


def line(*inner: str) -> str:
    return f"<w:p>{''.join(inner)}</w:p>"


def changed(content: bytes, change: Callable[[dict[str, bytes]], object]) -> bytes:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    change(files)
    return zipped(files)


@pytest.mark.parametrize(
    ("inner", "text"),
    [
        ("<w:r><w:t>one</w:t><w:cr/><w:t>two</w:t><w:ptab/><w:t>three</w:t></w:r>", "one\ntwo three"),
        ('<w:r><w:t>one</w:t><w:br w:type="page"/><w:t>two</w:t></w:r>', "one\ntwo"),
        (f'<w:dir w:val="rtl">{run("السلامة")}</w:dir><w:bdo w:val="ltr">{run(" أولا")}</w:bdo>', "السلامة أولا"),
        ('<w:r><w:sym w:font="Wingdings" w:char="F0FC"/></w:r>' + run(" done"), "✓ done"),
        ('<w:r><w:sym w:font="Foo" w:char="0041"/><w:sym w:font="Foo" w:char="?"/><w:sym/></w:r>', "A"),
        (run("\uf061", '<w:rFonts w:ascii="Symbol"/>') + run(" rays"), "α rays"),
        ('<w:r><w:ruby><w:rt>' + run("kan") + "</w:rt><w:rubyBase>" + run("漢") + "</w:rubyBase></w:ruby></w:r>"
         + run("字"), "漢字"),
        (run("5", "<w:dstrike/>") + run("8") + run(" 9", '<w:dstrike w:val="0"/>'), "8 9"),
        ('<w:hyperlink r:id="r77">' + run("the link") + "</w:hyperlink>", "the link"),
        (run("text") + '<w:r><w:footnoteReference w:id="9"/><w:footnoteReference/></w:r>', "text"),
        (run("text") + '<w:r><w:commentReference/></w:r><w:bookmarkStart/>', "text"),
    ],
)  # fmt: skip
def test_characters_of_a_line_are_neither_lost_nor_run_together(inner: str, text: str) -> None:
    assert read(line(inner)) == text


def test_boxes_to_be_ticked_tell_their_state() -> None:
    control = "<w:sdt><w:sdtPr><w14:checkbox/></w:sdtPr><w:sdtContent>{}</w:sdtContent></w:sdt>"
    field = (
        '<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:default w:val="1"/>{}</w:checkBox></w:ffData>'
        "</w:fldChar></w:r><w:r><w:instrText>FORMCHECKBOX</w:instrText></w:r>"
        '<w:r><w:fldChar w:fldCharType="end"/></w:r>'
    )
    controls = control.format(run("☒")) + run(" yes ") + control.format(run("☐")) + run(" no")
    fields = field.format("") + run(" A ") + field.format('<w:checked w:val="0"/>') + run(" B")
    assert read(line(controls) + line(fields)) == "☒ yes ☐ no\n\n☒ A ☐ B"


@pytest.mark.parametrize(
    "drawing",
    [
        "<mc:AlternateContent><mc:Choice Requires='wps'>{}</mc:Choice></mc:AlternateContent>",
        "<mc:AlternateContent><mc:Choice Requires='wps'>{}</mc:Choice><mc:Fallback/></mc:AlternateContent>",
        "{}",
    ],
)
def test_a_text_box_without_a_form_for_older_programs_is_read(drawing: str) -> None:
    box = drawing.format(_DRAWN.format("", f"<wps:wsp><wps:txbx>{_BOX}</wps:txbx></wps:wsp>"))
    assert read(line(f"<w:r>{box}</w:r>", run("after"))) == "after\n\nBoxed warning"


def test_numbers_in_a_text_box_that_is_there_in_two_forms_are_counted_once() -> None:
    inner = f"<w:txbxContent>{numbered('boxed')}</w:txbxContent>"
    new = _DRAWN.format("", f"<wps:wsp><wps:txbx>{inner}</wps:txbx></wps:wsp>")
    old = f"<w:pict><v:shape><v:textbox>{inner}</v:textbox></v:shape></w:pict>"
    both = f"<mc:AlternateContent><mc:Choice Requires='wps'>{new}</mc:Choice><mc:Fallback>{old}</mc:Fallback>"
    body = line(f"<w:r>{both}</mc:AlternateContent></w:r>") + numbered("next")
    assert read(body, numbering=levels(("decimal", "%1."))).split("\n\n") == ["1. boxed", "2. next"]


def test_pictures_are_told_by_the_text_that_stands_for_them_and_charts_by_their_figures() -> None:
    told = _DRAWN.format('<wp:docPr id="1" name="P" descr="Pump with two valves"/>', "")
    untold = _DRAWN.format('<wp:docPr id="1" name="P" descr="image1.png"/>', "")
    assert read(line(f"<w:r>{told}</w:r>", f"<w:r>{untold}</w:r>")) == "Pump with two valves"
    chart = (
        '<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"><c:chart><c:plotArea><c:barChart>'
        "<c:ser><c:tx><c:v>Net</c:v></c:tx><c:cat><c:pt idx='0'><c:v>Q1</c:v></c:pt></c:cat>"
        "<c:val><c:pt idx='0'><c:v>1.5</c:v></c:pt></c:val></c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>"
    )
    relation = '<Relationship Id="c1" Type="http://x/relationships/chart" Target="charts/chart1.xml"/></Relationships>'

    def with_chart(files: dict[str, bytes]) -> None:
        files["word/charts/chart1.xml"] = chart.encode()
        rels = files["word/_rels/document.xml.rels"].decode()
        files["word/_rels/document.xml.rels"] = rels.replace("</Relationships>", relation).encode()

    body = paragraph("Sales") + line("<w:r>", _DRAWN.format("", '<c:chart r:id="c1"/>'), "</w:r>")
    assert "|  | Net |\n| --- | --- |\n| Q1 | 1.5 |" in parsed(changed(docx(body), with_chart)).text


def test_paragraphs_whose_end_was_deleted_go_on_with_the_next_one() -> None:
    body = paragraph("part one, ", _DELETED) + paragraph("part two") + paragraph("last", _DELETED)
    assert read(body) == "part one, part two\n\nlast"
    gone = '<w:tr><w:trPr><w:del w:id="2"/></w:trPr>' + cell("old") + cell("1") + "</w:tr>"
    assert "old" not in read(table(row(cell("A"), cell("B")), gone, row(cell("new"), cell("2"))))
    assert read(paragraph("T", '<w:framePr w:dropCap="drop"/>') + paragraph("he pump.")) == "The pump."


def test_a_run_of_paragraphs_whose_ends_were_deleted_keeps_its_order() -> None:
    text = read("".join(paragraph(f"w{number} ", _DELETED) for number in range(3_000)) + paragraph("end"))
    assert text == " ".join([*(f"w{number}" for number in range(3_000)), "end"])


def test_items_are_counted_as_word_counts_them() -> None:
    form = levels(("decimal", "%1."))
    moved = (
        '<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr><w:rPr><w:moveFrom w:id="3"/></w:rPr>'
        f'</w:pPr><w:moveFrom w:id="3">{run("gone")}</w:moveFrom></w:p>'
    )
    assert read(numbered("one") + numbered("") + moved + numbered("three"), numbering=form) == "1. one\n\n3. three"
    linked = (
        form.replace("<w:lvl ", '<w:styleLink w:val="L"/><w:lvl ', 1)
        + '<w:abstractNum w:abstractNumId="7"><w:numStyleLink w:val="L"/></w:abstractNum>'
        '<w:num w:numId="7"><w:abstractNumId w:val="7"/></w:num>'
    )
    assert read(numbered("one", list_id=7), numbering=linked) == "1. one"
    styled = (
        '<w:style w:type="paragraph" w:styleId="B"><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
    )
    bullets = levels(("bullet", "•"))
    assert read(paragraph("one", '<w:pStyle w:val="B"/>'), styles=styled, numbering=bullets) == "- one"


def test_headings_by_their_own_level_and_below_the_sixth_and_no_contents_beside_them() -> None:
    styles = (
        '<w:style w:type="paragraph" w:styleId="T"><w:name w:val="toc 1"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="H"><w:name w:val="heading 8"/></w:style><w:style/>'
    )
    body = paragraph("Scope 3", '<w:pStyle w:val="T"/>') + paragraph("Text.")
    assert read(body, styles=styles) == "Scope 3\n\nText."
    body += paragraph("Scope", '<w:outlineLvl w:val="1"/>') + paragraph("Deep", '<w:pStyle w:val="H"/>')
    assert read(body, styles=styles) == "Text.\n\n## Scope\n\n###### Deep"


def test_characters_whose_style_hides_them_are_left_out() -> None:
    hidden = '<w:style w:type="character" w:styleId="X"><w:rPr><w:vanish/></w:rPr></w:style>'
    assert read(line(run("seen"), run(" secret", '<w:rStyle w:val="X"/>')), styles=hidden) == "seen"


def test_cells_stand_in_their_columns_whatever_rows_say() -> None:
    late = '<w:tr><w:trPr><w:gridBefore w:val="1"/></w:trPr>' + cell("3") + "</w:tr>"
    odd = row(cell("A", '<w:gridSpan w:val="x"/>'), cell("B"))
    assert read(table(odd, late)) == "| A | B |\n| --- | --- |\n|  | 3 |"
    merged = table(
        row(cell("A"), cell("B")), '<w:bookmarkStart w:id="1" w:name="x"/>',
        row(cell("G", '<w:vMerge w:val="restart"/>'), cell("1")), row(cell("", "<w:vMerge/>"), cell("2")),
    )  # fmt: skip
    assert "| G | 2 |" in read(merged)


def test_styles_that_are_based_on_each_other_in_a_circle_are_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = 0
    honest = docx_styles.value_of

    def counted(parent: object, path: str) -> str | None:
        nonlocal asked
        asked += path == "basedOn"
        return honest(parent, path)

    monkeypatch.setattr(docx_styles, "value_of", counted)
    count = 60
    styles = "".join(
        f'<w:style w:type="paragraph" w:styleId="S{n}"><w:name w:val="Own {n}"/><w:basedOn w:val="S{(n + 1) % count}"/>'
        "</w:style>"
        for n in range(count)
    )
    body = "".join(paragraph(f"text {n}", f'<w:pStyle w:val="S{n}"/>') for n in range(count))
    assert read(body, styles=styles).count("text") == count
    assert asked <= 4 * count


def test_thousands_of_formulas_and_one_nested_deeply_keep_their_places_and_characters() -> None:
    formula = "<m:oMath><m:r><m:t>x{}</m:t></m:r></m:oMath>"
    text = read(line(*(formula.format(number) + run(f"t{number}") for number in range(2_000))))
    assert text.split() == [word for number in range(2_000) for word in (f"x{number}", f"t{number}")]
    deep = "<m:d><m:e>" * 90 + "<m:r><m:t>deep</m:t></m:r>" + "</m:e></m:d>" * 90
    assert "deep" in read(line(f"<m:oMath>{deep}</m:oMath>"))


@pytest.mark.parametrize("name", ["word/numbering.xml", "word/styles.xml", "word/footnotes.xml"])
def test_a_damaged_part_is_told_and_the_text_is_read(name: str) -> None:
    parts = {"numbering": levels(("decimal", "%1.")), "styles": "", "footnotes": ""}
    source = docx(numbered("one") + paragraph("two"), **parts)
    for damage in (b"<w:numbering><broken", b"", b"\x00\x01"):
        found = parsed(changed(source, lambda files, damage=damage: files.update({name: damage})))
        assert "one" in found.text and "two" in found.text
        assert name in found.warnings[0] and "save it and ingest it again" in found.warnings[0]


def test_parts_that_nothing_is_read_of_may_be_damaged() -> None:
    def damage(files: dict[str, bytes]) -> None:
        files["[Content_Types].xml"] = files["word/comments.xml"] = files["word/_rels/document.xml.rels"] = b"<x"

    assert parsed(changed(docx(paragraph("kept")), damage)).text.strip() == "kept"


def test_a_damaged_body_is_refused_in_words() -> None:
    broken = changed(docx(paragraph("kept")), lambda files: files.update({"word/document.xml": b"<w:document>"}))
    with pytest.raises(DocumentRejected) as refused:
        parsed(broken)
    assert refused.value.reason is Reason.UNREADABLE_FILE and "word/document.xml" in refused.value.message
    deep = "<w:tbl><w:tr><w:tc>" * 200 + paragraph("x") + "</w:tc></w:tr></w:tbl>" * 200
    with pytest.raises(DocumentRejected, match="too deeply"):
        parsed(docx(deep))


def test_the_body_may_have_another_name_and_the_names_of_the_strict_standard() -> None:
    def renamed(files: dict[str, bytes]) -> None:
        files["word/document2.xml"] = files.pop("word/document.xml")
        files["_rels/.rels"] = files["_rels/.rels"].replace(b"document.xml", b"document2.xml")

    assert parsed(changed(docx(paragraph("kept")), renamed)).text.strip() == "kept"

    def strict(files: dict[str, bytes]) -> None:
        for name, data in files.items():
            files[name] = data.replace(
                b"http://schemas.openxmlformats.org/wordprocessingml/2006/",
                b"http://purl.oclc.org/ooxml/wordprocessingml/",
            )

    source = docx(numbered("one"), numbering=levels(("decimal", "%1.")))
    assert parsed(changed(source, strict)).text.strip() == "1. one"


def test_a_document_that_only_a_word_processor_takes_in_is_told() -> None:
    found = parsed(docx(paragraph("before") + '<w:altChunk r:id="r5"/>'))
    assert found.text.strip() == "before" and found.warnings[0].startswith("1 documents that the DOCX takes in")
