import { run } from './failure.ts';
import { openIssuer } from './issuer.ts';
import { storage } from './settings.ts';

// Prints the public keys of the local issuer, as whoever is to accept its tokens needs them (infra/developer.ts).
await run(async () => {
  const { keys } = await openIssuer(storage(process.env).directory);
  console.log(JSON.stringify(keys));
});
