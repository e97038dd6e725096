import type { Queryable } from '../../../db/connect.ts';

/** Of nobody in particular without an id. */
type Person = { accountId: string; serverId: string; platformId?: string };

/** What is not to be given to somebody, whatever the guild says now. `main` hands down what protection knows. */
export type HeldBack = {
  /**
   * What protection has taken from somebody whom it stopped, until they are to have it back or the incident is
   * over; undefined for everybody else.
   */
  taken: readonly string[] | undefined;
  /** Who is stopped, where nobody in particular is asked about. */
  stopped?: readonly string[];
  /** What restores under way are going to give to roles of the guild, which can be harmless until then. */
  coming: ReadonlyMap<string, bigint>;
};

export type FindHeldBack = (db: Queryable, person: Person) => Promise<HeldBack>;
