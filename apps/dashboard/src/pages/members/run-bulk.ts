import { HoldfastError } from '@holdfast/sdk';
import type { QueryKey } from '@tanstack/react-query';
import { api } from '../../api.ts';
import { errorMessage } from '../../labels/errors.ts';
import { queryKeys } from '../../queries/query-keys.ts';
import type { Member } from '../../queries/records.ts';
import { changedByRule, firewallRules, whitelistRules } from '../../queries/rules.ts';

export type BulkAction = {
  label: string;
  consequence: string;
  color?: string;
  needsFirewall: boolean;
  /** Accounts with a second factor give a fresh code. */
  asksForCode: boolean;
  run: (serverId: string, member: Member, note: string | null) => Promise<unknown>;
  changes: (serverId: string) => QueryKey[];
};

/** The same as can be done to one member; what holds on every server comes last. */
export const bulkActions: Record<'block' | 'allow' | 'blacklist', BulkAction> = {
  block: {
    label: 'Block here',
    consequence:
      'A firewall rule for each of them: they cannot verify again on this server while its firewall is on.',
    ...{ needsFirewall: true, asksForCode: false },
    run: (id, { platformId: value }, note) =>
      firewallRules.add(id, { type: 'USER_ID', value, note }),
    changes: (id) => changedByRule(id, firewallRules),
  },
  allow: {
    label: 'Always allow here',
    consequence:
      'A whitelist rule for each of them: it overrules every check of this server, but not the blacklist.',
    ...{ needsFirewall: false, asksForCode: true },
    run: (id, { platformId: value }, note) =>
      whitelistRules.add(id, { type: 'USER_ID', value, note }),
    changes: (id) => changedByRule(id, whitelistRules),
  },
  blacklist: {
    label: 'Blacklist on all your servers',
    consequence:
      'They cannot verify again on any of your servers and are not brought back. Nobody is removed from the server on the platform.',
    ...{ color: 'red', needsFirewall: false, asksForCode: false },
    run: (id, { platformId }, reason) =>
      api.createBlacklistEntry({ params: { id }, body: { platformId, reason } }),
    changes: (id) => [queryKeys.blacklist, queryKeys.members(id), queryKeys.server(id)],
  },
};

type Outcome = { done: number; already: number; failures: { name: string; reason: string }[] };
export type BulkReport = Outcome & { action: BulkAction };

/** One after the other. What is there already (409) is no failure. */
export const runForEach = async (
  members: Member[],
  act: (member: Member) => Promise<unknown>,
  onProgress: (finished: number) => void,
): Promise<Outcome> => {
  const outcome: Outcome = { done: 0, already: 0, failures: [] };
  for (const [at, member] of members.entries()) {
    try {
      await act(member);
      outcome.done += 1;
    } catch (error) {
      if (error instanceof HoldfastError && error.status === 409) outcome.already += 1;
      else outcome.failures.push({ name: member.displayName, reason: errorMessage(error) });
    }
    onProgress(at + 1);
  }
  return outcome;
};
