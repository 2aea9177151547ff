/** Keeps responses short when a client sends a long value. */
const MAX_LENGTH = 100;

/**
 * Characters that a reader would not see: controls, formats, unassigned characters, and white space other than a blank.
 */
const INVISIBLE = /[\p{C}\p{Default_Ignorable_Code_Point}]|(?! )\p{Z}/gu;

/** Quotes a value in the detail of a problem, with escapes for invisible characters. */
export const quote = (value: string): string => {
  const characters = [...value];
  const text = JSON.stringify(characters.length > MAX_LENGTH ? `${characters.slice(0, MAX_LENGTH).join('')}…` : value);
  return text.replaceAll(INVISIBLE, toEscapes);
};

/** The escapes of a JSON string: one for each code unit. */
const toEscapes = (character: string): string =>
  Array.from(character.split(''), (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
