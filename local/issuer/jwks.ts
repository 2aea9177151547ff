import { run } from '#local/cli/cli-error.ts';
import { readStorage } from '#local/settings/settings.ts';
import { openIssuer } from './issuer.ts';

// Prints the public keys of the local issuer. A separate program, so that the private key is never in the process that
// writes the template (infra/settings/local-issuer-keys.ts).
await run(async () => {
  const { keys } = await openIssuer(readStorage(process.env).directory);
  console.log(JSON.stringify(keys));
});
