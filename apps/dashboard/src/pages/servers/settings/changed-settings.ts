import type { Server } from '../../../parts/use-server.ts';

const settingNames = [
  'name',
  'customBotId',
  'platformGuildId',
  'verifiedRoleId',
  'logChannelId',
  'captchaType',
  'vpnBlockEnabled',
  'altDetectEnabled',
  'firewallEnabled',
  'antiNukeEnabled',
  'antiRaidEnabled',
  'minAccountAgeDays',
  'backupSchedule',
  'retention',
] as const;

export type Settings = Pick<Server, (typeof settingNames)[number]>;

/** Only those that differ from how the server stands: nothing else is sent. */
export const changedSettings = (server: Settings, edits: Partial<Settings>): Partial<Settings> =>
  Object.fromEntries(
    settingNames
      .filter((name) => edits[name] !== undefined && !isSame(edits[name], server[name]))
      .map((name) => [name, edits[name]]),
  );

/** Both come in the contract's own order of fields. */
const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);
