import { z } from 'zod';
import {
  automodRule,
  onboarding,
  scheduledEvent,
  sound,
  welcomeScreen,
} from '../../../../platform/guild-parts.ts';
import { call, id, ref, storedImage } from '../action-shapes.ts';

/** Roles, channels and emojis are named by their ids in the backup. */
const rule = automodRule.omit({ id: true });
const event = scheduledEvent.omit({ id: true, imageHash: true });
const picture = storedImage.nullable();

export const partActions = [
  call('createAutomodRule', { oldId: id, wish: rule }),
  call('editAutomodRule', { ruleId: id, wish: rule }),
  call('deleteAutomodRule', { ruleId: id }),

  call('createEvent', { oldId: id, wish: event, image: picture }),
  call('editEvent', { eventId: id, wish: event, image: picture.optional() }),
  call('deleteEvent', { eventId: id }),

  call('createSound', { oldId: id, wish: sound.omit({ id: true }), sound: storedImage }),
  call('editSound', { soundId: id, wish: sound.omit({ id: true }) }),
  call('deleteSound', { soundId: id }),

  call('createWebhook', { oldId: id, name: z.string(), channelId: id, avatar: picture }),
  call('editWebhook', {
    webhookId: id,
    name: z.string().optional(),
    channelId: id.optional(),
    avatar: picture.optional(),
  }),
  call('deleteWebhook', { webhookId: id }),

  /** Switched off, and without default channels; its questions stay. */
  call('pauseOnboarding', {}),
  call('setOnboarding', { wish: onboarding }),
  call('setWelcomeScreen', { wish: welcomeScreen }),
  call('setWidget', { isEnabled: z.boolean(), channelId: id.nullable() }),
  call('deleteInvite', { inviteCode: z.string() }),
  call('setRoleIcon', { role: ref, icon: picture }),
] as const;
