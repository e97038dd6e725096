import type { LimitCode, ThresholdKind } from '@holdfast/contract';
import type { Protection, ProtectionChanges } from '../queries/records.ts';
import { formatCount, formatInterval, keysOf, plural } from './format.ts';

type Threshold = Protection['thresholds'][ThresholdKind];
type Raid = Protection['raid'];

/** What is counted, in the order of the page. The compiler asks for every kind of the contract. */
export const thresholdLabels: Record<ThresholdKind, { label: string; unit: [string, string] }> = {
  channelDeletes: { label: 'Channels deleted', unit: ['channel', 'channels'] },
  roleDeletes: { label: 'Roles deleted', unit: ['role', 'roles'] },
  bans: { label: 'Members banned', unit: ['ban', 'bans'] },
  kicks: { label: 'Members kicked', unit: ['kick', 'kicks'] },
  webhookCreates: { label: 'Webhooks created', unit: ['webhook', 'webhooks'] },
  emojiDeletes: { label: 'Emojis and stickers deleted', unit: ['emoji', 'emojis'] },
};

/** As the contract has them: a value import would bundle its validators. */
export const defaultThresholds: Protection['thresholds'] = {
  channelDeletes: { count: 3, perSeconds: 30 },
  roleDeletes: { count: 3, perSeconds: 30 },
  bans: { count: 5, perSeconds: 30 },
  kicks: { count: 5, perSeconds: 30 },
  webhookCreates: { count: 3, perSeconds: 30 },
  emojiDeletes: { count: 10, perSeconds: 60 },
};
export const defaultRaid: Raid = { joins: 20, perSeconds: 10, minAccountAgeDays: 3 };

/** What is never counted: the first one is an attack, unless somebody trusted did it. */
export const atOnceLabels = [
  'A role or member gets a dangerous permission',
  'A bot is added',
  'Inactive members are pruned',
  'The verification level is lowered, or the vanity address changed',
];

const thresholdText = (kind: ThresholdKind, { count, perSeconds }: Threshold): string =>
  `${plural(count, ...thresholdLabels[kind].unit)} in ${formatCount(perSeconds)} s`;

const raidText = ({ joins, perSeconds, minAccountAgeDays }: Raid): string =>
  `${plural(joins, 'join')} in ${formatCount(perSeconds)} s, from accounts younger than ${plural(minAccountAgeDays, 'day')}`;

/** "Default: 3 channels in 30 s", where it is not the default. */
export const defaultHint = (kind: ThresholdKind, value: Threshold): string | undefined =>
  isSame(value, defaultThresholds[kind])
    ? undefined
    : `Default: ${thresholdText(kind, defaultThresholds[kind])}.`;

export const raidHint = (raid: Raid): string | undefined =>
  isSame(raid, defaultRaid) ? undefined : `Default: ${raidText(defaultRaid)}.`;

/** Whether nothing differs from what most servers have. */
export const areDefaults = ({
  thresholds,
  raid,
}: Pick<Protection, 'thresholds' | 'raid'>): boolean =>
  raidHint(raid) === undefined &&
  keysOf(thresholdLabels).every((kind) => defaultHint(kind, thresholds[kind]) === undefined);

const switchText = (value: unknown): string => (value === true ? 'on' : 'off');

const delayText = (value: unknown): string =>
  typeof value === 'number' && value > 0 ? formatInterval(value * 60_000) : 'no delay';

const trustedText = (value: unknown): string =>
  `${formatCount(Array.isArray(value) ? value.length : 0)} trusted`;

/** Whom the change adds, so that an owner sees for whom it was. */
const newlyTrusted = ({ from, to }: Pending): string => {
  // The values are the contract's own.
  const [before, after] = [from, to] as Protection['trusted'][];
  const isNew = ({ platformId }: Protection['trusted'][number]) =>
    !before?.some((person) => person.platformId === platformId);
  const names = after?.filter(isNew).map(({ platformId, note }) => note || platformId) ?? [];
  return `${trustedText(to)}, also ${names.join(', ')}`;
};

type PlainField = Exclude<keyof ProtectionChanges, 'thresholds'>;

const fieldTexts: Record<PlainField, { label: string; text: (value: unknown) => string }> = {
  antiNukeEnabled: { label: 'Stop attackers', text: switchText },
  antiRaidEnabled: { label: 'Stop raids', text: switchText },
  // The values are the contract's own.
  raid: { label: 'When joins are a raid', text: (value) => raidText(value as Raid) },
  autoRepair: { label: 'Repair automatically', text: switchText },
  trusted: { label: 'Trusted people and bots', text: trustedText },
  disableDelayMinutes: { label: 'Delay before protection can be lowered', text: delayText },
};

const kindOfField = (field: string): ThresholdKind | undefined =>
  keysOf(thresholdLabels).find((kind) => field === `thresholds.${kind}`);

type Pending = Pick<Protection['pending'][number], 'field' | 'from' | 'to'>;

/** A weakening in the words of the page. */
export const describePending = ({ field, from, to }: Pending) => {
  const kind = kindOfField(field);
  if (kind) {
    const text = (value: unknown) => thresholdText(kind, value as Threshold);
    return { label: thresholdLabels[kind].label, from: text(from), to: text(to) };
  }
  if (field === 'trusted') {
    const { label, text } = fieldTexts.trusted;
    return { label, from: text(from), to: newlyTrusted({ field, from, to }) };
  }
  const known = Object.entries(fieldTexts).find(([name]) => name === field)?.[1];
  const text = known?.text ?? String;
  return { label: known?.label ?? field, from: text(from), to: text(to) };
};

/** The change that takes a weakening back: it names the field with the value that is in force. */
export const keepAsItIs = (protection: Protection, field: string): ProtectionChanges => {
  const kind = kindOfField(field);
  if (kind) return { thresholds: { [kind]: protection.thresholds[kind] } };
  // Every other name is that of a field.
  const name = field as PlainField;
  return { [name]: protection[name] };
};

type Settings = Pick<Protection, keyof ProtectionChanges>;

/**
 * Which of the changes weaken protection, by their labels. The service decides; the page says it before
 * anything is sent.
 */
export const weakeningLabels = (before: Settings, after: Settings): string[] => [
  ...switches.filter((name) => before[name] && !after[name]).map((name) => fieldTexts[name].label),
  ...keysOf(thresholdLabels)
    .filter((kind) => isThresholdWeaker(before.thresholds[kind], after.thresholds[kind]))
    .map((kind) => thresholdLabels[kind].label),
  ...(isRaidWeaker(before.raid, after.raid) ? [fieldTexts.raid.label] : []),
  ...(trustsMore(before, after) ? [fieldTexts.trusted.label] : []),
  ...(after.disableDelayMinutes < before.disableDelayMinutes
    ? [fieldTexts.disableDelayMinutes.label]
    : []),
];

const switches = ['antiNukeEnabled', 'antiRaidEnabled', 'autoRepair'] as const;

const isThresholdWeaker = (before: Threshold, after: Threshold): boolean =>
  after.count > before.count || after.perSeconds < before.perSeconds;

const isRaidWeaker = (before: Raid, after: Raid): boolean =>
  after.joins > before.joins ||
  after.perSeconds < before.perSeconds ||
  after.minAccountAgeDays < before.minAccountAgeDays;

const trustsMore = (before: Settings, after: Settings): boolean =>
  after.trusted.some(
    ({ platformId }) => !before.trusted.some((person) => person.platformId === platformId),
  );

/** What is behind a limit, as a heading above the service's own sentence. */
export const limitLabels: Record<LimitCode, string> = {
  NOT_CONNECTED: 'The bot is not connected',
  NOT_ASKED: 'The platform did not answer',
  NOT_IN_GUILD: 'The bot is not in the server',
  MISSING_PERMISSION: 'The bot lacks a permission',
  MISSING_INTENT: 'The bot lacks an intent',
  TIMED_OUT: 'The bot is timed out',
  ROLE_TOO_HIGH: 'Some roles are above the bot',
  OWNER: 'The owner of the server',
  NO_GOOD_BACKUP: 'There is no good backup',
};

/** Nothing that could be changed: the platform lets nobody stop the owner. */
export const isByNature = (code: LimitCode): boolean => code === 'OWNER';

const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);
