"""The language model's client against a server that answers what a test tells it to."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from services.orchestrator.adapters.llm_client import LanguageModel
from services.orchestrator.domain.events import TokenUsage
from services.orchestrator.domain.messages import Reason
from services.orchestrator.domain.prompts import Prompt
from services.orchestrator.ports import PartUnavailable

PROMPT = Prompt(({"role": "user", "content": "q"},), {"type": "object"}, "answer")
LONG = 60.0


@asynccontextmanager
async def answering(status: str, kind: str, *parts: bytes, drops: bool = False) -> AsyncIterator[LanguageModel]:
    """``drops`` sends a blank again and again after the ``parts``, until nobody listens any more."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        await reader.readexactly(int(head.split(b"content-length: ")[1].split(b"\r\n")[0]))
        length = "" if drops else f"content-length: {sum(map(len, parts))}\r\n"
        writer.write(f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\n{length}connection: close\r\n\r\n".encode())
        writer.writelines(parts)
        try:
            while drops:
                writer.write(b" ")
                await writer.drain()
                await asyncio.sleep(0.005)
        except ConnectionError:
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    model = LanguageModel(f"http://127.0.0.1:{port}/v1", "m", "")
    try:
        yield model
    finally:
        await model.close()
        server.close()


def completion(**fields: object) -> bytes:
    return json.dumps({"choices": [{"message": {"content": "{}"}}], **fields}).encode()


async def test_a_reply_and_its_tokens():
    usage = {"prompt_tokens": 7, "completion_tokens": None}
    async with answering("200 OK", "application/json", completion(usage=usage)) as model:
        assert await model.complete(PROMPT, 10, 0.0, LONG) == ("{}", TokenUsage(7, 0, 1))


@pytest.mark.parametrize(
    ("kind", "body"),
    [
        ("text/html", b"<html>please log in</html>"),
        ("application/json", b"{nope"),
        ("application/json", b"[]"),
        ("application/json", b"{}"),
        ("application/json", completion(choices=[{"message": None}])),
    ],
)
async def test_what_is_no_completion_is_a_model_that_failed(kind, body):
    async with answering("200 OK", kind, body) as model:
        with pytest.raises(PartUnavailable) as caught:
            await model.complete(PROMPT, 10, 0.0, LONG)
    assert caught.value.reason is Reason.FAILED


async def test_a_reply_in_drops_is_late_all_the_same():
    async with answering("200 OK", "application/json", drops=True) as model:
        with pytest.raises(PartUnavailable) as caught:
            await asyncio.wait_for(model.complete(PROMPT, 10, 0.0, 0.3), LONG)
    assert caught.value.reason is Reason.TIMEOUT


async def test_a_busy_model_is_told_as_such():
    async with answering("429 Too Many Requests", "application/json", b"{}") as model:
        with pytest.raises(PartUnavailable) as caught:
            await model.complete(PROMPT, 10, 0.0, LONG)
    assert caught.value.reason is Reason.OVERLOADED
