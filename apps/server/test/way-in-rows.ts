import type { Database } from '../src/db/connect.ts';
import { appeals, grants, passages, traces } from '../src/features/verification/table.ts';
import type { Place } from './member-rows.ts';

const inAnHour = () => new Date(Date.now() + 3_600_000);
const at = ({ owner, serverId }: Place) => ({ accountId: owner.accountId, serverId });

/** What the way in leaves of a person, by SQL: without walking it. */
export const putAppeal = (
  db: Database,
  place: Place,
  platformId: string,
  message: string,
  username = 'appellant',
) =>
  db.insert(appeals).values({
    ...{ id: crypto.randomUUID(), ...at(place), platformId, username, message },
    reason: 'VPN',
  });

export const putTrace = (db: Database, place: Place, platformId: string) =>
  db.insert(traces).values({
    ...{ id: crypto.randomUUID(), ...at(place), platformId },
    ...{ kind: 'device', hash: `a-trace-of-${platformId}`, expiresAt: inAnHour() },
  });

export const putVisit = (
  db: Database,
  place: Place,
  botId: string,
  platformId: string,
  username = 'visitor',
) =>
  db.insert(passages).values({
    ...{ id: crypto.randomUUID(), ...at(place), botId, platformId, username },
    ...{ browserHash: crypto.randomUUID(), attemptId: crypto.randomUUID() },
    ...{ wantsRecovery: true, metRules: { whitelist: false, firewall: false } },
    ...{ scopes: ['identify'], tokenExpiresAt: inAnHour(), expiresAt: inAnHour() },
    ...{ accessToken: 'sealed', refreshToken: 'sealed', sealKeyId: 'k' },
  });

export const putGrant = (db: Database, place: Place, platformId: string, memberId: string) =>
  db.insert(grants).values({ memberId, ...at(place), platformId });
