"""The health report as one HTML page that needs nothing else: no script, no font, no picture from anywhere."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from html import escape
from typing import Any

from cli.render.console import clean
from cli.render.health import FIGURE_WORDS, KIND_WORDS, PAIR_KINDS, figure, figure_words, finding_words
from cli.render.words import when
from trirag.retrieval.v1 import knowledge_base_pb2 as pb

_STYLE = """
:root { color-scheme: light dark; --back: #fff; --text: #1c2330; --dim: #5c6675; --line: #d9dee6; --tile: #f4f6f9;
  --bad: #b3261e; --warn: #8a5a00; --good: #1c6b3a; --link: #1558b0; }
@media (prefers-color-scheme: dark) { :root { --back: #14181f; --text: #e4e8ee; --dim: #9aa5b4; --line: #323a46;
  --tile: #1d232c; --bad: #ff8a80; --warn: #f2c063; --good: #7bd49a; --link: #8ab8ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 76rem; background: var(--back); color: var(--text);
  font: 16px/1.5 system-ui, "Segoe UI", "Noto Sans", "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; } h2 { font-size: 1.2rem; margin: 2.5rem 0 .75rem; }
p { margin: .25rem 0; } .dim { color: var(--dim); } .bad { color: var(--bad); } .warn { color: var(--warn); }
.good { color: var(--good); } nav a { color: var(--link); margin-right: 1rem; }
.tiles { display: grid; gap: .75rem; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); }
.tile { background: var(--tile); border-radius: .5rem; padding: .6rem .8rem; }
.tile b { display: block; font-size: 1.25rem; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; } table { border-collapse: collapse; width: 100%; font-size: .9rem; }
th, td { text-align: left; vertical-align: top; padding: .35rem .6rem; border-bottom: 1px solid var(--line);
  overflow-wrap: anywhere; min-width: 4rem; }
th { color: var(--dim); font-weight: 600; } td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
.pair { display: grid; grid-template-columns: 1fr 1fr; gap: 1px; background: var(--line); border: 1px solid var(--line);
  margin: .75rem 0; } .pair > * { background: var(--back); padding: .6rem .8rem; overflow-wrap: anywhere; }
.pair > .foot { grid-column: 1 / -1; } blockquote { margin: .35rem 0 0; }
details { border-bottom: 1px solid var(--line); padding: .4rem 0; } summary { cursor: pointer; }
@media (max-width: 44rem) { .pair { grid-template-columns: 1fr; } }
@media print { body { max-width: none; } details > * { display: block; } }
"""
_TILES = (
    "documents", "chunks", "content_health_mean", "content_health_min", "with_any_date", "with_extracted_date",
    "repaired_invisible", "control_characters", "private_use_characters", "mojibake_runs", "spaced_out_runs",
    "mixed_script_words", "repeated_lines", "pages", "empty_pages", "table_cells", "table_cells_lost", "retired",
    "rejected", "conflicts", "superseded_values", "not_compared",
)  # fmt: skip
_COLUMNS = (
    "characters", "repaired_invisible", "mojibake_runs", "spaced_out_runs", "mixed_script_words", "repeated_lines",
    "pages", "empty_pages", "table_cells", "table_cells_lost",
)  # fmt: skip


def health_page(response: Any, made_at: datetime) -> str:
    """A GetHealthReportResponse as a page. All text from documents is escaped."""
    name = _text(response.knowledge_base.name)
    model = _text(response.knowledge_base.embedding_model)
    conflicts = [c for c in response.conflicts if c.kind == pb.CONFLICT_KIND_CONFLICT]
    superseded = [c for c in response.conflicts if c.kind != pb.CONFLICT_KIND_CONFLICT]
    parts = [
        f"<h1>Data health of {name}</h1>",
        f'<p class="dim">{made_at:%Y-%m-%d %H:%M} · embedding model {model}</p>',
        _contents(response, conflicts, superseded),
        _tiles(response.figures),
        _rejected(response.rejected),
        _conflicts("conflicts", "Conflicts", "Both in force, and they contradict each other.", conflicts),
        _conflicts("superseded", "Superseded values", "Versions explain the difference.", superseded),
        _findings(response.findings),
        _documents(response.documents),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Data health of {name}</title><style>{_STYLE}</style></head>\n<body>\n"
        + "\n".join(part for part in parts if part)
        + "\n</body></html>\n"
    )


def _text(value: str) -> str:
    return escape(clean(value))


def _contents(response: Any, conflicts: Sequence[Any], superseded: Sequence[Any]) -> str:
    entries = (
        ("rejected", "refused", len(response.rejected)),
        ("conflicts", "conflicts", len(conflicts)),
        ("superseded", "superseded values", len(superseded)),
        ("findings", "findings", sum(f.kind not in PAIR_KINDS for f in response.findings)),
        ("documents", "documents", len(response.documents)),
    )
    links = "".join(f'<a href="#{anchor}">{count} {words}</a>' for anchor, words, count in entries if count)
    return f"<nav>{links}</nav>"


def _tiles(figures: Any) -> str:
    shown = [name for name in _TILES if name in figures]
    shown += sorted(name for name in figures if name.startswith("language."))
    tiles = "".join(
        f'<div class="tile"><b>{_text(figure(name, figures[name]))}</b>{_text(figure_words(name))}</div>'
        for name in shown
    )
    return f'<h2>Figures</h2><div class="tiles">{tiles}</div>'


def _rejected(rejected: Sequence[Any]) -> str:
    rows = [
        [
            _text(entry.origin) + (f'<div class="dim">{_text(entry.document_id)}</div>' if entry.document_id else ""),
            f'<span class="bad">{_text(entry.reason)}</span>',
            _text(entry.message),
            "the earlier version" if entry.earlier_version_stored else "nothing",
            _text(when(entry.rejected_at)),
        ]
        for entry in rejected
    ]
    return _section("rejected", "Refused documents", "", ("document", "reason", "what is wrong, and the repair",
                                                          "stored", "when"), rows)  # fmt: skip


def _conflicts(anchor: str, title: str, words: str, conflicts: Sequence[Any]) -> str:
    if not conflicts:
        return ""
    pairs = "".join(
        f'<div class="pair">{_side(c.first)}{_side(c.second)}'
        f'<div class="foot dim">{_text("; ".join(t for t in (c.reason, c.remedy) if t))}</div></div>'
        for c in conflicts
    )
    return f'<h2 id="{anchor}">{title} ({len(conflicts)})</h2><p class="dim">{words}</p>{pairs}'


def _side(side: Any) -> str:
    place = " › ".join(_text(heading) for heading in side.heading_path)
    return (
        f'<div><b>{_text(side.title or side.document_id)}</b> <span class="dim">{_text(side.document_id)}</span>'
        + (f'<div class="dim">{place}</div>' if place else "")
        + f"<blockquote>{_text(side.sentence)}</blockquote></div>"
    )


def _findings(findings: Sequence[Any]) -> str:
    by_kind: dict[str, list[Any]] = defaultdict(list)
    for finding in findings:
        if finding.kind not in PAIR_KINDS:  # they stand above with both sentences
            by_kind[finding.kind].append(finding)
    if not by_kind:
        return ""
    parts = []
    for kind, group in sorted(by_kind.items()):
        items = "".join(f"<li>{_text(finding_words(f))}</li>" for f in group)
        words = KIND_WORDS.get(kind, "")
        parts.append(
            f'<details{" open" if len(group) <= 20 else ""}><summary><b class="warn">{_text(kind)}</b> ({len(group)}) '
            f"{_text(words)}</summary><ul>{items}</ul></details>"
        )
    return f'<h2 id="findings">Findings</h2>{"".join(parts)}'


def _documents(documents: Sequence[Any]) -> str:
    head = ("document", "language", "health", "dates", *(FIGURE_WORDS[name] for name in _COLUMNS), "findings")
    rows = []
    for document in documents:
        share = document.content_health
        style = "good" if share >= 0.9 else "warn" if share >= 0.5 else "bad"
        dates = "read from the text" if document.extracted_dates else "given" if document.dated else "none"
        rows.append(
            [
                f'{_text(document.title)}<div class="dim">{_text(document.document_id)}</div>',
                _text(document.language) or '<span class="warn">unknown</span>',
                f'<span class="{style}">{share:.2f}</span>',
                dates,
                *(
                    _text(figure(name, document.figures[name])) if name in document.figures else "–"
                    for name in _COLUMNS
                ),
                "<br>".join(_text(kind) for kind in document.findings),
            ]
        )
    figures = range(4, 4 + len(_COLUMNS))
    return _section("documents", "Documents", "", head, rows, {2, *figures})


def _section(
    anchor: str, title: str, words: str, head: Sequence[str], rows: Sequence[Sequence[str]], numbers: Iterable[int] = ()
) -> str:
    """A table below a heading; ``rows`` are HTML already, ``head`` is text."""
    if not rows:
        return ""
    right = set(numbers)

    def style(index: int) -> str:
        return ' class="n"' if index in right else ""

    header = "".join(f"<th{style(i)}>{_text(cell)}</th>" for i, cell in enumerate(head))
    body = "".join(
        "<tr>" + "".join(f"<td{style(i)}>{cell}</td>" for i, cell in enumerate(row)) + "</tr>" for row in rows
    )
    intro = f'<p class="dim">{words}</p>' if words else ""
    return (
        f'<h2 id="{anchor}">{title} ({len(rows)})</h2>{intro}<div class="scroll">'
        f"<table><thead><tr>{header}</tr></thead><tbody>{body}</tbody></table></div>"
    )
