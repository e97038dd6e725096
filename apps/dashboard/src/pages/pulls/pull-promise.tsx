import { List } from '@mantine/core';
import { plural } from '../../parts/words.ts';
import { TargetName } from './pull-list.tsx';

type PullPromiseProps = { targetServerId: string; most: number; hasRole: boolean };

/** What happens to the people who are called. */
export const PullPromise = ({ targetServerId, most, hasRole }: PullPromiseProps) => (
  <List size="sm" spacing="xs">
    <List.Item>
      Adds up to {plural(most, 'member')} to <TargetName serverId={targetServerId} />, one after the
      other, as fast as the platform allows.
    </List.Item>
    {hasRole && <List.Item>Everybody who comes gets the role you chose.</List.Item>}
    <List.Item>
      Who took their consent back in the meantime is left out. Nobody is written to.
    </List.Item>
    <List.Item>You can stop it at any time; who has joined by then stays.</List.Item>
  </List>
);
