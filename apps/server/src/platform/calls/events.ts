import { z } from 'zod';
import type { GuildCalls } from '../client/bot-client.ts';
import { path } from '../client/urls.ts';
import type { PartsPlatform } from '../parts-port.ts';
import { scheduledEvent, sound } from '../shapes/parts.ts';
import { eventBodyOf, eventOf } from '../translate/events.ts';
import { dataUriOf } from '../translate/guild.ts';
import { soundBodyOf, soundOf } from '../translate/sounds-and-webhooks.ts';

type EventCalls = Pick<PartsPlatform, 'readEvents' | 'createEvent' | 'editEvent' | 'deleteEvent'>;

export const createEventCalls = ({ guildId, call, send }: GuildCalls): EventCalls => ({
  async readEvents() {
    const endpoint = path`guilds/${guildId}/scheduled-events`;
    const answer = z.array(scheduledEvent).nullable();
    return ((await call({ method: 'GET', path: endpoint, answer })) ?? []).map(eventOf);
  },
  async createEvent(input) {
    const created = await call({
      method: 'POST',
      path: path`guilds/${guildId}/scheduled-events`,
      body: eventBodyOf(input),
      answer: scheduledEvent,
    });
    return eventOf(created);
  },
  editEvent: async (eventId, input) =>
    send({
      method: 'PATCH',
      path: path`guilds/${guildId}/scheduled-events/${eventId}`,
      body: eventBodyOf(input),
    }),
  deleteEvent: async (eventId) =>
    send({ method: 'DELETE', path: path`guilds/${guildId}/scheduled-events/${eventId}` }),
});

type SoundCalls = Pick<PartsPlatform, 'readSounds' | 'createSound' | 'editSound' | 'deleteSound'>;

export const createSoundCalls = ({ guildId, call, send }: GuildCalls): SoundCalls => ({
  async readSounds() {
    const endpoint = path`guilds/${guildId}/soundboard-sounds`;
    const answer = z.object({ items: z.array(sound) });
    return (await call({ method: 'GET', path: endpoint, answer })).items.map(soundOf);
  },
  async createSound({ sound: bytes, ...input }) {
    const created = await call({
      method: 'POST',
      path: path`guilds/${guildId}/soundboard-sounds`,
      body: { ...soundBodyOf(input), sound: dataUriOf(bytes) },
      answer: sound,
    });
    return soundOf(created);
  },
  editSound: async (soundId, input) =>
    send({
      method: 'PATCH',
      path: path`guilds/${guildId}/soundboard-sounds/${soundId}`,
      body: soundBodyOf(input),
    }),
  deleteSound: async (soundId) =>
    send({ method: 'DELETE', path: path`guilds/${guildId}/soundboard-sounds/${soundId}` }),
});
