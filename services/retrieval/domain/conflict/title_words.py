"""Words of titles and headings that tell the kind, the keeper, the age or the place of a text, and not its subject."""

from __future__ import annotations

KIND_TEXT = (
    "handbook manual guide policy guideline instruction rule regulation standard procedure faq question answer note "
    "report notice announcement overview summary document memo text doc file page terms statement leaflet brochure "
    "commentary reference bulletin directive circular specification wiki sheet datasheet catalogue sop help primer"
)
_KIND_CHINESE_TEXT = (
    "制度 规定 办法 手册 指南 说明 问答 通知 公告 总结 报告 条例 细则 规程 规范 须知 文档 规则 释义 "
    "守则 章程 通报 通告 参考 程序 意见 解释 方案 说明书 规格 规格表 贴士 指引 一览"
)
KIND_CHINESE = frozenset(_KIND_CHINESE_TEXT.split())
"""The kind of document."""

_ACTS_TEXT = "条例 细则 办法 解释 意见 决定 act directive law"
ACTS = frozenset(_ACTS_TEXT.split())
"""Kinds of what is about the one thing that its title names."""

KEEPER_TEXT = "company corporate group internal official staff employee hr general current new old draft final"
_KEEPER_CHINESE_TEXT = "公司 集团 内部 人事部 人事 员工 新 旧 版 草案"
KEEPER_CHINESE = frozenset(_KEEPER_CHINESE_TEXT.split())
"""Whose it is, and how old."""

PLACE_TEXT = (
    "introduction introductory overview scope purpose general about definition annex appendix article section chapter "
    "part miscellaneous note more faq question asked often frequent frequently answer foreword preface preliminary "
    "background detail summary content service rule other further information"
)
_PLACE_CHINESE_TEXT = (
    "总则 附则 概述 说明 前言 引言 范围 目的 适用 对象 常见 问题 问答 其他 其它 附录 附件 "
    "简介 背景 总述 一般 规定 服务 条款"
)
PLACE_CHINESE = frozenset(_PLACE_CHINESE_TEXT.split())
"""Where in a document something stands."""
