import { isDeepStrictEqual } from 'node:util';
import type { BackupComponent } from '@holdfast/contract';
import { automodRuleBodyOf } from '../../../../platform/translate/automod.ts';
import { eventBodyOf } from '../../../../platform/translate/events.ts';
import { onboardingBodyOf, welcomeScreenBodyOf } from '../../../../platform/translate/newcomers.ts';
import { soundBodyOf } from '../../../../platform/translate/sounds-and-webhooks.ts';
import type { PartAction } from '../action.ts';
import { type IdMap, resolveRef } from '../id-map.ts';
import type { PlanContext } from '../plan-context.ts';
import type { FieldChange, FieldValue, GuildState } from '../step.ts';
import {
  channelIn,
  emojiIn,
  resolveOnboarding,
  resolveRule,
  resolveScreen,
} from './resolve-parts.ts';

type Scope = { current: GuildState; idMap: IdMap };

/** What an action about a part changes, field by field, by the platform's names. */
export const describePartChanges = (scope: Scope, action: PartAction): FieldChange[] => {
  const { current, idMap } = scope;
  const { parts } = current;
  switch (action.do) {
    case 'editAutomodRule': {
      const now = parts?.automod?.find(({ id }) => id === action.ruleId);
      const to = resolveRule(action.wish, idMap);
      return now ? compareBodies(automodRuleBodyOf(now), automodRuleBodyOf(to)) : [];
    }
    case 'editEvent': {
      const now = parts?.events?.find(({ id }) => id === action.eventId);
      const to = { ...action.wish, channelId: channelIn(idMap, action.wish.channelId) };
      return now ? compareBodies(eventBodyOf(now), eventBodyOf(to)) : [];
    }
    case 'editSound': {
      const now = parts?.soundboard?.find(({ id }) => id === action.soundId);
      const to = { ...action.wish, ...emojiIn(idMap, action.wish) };
      return now ? compareBodies(soundBodyOf(now), soundBodyOf(to)) : [];
    }
    case 'editWebhook':
      return webhookChanges(scope, action);
    case 'pauseOnboarding':
      return [];
    case 'setOnboarding': {
      const to = onboardingBodyOf(resolveOnboarding(action.wish, idMap));
      return compareBodies(parts?.onboarding ? onboardingBodyOf(parts.onboarding) : {}, to);
    }
    case 'setWelcomeScreen': {
      const to = welcomeScreenBodyOf(resolveScreen(action.wish, idMap));
      return compareBodies(
        parts?.welcomeScreen ? welcomeScreenBodyOf(parts.welcomeScreen) : {},
        to,
      );
    }
    case 'setWidget': {
      const { isEnabled, channelId } = parts?.widget ?? { isEnabled: false, channelId: null };
      const to = {
        widget_enabled: action.isEnabled,
        widget_channel_id: channelIn(idMap, action.channelId) ?? action.channelId,
      };
      return compareBodies({ widget_enabled: isEnabled, widget_channel_id: channelId }, to);
    }
    case 'setRoleIcon': {
      const now = current.roles.find(({ id }) => id === resolveRef(idMap.roles, action.role));
      return [{ field: 'icon', from: now?.iconHash ?? null, to: action.icon?.hash ?? null }];
    }
    default:
      return [];
  }
};

const webhookChanges = (
  { current, idMap }: Scope,
  action: Extract<PartAction, { do: 'editWebhook' }>,
): FieldChange[] => {
  const now = current.parts?.webhooks?.find(({ id }) => id === action.webhookId);
  if (!now) return [];
  const { name, channelId, avatar } = action;
  const target = channelId && (channelIn(idMap, channelId) ?? channelId);
  return [
    ...compareBodies({ name: now.name, channel_id: now.channelId }, { name, channel_id: target }),
    ...(avatar === undefined
      ? []
      : [{ field: 'avatar', from: now.avatarHash, to: avatar?.hash ?? null }]),
  ];
};

/** The fields of `to` that are set and differ. */
const compareBodies = (from: object, to: object): FieldChange[] => {
  const before: Record<string, unknown> = { ...from };
  return Object.entries(to).flatMap(([field, value]) => {
    if (value === undefined || isDeepStrictEqual(before[field], value)) return [];
    // Bodies for the platform hold nothing but JSON.
    return [{ field, from: (before[field] ?? null) as FieldValue, to: value as FieldValue }];
  });
};

/** The part of the target that an action edits or deletes. */
export const livePartKey = (action: PartAction, { roles }: IdMap): string | undefined => {
  switch (action.do) {
    case 'editAutomodRule':
    case 'deleteAutomodRule':
      return `automod ${action.ruleId}`;
    case 'editEvent':
    case 'deleteEvent':
      return `event ${action.eventId}`;
    case 'editSound':
    case 'deleteSound':
      return `sound ${action.soundId}`;
    case 'editWebhook':
    case 'deleteWebhook':
      return `webhook ${action.webhookId}`;
    case 'pauseOnboarding':
    case 'setOnboarding':
      return 'onboarding';
    case 'setWelcomeScreen':
      return 'welcomeScreen';
    case 'setWidget':
      return 'settings';
    case 'deleteInvite':
      return `invite ${action.inviteCode}`;
    case 'setRoleIcon':
      return `role ${resolveRef(roles, action.role)}`;
    default:
      return undefined;
  }
};

/** The parts that the target has of what is restored. */
export const livePartKeys = ({ current, restores }: PlanContext): string[] => {
  const { automod, events, soundboard, webhooks } = current.parts ?? {};
  const keysOf = (component: BackupComponent, type: string, things: { id: string }[] = []) =>
    restores(component) ? things.map(({ id }) => `${type} ${id}`) : [];
  return [
    ...keysOf('automod', 'automod', automod),
    ...keysOf('events', 'event', events),
    ...keysOf('soundboard', 'sound', soundboard),
    ...keysOf('webhooks', 'webhook', webhooks),
  ];
};
