import type { Queryable } from '../../../db/connect.ts';
import type { AlertFacts } from '../rules.ts';

type FindNames = (
  db: Queryable,
  accountId: string,
  ids: string[],
) => Promise<ReadonlyMap<string, string>>;

/** Other features own what alerts name. */
export type NameFinders = {
  /** The names of those servers that are not deleted, by their ids. */
  findServerNames: FindNames;
  /** Of those who took part in these incidents, by their platform ids. */
  findExecutorNames: FindNames;
};

type Told = { serverId: string | null; facts: AlertFacts };

/** The names of whatever these alerts are about, by ids. */
export const readNames = async (
  { findServerNames, findExecutorNames }: NameFinders,
  db: Queryable,
  accountId: string,
  alerts: readonly Told[],
): Promise<ReadonlyMap<string, string>> => {
  const serverIds = new Set(alerts.flatMap(({ serverId }) => serverId ?? []));
  const incidentIds = new Set(
    alerts.flatMap(({ facts }) => ('notStopped' in facts ? facts.incidentId : [])),
  );
  return new Map([
    ...(await findServerNames(db, accountId, [...serverIds])),
    ...(await findExecutorNames(db, accountId, [...incidentIds])),
  ]);
};
