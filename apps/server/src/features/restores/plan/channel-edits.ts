import type { RestoreStage } from '@holdfast/contract';
import type { Channel, Overwrite } from '../../../platform/guild.ts';
import { permission, settableBy, without } from '../../../platform/permissions.ts';
import type { ActionOf, Ref } from './action.ts';
import { canEditAccess, canManage, canSetOverwrites, letBotIn } from './bot-permissions.ts';
import { channelChanges } from './channel-changes.ts';
import { resolveOverwrites } from './id-map.ts';
import type { PlanContext } from './plan-context.ts';
import { type DraftStep, draftStep } from './step.ts';
import type { TargetChannel } from './target-channel.ts';

type Changes = ActionOf<'editChannel'>['changes'];

/** What differs of a channel that stays, as far as the bot may change it. */
export const planChannelEdit = (
  context: PlanContext,
  target: TargetChannel,
  areRolesMoved: boolean,
): DraftStep[] => {
  const { bot, current } = context;
  const { now, wish } = target;
  if (!now) return [];
  const changes = channelChanges(context, target, now);
  if (Object.keys(changes).length === 0) return [];
  if (!canManage(bot, now, current.guildId)) {
    context.lose('channel', wish.name, { code: 'channelNotEditable' });
    return [];
  }
  const { overwrites, ...others } = changes;
  const isRefused = overwrites !== undefined && !canSetOverwrites(bot, now, current.guildId);
  if (isRefused) context.lose('channel', wish.name, { code: 'overwritesNotEditable' });
  const allowed = isRefused ? others : changes;
  if (Object.keys(allowed).length === 0) return [];
  return editSteps(context, target, now, allowed, areRolesMoved);
};

/**
 * One edit, after roles lost permissions and before they gain any: then nobody sees more by it than they
 * did before or will afterwards. Where members change roles in between, a channel is closed before that
 * and opened after it, which takes two edits if it does both. The first one must not lock the bot out.
 */
const editSteps = (
  context: PlanContext,
  { oldId, wish }: TargetChannel,
  now: Channel,
  changes: Changes,
  areRolesMoved: boolean,
): DraftStep[] => {
  const edit = (stage: RestoreStage, some: Changes) =>
    editStep(stage, { channel: { backup: oldId }, name: wish.name, changes: some });
  const { overwrites } = changes;
  if (!overwrites || !areRolesMoved) return [edit('edit', changes)];
  const pairs = pairOverwrites(context, now.overwrites, overwrites);
  const closes = pairs.some(({ is, will }) => isMore(is, will));
  const opens = pairs.some(({ is, will }) => isMore(will, is));
  if (!opens || !closes) return [edit(closes ? 'edit' : 'finish', changes)];
  const closed = closedBetween(context, now, overwrites);
  return [edit('edit', { ...changes, overwrites: closed }), edit('finish', { overwrites })];
};

export const editStep = (
  stage: RestoreStage,
  { channel, name, changes }: { channel: Ref; name: string; changes: Changes },
) => {
  const action = { do: 'editChannel' as const, channel, changes };
  const key = `${stage} channel ${Object.values(channel)}`;
  return { ...draftStep({ key, stage, name, action }), action };
};

/** Whether somebody is allowed more, or denied less, than now. */
export const opensMore = (context: PlanContext, now: Channel, wanted: Overwrite[]): boolean =>
  pairOverwrites(context, now.overwrites, wanted).some(({ is, will }) => isMore(will, is));

/** At most as open as now and as wanted, and the bot is not locked out. */
export const closedBetween = (
  context: PlanContext,
  now: Channel,
  wanted: Overwrite[],
): Overwrite[] => {
  const { bot, current, idMap } = context;
  const pairs = pairOverwrites(context, now.overwrites, wanted);
  const common = pairs.map((pair) => commonOf(context, pair));
  const here = { ...now, overwrites: resolveOverwrites(common, idMap) };
  return canEditAccess(bot, here, current.guildId) ? common : letBotIn(bot, common);
};

type Pair = { is: Overwrite; will: Overwrite };

/**
 * What is allowed now and in the end. What the bot may not take away alone goes with the whole overwrite in
 * the end; until then it gives nothing, because the channel is not seen by it.
 */
const commonOf = ({ bot }: PlanContext, { is, will }: Pair): Overwrite => {
  const kept = without(BigInt(is.allow), settableBy(bot));
  const leftOpen = without(kept, BigInt(will.allow)) === 0n ? 0n : permission.viewChannel;
  const allow = (BigInt(is.allow) & BigInt(will.allow)) | kept;
  return {
    ...will,
    allow: without(allow, leftOpen).toString(),
    deny: (BigInt(is.deny) | BigInt(will.deny) | leftOpen).toString(),
  };
};

/** Whether somebody is allowed more, or denied less, than by the other one. */
const isMore = (one: Overwrite, other: Overwrite): boolean =>
  (without(BigInt(one.allow), BigInt(other.allow)) |
    without(BigInt(other.deny), BigInt(one.deny))) !==
  0n;

/** Whoever is named now or in the backup, by the id in the backup where there is one. */
const pairOverwrites = ({ idMap }: PlanContext, now: Overwrite[], wanted: Overwrite[]): Pair[] => {
  const hereOf = ({ id, kind }: Overwrite) => (kind === 'member' ? id : (idMap.roles[id] ?? id));
  const empty = { allow: '0', deny: '0' };
  const isOf = (one: Overwrite) => (other: Overwrite) =>
    hereOf(one) === other.id && one.kind === other.kind;
  const others = now.filter((is) => !wanted.some((will) => isOf(will)(is)));
  return [
    ...wanted.map((will) => ({ will, is: now.find(isOf(will)) ?? { ...will, ...empty } })),
    ...others.map((is) => ({ will: { ...is, ...empty }, is })),
  ];
};
