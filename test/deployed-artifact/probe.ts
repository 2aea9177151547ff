import * as v from 'valibot';
import type { Operation } from '#shared/platform/endpoint.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import { make, request } from '#test/support/requests.ts';
import type { Answer } from '#test/support/service.ts';
import type { Deployment } from './deployment.ts';

/** A page's origin, which the deployment's settings allow. */
export const ORIGIN = 'https://pages.test';

/** What an answer lacks of an operation's success, in a line; nothing when it proves that the operation works. */
const lacks = ({ status, headers, text, json }: Answer, operation: Operation, version: Version): string | undefined => {
  const resource = operation.returns[status as keyof Operation['returns']];
  if (resource === undefined) return `answers ${status}: ${text}`;
  if (headers['access-control-allow-origin'] !== ORIGIN) return `does not let ${ORIGIN} in`;
  if (resource === null) return text === '' ? undefined : `answers a body: ${text}`;
  const rows = operation.lists ? json.data : [json];
  if (rows.length === 0) return 'answers no row';
  const misfits = Object.entries(resource.fields[version]).filter(([name, { schema }]) =>
    rows.some((row: Record<string, unknown>) => !v.is(schema, row[name])),
  );
  return misfits.length === 0 ? undefined : `answers a body without ${misfits.map(([name]) => name).join(', ')}`;
};

/**
 * Makes what an operation is about, sends it a request that it accepts, and tells what is wrong with its answer.
 * Whatever goes wrong on the way is told as well, so that a defect anywhere shows here.
 */
export const probe = async (
  deployment: Deployment,
  operation: Operation,
  version: Version,
): Promise<string | undefined> => {
  try {
    const { target, sent } = request(operation, version, await make(deployment, operation));
    const answer = await deployment.send(target, { ...sent, headers: { ...sent.headers, origin: ORIGIN } });
    return lacks(answer, operation, version);
  } catch (error) {
    return (error as Error).message;
  }
};
