import { z } from 'zod';

/** What went wrong, as the operator's terminal shows it. */
export const oneLine = (error: unknown): string => {
  if (error instanceof z.ZodError) {
    return error.issues.map(({ path, message }) => `--${String(path[0])}: ${message}`).join('; ');
  }
  const message = error instanceof Error ? error.message : String(error);
  return message.replace(/\s*\n\s*/g, ' ');
};
