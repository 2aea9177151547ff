import { subscribe } from 'node:diagnostics_channel';
import { readFileSync, writeSync } from 'node:fs';

/**
 * The process under measure: loads an export worker's bundle and calls its handler once. It is plain JavaScript and
 * loads next to nothing itself, so that its memory is the worker's.
 *
 * usage: node export-child.mjs <bundle> <SQS event as JSON>
 * Descriptor 3: JSON with the time of the call and its CPU time (user and system, all threads), in milliseconds, the
 * process's peak RSS in bytes, and the HTTP requests that it sent, by their names: one for each attempt.
 */
const [bundle, json] = process.argv.slice(2);

/** The longest that a Lambda may run. */
const LIMIT_MS = 15 * 60_000;

/** S3 has its operations' names in methods and parameters, some by the SDK's `x-id`. */
const nameOf = (request) => {
  const target = request.getHeader('x-amz-target');
  if (target) return String(target).split('.').at(-1);
  const query = new URL(request.path, 'http://localhost').searchParams;
  if (query.has('x-id')) return query.get('x-id');
  if (query.has('uploads')) return 'CreateMultipartUpload';
  return query.has('uploadId') ? 'CompleteMultipartUpload' : request.method;
};

/** Linux counts in getrusage(2) what the parent took before this program was loaded, too; not so in VmHWM. */
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
writeSync(3, JSON.stringify({ milliseconds, cpu: (user + system) / 1000, peak: peakRss(), calls }));
process.exit();
