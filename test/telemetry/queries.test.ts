import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { FUNCTION_QUERIES } from '#infra/monitoring/queries.ts';
import { LEAF_ROWS } from '#shared/platform/page-index/leaves.ts';
import { ROUND_MS } from '#shared/platform/page-index/seal-requested.ts';
import { startTelemetry } from '#shared/runtime/start-telemetry.ts';
import { fieldsOf } from '#test/support/documents/saved-queries.ts';
import { injectFaults } from '#test/support/faults/faults.ts';
import { behaviors, type Receiver, startReceiver } from '#test/support/receivers/webhook-receivers.ts';
import { startService } from '#test/support/service/service.ts';
import { captureOutput, enableTelemetryOfFile, type Line } from '#test/support/service/telemetry-output.ts';
import { startWebhooks, type Webhooks } from '#test/support/service/webhooks.ts';
import { recordOf } from '#test/support/service/workers.ts';

enableTelemetryOfFile();
let service: Webhooks;
let receiver: Receiver;
let lines: readonly Line[];
beforeAll(async () => {
  service = await startWebhooks({ variables: { RATE_LIMIT_PER_SECOND: '100' } });
  receiver = await startReceiver(behaviors.gone);
  ({ lines } = await captureOutput(work));
});
afterAll(async () => {
  await receiver.close();
  await service.stop();
});

/** Makes the service write a line of each kind that the queries read. */
const work = async (): Promise<void> => {
  const account = service.account();
  const faults = injectFaults(service.client);
  const id = await account.createCustomer();
  const change = (name: string) => account.call('PATCH', `/v1/customers/${id}`, { name });
  for (const fault of ['conflict', 'throttling', 'crash-before'] as const) {
    let left = 1;
    faults.plan(({ command }) => (/^Transact/.test(command) && left-- > 0 ? fault : undefined));
    await change(fault);
  }
  // One of five requests of an account is counted.
  faults.plan(({ command }) => (command === 'UpdateItemCommand' ? 'never-sent' : undefined));
  for (let i = 0; i < 5; i++) await account.createCustomer();
  faults.plan();
  await account.createEndpoint(receiver);
  await account.createCustomer();
  await service.dispatch(account.id);
  await service.drain();
  await service.run('workers/export', { Records: [recordOf('{}')] }, 300_000);
  await service.account().createCustomer();
  await service.schedule('workers/publish-waiting-changes');
  for (let i = 0; i < LEAF_ROWS; i++) await account.createCustomer();
  await account.call('GET', '/v1/customers?page=1');
  // The first run activates the index, and the second one seals the rows of a leaf.
  for (let run = 0; run < 2; run++) {
    service.moveClock(60_000);
    await service.run('workers/seal', {}, ROUND_MS);
  }
  // Last, because its engine replaces that of the other service.
  const unreachable = await startService({ JWKS_URL: 'http://127.0.0.1:1/jwks.json' });
  await unreachable.send('/v1/invoices');
  await unreachable.stop();
  startTelemetry({ CODE_CACHE: 'rejected' });
};

/** The names of the fields of a line, as CloudWatch Logs Insights has them. */
const namesOf = (line: Line, prefix = ''): string[] =>
  Object.entries(line).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null ? namesOf(value, `${prefix}${name}.`) : [prefix + name],
  );

describe('the saved queries of the functions', () => {
  test.each(Object.entries(FUNCTION_QUERIES))('%s: each of its fields is in lines of the service', (_, query) => {
    const read = lines.filter(({ message }) => query.message === undefined || message === query.message);
    const fields = fieldsOf(query.commands);
    expect(fields).not.toEqual([]);
    expect(read.flatMap((line) => namesOf(line))).toEqual(expect.arrayContaining(fields));
  });
});
