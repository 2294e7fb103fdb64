"""The schema of ``config/policy.yaml``: what a knowledge owner may write, checked before it is used."""

from __future__ import annotations

from collections import Counter
from string import Formatter
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from services.orchestrator.adapters.cel import ConditionError, check_condition
from services.orchestrator.domain import policy as domain
from services.orchestrator.domain.plan import SearchKind


def _condition(text: str) -> str:
    try:
        check_condition(text)
    except ConditionError as error:
        raise ValueError(str(error)) from None
    return text


_TEMPLATE_NAMES = ("item", "attributes", "question")


def _template(text: str) -> str:
    """Looked at and not tried: a width or an attribute in a field would be carried out by whoever may send a policy."""
    try:
        fields = [field for field in Formatter().parse(text) if field[1] is not None]
    except ValueError:
        fields = [("", None, "", None)]
    if any(name not in _TEMPLATE_NAMES or spec or conversion for _, name, spec, conversion in fields):
        raise ValueError("may use {item}, {attributes} and {question} only")
    return text


Condition = Annotated[str, Field(min_length=1, max_length=2000), AfterValidator(_condition)]
Identifier = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$", max_length=64)]
Weight = Annotated[float, Field(ge=0, le=1)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class BoostModel(_Strict):
    when: Condition
    multiply: float = Field(gt=0, le=10)


class RouteModel(_Strict):
    id: Identifier
    knowledge_base: str = Field(pattern=r"^(\*|[A-Za-z0-9][A-Za-z0-9_-]*)$", max_length=64)
    search: SearchKind
    query: domain.QuerySource = domain.QuerySource.QUESTION
    template: Annotated[str, Field(max_length=500), AfterValidator(_template)] = "{item}"
    when: Condition = "true"
    priority: int = Field(1, ge=1, le=9)
    weight: Weight = 1.0
    boosts: tuple[BoostModel, ...] = ()
    top_k: int = Field(10, ge=1, le=200)
    limit: int = Field(3, ge=1, le=8)
    rerank: bool = False
    include_superseded: Condition = "false"
    doc_types: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    depends_on: str = ""
    seats: int = Field(1, ge=0, le=8)

    @model_validator(mode="after")
    def _best_passage_needs_a_route(self) -> RouteModel:
        if (self.query is domain.QuerySource.BEST_PASSAGE) != bool(self.depends_on):
            raise ValueError("query best_passage and depends_on go together: depends_on names the route it waits for")
        return self


class OverrideModel(_Strict):
    id: Identifier
    when: Condition
    search: SearchKind | None = None
    top_k: int | None = Field(None, ge=1, le=200)
    rerank: bool | None = None


class CredibilityModel(_Strict):
    influence: Weight = 0.4
    recency: Weight = 0.3
    authority: Weight = 0.3
    number_density: Weight = 0.1
    validity: Weight = 0.2
    health: Weight = 0.1
    recency_half_life_days: float = Field(730, gt=0, le=36500)


class ContextModel(_Strict):
    max_passages: int = Field(8, ge=1, le=64)
    max_tokens: int = Field(1800, ge=100, le=200_000)
    min_tokens_per_passage: int = Field(60, ge=10, le=2000)
    duplicate_similarity: Weight = 0.9
    rrf_k: int = Field(60, ge=1, le=1000)


class SufficiencyRuleModel(_Strict):
    id: Identifier
    when: Condition
    then: Literal["answer", "search_again", "refuse"]


class StrategyRuleModel(_Strict):
    when: Condition
    use: domain.Strategy


class GenerationModel(_Strict):
    strategies: tuple[StrategyRuleModel, ...] = Field(min_length=1)
    max_statements: int = Field(6, ge=1, le=40)
    per_evidence_passages: int = Field(3, ge=1, le=16)
    per_evidence_min_confidence: Weight = 0.0
    max_tokens: int = Field(400, ge=16, le=8192)
    temperature: float = Field(0.0, ge=0, le=2)
    timeout_seconds: float = Field(20, gt=0, le=600)


class LimitsModel(_Strict):
    max_rounds: int = Field(2, ge=1, le=6)
    max_attempts: int = Field(2, ge=0, le=6)
    max_tasks: int = Field(24, ge=1, le=32)
    max_seconds: float = Field(30, gt=0, le=600)
    reserve_seconds: float = Field(1.0, ge=0, le=60)
    search_timeout_seconds: float = Field(5, gt=0, le=120)
    call_timeout_seconds: float = Field(3, gt=0, le=60)
    min_confidence: Weight = 0.0


class PolicyModel(_Strict):
    routes: tuple[RouteModel, ...] = Field(min_length=1)
    overrides: tuple[OverrideModel, ...] = ()
    credibility: CredibilityModel = CredibilityModel()
    context: ContextModel = ContextModel()
    sufficiency: tuple[SufficiencyRuleModel, ...] = Field(min_length=1)
    generation: GenerationModel
    limits: LimitsModel = LimitsModel()
    contacts: dict[str, str | dict[str, str]] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _names_fit(self) -> PolicyModel:
        for kind, rules in (("override", self.overrides), ("sufficiency rule", self.sufficiency)):
            if repeated := [name for name, count in Counter(rule.id for rule in rules).items() if count > 1]:
                raise ValueError(f"{kind} {repeated[0]!r} stands twice")
        seen: set[str] = set()
        for route in self.routes:
            if route.id in seen:
                raise ValueError(f"route {route.id!r} stands twice")
            if route.depends_on and route.depends_on not in seen:
                raise ValueError(f"route {route.id!r} depends on {route.depends_on!r}, which is no earlier route")
            seen.add(route.id)
        return self

    def to_domain(self, version: str) -> domain.Policy:
        """The dataclass form."""
        generation = self.generation
        return domain.Policy(
            routes=tuple(
                domain.Route(**{**dict(r), "boosts": tuple(domain.Boost(b.when, b.multiply) for b in r.boosts)})
                for r in self.routes
            ),
            overrides=tuple(domain.Override(**dict(o)) for o in self.overrides),
            credibility=domain.Credibility(**dict(self.credibility)),
            context=domain.ContextBudget(**dict(self.context)),
            sufficiency=tuple(domain.SufficiencyRule(**dict(s)) for s in self.sufficiency),
            generation=domain.Generation(
                **{
                    **dict(generation),
                    "strategies": tuple(domain.StrategyRule(s.when, s.use) for s in generation.strategies),
                }
            ),
            limits=domain.Limits(**dict(self.limits)),
            contacts=dict(self.contacts),
            version=version,
        )
