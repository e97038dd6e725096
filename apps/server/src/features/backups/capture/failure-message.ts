import {
  BlobBroken,
  StorageFull,
  StorageUnavailable,
} from '../../../integrations/blobs/blob-store.ts';
import { type FailureKind, PlatformFailure } from '../../../platform/failures.ts';
import { BotUnusable } from '../../bots/use/use-bot.ts';
import { StorageLimitReached } from '../objects/save-objects.ts';

const messages: Partial<Record<FailureKind, string>> = {
  botTokenDead: "The platform refuses the bot's token: give the bot a new one",
  missingPermission:
    'The bot lacks a permission that this needs: give its role all that the invite asked for, or invite it again',
  noAccess: 'The bot is not in the server, or may not see what this needs',
  unknownGuild: 'The platform does not know this server, or the bot is not in it',
  rateLimited: 'The platform asks for a longer wait than makes sense: try again later',
  unreachable: 'The platform did not answer: try again later',
  badAnswer: 'The platform answered something that makes no sense: try again later',
  breakerOpen: 'The platform refused too many of our calls lately: try again in ten minutes',
  twoFactorRequired:
    "This server demands two-factor authentication of its moderators: switch it on in the account that owns the bot's application, or let the server's owner end the demand",
  banReadsUsedUp: 'The bans of this server were read too often lately: try again later',
};

/** What the bot may not read is left out of a backup, with a warning. */
export const isAccessRefused = (error: unknown): boolean =>
  error instanceof PlatformFailure &&
  (error.kind === 'noAccess' || error.kind === 'missingPermission');

/** The guild cannot be captured consistently. */
export class SnapshotImpossible extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'SnapshotImpossible';
  }
}

/** Errors whose own message is written for the owner. */
const errorsForOwners = [
  SnapshotImpossible,
  BotUnusable,
  StorageLimitReached,
  StorageFull,
  StorageUnavailable,
];

/** Why a backup, restore or pull failed, as its owner reads it. */
export const failureMessage = (error: unknown): string => {
  if (error instanceof PlatformFailure) return describeRefusal(error);
  if (error instanceof BlobBroken) return `The backup cannot be read. ${error.message}`;
  if (error instanceof Error && errorsForOwners.some((kind) => error instanceof kind))
    return error.message;
  return 'An internal failure: the log of the service has it';
};

type Refusal = Pick<PlatformFailure, 'kind' | 'code' | 'detail'>;

/** In the platform's own words where ours do not say more. */
export const describeRefusal = ({ kind, code, detail }: Refusal): string => {
  const known = messages[kind];
  if (known !== undefined) return known;
  const words = detail === undefined ? '' : `: ${detail}`;
  return `The platform refused it${words}${code === undefined ? '' : ` (code ${code})`}`;
};
