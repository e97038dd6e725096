import {
  type AlertKind,
  type AlertSettings,
  alertKinds,
  type DangerousPermission,
  defaultAlertSettings,
  type NotStoppedCode,
} from '@holdfast/contract';

/**
 * What is stored of an alert, by its kind: codes, ids and numbers, and a few texts that hold no person's
 * data. `text/` makes the sentences.
 */
export type FactsByKind = {
  /** What is missing of the last good backup. */
  SERVER_DAMAGED: { channels: number; roles: number };
  /** The first where it could not be found out which of the others it is. */
  SERVER_LOST: { reason: 'BOT_NOT_IN_GUILD' | 'BOT_REMOVED' | 'GUILD_DELETED' };
  BACKUP_FAILED: { backupId: string; error: string };
  BACKUP_UNPROVED: { backupId: string };
  BOT_REFUSED: { botName: string; refused: 'TOKEN' | 'CLIENT_SECRET' | 'INTENTS' | 'SIZE' };
  /** How many of the tokens that members gave were revoked. */
  TOKENS_FALLING: { revoked: number; total: number };
  PULL_ENDED: {
    pullId: string;
    status: 'completed' | 'failed';
    joined: number;
    /** Missing in alerts that were stored before it was counted. */
    alreadyMember?: number;
    total: number;
    error: string | null;
  };
  RESTORE_ENDED: {
    restoreId: string;
    status: 'completed' | 'partial' | 'failed';
    error: string | null;
  };
  /** `until` is an ISO time. */
  PAYMENT_FAILED: { plan: string; until: string } | MismatchFacts;
  /** Nothing about the person: their erasure must find nothing here. */
  APPEAL_OPENED: Record<never, never>;
  ORDER_SOLD: {
    orderId: string;
    quantity: number;
    totalCents: number;
    currency: string;
    isDeliveredByHand: boolean;
  };
  INCIDENT: AttackFacts | StoppedRepairFacts | DecidedFacts | DroppedFacts | ProtectionFacts;
};

/** `notStopped`: who goes on with it. What is missing was not told when the alert was stored. */
export type AttackFacts = {
  incidentId: string;
  incidentKind: 'NUKE' | 'RAID';
  notStopped?: NotStopped[];
  isByNobodyKnown?: boolean;
};
export type NotStopped = { platformId: string; code: NotStoppedCode };

/**
 * A payment that is not what was asked for. The order is null for one that was for a plan; amount and
 * currency are null where they could not be read.
 */
export type MismatchFacts = {
  mismatchedOrderId: string | null;
  amountCents: number | null;
  currency: string | null;
};

/**
 * What protection lost. It is always listed and mailed: whoever takes protection away must not be able to
 * silence that first.
 */
type ProtectionFacts =
  | WeakeningFacts
  | TightenedFacts
  | UnprotectedFacts
  | WorsenedFacts
  | HeldBackFacts
  | ExplainedFacts
  | PowerFacts;

const alwaysTold = [
  'weakened',
  'tightened',
  'unprotectedBy',
  'worsened',
  'heldBackIncidentId',
  'decided',
  'dropped',
  'power',
];

export const isAlwaysTold = (facts: AlertFacts): boolean =>
  alwaysTold.some((name) => name in facts);

/** `keyName` as below. */
export type StoppedRepairFacts = {
  incidentId: string;
  stoppedRepairId: string;
  keyName: string | null;
};

/**
 * Fields of the protection settings that are weaker from now on, or from `effectiveAt` on, which is an ISO
 * time. `keyName` is that of the API key that asked for it; null if it was somebody in the dashboard.
 */
export type WeakeningFacts = {
  weakened: string[];
  effectiveAt: string | null;
  keyName: string | null;
};

/**
 * What a key has decided about an incident, or about a server's health, from `effectiveAt` on. `subjectId` is that
 * of the incident, or of the backup that will be the good one.
 */
export type DecidedFacts = {
  decided: 'dismiss' | 'return-roles' | 'accept';
  subjectId: string;
  effectiveAt: string;
  keyName: string | null;
};

/** What a key had decided about an incident, and what did not take effect after all. */
export type DroppedFacts = { dropped: 'dismiss' | 'return-roles'; incidentId: string };

/** Thresholds that a key set below the defaults, so that honest people may be stopped. */
export type TightenedFacts = { tightened: string[]; keyName: string | null };

/** What is about more than one server, or about none any more. `name` is that of the bot or server. */
export type UnprotectedFacts = {
  unprotectedBy: 'BOT_OFF' | 'BOT_TOKEN' | 'SERVER_DELETED' | 'ALERTS_SILENCED';
  name: string | null;
  keyName: string | null;
};

/** What the bot cannot do any more, in sentences that say what to change. */
export type WorsenedFacts = { worsened: string[] };

/**
 * Roles with dangerous permissions: a person chose one (`CONFIRMED`), nobody gets them until a person
 * confirms them (`WITHHELD`), a pull gives them back to those who had them (`ALLOWED`), or a restore gives
 * them that power or gives them to somebody (`RESTORED`).
 */
export type PowerFacts = {
  power: 'CONFIRMED' | 'WITHHELD' | 'ALLOWED' | 'RESTORED';
  use: 'VERIFIED_ROLE' | 'PULL' | 'MASS_VERIFICATION' | 'RECALL' | 'RESTORE';
  /** Of those that are allowed the permissions are those of now, as far as they are known. */
  roles: { name: string; permissions: DangerousPermission[] }[];
  keyName: string | null;
};

/** An attack that could not be contained yet, because too many calls were refused. */
export type HeldBackFacts = { heldBackIncidentId: string };

/** What was told as an attack by nobody known was none, by what the audit log told later. */
export type ExplainedFacts = { explainedIncidentId: string };

export type AlertFacts = FactsByKind[AlertKind];

/** Kinds that are not about one server. */
type AccountKind = 'BOT_REFUSED' | 'PAYMENT_FAILED' | 'ORDER_SOLD';

type ServerIdOf<Kind extends AlertKind> = Kind extends AccountKind
  ? null
  : Kind extends 'INCIDENT'
    ? string | null
    : string;

/** An alert as it is raised. */
export type NewAlert = {
  [Kind in AlertKind]: {
    accountId: string;
    serverId: ServerIdOf<Kind>;
    kind: Kind;
    facts: FactsByKind[Kind];
  };
}[AlertKind];

/** The settings of every kind: those that the account chose, and the defaults of the others. */
export const completeSettings = (chosen: Partial<AlertSettings>): AlertSettings => {
  const entries = alertKinds.map((kind) => [kind, chosen[kind] ?? defaultAlertSettings[kind]]);
  // `fromEntries` forgets the names.
  return Object.fromEntries(entries) as AlertSettings;
};
