import type { Secret } from '../kernel/secret.ts';
import type {
  AutomodRule,
  Invite,
  Onboarding,
  ScheduledEvent,
  Sound,
  Webhook,
  WelcomeScreen,
} from './guild-parts.ts';

/** A picture or a sound. */
export type Image = { contentType: string; bytes: Uint8Array<ArrayBuffer> };

export type AutomodRuleInput = Omit<AutomodRule, 'id'>;
/** A picture is given as bytes; null removes it. */
export type EventInput = Omit<ScheduledEvent, 'id' | 'imageHash'> & { image?: Image | null };
export type SoundInput = Omit<Sound, 'id'>;
export type WebhookInput = { name: string; channelId: string; avatar?: Image | null };

/** The calls about the parts of a guild that surround its channels and roles. */
export type PartsPlatform = {
  readAutomodRules(): Promise<AutomodRule[]>;
  createAutomodRule(input: AutomodRuleInput): Promise<AutomodRule>;
  /** The kind of trigger cannot be changed. */
  editAutomodRule(ruleId: string, input: AutomodRuleInput): Promise<void>;
  deleteAutomodRule(ruleId: string): Promise<void>;

  readOnboarding(): Promise<Onboarding>;
  /** Switches it off and takes its default channels out; its prompts stay. */
  pauseOnboarding(): Promise<void>;
  /** Replaces all of it. Ids of prompts and options that the guild does not have are placeholders. */
  setOnboarding(onboarding: Onboarding): Promise<void>;

  /** Undefined where the guild has none; whether it is enabled is a feature of the guild. */
  readWelcomeScreen(): Promise<Omit<WelcomeScreen, 'isEnabled'> | undefined>;
  setWelcomeScreen(screen: WelcomeScreen): Promise<void>;

  setWidget(widget: { isEnabled: boolean; channelId: string | null }): Promise<void>;

  readEvents(): Promise<ScheduledEvent[]>;
  createEvent(input: EventInput): Promise<ScheduledEvent>;
  editEvent(eventId: string, input: EventInput): Promise<void>;
  deleteEvent(eventId: string): Promise<void>;

  readSounds(): Promise<Sound[]>;
  createSound(input: SoundInput & { sound: Image }): Promise<Sound>;
  editSound(soundId: string, input: SoundInput): Promise<void>;
  deleteSound(soundId: string): Promise<void>;

  readWebhooks(): Promise<Webhook[]>;
  createWebhook(input: WebhookInput): Promise<{ id: string }>;
  editWebhook(webhookId: string, changes: Partial<WebhookInput>): Promise<void>;
  deleteWebhook(webhookId: string): Promise<void>;
  /** The addresses of those webhooks whose tokens the platform shows to the bot. */
  readWebhookAddresses(): Promise<Map<string, { channelId: string; token: Secret }>>;

  /** Null removes it. The guild needs the feature `ROLE_ICONS`. */
  setRoleIcon(roleId: string, icon: Image | null): Promise<void>;

  readInvites(): Promise<Invite[]>;
};
