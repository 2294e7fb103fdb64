"""`make demo`: starts everything, ingests examples/, asks the demo questions, prints verified answers, stops."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from rich.console import Console

from cli.client import Client
from cli.errors import CliError
from cli.evaluate.answers import fault, what_it_said
from cli.local import health, stack, tokens
from cli.local.launch import bring_up
from cli.local.processes import Check
from cli.local.supervise import load_state
from cli.local.topology import ROOT, LocalSettings
from cli.options import ASK_SECONDS, to_date
from cli.settings import ClientSettings

EXAMPLES = ROOT / "examples"
#: Refused drafts are listed only where a model wrote them; quotations are made to pass.
_QUIET_DECISIONS = {"accept", ""}


@dataclass(slots=True)
class Outcome:
    """What came of one question."""

    row: dict[str, Any]
    response: Any = None
    error: str = ""
    #: A line for every draft that the validator did not accept: what was wrong and what was done.
    rejected: list[str] = field(default_factory=list)

    @property
    def mismatch(self) -> str:
        """How the answer differs from what the example expects; empty if it does not."""
        return self.error or fault(self.row, what_it_said(self.response))


def run(settings: LocalSettings, console: Console) -> int:
    """The whole demonstration. Returns the exit status: 0 if every answer is what its row expects."""
    began = time.monotonic()
    own = not stack.processes_of(settings.run_path())
    if own:
        bring_up(settings, console, wait_for_llm=False)
    else:
        console.print("the stack runs already; it is used and left running")
    try:
        console.rule("ingest examples/")
        if not ingest(settings):
            return 1
        _wait_for_llm(settings, console)
        outcomes = [ask(row, settings, console) for row in demo_questions()]
    finally:
        if own:
            stack.stop(settings)
    _summarise(outcomes, console)
    left = "; nothing is left running" if own else ""
    console.print(f"demo: {time.monotonic() - began:.0f} s in all{left}", highlight=False)
    return 1 if any(outcome.mismatch for outcome in outcomes) else 0


def demo_questions() -> list[dict[str, Any]]:
    """Rows of examples/questions.jsonl with `demo` set."""
    lines = (EXAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [row for row in map(json.loads, lines) if row.get("demo")]


def ingest(settings: LocalSettings) -> bool:
    """`trirag ingest` for every folder of examples/corpus. Whether all went well."""
    environment = {**os.environ, "TRIRAG_URL": f"{settings.host}:{settings.edge_port}"}
    for folder in sorted(path for path in (EXAMPLES / "corpus").iterdir() if path.is_dir()):
        words = ["ingest", str(folder), "--kb", folder.name, "--meta", str(folder / "meta.yaml")]
        shown = " ".join(os.path.relpath(word, ROOT) if word.startswith("/") else word for word in words)
        print(f"$ trirag {shown}", flush=True)
        done = subprocess.run([sys.executable, "-m", "cli.main", *words], env=environment, cwd=ROOT)
        if done.returncode != 0:
            return False
    return True


def ask(row: dict[str, Any], settings: LocalSettings, console: Console) -> Outcome:
    """Asks one question as `trirag ask --stream` does, prints steps and answer."""
    from cli.render.answer import print_answer
    from cli.render.events import step_line

    day = f", as of {row['as_of']}" if row.get("as_of") else ""
    console.rule(f"{row['id']}: {row['question']} [{row['kb'] or 'all knowledge bases'}{day}]")
    outcome = Outcome(row)
    token = tokens.make_token(settings.run_path(), "demo", row["groups"], 600) if row.get("groups") else ""
    where = ClientSettings(settings.host, settings.edge_port, token=token)
    try:
        with Client(where, ASK_SECONDS) as client:
            for event in client.stream(client.orchestrator.AskStream, _request(row)):
                if event.WhichOneof("event") == "answer":
                    outcome.response = event.answer
                else:
                    console.print(step_line(event), soft_wrap=True)
                    _note_rejection(event, step_line(event).plain, outcome)
    except CliError as error:
        outcome.error = str(error)
        console.print(outcome.error, style="red")
        return outcome
    if outcome.response is None:
        outcome.error = "the stream ended before the answer"
        return outcome
    print_answer(outcome.response)
    return outcome


def _request(row: dict[str, Any]) -> Any:
    from trirag.orchestrator.v1 import orchestrator_pb2 as pb

    day = date.fromisoformat(row["as_of"]) if row.get("as_of") else None
    kbs = [row["kb"]] if row["kb"] else []
    return pb.AskStreamRequest(ask=pb.AskRequest(question=row["question"], as_of=to_date(day), knowledge_bases=kbs))


def _note_rejection(event: Any, line: str, outcome: Outcome) -> None:
    if event.WhichOneof("event") == "validated" and event.validated.decision not in _QUIET_DECISIONS:
        # Without the time and the name of the step.
        outcome.rejected.append(line.split("validated", 1)[-1].strip())


def _wait_for_llm(settings: LocalSettings, console: Console) -> None:
    """The model server starts while documents are ingested; the first question waits for the rest of it."""
    run = settings.run_path()
    if not stack.was_started(settings, "vllm"):
        return
    # Asked of Envoy: it sends questions to the model only after its own check.
    check = Check("envoy", "127.0.0.1", settings.envoy_admin_port, "llm")
    give_up = time.monotonic() + settings.start_seconds
    with console.status("waiting for vLLM"):
        while not health.well(check):
            state = load_state(run, "vllm")
            if state is None or state.last_exit or time.monotonic() > give_up:
                why = state.last_exit if state and state.last_exit else "it does not answer"
                console.print(f"vllm: not available ({why}); answers are quoted from the evidence and marked degraded")
                return
            time.sleep(0.5)


def _summarise(outcomes: list[Outcome], console: Console) -> None:
    """Three lines at most for every question: what came out, what the example is to show, what was rejected."""

    def line(text: str, style: str = "") -> None:
        console.print(text, style=style, highlight=False, soft_wrap=True, markup=False)

    console.rule("summary")
    for outcome in outcomes:
        wrong = outcome.mismatch
        line(f"{outcome.row['id']}  {_came_out(outcome)}; {f'NOT as expected: {wrong}' if wrong else 'as expected'}",
             "red" if wrong else "green")  # fmt: skip
        line(f"       {outcome.row['shows']}", "dim")
        for rejected in outcome.rejected:
            line(f"       draft {rejected}")
    right = sum(not outcome.mismatch for outcome in outcomes)
    line(f"{right} of {len(outcomes)} as expected")


def _came_out(outcome: Outcome) -> str:
    from cli.render.words import enum_word
    from trirag.orchestrator.v1 import orchestrator_pb2 as pb

    if outcome.response is None:
        return "failed"
    answer = outcome.response.answer
    method = enum_word(pb.AnswerMethod, answer.method)
    by = "" if answer.method == pb.ANSWER_METHOD_NONE else f", {method}"
    degraded = ", degraded" if answer.degraded else ""
    return f"{enum_word(pb.AnswerStatus, answer.status)}{by}{degraded}, {outcome.response.latency_ms:.0f} ms"
