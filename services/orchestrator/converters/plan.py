"""Plans."""

from __future__ import annotations

from services.orchestrator.adapters.retrieval_client import to_proto_task
from services.orchestrator.domain.plan import Plan
from trirag.orchestrator.v1 import plan_pb2


def to_proto_plan(plan: Plan) -> plan_pb2.Plan:
    """The message form of a plan."""
    return plan_pb2.Plan(
        tasks=[
            plan_pb2.PlanTask(
                search=to_proto_task(t),
                weight=t.weight,
                priority=t.priority,
                depends_on=t.depends_on,
                route_id=t.route_id,
                reasons=t.reasons,
            )
            for t in plan.tasks
        ],
        policy_version=plan.policy_version,
        decisions=[
            plan_pb2.RuleDecision(rule_id=d.rule_id, condition=d.condition, matched=d.matched) for d in plan.decisions
        ],
        generation_strategy=plan.generation_strategy,
    )
