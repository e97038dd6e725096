import type { Server } from '../../queries/records.ts';

export const settingNames = [
  'name',
  'customBotId',
  'platformGuildId',
  'verifiedRoleId',
  'logChannelId',
  'captchaType',
  'vpnBlockEnabled',
  'altDetectEnabled',
  'firewallEnabled',
  'minAccountAgeDays',
  'backupSchedule',
  'retention',
  'restoreRolesOnRejoin',
] as const;

export type Settings = Pick<Server, (typeof settingNames)[number]>;

/** Only the settings that differ from the server. */
export const changedSettings = (server: Settings, edits: Partial<Settings>): Partial<Settings> =>
  Object.fromEntries(
    settingNames
      .filter((name) => edits[name] !== undefined && !isSame(edits[name], server[name]))
      .map((name) => [name, edits[name]]),
  );

/** Both have their fields in the contract's order. */
const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other);
