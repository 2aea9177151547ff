import { writeSync } from 'node:fs';

/**
 * The measured process: loads a Lambda's bundle, calls its handler, and reports the CPU time. It is plain JavaScript and
 * imports very little, so that it adds little to the Lambda's time.
 *
 * usage: node child.mjs <bundle> <event as JSON>
 * Standard input: lines with a number of calls.
 * Descriptor 3: a line with the CPU time from the start of the process to its first response, then a line for each line
 * of standard input with the CPU time of these calls, in microseconds.
 */
const [bundle, json] = process.argv.slice(2);

/** User and system time of all threads, in microseconds. */
const cpuSince = (before) => {
  const { user, system } = process.cpuUsage(before);
  return user + system;
};

const contextOf = () => {
  const end = Date.now() + 10_000;
  return { awsRequestId: 'bench', getRemainingTimeInMillis: () => end - Date.now() };
};

const { handler } = await import(bundle);

const call = async () => {
  const { statusCode, body } = await handler(JSON.parse(json), contextOf());
  if (statusCode !== 200) throw new Error(`${bundle} returned ${statusCode}: ${body}`);
};

await call();
writeSync(3, `${cpuSince()}\n`);

for await (const line of (await import('node:readline')).createInterface(process.stdin)) {
  const before = process.cpuUsage();
  for (let i = Number(line); i > 0; i--) await call();
  writeSync(3, `${cpuSince(before)}\n`);
}
process.exit();
