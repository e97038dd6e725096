import type {
  AutomodRule,
  Onboarding,
  ScheduledEvent,
  Sound,
  Webhook,
  WelcomeScreen,
} from '../../../../platform/guild-parts.ts';
import type { Guild } from '../../../../platform/port.ts';

/** What surrounds the channels and roles of a guild as it was read: only the parts that are restored. */
export type LiveParts = Pick<Guild, 'widget' | 'vanityCode'> & {
  automod?: AutomodRule[];
  onboarding?: Onboarding;
  /** Null where the guild has none. */
  welcomeScreen?: WelcomeScreen | null;
  events?: ScheduledEvent[];
  soundboard?: Sound[];
  webhooks?: Webhook[];
  inviteCodes?: string[];
};
