import { expect, test } from '@jest/globals';
import { startTelemetry } from '#shared/runtime/start-telemetry.ts';
import { captureOutput, enableTelemetryOfFile } from '#test/support/service/telemetry-output.ts';

enableTelemetryOfFile();

test('a function with the loader: logs once the state of the code cache, and the version of Node', async () => {
  const { lines } = await captureOutput(async () => startTelemetry({ CODE_CACHE: 'rejected' }));
  expect(lines).toMatchObject([{ message: 'cold start', code_cache: 'rejected', node: process.version }]);
  expect(lines).toHaveLength(1);
});

test('a function without the loader, as in npm start: logs nothing', async () => {
  const { lines } = await captureOutput(async () => startTelemetry({}));
  expect(lines).toEqual([]);
});
