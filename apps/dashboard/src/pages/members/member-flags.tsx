import { Badge, Group } from '@mantine/core';
import type { Member } from './pullable-words.ts';

export const isFlagged = ({ isVpn, isAlt }: Member): boolean => isVpn || isAlt;

/** What the checks saw when they verified. */
export const MemberFlags = ({ member: { isVpn, isAlt } }: { member: Member }) => (
  <Group gap={6}>
    {isVpn && (
      <Badge variant="light" color="orange" tt="none">
        VPN
      </Badge>
    )}
    {isAlt && (
      <Badge variant="light" color="orange" tt="none">
        second account
      </Badge>
    )}
  </Group>
);
