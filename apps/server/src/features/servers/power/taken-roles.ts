import type { Queryable } from '../../../db/connect.ts';

type Person = { accountId: string; serverId: string; platformId: string };

/**
 * What protection has taken from somebody whom it stopped, until they are to have it back or the incident is
 * over; undefined for everybody else. `main` hands down what protection knows.
 */
export type FindTakenRoles = (
  db: Queryable,
  person: Person,
) => Promise<readonly string[] | undefined>;
