import { permission, without } from '../../../../platform/permissions.ts';
import type { Community } from '../community.ts';
import type { IdMap } from '../id-map.ts';
import type { PlanContext } from '../plan-context.ts';
import type { DraftStep } from '../step.ts';
import { planAutomod } from './automod.ts';
import { planEvents } from './events.ts';
import { idsOf } from './match-parts.ts';
import { planOnboarding, planWelcomeScreen, planWidget } from './newcomers.ts';
import { noteWhatStaysLost } from './not-restorable.ts';
import type { PlanParts } from './parts-context.ts';
import { planRoleIcons } from './role-icons.ts';
import { planSoundboard } from './soundboard.ts';
import { planWebhooks } from './webhooks.ts';

const planners = {
  automod: planAutomod,
  events: planEvents,
  soundboard: planSoundboard,
  webhooks: planWebhooks,
} as const;

/** Everything that surrounds channels and roles, and where the target has it already. */
export const planParts = (
  input: PlanParts,
  community: Community,
): { steps: DraftStep[]; idMap: IdMap } => {
  const { context, known } = input;
  const steps: DraftStep[] = [];
  const idMap = { ...known.map };
  for (const part of ['automod', 'events', 'soundboard', 'webhooks'] as const) {
    if (!canPlan(context, part)) continue;
    const plan = planners[part](input);
    steps.push(...plan.steps);
    idMap[part] = idsOf(plan.pairs);
  }
  if (context.restores('roles')) steps.push(...planRoleIcons(input));
  if (canPlan(context, 'welcomeScreen')) steps.push(...planWelcomeScreen(input, community));
  if (context.restores('settings')) {
    steps.push(...planWidget(input));
    noteWhatStaysLost(input);
  }
  // Last of all: its channels must be visible.
  if (canPlan(context, 'onboarding')) steps.push(...planOnboarding(input, community));
  return { steps, idMap };
};

type Part = keyof typeof planners | 'welcomeScreen' | 'onboarding';

const labels: Record<Part, string> = {
  automod: 'AutoMod rules',
  events: 'events',
  soundboard: 'sounds',
  webhooks: 'webhooks',
  welcomeScreen: 'welcome screen',
  onboarding: 'onboarding',
};

/** What the bot needs to restore each part. */
const required: Record<Part, bigint> = {
  automod: permission.manageGuild,
  events: permission.manageEvents | permission.createEvents,
  soundboard: permission.manageExpressions | permission.createExpressions,
  webhooks: permission.manageWebhooks,
  welcomeScreen: permission.manageGuild,
  onboarding: permission.manageGuild | permission.manageRoles,
};

/** A part that the bot may not read or change here is lost alone. */
const canPlan = (context: PlanContext, part: Part): boolean => {
  if (!context.restores(part)) return false;
  const missing = without(required[part], context.bot.permissions);
  if (missing !== 0n) {
    const reason = { code: 'partPermissionMissing', permissions: missing } as const;
    context.lose('settings', labels[part], reason);
    return false;
  }
  const isRead = context.current.parts?.[part] !== undefined;
  if (!isRead) context.lose('settings', labels[part], { code: 'partNotReadable' });
  return isRead;
};
