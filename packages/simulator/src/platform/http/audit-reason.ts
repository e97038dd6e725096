import type { PlatformContext } from '../platform.ts';

/** The reason for the audit log, which libraries send percent-encoded. */
export const reasonOf = (c: PlatformContext): string | null => {
  const reason = c.req.header('x-audit-log-reason');
  if (!reason) return null;
  try {
    return decodeURIComponent(reason);
  } catch {
    return reason;
  }
};
