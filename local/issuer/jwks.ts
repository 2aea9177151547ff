import { run } from '#local/cli/cli-error.ts';
import { storage } from '#local/settings/settings.ts';
import { openIssuer } from './issuer.ts';

// Prints the public keys of the local issuer, for a deployment that accepts its tokens (infra/settings/local-issuer-keys.ts).
await run(async () => {
  const { keys } = await openIssuer(storage(process.env).directory);
  console.log(JSON.stringify(keys));
});
