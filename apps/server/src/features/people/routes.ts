import type { DashboardEndpoints } from '@holdfast/contract';
import type { Handlers } from '../../http/handler.ts';
import type { Picture } from '../../http/pages/placeholders.ts';
import { notFound } from '../../kernel/errors.ts';
import type { KeyRing } from '../../kernel/seal.ts';
import { accountHashKey } from '../accounts/hash-key/hash-key.ts';
import { hashPerson } from '../backups/erasure/erasures.ts';
import { kindsIn } from '../backups/erasure/personal-data.ts';
import { isBlacklisted, listEntries } from '../blacklist/queries.ts';
import { findFirstKnownAttempt, listAttemptsOn } from '../verification/queries/attempts.ts';
import {
  findAssignment,
  findMember,
  findNamesOf,
  listAppealsOn,
  listBackupsWithPerson,
  listPullsOf,
} from './queries.ts';

type PeopleDependencies = { ring: KeyRing; picture: Picture };

/** Of each list. */
const most = 50;

export const peopleHandlers = ({
  ring,
  picture,
}: PeopleDependencies): Handlers<
  Pick<DashboardEndpoints, 'getMemberHistory' | 'listNamedBlacklist'>
> => ({
  async listNamedBlacklist(db, { account: { accountId }, query }) {
    const { rows, total } = await listEntries(db, accountId, query);
    const ids = rows.map(({ platformId }) => platformId);
    const known = await findNamesOf(db, accountId, ids);
    const memberOf = (platformId: string) => {
      const found = known.find((one) => one.platformId === platformId);
      if (!found) return null;
      const { avatarUrl, displayName, ...member } = found;
      const avatar = picture('avatar', avatarUrl);
      return { ...member, avatar, displayName: displayName ?? member.username };
    };
    return { total, rows: rows.map((row) => ({ ...row, member: memberOf(row.platformId) })) };
  },

  async getMemberHistory(db, { server, params }) {
    const found = await findMember(db, server, params.memberId);
    if (!found) throw notFound('Member');
    const { avatarUrl, seen, ...member } = found;
    const { id: serverId, accountId } = server;
    const person = { accountId, serverId, platformId: member.platformId };
    const hash = hashPerson(await accountHashKey(db, ring, accountId), member.platformId);
    const backups = await listBackupsWithPerson(db, { accountId, serverId }, hash, most);
    const ofMember = { accountId, memberId: member.id };
    return {
      member: {
        ...member,
        displayName: member.displayName ?? member.username,
        avatar: picture('avatar', avatarUrl),
      },
      isBlacklisted: await isBlacklisted(db, person),
      attempts: await listAttemptsOn(db, person, most),
      attemptsSince: await findFirstKnownAttempt(db, server),
      appeals: await listAppealsOn(db, person, most),
      verifiedRole: (await findAssignment(db, ofMember)) ?? null,
      inGuild: seen?.roleIds ? { ...seen, roleIds: seen.roleIds } : null,
      backups: backups.map(({ sections, ...one }) => ({ ...one, kinds: kindsIn(sections) })),
      pulls: await listPullsOf(db, ofMember, most),
    };
  },
});
