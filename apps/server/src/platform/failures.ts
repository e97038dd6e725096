/** Why the platform did not do what it was asked, in words a job can act upon. */
export type FailureKind =
  /** The bot's token is no longer good: nothing more can be done with it. */
  | 'botTokenDead'
  | 'missingPermission'
  | 'noAccess'
  | 'unknownGuild'
  | 'unknownUser'
  /** The member's own token was refused: refresh it once, then give up on them. */
  | 'memberTokenInvalid'
  | 'memberBanned'
  | 'memberAtGuildCap'
  | 'guildFull'
  /** A 4xx that none of the above describes. */
  | 'refused'
  /** It asks us to wait longer than makes sense inside a job's step. */
  | 'rateLimited'
  /** No answer, or only 5xx, after several tries. */
  | 'unreachable'
  /** An answer that is not what the platform's documentation promises. */
  | 'badAnswer'
  /** Too many of our calls were refused lately: we stop before the platform bans our address. */
  | 'breakerOpen'
  | 'aborted';

type Origin = { status?: number; code?: number; cause?: unknown };

export class PlatformFailure extends Error {
  readonly status: number | undefined;
  /** The platform's own number for it. */
  readonly code: number | undefined;

  constructor(
    readonly kind: FailureKind,
    { status, code, cause }: Origin = {},
  ) {
    super(`Platform: ${kind}${code === undefined ? '' : ` (code ${code})`}`, { cause });
    this.name = 'PlatformFailure';
    this.status = status;
    this.code = code;
  }
}

const kindOfCode = new Map<number, FailureKind>([
  [10004, 'unknownGuild'],
  [10013, 'unknownUser'],
  [30001, 'memberAtGuildCap'],
  [30019, 'guildFull'],
  [40007, 'memberBanned'],
  [50001, 'noAccess'],
  [50013, 'missingPermission'],
  [50025, 'memberTokenInvalid'],
]);

/** What an answer outside 2xx means. */
export const failureOf = (status: number, code: number | undefined): PlatformFailure => {
  if (status === 401) return new PlatformFailure('botTokenDead', { status, code });
  const kind = code === undefined ? undefined : kindOfCode.get(code);
  return new PlatformFailure(kind ?? (status >= 500 ? 'unreachable' : 'refused'), { status, code });
};
