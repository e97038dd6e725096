import type { BackupComponent } from '@holdfast/contract';
import { channelKey, planChannels, repointKey } from './channels.ts';
import { type Community, planCommunity } from './community.ts';
import { planEmojis, planStickers } from './emojis-and-stickers.ts';
import { warnOfGainedPermissions } from './gained-permissions.ts';
import { planHiding } from './hide-private-channels.ts';
import { emptyIdMap, type IdMap } from './id-map.ts';
import { planBans, planMembers } from './members-and-bans.ts';
import { createPlanContext, type PlanContext, type PlanInput } from './plan-context.ts';
import { findBlockers } from './required-permissions.ts';
import { planRoles } from './roles.ts';
import { planSettings, settingsStep } from './settings.ts';
import { type DraftStep, numberSteps, type RestorePlan } from './step.ts';
import { summarizeSteps } from './summarize.ts';

/**
 * Computes everything a restore will do, before its first change and without a call. All decisions are
 * made here: running a plan only carries out its steps.
 */
export const planRestore = (input: PlanInput): RestorePlan => {
  const context = createPlanContext(input);
  const community = planCommunity(context);
  const planIf = (component: BackupComponent, ...planners: ((of: PlanContext) => DraftStep[])[]) =>
    context.restores(component) ? planners.flatMap((plan) => plan(context)) : [];
  const steps = numberSteps([
    ...planIf('roles', planHiding, planRoles),
    // Before channels, which may show emojis.
    ...planIf('emojis', planEmojis),
    ...planIf('stickers', planStickers),
    ...planIf('channels', () => withEarlyRepoint(planChannels(context, community), community)),
    ...planIf('bans', planBans),
    ...planIf('memberRoles', planMembers),
    ...planSettings(context, community),
  ]);
  if (input.components.includes('messages')) {
    context.lose('message', 'messages', { code: 'messagesNotRestored' });
  }
  const { losses, warnings, blockers, notes } = context;
  const idMap = mapKnownIds(context);
  const actions = steps.map(({ action }) => action);
  return {
    ...{ steps, losses, idMap, notes },
    ...summarizeSteps(context, steps, idMap),
    warnings: [...warnOfGainedPermissions(context, actions, idMap.roles), ...warnings],
    blockers: [...blockers, ...findBlockers(context, steps)],
  };
};

/**
 * Only where some old channels must be deleted early, to make room: a community's rules and updates
 * channels cannot be deleted, so new ones, which are created first, take over before that.
 */
const withEarlyRepoint = (
  steps: DraftStep[],
  { isNow, rules, updates }: Community,
): DraftStep[] => {
  const early = steps.find(
    ({ stage, action, after }) =>
      action.do === 'deleteChannel' && stage.startsWith('build') && after.includes(repointKey),
  );
  if (!early || !isNow) return steps;
  const channels = { rulesChannelId: rules, publicUpdatesChannelId: updates };
  const newIds = [rules, updates].flatMap((ref) => (ref && 'backup' in ref ? [ref.backup] : []));
  const step = {
    ...settingsStep(early.stage, repointKey, { changes: {}, channels, pictures: {} }),
    after: newIds.map(channelKey),
  };
  return steps.toSpliced(steps.indexOf(early), 0, step);
};

const mapKnownIds = ({ snapshot, current, roleMatch, restores }: PlanContext): IdMap => {
  const map = emptyIdMap();
  for (const [oldId, role] of roleMatch) map.roles[oldId] = role.id;
  // The channels of a backup without roles name roles by ids that are valid in its own guild.
  if (!snapshot.roles) for (const { id } of current.roles) map.roles[id] = id;
  map.roles[snapshot.guildId] = current.guildId;
  const emojis = new Set(snapshot.emojis?.map(({ id }) => id));
  for (const { id } of current.emojis) {
    if (!restores('emojis') || emojis.has(id)) map.emojis[id] = id;
  }
  const stickers = new Set(snapshot.stickers?.map(({ id }) => id));
  for (const { id } of current.stickers) if (stickers.has(id)) map.stickers[id] = id;
  return map;
};
