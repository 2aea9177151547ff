/** Long enough to recognize a value, short enough that a response does not repeat a long one. */
const MAX_LENGTH = 100;

/** A value that was sent, as part of a sentence. */
export const quote = (value: string): string => {
  const characters = [...value];
  return JSON.stringify(characters.length > MAX_LENGTH ? `${characters.slice(0, MAX_LENGTH).join('')}…` : value);
};
