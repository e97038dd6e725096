import { createRefusalWindow, type RefusalWindow } from './refusal-window.ts';
import { addTo, type SharedCount } from './shared-refusals.ts';

/** Whom a call is counted for. Without an account it counts in the total only. */
export type Charge = {
  accountId?: string | undefined;
  guildId?: string | undefined;
  isUrgent?: boolean | undefined;
};

export type ShareOptions = {
  now: () => number;
  /** What all accounts together may collect in ten minutes. */
  limit: number;
  /** What one account may, and what it may once half of all is used up. A guild has `guildPart` of that. */
  accountShare: number;
  strainedShare: number;
};

/** A pull of one guild meets hundreds who are banned there or gave no consent; other guilds go on beside it. */
const guildPart = 0.8;

/** Refusals that may be collected, for all accounts together, for each, and for each guild of one. */
export const createShare = (
  { now, limit, accountShare, strainedShare }: ShareOptions,
  shared: SharedCount,
) => {
  const all = createRefusalWindow(now);
  const accounts = createWindows(now);
  const guilds = createWindows(now);
  const underWay = new Map<string, number>();
  let callsUnderWay = 0;
  const waiting = (name: string) => underWay.get(name) ?? 0;

  return {
    isUsedUp({ accountId, guildId }: Charge): boolean {
      const total = Math.max(all.total(), shared.total());
      if (total + callsUnderWay >= limit) return true;
      if (accountId === undefined) return false;
      const share = Math.max(1, total < limit / 2 ? accountShare : strainedShare);
      const used = Math.max(accounts.of(accountId), shared.of(accountId));
      if (used + waiting(accountId) >= share) return true;
      const guild = nameOfGuild({ accountId, guildId });
      return (
        guild !== undefined && guilds.of(guild) + waiting(guild) >= Math.max(1, share * guildPart)
      );
    },
    /** A call that begins counts as refused; the function returned tells that it was answered. */
    begin(charge: Charge): () => void {
      const names = [charge.accountId, nameOfGuild(charge)].filter((name) => name !== undefined);
      const count = (change: number) => {
        callsUnderWay += change;
        for (const name of names) addTo(underWay, name, change);
      };
      count(1);
      return () => count(-1);
    },
    add(charge: Charge): void {
      const { accountId } = charge;
      const guild = nameOfGuild(charge);
      all.add();
      if (accountId !== undefined) accounts.add(accountId);
      if (guild !== undefined) guilds.add(guild);
      shared.add(accountId);
    },
  };
};

const nameOfGuild = ({ accountId, guildId }: Charge): string | undefined =>
  guildId === undefined ? undefined : `${accountId} ${guildId}`;

/** One for each name with refusals; those of which none is left are dropped as they are asked for. */
const createWindows = (now: () => number) => {
  const byName = new Map<string, RefusalWindow>();
  return {
    add(name: string): void {
      const window = byName.get(name) ?? createRefusalWindow(now);
      byName.set(name, window);
      window.add();
    },
    of(name: string): number {
      const total = byName.get(name)?.total() ?? 0;
      if (total === 0) byName.delete(name);
      return total;
    },
  };
};
