import { List } from '@mantine/core';
import { Name } from '../../parts/name.tsx';

type WhatGoesProps = { serverName: string; restoresChannels: boolean };

/** What nobody should learn only afterwards. */
export const WhatGoes = ({ serverName, restoresChannels }: WhatGoesProps) => (
  <List size="sm" spacing="xs">
    <List.Item>
      First a safety snapshot of <Name>{serverName}</Name> is taken. With it the restore can be
      undone.
    </List.Item>
    {restoresChannels && (
      <List.Item>
        <b>All channels that it has now are deleted, with the messages in them.</b> Undoing makes
        the channels again, but empty.
      </List.Item>
    )}
    {restoresChannels && (
      <List.Item>
        The new channels are built first and the old ones go last, so the server is never empty.
      </List.Item>
    )}
    <List.Item>
      If something cannot be made, nothing is deleted in its place, and you are told.
    </List.Item>
  </List>
);
