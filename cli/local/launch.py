"""Brings the whole stack up, as `make up` and `make demo` do."""

from __future__ import annotations

from rich.console import Console

from cli.local import stack
from cli.local.display import StartDisplay
from cli.local.topology import LocalSettings


def bring_up(settings: LocalSettings, console: Console, wait_for_llm: bool) -> bool:
    """Installs, starts and waits. Returns whether a vLLM of our own was started. Raises what `stack` raises."""

    def report(line: str) -> None:
        console.print(line, highlight=False, soft_wrap=True)

    # Told before minutes of installing: a port in use, or a wrong setting.
    stack.refuse_if_running(settings)
    with_vllm = stack.prepare_vllm(settings, report)
    started = stack.start(settings, with_vllm)
    try:
        with StartDisplay(console) as display:
            looks = stack.wait_until_well(started, settings, display, optional=wait_for_llm)
    except BaseException:
        stack.stop(settings)
        raise
    if wait_for_llm:
        for look in looks:
            if look.part.optional and not look.well:
                report(f"{look.part.name}: not available ({look.words}); the stack goes on without it")
    return with_vllm
