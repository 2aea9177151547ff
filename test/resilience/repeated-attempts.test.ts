import { afterAll, afterEach, expect, test } from '@jest/globals';
import { sqsEvent } from '#local/workers/batch.ts';
import { injectFaults } from '#test/support/faults/faults.ts';
import { captureOutput, enableTelemetryOfFile } from '#test/support/service/telemetry-output.ts';
import { publish, startWorkers } from '#test/support/service/workers.ts';

enableTelemetryOfFile();
const workers = await startWorkers();
const faults = injectFaults(workers.own.dynamo);
afterEach(() => faults.plan());
afterAll(() => workers.stop());

const runs = {
  'a message': async () => {
    const event = sqsEvent(await workers.queue.receive(), 'arn:aws:sqs:local:0:exports');
    await workers.run('workers/export', event, 300_000);
  },
  'a schedule': () => workers.run('workers/publish-waiting-changes', {}),
  'a stream': () => publish(workers, 'acct_1'),
};

/** The alarms of these metrics must see the workers, too. */
test.each([
  ['a message', 'throttling', /./, 'TableThrottles'],
  ['a message', 'conflict', /^(Transact|UpdateItem|PutItem)/, 'TransactionConflicts'],
  ['a schedule', 'throttling', /^(Query|Scan)/, 'TableThrottles'],
  ['a stream', 'throttling', /^Query/, 'TableThrottles'],
  ['a stream', 'conflict', /^Transact/, 'TransactionConflicts'],
] as const)('%s, two attempts with a %s: 2 in a metric', async (run, fault, commands, metric) => {
  await workers.service.send('/v1/exports', { method: 'POST', body: { type: 'customers', format: 'csv' } });
  let left = 2;
  faults.plan(({ command }) => (commands.test(command) && left-- > 0 ? fault : undefined));
  const { metrics } = await captureOutput(runs[run]);
  expect(metrics.map(({ name, value }) => [name, value])).toContainEqual([metric, 2]);
  await workers.queue.purge();
});
