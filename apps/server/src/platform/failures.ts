/** Why the platform did not do what it was asked, in words a job can act upon. */
export type FailureKind =
  /** The bot's token is no longer good: nothing more can be done with it. */
  | 'botTokenDead'
  | 'missingPermission'
  | 'noAccess'
  | 'unknownGuild'
  | 'unknownUser'
  | 'unknownMember'
  | 'unknownRole'
  | 'unknownChannel'
  | 'unknownEmoji'
  | 'unknownSticker'
  | 'unknownBan'
  | 'unknownMessage'
  /** The member's own token was refused: refresh it once, then give up on them. */
  | 'memberTokenInvalid'
  /** The platform itself says that a code or refresh token is worth nothing. Silence never means this. */
  | 'grantRevoked'
  /** The application's own id or secret is wrong: no member can do anything about it. */
  | 'clientRefused'
  | 'memberBanned'
  | 'memberAtGuildCap'
  | 'guildFull'
  /** No more roles, channels, emoji or stickers fit into the guild. */
  | 'limitReached'
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
  | 'aborted'
  /** Whoever asked for it thought better of it when its turn had come: it was not sent. */
  | 'withheld';

type Origin = {
  status?: number;
  code?: number;
  retryAfterMs?: number;
  /** The platform's own words. */
  detail?: string;
  cause?: unknown;
};

export class PlatformFailure extends Error {
  readonly status: number | undefined;
  /** The platform's own number for it. */
  readonly code: number | undefined;
  /** How long a `rateLimited` asks us to wait, where it says so. */
  readonly retryAfterMs: number | undefined;
  /** The platform's own words, shortened: they help an owner more than a number does. */
  readonly detail: string | undefined;

  constructor(
    readonly kind: FailureKind,
    { status, code, retryAfterMs, detail, cause }: Origin = {},
  ) {
    super(`Platform: ${kind}${code === undefined ? '' : ` (code ${code})`}`, { cause });
    this.name = 'PlatformFailure';
    this.status = status;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
    this.detail = detail;
  }
}

const kindOfCode = new Map<number, FailureKind>([
  [10003, 'unknownChannel'],
  [10004, 'unknownGuild'],
  [10007, 'unknownMember'],
  [10008, 'unknownMessage'],
  [10011, 'unknownRole'],
  [10013, 'unknownUser'],
  [10014, 'unknownEmoji'],
  [10026, 'unknownBan'],
  [10060, 'unknownSticker'],
  [30001, 'memberAtGuildCap'],
  [30005, 'limitReached'],
  [30008, 'limitReached'],
  [30013, 'limitReached'],
  [30018, 'limitReached'],
  [30019, 'guildFull'],
  [30039, 'limitReached'],
  [40007, 'memberBanned'],
  [50001, 'noAccess'],
  [50013, 'missingPermission'],
  [50025, 'memberTokenInvalid'],
]);

/** What an answer outside 2xx means. */
export const failureOf = (status: number, code?: number, words = ''): PlatformFailure => {
  // Whoever answers in HTML gives no code.
  const knownCode = Number.isInteger(code) ? code : undefined;
  const origin = { status, code: knownCode, detail: shorten(words) };
  return new PlatformFailure(kindOf(status, knownCode), origin);
};

const kindOf = (status: number, code: number | undefined): FailureKind => {
  if (status === 401) return 'botTokenDead';
  if (status === 429) return 'rateLimited';
  const kind = code === undefined ? undefined : kindOfCode.get(code);
  return kind ?? (status >= 500 ? 'unreachable' : 'refused');
};

const longestDetail = 300;

/** A long word that is no name of an error could be a secret the platform repeats to us. */
const shorten = (words: string): string | undefined => {
  const safe = words.replace(/[\w.-]{22,}/g, (word) => (/^[A-Z_]+$/.test(word) ? word : '…'));
  return safe === '' ? undefined : safe.slice(0, longestDetail);
};
