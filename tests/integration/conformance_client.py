#!/usr/bin/env python3
"""What @modelcontextprotocol/conformance runs as the client: client_probe, with the calls that the scenario waits for. conformance_client.py URL"""
import json
import os
import sys

CALLS = {
    "tools_call": [("add_numbers", {"a": 5, "b": 3})],
    "sse-retry": [("test_reconnection", {})],
    "elicitation-sep1034-client-defaults": [("test_client_elicitation_defaults", {})],
    "http-standard-headers": [("test_headers", {})],
    "http-invalid-tool-headers": [("valid_tool", {"region": "eu"})],
    "sep-2322-client-request-state": [(name, {}) for name in ("test_mrtr_echo_state", "test_mrtr_unrelated", "test_mrtr_no_state", "test_mrtr_no_result_type")],
}
context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
calls = [(each["name"], each["arguments"]) for each in context.get("toolCalls", [])] or CALLS.get(os.environ["MCP_CONFORMANCE_SCENARIO"], [])
arguments = [word for name, values in calls for word in ("--call", name, json.dumps(values))]
probe = os.environ["CLIENT_PROBE"]
os.execv(probe, [probe, "--accept", *arguments, sys.argv[-1]])
