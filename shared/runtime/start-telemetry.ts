import { jsonLines, type Telemetry } from '#shared/platform/telemetry/telemetry.ts';
import { SERVICE } from '#shared/vocabulary.ts';
import type { Environment } from './settings.ts';

/** Creates a function's telemetry. Logs whether V8 used the code cache; only deployed functions have a loader. */
export const startTelemetry = ({ CODE_CACHE: state }: Environment): Telemetry => {
  const telemetry = jsonLines(SERVICE);
  if (state) telemetry.log('cold start', { code_cache: state, node: process.version });
  return telemetry;
};
