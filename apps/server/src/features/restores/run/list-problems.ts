import type { StoredLoss } from '../plan/loss.ts';
import type { StepRow } from '../queries/journal.ts';
import type { Difference } from '../verify/describe-difference.ts';
import type { StoredWarning } from './stored-warning.ts';

type Found = { steps: StepRow[]; losses: StoredLoss[]; differences: Difference[] };

/**
 * All that did not come back. What a failed step or a loss of the plan explains is not listed again as
 * a difference; that something private is open is always said.
 */
export const listProblems = ({ steps, losses, differences }: Found): StoredWarning[] => {
  const failed = steps.filter(({ status, failure }) => status === 'failed' || failure !== null);
  const isExplained = (difference: Difference) =>
    difference.code !== 'privateButOpen' &&
    (failed.some((step) => explains(step, difference)) ||
      losses.some((loss) => isAbout(loss, difference)));
  return [
    ...failed.map(warningOf),
    ...losses.map((loss): StoredWarning => ({ about: 'loss', ...loss })),
    ...differences
      .filter((difference) => !isExplained(difference))
      .map((difference): StoredWarning => ({ about: 'difference', ...difference })),
  ];
};

const warningOf = ({ type, name, effect, failure, error }: StepRow): StoredWarning =>
  failure
    ? { about: 'step', type, name, effect, failure }
    : `${type} ${name}: ${effect} failed: ${error}`;

const goneCodes: Difference['code'][] = ['missing', 'notBanned'];
const leftCodes: Difference['code'][] = ['notInBackup', 'bannedSince'];
const orderCodes: Difference['code'][] = ['standsAbove', 'standsBelow'];

/** Whether the difference is there because the step was not done. */
const explains = (step: StepRow, difference: Difference): boolean => {
  const { action, type, name, effect } = step;
  const { code } = difference;
  if (type !== difference.type) return false;
  const isTimeOutAlone = action.do === 'editMember' && step.failure?.code === 'fieldsRefused';
  if (isTimeOutAlone && code !== 'timeOut') return false;
  if (action.do === 'editSettings') return settingsOf(step).has(settingNamed(difference.detail));
  if (action.do.startsWith('place')) return orderCodes.includes(code);
  const isSameThing =
    name === difference.name || ('userId' in action && difference.name.includes(action.userId));
  if (!isSameThing) return false;
  if (effect === 'delete') return leftCodes.includes(code);
  return effect === 'create' || !(goneCodes.includes(code) || leftCodes.includes(code));
};

/** The settings that the step could not set. */
const settingsOf = ({ action, failure }: StepRow): Set<string> => {
  if (failure?.code === 'fieldsRefused') return new Set(failure.fields.map(({ field }) => field));
  if (action.do !== 'editSettings') return new Set();
  return new Set([action.changes, action.channels, action.pictures].flatMap(Object.keys));
};

/** A picture is compared by its hash, and features by their own names (`COMMUNITY`). */
const settingNamed = (detail = ''): string =>
  /^[A-Z_]+$/.test(detail) ? 'features' : detail.replace(/Hash$/, '');

/** A loss of the settings is named after the setting, one of anything else after the thing. */
const isAbout = ({ type, name }: StoredLoss, difference: Difference): boolean => {
  if (type !== difference.type) return false;
  if (type !== 'settings') return name === difference.name;
  const { detail = '' } = difference;
  return [detail, detail.replace(/Hash$/, ''), detail.toLowerCase()].includes(name);
};
