import type { Database } from '../../../db/connect.ts';
import { markTransactionPooled } from '../../../db/database-url.ts';
import { causeOf } from '../../../db/failures.ts';
import { type Replay, readPosition } from '../../../db/replica/queries.ts';
import { connectStandby, NotFromStandby, type Reason } from '../../../db/replica/standby.ts';
import { redactedMessage } from '../../../kernel/describe-error.ts';
import type { OpenDatabase } from './database.ts';
import { type Check, ok, problem, type Verdict, warning } from './finding.ts';

export const replicaChecks = (open: OpenDatabase, url: string | undefined): Check[] =>
  url === undefined
    ? []
    : [{ name: 'replica', run: async () => [await checkReplica(await open(), url)] }];

/** Under steady changes it is always a little behind: only one that stays so is told of. */
const attempts = 10;
const pauseMs = 150;

type Asked = { failure?: NotFromStandby; replay?: Replay };

const checkReplica = async (db: Database, url: string): Promise<Verdict> => {
  let asked: Asked = {};
  for (let attempt = 0; attempt < attempts; attempt++) {
    asked = await askStandby(db, url);
    if (asked.failure?.reason !== 'behind') break;
    await Bun.sleep(pauseMs);
  }
  const { failure, replay } = asked;
  return failure ? describe(failure, replay) : ok('it has all that the primary has');
};

/** As a read of the service does. */
const askStandby = async (db: Database, url: string): Promise<Asked> => {
  let replay: Replay | undefined;
  const standby = connectStandby(markTransactionPooled(url), 1, (seen) => {
    replay = seen;
  });
  try {
    await standby.read(await readPosition(db), async () => undefined);
    return {};
  } catch (error) {
    if (!(error instanceof NotFromStandby)) throw error;
    return { failure: error, ...(replay && { replay }) };
  } finally {
    standby.close();
  }
};

const describe = ({ reason, cause }: NotFromStandby, replay: Replay | undefined): Verdict => {
  if (reason === 'behind') {
    const [kib, seconds] = [(replay?.lagBytes ?? 0) / 1024, replay?.lagSeconds ?? 0];
    const lag = `${Math.ceil(kib)} KiB and ${Math.ceil(seconds)} s`;
    return warning(
      `the standby is ${lag} behind, so lists are read from the primary`,
      'Look at its network and disk, and whether its replay is paused (pg_is_wal_replay_paused).',
    );
  }
  const told = causeOf(cause);
  const why = told instanceof Error ? `: ${redactedMessage(told)}` : '';
  const [detail, advice] = sentences[reason] ?? [`it cannot be asked${why}`, lookAtIt];
  return problem(detail, advice);
};

const lookAtIt =
  'Check DATABASE_REPLICA_URL, whether the standby runs, and whether this machine reaches it. Until then lists are read from the primary.';

const sentences: Partial<Record<Reason, [string, string]>> = {
  promoted: [
    'it is no standby: it takes writes itself',
    'Let DATABASE_REPLICA_URL lead to a standby, or remove it. Until then lists are read from the primary.',
  ],
  other_history: [
    'it is a standby of another system, or has not followed the last promotion',
    'Let it follow the primary of DATABASE_URL. One that does is taken for good after its next restartpoint: run "checkpoint" there, or grant the role pg_read_all_stats.',
  ],
};
