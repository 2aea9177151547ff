import { appendFileSync } from 'node:fs';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { expect } from '@jest/globals';
import type { Operation } from '#shared/platform/endpoint.ts';
import { lambda as production, sendingLambda as productionSending } from '../../shared/lambda/runtime.ts';
import { dynamo } from '../../shared/platform/data/client.ts';
import { drop, guardedWrites, guardsOf } from './guard.ts';

export { publicLambda } from '../../shared/lambda/runtime.ts';

/*
 * Stands in for shared/lambda/runtime.ts in a guard run (jest.config.mjs here), so that production code has no switch:
 * GUARD_RECORD names the file that lists each guard sent, with the test that sent it; GUARD_DROPPED the one guard
 * that is taken out.
 */
const { GUARD_RECORD = '/dev/null', GUARD_DROPPED = '' } = process.env;
const known = new Set<string>();

const record = (...columns: readonly string[]): void => {
  const line = columns.join('\t');
  if (!known.has(line)) appendFileSync(GUARD_RECORD, `${line}\n`);
  known.add(line);
};

/** A client that records the guards of what an operation sends, and takes the dropped one out. */
const unguarded = ({ route }: Operation, client: DynamoDBDocumentClient): DynamoDBDocumentClient => {
  const send = async (command: { readonly input: object }, options: object) => {
    for (const write of guardedWrites(command)) {
      for (const guard of guardsOf(route, write)) record(expect.getState().testPath ?? '', guard);
      if (GUARD_DROPPED) drop(GUARD_DROPPED, route, write);
    }
    try {
      return await client.send(command as Parameters<typeof client.send>[0], options);
    } catch (error) {
      if (GUARD_DROPPED && (error as Error).name === 'ValidationException') record('invalid', String(error));
      throw error;
    }
  };
  return Object.assign(Object.create(client), { send });
};

/** The Lambda handler of an operation, whose client lacks the dropped guard. */
export const lambda: typeof production = (operation, environment, client = dynamo(), send) =>
  production(operation, environment, unguarded(operation, client), send);

/** The same for an operation that tells a worker what to do. */
export const sendingLambda: typeof productionSending = (operation, environment, client = dynamo(), queues) =>
  productionSending(operation, environment, unguarded(operation, client), queues);
