import type { ChildProcess } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Checkout, checkout } from '#test/local/checkout.ts';
import { npmStart } from '#test/local/npm-start.ts';
import { enginesOf, survivors } from '#test/local/processes.ts';
import { until } from '#test/support/waiting/until.ts';

let copy: Checkout;
beforeAll(async () => {
  copy = await checkout();
});
afterAll(() => copy.remove());

/** The address that the ready line names, and the authorization of the curl line. */
const untilReady = async ({ stdout }: ChildProcess): Promise<{ url: string; authorization: string }> => {
  let printed = '';
  for await (const text of stdout ?? []) {
    printed += text;
    const [, url, authorization] = /^ready (\S+)\ncurl \S+ -H 'Authorization: (.*)'\n/m.exec(printed) ?? [];
    if (url && authorization) return { url, authorization };
  }
  throw new Error(`npm start ended: ${printed}`);
};

/** Creates invoices one after the other until the server is gone, and adds the id of each acknowledged invoice. */
const createUntilGone = async (url: string, headers: Record<string, string>, acknowledged: number[]) => {
  for (;;) {
    const response = await fetch(url, { method: 'POST', headers, body: '{}' }).catch(() => undefined);
    if (!response) return;
    expect(response.status).toBe(201);
    const created = (await response.json().catch(() => undefined)) as { id: number } | undefined;
    if (created) acknowledged.push(created.id);
  }
};

test('npm start, killed with -9 while it writes: leaves no engine, and its next start has everything acknowledged [CONTRACT §1]', async () => {
  const environment = { PORT: '0', DATA_DIR: `${copy.root}/data` };
  const acknowledged: number[] = [];
  const engines = await npmStart(copy.root, environment, async (npm, end) => {
    const { url, authorization } = await untilReady(npm);
    const found = await enginesOf(npm.pid as number);
    const headers = { authorization, 'content-type': 'application/json' };
    const clients = [1, 2, 3].map(() => createUntilGone(`${url}/v1/invoices`, headers, acknowledged));
    await until(() => acknowledged.length >= 20);
    process.kill(-(npm.pid as number), 'SIGKILL');
    expect(await end).toBe('SIGKILL');
    await Promise.all(clients);
    return found;
  });
  expect(engines.length).toBe(1);

  await npmStart(copy.root, environment, async (npm) => {
    const { url, authorization } = await untilReady(npm);
    await until(async () => (await survivors(engines)).length === 0);
    for (const id of acknowledged) {
      const { status } = await fetch(`${url}/v1/invoices/${id}`, { headers: { authorization } });
      expect([id, status]).toEqual([id, 200]);
    }
  });
});
