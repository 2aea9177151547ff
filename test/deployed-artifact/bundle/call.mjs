/**
 * Loads a Lambda's bundle and calls its handler, in a process where nothing else could stand in for a missing piece.
 *
 * usage: node call.mjs <bundle> <event as JSON>; prints what it logs and, as the last line, the answer with
 * what Node has loaded for it
 */
const [bundle, json] = process.argv.slice(2);
const { handler } = await import(bundle);
const answer = await handler(JSON.parse(json), { awsRequestId: 'test', getRemainingTimeInMillis: () => 10_000 });
process.stdout.write(`${JSON.stringify({ answer, loaded: process.moduleLoadList })}\n`, () => process.exit());
