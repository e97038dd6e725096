import type { Overwrite } from '../../../platform/guild.ts';
import { dangerous, powerIn } from '../../../platform/permissions.ts';
import type { Action } from './action.ts';
import type { Step } from './step.ts';

/**
 * The power that the steps give to roles, as bits in words, by the ids of the backup or of the target: a role
 * that is made anew has none until then, and one that is there can have less.
 */
export const comingPowerOf = (steps: readonly Pick<Step, 'action'>[]): Record<string, string> => {
  const coming = new Map<string, bigint>();
  const add = (id: string, power: bigint) => {
    if (power !== 0n) coming.set(id, (coming.get(id) ?? 0n) | power);
  };
  for (const { action } of steps) {
    if (action.do === 'editRole') {
      const { role, changes } = action;
      const id = 'backup' in role ? role.backup : role.present;
      add(id, powerIn(BigInt(changes.permissions ?? 0)));
    }
    for (const { id, kind, allow } of overwritesOf(action)) {
      if (kind === 'role') add(id, BigInt(allow) & dangerous);
    }
  }
  return Object.fromEntries([...coming].map(([id, power]) => [id, String(power)]));
};

const overwritesOf = (action: Action): readonly Overwrite[] => {
  if (action.do === 'createChannel') return action.wish.overwrites;
  if (action.do === 'editChannel') return action.changes.overwrites ?? [];
  return action.do === 'setOverwrites' ? action.overwrites : [];
};
