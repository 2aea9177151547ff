import { readdirSync } from 'node:fs';

/*
 * The tests of the synthesized stack and of its settings. They are one suite, because loading the CDK and synthesizing
 * a stage take a second each.
 */
for (const file of readdirSync(new URL('synthesis', import.meta.url))) await import(`./synthesis/${file}`);
