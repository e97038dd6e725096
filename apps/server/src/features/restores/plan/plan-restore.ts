import type { BackupComponent } from '@holdfast/contract';
import { planChannels } from './channels.ts';
import { type Community, planCommunity } from './community.ts';
import { planEmojis, planStickers } from './emojis-and-stickers.ts';
import { planFollowing } from './following.ts';
import { warnOfGainedPermissions } from './gained-permissions.ts';
import { planHiding } from './hide-private-channels.ts';
import { keepProtection } from './keep-protection.ts';
import { planBans, planMembers } from './members-and-bans.ts';
import { createPartsContext } from './parts/parts-context.ts';
import { isOnboardingPaused, pauseOnboarding } from './parts/pause-onboarding.ts';
import { planParts } from './parts/plan-parts.ts';
import { createPlanContext, type PlanContext, type PlanInput } from './plan-context.ts';
import { planNotes } from './plan-notes.ts';
import { findBlockers } from './required-permissions.ts';
import { planRoles } from './roles.ts';
import { planSettings, settingsStep } from './settings.ts';
import { type DraftStep, draftStep, numberSteps, type RestorePlan } from './step.ts';
import { channelKey, repointKey } from './step-keys.ts';
import { summarizeSteps } from './summarize.ts';
import { lossesOf, withholdPower } from './withhold-power.ts';

/** What of the content may be restored: what protects the target stays, and so does who has power. */
export const givableContent = (given: PlanInput) => {
  const { snapshot: protecting, kept } = given.isTemplate
    ? keepProtection(given.snapshot, given.current)
    : { snapshot: given.snapshot, kept: [] };
  const { snapshot, gains } = given.withholding
    ? withholdPower({ ...given, snapshot: protecting })
    : { snapshot: protecting, gains: [] };
  return { snapshot, gains, kept };
};

/**
 * Computes everything a restore will do, before its first change and without a call. All decisions are
 * made here: running a plan only carries out its steps.
 */
export const planRestore = (
  given: PlanInput,
  { snapshot, gains, kept } = givableContent(given),
): RestorePlan => {
  const input = { ...given, snapshot };
  const context = createPlanContext(input);
  if (context.restores('settings') && kept.length > 0) {
    context.notes.push({ code: 'protectionKept', levels: kept });
  }
  for (const loss of lossesOf(gains)) context.losses.push(loss);
  const community = planCommunity(context);
  const planIf = (component: BackupComponent, plan: (of: PlanContext) => DraftStep[]) =>
    context.restores(component) ? plan(context) : [];
  const members = planIf('memberRoles', planMembers);
  const areRolesMoved = members.some(({ action }) => 'roles' in action);
  const roles = planIf('roles', planRoles);
  const drafts = [
    ...planIf('roles', () => planHiding(context, roles)),
    ...roles,
    // Before channels, which may show emojis.
    ...planIf('emojis', planEmojis),
    ...planIf('stickers', planStickers),
    ...planIf('channels', () =>
      withEarlyRepoint(planChannels(context, community, areRolesMoved), community),
    ),
  ];
  const structure = pauseOnboarding(context, planFollowing(context, drafts));
  const isPaused = isOnboardingPaused(structure);
  if (isPaused && !context.restores('onboarding')) {
    context.warnings.push(
      'The onboarding is switched off, because a channel that it shows to everyone is hidden: set it up again.',
    );
  }
  const parts = planParts(createPartsContext(context, input, isPaused), community);
  const steps = numberSteps([
    ...(structure.some(mayShowMore) ? disarmSurplus(context, structure) : []),
    ...structure,
    ...planIf('bans', planBans),
    ...members,
    ...planSettings(context, community),
    ...parts.steps,
    ...(input.invitesToDelete ?? []).map(deleteInvite),
  ]);
  const { losses, warnings, blockers, notes } = context;
  const { idMap } = parts;
  const actions = steps.map(({ action }) => action);
  return {
    ...{ steps, losses, idMap },
    // What is deleted before what is only left out.
    notes: [...planNotes(context, steps, input.savedAt), ...notes],
    ...summarizeSteps(context, steps, idMap),
    warnings: [...warnOfGainedPermissions(context, actions, idMap.roles), ...warnings],
    blockers: [...blockers, ...findBlockers(context, steps)],
  };
};

const deleteInvite = (inviteCode: string): DraftStep =>
  draftStep({
    ...{ key: `delete invite ${inviteCode}`, stage: 'sweep', name: `invite ${inviteCode}` },
    action: { do: 'deleteInvite', inviteCode },
  });

/** Whether somebody may see or do more after the step than before it. */
const mayShowMore = ({ stage, action }: DraftStep): boolean => {
  if (action.do === 'editChannel') return action.changes.overwrites !== undefined;
  if (action.do === 'createChannel') return true;
  return (
    action.do === 'editRole' && stage !== 'tighten' && action.changes.permissions !== undefined
  );
};

/**
 * A role that is deleted in the end is without permissions from the beginning: its holders would see by
 * it what the restore opens to others.
 */
const disarmSurplus = ({ current }: PlanContext, steps: DraftStep[]): DraftStep[] =>
  steps.flatMap(({ action, name }) => {
    if (action.do !== 'deleteRole') return [];
    const { roleId } = action;
    const role = current.roles.find(({ id }) => id === roleId);
    if (!role || BigInt(role.permissions) === 0n) return [];
    return [
      draftStep({
        ...{ key: `disarm role ${roleId}`, stage: 'tighten', name },
        action: { do: 'editRole', role: { present: roleId }, changes: { permissions: '0' } },
      }),
    ];
  });

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
