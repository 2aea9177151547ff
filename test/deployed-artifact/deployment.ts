import type { LambdaHandler } from '#shared/platform/http/pipeline/serve.ts';
import { DEFAULT_ROUTE, matches, patternOf, type Route } from '#shared/platform/http/routes.ts';
import type { Resource } from '#test/infra/synthesis/deployment.ts';
import type { ServiceAndDatabase } from '#test/support/requests/requests.ts';
import type { Caller } from '#test/support/service/client.ts';
import { eventOf } from '#test/support/service/event.ts';
import type { Engines } from './engines.ts';
import { type FunctionConfiguration, type Lambda, startLambda } from './lambda.ts';
import type { SynthesizedStack } from './synthesize.ts';

/** Runs the functions of a template as Lambda does, behind the routes of its gateway. */
export interface Deployment extends ServiceAndDatabase {
  /** Invokes a function, by its construct's name (`invoices-get`), with any event. */
  invoke(name: string, event: unknown): Promise<unknown>;
  /** What a function has printed. */
  log(name: string): Promise<string>;
  stop(): Promise<void>;
}

/** The value of a variable that the template declares as a text or as a reference. */
const resolveVariable = (declared: unknown, { resources }: SynthesizedStack, engines: Engines): string => {
  if (typeof declared === 'string') return declared;
  const { Ref } = declared as { Ref?: string };
  const resource = Ref === undefined ? undefined : resources[Ref];
  if (Ref === undefined || !resource) throw new Error(`No resource has the id in ${JSON.stringify(declared)}.`);
  return engines.reference(Ref, resource);
};

const configurationOf = (id: string, synthesized: SynthesizedStack, engines: Engines): FunctionConfiguration => {
  const resource = synthesized.resources[id] as Resource;
  const { Handler, Timeout, MemorySize, Environment, LoggingConfig } = resource.Properties;
  const declared = Object.entries(Environment?.Variables ?? {});
  const variables = declared.map(([name, value]) => [
    name,
    engines.addresses[name] ?? resolveVariable(value, synthesized, engines),
  ]);
  return {
    name: id,
    code: synthesized.codeOf(resource),
    handler: Handler,
    seconds: Timeout,
    memory: MemorySize,
    logFormat: LoggingConfig?.LogFormat ?? 'Text',
    variables: Object.fromEntries(variables),
    keys: engines.keys,
  };
};

/** The gateway's routes, each with the logical id of the function that it leads to; `$default` has no path. */
const routesOf = ({ resources }: SynthesizedStack): Route<string>[] =>
  Object.values(resources)
    .filter(({ Type }) => Type === 'AWS::ApiGatewayV2::Route')
    .map(({ Properties: { RouteKey, Target } }) => {
      const [method, path = ''] = RouteKey.split(' ');
      const integration = resources[Target['Fn::Join'][1][1].Ref] as Resource;
      const target = integration.Properties['IntegrationUri']['Fn::GetAtt'][0];
      return { method, path, pattern: patternOf(path), target };
    });

/**
 * Runs the functions of a template; each starts at its first invocation.
 * @param environment the names of the tables, by their variables
 * @param token issues the token of a caller
 */
export const startDeployment = (
  synthesized: SynthesizedStack,
  engines: Engines,
  environment: Readonly<Record<string, string>>,
  token: (caller: Caller) => Promise<string>,
): Deployment => {
  const running = new Map<string, Promise<Lambda>>();
  const lambda = (id: string): Promise<Lambda> => {
    const started = running.get(id) ?? startLambda(configurationOf(id, synthesized, engines));
    running.set(id, started);
    return started;
  };
  const invoke = async (id: string, event: unknown): Promise<unknown> => (await lambda(id)).invoke(event);
  const routes = routesOf(synthesized);
  const fallback = routes.find(({ path }) => path === '')?.target as string;

  const send: Deployment['send'] = async (target, { as = {}, ...sent } = {}) => {
    const path = target.split('?')[0] as string;
    const found = matches(routes, path).find(({ route }) => route.method === (sent.method ?? 'GET'));
    const headers = { authorization: `Bearer ${await token(as as Caller)}`, ...sent.headers };
    const routeKey = found ? `${found.route.method} ${found.route.path}` : DEFAULT_ROUTE;
    const event = { ...eventOf(target, { ...sent, headers }, found?.parameters), routeKey };
    const answer = (await invoke(found?.route.target ?? fallback, event)) as Awaited<ReturnType<LambdaHandler>>;
    const { statusCode = 200, headers: received, body = '' } = answer;
    const json = /json/.test(String(received['content-type'])) && body !== '' ? JSON.parse(body) : undefined;
    const named = Object.entries(received).map(([name, value]) => [name.toLowerCase(), String(value)]);
    return { status: statusCode, headers: Object.fromEntries(named), text: body, json };
  };
  const stop = async () => {
    for (const started of running.values()) await (await started).stop();
  };
  const { client } = engines;
  const log: Deployment['log'] = async (name) => (await lambda(synthesized.idOf(name))).log();
  return { client, environment, send, invoke: (name, event) => invoke(synthesized.idOf(name), event), log, stop };
};
