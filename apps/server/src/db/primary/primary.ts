import { SQL } from 'bun';
import { DeadlinePassed, withinDeadline } from '../../kernel/deadline.ts';
import { type DatabaseHost, parseDatabaseUrl } from '../database-url.ts';
import { isPrimaryLost, isReadOnly } from '../failures.ts';
import { readStanding, type Standing } from './queries.ts';

export type Primary = {
  /** Whether the address names several hosts. */
  mayMove: boolean;
  /** The host to connect to: the one that took writes when it was last asked. */
  current(): DatabaseHost;
  /** Looks for the primary at once if this is how a statement fails whose primary is lost. */
  noteFailure(error: unknown): void;
  /** Calls `onMoved` when connections must be made anew, until the returned function is called. */
  follow(onMoved: () => void): () => void;
  /** Calls `onLost` when no host takes writes, and when the reasons change, until the returned function is called. */
  watch(onLost: (reasons: string) => void): () => void;
};

type Followed = Primary & {
  /** Undefined where a host takes writes, otherwise what each of them said. */
  seek(): Promise<string | undefined>;
};

const times = {
  /** A primary that lives on unmanaged after another was promoted breaks no connection: only asking shows it. */
  askEveryMs: 5000,
  /** While no host takes writes. */
  askAgainMs: 500,
  answerWithinMs: 2000,
};

/** Those that are asked from time to time, by address: all pools of a process follow one. */
const shared = new Map<string, Followed>();

/**
 * The host that takes writes, of those in the address. It is looked for at the start, when a statement
 * fails as if the primary was lost, and every few seconds where there are several hosts. The states:
 *
 *   found    connections go to it. Where another host takes writes too, the one with the higher
 *            timeline is the primary: the other one was not told of the promotion.
 *   lost     no host takes writes: they are asked again and again, and connections are still
 *            tried at the last one.
 *   moved    another host was found, or the same address leads to another server: followers connect anew.
 */
export const primaryOf = (url: string): Primary => followedAt(url);

const followedAt = (url: string): Followed => {
  const { hosts } = parseDatabaseUrl(url);
  if (hosts.length === 1) return createPrimary(hosts);
  const known = shared.get(url);
  if (known) return known;
  const created = createPrimary(hosts);
  shared.set(url, created);
  return created;
};

/** Before the first connection of a process: waits until a host takes writes, and throws where none does. */
export const findPrimary = async (url: string, withinMs: number): Promise<void> => {
  if (parseDatabaseUrl(url).hosts.length === 1) return;
  const primary = followedAt(url);
  const startedAt = performance.now();
  for (;;) {
    const reasons = await primary.seek();
    if (reasons === undefined) return;
    if (performance.now() - startedAt > withinMs) {
      throw new Error(`No host of the database's address takes writes: ${reasons}`);
    }
    await Bun.sleep(times.askAgainMs);
  }
};

const createPrimary = (hosts: [DatabaseHost, ...DatabaseHost[]]): Followed => {
  const followers = new Set<() => void>();
  const watchers = new Set<(reasons: string) => void>();
  let lastReasons = '';
  let current = hosts[0];
  let newest: Standing | undefined;
  let isLost = false;
  let hasRefusedWrites = false;
  let seeking: Promise<string | undefined> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const look = async (): Promise<string | undefined> => {
    const asked = hosts.map(askHost);
    const answers = await Promise.race([Promise.all(asked), firstPromotedSince(newest, asked)]);
    const found = chooseHost(answers, { current, newest });
    isLost = found === undefined;
    const reasons = found ? '' : answers.map(describeAnswer).join('; ');
    if (!found && reasons !== lastReasons) for (const onLost of watchers) onLost(reasons);
    lastReasons = reasons;
    if (!found) return reasons;
    const isMoved = found.host !== current || hasRefusedWrites;
    hasRefusedWrites = false;
    current = found.host;
    newest = found.standing;
    if (isMoved) for (const onMoved of [...followers]) onMoved();
    return undefined;
  };
  const seek = () => {
    seeking ??= look().finally(() => {
      seeking = undefined;
      askLater();
    });
    return seeking;
  };
  const askLater = () => {
    clearTimeout(timer);
    timer = undefined;
    if (followers.size === 0 || (hosts.length === 1 && !isLost)) return;
    timer = setTimeout(seek, isLost ? times.askAgainMs : times.askEveryMs);
    timer.unref();
  };

  return {
    seek,
    mayMove: hosts.length > 1,
    current: () => current,
    noteFailure(error) {
      // A single address: the driver connects again by itself, unless the server answers but takes no writes.
      if (hosts.length === 1 ? !isReadOnly(error) : !isPrimaryLost(error)) return;
      if (isReadOnly(error)) hasRefusedWrites = true;
      seek();
    },
    follow(onMoved) {
      followers.add(onMoved);
      if (timer === undefined) askLater();
      return () => {
        followers.delete(onMoved);
        if (followers.size === 0) askLater();
      };
    },
    watch(onLost) {
      watchers.add(onLost);
      return () => watchers.delete(onLost);
    },
  };
};

type Answer = { host: DatabaseHost; standing?: Standing; error?: unknown };

const askHost = async (host: DatabaseHost): Promise<Answer> => {
  const { answerWithinMs: ms } = times;
  const client = new SQL({
    ...{ ...host.bun, max: 1, connectionTimeout: ms / 1000, prepare: false },
    connection: { application_name: 'holdfast-primary' },
  });
  try {
    const standing = await withinDeadline({ ms, lastMs: ms }, () => readStanding(client));
    return { host, standing };
  } catch (error) {
    return { host, error };
  } finally {
    client.close({ timeout: 0 }).catch(() => undefined);
  }
};

/** Such a host is the primary, whatever those would say that do not answer: they need not be waited for. */
const firstPromotedSince = (known: Standing | undefined, asked: Promise<Answer>[]) =>
  new Promise<Answer[]>((resolve) => {
    for (const asking of asked) {
      asking.then((answer) => isPromotedSince(known, answer) && resolve([answer]));
    }
  });

const isPromotedSince = (known: Standing | undefined, { standing }: Answer): boolean =>
  known !== undefined &&
  standing?.takesWrites === true &&
  standing.system === known.system &&
  standing.timeline > known.timeline;

type Found = { host: DatabaseHost; standing: Standing };

/** Never one with an older history than what was seen: it lost what was committed since. */
const chooseHost = (
  answers: Answer[],
  { current, newest }: { current: DatabaseHost; newest: Standing | undefined },
): Found | undefined =>
  answers
    .flatMap(({ host, standing }) => (standing?.takesWrites ? [{ host, standing }] : []))
    .filter(({ standing: { system, timeline } }) =>
      newest?.system === system ? timeline >= newest.timeline : true,
    )
    .sort(
      (a, b) =>
        b.standing.timeline - a.standing.timeline ||
        Number(b.host === current) - Number(a.host === current),
    )[0];

const describeAnswer = ({ host: { hostname, port }, standing, error }: Answer): string => {
  const at = `${hostname}:${port}`;
  if (standing?.takesWrites) return `${at} has an older history than the last primary`;
  if (standing) return `${at} is a standby`;
  if (error instanceof DeadlinePassed) return `${at} does not answer`;
  return `${at}: ${error instanceof Error ? error.message : String(error)}`;
};
