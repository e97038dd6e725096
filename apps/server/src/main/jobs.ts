import { z } from 'zod';
import type { Database } from '../db/connect.ts';
import { rewrapBots } from '../features/bots/rewrap.ts';
import { firewallRules } from '../features/firewall/table.ts';
import { purgeMembers } from '../features/members/queries.ts';
import { purgeRules } from '../features/rules/queries.ts';
import { purgeServer, purgeServerJob } from '../features/servers/jobs.ts';
import { whitelistRules } from '../features/whitelist/table.ts';
import { forgetOldAnswers } from '../http/queries.ts';
import type { Log } from '../kernel/log.ts';
import type { KeyRing } from '../kernel/seal.ts';
import type { Job } from '../queue/job.ts';

const forgetAnswers = { name: 'http.forget-answers', payload: z.object({}) };
const rewrapSecrets = { name: 'seal.rewrap', payload: z.object({}) };

/** Every kind of queued work by name; a process that only serves the API needs no more. */
export const jobNames = [purgeServer, forgetAnswers, rewrapSecrets];

/** And how each is done. */
export const createJobs = (tools: { db: Database; ring: KeyRing; log: Log }): Job[] => {
  const { db, ring, log } = tools;
  const purgers = [purgeMembers, purgeRules(firewallRules), purgeRules(whitelistRules)];
  return [
    purgeServerJob(db, purgers),
    { ...forgetAnswers, cron: '*/10 * * * *', run: () => forgetOldAnswers(db) },
    {
      ...rewrapSecrets,
      cron: '17 * * * *',
      runsAtStart: true,
      async run() {
        const rewrapped = await rewrapBots(db, ring, (err) =>
          log.error({ err }, 'a secret cannot be re-wrapped'),
        );
        if (rewrapped > 0) log.info({ rewrapped, keyId: ring.sealingKeyId }, 'secrets re-wrapped');
      },
    },
  ];
};
