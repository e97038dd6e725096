import { drawDiscPng } from '../src/platform/cdn/png.ts';
import { freshId } from './harness.ts';

/** Ids by the names of the parameters in the paths of routes. */
export type Ids = Record<string, string>;

type Step = {
  /** "METHOD /path/:as/mounted". */
  route: string;
  /** The events that follow, in any order. */
  told: string;
  body?: (ids: Ids) => object;
  /** What of the answer later steps need. */
  keep?: (answer: Record<string, string>) => Ids;
  /** Another id than that of the parameter's name. */
  at?: Record<string, string>;
};

const AUDIT = 'GUILD_AUDIT_LOG_ENTRY_CREATE';
const picture = `data:image/png;base64,${drawDiscPng(8, 1).toString('base64')}`;
const sound = `data:audio/mpeg;base64,${Buffer.from('sound').toString('base64')}`;

const keepId =
  (name: string): Step['keep'] =>
  ({ id = '' }) => ({ [name]: id });

const formOf = (fields: Record<string, string | File>) => () => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
};

const stickerFile = new File([new Uint8Array(drawDiscPng(8, 2))], 'anchor.png', {
  type: 'image/png',
});
const stickerForm = formOf({ name: 'Anchor', tags: 'anchor', description: '', file: stickerFile });
const targetForm = formOf({ target_users_file: new File([`${freshId()}\n`], 'users.csv') });

/** A step whose change is in the audit log. */
const logged = (route: string, told: string, more: Omit<Step, 'route' | 'told'> = {}): Step => ({
  route,
  told: `${told} ${AUDIT}`.trim(),
  ...more,
});

const unlogged = (route: string, told: string, more: Omit<Step, 'route' | 'told'> = {}): Step => ({
  route,
  told,
  ...more,
});

const guildSteps: Step[] = [
  logged('PATCH /guilds/:guild', 'GUILD_UPDATE', { body: () => ({ name: 'Renamed' }) }),
  unlogged('PUT /guilds/:guild/incident-actions', 'GUILD_UPDATE', {
    body: () => ({ invites_disabled_until: new Date(Date.now() + 60_000).toISOString() }),
  }),
  // The roles above move up.
  logged('POST /guilds/:guild/roles', 'GUILD_ROLE_CREATE GUILD_ROLE_UPDATE', {
    body: () => ({ name: 'Crew', permissions: '0' }),
    keep: keepId('role'),
  }),
  logged('PATCH /guilds/:guild/roles/:role', 'GUILD_ROLE_UPDATE', {
    body: () => ({ name: 'Deck crew' }),
  }),
  unlogged('PATCH /guilds/:guild/roles', 'GUILD_ROLE_UPDATE', {
    body: ({ role }) => [{ id: role, position: 2 }],
  }),
  logged('POST /guilds/:guild/channels', 'CHANNEL_CREATE', {
    body: () => ({ name: 'deck' }),
    keep: keepId('channel'),
  }),
  logged('POST /guilds/:guild/channels', 'CHANNEL_CREATE', {
    body: () => ({ name: 'Voices', type: 2 }),
    keep: keepId('voice'),
  }),
  logged('PATCH /channels/:channel', 'CHANNEL_UPDATE', { body: () => ({ topic: 'Ropes' }) }),
  unlogged('PATCH /guilds/:guild/channels', 'CHANNEL_UPDATE', {
    body: ({ channel }) => [{ id: channel, position: 40 }],
  }),
  logged('PUT /channels/:channel/permissions/:overwrite', 'CHANNEL_UPDATE', {
    body: () => ({ type: 0, allow: '2048' }),
    at: { overwrite: 'role' },
  }),
  logged('DELETE /channels/:channel/permissions/:overwrite', 'CHANNEL_UPDATE', {
    at: { overwrite: 'role' },
  }),
];

const memberSteps: Step[] = [
  unlogged('PUT /guilds/:guild/members/:user', 'GUILD_MEMBER_ADD', {
    body: ({ accessToken }) => ({ access_token: accessToken }),
  }),
  logged('PATCH /guilds/:guild/members/:user', 'GUILD_MEMBER_UPDATE', {
    body: () => ({ nick: 'Bosun' }),
  }),
  logged('PUT /guilds/:guild/members/:user/roles/:role', 'GUILD_MEMBER_UPDATE'),
  logged('DELETE /guilds/:guild/members/:user/roles/:role', 'GUILD_MEMBER_UPDATE'),
  logged('DELETE /guilds/:guild/members/:user', 'GUILD_MEMBER_REMOVE'),
  logged('PUT /guilds/:guild/bans/:user', 'GUILD_BAN_ADD', { body: () => ({}) }),
  logged('DELETE /guilds/:guild/bans/:user', 'GUILD_BAN_REMOVE'),
  logged('POST /guilds/:guild/bulk-ban', 'GUILD_BAN_ADD', {
    body: ({ user }) => ({ user_ids: [user] }),
  }),
  logged('POST /guilds/:guild/prune', 'GUILD_MEMBER_REMOVE', { body: () => ({ days: 1 }) }),
];

const expressionSteps: Step[] = [
  logged('POST /guilds/:guild/emojis', 'GUILD_EMOJIS_UPDATE', {
    body: () => ({ name: 'anchor', image: picture }),
    keep: keepId('id'),
  }),
  logged('PATCH /guilds/:guild/emojis/:id', 'GUILD_EMOJIS_UPDATE', {
    body: () => ({ name: 'anchors' }),
  }),
  logged('DELETE /guilds/:guild/emojis/:id', 'GUILD_EMOJIS_UPDATE'),
  logged('POST /guilds/:guild/stickers', 'GUILD_STICKERS_UPDATE', {
    body: stickerForm,
    keep: keepId('id'),
  }),
  logged('PATCH /guilds/:guild/stickers/:id', 'GUILD_STICKERS_UPDATE', {
    body: () => ({ name: 'Anchors' }),
  }),
  logged('DELETE /guilds/:guild/stickers/:id', 'GUILD_STICKERS_UPDATE'),
  logged('POST /guilds/:guild/soundboard-sounds', 'GUILD_SOUNDBOARD_SOUND_CREATE', {
    body: () => ({ name: 'Horn', sound }),
    keep: ({ sound_id = '' }) => ({ sound: sound_id }),
  }),
  logged('PATCH /guilds/:guild/soundboard-sounds/:sound', 'GUILD_SOUNDBOARD_SOUND_UPDATE', {
    body: () => ({ name: 'Foghorn' }),
  }),
  logged('DELETE /guilds/:guild/soundboard-sounds/:sound', 'GUILD_SOUNDBOARD_SOUND_DELETE'),
];

const communitySteps: Step[] = [
  logged('POST /guilds/:guild/auto-moderation/rules', 'AUTO_MODERATION_RULE_CREATE', {
    body: () => ({ name: 'Words', event_type: 1, trigger_type: 1, actions: [{ type: 1 }] }),
    keep: keepId('rule'),
  }),
  logged('PATCH /guilds/:guild/auto-moderation/rules/:rule', 'AUTO_MODERATION_RULE_UPDATE', {
    body: () => ({ enabled: true }),
  }),
  logged('DELETE /guilds/:guild/auto-moderation/rules/:rule', 'AUTO_MODERATION_RULE_DELETE'),
  logged('POST /guilds/:guild/scheduled-events', 'GUILD_SCHEDULED_EVENT_CREATE', {
    body: ({ voice }) => ({
      ...{ name: 'Regatta', privacy_level: 2, entity_type: 2, channel_id: voice },
      scheduled_start_time: new Date(Date.now() + 86_400_000).toISOString(),
    }),
    keep: keepId('event'),
  }),
  logged('PATCH /guilds/:guild/scheduled-events/:event', 'GUILD_SCHEDULED_EVENT_UPDATE', {
    body: () => ({ name: 'Grand regatta' }),
  }),
  logged('DELETE /guilds/:guild/scheduled-events/:event', 'GUILD_SCHEDULED_EVENT_DELETE'),
  // The audit log alone tells of it.
  logged('PUT /guilds/:guild/onboarding', '', {
    body: ({ hall }) => ({ default_channel_ids: [hall] }),
  }),
  logged('PATCH /guilds/:guild/welcome-screen', 'GUILD_UPDATE', {
    body: () => ({ enabled: true }),
  }),
  logged('PATCH /guilds/:guild/widget', 'GUILD_UPDATE', { body: () => ({ enabled: true }) }),
];

const send = (name: string) =>
  unlogged('POST /channels/:channel/messages', 'MESSAGE_CREATE', {
    body: () => ({ content: name }),
    keep: keepId(name),
  });

const MESSAGE = '/channels/:channel/messages/:message';
const PIN = 'MESSAGE_UPDATE CHANNEL_PINS_UPDATE';

const messageSteps: Step[] = [
  send('message'),
  unlogged(`PATCH ${MESSAGE}`, 'MESSAGE_UPDATE', { body: () => ({ content: 'Ahoy' }) }),
  unlogged(`PUT ${MESSAGE}/reactions/:emoji/@me`, 'MESSAGE_REACTION_ADD'),
  unlogged(`DELETE ${MESSAGE}/reactions/:emoji/:user`, 'MESSAGE_REACTION_REMOVE', {
    at: { user: 'bot' },
  }),
  unlogged(`PUT ${MESSAGE}/reactions/:emoji/@me`, 'MESSAGE_REACTION_ADD'),
  unlogged(`DELETE ${MESSAGE}/reactions/:emoji`, 'MESSAGE_REACTION_REMOVE_EMOJI'),
  unlogged(`DELETE ${MESSAGE}/reactions`, 'MESSAGE_REACTION_REMOVE_ALL'),
  ...['/channels/:channel/pins/:message', '/channels/:channel/messages/pins/:message'].flatMap(
    (path) => [logged(`PUT ${path}`, `${PIN} MESSAGE_CREATE`), logged(`DELETE ${path}`, PIN)],
  ),
];

const inThread = { at: { channel: 'thread', user: 'other' } };

const threadSteps: Step[] = [
  logged('POST /channels/:channel/threads', 'THREAD_CREATE MESSAGE_CREATE', {
    body: () => ({ name: 'Knots', type: 11 }),
    keep: keepId('thread'),
  }),
  unlogged('PUT /channels/:channel/thread-members/:user', 'THREAD_MEMBERS_UPDATE', inThread),
  unlogged('DELETE /channels/:channel/thread-members/:user', 'THREAD_MEMBERS_UPDATE', inThread),
  logged('PATCH /channels/:channel', 'THREAD_UPDATE', {
    ...inThread,
    body: () => ({ archived: true }),
  }),
  // A message reopens it.
  unlogged('POST /channels/:channel/messages', 'MESSAGE_CREATE THREAD_UPDATE', {
    ...inThread,
    body: () => ({ content: 'Reopened' }),
  }),
  logged('DELETE /channels/:channel', 'THREAD_DELETE', inThread),
  logged(`POST ${MESSAGE}/threads`, 'THREAD_CREATE MESSAGE_UPDATE MESSAGE_CREATE', {
    body: () => ({ name: 'From a message' }),
  }),
  ...[send('second'), send('third')],
  logged('POST /channels/:channel/messages/bulk-delete', 'MESSAGE_DELETE_BULK', {
    body: ({ second, third }) => ({ messages: [second, third] }),
  }),
  // Its author deletes it.
  unlogged(`DELETE ${MESSAGE}`, 'MESSAGE_DELETE'),
];

const makeWebhook = (name: string) =>
  logged('POST /channels/:channel/webhooks', 'WEBHOOKS_UPDATE', {
    body: () => ({ name: 'Relay' }),
    keep: ({ id = '', token = '' }) => ({ [name]: id, [`${name}Token`]: token }),
  });

const byToken = { at: { token: 'webhookToken', message: 'said' } };
const SAID = '/webhooks/:webhook/:token/messages/:message';

const relaySteps: Step[] = [
  logged('POST /channels/:channel/invites', 'INVITE_CREATE', {
    body: () => ({ max_age: 0, unique: true }),
    keep: ({ code = '' }) => ({ code }),
  }),
  unlogged('PUT /invites/:code/target-users', '', { body: targetForm }),
  logged('DELETE /invites/:code', 'INVITE_DELETE'),
  ...[makeWebhook('webhook'), makeWebhook('doomed')],
  logged('PATCH /webhooks/:webhook', 'WEBHOOKS_UPDATE', { body: () => ({ name: 'Herald' }) }),
  logged('PATCH /webhooks/:webhook/:token', 'WEBHOOKS_UPDATE', {
    ...byToken,
    body: () => ({ name: 'Crier' }),
  }),
  unlogged('POST /webhooks/:webhook/:token', 'MESSAGE_CREATE', {
    ...byToken,
    body: () => ({ content: 'Hear ye' }),
    keep: keepId('said'),
  }),
  unlogged(`PATCH ${SAID}`, 'MESSAGE_UPDATE', {
    ...byToken,
    body: () => ({ content: 'Hear, hear' }),
  }),
  unlogged(`DELETE ${SAID}`, 'MESSAGE_DELETE', byToken),
  logged('DELETE /webhooks/:webhook', 'WEBHOOKS_UPDATE'),
  logged('DELETE /webhooks/:webhook/:token', 'WEBHOOKS_UPDATE', {
    at: { webhook: 'doomed', token: 'doomedToken' },
  }),
];

const REMOVED_BOT =
  'GUILD_ROLE_DELETE GUILD_ROLE_UPDATE INTEGRATION_DELETE GUILD_INTEGRATIONS_UPDATE GUILD_MEMBER_REMOVE';

const lastSteps: Step[] = [
  logged('DELETE /guilds/:guild/integrations/:integration', REMOVED_BOT),
  logged('DELETE /channels/:channel', 'CHANNEL_DELETE'),
  logged('DELETE /guilds/:guild/roles/:role', 'GUILD_ROLE_DELETE GUILD_ROLE_UPDATE'),
];

/** Every changing route of the API at least once, in an order in which each finds what it needs. */
export const CHANGING_STEPS: Step[] = [
  ...[...guildSteps, ...memberSteps, ...expressionSteps, ...communitySteps],
  ...[...messageSteps, ...threadSteps, ...relaySteps, ...lastSteps],
];
