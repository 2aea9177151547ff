import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import type { Operation } from '#shared/platform/http/endpoint.ts';
import type { Version } from '#shared/platform/wire/version.ts';
import { createPrerequisites, request } from '#test/support/requests/requests.ts';
import type { Answer } from '#test/support/service/client.ts';
import type { Deployment } from './deployment.ts';

/** An origin that the deployment's settings allow. */
export const ORIGIN = 'https://pages.test';

/** A line that states how a response differs from an operation's success; undefined when the operation works. */
const findMismatch = (
  { status, headers, text, json }: Answer,
  operation: Operation,
  version: Version,
): string | undefined => {
  const resource = operation.returns[status as keyof Operation['returns']];
  if (resource === undefined) return `answers ${status}: ${text}`;
  if (headers['access-control-allow-origin'] !== ORIGIN) return `does not let ${ORIGIN} in`;
  if (resource === null) return text === '' ? undefined : `answers a body: ${text}`;
  const rows = operation.list ? json.data : [json];
  if (rows.length === 0) return 'answers no row';
  const misfits = Object.entries(resource.fields[version]).filter(([name, { schema }]) =>
    rows.some((row: Record<string, unknown>) => !v.is(schema, row[name])),
  );
  return misfits.length === 0 ? undefined : `answers a body without ${misfits.map(([name]) => name).join(', ')}`;
};

/**
 * Creates the resource of an operation and sends a valid request to the operation.
 * @returns the defect of the response, or the message of an error on the way; undefined when the operation works
 */
export const probe = async (
  deployment: Deployment,
  operation: Operation,
  version: Version,
): Promise<string | undefined> => {
  try {
    // An account of its own, because the numbers of exports and webhook endpoints of an account are limited.
    const caller = { account: `acct_${randomUUID()}` };
    const { target, sent } = request(operation, version, await createPrerequisites(deployment, operation, caller));
    const answer = await deployment.send(target, { ...sent, as: caller, headers: { ...sent.headers, origin: ORIGIN } });
    return findMismatch(answer, operation, version);
  } catch (error) {
    return (error as Error).message;
  }
};
