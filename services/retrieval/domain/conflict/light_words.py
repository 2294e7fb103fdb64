"""Words that carry no subject: two sentences may differ in them and still speak of the same thing."""

from __future__ import annotations

from services.retrieval.domain.conflict.wording import is_frame, stem

_ENGLISH_TEXT = (
    "a an the of to in on at by for from with and or as is are was were be been being shall must may can could "
    "will would should has have had do does get gets receive receives granted entitled given this that these "
    "those it its they their our you your we all each every any there which who whom whose what when how long "
    "many much up total about approximately exactly roughly now currently also if where than then only either "
    "both during through between into onto per upon make take give come go begin start become need require "
    "possible able provide ensure happen occur last amount count within day date interval end ago further another "
    "other such same own enough least most exceed limit maximum minimum always normally usually generally normal "
    "regular whenever whoever anyone everyone someone somebody anybody until till since use via out before after "
    "following follow prior ahead preceding advance not no never nobody none without i me my am he she his her "
    "attract let remain stay cover please also just here even hence therefore however later early latest earliest own "
    "upwards downwards extra long upward prior this year something anything everything did"
)
_CHINESE_TEXT = (
    "的 了 经 可以 可 应当 应该 应 须 必须 需 需要 将 会 为 是 共 有 享有 享受 受 到 在 于 和 与 及 "
    "以及 或 或者 其 该 本 各 每 均 都 也 已 已经 并 并且 而 之 所 得 给 给予 约 大约 左右 由 被 把 "
    "对 对于 从 自 向 按 按照 依照 根据 时 时候 时间 期间 期限 以 内 以内 之内 里 中 上 下 后 前 之后 "
    "之前 以后 以前 起 就 即 则 才 再 又 还 更 最 等 个 次 位 名 人 件 份 台 辆 架 张 条 页 项 天 "
    "日 每天 每日 每次 每个 一个 任何 所有 全部 一律 方可 能 能够 进行 开始 办理 实施 予以 加以 作出 做出 "
    "达到 至 至少 最多 多 少 多久 多少 什么 怎么 如何 何时 情况 的话 吗 呢 仅 只 只能 不 不得 不能 不可 "
    "今年 本年 单 双方 未 无 没有 满 超 限 限制 要求 规定 标准 数额 金额 第 者 另 另有 另外 另行 每隔 隔 提前 提早 "
    "内外 起算 当 问 答 随 连续 期 处 处以 期满 届满 到期 结束 周期 间隔 以来 发生 出现 我 我们 你 您"
)
_ENGLISH = frozenset(stem(word) for word in _ENGLISH_TEXT.split())
_CHINESE = frozenset(_CHINESE_TEXT.split())

_UNSAID_TEXT = (
    "receipt employee customer user person people individual company organisation organization member participant "
    "visitor guest reader consumer colleague applicant attendee tenant traveller passenger"
)
_UNSAID_CHINESE = (
    "人员 公司 用户 本人 当事人 有关 相关 每人 每位 任何人 读者 顾客 旅客 会员 同事 访客 游客 消费者 申请人 乘客 本店"
)
UNSAID = frozenset(stem(word) for word in _UNSAID_TEXT.split()) | frozenset(_UNSAID_CHINESE.split())
"""Whom a rule addresses if it does not say whom, and from when a time limit runs if it does not say; one side may."""

_WEAK_TEXT = (
    "see find want wish intend note mean put bring hold handle treat happen concern involve add mind know expect plan "
    "allow permit accept agree arrange organise offer grant earn entitle comprise contain consist include feature "
    "possess come equipped accord depend apply reach available present refuse reject valuation topic property kind "
    "item aspect matter question detail fact rule team department office portal form website site online desk writing "
    "written internal official company staff member participant visitor guest reader consumer user employee "
    "colleague applicant attendee everybody account overall whole full new usual standard basis case situation "
    "place way purpose reason order value figure number size level rate goods product article thing"
)
_WEAK_CHINESE = (
    "请 务必 一般 通常 凭 办 办理 部门 小组 系统 平台 窗口 书面 形式 方式 项目 参数 指标 名称 商品 产品 "
    "大家 单位 工作 说明 内容 情况 即可 均可 总 全 新 "
    "整 整机 机 数 大小 水平 值 数值 上限 下限 应 到账 有人 发出 发现 订单 怎么办 几点 哪里 为什么"
)
WEAK = frozenset(f for word in _WEAK_TEXT.split() for f in (word, stem(word))) | frozenset(_WEAK_CHINESE.split())
"""Words that say how, where or by whom a rule is carried out, or hardly more than that there is one: one side may."""

_GENERAL_TEXT = (
    "record data file document information item entry form application request number name list copy report material "
    "keep store make use pay submit send answer check thing case value matter work service system process"
)
_GENERAL_CHINESE = "资料 材料 信息 申请 事项 内容 名称 数量 使用 提供 工作 服务 管理 部门"
_GENERAL = frozenset(stem(word) for word in _GENERAL_TEXT.split()) | frozenset(_GENERAL_CHINESE.split())


def is_general(word: str) -> bool:
    """True for a word that many subjects share, so that it tells little of one: records are kept of everything."""
    return word in _GENERAL


def is_light(word: str) -> bool:
    """True for a word, an English one as its stem, that says nothing of the subject."""
    return word in _ENGLISH or word in _CHINESE or is_frame(word)
