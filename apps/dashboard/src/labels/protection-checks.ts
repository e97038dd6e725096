import type { LimitCode } from '@holdfast/contract';
import type { Protection } from '../queries/records.ts';
import { permissionLabel } from './permissions.ts';

type Limit = Protection['cannotStop'][number];

export type Check = {
  label: string;
  /** Unknown where the platform could not be asked. */
  state: 'passed' | 'failed' | 'unknown';
  problems: string[];
};

type Definition = {
  label: string;
  codes: LimitCode[];
  permission?: string;
  /** Whether only the platform can answer it. */
  isAsked: boolean;
};

const definitions: Definition[] = [
  {
    ...{ label: 'The bot hears what happens', isAsked: false },
    codes: ['NOT_CONNECTED', 'MISSING_INTENT', 'NOT_IN_GUILD', 'TIMED_OUT'],
  },
  { label: 'It sees the audit log', codes: [], permission: 'VIEW_AUDIT_LOG', isAsked: true },
  {
    ...{ label: 'It can take roles', codes: ['ROLE_TOO_HIGH'] },
    ...{ permission: 'MANAGE_ROLES', isAsked: true },
  },
  { label: 'It can remove bots', codes: [], permission: 'KICK_MEMBERS', isAsked: true },
  { label: 'It can pause invites', codes: [], permission: 'MANAGE_GUILD', isAsked: true },
  {
    ...{ label: 'There is a good backup to repair from', codes: ['NO_GOOD_BACKUP'] },
    isAsked: false,
  },
];

/** What was tested, by what could not be stopped. A missing permission is told in a sentence. */
export const checksOf = (limits: Limit[]): Check[] => {
  const isAnswered = !limits.some(({ code }) => code === 'NOT_ASKED' || code === 'NOT_IN_GUILD');
  const checks = definitions.map((definition) => checkOf(definition, limits, isAnswered));
  const others = limits.filter(
    (limit) =>
      limit.code === 'MISSING_PERMISSION' &&
      !definitions.some((definition) => concerns(definition, limit)),
  );
  if (others.length === 0) return checks;
  const problems = others.map(({ detail }) => detail);
  return [...checks, { label: 'It has all other permissions', state: 'failed', problems }];
};

const checkOf = (definition: Definition, limits: Limit[], isAnswered: boolean): Check => {
  const problems = limits.filter((limit) => concerns(definition, limit));
  const unasked = definition.isAsked && !isAnswered;
  return {
    label: definition.label,
    state: problems.length > 0 ? 'failed' : unasked ? 'unknown' : 'passed',
    problems: problems.map(({ detail }) => detail),
  };
};

const concerns = ({ codes, permission }: Definition, { code, detail }: Limit): boolean => {
  if (codes.includes(code)) return true;
  if (code !== 'MISSING_PERMISSION' || permission === undefined) return false;
  return detail.includes(permission) || detail.includes(permissionLabel(permission));
};
