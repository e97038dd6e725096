/** By the word that a Redis error begins with; in an error inside a script it stands further back. */
const reasons: [RegExp, string][] = [
  [/\bOOM\b/, 'full'],
  [/\bREADONLY\b/, 'read_only'],
  [/\b(WRONGPASS|NOAUTH|NOPERM)\b/, 'refused'],
  [/timed out|timeout/i, 'silent'],
  [/ECONN|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ETIMEDOUT|not ready|writeable|close/, 'unreachable'],
];

/** In one word, without the command, whose arguments may hold the password. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return 'other';
  const text = `${'code' in error ? error.code : ''} ${error.message}`;
  return reasons.find(([pattern]) => pattern.test(text))?.[1] ?? 'other';
};
