import { Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Protection } from '../queries/records.ts';
import { Note } from './page.tsx';

type Switches = Pick<Protection, 'antiNukeEnabled' | 'antiRaidEnabled'>;

const titleOf = ({ antiNukeEnabled, antiRaidEnabled }: Switches): string => {
  if (!antiNukeEnabled && !antiRaidEnabled) return 'Protection is off';
  return antiNukeEnabled ? 'Raids are not stopped' : 'Attackers are not stopped';
};

/** A warning while protection is off, wholly or in part, with the button that helps. */
export const ProtectionOff = (props: { protection: Switches; children: ReactNode }) => {
  const { protection, children } = props;
  if (protection.antiNukeEnabled && protection.antiRaidEnabled) return null;
  return (
    <Note tone="warning" title={titleOf(protection)}>
      <Stack gap="sm">
        <Text size="sm">
          {protection.antiNukeEnabled
            ? 'When many new accounts join at once, nothing is done about them.'
            : 'Whoever has the permissions can delete channels and roles, or ban everybody, until you notice.'}
        </Text>
        <Group>{children}</Group>
      </Stack>
    </Note>
  );
};
