import { isDeepStrictEqual } from 'node:util';
import type { AutomodRule } from '../../../../platform/guild-parts.ts';
import type { PlanContext } from '../plan-context.ts';
import { type DraftStep, draftStep } from '../step.ts';
import { isSettled, type KnownIds, willExist } from './known-ids.ts';
import { matchParts, planList } from './match-parts.ts';
import type { PartsPlan, PlanParts } from './parts-context.ts';
import { resolveRule } from './resolve-parts.ts';

/** So many rules of each kind of trigger the platform takes: six of keywords, one of the others. */
const limits = new Map([[1, 6]]);
const limitOfOthers = 1;

export const planAutomod = ({
  context,
  known,
  earlierIds,
  deletesSurplus,
}: PlanParts): PartsPlan => {
  const saved = context.snapshot.automod ?? [];
  const current = context.current.parts?.automod ?? [];
  const keyOf = ({ triggerType, name }: AutomodRule) =>
    context.matchesOnlyIds ? undefined : `${triggerType} ${name}`;
  const pairs = matchParts(saved, current, earlierIds?.automod, keyOf, keyOf);
  // The kind of a trigger cannot be changed: one that has another kind now is another rule.
  for (const { id, triggerType } of saved) {
    if (pairs.get(id)?.triggerType !== triggerType) pairs.delete(id);
  }
  const kinds = [...new Set([...saved, ...current].map(({ triggerType }) => triggerType))];
  const steps = kinds.flatMap((kind) => {
    const isOfKind = ({ triggerType }: AutomodRule) => triggerType === kind;
    return planList(
      context,
      {
        type: 'automod',
        saved: saved.filter(isOfKind),
        current: current.filter(isOfKind),
        pairs: new Map([...pairs].filter(([, now]) => isOfKind(now))),
        create: (rule) => createRule(context, known, rule),
        edit: (rule, now) => editRule(context, known, rule, now),
        remove: ({ id: ruleId, name }) =>
          draftStep({
            key: `delete automod ${ruleId}`,
            stage: 'sweep',
            name,
            action: { do: 'deleteAutomodRule', ruleId },
          }),
        limit: limits.get(kind) ?? limitOfOthers,
      },
      deletesSurplus,
    );
  });
  return { steps, pairs };
};

/** A rule that would do nothing is not made. */
const loseActions = (context: PlanContext, known: KnownIds, rule: AutomodRule): boolean => {
  const isLost = ({ channelId }: AutomodRule['actions'][number]) =>
    channelId !== null && !willExist(known, 'channels', channelId);
  if (!rule.actions.some(isLost)) return false;
  context.lose('automod', rule.name, { code: 'automodChannelMissing' });
  return rule.actions.every(isLost);
};

const createRule = (context: PlanContext, known: KnownIds, rule: AutomodRule): DraftStep[] => {
  if (loseActions(context, known, rule)) return [];
  const { id: oldId, ...wish } = rule;
  const action = { do: 'createAutomodRule', oldId, wish } as const;
  return [draftStep({ key: `automod ${oldId}`, stage: 'finish', name: rule.name, action })];
};

const editRule = (
  context: PlanContext,
  known: KnownIds,
  rule: AutomodRule,
  now: AutomodRule,
): DraftStep[] => {
  if (loseActions(context, known, rule)) return [];
  if (isSettled(known, referencesOf(rule)) && isSameRule(resolveRule(rule, known.map), now)) {
    return [];
  }
  const { id: _, ...wish } = rule;
  const action = { do: 'editAutomodRule', ruleId: now.id, wish } as const;
  return [draftStep({ key: `edit automod ${now.id}`, stage: 'finish', name: rule.name, action })];
};

const referencesOf = ({ exemptRoleIds, exemptChannelIds, actions }: AutomodRule) => ({
  roles: exemptRoleIds,
  channels: [...exemptChannelIds, ...actions.map(({ channelId }) => channelId)],
});

/** With the ids of one guild. */
export const isSameRule = (
  one: Omit<AutomodRule, 'id'>,
  { id: _, ...other }: AutomodRule,
): boolean => isDeepStrictEqual(comparable(one), comparable(other));

const comparable = (rule: Omit<AutomodRule, 'id'>) => ({
  name: rule.name,
  eventType: rule.eventType,
  triggerType: rule.triggerType,
  keywords: rule.keywords,
  patterns: rule.patterns,
  presets: [...rule.presets].sort(),
  allowedWords: rule.allowedWords,
  mentionLimit: rule.mentionLimit,
  isRaidProtectionEnabled: rule.isRaidProtectionEnabled ?? false,
  actions: rule.actions,
  isEnabled: rule.isEnabled,
  exemptRoleIds: [...rule.exemptRoleIds].sort(),
  exemptChannelIds: [...rule.exemptChannelIds].sort(),
});
