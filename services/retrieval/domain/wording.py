"""One wording for what rules are told in many: synonyms, bounds, frequencies and inflections, in both languages.

Only for comparing statements. The groups hold words that rules use for one another; words that are near but not the
same (sick leave and annual leave, delete and archive) stand apart, for a group too wide is a false alarm.
"""

from __future__ import annotations

import re
from functools import lru_cache

# A line is a group: its name, English phrases separated by commas, then Chinese ones; a long group has several lines.
# English phrases are matched in any inflection that ``stem`` folds.
_GROUPS_TEXT = """
atleast: at least, no fewer than, not fewer than, no less than: 不得少于 不应少于 不少于 不得低于 不应低于
atleast: not less than, minimum, a minimum of, or more: 不低于 至少 最少 最低 以上 下限
atmost: at most, up to, no more than: 不得超过 不应超过 不能超过
atmost: not more than, no longer than, not longer than: 不超过 不得高于 不高于 不得晚于
atmost: not exceed, limited to, a maximum of: 不晚于 最多 至多 最长
atmost: maximum, no later than, not later than, within: 最高 上限 以内 之内
yearly: per year, each year, every year, a year, yearly, annually, per annum: 每年 每年度 一年
monthly: per month, each month, every month, a month, monthly: 每月 每个月
weekly: per week, each week, every week, a week, weekly: 每周 每星期
daily: per day, each day, every day, a day, daily: 每天 每日
employee: employee, staff, staff member, worker, personnel: 员工 职工 雇员 职员
manager: manager, supervisor: 经理 主管
customer: customer, client: 客户 顾客
visitor: visitor, guest: 访客 来访者 来宾
supplier: supplier, vendor: 供应商 供货商
annualleave: annual leave, paid annual leave: 带薪年休假 带薪年假
annualleave: annual vacation, vacation, holiday entitlement: 年休假 年假
sickleave: sick leave: 病假
maternityleave: maternity leave: 产假
probation: probation period, probationary period, probation: 试用期间 试用期限 试用期
warranty: warranty, guarantee: 保修期限 质保期限 保修期 质保期 保修 质保
receipt: of receipt, after receipt, upon receipt: 收到
receipt: from receipt, following receipt, of receiving, after receiving: 收讫
keep: keep, kept, retain, preserve, store: 保存 保留 留存 存放
pay: pay, paid, settle: 支付 付款 缴纳 付清 结清
refund: refund, reimburse: 退款 退还
answer: answer, respond, response, reply, replied: 答复 回复 回应
report: report: 报告 上报 汇报 报送
delete: delete, erase, deletion, erasure: 删除 清除
change: change, alter: 更改 变更
submit: submit, hand in: 提交 递交 报交
approve: approve, approval: 批准 审批
check: check, inspect, inspection: 检查 检验
carryout: make, made, create, carry out, carried out, perform, take place: 进行 执行 开展
allowance: allowance, subsidy: 补贴 补助 津贴
salary: salary, wage: 工资 薪资 薪酬 薪水
fine: fine, penalty: 罚款 罚金
fee: fee: 费用 收费
training: training: 培训
password: password: 密码 口令
account: account: 账户 账号 帐户 帐号
backup: backup, back up, backed up: 备份
record: record: 记录
data: data: 数据
file: file: 文件
log: log: 日志
system: system: 系统
invoice: invoice: 发票
contract: contract, agreement: 合同 合约 协议
incident: incident: 事件
securityincident: security incident: 安全事件
request: request: 请求
session: session: 会话
character: character: 字符
deadline: deadline, due date, closing date: 截止日期 截止日 最后期限
notice: notice: 通知
overtime: overtime: 加班
bonus: bonus: 奖金
deposit: deposit: 押金 保证金
insurance: insurance: 保险
temperature: temperature: 温度 气温
pressure: pressure: 压力 压强
speed: speed: 速度 时速
weight: weight: 重量
"""
# What frames a rule and says nothing of its subject.
_FRAME_ENGLISH = "carryout period length duration carry come amount equal apply set fix valid"
_FRAME_CHINESE = "期限|期间|长度|时长|时间|标准|数额|规定|要求|次数|可休|享受|实行"
_BEHIND_VALUE = ((re.compile(r"(?<=\s)个?(?:位|字符)"), " character "), (re.compile(r"(?<=\s)[以之]?内"), " atmost "))
_DOUBLED = re.compile(r"([bdgmnprt])\1$")


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """A lower-case English word without the endings of plural, past and present participle, and without a final e."""
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-3] + "y" if word.endswith("ies") and len(word) > 4 else word[:-1]
    for ending in ("ing", "ed"):
        if len(word) > len(ending) + 3 and word.endswith(ending) and not word.endswith("eed"):
            return _DOUBLED.sub(r"\1", word[: -len(ending)]).removesuffix("e")
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


def _names() -> dict[str, str]:
    found: dict[str, str] = {}
    for line in _GROUPS_TEXT.strip().splitlines():
        name, english, chinese = (part.strip() for part in line.split(":"))
        for phrase in (*english.split(","), *chinese.split()):
            found[" ".join(stem(word) for word in phrase.split())] = name
    return found


_NAMES = _names()
_LONGEST_FIRST = sorted(_NAMES, key=len, reverse=True)
_ENGLISH = "|".join(phrase.replace(" ", "[ ]+") for phrase in _LONGEST_FIRST if phrase.isascii())
_ENGLISH_PHRASE = re.compile(rf"(?<![A-Za-z])(?:{_ENGLISH})(?![A-Za-z])")
_CHINESE_PHRASE = re.compile("|".join(phrase for phrase in _LONGEST_FIRST if not phrase.isascii()))
_ENGLISH_WORD = re.compile(r"[A-Za-z][A-Za-z']*")
_FRAME = frozenset(stem(word) for word in _FRAME_ENGLISH.split())
_FRAME_PHRASE = re.compile(_FRAME_CHINESE)


def one_wording(text: str) -> str:
    """``text``, whose values are blanked out, in stems and names of groups; Chinese of no group stays as it is."""
    for pattern, name in _BEHIND_VALUE:
        text = pattern.sub(name, text)
    stemmed = _ENGLISH_WORD.sub(lambda match: stem(match.group().lower()), text)
    if stemmed.isascii():
        return _ENGLISH_PHRASE.sub(_named, stemmed)
    return _FRAME_PHRASE.sub(" ", _CHINESE_PHRASE.sub(_named, _ENGLISH_PHRASE.sub(_named, stemmed)))


def _named(match: re.Match[str]) -> str:
    return f" {_NAMES[' '.join(match.group().split())]} "


def is_frame(word: str) -> bool:
    """True for a stem that says nothing of the subject."""
    return word in _FRAME
