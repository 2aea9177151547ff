import { isDeepStrictEqual } from 'node:util';
import { afterAll, expect, test } from '@jest/globals';
import { extent } from '#test/support/extent/extent.ts';
import { retryWithoutDelay } from '#test/support/faults/fast-retries.ts';
import { FAULTS, type Fault, injectFaults } from '#test/support/faults/faults.ts';
import fc from '#test/support/random/fast-check.ts';
import type { Answer } from '#test/support/service/client.ts';
import { type LocalService, startService } from '#test/support/service/local-service.ts';
import { checkInvariants, scan } from '#test/support/state/invariants.ts';
import { FeedReader } from './feed.ts';
import { type Actor, CLERK_LIMIT_CENTS, dueOf, Ledger } from './ledger.ts';
import {
  ACTIONS,
  type Account,
  type Action,
  CLIENTS,
  type Client,
  INITIAL_REQUESTS,
  type KeyedSuccess,
  lacksScope,
  type Request,
} from './requests.ts';
import { checkRows, hasRecord } from './tables.ts';

/*
 * Sends random sequences of requests by several clients, with faults in the AWS calls. Every response and, after each
 * request, every row and the events must be as the ledger predicts (CONTRACT §2, CONTRACT §4, CONTRACT §7, CONTRACT §8). A failure
 * prints its seed, path and commands with their faults. `SEED=… npm test -- test/resilience/ledger/model` repeats a seed, `RUNS=…`
 * sets the number of runs.
 */

const RUNS = extent({ full: 100, part: 2 });
const COMMANDS = 40;
/** Time to search for a smaller failing sequence. */
const SHRINKING_MS = 60_000;

/** Remaining time of an invocation, in milliseconds: enough to retry, or just enough to give up on a lasting fault. */
const REMAINING = { passing: 15_000, lasting: 1030 };

/** The faults of the attempts during one try of a client, in order; with `lasts`, the last fault never ends. */
interface FaultSequence {
  readonly faults: readonly (Fault | null)[];
  readonly lasts: boolean;
}

const NO_FAULTS: FaultSequence = { faults: [], lasts: false };
/** Attempts of the SDK for one call: after as many failures in a row, the service itself retries. */
const SDK_ATTEMPTS = 3;
const failure = fc
  .tuple(fc.constantFrom(...FAULTS), fc.constantFrom(1, 1, SDK_ATTEMPTS))
  .map(([kind, times]) => Array<Fault>(times).fill(kind));
const FAULT_SEQUENCE: fc.Arbitrary<FaultSequence> = fc.record({
  faults: fc
    .array(fc.oneof({ weight: 3, arbitrary: fc.constant([null]) }, failure), { maxLength: 6 })
    .map((attempts) => attempts.flat()),
  lasts: fc.integer({ min: 0, max: 4 }).map((random) => random === 4),
});
/** The fault sequences of the first tries of a client; later tries have no faults. */
const FAULT_SEQUENCES = fc.oneof(
  { weight: 2, arbitrary: fc.constant([]) },
  fc.array(FAULT_SEQUENCE, { minLength: 1, maxLength: 2 }),
);

/** The service recovers from these faults. A POST without a key gets only them, because the client cannot retry it. */
const toRecoverable = ({ faults }: FaultSequence): FaultSequence => ({
  faults: faults.map((kind) => (kind?.startsWith('crash') ? 'lost-response' : kind)),
  lasts: false,
});

let keyedSuccessCount = 0;

const service = await startService({ CLERK_PAYMENT_LIMIT_CENTS: String(CLERK_LIMIT_CENTS) });
const faults = injectFaults(service.client);
afterAll(() => service.stop());

type Accounts = readonly [Account, Account];

const send = (account: Account, client: Client, request: Request, remaining?: number): Promise<Answer> => {
  const { method, target, body, key, version } = request;
  const headers = { 'idempotency-key': key, 'if-match': version === undefined ? undefined : `"${version}"` };
  const as = { account: account.id, ...CLIENTS[client].as };
  return service.send(target, { method, headers, as, ...(body && { body }), ...(remaining && { remaining }) });
};

const outcome = ({ status, json }: Answer) => (status < 300 ? `${status}` : `${status} ${json.code}`);
const UNDECIDED = ['503 unavailable', '409 request-in-progress'];

/** Repeats the same request until its outcome is known. It is unknown only after an injected fault. */
const sendUntilDecided = async (
  account: Account,
  client: Client,
  request: Request,
  faultSequences: readonly FaultSequence[],
) => {
  for (let tries = 1; ; tries++) {
    const { faults: kinds, lasts } = faultSequences[tries - 1] ?? NO_FAULTS;
    const last = lasts ? kinds.at(-1) : undefined;
    const injected: Fault[] = [];
    faults.plan(({ number, command }) => {
      const kind = number > kinds.length ? last : kinds[number - 1];
      if (!kind || (kind === 'conflict' && /^(Get|BatchGet|Query)/.test(command))) return undefined;
      injected.push(kind);
      return kind;
    });
    const answer = await send(account, client, request, REMAINING[last ? 'lasting' : 'passing']);
    faults.plan();
    const crashed = injected.some((kind) => kind.startsWith('crash'));
    if (crashed && answer.status === 500) continue;
    if (!UNDECIDED.includes(outcome(answer))) return { answer, tries };
    // On a busy machine the time may run out before the lasting fault is injected.
    expect([answer.headers['retry-after'], injected.length > 0 || !!last]).toEqual(['1', true]);
  }
};

/** The parts of a response that a replay repeats byte for byte. */
const toComparable = ({ status, text, headers: { etag, location } }: Answer): string =>
  JSON.stringify([status, text, etag, location]);

/** The outcome of a retry when the first try succeeded and only its response was lost, by method. */
const AFTER_LOST_SUCCESS: Readonly<Record<string, string>> = {
  PATCH: '412 precondition-failed',
  PUT: '412 precondition-failed',
};

const checkAnswer = (
  account: Account,
  request: Request,
  answer: Answer,
  tries: number,
  itemIds: readonly number[],
): void => {
  const { prediction, method, target } = request;
  if ('refused' in prediction) {
    expect(prediction.refused).toContain(outcome(answer));
    if (prediction.etag) expect(answer.headers['etag']).toBe(prediction.etag);
    return;
  }
  const afterLostSuccess =
    method === 'DELETE'
      ? '404 not-found'
      : request.version && (AFTER_LOST_SUCCESS[method] ?? AFTER_LOST_SUCCESS['PATCH']);
  if (tries === 1 || outcome(answer) !== afterLostSuccess) expect(outcome(answer)).toBe(`${prediction.status}`);
  prediction.accept(answer.json?.id, itemIds);
  if (request.key) {
    account.keyedSuccesses.push({ request, response: toComparable(answer) });
    keyedSuccessCount++;
  }
  const id = Number(answer.json?.id ?? target.split('/')[3]);
  const { invoices, invoiceItems, payments, creditNotes, numberSeries } = account.ledger;
  const members = {
    ...{ invoices, payments },
    ...{ 'invoice-items': invoiceItems, 'credit-notes': creditNotes, 'number-series': numberSeries },
  };
  const member = members[target.split('/')[2] as keyof typeof members]?.get(id);
  if (member && tries === 1) expect(answer.headers['etag']).toBe(`"${member.version}"`);
};

/** Reads an invoice with its items. */
const readInvoice = (account: Account, id: number): Promise<Answer> =>
  send(account, 'vic', { method: 'GET', target: `/v1/invoices/${id}?expand=items` } as Request);

/** The ids of the items that a request created together with their invoice. */
const newItems = async (account: Account, { body }: Request, { status, json }: Answer): Promise<number[]> => {
  if (status !== 201 || !('items' in (body ?? {}))) return [];
  return (await readInvoice(account, json.id)).json.items.map(({ id }: { id: number }) => id);
};

/** Compares the invoice that a reader of the account gets with the ledger. */
const checkInvoice = async (account: Account, { target, body }: Request, created?: number): Promise<void> => {
  const id = Number((body as { invoice_id?: number })?.invoice_id ?? target.match(/invoices\/(\d+)/)?.[1] ?? created);
  if (!id) return;
  const answer = await readInvoice(account, id);
  const invoice = account.ledger.invoices.get(id);
  if (!invoice) return expect(outcome(answer)).toBe('404 not-found');
  const { version, payment_count: _, ...terms } = invoice;
  expect(answer.json).toMatchObject({ ...terms, amount_due_cents: dueOf(invoice) });
  expect(answer.headers['etag']).toMatch(`"${version}-`);
  const items = account.ledger.itemsOf(id).map(([item, { version: _, ...line }]) => ({ id: item, ...line }));
  expect(answer.json.items).toMatchObject(items.sort((a, b) => a.id - b.id));
  expect([answer.json.paid_at !== null, answer.json.canceled_at !== null]).toEqual([
    terms.status === 'paid',
    terms.status === 'canceled',
  ]);
};

/**
 * Compares a list by due date with the ledger, in several pages: after one request the open invoices, after the next
 * request the paid invoices in the other order.
 */
const checkDueInvoices = async (account: Account): Promise<void> => {
  const [status, sort] = commandsRun % 2 === 0 ? ['open', 'due_date'] : ['paid', '-due_date'];
  const ids: number[] = [];
  let next = '';
  do {
    const target = `/v1/invoices?status=${status}&sort=${sort}&fields=id&limit=3${next}`;
    const { json } = await send(account, 'vic', { method: 'GET', target } as Request);
    ids.push(...json.data.map(({ id }: { id: number }) => id));
    next = json.has_more ? `&after=${json.next_cursor}` : '';
  } while (next);
  const expected = account.ledger.dueInvoices(status);
  expect([status, ids]).toEqual([status, sort === 'due_date' ? expected : expected.reverse()]);
};

class Step implements fc.AsyncCommand<Accounts, LocalService> {
  readonly client: Client;
  readonly action: Action;
  readonly faultSequences: readonly FaultSequence[];

  constructor(client: Client, action: Action, faultSequences: readonly FaultSequence[]) {
    this.client = client;
    this.action = action;
    this.faultSequences = faultSequences;
  }

  check = () => true;

  async run(accounts: Accounts): Promise<void> {
    commandsRun++;
    const { at, as } = CLIENTS[this.client];
    const [own, foreign] = at === 0 ? accounts : ([accounts[1], accounts[0]] as const);
    const request = this.action.createRequest(own, foreign, as as Actor);
    const forbidden = lacksScope(as as Actor, request.scope);
    const prediction = forbidden ? { refused: ['403 insufficient-scope'] } : request.prediction;
    const mayRepeat =
      request.key !== undefined || request.method !== 'POST' || /\/(cancel|reopen|void)$/.test(request.target);
    const faultSequences = mayRepeat ? this.faultSequences : this.faultSequences.map(toRecoverable);
    const { answer, tries } = await sendUntilDecided(own, this.client, request, faultSequences);
    checkAnswer(own, { ...request, prediction }, answer, tries, await newItems(own, request, answer));
    const { key, target } = request;
    const isRefused = 'refused' in prediction;
    if (key && isRefused) own.reusableKeys.push(key);
    const isNew = answer.status === 201 && target === '/v1/invoices';
    await checkInvoice(own, request, isNew ? answer.json.id : undefined);
    if (request.target.includes('/invoices') || request.target.endsWith('/payments')) await checkDueInvoices(own);
    if (key) expect(await hasRecord(service, own.id, { key, target })).toBe(!isRefused);
    await checkRows(service, own.id, own.ledger);
    await own.feed.check(service, own.ledger);
  }

  toString = () => `${this.client}: ${this.action.text} ${JSON.stringify(this.faultSequences)}`;
}

/** Repeats an earlier success under its key, with the same or another body. */
class Replay implements fc.AsyncCommand<Accounts, LocalService> {
  readonly client: Client;
  readonly back: number;
  readonly other: boolean;
  readonly faultSequences: readonly FaultSequence[];

  constructor(client: Client, back: number, other: boolean, faultSequences: readonly FaultSequence[]) {
    this.client = client;
    this.back = back;
    this.other = other;
    this.faultSequences = faultSequences;
  }

  check = (accounts: Readonly<Accounts>) => accounts[CLIENTS[this.client].at].keyedSuccesses.length > 0;

  async run(accounts: Accounts): Promise<void> {
    commandsRun++;
    const { at, as } = CLIENTS[this.client];
    const own = accounts[at];
    const { request, response: first } = own.keyedSuccesses.at(
      -1 - (this.back % own.keyedSuccesses.length),
    ) as KeyedSuccess;
    const body = { ...request.body, ...BODY_CHANGES[request.target] };
    // A payment of the whole amount due may already have the amount of the other body.
    const other = this.other && request.body !== undefined && !isDeepStrictEqual(body, request.body);
    const again = other ? { ...request, body } : request;
    const { answer } = await sendUntilDecided(own, this.client, again, this.faultSequences);
    if (lacksScope(as as Actor, request.scope)) expect(outcome(answer)).toBe('403 insufficient-scope');
    else if (other) expect(outcome(answer)).toBe('422 idempotency-key-reused');
    else expect([toComparable(answer), answer.headers['idempotent-replayed']]).toEqual([first, 'true']);
    await checkRows(service, own.id, own.ledger);
    await own.feed.check(service, own.ledger);
  }

  toString = () =>
    `${this.client}: replay ${this.back} back${this.other ? ' with another body' : ''} ${JSON.stringify(this.faultSequences)}`;
}

/** Changes that turn the body of a request into another valid body. */
const BODY_CHANGES: Readonly<Record<string, object>> = {
  '/v1/invoices': { description: 'c' },
  '/v1/number-series': { prefix: 'C-' },
  '/v1/invoice-items': { quantity: 4 },
  '/v1/payments': { amount_cents: 21 },
  '/v1/refunds': { amount_cents: 10 },
  '/v1/credit-notes': { reason: 'c' },
};

const client = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom<Client>('ann', 'bot') },
  fc.constantFrom(...(Object.keys(CLIENTS) as Client[])),
);
/** Any command shrinks to this command, so that a failure keeps only the commands that it needs. */
const noCommand: fc.AsyncCommand<Accounts, LocalService> = {
  check: () => false,
  run: async () => {},
  toString: () => '–',
};
const command: fc.Arbitrary<fc.AsyncCommand<Accounts, LocalService>> = fc.oneof(
  { withCrossShrink: true },
  { weight: 1, arbitrary: fc.constant(noCommand) },
  { weight: 80, arbitrary: fc.tuple(client, ACTIONS, FAULT_SEQUENCES).map((args) => new Step(...args)) },
  {
    weight: 20,
    arbitrary: fc.tuple(client, fc.nat(9), fc.boolean(), FAULT_SEQUENCES).map((args) => new Replay(...args)),
  },
);
// `fc.commands` varies the number of commands and takes about half of its maximum; here the number is constant.
const commands = fc.array(command, { minLength: COMMANDS, maxLength: COMMANDS, size: 'max' });

let run = 0;
let commandsRun = 0;
/** The least share of commands that run: a replay needs an earlier success. */
const MIN_SHARE = 0.9;
const account = (): Account => {
  const id = `run_${++run}`;
  return { id, ledger: new Ledger(), feed: new FeedReader(id), keyedSuccesses: [], reusableKeys: [] };
};

test(`${RUNS} runs of ${COMMANDS} requests: responses, rows and events are as the ledger predicts [CONTRACT §4, CONTRACT §8, CONTRACT §14]`, async () => {
  let failed = Number.POSITIVE_INFINITY;
  const property = fc.asyncProperty(commands, async (sequence) => {
    if (Date.now() - failed > SHRINKING_MS) return;
    await retryWithoutDelay(service.client);
    const accounts = [account(), account()] as const;
    try {
      for (const createRequest of INITIAL_REQUESTS)
        await new Step('ann', { text: 'begin', createRequest }, []).run(accounts);
      await fc.asyncModelRun(() => ({ model: accounts, real: service }), sequence);
      for (const { id, ledger } of accounts) await checkRows(service, id, ledger);
    } catch (error) {
      failed = Math.min(failed, Date.now());
      throw error;
    }
  });
  await fc.assert(property, { numRuns: RUNS });
  expect(commandsRun - RUNS * INITIAL_REQUESTS.length).toBeGreaterThan(RUNS * COMMANDS * MIN_SHARE);
  expect(await scan(service, 'idempotency')).toHaveLength(keyedSuccessCount);
  await checkInvariants(service);
});
