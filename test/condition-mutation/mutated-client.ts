import { appendFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import type { ClientOf } from '#local/app.ts';
import { clauseNames, conditionalWrites, removeClause } from './clauses.ts';

/*
 * The client of the service in a run of npm run test:conditions (test/support/service/local-service.ts). CLAUSE_RECORD names the file
 * that lists the clauses that tests send; REMOVED_CLAUSE is the name of the clause to remove.
 */
const { CLAUSE_RECORD = '/dev/null', REMOVED_CLAUSE = '' } = process.env;
const recorded = new Set<string>();

/** A client that records the clauses in the writes of an operation, and removes one clause. */
export const mutatedClient: ClientOf = (declared, client) => {
  if (!('route' in declared)) return client;
  const { route } = declared;
  const send = async (command: { readonly input: object }, options: object) => {
    let isMutated = false;
    for (const write of conditionalWrites(command)) {
      for (const name of clauseNames(route, write)) record(expect.getState().testPath ?? '', name);
      if (REMOVED_CLAUSE && removeClause(REMOVED_CLAUSE, route, write)) isMutated = true;
    }
    try {
      return await client.send(command as Parameters<typeof client.send>[0], options);
    } catch (error) {
      // Other commands can be invalid, because a test continues without the rows that the mutated write should have
      // created.
      if (isMutated && (error as Error).name === 'ValidationException') record('invalid', String(error));
      throw error;
    }
  };
  return Object.assign(Object.create(client), { send });
};

const record = (...columns: readonly string[]): void => {
  const line = columns.join('\t');
  if (!recorded.has(line)) appendFileSync(CLAUSE_RECORD, `${line}\n`);
  recorded.add(line);
};
