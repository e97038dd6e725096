import type { BackupComponent, BackupKind } from '@holdfast/contract';

/**
 * What gives no power unless a person with a second factor restores it. All content of a document, which shows
 * no state of a guild. Of a backup what gives it to others than those who had it then, in this guild: a role
 * can have been harmless since, and been given to anybody; and a guild of their own can hold anything.
 */
export type Withholding = 'all' | 'toOthers';

export const withholdingOf = (
  { isImported, kind }: { isImported: boolean; kind: BackupKind },
  mayGivePower: boolean,
): Withholding | undefined => {
  // A template has no power to give.
  if (mayGivePower || kind === 'MARKETPLACE') return undefined;
  return isImported ? 'all' : 'toOthers';
};

/** What must be read to find out who had a role and who has it, whether it is restored or not. */
export const holdersFor = (
  withholding: Withholding | undefined,
  components: readonly BackupComponent[],
): BackupComponent[] => {
  const givesPower = components.includes('roles') || components.includes('channels');
  return withholding === 'toOthers' && givesPower ? ['memberRoles'] : [];
};
