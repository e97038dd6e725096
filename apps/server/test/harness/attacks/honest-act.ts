/**
 * Something honest that is done. It is data: a path names things as `{channel-3}`, which whoever performs it
 * replaces by ids.
 */
export type HonestAct = {
  atMs: number;
  by: HonestRole;
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  body?: object;
  /** The name of what it makes. */
  makes?: string;
};

export const honestRoles = [
  ...(['owner', 'admin-0', 'admin-1', 'moderator-0', 'moderator-1', 'moderator-2'] as const),
  ...(['moderator-3', 'ticketBot', 'voiceBot', 'roleBot', 'modBot'] as const),
] as const;
export type HonestRole = (typeof honestRoles)[number];

/** Bots that delete channels or ban people all day: their owners trust them. */
export const trustedRoles: readonly HonestRole[] = ['ticketBot', 'voiceBot', 'modBot'];
