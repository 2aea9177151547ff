import { afterAll, afterEach, test as jestTest } from '@jest/globals';
import { isDeep } from '#test/support/extent/extent.ts';
import { type Behavior, type Receiver, startReceiver } from '#test/support/receivers/webhook-receivers.ts';
import { waitAsAsked } from '#test/support/waiting/retry-after.ts';
import { type Capability, hasAll } from './capabilities.ts';
import { type Answer, type Caller, type Client, createClient, type Deployment } from './client.ts';
import { openDeployed } from './deployed.ts';
import type { SentRequest } from './transport.ts';

/*
 * Tests that send only requests, so that they run in `npm test` against the handlers in this process, and in
 * `npm run acceptance` against a deployment (`BASE_URL`).
 */

/** The service that the tests of a file send requests to. Its usual account is `own`; another name is another account. */
export interface Service extends Client {
  /** Prepares resources that tests only read. The first test creates them, and the file deletes them. */
  once<T>(name: string, prepare: () => Promise<T>): Promise<T>;
  /** Starts a receiver of webhooks on this machine, for a test with the capability `receiver`. */
  receive(behavior: Behavior): Promise<Receiver>;
  /** Downloads a file by a URL that the service returned. */
  download(url: string): Promise<{ readonly status: number; readonly headers: Headers; readonly bytes: Buffer }>;
}

/** A deployment that a test file opens. */
export interface OpenDeployment extends Deployment {
  /** Whether the data end with this process, so that nothing needs to be deleted. */
  readonly isTemporary: boolean;
  stop(): Promise<void>;
}

/** How long a resource lasts: an account has at most 20 webhook endpoints, and each delivers the events of later tests. */
type Lifetime = 'test' | 'file';

interface Member {
  readonly path: string;
  readonly as: Caller;
}

/** Tries to delete a member, which a busy service may refuse. */
const MAX_DELETIONS = 5;

/** The resources and receivers of a test file, and when they end. */
const createCleaner = (send: Service['send'], isTemporary: boolean) => {
  const members: Record<Lifetime, Member[]> = { test: [], file: [] };
  const receivers: Record<Lifetime, Receiver[]> = { test: [], file: [] };
  let lifetime: Lifetime = 'test';

  const remove = async ({ path, as }: Member): Promise<void> => {
    for (let tries = 1; tries <= MAX_DELETIONS; tries++) {
      const answer = await send(path, { method: 'DELETE', as });
      if (answer.status !== 503 && answer.status !== 429) return;
      await waitAsAsked(answer);
    }
  };
  /** Deletes the newest first, as far as the service permits it. */
  const end = async (what: Lifetime): Promise<void> => {
    const created = members[what].splice(0).reverse();
    if (what === 'test' || !isTemporary) for (const member of created) await remove(member).catch(() => {});
    await Promise.all(receivers[what].splice(0).map((receiver) => receiver.close()));
  };
  return {
    add: (member: Member) => members[member.path.includes('/webhook-endpoints/') ? lifetime : 'file'].push(member),
    addReceiver: (receiver: Receiver) => receivers[lifetime].push(receiver),
    /** The resources that this work creates last as long as the file. */
    async untilFileEnds<T>(work: () => Promise<T>): Promise<T> {
      const before = lifetime;
      lifetime = 'file';
      return work().finally(() => {
        lifetime = before;
      });
    },
    endTest: () => end('test'),
    endFile: () => end('file'),
  };
};

/** The last requests of this file, in words, for the message of a failed test. */
const requests: string[] = [];
const MAX_REQUESTS = 5;

/** A request without its token and body. */
const summarize = ({ method, target }: SentRequest, { status, headers }: Answer): string =>
  `${method} ${target.slice(0, 200)}: ${status}, request ${headers['x-request-id'] ?? 'without id'}`;

interface Options {
  /** Whether each response is compared with docs/openapi.json. Default: in the full extents of the tests. */
  readonly documented?: boolean;
  /** The budget of each account of a service in this process. */
  readonly ratePerSecond?: number;
}

/** Opens the service for a test file, in accounts of its own, and deletes the created resources after its tests. */
export const openService = async ({ documented = isDeep, ratePerSecond }: Options = {}): Promise<Service> => {
  // The handlers and engines load only when they serve the requests.
  const deployment = process.env['BASE_URL']
    ? await openDeployed(process.env)
    : await (await import('./in-process.ts')).openInProcess(ratePerSecond);
  const prepared = new Map<string, Promise<unknown>>();
  const client = createClient(deployment, {
    checks: { documented },
    onAnswer(request, answer, as) {
      requests.push(summarize(request, answer));
      if (requests.length > MAX_REQUESTS) requests.shift();
      const path = request.method === 'POST' && answer.status === 201 ? answer.headers['location'] : undefined;
      if (path && as !== 'nobody') cleaner.add({ path, as });
    },
  });
  const cleaner = createCleaner(client.send, deployment.isTemporary);
  afterEach(cleaner.endTest);
  afterAll(async () => {
    await cleaner.endFile();
    await deployment.stop();
  });
  return {
    ...client,
    async once<T>(name: string, prepare: () => Promise<T>) {
      const known = prepared.get(name) as Promise<T> | undefined;
      const work = known ?? cleaner.untilFileEnds(prepare);
      prepared.set(name, work);
      return work.catch((error: unknown) => {
        prepared.delete(name);
        throw error;
      });
    },
    async receive(behavior) {
      const receiver = await startReceiver(behavior);
      cleaner.addReceiver(receiver);
      return receiver;
    },
    async download(url) {
      const response = await fetch(url);
      return { status: response.status, headers: response.headers, bytes: Buffer.from(await response.arrayBuffer()) };
    },
  };
};

/** Adds a text to the message of an error. Jest prints the message in the stack. */
const extendMessage = (error: Error, text: string): void => {
  const message = `${error.message}\n${text}`;
  const stack = error.stack?.replace(error.message, () => message);
  Object.assign(error, { message, ...(stack && { stack }) });
};

type Run = () => Promise<unknown>;

/** Runs a test; its failure says which requests came before. */
const withRequests =
  (run: Run): (() => Promise<void>) =>
  async () => {
    try {
      await run();
    } catch (error) {
      if (error instanceof Error) extendMessage(error, ['\nLast requests:', ...requests].join('\n'));
      throw error;
    }
  };

const define =
  (needs: readonly Capability[]) =>
  (title: string, run: Run): void =>
    (hasAll(needs) ? jestTest : jestTest.skip)(title, withRequests(run));

/** Defines a test that needs a token. It is skipped without one of these capabilities. */
export const testWith = (...needs: readonly Capability[]) => define(['tokens', ...needs]);

/** A test that needs a token. */
export const test = testWith();

/** A test that needs no token. */
export const publicTest = define([]);
