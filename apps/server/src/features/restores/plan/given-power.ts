import type { Overwrite } from '../../../platform/guild.ts';
import { dangerous, powerIn, without } from '../../../platform/permissions.ts';
import type { Action } from './action.ts';
import { overwritesOf } from './action-overwrites.ts';
import type { PlanInput } from './plan-context.ts';
import type { GivenPower, Step } from './step.ts';
import { powerNow } from './withhold-power.ts';

/**
 * What each step gives to roles that the target does not give them now, in the server or in the channel: who has
 * these roles is looked at right before the step.
 */
export const powerGivenBy = (input: PlanInput, steps: readonly Step[]): GivenPower => {
  const { hasNow, everyone, inChannelNow } = powerNow(input);
  const given: GivenPower = {};
  const add = (seq: number, id: string, power: bigint) => {
    if (power !== 0n) given[seq] = { ...given[seq], [id]: String(power) };
  };
  for (const { seq, action } of steps) {
    if (action.do === 'editRole' && 'backup' in action.role) {
      const { backup: id } = action.role;
      const power = powerIn(BigInt(action.changes.permissions ?? 0));
      const has = hasNow({ id, kind: 'role' }).inServer | everyone.inServer;
      add(seq, id, without(power, has));
    }
    const channelId = channelOf(action);
    if (channelId === undefined) continue;
    for (const overwrite of (overwritesOf(action) ?? []).filter(isOfRole)) {
      const power = BigInt(overwrite.allow) & dangerous;
      add(seq, overwrite.id, without(power, inChannelNow(channelId, overwrite)));
    }
  }
  return given;
};

const isOfRole = ({ kind }: Overwrite): boolean => kind === 'role';

/** By its id in the backup. */
export const channelOf = (action: Action): string | undefined => {
  if (action.do === 'createChannel') return action.oldId;
  if (action.do !== 'editChannel' && action.do !== 'setOverwrites') return undefined;
  return 'backup' in action.channel ? action.channel.backup : undefined;
};
