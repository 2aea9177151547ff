"""An AWS account on this machine: MiniStack, on the loopback only, with what a deployment of this service needs besides.

GATEWAY_PORT serves the AWS APIs, API_PORT the only HTTP API of the account at its root, as https://<id>.execute-api does.
PUT and DELETE /_account/iam switch the enforcement of IAM policies: with AUTH=true from the start, `cdk deploy` could not
publish its assets.
"""

import asyncio
import inspect
import os

os.environ["MINISTACK_HOST"] = "127.0.0.1"
AWS_PORT, API_PORT = int(os.environ["GATEWAY_PORT"]), int(os.environ["API_PORT"])

# MiniStack reads its settings when it is imported.
from hypercorn.asyncio import serve  # noqa: E402
from hypercorn.config import Config  # noqa: E402
from ministack import app as ministack  # noqa: E402
from ministack.core import iam_actions, iam_evaluator, lambda_runtime  # noqa: E402
from ministack.services import apigateway  # noqa: E402
from ministack.services.cloudformation import provisioners  # noqa: E402


def keep_alarms_of_metric_math():
    """MiniStack refuses alarms of metric math. Each becomes an alarm of its first metric."""
    create = provisioners._cw_metric_alarm_record

    def create_any(name, properties):
        metrics = [metric["MetricStat"] for metric in properties.get("Metrics", []) if metric.get("MetricStat")]
        if metrics:
            others = {key: value for key, value in properties.items() if key != "Metrics"}
            first = metrics[0]
            properties = {**others, **first["Metric"], "Period": first["Period"], "Statistic": first["Stat"]}
        return create(name, properties)

    provisioners._cw_metric_alarm_record = create_any


def pass_preflights_to_routes():
    """MiniStack itself answers OPTIONS. On AWS, only an HTTP API with a CORS configuration does."""
    source = inspect.getsource(apigateway._handle_execute_in_scope)
    condition = 'if method == "OPTIONS":'
    assert condition in source
    changed = source.replace(condition, 'if method == "OPTIONS" and cors_cfg:')
    exec(compile(changed, apigateway.__file__, "exec"), apigateway.__dict__)


def count_loopback_as_tls():
    """The policies of queues and the bucket deny requests without TLS, and MiniStack enforces them."""
    pin = iam_evaluator.pin_request_origin

    def pin_secure(source_ip, _secure_transport):
        return pin(source_ip, True)

    iam_evaluator.pin_request_origin = pin_secure
    if hasattr(ministack, "pin_request_origin"):
        ministack.pin_request_origin = pin_secure


def keep_attributes_in_nested_stacks():
    """In an update of a nested stack, MiniStack forgets the attributes of unchanged resources, so `Fn::GetAtt` fails."""
    create, update = provisioners._provision_resource, provisioners._update_resource
    known = {}

    def create_and_keep(kind, *args, **options):
        name, attributes = create(kind, *args, **options)
        known[kind, name] = attributes
        return name, attributes

    def update_and_keep(kind, *args, **options):
        name, attributes = update(kind, *args, **options)
        known[kind, name] = attributes or known.get((kind, name), {})
        return name, known[kind, name]

    provisioners._provision_resource, provisioners._update_resource = create_and_keep, update_and_keep


def keep_rows_of_changed_tables():
    """MiniStack replaces a table without a declared name when its indexes change. AWS changes it in place."""
    update = provisioners._ddb_update

    def update_in_place(table, before, after, *args, **options):
        return update(table, before, {**after, "TableName": table}, *args, **options)

    provisioners._ddb_update = update_in_place


def send_functions_to_this_account():
    """The functions' variables of endpoints are empty, so that `sam local` can set them."""
    create = lambda_runtime.Worker.__init__

    def create_here(self, name, config, code, *args, **options):
        variables = (config.get("Environment") or {}).get("Variables") or {}
        empty = [key for key, value in variables.items() if key.startswith("AWS_ENDPOINT_URL_") and not value]
        endpoints = {key: f"http://127.0.0.1:{AWS_PORT}" for key in empty}
        create(self, name, {**config, "Environment": {"Variables": {**variables, **endpoints}}}, code, *args, **options)

    lambda_runtime.Worker.__init__ = create_here


def find_cjs_modules():
    """MiniStack finds only .js and .mjs files of a handler. Lambda finds .cjs files, too."""
    extension = "require.extensions['.cjs'] = require.extensions['.js'];\n"
    lambda_runtime._NODEJS_WORKER_SCRIPT = extension + lambda_runtime._NODEJS_WORKER_SCRIPT


def authorize_batches_as_messages():
    """MiniStack asks for sqs:SendMessageBatch, which no policy can name. AWS asks for sqs:SendMessage."""
    extract = iam_actions.extract_iam_action

    def extract_any(*request):
        action = extract(*request)
        return action.removesuffix("Batch") if action and action.startswith("sqs:") else action

    iam_actions.extract_iam_action = extract_any


def find_api():
    """The id of the only HTTP API."""
    apis = getattr(apigateway._apis, "_data", None) or getattr(apigateway._apis, "_store", None) or {}
    ids = {key[-1] if isinstance(key, tuple) else key for key in apis}
    return next((name for name in ids if isinstance(name, str)), None)


async def respond(send, status, body=b""):
    await send({"type": "http.response.start", "status": status, "headers": []})
    await send({"type": "http.response.body", "body": body})


def to_api(scope):
    """A request to API_PORT, as MiniStack addresses the HTTP API: by host, or by path where the host has a path of its own."""
    api = find_api()
    host, path = f"{api}.execute-api.127.0.0.1", {}
    if scope["path"] == "/health":
        host, prefix = f"127.0.0.1:{AWS_PORT}", f"/_aws/execute-api/{api}"
        path = {"path": prefix + scope["path"], "raw_path": prefix.encode() + scope["raw_path"]}
    headers = [(name, host.encode() if name == b"host" else value) for name, value in scope["headers"]]
    return {**scope, **path, "headers": headers}


async def account(scope, receive, send):
    if scope["type"] != "http":
        return await ministack.app(scope, receive, send)
    if scope["path"] == "/_account/iam":
        ministack.AUTH = scope["method"] == "PUT"
        return await respond(send, 204)
    is_api = scope["server"][1] == API_PORT
    await ministack.app(to_api(scope) if is_api else scope, receive, send)


keep_alarms_of_metric_math()
pass_preflights_to_routes()
count_loopback_as_tls()
keep_attributes_in_nested_stacks()
keep_rows_of_changed_tables()
send_functions_to_this_account()
find_cjs_modules()
authorize_batches_as_messages()

config = Config()
config.bind = [f"127.0.0.1:{AWS_PORT}", f"127.0.0.1:{API_PORT}"]
config.keep_alive_timeout = 75
asyncio.run(serve(account, config))
