import { run } from '#local/cli/cli-error.ts';
import { storage } from '#local/settings/settings.ts';
import { openIssuer } from './issuer.ts';

// A program of its own, so that the private key is never in the process that writes a template: prints the public keys of the
// local issuer (infra/settings/local-issuer-keys.ts).
await run(async () => {
  const { keys } = await openIssuer(storage(process.env).directory);
  console.log(JSON.stringify(keys));
});
