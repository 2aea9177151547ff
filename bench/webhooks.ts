import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ROOT } from '#local/settings/settings.ts';
import { atMost, type Report } from './report.ts';
import { Client } from './webhook-client.ts';

/* Webhooks of `npm start`, with receivers in this process (CONTRACT §15). */

const COMMITS = 200;
const MAX_FIRST_ATTEMPT_S = 2;
const DELIVERIES = 1000;
const MAX_DELIVERIES_S = 30;
const ACCOUNTS = 5;
const ENDPOINTS_PER_ACCOUNT = 20;
const EVENTS_PER_ACCOUNT = 8;
const MAX_GROWTH = 1.1;
const HANG_MS = 15_000;

type Respond = (response: ServerResponse) => unknown;
const succeed: Respond = (response) => response.end();
const DEAD: readonly (readonly [name: string, respond: Respond])[] = [
  ['responds with 500', (response) => response.writeHead(500).end()],
  [`hangs for ${HANG_MS / 1000} s`, (response) => setTimeout(() => response.destroy(), HANG_MS)],
];

/** A receiver for all endpoints, which tells them apart by their paths. */
class Receivers {
  readonly #server: Server;
  /** When a resource's event first arrived at a path, by `<path> <resource id>`. */
  readonly arrivals = new Map<string, number>();
  readonly responses = new Map<string, Respond>();

  constructor() {
    this.#server = createServer(async (request, response) => {
      const path = request.url ?? '';
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      const { resource_id } = JSON.parse(Buffer.concat(chunks).toString());
      const key = `${path} ${resource_id}`;
      if (!this.arrivals.has(key)) this.arrivals.set(key, performance.now());
      (this.responses.get(path) ?? succeed)(response);
    });
  }

  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Waits until the events of these resources have arrived, and returns when. */
  async until(keys: readonly string[]): Promise<number[]> {
    while (!keys.every((key) => this.arrivals.has(key))) await sleep(2);
    return keys.map((key) => this.arrivals.get(key) as number);
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

const startServer = async (DATA_DIR: string): Promise<{ url: string; child: ChildProcess }> => {
  const { NODE_OPTIONS: _, ...environment } = process.env;
  const env = { ...environment, PORT: '0', DATA_DIR };
  const child = spawn(process.execPath, ['local/start.ts'], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'ignore'] });
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk;
    const [, url] = /^ready (\S+)\ncurl .*\n/m.exec(output) ?? [];
    if (url) resolve(url);
  });
  child.once('exit', () => reject(new Error('npm start ended before it was ready.')));
  return { url: await promise, child };
};

const tokenOf = (DATA_DIR: string, account: string): string => {
  const args = ['local/token.ts', '--account', account, '--sub', 'bench', '--role', 'admin'];
  return execFileSync(process.execPath, args, { cwd: ROOT, env: { ...process.env, DATA_DIR } })
    .toString()
    .trim();
};

const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] as number;
const inSeconds = (milliseconds: number): string => `${(milliseconds / 1000).toFixed(2)} s`;

export const measureWebhooks = async (report: Report): Promise<void> => {
  const directory = await mkdtemp(join(tmpdir(), 'invoicing-webhooks-'));
  const receivers = new Receivers();
  const [base, { url, child }] = await Promise.all([receivers.open(), startServer(directory)]);
  const clientOf = (account: string) => new Client(url, tokenOf(directory, account));
  try {
    await measureFirstAttempts(clientOf('bench_first'), receivers, base, report);
    await measureThroughput(clientOf('bench_many'), receivers, base, report);
    const clients = Array.from({ length: ACCOUNTS }, (_, i) => clientOf(`bench_${i}`));
    await measureDeadEndpoint(clients, receivers, base, report);
  } finally {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
    receivers.close();
    await rm(directory, { recursive: true });
  }
};

const measureFirstAttempts = async (client: Client, receivers: Receivers, base: string, { print, row }: Report) => {
  await client.createEndpoint(`${base}/first`);
  await receivers.until([`/first ${(await client.createCustomer()).id}`]);
  const latencies: number[] = [];
  for (let i = 0; i < COMMITS; i++) {
    const { id, at } = await client.createCustomer();
    const [arrival = 0] = await receivers.until([`/first ${id}`]);
    latencies.push(arrival - at);
  }
  const p99 = percentile(latencies, 0.99);
  print(`\nFirst attempt after the response to the commit, ${COMMITS} commits`);
  print(
    row('p50, p99', inSeconds(percentile(latencies, 0.5)), inSeconds(p99), atMost(p99 / 1000, MAX_FIRST_ATTEMPT_S)),
  );
};

const measureThroughput = async (client: Client, receivers: Receivers, base: string, { print, row }: Report) => {
  const { id } = await client.createEndpoint(`${base}/many`);
  const path = `webhook-endpoints/${id}`;
  await client.send('PATCH', path, { status: 'disabled' });
  const customers: number[] = [];
  for (let i = 0; i < DELIVERIES; i++) customers.push((await client.createCustomer()).id);
  const begin = performance.now();
  await client.send('PATCH', path, { status: 'enabled' });
  const arrivals = await receivers.until(customers.map((customer) => `/many ${customer}`));
  const duration = Math.max(...arrivals) - begin;
  print(`\n${DELIVERIES.toLocaleString('en')} deliveries to one endpoint, from its enabling`);
  print(row('duration', inSeconds(duration), atMost(duration / 1000, MAX_DELIVERIES_S)));
};

const measureDeadEndpoint = async (clients: readonly Client[], receivers: Receivers, base: string, report: Report) => {
  const { print, row } = report;
  const paths = clients.map((_, account) =>
    Array.from({ length: ENDPOINTS_PER_ACCOUNT }, (_, endpoint) => `/${account}/${endpoint}`),
  );
  for (const [i, client] of clients.entries()) {
    for (const path of paths[i] as string[]) await client.createEndpoint(base + path);
  }
  const dead = '/0/0';
  /** The latencies at all endpoints but the dead one. */
  const measure = async (): Promise<number[]> => {
    const latencies: number[] = [];
    for (let event = 0; event < EVENTS_PER_ACCOUNT; event++) {
      const commits = await Promise.all(clients.map((client) => client.createCustomer()));
      for (const [i, { id, at }] of commits.entries()) {
        const healthy = (paths[i] as string[]).filter((path) => path !== dead);
        const arrivals = await receivers.until(healthy.map((path) => `${path} ${id}`));
        latencies.push(...arrivals.map((arrival) => arrival - at));
      }
    }
    return latencies;
  };
  await measure();
  print(`\n${ACCOUNTS * ENDPOINTS_PER_ACCOUNT} endpoints: p95 of the others when one is dead`);
  const healthy = percentile(await measure(), 0.95);
  print(row('all work', inSeconds(healthy)));
  for (const [name, respond] of DEAD) {
    receivers.responses.set(dead, respond);
    const p95 = percentile(await measure(), 0.95);
    print(row(`one ${name}`, inSeconds(p95), `${(p95 / healthy).toFixed(2)} ×`, atMost(p95 / healthy, MAX_GROWTH)));
    receivers.responses.delete(dead);
  }
};
