import { afterAll, expect, test } from '@jest/globals';
import { isWrite } from '#shared/platform/endpoint.ts';
import { sendDryRun } from '#test/support/requests/dry-run.ts';
import { createPrerequisites, operations, request } from '#test/support/requests/requests.ts';
import { startService } from '#test/support/service/local-service.ts';
import { captureOutput, enableTelemetry } from '#test/support/service/telemetry-output.ts';

const restoreOutput = enableTelemetry();
const service = await startService();
afterAll(async () => {
  restoreOutput();
  await service.stop();
});

const writes = operations.filter(([, operation]) => isWrite(operation)).map(([, one]) => [one.route, one] as const);

test.each(writes)(
  '%s as a dry run: dry_run in its log line, and no money is counted [CONTRACT §13]',
  async (_, operation) => {
    const { result: ids } = await captureOutput(() => createPrerequisites(service, operation));
    const { target, sent } = request(operation, 'v1', ids);
    const [status] = Object.keys(operation.returns).map(Number);
    const dry = await captureOutput(() => sendDryRun(service, { target, sent }));
    expect(dry.lines).toMatchObject([{ message: 'request', status, dry_run: true }]);
    expect(dry.metrics.filter(({ name }) => name.startsWith('Money'))).toEqual([]);
    const real = await captureOutput(() => service.send(target, sent));
    expect(real.lines).toMatchObject([{ message: 'request', status }]);
    expect(real.lines[0]).not.toHaveProperty('dry_run');
  },
);
