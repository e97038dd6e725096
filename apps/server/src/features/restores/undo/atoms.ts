import type { AuditAction, AuditChange } from '../../../platform/gateway/events.ts';
import { channel } from '../../../platform/guild.ts';
import { type AuditedType, auditedFields } from '../../../platform/translate/audit-fields.ts';
import { bitAtoms, type FieldAtom, isListField, listAtoms, type ThingType } from './set-atoms.ts';

/** What somebody did, as the audit log has it. */
export type Act = {
  /** Whether it is one of those to be undone. */
  isAttack: boolean;
  /** Whether it is part of another attack, which has a repair of its own; all others are honest. */
  isOtherAttack?: boolean;
  /** Whether our own bot did it, such as by an earlier repair. */
  isOwn?: boolean;
  /** Whether somebody did it to themselves. */
  isSelf?: boolean;
  /** Whether a channel followed its category by it, as was seen or is only supposed; see `withFollowed`. */
  followed?: 'seen' | 'supposed';
  action: AuditAction;
  targetId: string | null;
  /** Whose overwrite of the channel (the target) it is. */
  subject?: { id: string; kind: 'role' | 'member' };
  changes: AuditChange[];
  /** Of a prune: how many people went. */
  removed?: number;
};

/** What an entry tells of a whole thing that is made, changed or deleted. */
type ToldAtom = { type: ThingType; id: string; told: Record<string, unknown> };
export type Atom = FieldAtom | ToldAtom;

/** There is one of each guild, and entries do not name it. */
export const onboardingId = 'onboarding';
/** The value that a field has in the backup, where an entry does not tell it. */
export const asInBackup = '$backup';

/** Takes an act apart into the smallest things that can be changed alone. */
export const atomsOf = (act: Act): Atom[] => {
  const id = idOf(act);
  return id === null ? [] : atomsAbout(act, id);
};

const idOf = ({ action, targetId, changes }: Act): string | null => {
  if (action.startsWith('onboarding')) return onboardingId;
  if (action !== 'inviteCreated' && action !== 'inviteDeleted') return targetId;
  // An invite is known by its code alone.
  const code = changes.find(({ key }) => key === 'code');
  const told = code?.after ?? code?.before;
  return typeof told === 'string' ? told : null;
};

const atomsAbout = (act: Act, id: string): Atom[] => {
  switch (act.action) {
    case 'guildChanged':
      return changeAtoms(act, 'settings', id);
    case 'memberBanned':
      return [{ type: 'ban', id, before: false, after: true }];
    case 'memberUnbanned':
      return [{ type: 'ban', id, before: true, after: false }];
    case 'inviteCreated':
      return [{ type: 'invite', id, before: false, after: true }];
    case 'inviteDeleted':
      return [{ type: 'invite', id, before: true, after: false }];
    case 'memberChanged':
      return changeAtoms(act, 'member', id);
    case 'memberRolesChanged':
      return roleAtoms(act, id);
    case 'overwriteCreated':
    case 'overwriteChanged':
    case 'overwriteDeleted':
      return overwriteAtoms(act, id);
    case 'onboardingCreated':
    case 'onboardingChanged':
      return changeAtoms(act, 'onboarding', id);
    case 'onboardingPromptCreated':
    case 'onboardingPromptChanged':
    case 'onboardingPromptDeleted':
      return [{ type: 'onboarding', id, key: 'prompts', before: asInBackup, after: null }];
    case 'automodChanged':
      return [...changeAtoms(act, 'automod', id), ...wordAtoms(act, id)];
    default:
      return lifeAtoms(act, id);
  }
};

const lives = /^(channel|role|emoji|sticker|webhook|automod|event|sound)(Created|Changed|Deleted)$/;

const lifeAtoms = (act: Act, id: string): Atom[] => {
  const [, name, event] = lives.exec(act.action) ?? [];
  const type = livingTypes.find((one) => one === name);
  if (!type) return [];
  if (event === 'Changed' && !isCancelled(act)) return changeAtoms(act, type, id);
  const isMade = event === 'Created';
  return [
    ...(event === 'Changed'
      ? []
      : [{ type, id, told: fieldsOf(act, type, isMade ? 'after' : 'before') }]),
    { type, id, before: !isMade, after: isMade },
  ];
};

const livingTypes = [
  ...(['channel', 'role', 'emoji', 'sticker', 'webhook'] as const),
  ...(['automod', 'event', 'sound'] as const),
] as const;

/** The platform's numbers of an event that is over or cancelled: then it is not there any more. */
const endedEvent: unknown[] = [3, 4];

const isCancelled = ({ action, changes }: Act): boolean =>
  action === 'eventChanged' &&
  changes.some(({ key, after }) => key === 'status' && endedEvent.includes(after));

/** What an act tells of a channel that is made or deleted; undefined where it is about something else. */
export const channelTold = (act: Act) => {
  if (act.action !== 'channelCreated' && act.action !== 'channelDeleted') return undefined;
  const told = fieldsOf(act, 'channel', act.action === 'channelCreated' ? 'after' : 'before');
  return channel.pick({ overwrites: true, parentId: true }).partial().safeParse(told).data ?? {};
};

/**
 * What a channel says of some roles when it is made. A role that is deleted takes it along, and nothing but
 * this entry tells of it where the channel is younger than the backup.
 */
export const madeForRoles = (act: Act, roleIds: ReadonlySet<string>): Atom[] => {
  const { action, targetId: id } = act;
  if (action !== 'channelCreated' || id === null || roleIds.size === 0) return [];
  const { overwrites = [] } = channelTold(act) ?? {};
  return overwrites
    .filter((one) => one.kind === 'role' && roleIds.has(one.id))
    .flatMap((one) =>
      overwriteSidesOf.flatMap((side) =>
        bitAtoms({ type: 'channel', id }, `overwrites.role.${one.id}.${side}`, '0', one[side]),
      ),
    );
};

const fieldsOf = (
  { changes }: Act,
  type: AuditedType,
  side: 'before' | 'after',
): Record<string, unknown> =>
  Object.fromEntries(changes.flatMap((change) => auditedFields(type, change.key, change[side])));

/** Fields that are sets: each of their parts is a field of its own. */
const changeAtoms = (act: Act, type: AuditedType, id: string): Atom[] => {
  const before = fieldsOf(act, type, 'before');
  const after = fieldsOf(act, type, 'after');
  const keys = Object.keys(after).filter((key) => key in before);
  return [
    { type, id, told: after },
    ...keys.flatMap((key): Atom[] => {
      const [was, is] = [before[key], after[key]];
      if (key === 'permissions') return bitAtoms({ type, id }, key, String(was), String(is));
      if (isListField(key)) return listAtoms({ type, id }, key, was, is);
      return [{ type, id, key, before: was, after: is }];
    }),
  ];
};

const overwriteAtoms = (act: Act, id: string): Atom[] =>
  overwriteSides(act).flatMap(({ field, before, after }) =>
    bitAtoms({ type: 'channel', id }, `overwrites.${field}`, before, after),
  );

/** What an act does to what an overwrite allows, and to what it denies. */
export const overwriteSides = ({ action, changes, subject }: Act) => {
  if (!subject || !action.startsWith('overwrite')) return [];
  return overwriteSidesOf.flatMap((side) => {
    const change = changes.find(({ key }) => key === side);
    if (!change) return [];
    const field = `${subject.kind}.${subject.id}.${side}`;
    return { side, field, before: bitsOf(change.before), after: bitsOf(change.after) };
  });
};

const overwriteSidesOf = ['allow', 'deny'] as const;

const bitsOf = (value: unknown): string =>
  typeof value === 'string' && /^\d+$/.test(value) ? value : '0';

const roleAtoms = ({ changes }: Act, id: string): Atom[] =>
  changes.flatMap(({ key, after }) => {
    if (key !== '$add' && key !== '$remove') return [];
    const isAdded = key === '$add';
    return idsIn(after).map((roleId) => ({
      ...{ type: 'member' as const, id, key: `roleIds.${roleId}` },
      ...{ before: !isAdded, after: isAdded },
    }));
  });

const idsIn = (value: unknown): string[] =>
  (Array.isArray(value) ? value : []).flatMap((one: unknown) =>
    typeof one === 'object' && one !== null && 'id' in one && typeof one.id === 'string'
      ? one.id
      : [],
  );

const ruleLists: Record<string, string> = {
  keyword_filter: 'keywords',
  regex_patterns: 'patterns',
  allow_list: 'allowedWords',
  exempt_roles: 'exemptRoleIds',
  exempt_channels: 'exemptChannelIds',
};

/** Lists of a rule may be told by what was added to them and removed, as roles of a member are. */
const wordAtoms = ({ changes }: Act, id: string): Atom[] =>
  changes.flatMap(({ key, after }) => {
    const [, way, name = ''] = /^\$(add|remove)_(\w+)$/.exec(key) ?? [];
    const list = Object.hasOwn(ruleLists, name) ? ruleLists[name] : undefined;
    if (!list) return [];
    const [before, now] = way === 'add' ? [[], after] : [after, []];
    return listAtoms({ type: 'automod', id }, list, before, now);
  });
