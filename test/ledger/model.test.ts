import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { FAULTS, type Fault, type Faults, injectFaults } from '#test/support/faults.ts';
import { checkInvariants, scan } from '#test/support/invariants.ts';
import { type Answer, type Service, startService } from '#test/support/service.ts';
import { retryBriskly } from './fast-retries.ts';
import { type Actor, CLERK_LIMIT_CENTS, Ledger } from './ledger.ts';
import { ACTS, type Account, type Act, BEGINNING, CLIENTS, type Client, lacks, type Request } from './requests.ts';
import { SEED } from './seed.ts';
import { checkAllRows, checkKnownRows } from './tables.ts';

/*
 * Any sequence of requests, by any clients, whatever fails at any AWS call: every answer is the ledger's (CONTRACT §2,
 * §4, §7, §8), and so are the tables after each. A failure names its seed, path and commands, faults among them:
 * `SEED=… npm test -- test/ledger/model` runs the same ones again; `RUNS=…` runs more.
 */

const RUNS = Number(process.env['RUNS'] ?? 300);
const COMMANDS = 40;
/** How long a smaller failure is sought. */
const SHRINKING_MS = 60_000;
jest.setTimeout(SHRINKING_MS + RUNS * 3000);

/** Milliseconds to answer in: until the faults end, or just enough to give up while they last. */
const REMAINING = { passing: 15_000, lasting: 1030 };

/** What goes wrong with the attempts of one try: the first, the second, …; the last one perhaps for good. */
interface Weather {
  readonly faults: readonly (Fault | null)[];
  readonly lasts: boolean;
}

const CALM: Weather = { faults: [], lasts: false };
/** How often the SDK tries a call: as many failures in a row reach the service's own retries. */
const SDK_ATTEMPTS = 3;
const failure = fc
  .tuple(fc.constantFrom(...FAULTS), fc.constantFrom(1, 1, SDK_ATTEMPTS))
  .map(([kind, times]) => Array<Fault>(times).fill(kind));
const STORM: fc.Arbitrary<Weather> = fc.record({
  faults: fc
    .array(fc.oneof({ weight: 3, arbitrary: fc.constant([null]) }, failure), { maxLength: 6 })
    .map((attempts) => attempts.flat()),
  lasts: fc.integer({ min: 0, max: 4 }).map((drawn) => drawn === 4),
});
/** One for each try of a client, which gives up on none. */
const WEATHERS = fc.oneof({ weight: 2, arbitrary: fc.constant([]) }, fc.array(STORM, { minLength: 1, maxLength: 2 }));

/** A client that creates without a key cannot try again: what fails is for the service alone to heal. */
const healing = ({ faults }: Weather): Weather => ({
  faults: faults.map((kind) => (kind?.startsWith('crash') ? 'lost-answer' : kind)),
  lasts: false,
});

let service: Service;
let faults: Faults;
let keyedSuccesses = 0;

beforeAll(async () => {
  service = await startService({ CLERK_PAYMENT_LIMIT_CENTS: String(CLERK_LIMIT_CENTS) });
  faults = injectFaults(service.client);
});
afterAll(() => service.stop());

type Accounts = readonly [Account, Account];

const send = (account: Account, client: Client, request: Request, remaining?: number): Promise<Answer> => {
  const { method, target, body, key, version } = request;
  const headers = { 'idempotency-key': key, 'if-match': version === undefined ? undefined : `"${version}"` };
  const claims = { account_id: account.id, ...CLIENTS[client].claims };
  return service.send(target, { method, headers, claims, ...(body && { body }), ...(remaining && { remaining }) });
};

const outcome = ({ status, json }: Answer) => (status < 300 ? `${status}` : `${status} ${json.code}`);
const UNDECIDED = ['503 unavailable', '409 request-in-progress'];

/** Tries until the outcome is known, always as the very same request; unknown only where something failed. */
const settle = async (account: Account, client: Client, request: Request, weathers: readonly Weather[]) => {
  for (let tries = 1; ; tries++) {
    const { faults: kinds, lasts } = weathers[tries - 1] ?? CALM;
    const last = lasts ? kinds.at(-1) : undefined;
    const met: Fault[] = [];
    faults.plan(({ number, command }) => {
      const kind = number > kinds.length ? last : kinds[number - 1];
      if (!kind || (kind === 'conflict' && /^(Get|BatchGet|Query)/.test(command))) return undefined;
      met.push(kind);
      return kind;
    });
    const answer = await send(account, client, request, REMAINING[last ? 'lasting' : 'passing']);
    faults.plan();
    const crashed = met.some((kind) => kind.startsWith('crash'));
    if (crashed && answer.status === 500) continue;
    if (!UNDECIDED.includes(outcome(answer))) return { answer, tries };
    // A busy machine may use up the little time before the fault that would last is met.
    expect([answer.headers['retry-after'], met.length > 0 || !!last]).toEqual(['1', true]);
  }
};

/** What a client is told, to the byte. */
const told = ({ status, text, headers: { etag, location } }: Answer): string =>
  JSON.stringify([status, text, etag, location]);

/** A try whose answer got lost may have been the one that did it: then this is what the next one sees. */
const ALREADY: Readonly<Record<string, string>> = { PATCH: '412 precondition-failed', PUT: '412 precondition-failed' };

const checkAnswer = (account: Account, request: Request, answer: Answer, tries: number): void => {
  const { prediction, method, target } = request;
  if ('refused' in prediction) {
    expect(prediction.refused).toContain(outcome(answer));
    if (prediction.etag) expect(answer.headers['etag']).toBe(prediction.etag);
    return;
  }
  const already = method === 'DELETE' ? '404 not-found' : request.version && (ALREADY[method] ?? ALREADY['PATCH']);
  if (tries === 1 || outcome(answer) !== already) expect(outcome(answer)).toBe(`${prediction.status}`);
  prediction.accept(answer.json?.id);
  if (request.key) {
    account.kept.push({ request, told: told(answer) });
    keyedSuccesses++;
  }
  const id = Number(answer.json?.id ?? target.split('/')[3]);
  const { invoices, items, payments } = account.ledger;
  const member = { invoices, 'invoice-items': items, payments }[target.split('/')[2] as string]?.get(id);
  if (member && tries === 1) expect(answer.headers['etag']).toBe(`"${member.version}"`);
};

/** The invoice as any reader of the account sees it. */
const checkInvoice = async (account: Account, { target, body }: Request): Promise<void> => {
  const id = Number((body as { invoice_id?: number })?.invoice_id ?? target.match(/invoices\/(\d+)/)?.[1]);
  if (!id) return;
  const answer = await send(account, 'vic', { method: 'GET', target: `/v1/invoices/${id}` } as Request);
  const invoice = account.ledger.invoices.get(id);
  if (!invoice) return expect(outcome(answer)).toBe('404 not-found');
  const { version, ...terms } = invoice;
  const amount_due_cents = /paid|canceled/.test(terms.status) ? 0 : terms.total_cents - terms.amount_paid_cents;
  expect(answer.json).toMatchObject({ ...terms, amount_due_cents });
  expect(answer.headers['etag']).toBe(`"${version}"`);
  expect([answer.json.paid_at !== null, answer.json.canceled_at !== null]).toEqual([
    terms.status === 'paid',
    terms.status === 'canceled',
  ]);
};

class Step implements fc.AsyncCommand<Accounts, Service> {
  readonly client: Client;
  readonly deed: { text: string; act: Act };
  readonly weathers: readonly Weather[];

  constructor(client: Client, deed: { text: string; act: Act }, weathers: readonly Weather[]) {
    this.client = client;
    this.deed = deed;
    this.weathers = weathers;
  }

  check = () => true;

  async run(accounts: Accounts): Promise<void> {
    commandsRun++;
    const { at, claims } = CLIENTS[this.client];
    const [own, foreign] = at === 0 ? accounts : ([accounts[1], accounts[0]] as const);
    const request = this.deed.act(own, foreign, claims as Actor);
    const forbidden = lacks(claims as Actor, request.scope);
    const prediction = forbidden ? { refused: ['403 insufficient-scope'] } : request.prediction;
    const mayRepeat = request.key !== undefined || request.method !== 'POST' || request.target.endsWith('/cancel');
    const weathers = mayRepeat ? this.weathers : this.weathers.map(healing);
    const { answer, tries } = await settle(own, this.client, request, weathers);
    checkAnswer(own, { ...request, prediction }, answer, tries);
    const { key, target } = request;
    const isRefused = 'refused' in prediction;
    if (key && isRefused) own.free.push(key);
    await checkInvoice(own, request);
    await checkKnownRows(service, own.id, own.ledger, key ? { key, target, times: isRefused ? 0 : 1 } : undefined);
  }

  toString = () => `${this.client}: ${this.deed.text} ${JSON.stringify(this.weathers)}`;
}

/** Sends an earlier success again under its key, with its own body or another one. */
class Replay implements fc.AsyncCommand<Accounts, Service> {
  readonly client: Client;
  readonly back: number;
  readonly other: boolean;
  readonly weathers: readonly Weather[];

  constructor(client: Client, back: number, other: boolean, weathers: readonly Weather[]) {
    this.client = client;
    this.back = back;
    this.other = other;
    this.weathers = weathers;
  }

  check = (accounts: Readonly<Accounts>) => accounts[CLIENTS[this.client].at].kept.length > 0;

  async run(accounts: Accounts): Promise<void> {
    commandsRun++;
    const { at, claims } = CLIENTS[this.client];
    const own = accounts[at];
    const { request, told: first } = own.kept.at(-1 - (this.back % own.kept.length)) as Account['kept'][number];
    const body = { ...request.body, ...OTHERWISE[request.target] };
    // What was due may have come to the very amount of the other body.
    const other = this.other && request.body !== undefined && !isDeepStrictEqual(body, request.body);
    const again = other ? { ...request, body } : request;
    const { answer } = await settle(own, this.client, again, this.weathers);
    if (lacks(claims as Actor, request.scope)) expect(outcome(answer)).toBe('403 insufficient-scope');
    else if (other) expect(outcome(answer)).toBe('422 idempotency-key-reused');
    else expect([told(answer), answer.headers['idempotent-replayed']]).toEqual([first, 'true']);
    await checkKnownRows(service, own.id, own.ledger, undefined);
  }

  toString = () =>
    `${this.client}: replay ${this.back} back${this.other ? ' with another body' : ''} ${JSON.stringify(this.weathers)}`;
}

/** What makes another body of one that was sent. */
const OTHERWISE: Readonly<Record<string, object>> = {
  '/v1/invoices': { total_cents: 21 },
  '/v1/invoice-items': { quantity: 4 },
  '/v1/payments': { amount_cents: 21 },
  '/v1/refunds': { amount_cents: 10 },
};

const client = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<Client>('ann', 'bot') },
  fc.constantFrom(...(Object.keys(CLIENTS) as Client[])),
);
/** What a command shrinks to, so that a failure is left with the few that it takes. */
const nothing: fc.AsyncCommand<Accounts, Service> = {
  check: () => false,
  run: async () => {},
  toString: () => '–',
};
const command: fc.Arbitrary<fc.AsyncCommand<Accounts, Service>> = fc.oneof(
  { withCrossShrink: true },
  { weight: 1, arbitrary: fc.constant(nothing) },
  { weight: 80, arbitrary: fc.tuple(client, ACTS, WEATHERS).map((drawn) => new Step(...drawn)) },
  {
    weight: 20,
    arbitrary: fc.tuple(client, fc.nat(9), fc.boolean(), WEATHERS).map((drawn) => new Replay(...drawn)),
  },
);
// `fc.commands` draws half as many as it may, and this is to be as many each time.
const commands = fc.array(command, { minLength: COMMANDS, maxLength: COMMANDS, size: 'max' });

let run = 0;
let commandsRun = 0;
/** The share of commands that have something to do: a replay needs an earlier success. */
const ENOUGH = 0.95;
const account = (): Account => ({ id: `run_${++run}`, ledger: new Ledger(), kept: [], free: [] });

test(`${RUNS} runs of ${COMMANDS} requests: the service is the ledger`, async () => {
  let failed = Number.POSITIVE_INFINITY;
  const property = fc.asyncProperty(commands, async (sequence) => {
    if (Date.now() - failed > SHRINKING_MS) return;
    await retryBriskly(service.client);
    const accounts = [account(), account()] as const;
    try {
      for (const act of BEGINNING) await new Step('ann', { text: 'begin', act }, []).run(accounts);
      await fc.asyncModelRun(() => ({ model: accounts, real: service }), sequence);
      for (const { id, ledger } of accounts) await checkAllRows(service, id, ledger);
    } catch (error) {
      failed = Math.min(failed, Date.now());
      throw error;
    }
  });
  await fc.assert(property, { seed: SEED, numRuns: RUNS });
  expect(commandsRun - RUNS * BEGINNING.length).toBeGreaterThan(RUNS * COMMANDS * ENOUGH);
  expect(await scan(service, 'idempotency')).toHaveLength(keyedSuccesses);
  await checkInvariants(service);
});
