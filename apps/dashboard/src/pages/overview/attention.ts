import { formatAgo, formatBytes, plural } from '../../labels/format.ts';
import { isBroken, remedyOf } from '../../labels/health.ts';
import { openIncidentText, worstFirst } from '../../labels/open-incidents.ts';
import type { Account, BackupUsage, OverviewServer } from '../../queries/records.ts';

type BilledAccount = Pick<Account, 'subscription' | 'limits'>;

/** Something that the owner should look at. */
export type Attention = {
  key: string;
  /** Something is broken or soon will be; everything else can wait. */
  isUrgent: boolean;
  /** The server itself is damaged or lost: its button stands out. */
  isRecovery?: boolean;
  /** An attacker could not be stopped: it is told in red. */
  isAtLarge?: boolean;
  /** A step of the set-up leads there as well. */
  isSetup?: boolean;
  /** The name of the server it is about. */
  subject: string | undefined;
  message: string;
  to: string;
  action: string;
};

const dayMs = 86_400_000;
/** A backup counts as old after a week, or after two missed backups of the schedule. */
const oldAfterMs = 7 * dayMs;
const missedBackups = 2;
const nearlyFull = 0.8;

/** Everything that needs attention, urgent items first. */
export const attentionItems = (
  account: BilledAccount,
  servers: OverviewServer[],
  usage: BackupUsage | undefined,
  now = Date.now(),
): Attention[] => {
  const found = [
    ...payment(account),
    ...servers.flatMap((server) => [
      ...openIncidents(server),
      ...botState(server),
      ...healthState(server),
      ...brokenPointers(server),
      ...lostPanel(server),
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

const payment = ({ subscription: { status } }: BilledAccount): Attention[] => {
  if (status !== 'PAST_DUE') return [];
  const message = 'The last payment did not go through. Pay soon to keep your plan.';
  const link = { to: '/billing', action: 'Go to billing' };
  return [{ key: 'payment', isUrgent: true, subject: undefined, message, ...link }];
};

const openIncidents = ({ id, name, openIncidents: incidents }: OverviewServer): Attention[] =>
  worstFirst(incidents).map((incident) => {
    const { sentence: message, action } = openIncidentText(incident);
    const to = `/servers/${id}/incidents/${incident.id}`;
    const about = { key: `incident-${incident.id}`, subject: name, message };
    const isAtLarge = incident.attackers.unstopped > 0;
    return { ...about, isUrgent: true, isAtLarge, to, action };
  });

const botProblem = ({ isActive, isRefused, isSecretRefused }: OverviewServer['bot']) => {
  if (!isActive && isRefused)
    return [
      'The platform refuses the token of its bot: nobody can verify, and nothing is backed up.',
      'Enter a new token',
    ];
  if (!isActive)
    return ['Its bot is switched off: nobody can verify, and nothing is backed up.', 'Go to bots'];
  if (!isSecretRefused) return [];
  return [
    'The platform refuses the client secret of its bot: nobody can verify.',
    'Enter a new secret',
  ];
};

const botState = ({ id, name, bot }: OverviewServer): Attention[] => {
  const [message, action] = botProblem(bot);
  if (!message || !action) return [];
  return [{ key: `bot-${id}`, isUrgent: true, subject: name, message, to: '/bots', action }];
};

const ownItems: OverviewServer['healthReasons'][number]['code'][] = [
  ...(['VERIFIED_ROLE_MISSING', 'LOG_CHANNEL_MISSING', 'PANEL_CHANNEL_MISSING'] as const),
];

/** Settings and panels that name what is gone have items of their own. */
const healthState = (server: OverviewServer): Attention[] => {
  const { id, name, healthReasons } = server;
  const remedy = remedyOf(server);
  if (!isBroken(server) || !remedy) return [];
  const message = healthReasons
    .filter(({ code }) => !ownItems.includes(code))
    .map(({ detail }) => detail)
    .join(' ');
  const about = { key: `health-${id}`, subject: name, message };
  return [{ ...about, isUrgent: true, isRecovery: true, ...remedy }];
};

const brokenPointerMessages = {
  verifiedRoleId:
    'The role for verified members is gone: newcomers verify, but get no role. Choose another, or restore a backup that has it.',
  logChannelId:
    'The log channel is gone: nobody sees who verified. Choose another, or restore a backup that has it.',
};

const anchors = { verifiedRoleId: '#role', logChannelId: '#reports' };

const brokenPointers = ({ id, name, brokenPointers: broken }: OverviewServer): Attention[] =>
  broken.map((pointer) => ({
    ...{ key: `${pointer}-${id}`, isUrgent: pointer === 'verifiedRoleId', subject: name },
    ...{
      message: brokenPointerMessages[pointer],
      to: `/servers/${id}/settings${anchors[pointer]}`,
    },
    action: 'Open the settings',
  }));

const lostPanel = ({ id, name, healthReasons }: OverviewServer): Attention[] =>
  healthReasons
    .filter(({ code }) => code === 'PANEL_CHANNEL_MISSING')
    .map(({ detail }) => ({
      ...{ key: `panel-${id}`, isUrgent: true, subject: name, message: detail },
      ...{ to: `/servers/${id}/panels`, action: 'Open the panels' },
    }));

const backupState = (server: OverviewServer, now: number): Attention[] => {
  const { id, name, lastBackup } = server;
  const backups = `/servers/${id}/backups`;
  const about = { key: `backup-${id}`, subject: name };
  if (!lastBackup) {
    if (server.running.some(({ kind }) => kind === 'BACKUP')) return [];
    const message = 'There is no backup yet. If it were lost now, nothing could be restored.';
    return [
      { ...about, isUrgent: true, isSetup: true, message, to: backups, action: 'Back it up' },
    ];
  }
  const here = { ...about, to: `${backups}/${lastBackup.id}`, action: 'Open the backup' };
  if (lastBackup.restorable === false) {
    return [{ ...here, isUrgent: true, message: 'The test restore of the last backup failed.' }];
  }
  if (lastBackup.suspicious && server.health !== 'DAMAGED') {
    const message = 'Many channels or roles were gone when the last backup was made.';
    return [{ ...here, isUrgent: true, message, ...lastGoodOf(server) }];
  }
  if (isOld(server, lastBackup.completedAt, now)) {
    const message = `The last backup was made ${formatAgo(lastBackup.completedAt, now)}.`;
    return [{ ...about, isUrgent: false, message, to: backups, action: 'Back it up' }];
  }
  if (lastBackup.restorable === null) {
    const message = 'The last backup was not test-restored yet.';
    return [{ ...here, isUrgent: false, message }];
  }
  return [];
};

/** A backup of a wrecked server helps nobody: the way leads to the one before it. */
const lastGoodOf = ({ id, lastGoodBackupId }: OverviewServer) =>
  lastGoodBackupId === null
    ? {}
    : {
        to: `/servers/${id}/backups/${lastGoodBackupId}`,
        action: 'Open the last good backup',
      };

/** About all backups but the last, which has an item of its own. */
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
    const message = `${plural(others, 'older backup')} cannot be restored either.`;
    return [{ ...about, message, to: backups, action: 'Open the backups' }];
  }
  const message = `${plural(others, 'backup')} cannot be restored.`;
  return [{ ...about, message, to: `${backups}/${newestId}`, action: 'Open the newest' }];
};

const isOld = ({ backupEveryHours }: OverviewServer, at: string, now: number): boolean => {
  const maxAgeMs =
    backupEveryHours === null ? oldAfterMs : (backupEveryHours * missedBackups * dayMs) / 24;
  return now - Date.parse(at) > maxAgeMs;
};

const openAppeals = ({ id, name, openAppeals: open }: OverviewServer): Attention[] => {
  if (open === 0) return [];
  const message = `${plural(open, 'appeal')} to decide.`;
  const to = `/servers/${id}/appeals`;
  return [
    { key: `appeals-${id}`, isUrgent: false, subject: name, message, to, action: 'Read appeals' },
  ];
};

const planLimits = ({ limits }: BilledAccount, usage: BackupUsage): Attention[] => {
  const kinds = [
    {
      ...{ key: 'backups', used: usage.backups, most: limits.maxBackups },
      message: `${usage.backups} of ${plural(limits.maxBackups, 'backup')} of your plan are used.`,
    },
    {
      ...{ key: 'storage', used: usage.storageBytes, most: limits.maxStorageBytes },
      message: `${formatBytes(usage.storageBytes)} of ${formatBytes(limits.maxStorageBytes)} storage of your plan are used.`,
    },
  ];
  return kinds
    .filter(({ used, most }) => used >= most * nearlyFull)
    .map(({ key, used, most, message }) => ({
      ...{ key, isUrgent: used >= most, subject: undefined, message },
      ...{ to: '/billing', action: 'Compare plans' },
    }));
};
