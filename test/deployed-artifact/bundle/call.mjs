/**
 * Loads the bundle of a Lambda and calls its handler, in a process without other modules.
 *
 * usage: node call.mjs <bundle> <event as JSON>; prints its log and, as the last line, the result with
 * the modules that Node has loaded
 */
const [bundle, json] = process.argv.slice(2);
const { handler } = await import(bundle);
const answer = await handler(JSON.parse(json), { awsRequestId: 'test', getRemainingTimeInMillis: () => 10_000 });
process.stdout.write(`${JSON.stringify({ answer, loaded: process.moduleLoadList })}\n`, () => process.exit());
