import { z } from 'zod';

type Json = z.core.util.JSONType;

const deepest = 64;

/** Level by level instead of by recursion: what was read from JSON can be deeper than the stack. */
const isShallow = (root: unknown): boolean => {
  let level = [root];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth > deepest) return false;
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    );
  }
  return true;
};

/** An embed of a message, in the platform's own shape. */
export const embed = z.record(z.string(), z.custom<Json>(isShallow));
