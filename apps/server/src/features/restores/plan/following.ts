import type { Overwrite } from '../../../platform/guild.ts';
import { spellOverwrites } from '../../../platform/permissions.ts';
import type { Ref } from './action.ts';
import { canEditAccess, letBotIn } from './bot-permissions.ts';
import { expectedOverwrites } from './channel-changes.ts';
import { closedBetween, editStep, opensMore } from './channel-edits.ts';
import {
  type AccessStep,
  createLastingSpelling,
  type Life,
  readLives,
  type State,
  stateAfter,
  stateBefore,
  subjectOf,
} from './channel-lives.ts';
import { markApart } from './mark-apart.ts';
import type { PlanContext } from './plan-context.ts';
import { type DraftStep, draftStep } from './step.ts';

/**
 * The platform changes the overwrites of a category in all its channels that have the same, or so its
 * documentation says. So each change of a category's is planned together with the channels that shall not
 * end with the same: none of them has what the category has when it opens.
 *
 * - What a category has in between carries a mark, so that no channel has the same.
 * - Where a channel has what the category has before all, the category closes before it opens. At most the
 *   channel follows it into something closed, and is set back.
 */
export const planFollowing = (context: PlanContext, steps: DraftStep[]): DraftStep[] => {
  const lives = readLives(context, steps);
  const spell = createLastingSpelling(context, steps);
  const plans = lives.flatMap((category) => planCategory(context, category, lives, spell) ?? []);
  const instead = new Map(plans.flatMap(({ changed }) => changed));
  const wait = (step: DraftStep): DraftStep => {
    const subject = subjectOf(context, step) ?? '';
    const awaited = plans.filter(
      ({ first, apart }) => first.stage === step.stage && apart.has(subject),
    );
    return { ...step, after: [...step.after, ...awaited.map(({ first }) => first.key)] };
  };
  return [
    ...steps.flatMap((step) => instead.get(step) ?? [withRuleForAll(context, wait(step), lives)]),
    ...plans.flatMap(({ kept }) => kept),
  ];
};

type Spell = (here: Overwrite[]) => string;

type CategoryPlan = {
  /** What takes the place of its steps. */
  changed: [DraftStep, DraftStep[]][];
  /** The first step that changes what it has. */
  first: DraftStep;
  /** The channels that shall not end with the same. */
  apart: Set<string>;
  kept: DraftStep[];
};

const planCategory = (
  context: PlanContext,
  category: Life,
  lives: Life[],
  spell: Spell,
): CategoryPlan | undefined => {
  const { kind, states } = category;
  const end = states.at(-1);
  if (kind !== 'category' || !end || states.length < 2) return undefined;
  const apart = lives.filter((life) => life.parents.has(category.key) && !endsAs(life, end.here));
  if (apart.length === 0) return undefined;
  const taken = new Set(apart.flatMap((life) => life.states.map(({ here }) => spell(here))));
  const isTaken = (written: Overwrite[]) => taken.has(spell(expectedOverwrites(context, written)));
  const isAtRisk = category.now !== undefined && taken.has(spell(category.now.overwrites));
  const parts = isAtRisk ? closeFirst(context, category) : category.steps;
  const refs = apart.map(({ ref }) => ref);
  const planned = parts.map((step) => {
    const mark = (written: Overwrite[]) => markApart(context, written, isTaken);
    return withApart(step === parts.at(-1) ? step : withMark(step, mark), refs);
  });
  const [first] = category.now ? planned : planned.slice(1);
  if (!first) return undefined;
  const followers = apart.flatMap((life) => followerOf(category, first, life, spell) ?? []);
  const followed = stateAfter(context, first);
  const lost = followers.filter(({ life, state }) =>
    [state, followed].some(({ here }) => !isReached(context, life, here)),
  );
  for (const { life } of lost) {
    context.lose('channel', life.name, { code: 'overwritesNotEditable' });
  }
  if (lost.length > 0 && opens(context, category)) return leaveAsItIs(context, category, first);
  return {
    changed: category.steps.map((step, nth) => [step, nth === 0 ? planned : []]),
    first,
    apart: new Set(apart.map(({ key }) => key)),
    kept: followers.filter((one) => !lost.includes(one)).map((one) => keepStep(one, first)),
  };
};

const endsAs = ({ states }: Life, here: Overwrite[]): boolean =>
  spellOverwrites(states.at(-1)?.here ?? []) === spellOverwrites(here);

const opens = (context: PlanContext, { now, steps }: Life): boolean =>
  now !== undefined &&
  steps.some(
    ({ action }) =>
      action.do === 'editChannel' && opensMore(context, now, action.changes.overwrites ?? []),
  );

/** A category that opens by one step closes first. */
const closeFirst = (context: PlanContext, { now, steps }: Life): AccessStep[] => {
  const [step, ...others] = steps;
  if (!now || !step || others.length > 0 || step.action.do !== 'editChannel') return steps;
  const { channel, changes } = step.action;
  const { overwrites = [] } = changes;
  if (!opensMore(context, now, overwrites)) return steps;
  const { name } = step;
  const closed = letBotIn(context.bot, closedBetween(context, now, overwrites));
  return [
    editStep('edit', { channel, name, changes: { ...changes, overwrites: closed } }),
    editStep('finish', { channel, name, changes: { overwrites } }),
  ];
};

const withMark = (step: AccessStep, mark: (written: Overwrite[]) => Overwrite[]): AccessStep => {
  const { action } = step;
  switch (action.do) {
    case 'createChannel': {
      const wish = { ...action.wish, overwrites: mark(action.wish.overwrites) };
      return { ...step, action: { ...action, wish } };
    }
    case 'editChannel': {
      const changes = { ...action.changes, overwrites: mark(action.changes.overwrites ?? []) };
      return { ...step, action: { ...action, changes } };
    }
    case 'setOverwrites':
      return { ...step, action: { ...action, overwrites: mark(action.overwrites) } };
  }
};

const withApart = (step: AccessStep, apart: Ref[]): AccessStep => {
  const { action } = step;
  return action.do === 'createChannel' ? step : { ...step, action: { ...action, apart } };
};

type Follower = { life: Life; state: State };

/** A channel that may follow its category into its first change, though no step of its own says what it has. */
const followerOf = (
  { now }: Life,
  first: DraftStep,
  life: Life,
  spell: Spell,
): Follower | undefined => {
  const state = stateBefore(life, first);
  if (!now || !state || spell(state.here) !== spell(now.overwrites)) return undefined;
  return life.steps.some(({ stage }) => stage === first.stage) ? undefined : { life, state };
};

/** Also after it followed: its category may shut the bot out. */
const isReached = ({ bot, current }: PlanContext, { kind }: Life, overwrites: Overwrite[]) =>
  canEditAccess(bot, { kind, overwrites }, current.guildId);

/** It gets again what it had. */
const keepStep = ({ life, state }: Follower, first: DraftStep): DraftStep =>
  draftStep({
    ...{ key: `keep ${life.key}`, stage: first.stage, name: life.name, after: [first.key] },
    action: { do: 'setOverwrites', channel: life.ref, purpose: 'keep', overwrites: state.written },
  });

/** A category does not open where a channel would follow that the bot could not set back. */
const leaveAsItIs = (
  context: PlanContext,
  { name, steps }: Life,
  first: DraftStep,
): CategoryPlan => {
  context.lose('channel', name, { code: 'overwritesNotEditable' });
  const changed = steps.map((step): [DraftStep, DraftStep[]] => {
    if (step.action.do !== 'editChannel') return [step, []];
    const { overwrites: _, ...changes } = step.action.changes;
    const action = { ...step.action, changes };
    return [step, Object.keys(changes).length === 0 ? [] : [{ ...step, action }]];
  });
  return { changed, first, apart: new Set(), kept: [] };
};

/**
 * A channel that is created without overwrites copies those of its category. So it says something about
 * @everyone, the one role that is always there, unless it is to have what the category has and keeps.
 */
const withRuleForAll = (context: PlanContext, step: DraftStep, lives: Life[]): DraftStep => {
  const { action } = step;
  if (action.do !== 'createChannel' || action.wish.parentId === null) return step;
  const { overwrites, parentId } = action.wish;
  const { snapshot, idMap } = context;
  if (overwrites.some(({ id, kind }) => kind === 'role' && id === snapshot.guildId)) return step;
  const parentKey = idMap.channels[parentId] ?? `new ${parentId}`;
  const parent = lives.find(({ key }) => key === parentKey);
  const isCopy =
    parent?.states.length === 1 && endsAs(parent, expectedOverwrites(context, overwrites));
  if (isCopy) return step;
  const rule = { id: snapshot.guildId, kind: 'role' as const, allow: '0', deny: '0' };
  return {
    ...step,
    action: { ...action, wish: { ...action.wish, overwrites: [...overwrites, rule] } },
  };
};
