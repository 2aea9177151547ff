import { appendFileSync } from 'node:fs';
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { expect } from '@jest/globals';
import type { Operation } from '#shared/platform/endpoint.ts';
import { removeClause, conditionalWrites, clausesOf } from './clauses.ts';

/*
 * The client of the service under test in a run of npm run test:conditions (test/support/service.ts). GUARD_RECORD names
 * the file that lists each guard sent, with the test that sent it; GUARD_DROPPED is the guard that is taken out.
 */
const { GUARD_RECORD = '/dev/null', GUARD_DROPPED = '' } = process.env;
const recorded = new Set<string>();

/** A client that records the guards of what an operation sends, and takes the dropped one out. */
export const mutatedClient = ({ route }: Operation, client: DynamoDBDocumentClient): DynamoDBDocumentClient => {
  const send = async (command: { readonly input: object }, options: object) => {
    for (const write of conditionalWrites(command)) {
      for (const guard of clausesOf(route, write)) record(expect.getState().testPath ?? '', guard);
      if (GUARD_DROPPED) removeClause(GUARD_DROPPED, route, write);
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

const record = (...columns: readonly string[]): void => {
  const line = columns.join('\t');
  if (!recorded.has(line)) appendFileSync(GUARD_RECORD, `${line}\n`);
  recorded.add(line);
};
