from __future__ import annotations

from collections.abc import Callable

from services.common.domain.question import ParsedQuestion


def test_a_title_in_marks_keeps_all_of_its_words(parse: Callable[..., ParsedQuestion]) -> None:
    parsed = parse("请概括一下《关于加强安全生产工作的通知》的要点。")
    assert [name.text for name in parsed.entities] == ["关于加强安全生产工作的通知"]
    assert parsed.source is not None
    assert parsed.source.text == "关于加强安全生产工作的通知"


def test_a_name_cut_behind_its_second_character_is_put_together(parse: Callable[..., ParsedQuestion]) -> None:
    assert "许家印" in [name.text for name in parse("许家印被带走时负债多少？").entities]
    assert "王楠" in [name.text for name in parse("邓亚萍和王楠赢了几年？").entities]
    assert not parse("文件指什么，国标要不要改？").entities


def test_the_who_is_a_source_and_who_is_none(parse: Callable[..., ParsedQuestion]) -> None:
    source = parse("What according to WHO is a safe level of nitrate?").source
    assert source is not None
    assert source.text == "WHO"
    assert parse("Is it settled, and according to who?").source is None
