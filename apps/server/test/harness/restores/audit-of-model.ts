import { isDeepStrictEqual } from 'node:util';
import type { Act } from '../../../src/features/restores/undo/atoms.ts';
import { automodRuleBodyOf } from '../../../src/platform/translate/automod.ts';
import type { TestGuild } from '../guilds/arbitrary-guild.ts';

type Entry = Pick<Act, 'action' | 'targetId' | 'subject' | 'changes'>;
type Fields = Record<string, unknown>;
type Kind = 'channel' | 'role' | 'automod' | 'event' | 'sound' | 'webhook';

/** What the audit log says of what made one guild of the other. Moves are not in it. */
export const auditOfModel = (before: TestGuild, after: TestGuild): Entry[] => [
  ...overwriteEntries(before, after),
  ...memberEntries(before, after),
  ...listEntries('channel', before.channels, after.channels, channelFields),
  ...listEntries('role', before.roles, after.roles, ({ name, permissions }) => ({
    ...{ name, permissions },
  })),
  ...listEntries('automod', before.parts?.automod, after.parts?.automod, (rule) => {
    const { exempt_channels: _, exempt_roles: __, ...body } = automodRuleBodyOf(rule);
    return body;
  }),
  ...listEntries('event', before.parts?.events, after.parts?.events, ({ name, location }) => ({
    ...{ name, entity_metadata: { location } },
  })),
  ...listEntries(
    ...(['sound', before.parts?.soundboard, after.parts?.soundboard] as const),
    ({ name, volume }) => ({ name, volume }),
  ),
  ...webhookEntries(before, after),
  ...banEntries(before, after),
  ...changeEntry('guildChanged', before.guildId, settingsOf(before), settingsOf(after)),
];

const change = (key: string, was: unknown, is: unknown) => ({
  ...{ key, before: was ?? null, after: is ?? null },
});

const changesBetween = (before: Fields = {}, after: Fields = {}) =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .filter((key) => !isDeepStrictEqual(before[key], after[key]))
    .map((key) => change(key, before[key], after[key]));

const changeEntry = (
  action: Entry['action'],
  targetId: string,
  before: Fields,
  after: Fields,
): Entry[] => {
  const changes = changesBetween(before, after);
  return changes.length > 0 ? [{ action, targetId, changes }] : [];
};

const listEntries = <Thing extends { id: string }>(
  kind: Kind,
  before: readonly Thing[] = [],
  after: readonly Thing[] = [],
  fieldsOf: (thing: Thing, isWhole: boolean) => Fields,
): Entry[] => {
  const [was, is] = [before, after].map((all) => new Map(all.map((thing) => [thing.id, thing])));
  return [...new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])].flatMap((id) => {
    const [old, now] = [was?.get(id), is?.get(id)];
    if (old && now) {
      return changeEntry(`${kind}Changed`, id, fieldsOf(old, false), fieldsOf(now, false));
    }
    const changes = changesBetween(old && fieldsOf(old, true), now && fieldsOf(now, true));
    return [{ action: `${kind}${now ? 'Created' : 'Deleted'}`, targetId: id, changes }];
  });
};

const channelFields = (
  { kind, name, topic, overwrites }: TestGuild['channels'][number],
  isWhole: boolean,
): Fields => ({
  ...{ name, topic },
  // Each overwrite of a channel that stays has an entry of its own.
  ...(isWhole && {
    type: { category: 4, voice: 2 }[kind as string] ?? 0,
    permission_overwrites: overwrites.map((one) => ({
      ...{ ...one, type: one.kind === 'role' ? 0 : 1 },
    })),
  }),
});

/** Those of a role that is deleted go without an entry. */
const overwriteEntries = (before: TestGuild, after: TestGuild): Entry[] => {
  const roles = new Set(after.roles.map(({ id }) => id));
  return before.channels.flatMap((old) => {
    const now = after.channels.find(({ id }) => id === old.id);
    if (!now) return [];
    const subjects = new Set([...old.overwrites, ...now.overwrites].map(({ id }) => id));
    return [...subjects]
      .filter((id) => roles.has(id))
      .flatMap((id): Entry[] => {
        const none = { allow: '0', deny: '0' };
        const [was, is] = [old, now].map(
          ({ overwrites }) => overwrites.find((one) => one.id === id) ?? none,
        );
        const fields = ({ allow, deny } = none) => ({ allow, deny });
        return changeEntry('overwriteChanged', old.id, fields(was), fields(is)).map((entry) => ({
          ...{ ...entry, subject: { id, kind: 'role' } },
        }));
      });
  });
};

const memberEntries = (before: TestGuild, after: TestGuild): Entry[] => {
  const roles = new Set(after.roles.map(({ id }) => id));
  return before.members.flatMap((old) => {
    const now = after.members.find(({ userId }) => userId === old.userId);
    if (!now) return [];
    const added = now.roleIds.filter((id) => !old.roleIds.includes(id));
    const taken = old.roleIds.filter((id) => !now.roleIds.includes(id) && roles.has(id));
    const listed = (ids: string[]) => ids.map((id) => ({ id }));
    const changes = [
      ...(added.length > 0 ? [change('$add', null, listed(added))] : []),
      ...(taken.length > 0 ? [change('$remove', null, listed(taken))] : []),
    ];
    return [
      ...(changes.length > 0
        ? [{ action: 'memberRolesChanged' as const, targetId: old.userId, changes }]
        : []),
      ...changeEntry('memberChanged', old.userId, { nick: old.nick }, { nick: now.nick }),
    ];
  });
};

/** Those of a channel that is deleted go without an entry. */
const webhookEntries = (before: TestGuild, after: TestGuild): Entry[] => {
  const channels = new Set(after.channels.map(({ id }) => id));
  const old = before.parts?.webhooks?.filter(({ channelId }) => channels.has(channelId ?? ''));
  return listEntries('webhook', old, after.parts?.webhooks, ({ name, channelId }) => ({
    ...{ name, channel_id: channelId, type: 1 },
  }));
};

const banEntries = (before: TestGuild, after: TestGuild): Entry[] => {
  const [was, is] = [before, after].map(({ bans }) => new Set(bans.map(({ userId }) => userId)));
  const entries = (action: Entry['action'], ids?: Set<string>) =>
    [...(ids ?? [])].map((targetId) => ({ action, targetId, changes: [] }));
  return [
    ...entries('memberBanned', is?.difference(was ?? new Set())),
    ...entries('memberUnbanned', was?.difference(is ?? new Set())),
  ];
};

const settingsOf = ({ settings }: TestGuild): Fields => ({
  ...{ name: settings.name, verification_level: settings.verificationLevel },
});
