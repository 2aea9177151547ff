/** Keeps responses short when a client sends a long value. */
const MAX_LENGTH = 100;

export const quote = (value: string): string => {
  const characters = [...value];
  return JSON.stringify(characters.length > MAX_LENGTH ? `${characters.slice(0, MAX_LENGTH).join('')}…` : value);
};
