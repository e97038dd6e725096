import { type AlertKind, type NotStoppedCode, notStoppedTexts } from '@holdfast/contract';
import type {
  AttackFacts,
  DecidedFacts,
  DroppedFacts,
  ExplainedFacts,
  FactsByKind,
  HeldBackFacts,
  MismatchFacts,
  PowerFacts,
  StoppedRepairFacts,
  TightenedFacts,
  UnprotectedFacts,
  WeakeningFacts,
  WorsenedFacts,
} from '../rules.ts';

type Description = {
  title: string;
  detail: string;
  /** Below the address of the service. */
  href: string;
};

/**
 * Its name at the start of a sentence and within one; they differ only where it has none any more. `names` has
 * those of other things too.
 */
type Server = { subject: string; name: string; path: string; names: ReadonlyMap<string, string> };
type Describers = {
  [Kind in AlertKind]: (facts: FactsByKind[Kind], server: Server) => Description;
};

type StoredAlert<Kind extends AlertKind> = {
  kind: Kind;
  serverId: string | null;
  facts: FactsByKind[Kind];
};

/**
 * An alert as people read it. `names` has the servers of the account that are not deleted, and the people
 * whom alerts are about, by their ids.
 */
export const describeAlert = <Kind extends AlertKind>(
  { kind, serverId, facts }: StoredAlert<Kind>,
  names: ReadonlyMap<string, string>,
): Description => {
  const known = oneLine(names.get(serverId ?? '') ?? '');
  const server = { subject: known || 'A deleted server', name: known || 'a deleted server' };
  const path = `/servers/${serverId}`;
  const { title, detail, href } = describers[kind](facts, { ...server, path, names });
  return { title, detail, href: `/dashboard${href}` };
};

const oneOfYours = 'one of your servers';

/**
 * Its title without what strangers choose: a server is called as its guild is, which whoever attacks it may
 * rename first, and a bot as any key may call it.
 */
export const subjectOf = <Kind extends AlertKind>(alert: StoredAlert<Kind>): string => {
  const { serverId, facts } = alert;
  const hidden = {
    ...('unprotectedBy' in facts && { name: null }),
    ...('botName' in facts && { botName: '' }),
  };
  const names = new Map(serverId === null ? [] : [[serverId, oneOfYours]]);
  const title = oneLine(describeAlert({ ...alert, facts: { ...facts, ...hidden } }, names).title);
  return `${title.charAt(0).toUpperCase()}${title.slice(1)}`;
};

/** Who was there already is neither brought back nor missing. */
const pullDetail = (facts: FactsByKind['PULL_ENDED']): string => {
  const { status, joined, alreadyMember = 0, total, error } = facts;
  const missing = total - joined - alreadyMember;
  return [
    ...(error === null ? [] : [sentence(error)]),
    ...(status === 'completed' ? [] : [`${joined} of ${total} joined.`]),
    ...(alreadyMember === 0 ? [] : [`${alreadyMember} were there already.`]),
    missing > 0
      ? `${missing} could not be brought back: the result says why.`
      : 'Everybody who agreed to it is there.',
  ].join(' ');
};

const losses: Record<FactsByKind['SERVER_LOST']['reason'], string> = {
  BOT_NOT_IN_GUILD:
    'Its bot is not in the server any more, or the server is gone. Invite the bot again, or move to a new server.',
  BOT_REMOVED:
    'Its bot was removed from the server, which still exists. Invite the bot again, or move to another server.',
  GUILD_DELETED:
    'The server does not exist any more. Move to a new server, restore a backup there and bring the members back.',
};

const describers: Describers = {
  SERVER_DAMAGED: ({ channels, roles }, { subject, path }) => ({
    title: `${subject} is damaged`,
    detail: `Missing since the last good backup: ${counted(channels, 'channel')} and ${counted(roles, 'role')}. Restore that backup, or accept the server as it is now.`,
    href: path,
  }),
  SERVER_LOST: ({ reason }, { subject, path }) => ({
    title: `${subject} is lost`,
    detail: losses[reason],
    href: `${path}/settings#move`,
  }),
  BACKUP_FAILED: ({ backupId, error }, { name, path }) => ({
    title: `A backup of ${name} failed`,
    detail: sentence(error),
    href: `${path}/backups/${backupId}`,
  }),
  BACKUP_UNPROVED: ({ backupId }, { name, path }) => ({
    title: `A backup of ${name} failed its test restore`,
    detail: 'A restore of it would not bring everything back. Its page says what is missing.',
    href: `${path}/backups/${backupId}`,
  }),
  BOT_REFUSED: ({ botName, refused }) => ({
    title: `The platform refuses the bot ${oneLine(botName)}`,
    detail: refusals[refused],
    href: '/bots',
  }),
  TOKENS_FALLING: ({ revoked, total }, { name, path }) => ({
    title: `Fewer members of ${name} can be brought back`,
    detail: `The tokens of ${revoked} of ${total} members were revoked at the platform. They can be brought back again once they verify again.`,
    href: `${path}/members`,
  }),
  PULL_ENDED: (facts, { name, path }) => ({
    title:
      facts.status === 'completed'
        ? `${facts.joined === 1 ? '1 member' : `${facts.joined} members`} of ${name} came back`
        : `Bringing back the members of ${name} failed`,
    detail: pullDetail(facts),
    href: `${path}/pulls/${facts.pullId}`,
  }),
  RESTORE_ENDED: ({ restoreId, status, error }, { name, path }) => ({
    title: `The restore of ${name} ${restoreEnds[status].title}`,
    detail: error === null ? restoreEnds[status].detail : sentence(error),
    href: `${path}/restores/${restoreId}`,
  }),
  PAYMENT_FAILED(facts) {
    if ('mismatchedOrderId' in facts) return describeMismatch(facts);
    const { plan, until } = facts;
    return {
      title: `Your payment for the ${plan} plan failed`,
      detail: `Nothing has changed yet: your servers, backups and members are as they were. Please see to it that the next attempt succeeds. If none does until ${dayOf(until)}, the account goes to the FREE plan. Nothing is deleted then, but what the FREE plan lacks stops working.`,
      href: '/billing',
    };
  },
  APPEAL_OPENED: (_, { name, path }) => ({
    title: `An appeal waits for you at ${name}`,
    detail: 'Somebody who was blocked asks to be let in after all.',
    href: `${path}/appeals`,
  }),
  ORDER_SOLD: ({ orderId, quantity, totalCents, currency, isDeliveredByHand }) => ({
    title: `You sold ${counted(quantity, 'item')}`,
    detail: `An order over ${(totalCents / 100).toFixed(2)} ${currency} was paid. ${isDeliveredByHand ? 'Please deliver it.' : 'It is being delivered automatically.'}`,
    href: `/marketplace/orders/${orderId}`,
  }),
  INCIDENT(facts, server) {
    if ('weakened' in facts) return describeWeakening(facts, server);
    if ('tightened' in facts) return describeTightening(facts, server);
    if ('worsened' in facts) return describeWorsening(facts, server);
    if ('heldBackIncidentId' in facts) return describeHeldBack(facts, server);
    if ('explainedIncidentId' in facts) return describeExplained(facts, server);
    if ('power' in facts) return describePower(facts, server);
    if ('unprotectedBy' in facts) return describeUnprotected(facts);
    if ('decided' in facts) return describeDecided(facts, server);
    if ('dropped' in facts) return describeDropped(facts, server);
    if ('stoppedRepairId' in facts) return describeStoppedRepair(facts, server);
    return describeAttack(facts, server);
  },
};

const describeMismatch = ({
  mismatchedOrderId: orderId,
  amountCents,
  currency,
}: MismatchFacts): Description => ({
  title: `A payment for ${orderId === null ? 'your plan' : 'an order'} was not accepted`,
  detail: `${
    amountCents === null || currency === null
      ? 'What was paid could not be read'
      : `${(amountCents / 100).toFixed(2)} ${currency} arrived, which is not what was asked for`
  }. Nothing was activated by it. If it is not paid since, pay the whole amount at once, or ask the operator to settle what arrived.`,
  href: orderId === null ? '/billing' : `/marketplace/orders/${orderId}`,
});

const describeAttack = (
  { incidentId, incidentKind, notStopped = [], isByNobodyKnown = false }: AttackFacts,
  { subject, path, names }: Server,
): Description => ({
  title: `${subject} is under attack${notStopped.length === 0 ? '' : `, and ${counted(notStopped.length, 'attacker')} could not be stopped`}`,
  detail: [
    isByNobodyKnown ? byNobodyKnown : attacks[incidentKind],
    ...notStopped
      .slice(0, mostNamed)
      .map(
        ({ platformId, code }) =>
          `“${oneLine(names.get(platformId) ?? platformId)}” could not be stopped. ${describeNotStopped(code)}`,
      ),
  ].join(' '),
  href: `${path}/incidents/${incidentId}`,
});

const mostNamed = 5;

/** Why somebody could not be stopped, and what to do about it. */
export const describeNotStopped = (code: NotStoppedCode): string =>
  `${notStoppedTexts[code].why} ${notStoppedTexts[code].remedy}`;

const attacks = {
  NUKE: 'Somebody deleted or changed much in a short time.',
  RAID: 'Many new accounts joined in a short time.',
};

const byNobodyKnown =
  'Many channels or roles were deleted in a short time. Who did it is not known, because the audit log does not tell, so nobody could be stopped. Take dangerous roles from whoever you do not trust, see that the bot may view the audit log, and repair the server once that is done.';

const describeStoppedRepair = (
  { incidentId, keyName }: StoppedRepairFacts,
  { name, path }: Server,
): Description => ({
  title: `The repair of ${name} was stopped`,
  detail: `Stopped by ${byWhom(keyName)}. What was repaired before stays. If that was not you, start the repair again, and revoke the key or sign out everywhere.`,
  href: `${path}/incidents/${incidentId}`,
});

const decidedTitles: Record<DecidedFacts['decided'], (name: string) => string> = {
  dismiss: (name) => `An incident of ${name} will be dismissed as honest`,
  'return-roles': (name) => `Roles that were taken at ${name} will be given back`,
  accept: (name) => `The present state of ${name} will count as the good one`,
};

const describeDecided = (
  { decided, subjectId, effectiveAt, keyName }: DecidedFacts,
  { name, path }: Server,
): Description => ({
  title: decidedTitles[decided](name),
  detail: `Decided by ${byWhom(keyName)}. It takes effect on ${minuteOf(effectiveAt)}. If that was not you, take it back on its page until then, and revoke the key.`,
  href: `${path}/${decided === 'accept' ? 'backups' : 'incidents'}/${subjectId}`,
});

const describeDropped = (
  { dropped, incidentId }: DroppedFacts,
  { name, path }: Server,
): Description => ({
  title:
    dropped === 'dismiss'
      ? `An incident of ${name} was not dismissed`
      : `Roles that were taken at ${name} were not given back`,
  detail:
    'An API key had asked for it. It did not take effect, because the incident is not as it was then: the attack may have gone on. Look at it, and decide on its page.',
  href: `${path}/incidents/${incidentId}`,
});

const byWhom = (keyName: string | null): string =>
  keyName === null ? 'somebody in the dashboard' : `the API key “${oneLine(keyName)}”`;

const describeWeakening = (
  { weakened, effectiveAt, keyName }: WeakeningFacts,
  { name, path }: Server,
): Description => ({
  title: `The protection of ${name} ${effectiveAt === null ? 'was weakened' : 'will be weakened'}`,
  detail: [
    `Changed by ${byWhom(keyName)}: ${weakened.map(weakeningOf).join(', ')}.`,
    ...(effectiveAt === null ? [] : [`It takes effect on ${minuteOf(effectiveAt)}.`]),
    effectiveAt === null
      ? 'If that was not you, set it back, and sign out everywhere.'
      : 'If that was not you, take it back on the protection page until then, and revoke the key or sign out everywhere.',
  ].join(' '),
  href: `${path}/protection`,
});

const weakenings: Record<string, string> = {
  antiNukeEnabled: 'anti-nuke goes off',
  antiRaidEnabled: 'anti-raid goes off',
  raid: 'the threshold for raids',
  autoRepair: 'no automatic repair',
  trusted: 'somebody becomes trusted',
  disableDelayMinutes: 'a shorter delay of such changes',
  platformGuildId:
    'another server of the platform was chosen, and the one before is not watched any more',
  customBotId: 'another bot watches over the guild',
};

const weakeningOf = (field: string): string => weakenings[field] ?? 'a threshold for attacks';

const describeTightening = (
  { tightened, keyName }: TightenedFacts,
  { name, path }: Server,
): Description => ({
  title: `The protection of ${name} was made stricter than usual`,
  detail: `Changed by ${byWhom(keyName)}: ${tightened.length === 1 ? 'a threshold is' : `${tightened.length} thresholds are`} below the default now, so that honest moderators may be stopped. If that was not you, set it back, and revoke the key.`,
  href: `${path}/protection`,
});

const describeWorsening = ({ worsened }: WorsenedFacts, { name, path }: Server): Description => ({
  title: `The bot can protect ${name} less than before`,
  detail: oneLine(worsened.join(' ')),
  href: `${path}/protection`,
});

const uses: Record<PowerFacts['use'], string> = {
  VERIFIED_ROLE: 'verification',
  PULL: 'a pull',
  MASS_VERIFICATION: 'a mass verification',
  RECALL: 'an invite of a pull',
  RESTORE: 'a restore',
};

const pageOf: Partial<Record<PowerFacts['use'], string>> = { PULL: 'pulls', RESTORE: 'restores' };

const maxRolesNamed = 10;

const rolesOf = (roles: PowerFacts['roles']): string => {
  const named = roles.slice(0, maxRolesNamed).map(({ name, permissions }) => {
    const may = permissions.length === 0 ? '' : ` (${permissions.join(', ')})`;
    return `“${oneLine(name)}”${may}`;
  });
  const others = roles.length - named.length;
  return [...named, ...(others === 0 ? [] : [counted(others, 'other')])].join(', ');
};

const describePower = (
  { power, use, roles, keyName }: PowerFacts,
  { name, path }: Server,
): Description => {
  const href = `${path}/${pageOf[use] ?? 'settings#role'}`;
  const named = rolesOf(roles);
  switch (power) {
    case 'CONFIRMED':
      return {
        title: `A role with dangerous permissions was chosen for ${uses[use]} of ${name}`,
        detail: `Confirmed in the dashboard with a code of the second factor: ${named}. If that was not you, choose another role, and sign out everywhere.`,
        href,
      };
    case 'WITHHELD':
      return {
        title: `A role of ${name} is given to nobody`,
        detail: `By ${uses[use]} people would get dangerous permissions: ${named}. Take these away from the role, or confirm it in the settings. Until then members come in and are verified without it.`,
        href,
      };
    case 'ALLOWED':
      return {
        title: `A pull may give back roles of ${name} with dangerous permissions`,
        detail: `Asked for by ${byWhom(keyName)}: ${named}. Only members who had them in the last good backup get them. If that was not you, stop the pull, and revoke the key or sign out everywhere.`,
        href,
      };
    case 'RESTORED':
      return {
        title: `A restore gives dangerous permissions in ${name}`,
        detail: `Asked for by ${byWhom(keyName)}. By the backup these get, or somebody gets with them, what they do not have now: ${named}. If that was not you, cancel the restore, revoke the key, and look who has these roles.`,
        href,
      };
  }
};

const describeHeldBack = (
  { heldBackIncidentId }: HeldBackFacts,
  { name, path }: Server,
): Description => ({
  title: `An attack on ${name} could not be stopped yet`,
  detail:
    'The platform refused too many calls of your account within ten minutes, so no more are sent for now. It is tried again until it works. Until then, take the roles of whoever attacks yourself, remove bots that you do not know, and pause invites. Then see which key or program causes the refused calls.',
  href: `${path}/incidents/${heldBackIncidentId}`,
});

const describeExplained = (
  { explainedIncidentId }: ExplainedFacts,
  { subject, path }: Server,
): Description => ({
  title: `${subject} was not attacked after all`,
  detail:
    'The audit log told late who had deleted the channels or roles. By your thresholds and by whom you trust it was no attack, so its incident is dismissed. Nobody was stopped, and invites that were paused for it are let on again.',
  href: `${path}/incidents/${explainedIncidentId}`,
});

const describeUnprotected = ({ unprotectedBy, name, keyName }: UnprotectedFacts): Description =>
  unprotected[unprotectedBy](oneLine(name ?? ''), byWhom(keyName));

const undoIt = 'and revoke the key or sign out everywhere.';

const unprotected: Record<
  UnprotectedFacts['unprotectedBy'],
  (name: string, who: string) => Description
> = {
  BOT_OFF: (name, who) => ({
    title: `The bot ${name} was switched off`,
    detail: `Changed by ${who}: the servers that it protects are not watched any more. If that was not you, switch it on again, ${undoIt}`,
    href: '/bots',
  }),
  BOT_TOKEN: (name, who) => ({
    title: `The bot ${name} was given another token`,
    detail: `Changed by ${who}: if it is not a token of the same bot, the servers that it protects are not watched any more. If that was not you, enter a new token, ${undoIt}`,
    href: '/bots',
  }),
  SERVER_DELETED: (name, who) => ({
    title: `The protected server ${name} was deleted`,
    detail: `Deleted by ${who}: it is not watched any more. If that was not you, add it again, ${undoIt}`,
    href: '/servers',
  }),
  ALERTS_SILENCED: (_, who) => ({
    title: 'Alerts about attacks were silenced',
    detail: `Changed by ${who}: not every alert about an attack reaches you as before. What weakens protection is still listed and mailed. If that was not you, set it back, ${undoIt}`,
    href: '/alerts/settings',
  }),
};

const refusals: Record<FactsByKind['BOT_REFUSED']['refused'], string> = {
  TOKEN:
    'Its token is not valid any more, so the bot is switched off: no backup, restore or verification works until you give it a new one.',
  CLIENT_SECRET:
    'Its client secret is not valid any more: nobody can verify until you give it a new one.',
  INTENTS:
    'Its privileged intents are not switched on: switch them on in its application on the platform, under Bot, and then switch the bot on again.',
  SIZE: 'It is in more servers than it can be connected for: take it out of some, and then switch it on again.',
};

const restoreEnds = {
  completed: { title: 'is completed', detail: 'Everything was restored.' },
  partial: {
    title: 'is completed in part',
    detail: 'Its page says what could not be restored.',
  },
  failed: { title: 'failed', detail: 'Its page says why.' },
};

const counted = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;

const longestReason = 500;

/** Why something failed, as its own record has it, which may be long. */
const sentence = (reason: string): string => {
  const characters = [...oneLine(reason)];
  const text = characters.join('');
  if (characters.length > longestReason) return `${characters.slice(0, longestReason).join('')}…`;
  return /[.!?]$/.test(text) ? text : `${text}.`;
};

const dayOf = (at: string): string =>
  new Date(at).toLocaleDateString('en-GB', {
    ...{ day: 'numeric', month: 'long', year: 'numeric' },
    timeZone: 'UTC',
  });

const minuteOf = (at: string): string => `${dayOf(at)} at ${at.slice(11, 16)} UTC`;

/** Without line breaks, and without marks that turn the direction of the text around it. */
const oneLine = (text: string): string =>
  text
    .replace(/\p{Bidi_Control}/gu, '')
    .replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim();
