import { LOCAL } from '#local/engines/credentials.ts';

// A region and keys, without which the SDK's clients send nothing.
for (const [name, value] of Object.entries(LOCAL)) process.env[name] ??= value;
