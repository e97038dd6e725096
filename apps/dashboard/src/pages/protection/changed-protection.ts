import type { ThresholdKind } from '@holdfast/contract';
import { keysOf } from '../../labels/format.ts';
import { thresholdLabels } from '../../labels/protection.ts';
import type { Protection, ProtectionChanges } from '../../queries/records.ts';

export type ProtectionEdits = Partial<Pick<Protection, keyof ProtectionChanges>>;
type Settings = Required<ProtectionEdits>;

export const withEdits = (protection: Protection, edits: ProtectionEdits): Settings => ({
  ...protection,
  ...edits,
});

const plainNames = [
  'antiNukeEnabled',
  'antiRaidEnabled',
  'raid',
  'autoRepair',
  'trusted',
  'disableDelayMinutes',
] as const;

/** Only what differs from the record; of the thresholds only the kinds that do. */
export const changedProtection = (
  protection: Protection,
  edits: ProtectionEdits,
): ProtectionChanges => {
  const { thresholds, ...others } = edits;
  const changed = Object.fromEntries(
    plainNames
      .filter((name) => others[name] !== undefined && !isSame(others[name], protection[name]))
      .map((name) => [name, others[name]]),
  );
  const kinds = keysOf(thresholdLabels).filter(
    (kind) => thresholds && !isSame(thresholds[kind], protection.thresholds[kind]),
  );
  if (!thresholds || kinds.length === 0) return changed;
  return { ...changed, thresholds: pick(thresholds, kinds) };
};

/** How many settings differ, each kind of act as one. */
export const countChanges = ({ thresholds = {}, ...others }: ProtectionChanges): number =>
  Object.keys(others).length + Object.keys(thresholds).length;

const pick = (thresholds: Protection['thresholds'], kinds: ThresholdKind[]) =>
  Object.fromEntries(kinds.map((kind) => [kind, thresholds[kind]]));

/** Both have their fields in the contract's order. */
const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);
