"""Sentences of a document that order a model what to do or say, which is data and never evidence."""

from __future__ import annotations

import re

# To put aside what the reader was told before: nobody who writes for people does that to "the instructions above".
_PUT_ASIDE = re.compile(
    r"(?:^|[.,:;!?\"'“”(\[]\s?|\b(?:please|now|and|then|must|should|will|can|to)\s)"
    r"(?:ignore|disregard|forget|override|bypass)\s(?:"
    r"[^.;。]{0,20}\b(?:previous|prior|above|earlier|preceding|foregoing|your|system)\b[^.;。]{0,20}"
    r"\b(?:instructions?|prompts?|rules|directives?|messages?|texts?|context)\b"
    r"|[^.;。]{0,20}\b(?:instructions?|prompts?|rules|directives?|everything|all|anything|messages?|text)\b"
    r"[^.;。]{0,12}\b(?:above|before|so far|you were given)\b"
    r"|(?:all |any )(?:of )?(?:the |these |those )?(?:instructions?|prompts?)\b)"
    r"|(?:忽略|无视|忘记|忘掉|抛开|不要理会|绕过)[^。；]{0,8}(?:以上|之前|上面|上述|前面|此前|先前|所有|全部|一切|你的|系统)"
    r"[^。；]{0,8}(?:指令|指示|提示词?|命令|设定)"
    r"|(?:忽略|无视|忘记|忘掉|抛开|不要理会)(?:掉)?(?:以上|之前|上面|上述|前面|此前|先前)(?:的)?(?:所有|全部|一切)?(?:的)?(?:内容|文字|话)"
)
# Speaks to a model by name; an order only where the sentence also says what to answer.
_TO_MODEL = re.compile(
    r"\b(?:system|developer) (?:prompt|message)\b|\b(?:new|updated) (?:system )?instructions?\s*:"
    r"|\b(?:you are|act as) (?:now )?(?:an? |the )?(?:helpful )?(?:ai|assistant|chat ?bot|language model|llm)\b"
    r"|\b(?:as|dear|hey) (?:an? |the )?(?:ai|chat ?bot|language model|llm)\b"
    r"|系统提示词?|(?:新的?|最新)指令[:：]|(?:你|您)(?:现在)?(?:是|扮演)[^。；，]{0,8}(?:助手|机器人|模型)"
)
# What models must do is also what rules for them are on; an order puts words into their mouths.
_MODELS_MUST = re.compile(
    r"\b(?:ai assistant|chat ?bot|language model|llm|ai)s?\b[^.;。]{0,30}\bmust\b[^.;。]{0,40}"
    r"\b(?:answer|reply|respond|say|state|tell|output|print|write|claim|confirm|repeat)\b"
    r"[^.;。:\"'“]{0,30}(?:[:\"'“]|\bthat\b)"
    r"|\b(?:ai assistant|chat ?bot|language model|llm|ai)s?\b[^.;。]{0,30}\bmust\b[^.;。]{0,40}"
    r"\b(?:answer|reply|respond|say)\b[^.;。]{0,60}\b(?:is|are|was|were)\b"
    r"|(?:ai|人工智能|智能|语言|聊天)(?:助手|模型|机器人)[^。；，]{0,6}(?:必须|务必|应当|要)[^。；]{0,20}"
    r"(?:回答|回复|答复|输出|告诉|写|说|声明|确认|重复)[^。；:：]{0,10}[:：“\"]"
    r"|(?:ai|人工智能|智能|语言|聊天)(?:助手|模型|机器人)[^。；，]{0,6}(?:必须|务必|应当|要)[^。；]{0,20}"
    r"(?:回答|回复|答复|说)[^。；]{2,30}(?:为|是)"
)
# The head of a message as models get them, before what speaks to its reader.
_AS_MESSAGE = re.compile(
    r"^\W*(?:system|assistant)\W{0,3}[:：]\W*(?:you|from now|ignore|always|never|do)\b"
    r"|^\W*(?:系统|助手)\W{0,3}[:：]\W*(?:你|您|从现在)"
)
_TO_SAY = re.compile(
    r"\b(?:answer|reply|respond|say|state|tell|output|print|write|claim|confirm|repeat)\b"
    r"|回答|回复|答复|输出|告诉|写|说|声明|确认|重复"
)
_AT_ONCE = "(?:并|然后|而是|请|务必|只|直接|一律)*"
# The order goes on: "Answer that ...", 回答：...
_GOES_ON = re.compile(
    r"\W*(?:(?:when|whenever|if) [^.;。]{0,20}\basks?(?:ed)?\b[^.;。]{0,80}?)?"
    r"(?:and |then |instead |please |always |only |just )*(?:answer|reply|respond|say|state|tell|output|print|write"
    r"|claim|confirm|repeat)\b"
    rf"|\W*{_AT_ONCE}(?:当?(?:有人|用户|被)?问[^。；]{{0,40}}?时?[，,]?{_AT_ONCE})?"
    r"(?:回答|回复|答复|输出|告诉|写|说|声明|确认|重复)",
    re.I,
)


def orders(low: str) -> bool:
    """True if the sentence, in small letters, gives its reader such an order."""
    to_model = _TO_MODEL.search(low) is not None and _TO_SAY.search(low) is not None
    return to_model or puts_aside(low) or any(p.search(low) for p in (_MODELS_MUST, _AS_MESSAGE))


def puts_aside(low: str) -> bool:
    """True if it tells its reader to put aside what the reader was told before."""
    return _PUT_ASIDE.search(low) is not None


def goes_on(low: str) -> bool:
    """True if a sentence behind an order goes on with it."""
    return _GOES_ON.match(low) is not None
