import type { SentTopic } from '@holdfast/contract';
import { z } from 'zod';
import { parseJson } from '../../kernel/json.ts';
import type { Log } from '../../kernel/log.ts';
import type { Database } from '../connect.ts';
import { type Change, changesChannel } from './change.ts';
import { defaultListenTimes, type Listening, type ListenTimes, startListening } from './listen.ts';

type FollowDependencies = {
  url: string;
  db: Database;
  log: Log;
  times?: ListenTimes;
  onChanges(changes: Change[]): void;
  /** Changes may have been missed. */
  onMissed(): void;
  /** Changes are not told any more, until `isAlive` again. */
  onLost(): void;
};

const sentences = {
  lost: 'notifications of changes do not arrive; open dashboards poll instead',
  back: 'notifications of changes arrive again',
};

/** Only our own processes send on this channel, and there the topics are checked by their type. */
const sentTopic = z.custom<SentTopic>((value) => typeof value === 'string');
const sentChanges = z.array(z.tuple([z.string(), sentTopic]));

/** Listens for what any process announces by `createChangeAnnouncer`, this one included. */
export const followChanges = ({
  times = defaultListenTimes,
  onChanges,
  ...dependencies
}: FollowDependencies): Listening =>
  startListening({
    ...{ ...dependencies, times, sentences, channel: changesChannel },
    onMessage(text) {
      const { data } = sentChanges.safeParse(parseJson(text));
      if (data) onChanges(data.map(([accountId, topic]) => ({ accountId, topic })));
    },
  });
