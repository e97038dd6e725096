import { expect } from 'bun:test';
import type { Act } from '../../../src/features/restores/undo/atoms.ts';
import { findLiveIds } from '../../../src/features/restores/undo/live-ids.ts';
import { liveUndo } from '../../../src/features/restores/undo/live-undo.ts';
import { planSteps } from '../../../src/features/restores/undo/plan-undo.ts';
import { scopeOf } from '../../../src/features/restores/undo/scope.ts';
import { undoComponents } from '../../../src/features/restores/undo/wanted-guild.ts';
import { BOT, type TestGuild } from '../guilds/arbitrary-guild.ts';
import { attackers } from './attacked-guild.ts';
import { auditOfModel } from './audit-of-model.ts';
import { createGivenIds } from './given-ids.ts';
import { peacefulBackup } from './peaceful-guild.ts';
import { runOnModel } from './run-on-model.ts';

/**
 * By names, since what is made again has another id; a rule that says nothing is none. `unplaced`: channels of
 * which nothing tells where they stood.
 */
export const describeGuild = (
  { roles, channels, members, bans, settings, guildId, parts }: TestGuild,
  unplaced: ReadonlySet<string> = new Set(),
) => {
  const roleNames = new Map(roles.map(({ id, name }) => [id, name]));
  const channelNames = new Map(channels.map(({ id, name }) => [id, name]));
  const byPosition = (one: { position: number; id: string }, other: typeof one) =>
    one.position - other.position || (BigInt(one.id) < BigInt(other.id) ? -1 : 1);
  const namesOf = (ids: string[]) => ids.map((id) => channelNames.get(id)).sort();
  return {
    roles: roles
      .toSorted(byPosition)
      .map(({ name, permissions, id }) => [id === guildId ? 'everyone' : name, permissions]),
    channels: Object.fromEntries(
      channels.map((one) => [
        one.name,
        {
          ...{ kind: one.kind, topic: one.topic, parent: channelNames.get(one.parentId ?? '') },
          overwrites: one.overwrites
            .filter(({ allow, deny }) => allow !== '0' || deny !== '0')
            .map(({ id, allow, deny }) => `${roleNames.get(id)} ${allow} ${deny}`)
            .sort(),
          after: channels
            .filter((other) => other.parentId === one.parentId)
            .filter((other) => (other.kind === 'category') === (one.kind === 'category'))
            .sort(byPosition)
            .flatMap(({ name }) => (unplaced.has(name) ? [] : name))
            .join(' '),
        },
      ]),
    ),
    members: members.map((one) => ({
      ...{ id: one.userId, nick: one.nick },
      roles: one.roleIds.map((id) => roleNames.get(id)).sort(),
    })),
    bans: bans.map(({ userId }) => userId).sort(),
    settings: [settings.name, settings.verificationLevel],
    automod: parts?.automod
      ?.map(({ name, keywords, exemptChannelIds }) => [
        ...[name, keywords.toSorted(), namesOf(exemptChannelIds)],
      ])
      .sort(),
    events: parts?.events?.map(({ name, location }) => `${name} ${location}`).sort(),
    sounds: parts?.soundboard?.map(({ name }) => name).sort(),
    webhooks: parts?.webhooks
      ?.map(({ name, channelId }) => `${name} ${channelNames.get(channelId ?? '')}`)
      .sort(),
  };
};

export type Logged = Act & { by: string };

/** Repairs the attack of these people as the service does it; what it did is in the log afterwards. */
export const createRepairs = () => {
  const given = createGivenIds();
  let repairs = 1n;
  return async (before: TestGuild, log: Logged[], executors: string[]) => {
    // Ids are given above that of the owner: none is given twice.
    const state = { ...before, ownerId: String(10n ** 18n * ++repairs) };
    const acts = log.map((act) => ({
      ...act,
      isAttack: executors.includes(act.by),
      isOtherAttack: attackers.includes(act.by) && !executors.includes(act.by),
    }));
    const scope = await scopeOf(acts, executors);
    const input = { scope, backup: peacefulBackup(), current: structuredClone(state) };
    const components = undoComponents(scope);
    const plan = planSteps(liveUndo(await findLiveIds(given, input)), { bot: BOT, components });
    expect({ blockers: plan.blockers, losses: plan.losses }).toEqual({ blockers: [], losses: [] });
    const ran = await runOnModel(plan, state, state);
    given.record(plan.steps, ran.idMap);
    const own = auditOfModel(state, ran.state);
    log.push(...own.map((entry) => ({ ...entry, isAttack: false, isOwn: true, by: BOT.userId })));
    return { plan, state: ran.state };
  };
};
