import { Badge, Button, Group, VisuallyHidden } from '@mantine/core';
import { useState } from 'react';
import { formatCount } from '../labels/format.ts';
import { isDangerous, permissionLabel } from '../labels/permissions.ts';

type PermissionListProps = {
  added: string[];
  removed?: string[];
  /** What adding and removing is here, for screen readers: "may" and "may not". */
  words: { added: string; removed: string };
};

/** Of more, so many are shown until the reader asks for all. */
const shownAtFirst = 12;

/**
 * Permissions by name: given ones with a plus, taken ones with a minus. Those that are dangerous stand
 * out and come first.
 */
export const PermissionList = ({ added, removed = [], words }: PermissionListProps) => {
  const [isWhole, setIsWhole] = useState(false);
  const all = [
    ...added.map((permission) => ({ permission, isAdded: true })),
    ...removed.map((permission) => ({ permission, isAdded: false })),
  ].sort(
    (one, other) => Number(isDangerous(other.permission)) - Number(isDangerous(one.permission)),
  );
  const shown = isWhole || all.length <= shownAtFirst + 2 ? all : all.slice(0, shownAtFirst);
  return (
    <Group gap={4} component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
      {shown.map(({ permission, isAdded }) => (
        <li key={`${permission} ${isAdded}`}>
          <Badge color={colorOf(permission, isAdded)} fw={500}>
            <VisuallyHidden>{isAdded ? words.added : words.removed} </VisuallyHidden>
            <span aria-hidden>{isAdded ? '+ ' : '− '}</span>
            {permissionLabel(permission)}
          </Badge>
        </li>
      ))}
      {shown.length < all.length && (
        <li>
          <Button variant="subtle" size="compact-xs" onClick={() => setIsWhole(true)}>
            {formatCount(all.length - shown.length)} more
          </Button>
        </li>
      )}
    </Group>
  );
};

const colorOf = (permission: string, isAdded: boolean): string => {
  if (!isAdded) return 'gray';
  return isDangerous(permission) ? 'orange' : 'green';
};
