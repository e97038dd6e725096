let widthOf = (text: string): number => text.length;

/**
 * Makes widths exact for scripts of every kind. Only a terminal has columns, and only to load the
 * tables of all characters takes as long as everything else at the start.
 */
export const loadTextWidth = async (): Promise<void> => {
  const { exactWidth } = await import('./exact-width.ts');
  widthOf = exactWidth;
};

/** The columns that a text takes in a terminal. */
export const textWidth = (text: string): number =>
  /^[ -~]*$/.test(text) ? text.length : widthOf(text);
