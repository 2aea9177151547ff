import { randomUUID } from 'node:crypto';
import { atMost, type Report } from '#bench/measure/report.ts';
import { median } from '#bench/measure/samples.ts';
import { openApp } from '#local/app.ts';
import { createDynamoClient } from '#shared/platform/dynamodb/client.ts';
import { HOSTILE_BODIES, type HostileBody } from './hostile-bodies.ts';

const MAX_MS = 150;

/** Prints the status and the CPU time of each hostile body, sent through the handlers in this process. */
export const measureBodies = async (token: string, samples: number, { print, progress }: Report): Promise<void> => {
  const environment = { ...process.env, EXPORTS_QUEUE_URL: 'http://127.0.0.1/exports' };
  const { handle } = openApp({ environment, clients: { dynamo: createDynamoClient() } });
  const send = async (route: string, body: string): Promise<{ status: number; milliseconds: number; text: string }> => {
    const [method = '', target = ''] = route.split(' ');
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const key = method === 'POST' ? ['idempotency-key', randomUUID()] : [];
    const rawHeaders = [...Object.entries(headers).flat(), ...key];
    const received = { method, target, rawHeaders, body: Buffer.from(body), sourceIp: '127.0.0.1', port: 443 };
    const before = process.cpuUsage();
    const { statusCode = 200, body: text = '' } = await handle({ ...received, time: new Date() });
    const { user, system } = process.cpuUsage(before);
    return { status: statusCode, milliseconds: (user + system) / 1000, text };
  };
  const create = async (route: string, body: string): Promise<string> =>
    String(JSON.parse((await send(route, body)).text).id);
  const ids = {
    invoice_id: await create('POST /v1/invoices', '{}'),
    webhook_endpoint_id: await create('POST /v1/webhook-endpoints', '{"url":"https://example.com/"}'),
  };
  const routeOf = ({ route }: HostileBody) =>
    route.replace(/\{(\w+)\}/, (_, name: string) => ids[name as keyof typeof ids]);
  const all = HOSTILE_BODIES.map((body) => ({ body, times: [] as number[] }));
  const step = progress('Hostile bodies');
  for (let i = 0; i < samples; i++) {
    step(i, samples);
    for (const { body, times } of all) {
      const { status, milliseconds } = await send(routeOf(body), body.text());
      if (status !== body.status) throw new Error(`${body.route}, ${body.kind}: ${status}, not ${body.status}`);
      times.push(milliseconds);
    }
  }
  print('\n| body | route | status | CPU, ms: median | maximum |\n|---|---|--:|--:|--:|');
  const costs = all.map(({ body, times }) => ({ ...body, median: Math.round(median(times)), times }));
  const sorted = costs.sort((a, b) => b.median - a.median);
  for (const { kind, route, status, median, times } of sorted)
    print(`| ${kind} | \`${route}\` | ${status} | ${median} | ${Math.round(Math.max(...times))} |`);
  print(`\nthe most expensive body${atMost((sorted[0] as { median: number }).median, MAX_MS)}`);
};
