import { inParallel, once } from '../../../kernel/concurrency.ts';
import { PlatformFailure } from '../../../platform/failures.ts';
import type { IdMap } from '../plan/id-map.ts';
import type { Step } from '../plan/step.ts';
import { listPlaces, type NewPlace, type PlaceRow, recountSteps } from '../queries/posts.ts';
import { type RestoreRun, RestoreStopped } from '../run/restore-run.ts';
import { indexConversation } from './conversation-index.ts';
import { describePosts } from './describe-posts.ts';
import { postChannel } from './post-channel.ts';
import { failPlace } from './post-thread.ts';
import type { Posting } from './posting.ts';
import { releaseWebhook } from './webhook.ts';

/** Each has a limit of its own, of about thirty posts a minute; this many use up the bot's global one. */
const channelsAtOnce = 100;

const isAskedFor = ({ restore }: RestoreRun): boolean =>
  restore.components.includes('messages') || restore.components.includes('threads');

/** What will be posted: into the channels that the plan creates, and into no other. */
export const planPosts = async (run: RestoreRun, steps: readonly Step[]): Promise<NewPlace[]> => {
  if (!isAskedFor(run)) return [];
  const { pages, threads } = await indexConversation(await run.readConversation());
  const created = steps.flatMap(({ action }) =>
    action.do === 'createChannel' ? [action.oldId] : [],
  );
  return created.flatMap((channelId) => {
    const own = pages.get(channelId) ?? [];
    const ofThreads = threads.get(channelId) ?? [];
    if (own.length + ofThreads.length === 0) return [];
    const total = own.reduce((all, { messages }) => all + messages, 0);
    return [
      { placeId: channelId, channelId, total },
      ...ofThreads.map(({ id, messages }) => ({ placeId: id, channelId, total: messages })),
    ];
  });
};

/**
 * The last stage of a restore, after everything else was verified: posts the messages of the backup into
 * the new channels. Returns what is missing. A platform that does not go on ends the posting, and not the
 * restore.
 */
export const postMessages = async (run: RestoreRun, idMap: IdMap): Promise<string[]> => {
  if (!isAskedFor(run)) return [];
  const places = await listPlaces(run.dependencies.db, run.owner);
  if (places.length === 0) return [];
  const posting = await openPosting(run, idMap, places);
  const channels = places.filter(({ placeId, channelId }) => placeId === channelId);
  try {
    await inParallel(channelsAtOnce, channels, async (channel) => {
      await postChannel(posting, channel).catch((error: unknown) => {
        posting.fatal ??= { error };
        throw error;
      });
    });
  } catch {
    await stopPosting(posting, channels);
  }
  await recountSteps(run.dependencies.db, run.owner);
  return describePosts(posting);
};

const openPosting = async (run: RestoreRun, idMap: IdMap, places: PlaceRow[]): Promise<Posting> => {
  const { platform } = run.dependencies;
  const source = await run.readConversation();
  const [index, snapshot, targets] = await Promise.all([
    indexConversation(source),
    run.readSnapshot(),
    run.guild.readChannels(),
  ]);
  const avatars = new Map<string, () => Promise<string | undefined>>();
  return {
    ...{ run, index, idMap, places },
    read: source.read,
    channels: new Map(snapshot.channels?.map((channel) => [channel.id, channel])),
    targets: new Map(targets.map((channel) => [channel.id, channel])),
    async findAvatarUrl(userId, hash) {
      if (hash === null) return undefined;
      const image = { kind: 'userAvatar', userId, hash } as const;
      const find = () =>
        platform.readImage(image, run.signal, { isSmall: true }).then(
          () => platform.imageUrl(image),
          () => undefined,
        );
      const key = `${userId} ${hash}`;
      const found = avatars.get(key) ?? once(find);
      avatars.set(key, found);
      return found();
    },
    showProgress: everySecond(() => recountSteps(run.dependencies.db, run.owner)),
    fatal: undefined,
  };
};

/** Does the work at most once a second; who comes in between does not wait. */
const everySecond = (work: () => Promise<void>): (() => Promise<void>) => {
  let nextAt = 0;
  return async () => {
    if (performance.now() < nextAt) return;
    nextAt = performance.now() + 1000;
    await work();
  };
};

/** Where only the platform is at fault the rest counts as failed; anything else ends this run. */
const stopPosting = async (posting: Posting, channels: PlaceRow[]): Promise<void> => {
  const error = posting.fatal?.error;
  posting.run.signal.throwIfAborted();
  const isPlatformFailure = error instanceof PlatformFailure && error.kind !== 'aborted';
  // After anything else, such as a lost lease, another worker may be using the webhooks.
  if (!isPlatformFailure && !(error instanceof RestoreStopped)) throw error;
  await releaseWebhooks(posting.run, channels);
  if (!isPlatformFailure) throw error;
  for (const place of posting.places) {
    const isOpen = place.status !== 'done' && place.status !== 'failed';
    if (isOpen) await failPlace(posting, place, error.kind);
  }
};

/** Also for a restore that was cancelled while no worker ran it. */
export const releaseWebhooks = async (
  run: RestoreRun,
  channels?: readonly PlaceRow[],
): Promise<void> => {
  const rows = channels ?? (await listPlaces(run.dependencies.db, run.owner));
  for (const row of rows) {
    if (row.status !== 'begun' || row.placeId !== row.channelId) continue;
    await releaseWebhook(run, row).catch((err: unknown) => {
      run.dependencies.log.warn(
        { err, ...run.owner },
        'a webhook of a restore could not be deleted',
      );
    });
  }
};
