# Generated from openapi.yaml by scripts/regen; do not edit.

"""The schemas of the contract as classes; each module is imported when its class is first used."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .a2a_connection_create import A2AConnectionCreate
    from .a2a_settings import A2ASettings
    from .agent_ref import AgentRef
    from .benchmark import Benchmark
    from .benchmark_check import BenchmarkCheck
    from .benchmark_create import BenchmarkCreate
    from .benchmark_example import BenchmarkExample
    from .benchmark_page import BenchmarkPage
    from .benchmark_ref import BenchmarkRef
    from .benchmark_source import BenchmarkSource
    from .call import Call
    from .call_page import CallPage
    from .call_try import CallTry
    from .comparison import Comparison
    from .concurrency_plan import ConcurrencyPlan
    from .connection import Connection
    from .connection_page import ConnectionPage
    from .coverage import Coverage
    from .coverage_plan import CoveragePlan
    from .delivery_key import DeliveryKey
    from .difference import Difference
    from .event_scope_value import EventScopeValue
    from .export_document import ExportDocument
    from .export_format_value import ExportFormatValue
    from .flip import Flip
    from .flip_side import FlipSide
    from .free_pricing import FreePricing
    from .full_coverage import FullCoverage
    from .gateway_key import GatewayKey
    from .given_answer import GivenAnswer
    from .group_score import GroupScore
    from .health import Health
    from .identity import Identity
    from .integrity_value import IntegrityValue
    from .json_object import JsonObject
    from .key import Key
    from .key_create import KeyCreate
    from .key_created import KeyCreated
    from .key_page import KeyPage
    from .key_update import KeyUpdate
    from .lease import Lease
    from .lease_batch import LeaseBatch
    from .lease_renewal import LeaseRenewal
    from .lease_renewal_request import LeaseRenewalRequest
    from .lease_request import LeaseRequest
    from .lease_state import LeaseState
    from .ledger_difference import LedgerDifference
    from .ledger_entry import LedgerEntry
    from .ledger_entry_page import LedgerEntryPage
    from .local_agent import LocalAgent
    from .metadata import Metadata
    from .metric import Metric
    from .model import Model
    from .model_connection_create import ModelConnectionCreate
    from .model_page import ModelPage
    from .model_ref import ModelRef
    from .observed_tokens import ObservedTokens
    from .paired_test import PairedTest
    from .plan import Plan
    from .plan_line import PlanLine
    from .price import Price
    from .price_tier import PriceTier
    from .problem import Problem
    from .protocol import Protocol
    from .python_agent import PythonAgent
    from .quote import Quote
    from .registry_agent import RegistryAgent
    from .remote_agent import RemoteAgent
    from .row_problem import RowProblem
    from .run import Run
    from .run_comparison import RunComparison
    from .run_event import RunEvent
    from .run_event_page import RunEventPage
    from .run_from_quote import RunFromQuote
    from .run_from_spec import RunFromSpec
    from .run_page import RunPage
    from .run_spec import RunSpec
    from .run_status_value import RunStatusValue
    from .sample_coverage import SampleCoverage
    from .scope_value import ScopeValue
    from .span import Span
    from .span_coverage_value import SpanCoverageValue
    from .span_origin_value import SpanOriginValue
    from .span_page import SpanPage
    from .span_status_value import SpanStatusValue
    from .span_tokens import SpanTokens
    from .submission import Submission
    from .submitted_file import SubmittedFile
    from .task_error import TaskError
    from .task_failure import TaskFailure
    from .task_notes import TaskNotes
    from .task_result import TaskResult
    from .task_result_page import TaskResultPage
    from .token_pricing import TokenPricing
    from .top_up import TopUp
    from .trace import Trace
    from .trace_batch import TraceBatch
    from .trace_batch_receipt import TraceBatchReceipt
    from .trace_connection_create import TraceConnectionCreate
    from .trace_destination import TraceDestination
    from .trace_limits import TraceLimits
    from .trace_name import TraceName
    from .trace_page import TracePage
    from .trace_receipt import TraceReceipt
    from .trace_seal import TraceSeal
    from .trace_settings import TraceSettings
    from .trace_span import TraceSpan
    from .trace_span_attributes import TraceSpanAttributes
    from .upload import Upload
    from .upload_create import UploadCreate
    from .usage import Usage
    from .wallet import Wallet
    from .wallet_verification import WalletVerification
    from .workspace import Workspace
    from .workspace_update import WorkspaceUpdate

__all__ = (
    "A2AConnectionCreate",
    "A2ASettings",
    "AgentRef",
    "Benchmark",
    "BenchmarkCheck",
    "BenchmarkCreate",
    "BenchmarkExample",
    "BenchmarkPage",
    "BenchmarkRef",
    "BenchmarkSource",
    "Call",
    "CallPage",
    "CallTry",
    "Comparison",
    "ConcurrencyPlan",
    "Connection",
    "ConnectionPage",
    "Coverage",
    "CoveragePlan",
    "DeliveryKey",
    "Difference",
    "EventScopeValue",
    "ExportDocument",
    "ExportFormatValue",
    "Flip",
    "FlipSide",
    "FreePricing",
    "FullCoverage",
    "GatewayKey",
    "GivenAnswer",
    "GroupScore",
    "Health",
    "Identity",
    "IntegrityValue",
    "JsonObject",
    "Key",
    "KeyCreate",
    "KeyCreated",
    "KeyPage",
    "KeyUpdate",
    "Lease",
    "LeaseBatch",
    "LeaseRenewal",
    "LeaseRenewalRequest",
    "LeaseRequest",
    "LeaseState",
    "LedgerDifference",
    "LedgerEntry",
    "LedgerEntryPage",
    "LocalAgent",
    "Metadata",
    "Metric",
    "Model",
    "ModelConnectionCreate",
    "ModelPage",
    "ModelRef",
    "ObservedTokens",
    "PairedTest",
    "Plan",
    "PlanLine",
    "Price",
    "PriceTier",
    "Problem",
    "Protocol",
    "PythonAgent",
    "Quote",
    "RegistryAgent",
    "RemoteAgent",
    "RowProblem",
    "Run",
    "RunComparison",
    "RunEvent",
    "RunEventPage",
    "RunFromQuote",
    "RunFromSpec",
    "RunPage",
    "RunSpec",
    "RunStatusValue",
    "SampleCoverage",
    "ScopeValue",
    "Span",
    "SpanCoverageValue",
    "SpanOriginValue",
    "SpanPage",
    "SpanStatusValue",
    "SpanTokens",
    "Submission",
    "SubmittedFile",
    "TaskError",
    "TaskFailure",
    "TaskNotes",
    "TaskResult",
    "TaskResultPage",
    "TokenPricing",
    "TopUp",
    "Trace",
    "TraceBatch",
    "TraceBatchReceipt",
    "TraceConnectionCreate",
    "TraceDestination",
    "TraceLimits",
    "TraceName",
    "TracePage",
    "TraceReceipt",
    "TraceSeal",
    "TraceSettings",
    "TraceSpan",
    "TraceSpanAttributes",
    "Upload",
    "UploadCreate",
    "Usage",
    "Wallet",
    "WalletVerification",
    "Workspace",
    "WorkspaceUpdate",
)

_MODULES = {
    "A2AConnectionCreate": ".a2a_connection_create",
    "A2ASettings": ".a2a_settings",
    "AgentRef": ".agent_ref",
    "Benchmark": ".benchmark",
    "BenchmarkCheck": ".benchmark_check",
    "BenchmarkCreate": ".benchmark_create",
    "BenchmarkExample": ".benchmark_example",
    "BenchmarkPage": ".benchmark_page",
    "BenchmarkRef": ".benchmark_ref",
    "BenchmarkSource": ".benchmark_source",
    "Call": ".call",
    "CallPage": ".call_page",
    "CallTry": ".call_try",
    "Comparison": ".comparison",
    "ConcurrencyPlan": ".concurrency_plan",
    "Connection": ".connection",
    "ConnectionPage": ".connection_page",
    "Coverage": ".coverage",
    "CoveragePlan": ".coverage_plan",
    "DeliveryKey": ".delivery_key",
    "Difference": ".difference",
    "EventScopeValue": ".event_scope_value",
    "ExportDocument": ".export_document",
    "ExportFormatValue": ".export_format_value",
    "Flip": ".flip",
    "FlipSide": ".flip_side",
    "FreePricing": ".free_pricing",
    "FullCoverage": ".full_coverage",
    "GatewayKey": ".gateway_key",
    "GivenAnswer": ".given_answer",
    "GroupScore": ".group_score",
    "Health": ".health",
    "Identity": ".identity",
    "IntegrityValue": ".integrity_value",
    "JsonObject": ".json_object",
    "Key": ".key",
    "KeyCreate": ".key_create",
    "KeyCreated": ".key_created",
    "KeyPage": ".key_page",
    "KeyUpdate": ".key_update",
    "Lease": ".lease",
    "LeaseBatch": ".lease_batch",
    "LeaseRenewal": ".lease_renewal",
    "LeaseRenewalRequest": ".lease_renewal_request",
    "LeaseRequest": ".lease_request",
    "LeaseState": ".lease_state",
    "LedgerDifference": ".ledger_difference",
    "LedgerEntry": ".ledger_entry",
    "LedgerEntryPage": ".ledger_entry_page",
    "LocalAgent": ".local_agent",
    "Metadata": ".metadata",
    "Metric": ".metric",
    "Model": ".model",
    "ModelConnectionCreate": ".model_connection_create",
    "ModelPage": ".model_page",
    "ModelRef": ".model_ref",
    "ObservedTokens": ".observed_tokens",
    "PairedTest": ".paired_test",
    "Plan": ".plan",
    "PlanLine": ".plan_line",
    "Price": ".price",
    "PriceTier": ".price_tier",
    "Problem": ".problem",
    "Protocol": ".protocol",
    "PythonAgent": ".python_agent",
    "Quote": ".quote",
    "RegistryAgent": ".registry_agent",
    "RemoteAgent": ".remote_agent",
    "RowProblem": ".row_problem",
    "Run": ".run",
    "RunComparison": ".run_comparison",
    "RunEvent": ".run_event",
    "RunEventPage": ".run_event_page",
    "RunFromQuote": ".run_from_quote",
    "RunFromSpec": ".run_from_spec",
    "RunPage": ".run_page",
    "RunSpec": ".run_spec",
    "RunStatusValue": ".run_status_value",
    "SampleCoverage": ".sample_coverage",
    "ScopeValue": ".scope_value",
    "Span": ".span",
    "SpanCoverageValue": ".span_coverage_value",
    "SpanOriginValue": ".span_origin_value",
    "SpanPage": ".span_page",
    "SpanStatusValue": ".span_status_value",
    "SpanTokens": ".span_tokens",
    "Submission": ".submission",
    "SubmittedFile": ".submitted_file",
    "TaskError": ".task_error",
    "TaskFailure": ".task_failure",
    "TaskNotes": ".task_notes",
    "TaskResult": ".task_result",
    "TaskResultPage": ".task_result_page",
    "TokenPricing": ".token_pricing",
    "TopUp": ".top_up",
    "Trace": ".trace",
    "TraceBatch": ".trace_batch",
    "TraceBatchReceipt": ".trace_batch_receipt",
    "TraceConnectionCreate": ".trace_connection_create",
    "TraceDestination": ".trace_destination",
    "TraceLimits": ".trace_limits",
    "TraceName": ".trace_name",
    "TracePage": ".trace_page",
    "TraceReceipt": ".trace_receipt",
    "TraceSeal": ".trace_seal",
    "TraceSettings": ".trace_settings",
    "TraceSpan": ".trace_span",
    "TraceSpanAttributes": ".trace_span_attributes",
    "Upload": ".upload",
    "UploadCreate": ".upload_create",
    "Usage": ".usage",
    "Wallet": ".wallet",
    "WalletVerification": ".wallet_verification",
    "Workspace": ".workspace",
    "WorkspaceUpdate": ".workspace_update",
}

if not TYPE_CHECKING:

    def __getattr__(name):
        module = _MODULES.get(name)
        if module is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = globals()[name] = getattr(import_module(module, __name__), name)
        return value

    def __dir__():
        return sorted([*globals(), *__all__])
