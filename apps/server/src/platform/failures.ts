import { z } from 'zod';

/** Why a platform call failed, as a code that a job can act upon. */
export type FailureKind =
  /** The bot's token is invalid: every call with it fails. */
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
  | 'unknownInvite'
  /** It was deleted, or its token is not the one it was made with. */
  | 'unknownWebhook'
  /** The message has a thread already. */
  | 'threadExists'
  /** The member's own token was refused: refresh it once, then skip them. */
  | 'memberTokenInvalid'
  /** The platform declared a code or refresh token invalid. A missing answer never means this. */
  | 'grantRevoked'
  /** The application's own id or secret is wrong: it is not the member's fault. */
  | 'clientRefused'
  | 'memberBanned'
  | 'memberAtGuildCap'
  | 'guildFull'
  /** No more roles, channels, emoji or stickers fit into the guild. */
  | 'limitReached'
  /** The guild demands two-factor authentication of whoever moderates it, and the bot's owner has none. */
  | 'twoFactorRequired'
  /** A guild's bans can be read only so often. */
  | 'banReadsUsedUp'
  /** A 4xx that none of the above describes. */
  | 'refused'
  /** It demands a longer wait than makes sense inside a job's step. */
  | 'rateLimited'
  /** No answer, or only 5xx, after several attempts. */
  | 'unreachable'
  /** An answer that does not match the platform's documentation. */
  | 'badAnswer'
  /** Too many calls were refused lately: no more are sent, before the platform bans our address. */
  | 'breakerOpen'
  | 'aborted'
  /** `lateBody` cancelled the call right before it was sent. */
  | 'withheld';

type Origin = {
  status?: number;
  code?: number;
  retryAfterMs?: number;
  /** The platform's own message. */
  detail?: string;
  fields?: readonly string[];
  cause?: unknown;
};

export class PlatformFailure extends Error {
  readonly status: number | undefined;
  /** The platform's own error code. */
  readonly code: number | undefined;
  /** The wait that a `rateLimited` demands, where it says so. */
  readonly retryAfterMs: number | undefined;
  /** The platform's own message, shortened: it helps an owner more than a code. */
  readonly detail: string | undefined;
  /** The fields of the body that the platform refused, by its names, where it names some. */
  readonly fields: readonly string[];

  constructor(
    readonly kind: FailureKind,
    { status, code, retryAfterMs, detail, fields = [], cause }: Origin = {},
  ) {
    super(`Platform: ${kind}${code === undefined ? '' : ` (code ${code})`}`, { cause });
    this.name = 'PlatformFailure';
    this.status = status;
    this.code = code;
    this.retryAfterMs = retryAfterMs;
    this.detail = detail;
    this.fields = fields;
  }
}

const passingKinds: readonly FailureKind[] = [
  'unreachable',
  'rateLimited',
  'badAnswer',
  'breakerOpen',
  'aborted',
];

/** Whether the same call may succeed some time later. */
export const isPassing = ({ kind }: PlatformFailure): boolean => passingKinds.includes(kind);

const kindOfCode = new Map<number, FailureKind>([
  [10003, 'unknownChannel'],
  [10004, 'unknownGuild'],
  [10006, 'unknownInvite'],
  [10007, 'unknownMember'],
  [10008, 'unknownMessage'],
  [10011, 'unknownRole'],
  [10013, 'unknownUser'],
  [10014, 'unknownEmoji'],
  [10015, 'unknownWebhook'],
  [10026, 'unknownBan'],
  [10060, 'unknownSticker'],
  [30001, 'memberAtGuildCap'],
  [30003, 'limitReached'],
  [30005, 'limitReached'],
  [30007, 'limitReached'],
  [30008, 'limitReached'],
  [30013, 'limitReached'],
  [30018, 'limitReached'],
  [30019, 'guildFull'],
  [30037, 'banReadsUsedUp'],
  [30039, 'limitReached'],
  [40007, 'memberBanned'],
  [50001, 'noAccess'],
  [50013, 'missingPermission'],
  [50025, 'memberTokenInvalid'],
  [50027, 'unknownWebhook'],
  [160004, 'threadExists'],
  [60003, 'twoFactorRequired'],
]);

/** The failure of an answer outside 2xx; `body` is what it says, if it was JSON. */
export const failureOf = (status: number, code?: number, body?: unknown): PlatformFailure => {
  // An answer in HTML has no code.
  const knownCode = Number.isInteger(code) ? code : undefined;
  const { message, errors } = refusalBody.safeParse(body).data ?? {};
  const details = listDetails(errors);
  const detail = shorten([message ?? '', ...details].filter((part) => part !== '').join('; '));
  const fields = typeof errors === 'object' && errors !== null ? Object.keys(errors) : [];
  const named = fields.filter((field) => field !== '_errors').slice(0, maxFields);
  return new PlatformFailure(kindOf(status, knownCode), {
    ...{ status, code: knownCode, detail, fields: named },
  });
};

const refusalBody = z.object({
  message: z.string().optional().catch(undefined),
  errors: z.unknown().optional(),
});

const nestedErrors = z.object({ _errors: z.array(z.object({ message: z.string() })) });
const deepestField = 6;
const maxDetails = 5;
const maxFields = 50;

/** The platform nests its complaints by field: `{ name: { _errors: [{ message }] } }`. */
const listDetails = (errors: unknown, path: string[] = []): string[] => {
  if (typeof errors !== 'object' || errors === null || path.length > deepestField) return [];
  const own = nestedErrors.safeParse(errors).data?._errors ?? [];
  const field = path.join('.');
  return [
    ...own.map(({ message }) => (field === '' ? message : `${field}: ${message}`)),
    ...Object.entries(errors).flatMap(([key, nested]) =>
      key === '_errors' ? [] : listDetails(nested, [...path, key]),
    ),
  ].slice(0, maxDetails);
};

const kindOf = (status: number, code: number | undefined): FailureKind => {
  const kind = code === undefined ? undefined : kindOfCode.get(code);
  if (status === 401) return kind === 'unknownWebhook' ? kind : 'botTokenDead';
  if (status === 429) return 'rateLimited';
  return kind ?? (status >= 500 ? 'unreachable' : 'refused');
};

const longestDetail = 400;

/** A long word that is no error name could be a secret that the platform repeats to us. */
const shorten = (message: string): string | undefined => {
  const safe = message.replace(/[\w.-]{22,}/g, (word) => (/^[A-Z_]+$/.test(word) ? word : '…'));
  return safe === '' ? undefined : safe.slice(0, longestDetail);
};
