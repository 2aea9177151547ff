import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openDirectory } from '#local/settings/private-files.ts';
import type { Environment } from '#shared/lambda/settings.ts';

const NAMES = [
  'AWS_ENDPOINT_URL_DYNAMODB',
  'AWS_ENDPOINT_URL_SQS',
  'AWS_ENDPOINT_URL_S3',
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
];

/**
 * Writes `engines.env`, which a shell reads so that the AWS CLI reaches the embedded engines (docs/engines.md): the
 * variables that this start has set, none that it was given, and the region.
 */
export const writeEnginesFile = async (directory: string, given: Environment, now: Environment): Promise<void> => {
  const file = join(directory, 'engines.env');
  const set = NAMES.filter((name) => now[name] !== given[name]).map((name) => [name, now[name]]);
  // The AWS CLI reads the region under another name than the SDK.
  const region = ['AWS_REGION', 'AWS_DEFAULT_REGION'].map((name) => [name, now['AWS_REGION']]);
  await openDirectory(directory);
  const lines = [...set, ...region].map(([name, value]) => `export ${name}='${value}'\n`);
  await writeFile(file, lines.join(''), { mode: 0o600 });
};
