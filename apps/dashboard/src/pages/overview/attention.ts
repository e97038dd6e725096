import type { Output } from '@holdfast/sdk';
import { agoWords, plural, sizeWords } from '../../parts/words.ts';

export type OverviewServer = Output<'getOverview'>['servers'][number];
type Account = Pick<Output<'getAccount'>, 'subscription' | 'limits'>;
type Usage = Output<'getBackupUsage'>;

/** Something that waits for the owner. */
export type Attention = {
  key: string;
  /** Something is broken, or will be soon; else it can wait until tomorrow. */
  isUrgent: boolean;
  /** The server or bot it is about, as somebody named it. */
  subject: string | undefined;
  words: string;
  to: string;
  action: string;
};

const dayMs = 86_400_000;
/** Without a schedule a backup is called old after a week, with one after two missed turns. */
const oldAfterMs = 7 * dayMs;
const missedTurns = 2;
const nearlyFull = 0.8;

/** All that needs attention, the urgent things first. */
export const attentionOf = (
  account: Account,
  servers: OverviewServer[],
  usage: Usage | undefined,
  now = Date.now(),
): Attention[] => {
  const found = [
    ...payment(account),
    ...servers.flatMap((server) => [
      ...botState(server),
      ...backupState(server, now),
      ...unrestorable(server),
      ...openAppeals(server),
    ]),
    ...(usage ? planLimits(account, usage) : []),
  ];
  return [
    ...found.filter(({ isUrgent }) => isUrgent),
    ...found.filter(({ isUrgent }) => !isUrgent),
  ];
};

const payment = ({ subscription: { status } }: Account): Attention[] =>
  status === 'PAST_DUE'
    ? [
        {
          ...{ key: 'payment', isUrgent: true, subject: undefined },
          words: 'The last payment did not go through. Pay soon to keep your plan.',
          ...{ to: '/billing', action: 'Go to billing' },
        },
      ]
    : [];

const botState = ({ id, name, bot }: OverviewServer): Attention[] => {
  if (bot.isActive) return secretState(id, name, bot);
  const words = bot.isRefused
    ? 'The platform refuses the token of its bot: nobody can verify, and nothing is backed up.'
    : 'Its bot is switched off: nobody can verify, and nothing is backed up.';
  const action = bot.isRefused ? 'Give it a new token' : 'Go to bots';
  return [{ key: `bot-${id}`, isUrgent: true, subject: name, words, to: '/bots', action }];
};

const secretState = (id: string, name: string, bot: OverviewServer['bot']): Attention[] => {
  if (!bot.isSecretRefused) return [];
  const words = 'The platform refuses the client secret of its bot: nobody can verify.';
  const action = 'Give it a new secret';
  return [{ key: `bot-${id}`, isUrgent: true, subject: name, words, to: '/bots', action }];
};

const backupState = (server: OverviewServer, now: number): Attention[] => {
  const { id, name, lastBackup } = server;
  const backups = `/servers/${id}/backups`;
  const about = { key: `backup-${id}`, subject: name };
  if (!lastBackup) {
    if (server.running.some(({ kind }) => kind === 'BACKUP')) return [];
    const words = 'There is no backup yet. If it were lost now, nothing could be restored.';
    return [{ ...about, isUrgent: true, words, to: backups, action: 'Back it up' }];
  }
  const here = { ...about, to: `${backups}/${lastBackup.id}`, action: 'Look at the backup' };
  if (lastBackup.restorable === false) {
    return [{ ...here, isUrgent: true, words: 'The last backup failed its drill.' }];
  }
  if (lastBackup.suspicious) {
    const words = 'Many channels or roles were gone when the last backup was taken.';
    return [{ ...here, isUrgent: true, words }];
  }
  if (isOld(server, lastBackup.completedAt, now)) {
    const words = `The last backup was made ${agoWords(lastBackup.completedAt, now)}.`;
    return [{ ...about, isUrgent: false, words, to: backups, action: 'Back it up' }];
  }
  if (lastBackup.restorable === null) {
    const words = 'No drill has proved the last backup yet.';
    return [{ ...here, isUrgent: false, words }];
  }
  return [];
};

/** The last backup has its own line; this one is about all others. */
const unrestorable = ({
  id,
  name,
  lastBackup,
  unrestorableBackups,
}: OverviewServer): Attention[] => {
  if (!unrestorableBackups) return [];
  const isLastOne = lastBackup?.restorable === false;
  const others = unrestorableBackups.total - (isLastOne ? 1 : 0);
  if (others === 0) return [];
  const backups = `/servers/${id}/backups`;
  const about = { key: `unrestorable-${id}`, isUrgent: true, subject: name };
  const { newestId } = unrestorableBackups;
  if (isLastOne && newestId === lastBackup.id) {
    const words = `${plural(others, 'older backup')} cannot be restored either.`;
    return [{ ...about, words, to: backups, action: 'Look at the backups' }];
  }
  const words = `${plural(others, 'backup')} cannot be restored.`;
  return [{ ...about, words, to: `${backups}/${newestId}`, action: 'Look at the newest' }];
};

const isOld = ({ backupEveryHours }: OverviewServer, at: string, now: number): boolean => {
  const patienceMs =
    backupEveryHours === null ? oldAfterMs : (backupEveryHours * missedTurns * dayMs) / 24;
  return now - Date.parse(at) > patienceMs;
};

const openAppeals = ({ id, name, openAppeals: open }: OverviewServer): Attention[] => {
  if (open === 0) return [];
  const words = `${plural(open, 'appeal')} to decide.`;
  const to = `/servers/${id}/appeals`;
  return [
    { key: `appeals-${id}`, isUrgent: false, subject: name, words, to, action: 'Read appeals' },
  ];
};

const planLimits = ({ limits }: Account, usage: Usage): Attention[] => {
  const kinds = [
    {
      ...{ key: 'backups', used: usage.backups, most: limits.maxBackups },
      words: `${usage.backups} of ${plural(limits.maxBackups, 'backup')} of your plan are used.`,
    },
    {
      ...{ key: 'storage', used: usage.storageBytes, most: limits.maxStorageBytes },
      words: `${sizeWords(usage.storageBytes)} of ${sizeWords(limits.maxStorageBytes)} storage of your plan are used.`,
    },
  ];
  return kinds
    .filter(({ used, most }) => used >= most * nearlyFull)
    .map(({ key, used, most, words }) => ({
      ...{ key, isUrgent: used >= most, subject: undefined, words },
      ...{ to: '/billing', action: 'Compare plans' },
    }));
};
