import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '#infra/build/bundle.ts';
import { SettingError } from './context.ts';

export const STAGE_FOLDER = 'infra/stages';

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Converts a value of a file to the text that `-c` has for it, by the kind of the setting. */
const TEXT_BY_KIND = {
  'a text': (value: unknown) => (typeof value === 'string' ? value : undefined),
  'a number': (value: unknown) => (typeof value === 'number' ? String(value) : undefined),
  'true or false': (value: unknown) => (typeof value === 'boolean' ? String(value) : undefined),
  'a list of texts': (value: unknown) =>
    Array.isArray(value) && value.every((one) => typeof one === 'string') ? value.join(' ') : undefined,
  'an object of numbers': (value: unknown) =>
    isObject(value) && Object.values(value).every((one) => typeof one === 'number')
      ? Object.entries(value)
          .map((entry) => entry.join('='))
          .join(' ')
      : undefined,
} satisfies Record<string, (value: unknown) => string | undefined>;

export type Kind = keyof typeof TEXT_BY_KIND;

interface StageFile {
  readonly path: string;
  /** The texts that `-c` has for the same values. */
  readonly values: Readonly<Record<string, string>>;
}

/** Reads the file of a stage, which may not exist. Only the checks of `-c` know which texts are valid. */
export const readStageFile = (
  stage: string,
  kinds: Readonly<Record<string, Kind>>,
  folder = join(ROOT, STAGE_FOLDER),
): StageFile => {
  const path = `${STAGE_FOLDER}/${stage}.json`;
  const file = join(folder, `${stage}.json`);
  const entries = existsSync(file) ? Object.entries(parse(readFileSync(file, 'utf8'), path)) : [];
  const texts = entries.map(([key, value]) => {
    const kind = Object.hasOwn(kinds, key) && kinds[key];
    if (!kind) throw new SettingError(`${key} in ${path} is not a setting. Use: ${Object.keys(kinds).join(', ')}.`);
    const text = TEXT_BY_KIND[kind](value);
    if (text === undefined) throw new SettingError(`${key} in ${path} must be ${kind}, not ${JSON.stringify(value)}.`);
    return [key, text];
  });
  return { path, values: Object.fromEntries(texts) };
};

const parse = (text: string, path: string): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {}
  throw new SettingError(`${path} must be a JSON object of settings.`);
};
