/** The name of `--no-color` among the options. Not `color`, which a field of the API is called. */
export const colourAttribute = 'isColoured';

/** The text of an option that takes a value. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** The values of an option that may be given several times. */
export const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
