"""Plans of studies made in the browser, stored in their runs."""

from pydantic import TypeAdapter
from sqlalchemy import delete, insert, select

from subitize.annotation import tables
from subitize.annotation.plans import StudyPlan
from subitize.store import Lease, Run

_PLAN = TypeAdapter(StudyPlan)


def save_plan(run: Run, lease: Lease, plan: StudyPlan) -> None:
    """Keep a plan, in place of one of the same name that could not be served; the study exists by now."""
    with run.writing(lease) as connection:
        is_same = (tables.plans.c.run_id == run.run_id) & (tables.plans.c.study == plan.name)
        connection.execute(delete(tables.plans).where(is_same))
        row = {"run_id": run.run_id, "study": plan.name, "plan": _PLAN.dump_json(plan).decode()}
        connection.execute(insert(tables.plans).values(**row))


def read_plans(run: Run) -> list[StudyPlan]:
    """List the plans of a run's studies."""
    query = select(tables.plans.c.plan).where(tables.plans.c.run_id == run.run_id).order_by(tables.plans.c.study)
    return [_PLAN.validate_json(row.plan) for row in tables.read_rows(run, tables.plans, query)]
