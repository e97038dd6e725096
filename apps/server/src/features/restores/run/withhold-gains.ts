import { powerIn, without } from '../../../platform/permissions.ts';
import type { Action } from '../plan/action.ts';
import { overwritesOf, withOverwrites } from '../plan/action-overwrites.ts';
import { channelOf } from '../plan/given-power.ts';
import { narrowStep, type StepRow } from '../queries/journal.ts';
import type { JournalRun } from './journal-run.ts';
import type { StepFailure } from './step-failure.ts';

/** `named` is the power as the step says it: an administrator has all of it. */
type Withheld = { oldId: string; name: string; power: bigint; named: bigint };

/**
 * Between the plan and a step somebody can get a role that the step makes powerful: the power is left out then.
 * The step is stored so, since others read from it what was given.
 */
export const withholdGains = async (
  journal: JournalRun,
  step: StepRow,
): Promise<StepFailure | undefined> => {
  const withheld = await findWithheld(journal, step);
  if (withheld.length === 0) return undefined;
  const powers = new Map(withheld.map(({ oldId, power }) => [oldId, power]));
  const { dependencies, lease, owner } = journal.run;
  const action = withoutPower(step.action, powers);
  await lease.transaction(dependencies.db, (tx) => narrowStep(tx, owner, step.seq, action));
  step.action = action;
  const permissions = String(withheld.reduce((all, { named }) => all | named, 0n));
  return { code: 'powerWithheld', permissions, roles: withheld.map(({ name }) => name) };
};

const findWithheld = async (journal: JournalRun, { seq, action }: StepRow): Promise<Withheld[]> => {
  const given = Object.entries(journal.plan.given?.[seq] ?? {}).map(([oldId, power]) => {
    const named = permissionsFor(action, oldId);
    return { oldId, named, power: BigInt(power) & powerIn(named) };
  });
  const left = given.filter(({ power }) => power !== 0n);
  if (left.length === 0) return [];
  const { idMap } = journal;
  const { roles, channels, leastOfOthers } = await journal.readHolders(idMap);
  const savedId = channelOf(action);
  const there = channels.get(idMap.channels[savedId ?? ''] ?? savedId ?? '');
  return left.flatMap(({ oldId, power, named }) => {
    const role = roles.get(idMap.roles[oldId] ?? '');
    const gained = role ? without(power, leastOfOthers(role, there)) : 0n;
    if (!role || gained === 0n) return [];
    return [{ oldId, name: role.name, power: gained, named: named & gained }];
  });
};

const permissionsFor = (action: Action, oldId: string): bigint => {
  let allowed = 0n;
  mapPower(action, (id, permissions) => {
    if (id === oldId) allowed |= BigInt(permissions);
    return permissions;
  });
  return allowed;
};

const withoutPower = (action: Action, powers: ReadonlyMap<string, bigint>): Action =>
  mapPower(action, (id, permissions) => String(without(BigInt(permissions), powers.get(id) ?? 0n)));

/** Changes what the action gives to roles, which are named by their ids in the backup. */
const mapPower = (action: Action, map: (id: string, permissions: string) => string): Action => {
  if (action.do !== 'editRole') {
    const overwrites = overwritesOf(action)?.map((one) =>
      one.kind === 'role' ? { ...one, allow: map(one.id, one.allow) } : one,
    );
    return overwrites ? withOverwrites(action, overwrites) : action;
  }
  const { role, changes } = action;
  if (!('backup' in role) || changes.permissions === undefined) return action;
  const permissions = map(role.backup, changes.permissions);
  return { ...action, changes: { ...changes, permissions } };
};
