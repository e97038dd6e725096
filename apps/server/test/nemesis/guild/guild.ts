import type { Channel, Guild } from '@holdfast/simulator';

/** A guild's whole state, as the simulator's control gives and takes it. */
export type GuildState = {
  guild: Guild['settings'] & { id: string };
  roles: (Guild['roles'] extends Map<string, infer Role> ? Role : never)[];
  channels: Channel[];
  emojis: { id: string; name: string; roles: string[]; animated: boolean }[];
  bans: { user: { id: string }; reason: string | null }[];
  members: { user: { id: string }; nick: string | null; roles: string[] }[];
  images: Record<string, { mime: string; base64: string }>;
};

const view = 1n << 10n;
const administrator = 1n << 3n;
const text = 0;
const voice = 2;
const category = 4;

/** Ids older than any that the simulator makes, and none twice. */
const idsFrom = (first: bigint) => {
  let last = first;
  return () => String(++last);
};

/** Of each guild on one platform, since no two of them may share an id. */
const idsOfGuild = 1_000_000n;

/**
 * The simulator's made-up community, grown to 30 channels and 15 roles, namesakes among them. `nth` is its
 * number where a platform has several.
 */
export const growGuild = (made: GuildState, nth = 0): GuildState => {
  const state = structuredClone(made);
  const nextId = idsFrom(100_000_000_000_000_000n + idsOfGuild * BigInt(nth));
  const roleNames = ['Harbour pilot', 'Deckhand', 'Navigator', 'Cook', 'Stowaway', 'Archivist'];
  for (const name of roleNames) addRole(state, nextId(), name, { permissions: '3072' });
  const addChannel = (name: string, fields: Partial<Channel>) =>
    state.channels.push(plainChannel(state, nextId(), { name, ...fields }));
  const pilots = roleNamed(state, 'Harbour pilot').id;
  const [guest] = state.members.slice(-1);
  const closed = [
    overwrite(state.guild.id, 0, 0n, view),
    overwrite(pilots, 0, view, 0n),
    overwrite(guest?.user.id ?? '', 1, view, 0n),
  ];
  addChannel('Docks', { type: category });
  const docks = state.channels.at(-1)?.id ?? '';
  addChannel('Vault', { type: category, permission_overwrites: closed });
  const vault = state.channels.at(-1)?.id ?? '';
  // Told apart by their topics alone.
  for (const topic of ['starboard', 'port', 'stern']) {
    addChannel('quay', { topic, parent_id: docks });
  }
  addChannel('quay', { topic: 'locked', parent_id: docks, permission_overwrites: closed });
  addChannel('crew', { topic: 'crew only', parent_id: vault, permission_overwrites: closed });
  addChannel('Hold', { type: voice, parent_id: vault, permission_overwrites: closed });
  addChannel('Bridge', { type: voice, parent_id: docks });
  addChannel('log', { topic: 'Écrit par les pilotes ⚓', rate_limit_per_user: 30 });
  addChannel('lost-and-found', { nsfw: true });
  guest?.roles.push(pilots, roleNamed(state, 'Cook').id);
  return state;
};

/** The guild after a raid; the bot's own role and membership stay. */
export const damageGuild = (whole: GuildState, nth = 0): GuildState => {
  const state = structuredClone(whole);
  const nextId = idsFrom(110_000_000_000_000_000n + idsOfGuild * BigInt(nth));
  for (const name of ['pictures', 'log', 'Hold', 'Lounge', 'admins', 'off-topic', 'Bridge']) {
    state.channels = state.channels.filter((channel) => channel.name !== name);
  }
  state.channels = state.channels.filter(({ topic }) => topic !== 'port');
  for (const name of ['Harbour pilot', 'Helper', 'Cook', 'Muted']) removeRole(state, name);
  openUp(state);
  addRole(state, nextId(), 'Raider', { permissions: String(administrator) });
  const everyoneId = state.guild.id;
  const add = (name: string, permission_overwrites: Channel['permission_overwrites']) =>
    state.channels.push(
      plainChannel(state, nextId(), { name, topic: name, permission_overwrites }),
    );
  add('raid', [overwrite(everyoneId, 0, view, 0n)]);
  add('raiders-only', [overwrite(everyoneId, 0, 0n, view)]);
  // Hidden by nothing but what @everyone may not do at the moment.
  add('raiders-dark', []);
  for (const member of state.members.slice(1, 5)) Object.assign(member, { nick: 'raided' });
  state.members.at(-2)?.roles.push(roleNamed(state, 'Raider').id);
  state.emojis = [
    ...state.emojis.slice(2),
    { ...first(state.emojis), id: nextId(), name: 'raided' },
  ];
  state.bans = [
    ...state.bans.slice(2),
    { user: { id: '120000000000000001' }, reason: 'by raiders' },
  ];
  const known = new Set(state.channels.map(({ id }) => id));
  const { guild } = state;
  guild.name = 'Raided';
  if (!known.has(guild.system_channel_id ?? '')) guild.system_channel_id = null;
  if (!known.has(guild.afk_channel_id ?? '')) guild.afk_channel_id = null;
  return state;
};

/** The same guild with every part changed, so that a backup stores every object again. */
export const varyGuild = (whole: GuildState, mark: string): GuildState => {
  const state = structuredClone(whole);
  state.guild.name = `Harbour ${mark}`;
  for (const role of state.roles) if (role.id !== state.guild.id) role.name += ` ${mark}`;
  for (const channel of state.channels) channel.name += `-${mark}`;
  for (const ban of state.bans) ban.reason = `because of ${mark}`;
  for (const member of state.members) member.nick = mark;
  for (const emoji of state.emojis) emoji.name += mark;
  for (const image of Object.values(state.images)) {
    const bytes = Buffer.concat([Buffer.from(image.base64, 'base64'), Buffer.from(mark)]);
    image.base64 = bytes.toString('base64');
  }
  return state;
};

const openUp = (state: GuildState) => {
  const everyone = roleNamed(state, '@everyone');
  const manageRoles = 1n << 28n;
  everyone.permissions = String((BigInt(everyone.permissions) & ~view) | manageRoles);
  const regular = roleNamed(state, 'Regular');
  regular.permissions = String(BigInt(regular.permissions) | administrator);
  const opened = state.channels.find(({ name }) => name === 'moderators');
  if (opened) opened.permission_overwrites = [overwrite(state.guild.id, 0, view, 0n)];
};

const addRole = (state: GuildState, id: string, name: string, fields: { permissions: string }) => {
  // Right above @everyone, so that the order of the others stays.
  for (const role of state.roles) if (role.position > 0) role.position += 1;
  const like = first(state.roles.filter(({ managed }) => !managed));
  const color = 0x3366aa;
  const colors = { primary_color: color, secondary_color: null, tertiary_color: null };
  state.roles.push({ ...like, id, name, position: 1, color, colors, ...fields });
};

const removeRole = (state: GuildState, name: string) => {
  const { id, position } = roleNamed(state, name);
  state.roles = state.roles.filter((role) => role.id !== id);
  for (const role of state.roles) if (role.position > position) role.position -= 1;
  for (const channel of state.channels) {
    channel.permission_overwrites = channel.permission_overwrites.filter((one) => one.id !== id);
  }
  for (const member of state.members) member.roles = member.roles.filter((one) => one !== id);
};

const plainChannel = (state: GuildState, id: string, fields: Partial<Channel>): Channel => {
  const type = fields.type ?? text;
  const like = first(state.channels.filter((channel) => channel.type === type));
  const topic = type === text ? null : undefined;
  const position = state.channels.length;
  const blank = { parent_id: null, permission_overwrites: [], rate_limit_per_user: 0 };
  return { ...like, ...blank, topic, position, ...fields, type, id };
};

const overwrite = (id: string, type: 0 | 1, allow: bigint, deny: bigint) => ({
  ...{ id, type },
  ...{ allow: String(allow), deny: String(deny) },
});

const roleNamed = ({ roles }: GuildState, name: string) =>
  first(roles.filter((role) => role.name === name));

const first = <Thing>(things: Thing[]): Thing => {
  const [thing] = things;
  if (thing === undefined) throw new Error('The simulator made another community than expected');
  return thing;
};
