"""Values told in another unit, as the end of a range, as a discount, as a rise or a fall: what follows, what not."""

from __future__ import annotations

from datetime import date

import pytest

from services.common.domain.document import Chunk, DocumentMetadata
from services.validation.adapters.config import default_config
from services.validation.validator import validate_answer

RANGE, RANGE_ZH = "Charging takes 20 to 25 minutes.", "充电需要20至25分钟。"
RATE, RATE_ZH = "The pump delivers 30 litres per minute.", "该泵流量为每分钟30升。"
BANK = "The bank raised its rate by 25 basis points to 4.5%."
SALE = "会员购物打八五折。"


def _valid(answer: str, text: str) -> bool:
    chunk = Chunk("c", DocumentMetadata("d"), text)
    return validate_answer("", None, answer, (chunk,), None, date(2026, 11, 30), default_config()).valid


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (RANGE, "Charging takes at least 20 minutes [1]."),
        (RANGE, "Charging takes at most 25 minutes [1]."),
        (RANGE_ZH, "充电至少需要20分钟[1]。"),
        (RANGE_ZH, "充电最多需要25分钟[1]。"),
        ("You must arrive 20 to 30 minutes early.", "You must arrive at the latest 20 minutes early [1]."),
        (RATE, "The pump delivers 0.5 litres per second [1]."),
        (RATE_ZH, "该泵流量为每小时1800升[1]。"),
        (BANK, "The bank raised its rate by 0.25 percentage points [1]."),
        (SALE, "会员购物按原价的85%付款[1]。"),
        (SALE, "会员购物优惠15%[1]。"),
        (SALE, "会员购物打8.5折[1]。"),
        (SALE, "Members get 15% off purchases [1]."),
        ("Members get 20% off purchases.", "会员购物打八折[1]。"),
        ("利润为-3亿元。", "利润为负3亿元[1]。"),
    ],
)
def test_what_follows(text: str, answer: str) -> None:
    assert _valid(answer, text)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        (RANGE, "Charging takes at least 25 minutes [1]."),
        (RANGE, "Charging takes at most 20 minutes [1]."),
        (RANGE_ZH, "充电至少需要25分钟[1]。"),
        (RANGE_ZH, "充电最多需要20分钟[1]。"),
        (RATE, "The pump delivers 30 litres per second [1]."),
        (RATE_ZH, "该泵流量为每小时30升[1]。"),
        (BANK, "The bank lowered its rate by 25 basis points [1]."),
        (
            "The bank reduced the key interest rate by 25 basis points.",
            "The bank raised its rate by 25 basis points [1].",
        ),
        (SALE, "会员购物优惠85%[1]。"),
        (SALE, "会员购物打九折[1]。"),
        (SALE, "Members get 25% off purchases [1]."),
        ("Members get 20% off purchases.", "会员购物打二折[1]。"),
        ("利润为负3亿元。", "利润为3亿元[1]。"),
    ],
)
def test_what_does_not_follow(text: str, answer: str) -> None:
    assert not _valid(answer, text)
