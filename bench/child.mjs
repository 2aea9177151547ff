import { writeSync } from 'node:fs';

/**
 * The process under measure: loads a Lambda's bundle, calls its handler, and tells the CPU time that took. It is plain
 * JavaScript and loads next to nothing itself, so that little but the Lambda is measured.
 *
 * usage: node child.mjs <bundle> <event as JSON>
 * Descriptor 3: a line with the CPU time from the start of the process to its first answer, and one for each line of
 * standard input, which is a number of calls: the CPU time of these. All in microseconds.
 */
const [bundle, json] = process.argv.slice(2);

/** User and system, of all threads. */
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
  if (statusCode !== 200) throw new Error(`${bundle} answered ${statusCode}: ${body}`);
};

await call();
writeSync(3, `${cpuSince()}\n`);

for await (const line of (await import('node:readline')).createInterface(process.stdin)) {
  const before = process.cpuUsage();
  for (let i = Number(line); i > 0; i--) await call();
  writeSync(3, `${cpuSince(before)}\n`);
}
process.exit();
