export const longestAppeal = 500;

/** The message as it is kept, or undefined where it is empty or too long. */
export const appealMessage = (text: string | undefined): string | undefined => {
  const message = (text ?? '')
    .replaceAll('\r\n', '\n')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what no person can type or read
    .replace(/[\u0000-\u0009\u000b-\u001f\u007f]/g, ' ')
    .trim();
  const { length } = [...message];
  return length >= 1 && length <= longestAppeal ? message : undefined;
};
