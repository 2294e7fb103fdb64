"""The language model over the OpenAI API, through the mesh. Envoy owns retries, so the client's own are off."""

from __future__ import annotations

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
            reply = await self._client.chat.completions.create(
                model=self._model,
                messages=messages,
                response_format=response_format,
                max_tokens=max_tokens,
                temperature=temperature,
                timeout=timeout,
                extra_headers=headers,
            )
        except APITimeoutError:
            raise PartUnavailable("llm", Reason.TIMEOUT) from None
        except APIConnectionError:
            raise PartUnavailable("llm", Reason.UNAVAILABLE, "unreachable") from None
        except APIStatusError as error:
            raise PartUnavailable("llm", _reason(error.status_code), f"HTTP status {error.status_code}") from None
        usage = reply.usage
        tokens = TokenUsage(usage.prompt_tokens, usage.completion_tokens, 1) if usage else TokenUsage(calls=1)
        return (reply.choices[0].message.content or "" if reply.choices else ""), tokens

    async def close(self) -> None:
        """Closes its connections."""
        await self._client.close()


def _reason(status: int) -> Reason:
    """503 comes from Envoy's breaker or a model that is away, 429 from a busy one."""
    return {429: Reason.OVERLOADED, 503: Reason.UNAVAILABLE, 504: Reason.TIMEOUT}.get(status, Reason.FAILED)
