import { subscribe } from 'node:diagnostics_channel';
import { readFileSync, writeSync } from 'node:fs';

/**
 * The measured process: loads an export worker's bundle and calls its handler once. It is plain JavaScript and imports
 * very little, so that it adds little to the worker's memory.
 *
 * usage: node export-child.mjs <bundle> <SQS event as JSON>
 * Descriptor 3: the measurements as JSON (`ExportRun` in export-run.ts, without the job).
 */
const [bundle, json] = process.argv.slice(2);

/** The maximum timeout of a Lambda. */
const LIMIT_MS = 15 * 60_000;

/** The operation of a request. S3 has no header for it, but the SDK adds `x-id` to most requests. */
const nameOf = (request) => {
  const target = request.getHeader('x-amz-target');
  if (target) return String(target).split('.').at(-1);
  const query = new URL(request.path, 'http://localhost').searchParams;
  if (query.has('x-id')) return query.get('x-id');
  if (query.has('uploads')) return 'CreateMultipartUpload';
  return query.has('uploadId') ? 'CompleteMultipartUpload' : request.method;
};

/** On Linux, getrusage(2) includes the parent's memory before this program was loaded; VmHWM does not. */
const peakRss = () => {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024;
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'));
  return Number(kilobytes) * 1024;
};

const calls = {};
subscribe('http.client.request.start', ({ request }) => {
  const name = nameOf(request);
  calls[name] = (calls[name] ?? 0) + 1;
});

const { handler } = await import(bundle);
const end = Date.now() + LIMIT_MS;
const context = { awsRequestId: 'bench', getRemainingTimeInMillis: () => end - Date.now() };
const [start, before] = [performance.now(), process.cpuUsage()];
await handler(JSON.parse(json), context);
const { user, system } = process.cpuUsage(before);
const milliseconds = performance.now() - start;
writeSync(3, JSON.stringify({ milliseconds, cpu: (user + system) / 1000, peakRss: peakRss(), calls }));
process.exit();
