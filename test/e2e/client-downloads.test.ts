import { createHash } from 'node:crypto';
import { afterAll, expect, test } from '@jest/globals';
import { createClient } from '#client/source/index.ts';
import { wire } from '#test/client/serve-api.ts';
import { startServer } from '#test/local/server.ts';

const server = await startServer();
const line = wire();
const client = createClient({ baseUrl: server.url, token: server.token, fetch: line.fetch });
afterAll(() => server.stop());

test('an export by the client: goes from its request to its verified file [CONTRACT §9]', async () => {
  const ids: number[] = [];
  for (let i = 0; i < 30; i += 1) ids.push((await client.invoices.create({ total_cents: i })).id);
  const { id, status } = await client.exports.create({ type: 'invoices', format: 'jsonl' });
  expect(status).toBe('pending');
  const seen: string[] = [];
  const done = await client.exports.wait(id, { onProgress: (job) => seen.push(job.status) });
  expect(seen.at(-1)).toBe('completed');
  expect(done.row_count).toBe(30);

  line.plan();
  const text = await new Response(await client.exports.download(id)).text();
  const rows = text.trimEnd().split('\n');
  expect(rows.map((row) => JSON.parse(row).id)).toEqual(ids);
  expect(createHash('sha256').update(text).digest('hex')).toBe(done.sha256);
  expect(line.calls.map(({ headers }) => headers.has('authorization'))).toEqual([true, true, false]);
  expect(await client.exports.list({ status: 'completed', type: 'invoices' })).toMatchObject({ data: [{ id }] });
});
