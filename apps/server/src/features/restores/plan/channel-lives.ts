import { restoreStages } from '@holdfast/contract';
import type { Channel, Overwrite } from '../../../platform/guild.ts';
import { spellOverwrites } from '../../../platform/permissions.ts';
import type { ActionOf, Ref } from './action.ts';
import { expectedOverwrites } from './channel-changes.ts';
import { resolveRef } from './id-map.ts';
import type { PlanContext } from './plan-context.ts';
import type { DraftStep } from './step.ts';

/** A step that says who may do what in a channel. */
export type AccessStep = DraftStep & {
  action: ActionOf<'createChannel' | 'editChannel' | 'setOverwrites'>;
};

/** What a channel has at some time: as steps write it, and by the ids of the target. */
export type State = { written: Overwrite[]; here: Overwrite[] };

/** One channel from before the restore until after it. */
export type Life = {
  /** Its id, or `new` and its id in the backup. */
  key: string;
  ref: Ref;
  name: string;
  now: Channel | undefined;
  kind: Channel['kind'];
  /** Where it is at any time. */
  parents: Set<string>;
  /** Those that set its overwrites, in their order. */
  steps: AccessStep[];
  states: State[];
};

export const readLives = (context: PlanContext, steps: DraftStep[]): Life[] => {
  const ofChannels = steps.filter(isOfChannel).sort((one, other) => rankOf(one) - rankOf(other));
  const byKey = Map.groupBy(ofChannels, ({ action }) => channelKeyOf(context, action));
  const made = ofChannels.filter(({ action }) => action.do === 'createChannel');
  return [
    ...context.current.channels.map((now) => readLife(context, now, byKey.get(now.id) ?? [])),
    ...made.map(({ action }) =>
      readLife(context, undefined, byKey.get(channelKeyOf(context, action)) ?? []),
    ),
  ];
};

const rankOf = ({ stage }: Pick<DraftStep, 'stage'>): number => restoreStages.indexOf(stage);

/** The channel that a step is about, as `Life` names it; undefined for other steps. */
export const subjectOf = (context: PlanContext, step: DraftStep): string | undefined =>
  isOfChannel(step) ? channelKeyOf(context, step.action) : undefined;

export const stateAfter = (context: PlanContext, { action }: AccessStep): State => {
  const written = overwritesIn(action) ?? [];
  return { written, here: isByPresentIds(action) ? written : expectedOverwrites(context, written) };
};

/** What it has when the steps of a stage begin. */
export const stateBefore = ({ now, steps, states }: Life, step: DraftStep): State | undefined => {
  const earlier = steps.filter((one) => rankOf(one) < rankOf(step)).length;
  return states[now ? earlier : earlier - 1];
};

const isOfChannel = (step: DraftStep): step is AccessStep =>
  ['createChannel', 'editChannel', 'setOverwrites'].includes(step.action.do);

const channelKeyOf = ({ idMap }: PlanContext, action: AccessStep['action']): string => {
  const ref = action.do === 'createChannel' ? { backup: action.oldId } : action.channel;
  return resolveRef(idMap.channels, ref) ?? `new ${'backup' in ref ? ref.backup : ref.present}`;
};

const overwritesIn = (action: AccessStep['action']): Overwrite[] | undefined => {
  if (action.do === 'createChannel') return action.wish.overwrites;
  return action.do === 'editChannel' ? action.changes.overwrites : action.overwrites;
};

const readLife = (context: PlanContext, now: Channel | undefined, all: AccessStep[]): Life => {
  const [first] = all;
  const steps = all.filter(({ action }) => overwritesIn(action) !== undefined);
  const states = steps.map((step) => stateAfter(context, step));
  const parents = all.map(({ action }) => parentIn(context, action)).filter((id) => id !== null);
  const created = first?.action.do === 'createChannel' ? first.action : undefined;
  return {
    key: now?.id ?? `new ${created?.oldId}`,
    ref: now ? { present: now.id } : { backup: created?.oldId ?? '' },
    name: now?.name ?? first?.name ?? '',
    now,
    kind: now?.kind ?? created?.wish.kind ?? 'text',
    parents: new Set([...parents, ...(now?.parentId ? [now.parentId] : [])]),
    steps,
    states: now ? [{ written: now.overwrites, here: now.overwrites }, ...states] : states,
  };
};

const isByPresentIds = (action: AccessStep['action']): boolean =>
  action.do === 'setOverwrites' && 'present' in action.channel;

const parentIn = ({ idMap }: PlanContext, action: AccessStep['action']): string | null => {
  if (action.do === 'setOverwrites') return null;
  const id = action.do === 'createChannel' ? action.wish.parentId : action.changes.parentId;
  return id ? (idMap.channels[id] ?? `new ${id}`) : null;
};

/**
 * Overwrites without those that may go while the restore runs: of roles that are deleted, or not made yet,
 * and of members. The bot itself stays.
 */
export const createLastingSpelling = ({ bot, current }: PlanContext, steps: DraftStep[]) => {
  const lasting = new Set(current.roles.map(({ id }) => id));
  for (const { action } of steps) if (action.do === 'deleteRole') lasting.delete(action.roleId);
  const isLasting = ({ id, kind }: Overwrite) =>
    kind === 'role' ? lasting.has(id) : id === bot.userId;
  return (here: Overwrite[]) => spellOverwrites(here.filter(isLasting));
};
