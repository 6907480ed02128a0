"""How a task's answer is assessed: the one seam between the runners and every kind of grader.

Pure graders go straight to `grading.grade`. A grader that needs more than the answer's text plugs in here, as a case
of `Assessor.assess`: one that runs code gets the sandbox, one that asks a model the gateway. A judge's call is made
with `submission.judge` and a call key of its own under the task (`f"{submission.task_id}:judge:0"`), so that it is
metered inside the run's cap and replayed, never made again, after a crash; what it was charged stands in
`Assessment.charge_microusd`, what it was asked and said in `Assessment.details`.
"""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from functools import partial

from pydantic import JsonValue

from evalrouter_server.gateway.gateway import Gateway
from evalrouter_server.grading import (
    CodeGrader,
    CustomGrader,
    GraderSpec,
    JudgeGrader,
    LimitGrader,
    MathGrader,
    RepositoryGrader,
    Verdict,
    code,
    grade,
    limit,
    mathematics,
    repository,
)
from evalrouter_server.grading.custom import decoded_files
from evalrouter_server.runners.equality import PROCESSES, BoundedEquality, EqualityUnavailable
from evalrouter_server.runners.judge import judge
from evalrouter_server.runners.submission import Assessment, NotAssessed, Submission
from evalrouter_server.sandbox import Sandbox, SandboxFailed
from evalrouter_server.sandbox.custom import GraderFailed, grade_with
from evalrouter_server.sandbox.program import run_program
from evalrouter_server.sandbox.repository import run_tests

LONG_OUTPUT = 100_000
"""Characters from which on an answer is graded in a thread, so that others' work goes on meanwhile."""


class Assessor:
    """Assesses answers.

    Args:
        gateway: Makes the calls of graders that ask a model.
        sandbox: Runs the code of graders that need it.
    """

    def __init__(self, gateway: Gateway, sandbox: Sandbox) -> None:
        self._gateway = gateway
        self._sandbox = sandbox
        self._equality = BoundedEquality()
        self._threads = ThreadPoolExecutor(PROCESSES, thread_name_prefix="mathematics")

    def close(self) -> None:
        """End what assessing keeps running."""
        self._sandbox.close()
        self._equality.close()
        self._threads.shutdown(cancel_futures=True)

    async def require(self, grader: GraderSpec) -> None:
        """Make sure that this machine has what a grader needs, before anything is promised or paid.

        Args:
            grader: A benchmark's grader.

        Raises:
            Problem: `sandbox_unavailable`.
        """
        if isinstance(grader, CodeGrader | CustomGrader | RepositoryGrader):
            await self._sandbox.require()

    async def assess(self, submission: Submission) -> Assessment:
        """Come to a verdict.

        Args:
            submission: The answer and its task.

        Raises:
            NotAssessed: The grader failed, not the answer. A grader that asks a model turns `CallFailed` into it.
            BudgetExhausted: The run's cap cannot pay for a call of the grader; the task is given back.
            RunStopped: The run takes no new calls; the task is given back.
        """
        match submission.grader:
            case CodeGrader() as grader:
                return await self._code(grader, submission)
            case CustomGrader() as grader:
                return await self._custom(grader, submission)
            case RepositoryGrader() as grader:
                return await self._repository(grader, submission)
            case JudgeGrader() as grader:
                return await judge(self._gateway, grader, submission)
            case LimitGrader() as grader:
                return Assessment(_within(grader, submission))
            case MathGrader() as grader:
                return Assessment(await self._mathematics(grader, submission))
            case grader:
                grading = partial(
                    grade,
                    grader,
                    output=submission.output,
                    target=submission.item.target,
                    finish_reason=submission.finish_reason,
                )
                is_long = len(submission.output) > LONG_OUTPUT
                return Assessment(await asyncio.to_thread(grading) if is_long else grading())

    async def _code(self, grader: CodeGrader, submission: Submission) -> Assessment:
        item = submission.item
        answer = code.extract(grader, output=submission.output, inputs=item.inputs, target=item.target)
        if answer is None:
            return Assessment(Verdict.none("no_code"))
        program = code.assemble(grader, answer, item.target)
        try:
            ran = await run_program(self._sandbox, program, seconds=grader.seconds, memory_mib=grader.memory_mib)
        except SandboxFailed as error:
            raise NotAssessed(
                "sandbox_failed", f"The answer's code was not run, because the sandbox failed: {error.reason}"
            ) from error
        details: dict[str, JsonValue] = {"stderr": ran.stderr, "seconds": round(ran.seconds, 3)}
        return Assessment(Verdict.of(ran.rule == "passed", answer, ran.rule), details)

    async def _custom(self, grader: CustomGrader, submission: Submission) -> Assessment:
        item = submission.item
        try:
            verdict, details = await grade_with(
                self._sandbox,
                decoded_files(grader.files),
                output=submission.output,
                target=item.target,
                inputs=item.inputs,
            )
        except GraderFailed as error:
            raise NotAssessed(
                "grader_failed", f"The benchmark's own grader did not grade the answer: {error.reason}"
            ) from error
        except SandboxFailed as error:
            raise NotAssessed(
                "sandbox_failed", f"The benchmark's own grader was not run, because the sandbox failed: {error.reason}"
            ) from error
        return Assessment(verdict, details)

    async def _repository(self, grader: RepositoryGrader, submission: Submission) -> Assessment:
        item = submission.item
        tests = repository.hidden_tests(item.target)
        changes = repository.changes_in(submission.output)
        if not changes.files:
            return Assessment(Verdict.none("no_changes"), {"left_out": list(changes.left_out)})
        files, in_the_way = repository.laid_over(repository.files_of(item.inputs), changes.files)
        try:
            reports, said = await run_tests(
                self._sandbox,
                files,
                [test.script for test in tests],
                seconds=grader.seconds,
                memory_mib=grader.memory_mib,
            )
        except SandboxFailed as error:
            raise NotAssessed(
                "sandbox_failed", f"The hidden tests were not run, because the sandbox failed: {error.reason}"
            ) from error
        verdict, ended = repository.verdict_of(tests, reports, changes.files)
        details: dict[str, JsonValue] = {
            "tests": dict(ended),
            "left_out": [*changes.left_out, *in_the_way],
            "stderr": said,
        }
        return Assessment(verdict, details)

    async def _mathematics(self, grader: MathGrader, submission: Submission) -> Verdict:
        grading = partial(
            mathematics.grade,
            grader,
            output=submission.output,
            target=submission.item.target,
            finish_reason=submission.finish_reason,
            equality=self._equality,
        )
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, grading)
        except EqualityUnavailable as error:
            raise NotAssessed("grader_unavailable", str(error)) from error


def _within(grader: LimitGrader, submission: Submission) -> Verdict:
    recorded = submission.item.recorded
    if recorded is None:
        raise NotAssessed("not_measured", "The answer was not recorded with what it took.")
    cost = None if recorded.cost_usd is None else Decimal(recorded.cost_usd)
    try:
        return limit.grade(grader, limit.Measured(recorded.seconds, recorded.tokens, cost))
    except limit.NotMeasured as error:
        raise NotAssessed("not_measured", f"The trace was not graded: {error}.") from None
