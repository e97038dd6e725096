import {
  defaultRaid,
  defaultThresholds,
  type ProtectionChanges,
  protectionWeakenings,
  type RaidThreshold,
  type Threshold,
  type ThresholdKind,
  type Thresholds,
  thresholdKinds,
} from '@holdfast/contract';
import { canonicalJson } from '../../kernel/json.ts';

/**
 * How a server is protected, and how that changes. What strengthens protection takes effect at once; what
 * weakens it waits, field by field, as a pending weakening. To name a field again decides it anew: with the
 * old value, the weakening is taken back.
 */
export type TrustedPerson = { platformId: string; note: string };

export type Settings = {
  antiNukeEnabled: boolean;
  antiRaidEnabled: boolean;
  thresholds: Thresholds;
  raid: RaidThreshold;
  autoRepair: boolean;
  trusted: TrustedPerson[];
  disableDelayMinutes: number;
};

type Switches = Pick<Settings, 'antiNukeEnabled' | 'antiRaidEnabled'>;

type PlainField = Exclude<keyof Settings, 'thresholds'>;
type SettingField = PlainField | `thresholds.${ThresholdKind}`;

/** `at` is an ISO time of the database's clock. */
export type PendingWeakening = { field: SettingField; from: unknown; to: unknown; at: string };

export type StoredSettings = Omit<Settings, keyof Switches | 'thresholds' | 'raid'> & {
  thresholds: Partial<Record<ThresholdKind, Threshold>>;
  raid: Partial<RaidThreshold>;
  pending: PendingWeakening[];
};

/** The settings of a server: its switches, what the owner chose, and the defaults of the rest. */
export const completeSettings = (
  { antiNukeEnabled, antiRaidEnabled }: Switches,
  stored: Omit<StoredSettings, 'pending'> | undefined,
): Settings => ({
  ...{ antiNukeEnabled, antiRaidEnabled },
  thresholds: { ...defaultThresholds, ...stored?.thresholds },
  raid: { ...defaultRaid, ...stored?.raid },
  autoRepair: stored?.autoRepair ?? false,
  trusted: stored?.trusted ?? [],
  disableDelayMinutes: stored?.disableDelayMinutes ?? 0,
});

const shortestDelayOfKeys = 10;

/** How long a weakening waits. A key alone must not be enough to disable protection at once. */
export const delayMinutesFor = (
  { disableDelayMinutes }: Pick<Settings, 'disableDelayMinutes'>,
  actor: { type: string },
): number =>
  actor.type === 'USER' ? disableDelayMinutes : Math.max(disableDelayMinutes, shortestDelayOfKeys);

type FieldChange = { field: SettingField; from: unknown; to: unknown };

export type Decision = {
  settings: Settings;
  pending: PendingWeakening[];
  /** What takes effect at once. */
  changed: FieldChange[];
  /** The weakenings among these, and those that wait from now on. */
  weakened: FieldChange[];
  waiting: PendingWeakening[];
  takenBack: SettingField[];
};

/** What of the asked changes takes effect at once, and what waits until `at`; null: nothing waits. */
export const decideChanges = (
  before: { settings: Settings; pending: PendingWeakening[] },
  asked: ProtectionChanges,
  at: Date | null,
): Decision => {
  const named = namedFields(before.settings, asked);
  const changes = named.filter(({ from, to }) => !isSame(from, to));
  const weakenings = changes.filter(isWeakening);
  const later =
    at === null ? [] : weakenings.map((change) => ({ ...change, at: at.toISOString() }));
  // What waits already goes on to wait no longer than before.
  const kept = before.pending.filter((waiting) =>
    later.some(({ field, to }) => field === waiting.field && isSame(to, waiting.to)),
  );
  const waiting = later.filter(({ field }) => !kept.some((other) => other.field === field));
  const untouched = before.pending.filter(
    (pending) => !named.some(({ field }) => field === pending.field),
  );
  const changed = changes
    .map((change) => (at !== null && isWeakening(change) ? withoutWeakening(change) : change))
    .filter(({ from, to }) => !isSame(from, to));
  return {
    settings: changed.reduce(withField, before.settings),
    pending: [...untouched, ...kept, ...waiting],
    ...{ changed, waiting, weakened: at === null ? weakenings : [] },
    takenBack: before.pending
      .filter(({ field }) => named.some((change) => change.field === field))
      .filter(({ field }) => !later.some((change) => change.field === field))
      .map(({ field }) => field),
  };
};

/** The settings once the weakenings that are due have taken effect, and those that still wait. */
export const applyDue = (
  before: { settings: Settings; pending: PendingWeakening[] },
  now: Date,
): { settings: Settings; pending: PendingWeakening[]; applied: PendingWeakening[] } => {
  const isDue = ({ at }: PendingWeakening) => new Date(at) <= now;
  const applied = before.pending.filter(isDue);
  return {
    settings: applied.reduce(withField, before.settings),
    pending: before.pending.filter((waiting) => !isDue(waiting)),
    applied,
  };
};

/** The fields that a change names, with the whole value that each would get. */
const namedFields = (before: Settings, asked: ProtectionChanges): FieldChange[] => {
  const { thresholds = {}, raid, ...others } = asked;
  const plain = { ...others, ...(raid && { raid: { ...before.raid, ...raid } }) };
  const kinds = thresholdKinds.filter((kind) => thresholds[kind] !== undefined);
  return [
    ...Object.entries(plain)
      .filter(([, to]) => to !== undefined)
      // `entries` forgets that the names are those of the settings.
      .map(([name, to]) => [name as PlainField, to] as const)
      .map(([field, to]) => ({ field, from: before[field], to })),
    ...kinds.map((kind) => {
      const from = before.thresholds[kind];
      return { field: `thresholds.${kind}` as const, from, to: { ...from, ...thresholds[kind] } };
    }),
  ];
};

const isWeakening = ({ field, from, to }: FieldChange): boolean =>
  field.startsWith('thresholds.')
    ? protectionWeakenings.thresholds({ of: to }, { of: from })
    : // The other fields have their own conditions.
      protectionWeakenings[field as PlainField](to, from);

/** A threshold for attacks that is easier to reach than before, and than it is by default. */
export const isBelowDefault = ({ field, from, to }: FieldChange): boolean => {
  const usual = thresholdKinds.find((kind) => field === `thresholds.${kind}`);
  if (!usual) return false;
  const isStricterThan = (other: unknown) =>
    protectionWeakenings.thresholds({ of: other }, { of: to });
  return isStricterThan(from) && isStricterThan(defaultThresholds[usual]);
};

/** Of a list of trusted people, whoever is on it already can get another note or leave it at once. */
const withoutWeakening = ({ field, from, to }: FieldChange): FieldChange => {
  if (field !== 'trusted') return { field, from, to: from };
  // The field's value is what the contract or the table has for it.
  const [before, after] = [from as TrustedPerson[], to as TrustedPerson[]];
  const known = after.filter((one) => before.some((other) => other.platformId === one.platformId));
  return { field, from, to: known };
};

const withField = (settings: Settings, { field, to }: FieldChange): Settings => {
  if (!field.startsWith('thresholds.')) return { ...settings, [field]: to };
  const kind = field.slice('thresholds.'.length);
  return { ...settings, thresholds: { ...settings.thresholds, [kind]: to } };
};

const isSame = (one: unknown, other: unknown): boolean =>
  canonicalJson(one) === canonicalJson(other);
