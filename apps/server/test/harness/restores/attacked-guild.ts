import fc from 'fast-check';
import type { Act } from '../../../src/features/restores/undo/atoms.ts';
import { createModelGuild } from '../../../src/features/restores/verify/model-guild.ts';
import type { Channel, Role } from '../../../src/platform/guild.ts';
import type { TestGuild } from '../guilds/arbitrary-guild.ts';
import { newChannel, newRole } from '../guilds/parts.ts';
import { auditOfModel } from './audit-of-model.ts';
import { event, overwriteOf, peacefulGuild, peacefulParts, rule, sound } from './peaceful-guild.ts';

/** Honest people and attackers who act in a guild at the same time, and what its audit log says of it. */

export const attackers = ['666', '667'];
const honest = '88';

const channelSlot: fc.Arbitrary<string> = fc.constantFrom(
  '301',
  '302',
  '310',
  '311',
  '312',
  '313',
  'own',
  'other',
);
const roleSlot: fc.Arbitrary<string> = fc.constantFrom('201', '202', '211', '212');
const deletedRole: fc.Arbitrary<string> = fc.constantFrom('211', '212');
const bit = fc.constantFrom(1, 3, 10, 11, 28);
const partLists = ['automod', 'events', 'soundboard', 'webhooks'] as const;
const partIds = { automod: '40', events: '41', soundboard: '42', webhooks: '43' };
const part = fc
  .record({ list: fc.constantFrom(...partLists), last: fc.constantFrom('1', '2') })
  .map(({ list, last }) => ({ list, id: `${partIds[list]}${last}` }));

const op = fc.oneof(
  fc.record({ do: fc.constant('deleteChannel' as const), slot: channelSlot }),
  fc.record({ do: fc.constant('deleteRole' as const), slot: deletedRole }),
  fc.record({ do: fc.constant('createChannel' as const) }),
  fc.record({ do: fc.constant('createRole' as const) }),
  fc.record({ do: fc.constant('createPart' as const), list: fc.constantFrom(...partLists) }),
  fc.record({ do: fc.constant('deletePart' as const), part }),
  fc.record({ do: fc.constant('renamePart' as const), part }),
  fc.record({
    ...{ do: fc.constant('setWord' as const), rule: fc.constantFrom('401', '402') },
    ...{ word: fc.constantFrom('rum', 'grog.example', 'gin'), isSet: fc.boolean() },
  }),
  fc.record({ do: fc.constant('rename' as const), slot: channelSlot }),
  fc.record({ do: fc.constant('setTopic' as const), slot: channelSlot }),
  fc.record({ do: fc.constant('grant' as const), slot: roleSlot, bit, isSet: fc.boolean() }),
  fc.record({
    ...{ do: fc.constant('overwrite' as const), slot: channelSlot, role: roleSlot, bit },
    ...{ side: fc.constantFrom('allow' as const, 'deny' as const), isSet: fc.boolean() },
  }),
  fc.record({
    ...{ do: fc.constant('giveRole' as const), slot: roleSlot, isSet: fc.boolean() },
    user: fc.constantFrom('91', '92'),
  }),
  fc.record({ do: fc.constant('nick' as const), user: fc.constantFrom('91', '92') }),
  fc.record({
    ...{ do: fc.constant('ban' as const), isSet: fc.boolean() },
    user: fc.constantFrom('900', '901', '902'),
  }),
  fc.record({ do: fc.constant('renameGuild' as const) }),
  fc.record({ do: fc.constant('verification' as const), level: fc.nat(4) }),
);
type Op = typeof op extends fc.Arbitrary<infer Of> ? Of : never;

export type Deed = { op: Op; by: string };

export const arbitraryActs = fc.array(
  fc.record({ op, by: fc.constantFrom(honest, honest, ...attackers) }),
  { maxLength: 16 },
);

type Made = {
  channel?: Pick<Channel, 'kind' | 'name'>;
  role?: Pick<Role, 'name'> & Partial<Role>;
};

/** A guild in which somebody acts. It says which deeds had an effect, and keeps the log. */
export const createActedGuild = (start = peacefulGuild(), log: (Act & { by: string })[] = []) => {
  const guild = createModelGuild(start);
  const made = new Map<string, string>();
  const note = async (by: string, mutate: () => Promise<unknown>) => {
    const before = structuredClone(guild.state);
    await mutate();
    const entries = auditOfModel(before, guild.state);
    log.push(...entries.map((entry) => ({ ...entry, by, isAttack: attackers.includes(by) })));
    return entries;
  };
  return {
    state: guild.state,
    log,
    /** Something that has the given name. */
    async make(by: string, { channel, role: wish }: Made): Promise<void> {
      const { id: _, ...channelInput } = newChannel({ id: '', kind: 'text', name: '', ...channel });
      const roleInput = newRole({ id: '', name: '', ...wish });
      await note(by, () =>
        channel ? guild.createChannel(channelInput) : guild.createRole(roleInput),
      );
    },
    async act({ op: one, by }: Deed, serial: number): Promise<boolean> {
      const side = attackers.includes(by) ? 'attackers' : 'honest';
      const slotOf = (slot: string) => {
        const owner = slot === 'own' ? side : side === 'honest' ? 'attackers' : 'honest';
        return slot === 'own' || slot === 'other' ? (made.get(owner) ?? '') : slot;
      };
      const entries = await note(by, () => perform(guild, one, slotOf, `n${serial}`));
      for (const { action, targetId } of entries) {
        if (action === 'channelCreated') made.set(side, targetId ?? '');
      }
      return entries.length > 0;
    },
  };
};

type Model = ReturnType<typeof createModelGuild>;

const perform = async (
  guild: Model,
  one: Op,
  slotOf: (slot: string) => string,
  name: string,
): Promise<void> => {
  const { state } = guild;
  const channel =
    'slot' in one ? state.channels.find(({ id }) => id === slotOf(one.slot)) : undefined;
  const found = 'slot' in one ? state.roles.find(({ id }) => id === one.slot) : undefined;
  const member =
    'user' in one ? state.members.find(({ userId }) => userId === one.user) : undefined;
  switch (one.do) {
    case 'createChannel': {
      const { id: _, ...input } = newChannel({ id: '', kind: 'text', name, position: 90 });
      await guild.createChannel(input);
      return;
    }
    case 'createRole': {
      const { name: _, ...plain } = newRole({ id: '', name });
      await guild.createRole({ ...plain, name, permissions: '8' });
      return;
    }
    case 'deleteChannel':
      return channel && guild.deleteChannel(channel.id);
    case 'deleteRole':
      return found && guild.deleteRole(found.id);
    case 'rename':
    case 'setTopic': {
      if (!channel || (one.do === 'setTopic' && channel.kind === 'category')) return;
      await guild.editChannel(channel.id, { [one.do === 'rename' ? 'name' : 'topic']: name });
      return;
    }
    case 'grant':
      if (found) found.permissions = withBit(found.permissions, one.bit, one.isSet);
      return;
    case 'overwrite':
      if (channel && state.roles.some(({ id }) => id === one.role)) setOverwrite(channel, one);
      return;
    case 'giveRole':
      if (!member || !found || member.roleIds.includes(one.slot) === one.isSet) return;
      member.roleIds = one.isSet
        ? [...member.roleIds, one.slot]
        : member.roleIds.filter((id) => id !== one.slot);
      return;
    case 'nick':
      if (member) member.nick = name;
      return;
    case 'ban': {
      const others = state.bans.filter(({ userId }) => userId !== one.user);
      const ban = { userId: one.user, reason: one.user === '900' ? 'Mutiny' : null };
      state.bans = one.isSet ? [...others, ban] : others;
      return;
    }
    case 'renameGuild':
      state.settings.name = name;
      return;
    case 'verification':
      state.settings.verificationLevel = one.level;
      return;
    default:
      return performOnPart(guild, one, name);
  }
};

type PartOp = Extract<Op, { do: `${string}Part` | 'setWord' }>;

/** So many that there is always room for what an undo makes again. */
const mostOfAList = 5;

const performOnPart = async (guild: Model, one: PartOp, name: string): Promise<void> => {
  const { parts = peacefulParts() } = guild.state;
  if (one.do === 'setWord') {
    const found = parts.automod?.find(({ id }) => id === one.rule);
    const words = found?.keywords.filter((word) => word !== one.word);
    if (!found || !words || found.keywords.includes(one.word) === one.isSet) return;
    found.keywords = one.isSet ? [...words, one.word] : words;
    return;
  }
  if (one.do === 'createPart') {
    if ((parts[one.list]?.length ?? 0) < mostOfAList) await createPart(guild, one.list, name);
    return;
  }
  const { list, id } = one.part;
  const found = parts[list]?.find((thing) => thing.id === id);
  if (!found) return;
  if (one.do === 'renamePart') found.name = name;
  else if (list === 'automod') await guild.deleteAutomodRule(id);
  else if (list === 'events') await guild.deleteEvent(id);
  else if (list === 'soundboard') await guild.deleteSound(id);
  else await guild.deleteWebhook(id);
};

const createPart = async (
  guild: Model,
  list: (typeof partLists)[number],
  name: string,
): Promise<unknown> => {
  if (list === 'automod') return guild.createAutomodRule(rule('', name));
  if (list === 'events') return guild.createEvent(event('', name));
  const bytes = { contentType: 'audio/ogg', bytes: new Uint8Array() };
  if (list === 'soundboard') return guild.createSound({ ...sound('', name), sound: bytes });
  return guild.createWebhook({ name, channelId: '320' });
};

const withBit = (bits: string, position: number, isSet: boolean): string => {
  const all = BigInt(bits);
  const own = 1n << BigInt(position);
  return (isSet ? all | own : all & ~own).toString();
};

const setOverwrite = (
  channel: TestGuild['channels'][number],
  { role: id, bit: position, side, isSet }: Extract<Op, { do: 'overwrite' }>,
): void => {
  const own = channel.overwrites.find((one) => one.id === id) ?? overwriteOf(id, '0');
  const after = withBit(own[side], position, isSet);
  if (after === own[side]) return;
  const others = channel.overwrites.filter((one) => one.id !== id);
  channel.overwrites = [...others, { ...own, [side]: after }];
};
