import type { ActionOf, SubjectType } from '../plan/action.ts';
import { subjectLabel } from '../plan/subject-label.ts';

/** Where a guild differs from its backup. Each difference makes the restore `partial`. */
export type Difference = {
  type: SubjectType;
  /** For bans and nicknames, the id of the user. */
  name: string;
  code: keyof typeof messages;
  /** The field that differs, or the name of the role or channel with the wrong order. */
  detail?: string;
};

const messages = {
  missing: 'The {type} {name} is missing',
  notInBackup: 'The {type} {name} is not in the backup',
  differs: 'The {type} {name} differs',
  field: 'The {type} {name} differs in {detail}',
  settingsField: 'The settings differ in {detail}',
  overwrites: 'The channel {name} differs in who may do what',
  privateButOpen: 'The channel {name} is private but open',
  standsAbove: 'The {type} {name} stands above {detail}',
  standsBelow: 'The {type} {name} stands below {detail}',
  notBanned: '{name} is not banned',
  bannedSince: '{name} is banned, but not in the backup',
  memberRoles: '{name} has other roles',
  nick: '{name} has another nickname',
  timeOut: '{name} is timed out otherwise than before',
  partDiffers: 'The {type} differs',
} as const;

const roleFieldLabels: Record<string, string> = {
  colors: 'colours',
  isHoisted: 'being listed apart',
  isMentionable: 'being mentionable',
  unicodeEmoji: 'its emoji',
} satisfies Partial<Record<keyof ActionOf<'createRole'>['wish'], string>>;

export const describeDifference = ({ type, name, code, detail = '' }: Difference): string => {
  const label = type === 'role' && code === 'field' ? roleFieldLabels[detail] : undefined;
  const values = { type: subjectLabel(type), name, detail: label ?? detail };
  return messages[code].replace(
    /{(type|name|detail)}/g,
    (_, key: keyof typeof values) => values[key],
  );
};
