"""The language model over the OpenAI API, through the mesh. Envoy owns retries, so the client's own are off."""

from __future__ import annotations

import asyncio
from typing import Any

from openai import APIConnectionError, APIStatusError, APITimeoutError, AsyncOpenAI, DefaultAsyncHttpxClient
from opentelemetry import propagate

from services.orchestrator.domain.events import TokenUsage
from services.orchestrator.domain.messages import Reason
from services.orchestrator.domain.prompts import Prompt
from services.orchestrator.ports import PartUnavailable


class LanguageModel:
    """Keeps the Writer port. An empty ``model`` means that none is configured."""

    def __init__(self, base_url: str, model: str, api_key: str) -> None:
        self._model = model
        # trust_env off: a proxy from the environment must never see calls between services.
        http_client = DefaultAsyncHttpxClient(trust_env=False)
        self._client = AsyncOpenAI(base_url=base_url, api_key=api_key or "none", max_retries=0, http_client=http_client)

    @property
    def model(self) -> str:
        """Name of the model; empty if none is configured."""
        return self._model

    async def complete(
        self, prompt: Prompt, max_tokens: int, temperature: float, timeout: float
    ) -> tuple[str, TokenUsage]:
        """The reply under the prompt's JSON schema.

        Raises:
            PartUnavailable: the model did not answer, or refused.
        """
        if not self._model:
            raise PartUnavailable("llm", Reason.NO_MODEL)
        headers: dict[str, str] = {}
        propagate.inject(headers)
        messages: Any = list(prompt.messages)
        response_format: Any = {
            "type": "json_schema",
            "json_schema": {"name": prompt.name, "schema": prompt.schema, "strict": True},
        }
        try:
            # The client's own limit is that of each part of a reply: one that comes in drops would never be late.
            async with asyncio.timeout(timeout):
                reply = await self._client.chat.completions.create(
                    model=self._model,
                    messages=messages,
                    response_format=response_format,
                    max_tokens=max_tokens,
                    temperature=temperature,
                    timeout=timeout,
                    extra_headers=headers,
                )
        except (APITimeoutError, TimeoutError):
            raise PartUnavailable("llm", Reason.TIMEOUT) from None
        except APIConnectionError:
            raise PartUnavailable("llm", Reason.UNAVAILABLE, "unreachable") from None
        except APIStatusError as error:
            raise PartUnavailable("llm", _reason(error.status_code), f"HTTP status {error.status_code}") from None
        except ValueError:
            raise PartUnavailable("llm", Reason.FAILED, "its reply is no JSON") from None
        return _read(reply)

    async def close(self) -> None:
        """Closes its connections."""
        await self._client.close()


def _read(reply: Any) -> tuple[str, TokenUsage]:
    """Text and tokens. The client does not check what it was sent: a proxy's page comes as a text, a field as None.

    Raises:
        PartUnavailable: what answered is no completion.
    """
    try:
        usage = reply.usage
        tokens = TokenUsage(usage.prompt_tokens or 0, usage.completion_tokens or 0, 1) if usage else TokenUsage(calls=1)
        return str(reply.choices[0].message.content or ""), tokens
    except (AttributeError, IndexError, TypeError):
        raise PartUnavailable("llm", Reason.FAILED, "its reply is no completion") from None


def _reason(status: int) -> Reason:
    """503 comes from Envoy's breaker or a model that is away, 429 from a busy one."""
    return {429: Reason.OVERLOADED, 503: Reason.UNAVAILABLE, 504: Reason.TIMEOUT}.get(status, Reason.FAILED)
