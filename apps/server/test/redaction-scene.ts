import { expect } from 'bun:test';
import { freeObjects } from '../src/features/backups/objects/free-objects.ts';
import { redactAccountJob } from '../src/features/backups/people/jobs.ts';
import type { RedactTools } from '../src/features/backups/people/redact-backup.ts';
import { isBackupInUse } from '../src/features/restores/queries.ts';
import { redactJournals } from '../src/features/restores/redact-journals.ts';
import { auditOf } from './audit-entries.ts';
import { expectExactStorage, type OwnedGuild } from './backup-scene.ts';
import { createErasureScene, type Person } from './erasure-scene.ts';
import type { PeopleScene } from './people-scene.ts';

const ownLease = { fence: 1, isHeld: () => true, requireHeld: async () => undefined };
export const neverAborted = new AbortController().signal;

export const withMessages = {
  components: ['settings', 'roles', 'channels', 'bans', 'memberRoles', 'messages'],
};

/** The redaction of an account's backups, run by the test itself and without grace for readers. */
export const createRedactionScene = (people: PeopleScene) => {
  const scene = createErasureScene(people);
  const { db, blobs } = people.service;

  const redact = ({ tenant: { accountId } }: OwnedGuild, changes: Partial<RedactTools> = {}) => {
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

  const free = ({ tenant: { accountId } }: OwnedGuild) => freeObjects(db, blobs, accountId, neverAborted);

  return {
    ...scene,
    redact,
    free,

    async newPlace() {
      const person = await scene.newPerson();
      const server = await scene.backups.newServer();
      return { person, server, ...(await scene.putEverywhere(server, person)) };
    },

    async expectGone(server: OwnedGuild, { platformId, canary }: Person) {
      await free(server);
      for (const name of [platformId, canary]) {
        expect(await scene.objectsHolding(server, name)).toEqual([]);
      }
      await expectExactStorage(scene.backups, server);
    },

    redactions: async ({ tenant }: OwnedGuild) =>
      (await auditOf(tenant)).data.filter(
        ({ action }: { action: string }) => action === 'backup.redact',
      ),
  };
};

export type RedactionScene = ReturnType<typeof createRedactionScene>;
