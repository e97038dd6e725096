import { expect } from 'bun:test';
import { redactAccountJob } from '../../../src/features/backups/erasure/jobs.ts';
import type { RedactionDependencies } from '../../../src/features/backups/erasure/redact-backup.ts';
import { releaseObjects } from '../../../src/features/backups/objects/release-objects.ts';
import { isBackupInUse } from '../../../src/features/restores/queries/restores.ts';
import { redactJournals } from '../../../src/features/restores/run/redact.ts';
import { auditOf } from '../api-calls.ts';
import { expectExactStorage, type OwnedGuild } from '../backups/fixture.ts';
import { ownLease } from '../own-lease.ts';
import { createErasureFixture, type Person } from './fixture.ts';
import type { PeopleFixture } from './people.ts';

export const neverAborted = new AbortController().signal;

export const withMessages = {
  components: ['settings', 'roles', 'channels', 'bans', 'memberRoles', 'messages'],
};

/** The redaction of an account's backups, run by the test itself and without grace for readers. */
export const createRedactionFixture = (people: PeopleFixture) => {
  const fixture = createErasureFixture(people);
  const { db, blobs } = people.service;

  const redact = (
    { tenant: { accountId } }: OwnedGuild,
    changes: Partial<RedactionDependencies> = {},
  ) => {
    const tools = {
      ...people.service,
      graceSeconds: 0,
      isBackupInUse,
      onRedacted: async () => undefined,
      redactElsewhere: (ownerId: string, signal: AbortSignal) =>
        redactJournals(people.service, ownerId, signal),
      ...changes,
    };
    return redactAccountJob(tools).run({ accountId }, neverAborted, ownLease);
  };

  const free = ({ tenant: { accountId } }: OwnedGuild) =>
    releaseObjects(db, blobs, accountId, neverAborted);

  return {
    ...fixture,
    redact,
    free,

    async newPersonOnServer() {
      const person = await fixture.newPerson();
      const server = await fixture.backups.newServer();
      return { person, server, ...(await fixture.putEverywhere(server, person)) };
    },

    async expectGone(server: OwnedGuild, { platformId, canary }: Person) {
      await free(server);
      for (const name of [platformId, canary]) {
        expect(await fixture.objectsHolding(server, name)).toEqual([]);
      }
      await expectExactStorage(fixture.backups, server);
    },

    redactions: async ({ tenant }: OwnedGuild) =>
      (await auditOf(tenant)).data.filter(
        ({ action }: { action: string }) => action === 'backup.redact',
      ),
  };
};

export type RedactionFixture = ReturnType<typeof createRedactionFixture>;
